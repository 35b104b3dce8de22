"""Images and samplers as a caller gives them, and as a program has them.

    {"tex": Image([8, 4], "rgba8", [...])}   ->   the words and the Texture of the variable with that name
    {"s": Sampler("linear", "repeat")}       ->   what a SamplerState named s does

An image is a buffer whose words are its texels, with a `Texture` that says how they lie. One that is not given is
zeros: along each axis as many texels as the dispatch has invocations there, in the format that the shader names, else
in 32 bits a component.
"""

from collections.abc import Sequence
from typing import Any, Final, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.sim.comparisons import COMPARES
from reknit.sim.globals import Globals
from reknit.sim.lane_places import Place, Tell
from reknit.sim.layout import Layout
from reknit.sim.memory import Buffer
from reknit.sim.texels import BY_NAME, BY_NUMBER, FLOAT, SINT, UINT, TexelFormat, get_bits, put_bits
from reknit.sim.texture import NAMES, SAMPLES, Texture
from reknit.sim.values import FLOAT_KIND, INT_KIND, U32, Shape, array, null_value, vector
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place as SourcePlace

FILTERS: Final = ("nearest", "linear")
ADDRESSES: Final = ("clamp", "repeat", "mirror", "border")
COUNTS: Final = (1, 2, 4, 8, 16)
"""Of samples."""
MAX_TEXELS: Final = 1 << 24
MAX_LEVELS: Final = 1000.0
"""A level of detail that no image has (VK_LOD_CLAMP_NONE)."""

Triple = tuple[int, int, int]


@final
class Sampler:
    """`filter` is "nearest" or "linear"; `address`, what is outside: "clamp" (the texel at the edge), "repeat",
    "mirror", "border" (zeros); `levels`, as `filter` but between levels. `compare` is what a reference is compared by
    ("less", ...; "less-equal" where none is named), `bias` is added to levels of detail, which stay from `least` to
    `most`."""

    __slots__ = ("filter", "address", "levels", "compare", "bias", "least", "most")

    def __init__(
        self,
        filter: str = "nearest",
        address: str = "clamp",
        levels: str = "nearest",
        compare: str = "",
        bias: float = 0.0,
        least: float = 0.0,
        most: float = MAX_LEVELS,
    ) -> None:
        if filter not in FILTERS or levels not in FILTERS or address not in ADDRESSES:
            message = f"a sampler that is {filter!r}, {address!r}, {levels!r} between levels"
            help = f"filters are {', '.join(FILTERS)}; addresses {', '.join(ADDRESSES)}"
            raise InputError([Diagnostic("RK1004", message, help=help)])
        if (compare and compare not in COMPARES) or not least <= most:
            message = f"a sampler that compares by {compare!r}, with levels of detail from {least} to {most}"
            raise InputError([Diagnostic("RK1004", message, help=f"comparisons are {', '.join(COMPARES)}")])
        self.filter = filter
        self.address = address
        self.levels = levels
        self.compare = compare
        self.bias = float(bias)
        self.least = float(least)
        self.most = float(most)

    def settings(self) -> list[Any]:
        """The arguments that it is made of."""
        return [self.filter, self.address, self.levels, self.compare, self.bias, self.least, self.most]

    def __str__(self) -> str:
        """As the command line takes it: `linear:repeat`."""
        parts = [self.filter, self.address]
        parts += ["linear-levels"] if self.levels == "linear" else []
        parts += [f"compare={self.compare}"] if self.compare else []
        parts += [f"bias={self.bias:g}"] if self.bias else []
        parts += [f"least={self.least:g}"] if self.least else []
        parts += [f"most={self.most:g}"] if self.most < MAX_LEVELS else []
        return ":".join(parts)


@final
class Image:
    """What an image starts with. `size` has a number for each axis, then the layers; `format` is named as GLSL's
    layout qualifiers are ("rgba8"), "" where the shader says it. `texels` are numbers, one a component, in the order
    that `Texture` shows, or bytes; too few are all zeros after them. `sampler` is for a combined image and sampler. A
    multisampled image has as many `samples` a texel, 4 where that is 0."""

    __slots__ = ("size", "format", "texels", "levels", "sampler", "samples")

    def __init__(
        self,
        size: Sequence[int] = (),
        format: str = "",
        texels: Any = None,
        levels: int = 1,
        sampler: Sampler | None = None,
        samples: int = 0,
    ) -> None:
        self.size = [int(part) for part in size]
        self.format = format
        self.texels: Any = texels
        self.levels = levels
        self.sampler = sampler
        self.samples = samples

    def __str__(self) -> str:
        """As the command line takes it: `8x4:rgba8:levels=2:1,0,0,1`; of bytes how many there are."""
        parts = ["x".join(map(str, self.size)), self.format]
        if self.levels > 1:
            parts.append(f"levels={self.levels}")
        if self.samples:
            parts.append(f"samples={self.samples}")
        if self.sampler is not None:
            parts.append(str(self.sampler))
        if isinstance(self.texels, (bytes, bytearray)):
            parts.append(f"{len(self.texels)} bytes" if any(self.texels) else "zeros")
        elif self.texels is not None:
            parts.append(",".join([repr(number) for number in self.texels]))
        return ":".join([part for part in parts if part])


@final
class SamplerSlot:
    """A sampler that a program has; `value` is what the run gives it."""

    __slots__ = ("name", "set", "binding", "index", "value")

    def __init__(self, name: str, set: int, binding: int, index: int) -> None:
        self.name = name
        self.set = set
        self.binding = binding
        self.index = index
        self.value = Sampler()

    def names(self) -> tuple[str, str, str]:
        base = f"{self.set}.{self.binding}"
        element = f"{base}[{self.index}]"
        return self.name, element if self.index else base, element


# --- what a program declares ------------------------------------------------------------------------------------------


def texture_of(globals: Globals, type: Instr) -> Texture | None:
    """Of an OpTypeImage, without a size; None for what there are no images of here."""
    component = globals.shape(type.instr(0))
    if component is None or component.width < 32 or component.kind not in (INT_KIND, FLOAT_KIND):
        return None
    if type.word(1) not in NAMES or type.word(5) == 0:
        return None
    number = type.word(6)
    if number and number not in BY_NUMBER:
        return None
    format = BY_NUMBER[number] if number else default_format(component)
    stored = type.word(5) == 2 and type.word(1) != enums.DimSubpassData
    samples = SAMPLES if type.word(4) else 0
    return Texture(type.word(1), type.word(3) == 1, stored, component, number != 0, format, samples)


def default_format(component: Shape) -> TexelFormat:
    """Where none is named."""
    kind = "f" if component.kind == FLOAT_KIND else "i" if component.signed else "ui"
    return BY_NAME[f"rgba32{kind}" if component.width == 32 else f"r64{kind}"]


def texel_layout(format: TexelFormat) -> Layout:
    """The words of an image as an array of texels; of formats whose components are no scalars, of their bits."""
    width = format.widths[0]
    count = len(format.widths)
    if any(other != width for other in format.widths):
        width, count = format.width, 1
    is_float = format.kind == FLOAT and width in (16, 32)
    scalar = Shape(FLOAT_KIND if is_float else INT_KIND, width, format.kind == SINT or is_float)
    part = Layout(scalar, width // 8, 0, [], [])
    if count > 1:
        part = Layout(vector(scalar, count), format.size(), width // 8, [], [part])
    return Layout(array(part.shape, 0), 0, format.size(), [], [part])


def image_buffer(
    name: str, set: int, binding: int, index: int, type: Instr, texture: Texture, writable: bool
) -> Buffer:
    """The buffer that an image is until a run gives it a size."""
    words = Layout(array(U32, 0), 0, 4, [], [Layout(U32, 4, 0, [], [])])
    buffer = Buffer(name, set, binding, index, words, type, writable)
    buffer.texture = texture
    return buffer


# --- what a run gives -------------------------------------------------------------------------------------------------


def wrong(message: str, path: str, help: str = "") -> InputError:
    return InputError([Diagnostic("RK1004", message, SourcePlace(path), help=help)])


def take_samplers(slots: list[SamplerSlot], given: dict[str, Any], path: str) -> dict[str, Any]:
    """Give every sampler what it is; gives the rest of what was given."""
    rest: dict[str, Any] = {}
    chosen: dict[SamplerSlot, Sampler] = {}
    for name, data in given.items():
        matching = [slot for slot in slots if name in slot.names()]
        if not isinstance(data, Sampler):
            rest[name] = data
            if isinstance(data, Image) and data.sampler is not None:
                chosen.update(dict.fromkeys(matching, data.sampler))
            continue
        if not matching:
            known = ", ".join([f"{slot.name} ({slot.names()[1]})" for slot in slots])
            raise wrong(f"no sampler {name!r}", path, f"there are: {known}" if known else "the program has none")
        for slot in matching:
            chosen[slot] = data
    for slot in slots:
        slot.value = chosen.get(slot, Sampler())
    return rest


def fill_image(buffer: Buffer, name: str, given: Any, extent: Triple, path: str) -> None:
    """Give an image its size, format and texels; `given` is an Image, raw words, or None. Raises InputError."""
    texture = buffer.texture
    assert texture is not None
    if isinstance(given, Image):
        sized = given_texture(texture, name, given, extent, path)
        words = texel_words(sized, name, given.texels, path)
    else:
        words = list(given) if given is not None else []
        size = default_size(texture, extent)
        if given is not None and texture.numbers() == 1:
            size = [max(len(words) * 32 // texture.format.width, 1)]
        sized = texture.sized(size, texture.format, 1)
        if sized.texels() > MAX_TEXELS:
            raise wrong(f"image {buffer.label()!r} has {sized.texels()} texels; the most is {MAX_TEXELS}", path)
        if len(words) > sized.words():
            message = f"image {name!r} was given {len(words)} words; {sized.text()} of {sized.format.name} has"
            help = "give its size and format: NAME=8x4:rgba8:@file, or an Image"
            raise wrong(f"{message} only {sized.words()}", path, help)
    set_image(buffer, sized, words + [0] * (sized.words() - len(words)))


def set_image(buffer: Buffer, texture: Texture, words: list[int]) -> None:
    buffer.texture = texture
    buffer.layout = texel_layout(texture.format)
    buffer.words[:] = words


def share_image(buffer: Buffer, owner: Buffer) -> None:
    """Two variables of one binding are one image; each may name a format of its own, as wide as the other's. What one
    of them has more of, as samples, holds zeros."""
    mine, other = buffer.texture, owner.texture
    assert mine is not None and other is not None
    format = mine.format if mine.fixed and mine.format.width == other.format.width else other.format
    size = other.size() if mine.numbers() == other.numbers() else [*other.size(), 1, 1][: mine.numbers()]
    shared = mine.sized(size, format, other.levels, other.samples)
    buffer.texture = shared
    buffer.layout = texel_layout(format)
    owner.words.extend([0] * (shared.words() - len(owner.words)))


def default_size(texture: Texture, extent: Triple) -> list[int]:
    if texture.dimension == enums.DimCube:
        return [max(extent[0], extent[1])] * 2 + ([extent[2]] if texture.arrayed else [])
    if texture.numbers() == 1:
        return [extent[0] * extent[1] * extent[2]]
    return [extent[0], extent[1], extent[2], 1][: texture.numbers()]


def given_texture(texture: Texture, name: str, given: Image, extent: Triple, path: str) -> Texture:
    """The size, format and levels that a caller names, judged."""
    format = texture.format
    if given.format:
        if given.format not in BY_NAME:
            raise wrong(f"image {name!r}: no format {given.format!r}", path, f"there are: {', '.join(BY_NAME)}")
        format = BY_NAME[given.format]
    if texture.fixed and format is not texture.format:
        raise wrong(f"image {name!r} is {texture.format.name} in the shader, not {format.name}", path)
    if kind_of(format) != kind_of(default_format(texture.component)) or (
        format.component_width() != texture.component.width
    ):
        raise wrong(f"image {name!r} has components of type {texture.component}, not {format.name}", path)
    size = given.size or default_size(texture, extent)
    if len(size) != texture.numbers() or min(size) < 1:
        takes = {1: "one number", 2: "two numbers"}.get(texture.numbers(), f"{texture.numbers()} numbers")
        shown = "x".join([str(part) for part in size])
        raise wrong(f"image {name!r} is {texture.name()}: its size is {takes}, each at least 1, not {shown}", path)
    if texture.dimension == enums.DimCube and size[0] != size[1]:
        raise wrong(f"image {name!r}: the faces of a cube are squares, not {size[0]} x {size[1]}", path)
    sized = texture.sized(size, format, 1)
    most = 1 if texture.stored or texture.dimension == enums.DimBuffer else sized.most_levels()
    if not 1 <= given.levels <= most:
        raise wrong(f"image {name!r}: {given.levels} levels; it has 1 to {most}", path)
    if given.samples and (not texture.samples or given.samples not in COUNTS):
        takes = f"it has {', '.join(map(str, COUNTS))} samples" if texture.samples else "it is not multisampled"
        raise wrong(f"image {name!r} can't have {given.samples} samples: {takes}", path)
    sized = texture.sized(size, format, given.levels, given.samples)
    if sized.texels() > MAX_TEXELS:
        raise wrong(f"image {name!r} has {sized.texels()} texels; the most is {MAX_TEXELS}", path)
    return sized


def kind_of(format: TexelFormat) -> int:
    """What a shader reads of it: FLOAT, SINT or UINT."""
    return format.kind if format.kind in (SINT, UINT) else FLOAT


def texel_words(texture: Texture, name: str, texels: Any, path: str) -> list[int]:
    """The words of texels given as numbers or bytes. One texel alone is all of them."""
    format = texture.format
    words = [0] * texture.words()
    if texels is None:
        return words
    if isinstance(texels, (bytes, bytearray)) or hasattr(texels, "tobytes"):
        raw = bytes(texels) if isinstance(texels, (bytes, bytearray)) else texels.tobytes()
        if len(raw) > texture.texels() * format.size():
            message = f"image {name!r} was given {len(raw)} bytes; {texture.text()} of {format.name} has"
            raise wrong(f"{message} only {texture.texels() * format.size()}", path)
        raw += b"\0" * (4 * len(words) - len(raw))
        return [int.from_bytes(raw[at : at + 4], "little") for at in range(0, len(raw), 4)]
    numbers = list(texels)
    count = len(format.widths)
    for number in numbers:
        if not isinstance(number, (int, float)) or not format.holds(number):
            raise wrong(f"image {name!r}: {format.name} can't hold {number!r}", path)
    if len(numbers) % count or len(numbers) > texture.texels() * count:
        message = f"image {name!r} was given {len(numbers)} components; {texture.texels()} texels of {format.name} have"
        raise wrong(f"{message} {texture.texels() * count}", path)
    if len(numbers) == count:
        numbers = numbers * texture.texels()
    for index in range(len(numbers) // count):
        put_bits(words, format, index, format.bits(numbers[index * count : index * count + count]))
    return words


def texel_numbers(texture: Texture, words: list[int]) -> list[int | float]:
    """All components of all texels."""
    numbers: list[int | float] = []
    for index in range(texture.texels()):
        numbers.extend(texture.format.numbers(get_bits(words, texture.format, index)))
    return numbers


# --- texels as places -------------------------------------------------------------------------------------------------


@final
class TexelPlace(Place):
    """OpImageTexelPointer: what an atomic goes through. `handles` has the image of a lane, `at` the coordinate: an
    int or a tuple; `samples` which sample it is, 0 where texels have one."""

    __slots__ = ("handles", "at", "samples", "null")

    def __init__(self, shape: Shape, tell: Tell, handles: Place, at: list[Any], samples: list[Any]) -> None:
        super().__init__(shape, tell)
        self.handles = handles
        self.at = at
        self.samples = samples
        self.null: Any = null_value(shape)

    def find(self, lane: int) -> int:
        at = coordinates(self.at[lane])
        return find_texel(self.handles.get(lane), at, 0, lane, self.tell, self.samples[lane])

    def get(self, lane: int) -> Any:
        index = self.find(lane)
        if index < 0:
            return self.null
        image: Buffer = self.handles.get(lane)
        assert image.texture is not None
        return get_bits(image.words, image.texture.format, index)

    def put(self, lane: int, value: Any) -> None:
        index = self.find(lane)
        if index >= 0:
            image: Buffer = self.handles.get(lane)
            assert image.texture is not None
            put_bits(image.words, image.texture.format, index, value)


def coordinates(value: Any) -> tuple[int, ...]:
    parts: tuple[int, ...] = value if isinstance(value, tuple) else (value,)
    return parts


def find_texel(image: Any, at: tuple[int, ...], level: int, lane: int, tell: Tell, sample: int = 0) -> int:
    """The texel's number, or -1, which is reported."""
    if not isinstance(image, Buffer) or image.texture is None:
        tell(lane, "there is no image")
        return -1
    texture = image.texture
    index = texture.index(at, level, sample)
    if sample >= max(texture.samples, 1):
        tell(lane, f"sample {sample} of {texture.samples} in image {image.label()}")
    elif index < 0:
        numbers = texture.numbers() + (1 if texture.dimension == enums.DimCube and not texture.arrayed else 0)
        where = ", ".join([str(part) for part in at[:numbers]])
        tell(lane, f"texel ({where}) of {outside(texture, level)} in image {image.label()}")
    return index


def outside(texture: Texture, level: int) -> str:
    """What the texel is not in."""
    if level >= texture.levels:
        return f"level {level} of {texture.levels}"
    size = texture.size(level)
    if texture.dimension == enums.DimCube:
        size = [*size[:2], texture.layers]
    text = " x ".join([str(part) for part in size])
    return f"{text} (level {level})" if level else text


def is_image_type(type: Instr) -> bool:
    """Whether a variable of this type is an image, a sampler or both, or an array of such."""
    while type.op in (op.TypeArray, op.TypeRuntimeArray):
        type = type.instr(0)
    return type.op in (op.TypeImage, op.TypeSampler, op.TypeSampledImage)
