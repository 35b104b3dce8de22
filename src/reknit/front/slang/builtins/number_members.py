"""Methods and constants that numbers have through the language's own interfaces.

    a.add(b)        FAdd, IAdd          a.lessThan(b)   all components           a.toInt()    ConvertFToS ...
    int.maxValue    a constant          float.getPi()   3.14159265

Receivers may be of an opaque type T : IArithmetic; what T is, is known when the instructions are made. Source: Slang's
core module, interfaces IComparable, IArithmetic, ILogical, IInteger, IFloat, IRangedValue.
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import binary, invert, negate
from reknit.front.slang.builtins.builtin import Builtin, Maker, Signature
from reknit.front.slang.builtins.components import row_by_row, row_of, splat
from reknit.front.slang.builtins.constants import number, scalar_constant
from reknit.front.slang.builtins.conversion import converted
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.shapes import constant, count_of, element, ir_numeric, row_type, scalar_of, shape
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import (
    BOOL,
    FLOAT,
    INT,
    INT64,
    UINT,
    UINT64,
    ArrayType,
    MatrixType,
    ScalarType,
    Type,
    VectorType,
)
from reknit.ir import op
from reknit.ir.value import Value

_OPERATORS: Final = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "bitAnd": "&", "bitOr": "|", "bitXor": "^", "and": "&",
    "or": "|",
}  # fmt: skip
_COMPARISONS: Final = {"equals": "==", "lessThan": "<", "lessThanOrEquals": "<="}
_CONVERSIONS: Final[dict[str, ScalarType]] = {
    "toInt": INT, "toInt64": INT64, "toUInt": UINT, "toUInt64": UINT64, "toFloat": FLOAT,
}  # fmt: skip
_OF_INTERFACES: Final[dict[str, tuple[str, ...]]] = {
    "IArithmetic": ("add", "sub", "mul", "div", "mod", "neg"), "IComparable": tuple(_COMPARISONS),
    "ILogical": ("bitAnd", "bitOr", "bitXor", "bitNot", "and", "or", "not", "shl", "shr"),
    "IInteger": ("toInt", "toInt64", "toUInt", "toUInt64"), "IFloat": ("toFloat", "scale"),
}  # fmt: skip
_DECLARED_BY: Final[dict[str, str]] = {name: interface for interface, names in _OF_INTERFACES.items() for name in names}
_COUNTS: Final = ("getCount", "length")
NAMES: Final[tuple[str, ...]] = (*_DECLARED_BY, *_COUNTS)


def declared_by(name: str) -> str | None:
    """The interface that a type has to conform to, to have the method."""
    return _DECLARED_BY.get(name)




def resolve(name: str, receiver: Type, arguments: list[Type]) -> Signature | None:
    """Of a number or an opaque type."""
    if isinstance(receiver, (ArrayType, VectorType, MatrixType)) and name in _COUNTS and not arguments:
        return Signature([], [], INT, f"$number.{name}", [], "in")
    if element(receiver) is None:
        return None
    full = f"$number.{name}"
    if name in _OPERATORS and len(arguments) == 1:
        return Signature([receiver], ["in"], receiver, full, [], "in")
    if name in _COMPARISONS and len(arguments) == 1:
        return Signature([receiver], ["in"], BOOL, full, [], "in")
    if name in ("neg", "not", "bitNot") and not arguments:
        return Signature([], [], receiver, full, [], "in")
    if name in _CONVERSIONS and not arguments:
        return Signature([], [], _CONVERSIONS[name], full, [], "in")
    if name in ("shl", "shr") and len(arguments) == 1:
        return Signature([INT], ["in"], receiver, full, [], "in")
    if name == "scale" and len(arguments) == 1:
        return Signature([FLOAT], ["in"], receiver, full, [], "in")
    return None


def emit(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    name = call.name.partition(".")[2]
    type = types[0]
    if name in _COUNTS:
        return number(emitter, INT, _count(type))
    if name in _COMPARISONS:
        return _compare(emitter, _COMPARISONS[name], type, operands)
    if name in _CONVERSIONS:
        return converted(emitter, scalar_of(type), _CONVERSIONS[name], _first(emitter, type, operands[0]))

    def piece(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
        return _apply(emitter, name, types, operands)

    return row_by_row(emitter, type, types, operands, piece)


def _count(type: Type) -> int:
    if isinstance(type, MatrixType):
        return constant(type.rows)
    if isinstance(type, ArrayType):
        if type.count is None:
            raise Unsupported("an array without a size has no length")
        return constant(type.count)
    return count_of(type)


def _apply(emitter: Emitter, name: str, types: list[Type], operands: list[Value]) -> Value:
    type = types[0]
    if name == "neg":
        return negate(emitter, type, operands[0])
    if name == "not" or name == "bitNot":
        return invert(emitter, type, operands[0])
    other = operands[1]
    if name == "scale":
        return binary(emitter, "*", type, operands[0], splat(emitter, type, _floats(emitter, type, other)))
    if name == "shl" or name == "shr":
        return _shift(emitter, name, type, operands[0], other)
    return binary(emitter, _OPERATORS[name], type, operands[0], other)


def _floats(emitter: Emitter, type: Type, value: Value) -> Value:
    return converted(emitter, FLOAT, scalar_of(type), value)


def _shift(emitter: Emitter, name: str, type: Type, value: Value, by: Value) -> Value:
    """By an int's low bits; a bool as an int, as slangc has it."""
    scalar = scalar_of(type)
    if scalar.kind == "bool":
        return converted(emitter, INT, type, _shift(emitter, name, INT, converted(emitter, type, INT, value), by))
    amount = binary(emitter, "&", INT, by, number(emitter, INT, scalar.width - 1))
    code = op.ShiftLeftLogical if name == "shl" else op.ShiftRightLogical
    if name == "shr" and scalar.kind == "int":
        code = op.ShiftRightArithmetic
    wide = splat(emitter, shape(type).of(INT), amount)
    return emitter.emit(code, ir_numeric(emitter, type), [value, wide])


def _compare(emitter: Emitter, symbol: str, type: Type, operands: list[Value]) -> Value:
    """All components equal; of less the first components decide, of bools false is less."""
    if symbol != "==":
        scalar = scalar_of(type)
        a, b = [_first(emitter, type, operand) for operand in operands]
        if scalar.kind == "bool":
            a, b, scalar = converted(emitter, BOOL, INT, a), converted(emitter, BOOL, INT, b), INT
        return binary(emitter, symbol, scalar, a, b)
    if isinstance(type, MatrixType):
        rows = [[row_of(emitter, type, operand, index) for operand in operands] for index in range(_count(type))]
        type = row_type(type)
    else:
        rows = [operands]
    value: Value | None = None
    for a, b in rows:
        same = binary(emitter, "==", type, a, b)
        whole = same if count_of(type) == 1 else emitter.emit(op.All, emitter.boolean, [same])
        value = whole if value is None else emitter.emit(op.LogicalAnd, emitter.boolean, [value, whole])
    assert value is not None
    return value


def _first(emitter: Emitter, type: Type, value: Value) -> Value:
    """The component that conversions and orders of vectors and matrices are about."""
    if isinstance(type, MatrixType):
        value = row_of(emitter, type, value, 0)
        type = row_type(type)
    if count_of(type) == 1:
        return value
    return emitter.emit(op.CompositeExtract, ir_numeric(emitter, scalar_of(type)), [value, 0])


# ---- constants of types


def _limit(type: Type, name: str) -> int | float:
    scalar = scalar_of(type)
    high = name == "maxValue"
    if scalar.kind == "bool":
        return 1 if high else 0
    if scalar.kind == "float":
        most = {16: 65504.0, 32: (2 - 2.0**-23) * 2.0**127, 64: (2 - 2.0**-52) * 2.0**1023}[scalar.width]
        return most if high else -most
    if scalar.kind == "uint":
        return (1 << scalar.width) - 1 if high else 0
    return (1 << (scalar.width - 1)) - 1 if high else -(1 << (scalar.width - 1))


def _static(name: str) -> Builtin:
    """Takes the type as type argument."""

    def resolve_static(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
        if arguments or len(type_arguments) != 1 or element(type_arguments[0]) is None:
            return None
        return Signature([], [], type_arguments[0], f"${name}", type_arguments)

    return Builtin(f"${name}", resolve_static, _maker(name))


def _maker(name: str) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        value = 3.14159265358979323846 if name == "getPi" else _limit(call.type, name)
        if isinstance(call.type, ScalarType):
            return scalar_constant(emitter, call.type, value)
        return number(emitter, call.type, value)

    return make


CONSTANTS: Final = ("maxValue", "minValue")
STATICS: Final[dict[str, Builtin]] = {f"${name}": _static(name) for name in (*CONSTANTS, "getPi")}


def find_static(name: str) -> Builtin | None:
    """`T.maxValue`, `T.minValue` (constants) and `T.getPi()`: resolved with T as type argument."""
    return STATICS.get(f"${name}")
