"""Conversions of floats that are rounded in the direction that a decoration names.

    FConvert 1.0004884f : f16    RTE 0x3c00 or 0x3c01, the nearer    RTZ, RTN 0x3c00    RTP 0x3c01

What is rounded to the nearest is moved by one where it lies on the wrong side of the exact value, which a double holds.
Source: SPIR-V 1.6, 3.16 "FP Rounding Mode", and the decoration FPRoundingMode.
"""

import math
from typing import Final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.sim.ops.columns import Column, Function, over_components, over_lanes
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.ops.undefined import Undefined
from reknit.sim.unsupported import Unsupported
from reknit.sim.values import FLOAT_KIND, VECTOR_KIND, Shape

NEAREST: Final = 0
TOWARD_ZERO: Final = 1
UP: Final = 2
DOWN: Final = 3


def is_directed(mode: int) -> bool:
    """Whether a FPRoundingMode, -1 where there is none, asks for something else than the nearest float."""
    return mode > NEAREST


def directed_column(instr: Instr, mode: int, result: Shape, operand: Shape, undefined: Undefined) -> Column:
    """Raises Unsupported where it is no conversion from a wider float to a narrower one."""
    source = format_of(operand.component().width) if operand.component().kind == FLOAT_KIND else None
    target = format_of(result.component().width) if result.component().kind == FLOAT_KIND else None
    if instr.op != op.FConvert or source is None or target is None or mode > DOWN:
        raise Unsupported("is rounded as FPRoundingMode says, which the simulator does for OpFConvert alone")
    function = rounded(mode, source, target)
    if result.kind == VECTOR_KIND:
        function = over_components(function, result, [operand])
    return over_lanes(function, 1, undefined)


def rounded(mode: int, source: Format, target: Format) -> Function:
    sign = 1 << (target.width - 1)

    def convert(a: int) -> int:
        exact = source.decode(a)
        word = target.encode(exact)
        if exact != exact or math.isinf(exact):
            return word
        near = target.decode(word)
        down = mode == DOWN or (mode == TOWARD_ZERO and exact > 0.0)
        if near == exact or (near < exact) == down:
            return word
        if near == 0.0:  # one step from a zero is the least denormal, of the sign that the direction has
            return sign | 1 if down else 1
        away = (near < 0.0) == down  # from zero, or toward it: words of one sign are in the order of magnitudes
        return word + 1 if away else word - 1

    return convert
