"""Sampling an image at normalized coordinates and a level: which texels, with which weights.

    u = 0.3 of 4 texels   linear    0.3 * 4 - 0.5 = 0.7     texel 0 by 0.3, texel 1 by 0.7
                          nearest   floor(0.3 * 4) = 1      texel 1
    texel 4 of 4          clamp 3   repeat 0   mirror 3   border: zeros

With a reference each texel is 1 or 0, whether the comparison holds, before they are mixed. Source: Vulkan 1.4,
"Normalized Texel Coordinate Operations", "Unnormalized Texel Coordinate Operations", "Integer Texel Coordinate
Operations", "Depth Compare Operation", "Texel Gathering", "Texel Filtering". Weights are not rounded; a device may keep
8 bits of them.
"""

import math
from typing import Final, final

from reknit.ir import enums
from reknit.sim.comparisons import passes
from reknit.sim.images import Sampler
from reknit.sim.memory import Buffer
from reknit.sim.ops.ieee import FORMAT32
from reknit.sim.ops.undefined import Undefined
from reknit.sim.texels import SINT, UINT, UNORM, Texel, get_bits
from reknit.sim.texture import AXES, Texture

GATHERED: Final = ((0, 1), (1, 1), (1, 0), (0, 0))

Weighted = list[tuple[int, float]]


@final
class Sampling:
    """One image with one sampler. `mixes` is whether texels can be: integers are taken from the nearest. `reference` is
    what texels are compared with, if they are."""

    __slots__ = ("image", "texture", "sampler", "undefined", "mixes", "axes", "reference")

    def __init__(self, image: Buffer, sampler: Sampler, undefined: Undefined, reference: float | None = None) -> None:
        assert image.texture is not None
        self.image = image
        self.texture: Texture = image.texture
        self.sampler = sampler
        self.undefined = undefined
        self.mixes = self.texture.format.kind not in (SINT, UINT)
        self.axes = AXES[self.texture.dimension]
        self.reference = reference
        if reference is not None and self.texture.format.kind == UNORM:
            self.reference = min(max(reference, 0.0), 1.0)

    def sample(self, numbers: list[float], level: float, offset: tuple[int, ...]) -> Texel:
        """Coordinates come before the layer."""
        if any(not math.isfinite(number) for number in numbers) or level != level:
            self.undefined.say("a coordinate is no finite number")
            return 0, 0, 0, 0
        numbers, layer = self.place_of(numbers)
        low, high, part = self.levels_of(level)
        mixed = self.of_level(numbers, low, layer, offset)
        if part > 0.0:
            upper = self.of_level(numbers, high, layer, offset)
            mixed = [a * (1.0 - part) + b * part for a, b in zip(mixed, upper, strict=True)]
        return self.texel(mixed)

    def place_of(self, numbers: list[float]) -> tuple[list[float], int]:
        """Where on which layer."""
        if self.texture.dimension == enums.DimCube:
            cube = nearest_even(numbers[3], self.texture.layers // 6) if self.texture.arrayed else 0
            face, place = face_of(numbers[0], numbers[1], numbers[2])
            return place, cube * 6 + face
        return numbers, nearest_even(numbers[self.axes], self.texture.layers) if self.texture.arrayed else 0

    def gather(self, numbers: list[float], component: int, offsets: list[tuple[int, ...]]) -> Texel:
        """A component of four texels: of those that a linear filter mixes (i0 j1), (i1 j1), (i1 j0), (i0 j0), or with
        four offsets of (i0 j0) moved by each. "The rules for the VK_FILTER_LINEAR minification filter are applied to
        identify the four selected texels", so beyond an edge of a cube's face is the next face, whatever the filter."""
        if any(not math.isfinite(number) for number in numbers):
            self.undefined.say("a coordinate is no finite number")
            return 0, 0, 0, 0
        numbers, layer = self.place_of(numbers)
        width, height, _ = self.texture.extent(0)
        first = [math.floor(numbers[0] * width - 0.5), math.floor(numbers[1] * height - 0.5)]
        corners = GATHERED if len(offsets) < 4 else ((0, 0),) * 4
        gathered: list[int] = []
        for at, (x, y) in enumerate(corners):
            moved = offsets[at if len(offsets) == 4 else 0] if offsets else (0, 0)
            place = [first[0] + x + moved[0], first[1] + y + moved[1]]
            if self.texture.dimension != enums.DimCube:
                place = [self.wrap(place[0], width), self.wrap(place[1], height)]
            number = self.numbers_at(place, 0, layer)[component]
            gathered.append(FORMAT32.encode(number) if self.mixes else int(number))
        return gathered[0], gathered[1], gathered[2], gathered[3]

    def texel(self, numbers: list[float]) -> Texel:
        if not self.mixes:
            return int(numbers[0]), int(numbers[1]), int(numbers[2]), int(numbers[3])
        bits = [FORMAT32.encode(number) for number in numbers]
        return bits[0], bits[1], bits[2], bits[3]

    def levels_of(self, lod: float) -> tuple[int, int, float]:
        """The two levels, and how much of the second."""
        last = self.texture.levels - 1
        clamped = min(max(lod, 0.0), float(last))
        if self.sampler.levels == "nearest" or not self.mixes:
            level = min(max(math.ceil(clamped + 0.5) - 1, 0), last)
            return level, level, 0.0
        low = math.floor(clamped)
        return low, min(low + 1, last), clamped - low

    def of_level(self, at: list[float], level: int, layer: int, offset: tuple[int, ...]) -> list[float]:
        """The four components, mixed; integers as their bits."""
        sizes = self.texture.extent(level)
        choices: list[Weighted] = []
        for axis in range(self.axes):
            moved = offset[axis] if axis < len(offset) else 0
            choices.append(self.along(at[axis], sizes[axis], moved))
        total = [0.0, 0.0, 0.0, 0.0]
        for coordinates, weight in products(choices):
            texel = self.numbers_at(coordinates, level, layer)
            total = [total[part] + weight * texel[part] for part in range(4)] if self.mixes else texel
        return total

    def along(self, at: float, size: int, offset: int) -> Weighted:
        """The texels along an axis, wrapped, -1 for the border."""
        scaled = at * size
        if self.sampler.filter == "nearest" or not self.mixes:
            return [(self.wrap(math.floor(scaled) + offset, size), 1.0)]
        first = math.floor(scaled - 0.5)
        part = scaled - 0.5 - first
        return [(self.wrap(first + offset, size), 1.0 - part), (self.wrap(first + 1 + offset, size), part)]

    def wrap(self, at: int, size: int) -> int:
        how = self.sampler.address
        if self.texture.dimension == enums.DimCube:  # beyond an edge is the next face, but for the nearest texel
            how = "clamp" if self.sampler.filter == "nearest" or not self.mixes else "face"
        if how == "face":
            return at
        if how == "repeat":
            return at % size
        if how == "mirror":
            within = at % (2 * size) - size
            return size - 1 - (within if within >= 0 else -1 - within)
        if how == "clamp":
            return min(max(at, 0), size - 1)
        return at if 0 <= at < size else -1

    def numbers_at(self, at: list[int], level: int, layer: int) -> list[float]:
        """A texel's components; the border is zeros (VK_BORDER_COLOR_*_TRANSPARENT_BLACK)."""
        texture = self.texture
        format = texture.format
        if texture.dimension == enums.DimCube:
            near = around_edge(at[0], at[1], layer % 6, texture.extent(level)[0])
            if len(near) > 1:
                return self.corner([self.numbers_at([x, y], level, layer - layer % 6 + face) for x, y, face in near])
            x, y, face = near[0]
            at = [x, y]
            layer += face - layer % 6
        if min(at) < 0:
            border = [0.0, 0.0, 0.0, 0.0] if len(format.widths) == 4 else [0.0, 0.0, 0.0, 1.0]
            return self.compared(border) if self.reference is not None else border
        whole = (*at, layer) if texture.arrayed or texture.dimension == enums.DimCube else tuple(at)
        texel = format.decode(get_bits(self.image.words, format, texture.index(whole, level)))
        numbers = [FORMAT32.decode(part) for part in texel] if self.mixes else [float(part) for part in texel]
        return self.compared(numbers) if self.reference is not None else numbers

    def corner(self, texels: list[list[float]]) -> list[float]:
        """"The average of the three values of the adjacent texels in each incident face"."""
        return [sum(parts) / len(texels) for parts in zip(*texels, strict=True)]

    def compared(self, numbers: list[float]) -> list[float]:
        """"1.0 if the comparison evaluates to true, and 0.0 otherwise", the reference on its left."""
        assert self.reference is not None
        held = passes(self.sampler.compare or "less-equal", self.reference, numbers[0])
        return [1.0 if held else 0.0, 0.0, 0.0, 1.0]


def products(choices: list[Weighted]) -> list[tuple[list[int], float]]:
    """Each choice of a texel along each axis, with the weights multiplied; those of weight 0 are left out."""
    weighted: list[tuple[list[int], float]] = [([], 1.0)]
    for choice in choices:
        weighted = [([*at, place], weight * part) for at, weight in weighted for place, part in choice if part > 0.0]
    return weighted


def nearest_even(layer: float, layers: int) -> int:
    return min(max(round(layer), 0), layers - 1)


def around_edge(x: int, y: int, face: int, size: int) -> list[tuple[int, int, int]]:
    """The texel of a cube that coordinates mean which may be one beyond a face; beyond a corner, the three there.
    Vulkan 1.4, "Cube Map Edge Handling"."""
    inside_x = min(max(x, 0), size - 1)
    inside_y = min(max(y, 0), size - 1)
    if x == inside_x and y == inside_y:
        return [(x, y, face)]
    if x != inside_x and y != inside_y:
        beside = [around_edge(x, inside_y, face, size)[0], around_edge(inside_x, y, face, size)[0]]
        return [(inside_x, inside_y, face), *beside]
    s = (2 * x + 1) / size - 1.0
    t = (2 * y + 1) / size - 1.0
    directions = ((1.0, -t, -s), (-1.0, -t, s), (s, 1.0, t), (s, -1.0, -t), (s, -t, 1.0), (-s, -t, -1.0))
    other, place = face_of(*directions[face])
    return [(min(int(place[0] * size), size - 1), min(int(place[1] * size), size - 1), other)]


def face_of(x: float, y: float, z: float) -> tuple[int, list[float]]:
    """The face of a cube in a direction, and where on it. Vulkan 1.4, "Cube Map Face Selection and Transformations"."""
    size = max(abs(x), abs(y), abs(z))
    if abs(z) == size:
        face, s, t = (4, x, -y) if z >= 0 else (5, -x, -y)
    elif abs(y) == size:
        face, s, t = (2, x, z) if y >= 0 else (3, x, -z)
    else:
        face, s, t = (0, -z, -y) if x >= 0 else (1, z, -y)
    if size == 0.0:
        return 4, [0.5, 0.5]
    return face, [0.5 * s / size + 0.5, 0.5 * t / size + 0.5]
