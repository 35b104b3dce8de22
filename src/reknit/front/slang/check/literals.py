"""Literals and the type each has.

1  int     1u  uint     1ll  int64_t     3000000000  int64_t     0xFFFFFFFF  uint     1.0  float     1.0h  half
"""

from typing import Final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.types import BOOL, DOUBLE, FLOAT, HALF, INT, INT64, UINT, UINT64, ScalarType

_BY_SUFFIX: Final[dict[str, ScalarType]] = {
    "u": UINT, "l": INT64, "ul": UINT64, "ll": INT64, "ull": UINT64, "z": INT64, "uz": UINT64,
}  # fmt: skip
_FLOATS: Final[dict[str, ScalarType]] = {"": FLOAT, "f": FLOAT, "h": HALF, "l": DOUBLE, "lf": DOUBLE}


def literal(ctx: Context, written: syntax.Expr) -> hir.Expr:
    if isinstance(written, syntax.BoolLiteral):
        return hir.Const(written.at, BOOL, int(written.value))
    if isinstance(written, syntax.FloatLiteral):
        return hir.Const(written.at, _FLOATS.get(written.suffix, FLOAT), written.value)
    if isinstance(written, syntax.IntLiteral):
        type = integer_type(written)
        mask = (1 << type.width) - 1
        value = written.value & mask
        if type.kind == "int" and value >> (type.width - 1):
            value -= 1 << type.width
        return hir.Const(written.at, type, value)
    return hir.Undefined(written.at, INT)


def integer_type(written: syntax.IntLiteral) -> ScalarType:
    """The smallest type of its suffix that has the value; literals in other bases may be unsigned."""
    value = written.value
    if written.suffix == "u":
        return UINT if value < 1 << 32 else UINT64
    if written.suffix:
        type = _BY_SUFFIX.get(written.suffix, INT64)
        return UINT64 if type is INT64 and value >= 1 << 63 else type
    if value < 1 << 31:
        return INT
    if not written.decimal and value < 1 << 32:
        return UINT
    return INT64 if value < 1 << 63 else UINT64
