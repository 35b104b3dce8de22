"""Where a field says that it lies in buffers.

    [[vk::offset(16)]] float4 c;     byte 16           float v2 : packoffset(c1.w);     row 1, component 3: byte 28
"""

import re
from typing import Final

from reknit.front.slang import syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Scope
from reknit.front.slang.check.expressions.constants import integer

_ROW: Final = re.compile(r"c([0-9]{1,5})(?:\.([xyzwrgba]))?$")


def explicit_offset(ctx: Context, scope: Scope, decl: syntax.VarDecl) -> int:
    """The byte, -1 where nothing is said."""
    offset = -1
    attribute = decl.modifiers.attribute("vk::offset")
    if attribute is not None:
        value = integer(ctx.expressions.expression(scope, attribute.arguments[0])) if attribute.arguments else None
        if value is None or value < 0:
            ctx.error("E39999", attribute.at, "'vk::offset' takes a constant number of bytes")
        else:
            offset = value
    for register in decl.modifiers.registers:
        row = _ROW.match(register.arguments[0]) if register.kind == "packoffset" and register.arguments else None
        if row is not None:
            offset = 16 * int(row[1]) + 4 * ("xyzwrgba".index(row[2] or "x") % 4)
        elif register.kind == "packoffset":
            ctx.error("E39999", register.at, "'packoffset' takes a register and a component of it, as in 'c1.w'")
    return offset
