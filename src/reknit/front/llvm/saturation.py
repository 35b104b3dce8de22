"""Integer arithmetic that tells, or stops at, the end of its type: llvm.sadd.with.overflow, llvm.ushl.sat ...

    uadd  wraps if a + b < a           sadd  overflows if a + b has neither's sign
    usub  wraps if a < b               smul  overflows if the upper half is not the lower half's sign, repeated
"""

from typing import Final

from reknit.front.llvm.bits import chosen, scalar, truth
from reknit.front.llvm.results import Pieces, Result
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import op
from reknit.ir.value import Value

OPERATIONS: Final = ("uadd", "usub", "umul", "sadd", "ssub", "smul")
SATURATING: Final = ("uadd", "usub", "ushl", "sadd", "ssub", "sshl")

_CODES: Final = {"add": op.IAdd, "sub": op.ISub, "shl": op.ShiftLeftLogical}


def with_overflow(target: Target, type: Type, name: str, a: Value, b: Value) -> Result:
    result, wrong = _computed(target, type, name, a, b)
    return Pieces([result, wrong])


def saturated(target: Target, type: Type, name: str, a: Value, b: Value) -> Value:
    width = scalar(type).width
    result, wrong = _computed(target, type, name, a, b)
    if name[0] == "u":
        end: Value = target.constant(type, 0 if name == "usub" else (1 << width) - 1)
    else:
        sign = target.emit(op.ShiftRightArithmetic, target.type(type), [a, target.constant(type, width - 1)])
        most = target.constant(type, (1 << width - 1) - 1)
        end = target.emit(op.BitwiseXor, target.type(type), [sign, most])  # the largest, or the least for a negative
    return chosen(target, type, wrong, end, result)


def _computed(target: Target, type: Type, name: str, a: Value, b: Value) -> tuple[Value, Value]:
    """The result as it wraps, and whether it did."""
    if scalar(type).is_bool():
        raise Refusal(f"is {name} of i1")
    ir_type = target.type(type)
    zero = target.constant(type, 0)
    if name.endswith("mul"):
        return _product(target, type, name, a, b)
    result = target.emit(_CODES[name[1:]], ir_type, [a, b])
    if name == "uadd":
        return result, truth(target, type, op.ULessThan, result, a)
    if name == "usub":
        return result, truth(target, type, op.ULessThan, a, b)
    if name.endswith("shl"):
        back = op.ShiftRightLogical if name == "ushl" else op.ShiftRightArithmetic
        return result, truth(target, type, op.INotEqual, target.emit(back, ir_type, [result, b]), a)
    other = target.emit(op.BitwiseXor, ir_type, [b, result if name == "sadd" else a])
    turned = target.emit(op.BitwiseXor, ir_type, [a, result])
    both = target.emit(op.BitwiseAnd, ir_type, [other, turned])
    return result, truth(target, type, op.SLessThan, both, zero)


def _product(target: Target, type: Type, name: str, a: Value, b: Value) -> tuple[Value, Value]:
    ir_type = target.type(type)
    struct = target.module.intern(op.TypeStruct, None, [ir_type, ir_type])
    pair = target.emit(op.UMulExtended if name == "umul" else op.SMulExtended, struct, [a, b])
    low, high = [target.emit(op.CompositeExtract, ir_type, [pair, index]) for index in range(2)]
    expected: Value = target.constant(type, 0)
    if name == "smul":
        expected = target.emit(op.ShiftRightArithmetic, ir_type, [low, target.constant(type, scalar(type).width - 1)])
    return low, truth(target, type, op.INotEqual, high, expected)
