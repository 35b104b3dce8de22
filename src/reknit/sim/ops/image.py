"""Images: texels read, written and fetched by coordinates, sizes asked for, and what makes handles.

    OpImageRead %t %image %at           t[lane] = the texel of image[lane] at at[lane], by its format
    OpImageFetch %t %image %at Lod %l   the same of a level
    OpImageWrite %image %at %t          the texel of t[lane]
    OpImageQuerySizeLod %image %l       the size of a level

A read outside of an image is reported and gives zeros, a write is reported and dropped. Source: SPIR-V 1.6, 3.42.10
"Image Instructions"; Vulkan 1.4, "Image Operations".
"""

from typing import Final, final

from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.access import only_live
from reknit.sim.images import coordinates, find_texel
from reknit.sim.kernel import Step
from reknit.sim.lane_places import Tell
from reknit.sim.memory import Buffer
from reknit.sim.ops.image_operands import Operands
from reknit.sim.prepare import Preparation
from reknit.sim.race_detector import READ, RELAXED, WRITE, Access, Watch
from reknit.sim.texels import get_bits, put_bits
from reknit.sim.unsupported import Unsupported
from reknit.sim.values import VECTOR_KIND, Shape, null_value

OPERANDS: Final = (
    enums.ImageOperandsLod | enums.ImageOperandsConstOffset | enums.ImageOperandsOffset | enums.ImageOperandsSample
)
"""Those of reads, fetches and writes; the level counts levels."""


def image_step(preparation: Preparation, instr: Instr) -> Step | None:
    """The step of an instruction of images."""
    code = instr.op
    if code == op.ImageTexelPointer:
        return None  # an atomic goes through it where it stands
    if code == op.ImageRead or code == op.ImageFetch:
        return read(preparation, instr)
    if code == op.ImageWrite:
        return write(preparation, instr)
    if code == op.SampledImage:
        return pair(preparation, instr)
    if code == op.Image:
        return first_of_pair(preparation, instr)
    return query(preparation, instr)


@final
class Reach:
    """Which texel an instruction means in a lane."""

    __slots__ = ("images", "at", "operands", "mask", "preparation")

    def __init__(self, preparation: Preparation, instr: Instr, image: Value, at: Value, operands: Operands) -> None:
        if is_attachment(image) and not preparation.discards:
            raise Unsupported("reads an input attachment, which a fragment shader does that is run over a drawing")
        self.preparation = preparation
        self.images = preparation.column(image)
        self.at = preparation.column(at)
        self.operands = operands
        self.mask = (1 << preparation.shape(at).component().width) - 1

    def find(self, lane: int, tell: Tell) -> int:
        """The texel's number in the image, or -1, which is reported."""
        at = coordinates(self.at[lane])
        offset = self.operands.offset_of(lane)
        if offset:
            moved = [(at[axis] + offset[axis]) & self.mask for axis in range(len(offset))]
            at = (*moved, *at[len(offset) :])
        level = self.operands.lod[lane] if self.operands.lod is not None else 0
        sample = self.operands.sample[lane] if self.operands.sample is not None else 0
        image = self.images[lane]
        if isinstance(image, Buffer) and image.texture is not None and image.texture.dimension == enums.DimSubpassData:
            at = self.attached(at, lane, tell)
            if self.preparation.helpers[lane]:  # which may lie outside of the picture
                tell = say_nothing
        return find_texel(image, at, level, lane, tell, sample)

    def attached(self, at: tuple[int, ...], lane: int, tell: Tell) -> tuple[int, ...]:
        """Where in an input attachment: the coordinate is relative to the pixel (Vulkan 1.4, "Fragment Input Attachment
        Interface")."""
        x, y, layer = self.preparation.pixels[lane]
        if layer:
            tell(lane, f"an input attachment has no layer {layer} here")
        return (at[0] + x) & self.mask, (at[1] + y) & self.mask


def is_attachment(image: Value) -> bool:
    type = image.type if isinstance(image, Instr) else None
    return type is not None and type.op == op.TypeImage and type.word(1) == enums.DimSubpassData


def texel_access(kind: int, instr: Instr, at: int) -> Access:
    """Its image operands, at operand `at` if they are there, as the memory operands that mean the same."""
    mask = instr.word(at) if len(instr.operands) > at else 0
    operands = 0
    for image, memory in _AS_MEMORY:
        operands |= memory if mask & image else 0
    return Access(kind, instr, enums.ScopeInvocation, RELAXED, operands)


_AS_MEMORY = (
    (enums.ImageOperandsNonPrivateTexel, enums.MemoryAccessNonPrivatePointer),
    (enums.ImageOperandsMakeTexelAvailable, enums.MemoryAccessMakePointerAvailable),
    (enums.ImageOperandsMakeTexelVisible, enums.MemoryAccessMakePointerVisible),
)


def say_nothing(lane: int, message: str) -> None:
    """To ask without telling."""


def noted(watch: Watch | None, reach: Reach, access: Access, step: Step) -> Step:
    """The step as it is, or with its accesses reported to the watch."""
    if watch is None:
        return step
    known: Watch = watch

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            index = reach.find(lane, say_nothing)
            image = reach.images[lane]
            if index >= 0 and isinstance(image, Buffer):
                known.texel(image, index, lane, access)
        step(lanes)

    return run


# --- texels -----------------------------------------------------------------------------------------------------------


def components_of(shape: Shape) -> int:
    """Of a texel as the shader has it; 1 is a scalar."""
    return shape.count if shape.kind == VECTOR_KIND else 1


def read(preparation: Preparation, instr: Instr) -> Step:
    reach = Reach(preparation, instr, instr.value(0), instr.value(1), Operands(preparation, instr, 2, OPERANDS))
    shape = preparation.shape(instr)
    out = preparation.column(instr)
    tell = preparation.outside(instr)
    nothing = null_value(shape)
    count = components_of(shape)
    images = reach.images

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            index = reach.find(lane, tell)
            if index < 0:
                out[lane] = nothing
                continue
            image: Buffer = images[lane]
            assert image.texture is not None
            format = image.texture.format
            texel = format.decode(get_bits(image.words, format, index))
            out[lane] = texel[:count] if count > 1 else texel[0]

    return noted(preparation.watch, reach, texel_access(READ, instr, 2), run)


def write(preparation: Preparation, instr: Instr) -> Step:
    reach = Reach(preparation, instr, instr.value(0), instr.value(1), Operands(preparation, instr, 3, OPERANDS))
    source = preparation.column(instr.value(2))
    tell = preparation.outside(instr)
    undefined = preparation.undefined(instr)
    images = reach.images
    count = components_of(preparation.shape(instr.value(2)))
    refuse_read_only(preparation, instr.value(0))

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            index = reach.find(lane, tell)
            if index >= 0:
                image: Buffer = images[lane]
                assert image.texture is not None
                undefined.lane = lane
                given = coordinates(source[lane])
                texel = (*given[:4], *[0] * (4 - count))
                format = image.texture.format
                put_bits(image.words, format, index, format.encode((texel[0], texel[1], texel[2], texel[3]), undefined))

    return only_live(noted(preparation.watch, reach, texel_access(WRITE, instr, 3), run), preparation)


def refuse_read_only(preparation: Preparation, image: Value) -> None:
    """A write to an image that is decorated NonWritable."""
    if not isinstance(image, Instr) or image.op != op.Load:
        return
    base = image.instr(0)
    while base.op in traits.OBJECT_CHAIN:
        base = base.instr(0)
    if base.op == op.Variable and preparation.globals.decorations.has(base, enums.DecorationNonWritable):
        raise Unsupported(f"writes to {base.name or base.id}, which is read-only")


# --- handles ----------------------------------------------------------------------------------------------------------


def pair(preparation: Preparation, instr: Instr) -> Step:
    """OpSampledImage: an image and a sampler."""
    images = preparation.column(instr.value(0))
    samplers = preparation.column(instr.value(1))
    out = preparation.column(instr)

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = (images[lane], samplers[lane])

    return run


def first_of_pair(preparation: Preparation, instr: Instr) -> Step:
    """OpImage."""
    pairs = preparation.column(instr.value(0))
    out = preparation.column(instr)

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = pairs[lane][0] if pairs[lane] else 0

    return run


# --- questions --------------------------------------------------------------------------------------------------------


def query(preparation: Preparation, instr: Instr) -> Step:
    """OpImageQuerySize, OpImageQuerySizeLod, OpImageQueryLevels, OpImageQuerySamples."""
    images = preparation.column(instr.value(0))
    levels: list[int] | None = preparation.column(instr.value(1)) if instr.op == op.ImageQuerySizeLod else None
    out = preparation.column(instr)
    shape = preparation.shape(instr)
    count = components_of(shape)
    nothing = null_value(shape)
    undefined = preparation.undefined(instr)
    how_many = instr.op == op.ImageQueryLevels
    samples = instr.op == op.ImageQuerySamples

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            image = images[lane]
            undefined.lane = lane
            out[lane] = nothing
            if not isinstance(image, Buffer) or image.texture is None:
                undefined.say("there is no image")
                continue
            level = levels[lane] if levels is not None else 0
            if level >= image.texture.levels:
                undefined.say(f"level {level} of {image.texture.levels}")
                continue
            if how_many or samples:
                out[lane] = image.texture.levels if how_many else image.texture.samples
                continue
            size = image.texture.size(level)
            out[lane] = tuple(size[:count]) if count > 1 else size[0]

    return run
