"""Integer dot products, plain and saturating, of vectors or of four bytes packed in a word.

    SDotAccSat   (a0 * b0 + a1 * b1 + ...) + accumulator   ->   clamped to the result's width
    packed       0xddccbbaa   ->   (aa, bb, cc, dd)

S extends both by sign, U neither, SU the first only. Source: SPIR-V 1.6, 3.42.13, OpSDot to OpSUDotAccSat. A product
sum that the result's width can't hold before it is accumulated is undefined in the AccSat forms: reported, and
computed exactly.
"""

from collections.abc import Callable
from typing import Any

from reknit.ir import op
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import VECTOR_KIND, Shape


def components(value: Any, packed: bool, width: int, signed: bool) -> list[int]:
    parts: list[int] = [(value >> at) & 0xFF for at in range(0, 32, 8)] if packed else list(value)
    if not signed:
        return parts
    sign = 1 << (width - 1)
    return [(part ^ sign) - sign for part in parts]


def function(opcode: int, result: Shape, operands: list[Shape], undefined: Undefined) -> Callable[..., Any] | None:
    plain = opcode == op.SDot or opcode == op.UDot or opcode == op.SUDot
    saturating = opcode == op.SDotAccSat or opcode == op.UDotAccSat or opcode == op.SUDotAccSat
    if not plain and not saturating:
        return None
    packed = operands[0].kind != VECTOR_KIND
    if packed and operands[0].width != 32:
        return None
    width = 8 if packed else operands[0].width
    first_signed = opcode != op.UDot and opcode != op.UDotAccSat
    second_signed = opcode == op.SDot or opcode == op.SDotAccSat
    bits = result.width
    mask = (1 << bits) - 1
    least = -(1 << (bits - 1)) if first_signed else 0
    most = (1 << (bits - 1)) - 1 if first_signed else mask

    def product_sum(a: Any, b: Any) -> int:
        total = 0
        for x, y in zip(
            components(a, packed, width, first_signed), components(b, packed, width, second_signed), strict=True
        ):
            total += x * y
        return total

    def wrapped(a: Any, b: Any) -> int:
        return product_sum(a, b) & mask

    def saturated(a: Any, b: Any, accumulator: int) -> int:
        total = product_sum(a, b)
        if total < least or total > most:
            undefined.say(f"a saturating dot product overflows {bits} bits before it is accumulated")
        if first_signed:
            accumulator = (accumulator ^ (1 << (bits - 1))) - (1 << (bits - 1))
        return min(max(total + accumulator, least), most) & mask

    return wrapped if plain else saturated
