"""Values of the simulator as JSON: numbers where JSON has them, else text.

    u32 7 -> 7     f32 0x3fc00000 -> 1.5     f32 NaN -> "nan"     vec2<u32> (1, 2) -> "(1, 2)"     bool 1 -> true
    u64 2**60 -> "1152921504606846976", since a number of JavaScript can't hold it
"""

import math
from typing import Any, Final

from reknit.sim.shadow.shapes import UNKNOWN
from reknit.sim.value_text import float_text, value_text
from reknit.sim.values import BOOL_KIND, FLOAT_KIND, INT_KIND, STRUCT_KIND, Shape, to_signed

EXACT: Final = 1 << 53  # integers up to here are numbers in JavaScript


def value_json(value: Any, shape: Shape | None) -> object:
    """A scalar as what JSON has for it, anything else as text."""
    if shape is None or value == UNKNOWN:
        return value_text(value, shape)
    if shape.kind == BOOL_KIND:
        return bool(value)
    if shape.kind == INT_KIND:
        number = to_signed(value, shape.width) if shape.signed else value
        return number if -EXACT < number < EXACT else str(number)
    if shape.kind == FLOAT_KIND:
        text = float_text(value, shape)
        number = float(text)
        return number if math.isfinite(number) else text
    return value_text(value, shape)


def within(shape: Shape | None, path: tuple[int, ...]) -> Shape | None:
    """The shape of the part that `path` leads to."""
    for index in path:
        if shape is None:
            return None
        shape = shape.members[index] if shape.kind == STRUCT_KIND else shape.element
    return shape
