"""Operations whose result is one of their operands, or a constant whatever the others are.

    IAdd %x, 0    ISub %x, 0    IMul %x, 1    BitwiseAnd %x, %x    ShiftLeftLogical %x, 0        =>  %x
    ISub %x, %x   IMul %x, 0    BitwiseAnd %x, 0    UMod %x, 1                                   =>  0
    IEqual %x, %x   ULessThanEqual %x, %x   ULessThan %x, 0                                      =>  true, true, false
    LogicalAnd %c, true    Select %c, true, false    LogicalNot (LogicalNot %c)                  =>  %c
    Select %c, %x, %x      Select true, %x, %y       CopyObject %x                               =>  %x

Integers and booleans only: of floats, x + 0 isn't x when x is -0, and x * 1 may flush or quiet x. An operand takes the
place of the result only if it has its type, signedness included.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.constant_bits import all_ones, scalar_of, splat, splat_of
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value

_SAME_IS_TRUE: Final = (
    op.IEqual, op.UGreaterThanEqual, op.SGreaterThanEqual, op.ULessThanEqual, op.SLessThanEqual, op.LogicalEqual,
)  # fmt: skip
_SAME_IS_FALSE: Final = (
    op.INotEqual, op.UGreaterThan, op.SGreaterThan, op.ULessThan, op.SLessThan, op.LogicalNotEqual,
)  # fmt: skip
_SAME_IS_ZERO: Final = (op.ISub, op.BitwiseXor)
_SAME_IS_SAME: Final = (op.BitwiseAnd, op.BitwiseOr, op.LogicalAnd, op.LogicalOr)
_INVOLUTIONS: Final = (op.Not, op.SNegate, op.LogicalNot, op.BitReverse)
_COMMUTATIVE: Final = (
    op.IAdd, op.IMul, op.BitwiseAnd, op.BitwiseOr, op.BitwiseXor, op.LogicalAnd, op.LogicalOr, op.LogicalEqual,
    op.LogicalNotEqual,
)  # fmt: skip
_ZERO_RIGHT: Final = (
    op.IAdd, op.ISub, op.BitwiseOr, op.BitwiseXor, op.ShiftLeftLogical, op.ShiftRightLogical, op.ShiftRightArithmetic,
)  # fmt: skip
_ONE_RIGHT: Final = (op.IMul, op.UDiv, op.SDiv)
_REST: Final = (op.UMod, op.SRem, op.SMod)


def identity(code: int, type: Instr, operands: list[Value], module: Module) -> Value | None:
    """What an operation on `operands` is without computing anything, of type `type`; None if that isn't known."""
    if code == op.CopyObject:
        return _if_typed(operands[0], type)
    if code == op.Select:
        return _select(type, operands)
    if scalar_of(type) is None:
        return None
    if len(operands) == 1:
        inner = operands[0]
        if code in _INVOLUTIONS and isinstance(inner, Instr) and inner.op == code:
            return _if_typed(inner.value(0), type)
        return None
    if len(operands) != 2:
        return None
    left = operands[0]
    right = operands[1]
    if left is right:
        found = _same(code, type, left, module)
        if found is not None:
            return found
    known = splat_of(right)
    if known is None and code in _COMMUTATIVE:
        known = splat_of(left)
        left = right
    if known is None:
        return None
    return _constant_right(code, type, left, known, module)


def _same(code: int, type: Instr, value: Value, module: Module) -> Value | None:
    if code in _SAME_IS_TRUE:
        return splat(module, type, 1)
    if code in _SAME_IS_FALSE or code in _SAME_IS_ZERO:
        return splat(module, type, 0)
    return _if_typed(value, type) if code in _SAME_IS_SAME else None


def _constant_right(code: int, type: Instr, left: Value, known: int, module: Module) -> Value | None:
    """`left` with a constant all of whose components are `known`."""
    if code in (op.LogicalAnd, op.LogicalOr, op.LogicalEqual, op.LogicalNotEqual):
        neutral = 1 if code in (op.LogicalAnd, op.LogicalEqual) else 0
        if known == neutral:
            return _if_typed(left, type)
        return splat(module, type, known) if code in (op.LogicalAnd, op.LogicalOr) else None
    if known == 0:
        if code in _ZERO_RIGHT:
            return _if_typed(left, type)
        if code in (op.IMul, op.BitwiseAnd, op.ULessThan):
            return splat(module, type, 0)
        return splat(module, type, 1) if code == op.UGreaterThanEqual else None
    if known == 1:
        if code in _ONE_RIGHT:
            return _if_typed(left, type)
        if code in _REST:
            return splat(module, type, 0)
    if code in (op.BitwiseAnd, op.BitwiseOr) and known == all_ones(type):
        return _if_typed(left, type) if code == op.BitwiseAnd else splat(module, type, known)
    return None


def _select(type: Instr, operands: list[Value]) -> Value | None:
    condition = operands[0]
    if operands[1] is operands[2]:
        return operands[1]
    known = splat_of(condition)
    if known is not None:
        return operands[1] if known else operands[2]
    if splat_of(operands[1]) == 1 and splat_of(operands[2]) == 0:
        return _if_typed(condition, type)  # of a bool
    return None


def _if_typed(value: Value, type: Instr) -> Value | None:
    return value if isinstance(value, Instr) and value.type is type else None
