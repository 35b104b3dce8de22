"""Inputs of a fragment shader at another place of the pixel: InterpolateAtCentroid, AtSample, AtOffset.

    %v = ExtInst GLSL InterpolateAtOffset %uv %by     %uv at the center of the pixel, moved by %by
    %u = ExtInst GLSL InterpolateAtSample %x %two     %x, a part of %uv, at sample 2

What a pointer into an input leads to is known here; how a place is interpolated, to the stage. Source: GLSL.std.450,
76 to 78; Vulkan 1.4, "Interpolation Decorations", "minInterpolationOffset".
"""

from fractions import Fraction
from typing import Any, Final

from reknit.ir import glsl
from reknit.ir.instr import Instr
from reknit.sim.kernel import Step
from reknit.sim.lane_places import CellPlace
from reknit.sim.ops.ieee import FORMAT32
from reknit.sim.prepare import Preparation
from reknit.sim.unsupported import Unsupported
from reknit.sim.values import null_value

AT_PLACES: Final = (glsl.InterpolateAtCentroid, glsl.InterpolateAtSample, glsl.InterpolateAtOffset)
HALF: Final = Fraction(1, 2)


def interpolate_step(preparation: Preparation, instr: Instr) -> Step:
    place = preparation.place(instr.value(2), instr)
    if not isinstance(place, CellPlace) or not preparation.discards:
        raise Unsupported("interpolates an input, which a fragment shader does that is run over a drawing")
    source: CellPlace = place
    which = instr.word(1)
    given: list[Any] = preparation.column(instr.value(3)) if which != glsl.InterpolateAtCentroid else []
    out = preparation.column(instr)
    nothing = null_value(preparation.shape(instr))
    undefined = preparation.undefined(instr)

    def run(lanes: list[int]) -> None:
        interpolate = preparation.interpolate
        assert interpolate is not None
        for lane in lanes:
            undefined.lane = lane
            out[lane] = nothing
            base = source.base(lane)
            path = source.path(lane)
            if base is None or path is None:
                continue
            where: Any = None
            if which == glsl.InterpolateAtSample:
                where = given[lane]
            elif which == glsl.InterpolateAtOffset:
                offset = [FORMAT32.decode(part) for part in given[lane]]
                if not all(-0.5 <= part < 0.5 for part in offset):
                    undefined.say(f"the offset ({offset[0]:g}, {offset[1]:g}) is not from -0.5 to less than 0.5")
                    continue
                where = (Fraction(offset[0]) + HALF, Fraction(offset[1]) + HALF)
            value = interpolate(base[0], (*base[2], *path), lane, where)
            if value is None:
                undefined.say(f"sample {where} is none of the pixel's")
            else:
                out[lane] = value

    return run
