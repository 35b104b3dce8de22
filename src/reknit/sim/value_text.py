"""Values of the simulator as text, each as its type reads it.

    u32 7 -> 7     f32 0x3fc00000 -> 1.5     vec2<u32> (1, 2) -> (1, 2)     bool 1 -> true
"""

import struct
from typing import Any, Final

from reknit.ir.instr import Instr
from reknit.sim.shadow.shapes import UNKNOWN
from reknit.sim.values import BOOL_KIND, EXISTENTIAL_KIND, FLOAT_KIND, INT_KIND, STRUCT_KIND, Shape, to_signed

_FLOATS: Final = {16: "<e", 32: "<f", 64: "<d"}


def value_text(value: Any, shape: Shape | None) -> str:
    """Types nest a few levels."""
    if value == UNKNOWN:
        return UNKNOWN
    if isinstance(value, Instr):
        return value.name or f"%{value.id}"
    if shape is None or shape.kind == EXISTENTIAL_KIND:
        return f"{value_text(value[0], None)} {{...}}" if isinstance(value, tuple) and len(value) == 2 else "..."
    if shape.kind == STRUCT_KIND:
        parts = [value_text(part, member) for part, member in zip(value, shape.members, strict=True)]
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join([value_text(part, shape.element) for part in value]) + ")"
    if shape.kind == FLOAT_KIND:
        return float_text(value, shape)
    if shape.kind == BOOL_KIND:
        return "true" if value else "false"
    if shape.kind == INT_KIND:
        return str(to_signed(value, shape.width) if shape.signed else value)
    return str(value)


def float_text(bits: int, shape: Shape) -> str:
    return scalar_text(shape, bits.to_bytes(shape.width // 8, "little"), 10)


def scalar_text(shape: Shape, raw: bytes, base: int = 10, digits: int = 7) -> str:
    """A number as its type reads it, to base 16 as the bits it has; a dash where the buffer ends before it. A float has
    so many significant digits: with 9 no two of 32 bits look alike."""
    if len(raw) * 8 < shape.width:
        return "-"
    if shape.kind == FLOAT_KIND and shape.width in _FLOATS:
        number: float = struct.unpack(_FLOATS[shape.width], raw)[0]
        return f"{number:.{digits}g}" if shape.width < 64 else repr(number)
    if shape.kind == BOOL_KIND:
        return "true" if any(raw) else "false"
    if base == 16:
        return f"{int.from_bytes(raw, 'little'):#x}"
    return str(int.from_bytes(raw, "little", signed=shape.signed))
