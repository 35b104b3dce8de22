"""Operators on numbers, component by component, and conversions between them.

    a + b  (float2x2)    two rows, each FAdd                x << n      ShiftLeftLogical x (n & 31)
    int(1.9)             ConvertFToS, toward zero           bool(x)     x != 0

Results for which the languages promise nothing (x / 0, a float out of an int's range) are as SPIR-V has them:
undefined. Source: Microsoft's HLSL reference, "Operators"; the Slang language reference, "Expressions".
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import binary, invert, negate
from reknit.front.slang.builtins.components import emit_op, row_by_row, row_of, splat
from reknit.front.slang.builtins.constants import number, scalar_constant
from reknit.front.slang.builtins.conversion import converted
from reknit.front.slang.builtins.shapes import constant, count_of, ir_numeric, scalar_of, shape
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.types import (
    BOOL,
    INT,
    UINT64,
    ConstType,
    EnumType,
    MatrixType,
    PointerType,
    ScalarType,
    Type,
    VectorType,
    same,
)
from reknit.ir import op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.value import Value

COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=")
_NUMBERS: Final = (ScalarType, VectorType, MatrixType, EnumType)


def is_number(type: Type) -> bool:
    """A scalar, vector, matrix or enum."""
    return isinstance(type, _NUMBERS)


def bits(type: Type) -> int:
    """Of a scalar or vector without bools, else 0."""
    if not is_number(type) or isinstance(type, MatrixType) or scalar_of(type).kind == "bool":
        return 0
    return scalar_of(type).width * count_of(type)


def as_number(type: Type) -> Type:
    """A pointer is compared as the number that it is."""
    return UINT64 if isinstance(type, PointerType) else type


def result_of(symbol: str, type: Type) -> Type:
    """The type of `a op b`, both of `type`."""
    return shape(type).of(BOOL) if symbol in COMPARISONS else type


def operate(low: Lowering, symbol: str, type: Type, a: Value, b: Value) -> Value:
    """`a symbol b`, both of `type`."""

    def piece(emitter: object, result: Type, types: list[Type], operands: list[Value]) -> Value:
        return _piece(low, symbol, types[0], operands[0], operands[1])

    return row_by_row(low, result_of(symbol, type), [type, type], [a, b], piece)


def _piece(low: Lowering, symbol: str, type: Type, a: Value, b: Value) -> Value:
    if symbol == "<<" or symbol == ">>":
        return _shift(low, symbol, type, a, b)
    kind = scalar_of(type).kind
    if symbol == "&&" or symbol == "||":
        return emit_op(low, op.LogicalAnd if symbol == "&&" else op.LogicalOr, type, [a, b])
    if kind == "bool" and symbol not in ("==", "!=", "&", "|", "^"):
        return _of_bools(low, symbol, type, a, b)
    return binary(low, symbol, type, a, b)


def _of_bools(low: Lowering, symbol: str, type: Type, a: Value, b: Value) -> Value:
    """As the ints that bools are."""
    ints = shape(type).of(INT)
    computed = binary(low, symbol, ints, convert(low, type, ints, a), convert(low, type, ints, b))
    return computed if symbol in COMPARISONS else convert(low, ints, type, computed)


def _shift(low: Lowering, symbol: str, type: Type, a: Value, b: Value) -> Value:
    """By as many bits as the amount's lowest bits say. Of two constants, bits go out and don't come back, as slangc
    computes them."""
    scalar = scalar_of(type)
    known = as_int(b)
    value = as_int(a)
    if known is not None and value is not None and known >= scalar.width:
        return scalar_constant(low, scalar, -1 if symbol == ">>" and value < 0 else 0)
    if known is None or not 0 <= known < scalar.width:
        b = emit_op(low, op.BitwiseAnd, type, [b, number(low, type, scalar.width - 1)])
    if symbol == "<<":
        return emit_op(low, op.ShiftLeftLogical, type, [a, b])
    return emit_op(low, op.ShiftRightArithmetic if scalar.kind == "int" else op.ShiftRightLogical, type, [a, b])


def unary(low: Lowering, symbol: str, type: Type, a: Value) -> Value:
    def piece(emitter: object, result: Type, types: list[Type], operands: list[Value]) -> Value:
        if symbol == "-":
            folded = _negated_constant(low, types[0], operands[0])
            return folded if folded is not None else negate(low, types[0], operands[0])
        return invert(low, types[0], operands[0])

    return row_by_row(low, type, [type], [a], piece)


def _negated_constant(low: Lowering, type: Type, a: Value) -> Value | None:
    if not isinstance(type, ScalarType) or not isinstance(a, Instr) or a.op != op.Constant or a.type is None:
        return None
    if type.kind == "float":
        words = [a.word(index) for index in range(len(a.operands))]
        words[-1] ^= 1 << (min(type.width, 32) - 1)
        return low.module.intern(op.Constant, a.type, [*words])
    known = as_int(a)
    return scalar_constant(low, type, -known) if known is not None else None


# ---- conversions


def convert(low: Lowering, source: Type, target: Type, value: Value) -> Value:
    """Component by component; what is longer is cut off, a scalar goes everywhere."""
    if same(source, target) or low.ir_type(source) is low.ir_type(target) and _same_meaning(source, target):
        return value
    if isinstance(target, MatrixType):
        return _matrix(low, source, target, value)
    if isinstance(source, MatrixType):
        width = _first_row(source)
        return convert(low, width, target, row_of(low, source, value, 0))
    value, shaped = _cut(low, source, target, value)
    return converted(low, shaped, target, value)


def _same_meaning(source: Type, target: Type) -> bool:
    return is_number(source) and is_number(target) and scalar_of(source).kind == scalar_of(target).kind


def _first_row(type: MatrixType) -> Type:
    return VectorType(type.element, type.columns)


def _matrix(low: Lowering, source: Type, target: MatrixType, value: Value) -> Value:
    row = VectorType(target.element, target.columns)
    rows: list[Value] = []
    for index in range(constant(target.rows)):
        if isinstance(source, MatrixType):
            part = row_of(low, source, value, index)
            rows.append(convert(low, _first_row(source), row, part))
        else:
            rows.append(splat(low, row, convert(low, source, target.element, value)))
    return low.composite(low.ir_type(target), rows)


def _cut(low: Lowering, source: Type, target: Type, value: Value) -> tuple[Value, Type]:
    """(value, its type) with as many components as `target` has."""
    have = count_of(source)
    want = count_of(target)
    if have == want:
        return value, source
    element = scalar_of(source)
    if have == 1:
        return splat(low, VectorType(element, ConstType(want)), value), VectorType(element, ConstType(want))
    if want == 1:
        return low.extract(ir_numeric(low, element), value, 0), element
    shaped = VectorType(element, ConstType(want))
    indices = list(range(want))
    return low.emit(op.VectorShuffle, ir_numeric(low, shaped), [value, value, *indices]), shaped
