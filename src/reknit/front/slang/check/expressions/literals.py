"""Literals and the type each has.

1  int     1u  uint     1ll  int64_t     3000000000  int64_t     0xFFFFFFFF  uint     1.0  float     1.0h  half

Source: Slang's language reference, "Literal expressions".
"""

from typing import Final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.integers import wrap
from reknit.front.slang.types import BOOL, DOUBLE, FLOAT, HALF, INT, INT64, UINT, UINT64, ScalarType

_FLOATS: Final[dict[str, ScalarType]] = {"": FLOAT, "f": FLOAT, "h": HALF, "l": DOUBLE, "lf": DOUBLE}


def literal(ctx: Context, written: syntax.Expr) -> hir.Expr:
    if isinstance(written, syntax.BoolLiteral):
        return hir.Const(written.at, BOOL, int(written.value))
    if isinstance(written, syntax.FloatLiteral):
        return hir.Const(written.at, _FLOATS.get(written.suffix, FLOAT), written.value)
    if isinstance(written, syntax.IntLiteral):
        type = integer_type(written)
        if type is UINT64 and written.decimal and "u" not in written.suffix:
            what = "integer literal is too large to be represented in a signed integer type, interpreting as unsigned"
            ctx.reports.warning("E40004", written.at, what)
        return hir.Const(written.at, type, wrap(-written.value if written.negative else written.value, type))
    return hir.Undefined(written.at, INT)


def integer_type(written: syntax.IntLiteral) -> ScalarType:
    """The smallest type that has the value: of 32 bits unless the suffix says otherwise (`l` doesn't), unsigned with
    `u` and, in other bases than ten, where the value needs it. The least numbers of the signed types are literals
    with their minus sign."""
    value = written.value - (written.negative and written.decimal)
    unsigned = "u" in written.suffix
    if "ll" not in written.suffix and "z" not in written.suffix:
        if not unsigned and value < 1 << 31:
            return INT
        if value < 1 << 32 and (unsigned or not written.decimal):
            return UINT
    if unsigned or value >= 1 << 63 and (written.decimal or "z" not in written.suffix):
        return UINT64
    return INT64
