"""Operators on scalars and vectors, for functions that are made of several.

    binary(emitter, "*", float3, a, b)   FMul          binary(emitter, "<", int, a, b)   SLessThan : bool

Comparisons give bools in the operands' shape. Shifts aren't here: none is needed with an amount that isn't constant.
"""

from typing import Final

from reknit.front.slang.builtins.components import Codes, emit_op, kind_index
from reknit.front.slang.builtins.constants import number
from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.builtins.shapes import shape
from reknit.front.slang.types import BOOL, Type
from reknit.ir import op
from reknit.ir.value import Value

_ARITHMETIC: Final[dict[str, Codes]] = {
    "+": (op.FAdd, op.IAdd, op.IAdd, 0),
    "-": (op.FSub, op.ISub, op.ISub, 0),
    "*": (op.FMul, op.IMul, op.IMul, 0),
    "/": (op.FDiv, op.SDiv, op.UDiv, 0),
    "%": (op.FRem, op.SRem, op.UMod, 0),
    "&": (0, op.BitwiseAnd, op.BitwiseAnd, op.LogicalAnd),
    "|": (0, op.BitwiseOr, op.BitwiseOr, op.LogicalOr),
    "^": (0, op.BitwiseXor, op.BitwiseXor, op.LogicalNotEqual),
}
_COMPARISONS: Final[dict[str, Codes]] = {
    "==": (op.FOrdEqual, op.IEqual, op.IEqual, op.LogicalEqual),
    "!=": (op.FUnordNotEqual, op.INotEqual, op.INotEqual, op.LogicalNotEqual),
    "<": (op.FOrdLessThan, op.SLessThan, op.ULessThan, 0),
    "<=": (op.FOrdLessThanEqual, op.SLessThanEqual, op.ULessThanEqual, 0),
    ">": (op.FOrdGreaterThan, op.SGreaterThan, op.UGreaterThan, 0),
    ">=": (op.FOrdGreaterThanEqual, op.SGreaterThanEqual, op.UGreaterThanEqual, 0),
}


def bools(type: Type) -> Type:
    return shape(type).of(BOOL)


def binary(emitter: Emitter, symbol: str, type: Type, a: Value, b: Value) -> Value:
    """`type` is that of both operands."""
    comparison = _COMPARISONS.get(symbol)
    if comparison is not None:
        return emit_op(emitter, comparison[kind_index(type)], bools(type), [a, b])
    return emit_op(emitter, _ARITHMETIC[symbol][kind_index(type)], type, [a, b])


def negate(emitter: Emitter, type: Type, a: Value) -> Value:
    return emit_op(emitter, (op.FNegate, op.SNegate, op.SNegate, op.LogicalNot)[kind_index(type)], type, [a])


def invert(emitter: Emitter, type: Type, a: Value) -> Value:
    """Every bit, or a bool."""
    return emit_op(emitter, (0, op.Not, op.Not, op.LogicalNot)[kind_index(type)], type, [a])


def choose(emitter: Emitter, type: Type, condition: Value, a: Value, b: Value) -> Value:
    """`condition` has the shape of `type`."""
    return emit_op(emitter, op.Select, type, [condition, a, b])


def shift_left(emitter: Emitter, type: Type, a: Value, by: int) -> Value:
    return emit_op(emitter, op.ShiftLeftLogical, type, [a, number(emitter, type, by)])


def shift_right(emitter: Emitter, type: Type, a: Value, by: int) -> Value:
    """Zeros come in."""
    return emit_op(emitter, op.ShiftRightLogical, type, [a, number(emitter, type, by)])
