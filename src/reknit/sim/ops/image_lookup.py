"""Samples, gathers and queries of the level of detail.

    OpImageSampleImplicitLod   the quad's coordinates give the gradients: all of it is in the tangle, or it is undefined
    OpImageSampleExplicitLod   a level, or gradients
    ...Proj...                 coordinates and reference are divided by the last coordinate first
    ...Dref...                 texels are compared with a reference, and the results mixed
    OpImageGather              a component of the four texels around

"Executing an OpImage*Sample*ImplicitLod instruction is equivalent to executing OpDPdx(Coordinate) and
OpDPdy(Coordinate), and passing the results as the Grad operands". Source: SPIR-V 1.6, 3.42.10 "Image Instructions";
Vulkan 1.4, "Derivative Operations", "Projection Operation", "Texel Gathering", "LOD Query".
"""

import math
from typing import Any, Final

from reknit.ir import enums, traits
from reknit.ir.instr import Instr
from reknit.ir.opcodes import info
from reknit.sim.derivative_ways import settle_levels
from reknit.sim.images import Sampler, SamplerSlot, coordinates
from reknit.sim.kernel import Step
from reknit.sim.memory import Buffer
from reknit.sim.ops.group_derivative import missing_of_quads
from reknit.sim.ops.ieee import FORMAT32
from reknit.sim.ops.image_lod import level_of, scale_factor
from reknit.sim.ops.image_operands import Operands
from reknit.sim.ops.image_sample import Sampling
from reknit.sim.ops.undefined import Undefined
from reknit.sim.prepare import Preparation
from reknit.sim.texture import AXES
from reknit.sim.unsupported import Unsupported
from reknit.sim.values import VECTOR_KIND, null_value

OFFSETS: Final = enums.ImageOperandsConstOffset | enums.ImageOperandsOffset
IMPLICIT: Final = enums.ImageOperandsBias | OFFSETS | enums.ImageOperandsMinLod
EXPLICIT: Final = enums.ImageOperandsLod | enums.ImageOperandsGrad | OFFSETS | enums.ImageOperandsMinLod
GATHERING: Final = OFFSETS | enums.ImageOperandsConstOffsets
NO_QUADS: Final = (
    "takes the level of detail from its quad, for which a compute shader declares DerivativeGroupQuadsKHR or "
    "DerivativeGroupLinearKHR, and a fragment shader is run over a drawing"
)


def lookup_step(preparation: Preparation, instr: Instr) -> Step:
    """The step of an instruction that takes an image and a sampler. Raises Unsupported."""
    row = info(instr.op)
    name = row.name if row is not None else ""
    if "Gather" in name:
        return gather(preparation, instr, "Dref" in name)
    implicit = traits.TANGLED.get(instr.op) == "quad"
    if implicit and not preparation.quads:
        raise Unsupported(NO_QUADS)
    return sample(preparation, instr, name, implicit)


def floats_of(preparation: Preparation, instr: Instr, at: int) -> list[Any]:
    """The column of an operand that is made of 32-bit floats."""
    if preparation.shape(instr.value(at)).component().width != 32:
        raise Unsupported("samples at coordinates that are no 32-bit floats")
    return preparation.column(instr.value(at))


def numbers_of(value: Any) -> list[float]:
    return [FORMAT32.decode(part) for part in coordinates(value)]


def image_and_sampler(pair: Any, undefined: Undefined) -> tuple[Buffer, Sampler] | None:
    """What an OpSampledImage has; an index that is out of bounds left none."""
    if pair and isinstance(pair[0], Buffer) and isinstance(pair[1], SamplerSlot):
        return pair[0], pair[1].value
    undefined.say("there is no image" if not pair or not isinstance(pair[0], Buffer) else "there is no sampler")
    return None


def sample(preparation: Preparation, instr: Instr, name: str, implicit: bool) -> Step:
    asks = name == "ImageQueryLod"
    compares = "Dref" in name
    projects = "Proj" in name
    operands = Operands(preparation, instr, 3 if compares else 2, IMPLICIT if implicit else EXPLICIT)
    if operands.lod_shape is not None and operands.lod_shape.width != 32:
        raise Unsupported("has an image operand that is no 32-bit float")
    pairs = preparation.column(instr.value(0))
    at = floats_of(preparation, instr, 1)
    references = floats_of(preparation, instr, 2) if compares else []
    out = preparation.column(instr)
    shape = preparation.shape(instr)
    nothing = null_value(shape)
    undefined = preparation.undefined(instr)
    unheard = Undefined(lambda lane, message: None)
    choices = preparation.step_choices

    def place_in(lane: int, texture_axes: int) -> list[float]:
        numbers = numbers_of(at[lane])
        if not projects:
            return numbers
        divisor = numbers[-1]
        return [divided(part, divisor) for part in numbers[:texture_axes]]

    def slope(lane: int, step: int, axes: int, way: int) -> list[float]:
        """A derivative of the coordinates, rounded as OpDPdx and OpDPdy are: fine (-1), or of one invocation of the
        quad."""
        first = lane & ~step if way < 0 else (lane & ~3) + (way & ~step)
        start = place_in(first, axes)
        end = place_in(first + step, axes)
        return [rounded(b - a) for a, b in zip(start, end, strict=True)]

    def wanted_of(lane: int, sampling: Sampling, numbers: list[float], axes: int, way: int) -> float:
        """The level of detail, before it is clamped."""
        if operands.lod is not None:
            base = FORMAT32.decode(operands.lod[lane])
        elif operands.gradient is not None:
            along_x, along_y = operands.gradient
            base = level_by(sampling, numbers, numbers_of(along_x[lane]), numbers_of(along_y[lane]))
        else:
            base = level_by(sampling, numbers, slope(lane, 1, axes, way), slope(lane, 2, axes, way))
        bias = FORMAT32.decode(operands.bias[lane]) if operands.bias is not None else 0.0
        return base + sampling.sampler.bias + bias

    def clamped(lane: int, sampling: Sampling, wanted: float) -> float:
        least = FORMAT32.decode(operands.least[lane]) if operands.least is not None else 0.0
        sampler = sampling.sampler
        return wanted if wanted != wanted else min(max(wanted, sampler.least, least), sampler.most)

    def levels(lanes: list[int], missing: dict[int, None], way: int) -> tuple[Any, ...]:
        """What a way to take derivatives makes of the levels of detail: all that a sample depends on."""
        reached: list[Any] = []
        for lane in lanes:
            both = image_and_sampler(pairs[lane], unheard) if lane not in missing else None
            if both is None or both[0].texture is None:
                continue
            axes = AXES[both[0].texture.dimension]
            sampling = Sampling(both[0], both[1], unheard)
            wanted = wanted_of(lane, sampling, place_in(lane, axes), axes, way)
            level = clamped(lane, sampling, wanted)
            if level != level:
                reached.append("none")
            else:
                reached.append((sampling.levels_of(level), wanted if asks else 0.0))
        return tuple(reached)

    def run(lanes: list[int]) -> None:
        missing = missing_of_quads(f"Op{name}", lanes, undefined) if implicit else {}
        if implicit and len(choices.levels) > 1:
            groups: dict[Any, list[int]] = {}
            for way in choices.levels:
                groups.setdefault(levels(lanes, missing, way), []).append(way)
            settle_levels(choices, groups, instr)
        for lane in lanes:
            undefined.lane = lane
            out[lane] = nothing
            if lane in missing:
                continue
            both = image_and_sampler(pairs[lane], undefined)
            if both is None:
                continue
            image, sampler = both
            axes = AXES[image.texture.dimension] if image.texture is not None else 0
            numbers = place_in(lane, axes)
            reference: float | None = None
            if compares:
                reference = FORMAT32.decode(references[lane])
                if projects:
                    reference = divided(reference, numbers_of(at[lane])[-1])
            sampling = Sampling(image, sampler, undefined, reference)
            wanted = wanted_of(lane, sampling, numbers, axes, choices.levels[0])
            level = clamped(lane, sampling, wanted)
            if asks and level != level:
                undefined.say("a coordinate is no finite number")
                continue
            if asks:
                chosen, _, part = sampling.levels_of(level)
                out[lane] = (FORMAT32.encode(chosen + part), FORMAT32.encode(wanted))
                continue
            texel = sampling.sample(numbers, level, operands.offset_of(lane))
            out[lane] = texel if shape.kind == VECTOR_KIND else texel[0]

    return run


def level_by(sampling: Sampling, numbers: list[float], along_x: list[float], along_y: list[float]) -> float:
    """The level of detail by gradients, NaN where a number is not finite: the sample reports that."""
    if not all(math.isfinite(part) for part in (*numbers, *along_x, *along_y)):
        return math.nan
    return level_of(scale_factor(sampling.texture, numbers, along_x, along_y))


def rounded(number: float) -> float:
    return FORMAT32.decode(FORMAT32.encode(number))


def divided(number: float, divisor: float) -> float:
    """Rounded once; by 0 no number, which the sample reports."""
    return rounded(number / divisor) if divisor else math.nan


def gather(preparation: Preparation, instr: Instr, compares: bool) -> Step:
    operands = Operands(preparation, instr, 3, GATHERING)
    pairs = preparation.column(instr.value(0))
    at = floats_of(preparation, instr, 1)
    references = floats_of(preparation, instr, 2) if compares else []
    components: list[int] = [] if compares else preparation.column(instr.value(2))
    out = preparation.column(instr)
    nothing = null_value(preparation.shape(instr))
    undefined = preparation.undefined(instr)

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            undefined.lane = lane
            out[lane] = nothing
            both = image_and_sampler(pairs[lane], undefined)
            if both is None:
                continue
            image, sampler = both
            component = 0 if compares else components[lane]
            if component > 3:
                undefined.say(f"component {component} of 4")
                continue
            reference = FORMAT32.decode(references[lane]) if compares else None
            sampling = Sampling(image, sampler, undefined, reference)
            out[lane] = sampling.gather(numbers_of(at[lane]), component, operands.offsets_of(lane))

    return run
