"""Integers that the language computes while it compiles: constant expressions, generic values, `#if`.

    compute("+", INT8, [127, 1])    -128      modulo 2 to the type's width
    compute("/", INT, [-7, 2])      -3        toward 0; None by 0
    compute("<<", UINT, [1, 40])    0         bits go out and don't come back, as slangc computes it
    compute("cast", UINT8, [-1])    255

Values are numbers, each as its type holds it. What SPIR-V defines is as `ir.integers` has it; a shift by the width or
more and the least integer by -1 have a value here, and none there.
"""

from typing import Final

from reknit.front.slang.types import INT, EnumType, ScalarType, Type
from reknit.ir import integers, op

CAST: Final = "cast"
MAX_SHIFTED: Final = 63
_CODES: Final = {
    "+": (op.IAdd, op.IAdd), "-": (op.ISub, op.ISub), "*": (op.IMul, op.IMul), "/": (op.SDiv, op.UDiv),
    "%": (op.SRem, op.UMod), "&": (op.BitwiseAnd, op.BitwiseAnd), "|": (op.BitwiseOr, op.BitwiseOr),
    "^": (op.BitwiseXor, op.BitwiseXor), "<<": (op.ShiftLeftLogical, op.ShiftLeftLogical),
    ">>": (op.ShiftRightArithmetic, op.ShiftRightLogical), "==": (op.IEqual, op.IEqual),
    "!=": (op.INotEqual, op.INotEqual), "<": (op.SLessThan, op.ULessThan), "<=": (op.SLessThanEqual, op.ULessThanEqual),
    ">": (op.SGreaterThan, op.UGreaterThan), ">=": (op.SGreaterThanEqual, op.UGreaterThanEqual),
}  # fmt: skip
"""By operator: the operation on ints, and that on uints."""


def integral(type: Type) -> ScalarType | None:
    """The integer or bool that values of a type are; None for all other types."""
    scalar = type.enum.underlying if isinstance(type, EnumType) else type
    return scalar if isinstance(scalar, ScalarType) and scalar.kind in ("int", "uint", "bool") else None


def wrap(value: int, type: ScalarType) -> int:
    """`value` as `type` holds it: modulo 2 to its width."""
    if type.kind == "bool":
        return int(value != 0)
    if type.kind == "int":
        return integers.signed(bits(value, type), type.width)
    return bits(value, type) if type.kind == "uint" else value


def bits(value: int, type: ScalarType) -> int:
    """The same as an unsigned number of the type's width."""
    return value & ((1 << type.width) - 1)


def holds_all(type: ScalarType, other: ScalarType) -> bool:
    """Whether `type` has every value that `other` has."""
    if other.kind == "bool" or type.kind == other.kind:
        return type.width >= other.width
    return type.kind == "int" and type.width > other.width


def compute(symbol: str, type: ScalarType, values: list[int]) -> int | None:
    """hir's operator on numbers of `type`; None for what has no value. Of "?:" the first is a condition, and CAST takes
    a number of any type to `type`."""
    if symbol == "?:":
        return values[1] if values[0] else values[2]
    if symbol == "!":
        return int(values[0] == 0)
    if symbol == "&&" or symbol == "||":
        return int((values[0] != 0 and values[1] != 0) if symbol == "&&" else (values[0] != 0 or values[1] != 0))
    numbers = INT if type.kind == "bool" and symbol != CAST else type  # bools are computed as the ints that they are
    if len(values) == 1:
        value = values[0] if symbol in (CAST, "+") else _complement(symbol, values[0])
    else:
        value = _computed(symbol, numbers, values[0], values[1])
    return None if value is None else wrap(wrap(value, numbers), type)


def _complement(symbol: str, value: int) -> int | None:
    return -value if symbol == "-" else ~value if symbol == "~" else None


def _computed(symbol: str, type: ScalarType, left: int, right: int) -> int | None:
    codes = _CODES.get(symbol)
    if codes is None:
        return None
    if symbol == "<<" or symbol == ">>":
        if not 0 <= right <= MAX_SHIFTED:
            return None
        if right >= type.width:
            return -1 if symbol == ">>" and left < 0 else 0
    if symbol == "/" and type.kind == "int" and right == -1:
        return -left
    if symbol == "%" and type.kind == "int" and right == -1:
        return 0
    code = codes[0] if type.kind == "int" else codes[1]
    return integers.binary(code, type.width, bits(left, type), bits(right, type))
