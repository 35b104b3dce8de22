"""Integer arithmetic that tells, or stops at, the end of its type: llvm.sadd.with.overflow, llvm.ushl.sat ...

    uadd  wraps if a + b < a           sadd  overflows if a + b has neither's sign
    usub  wraps if a < b               smul  overflows if the upper half is not the lower half's sign, repeated
"""

from typing import Final

from reknit.front.llvm.bits import chosen, integer, like, scalar, truth
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


def multiplied_and_added(target: Target, type: Type, values: list[Value], signed: bool) -> Value:
    """mad_sat (OpenCL C 3.0, 6.15.3) without a wider type: the product's upper half says whether it left the type."""
    ir_type = target.type(type)
    width = scalar(type).width
    struct = target.module.intern(op.TypeStruct, None, [ir_type, ir_type])
    pair = target.emit(op.SMulExtended if signed else op.UMulExtended, struct, [*values[:2]])
    low, high = [target.emit(op.CompositeExtract, ir_type, [pair, index]) for index in range(2)]
    total = target.emit(op.IAdd, ir_type, [low, values[2]])
    carries = truth(target, type, op.ULessThan, total, low)
    if not signed:
        wrong = truth(target, type, op.INotEqual, high, target.constant(type, 0))
        either = target.emit(op.LogicalOr, target.type(like(type, integer(1))), [wrong, carries])
        return chosen(target, type, either, target.constant(type, (1 << width) - 1), total)
    top = target.constant(type, width - 1)
    upper = target.emit(op.IAdd, ir_type, [high, target.emit(op.ShiftRightArithmetic, ir_type, [values[2], top])])
    carry = chosen(target, type, carries, target.constant(type, 1), target.constant(type, 0))
    upper = target.emit(op.IAdd, ir_type, [upper, carry])
    wrong = truth(target, type, op.INotEqual, upper, target.emit(op.ShiftRightArithmetic, ir_type, [total, top]))
    most = target.constant(type, (1 << width - 1) - 1)
    sign = target.emit(op.ShiftRightArithmetic, ir_type, [upper, top])
    end = target.emit(op.BitwiseXor, ir_type, [sign, most])  # the largest, or the least for a negative
    return chosen(target, type, wrong, end, total)
