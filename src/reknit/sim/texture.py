"""What an image is: its dimensions, its format, and where each texel lies.

    Texture 2D array, 4 x 2, 3 layers, rgba8, 2 levels
      level 0:  layer 0: (0,0) (1,0) (2,0) (3,0) (0,1) ...   layer 1: ...   layer 2: ...
      level 1:  layer 0: (0,0) (1,0)                         ...

Texels follow each other without gaps, the samples of one before the next: along x, then y, then z or the layers (a cube
has six, its faces), then the levels, each half as large as the one before in every direction but that of the layers.
Source: Vulkan 1.4, "Image Mip Level Sizing", "Image Operations Overview".
"""

from typing import Final, final

from reknit.ir import enums
from reknit.sim.texels import TexelFormat
from reknit.sim.values import Shape

NAMES: Final = {
    enums.Dim1D: "1d",
    enums.Dim2D: "2d",
    enums.Dim3D: "3d",
    enums.DimCube: "cube",
    enums.DimRect: "2d",
    enums.DimBuffer: "buffer",
    enums.DimSubpassData: "input attachment",
}
AXES: Final = {
    enums.Dim1D: 1,
    enums.Dim2D: 2,
    enums.Dim3D: 3,
    enums.DimCube: 2,
    enums.DimRect: 2,
    enums.DimBuffer: 1,
    enums.DimSubpassData: 2,
}
FACES: Final = 6
SAMPLES: Final = 4
"""Of an image that has several and is not said to have how many."""


@final
class Texture:
    """`component` is the type of a component in the shader, `stored` whether the shader may write texels (Sampled is
    2), `fixed` whether it names the format itself; `layers` counts the faces of cubes, `samples` is 0 where texels
    have one value. Never changed: a run that gives an image another size or format makes another."""

    __slots__ = (
        "dimension", "arrayed", "stored", "component", "fixed", "format", "width", "height", "depth", "layers",
        "levels", "starts", "samples",
    )  # fmt: skip

    def __init__(
        self,
        dimension: int,
        arrayed: bool,
        stored: bool,
        component: Shape,
        fixed: bool,
        format: TexelFormat,
        samples: int = 0,
    ) -> None:
        self.dimension = dimension
        self.arrayed = arrayed
        self.stored = stored
        self.component = component
        self.fixed = fixed
        self.format = format
        self.width = 0
        self.height = 0
        self.depth = 0
        self.layers = 0
        self.levels = 0
        self.starts: list[int] = [0]
        self.samples = samples

    def sized(self, size: list[int], format: TexelFormat, levels: int, samples: int = 0) -> "Texture":
        """The same with this size: as many numbers as axes, then the layers (of a cube array: cubes); with so many
        samples, if it is multisampled."""
        count = (samples or self.samples) if self.samples else 0
        texture = Texture(self.dimension, self.arrayed, self.stored, self.component, self.fixed, format, count)
        axes = AXES[self.dimension]
        texture.width = size[0]
        texture.height = size[1] if axes > 1 else 1
        texture.depth = size[2] if axes > 2 else 1
        texture.layers = (size[axes] if self.arrayed else 1) * (FACES if self.dimension == enums.DimCube else 1)
        texture.levels = levels
        texture.starts = [0]
        for level in range(levels):
            width, height, depth = texture.extent(level)
            texture.starts.append(texture.starts[-1] + width * height * depth * texture.layers * max(count, 1))
        return texture

    def name(self) -> str:
        """`2d`, `cube array`."""
        multisampled = " multisampled" if self.samples else ""
        return NAMES[self.dimension] + multisampled + (" array" if self.arrayed else "")

    def numbers(self) -> int:
        """How many numbers say how large it is."""
        return AXES[self.dimension] + (1 if self.arrayed else 0)

    def size(self, level: int = 0) -> list[int]:
        """What OpImageQuerySizeLod gives."""
        extent = list(self.extent(level))[: AXES[self.dimension]]
        if self.arrayed:
            extent.append(self.layers // FACES if self.dimension == enums.DimCube else self.layers)
        return extent

    def extent(self, level: int) -> tuple[int, int, int]:
        return max(self.width >> level, 1), max(self.height >> level, 1), max(self.depth >> level, 1)

    def texels(self) -> int:
        """Of all levels and layers; a sample counts as one."""
        return self.starts[-1]

    def words(self) -> int:
        return -(-self.texels() * self.format.width // 32)

    def most_levels(self) -> int:
        if self.samples or self.dimension == enums.DimSubpassData:
            return 1
        return max(self.width, self.height, self.depth).bit_length()

    def index(self, at: tuple[int, ...], level: int, sample: int = 0) -> int:
        """The texel at coordinates, the layer (of a cube, 6 cube + face) after those of the axes, or its sample; -1
        outside. A negative coordinate is its bits, which are too large."""
        if level >= self.levels or sample >= max(self.samples, 1):
            return -1
        width, height, depth = self.extent(level)
        x = at[0]
        y = 0
        z = 0
        layer = 0
        axes = AXES[self.dimension]
        if axes > 1:
            y = at[1]
            if axes > 2:
                z = at[2]
        if self.arrayed or self.dimension == enums.DimCube:
            layer = at[axes]
        if x >= width or y >= height or z >= depth or layer >= self.layers:
            return -1
        texel = ((layer * depth + z) * height + y) * width + x
        return self.starts[level] + texel * max(self.samples, 1) + sample

    def place(self, index: int) -> str:
        """`(3, 1)`, what coordinates texel `index` has; with the level behind if there are several."""
        level = 0
        while index >= self.starts[level + 1]:
            level += 1
        index -= self.starts[level]
        sample = f", sample {index % self.samples}" if self.samples else ""
        index //= max(self.samples, 1)
        width, height, depth = self.extent(level)
        at = [index % width, index // width % height, index // (width * height) % depth][: AXES[self.dimension]]
        if self.arrayed or self.dimension == enums.DimCube:
            at.append(index // (width * height * depth))
        shown = f"({', '.join([str(part) for part in at])})" if len(at) > 1 else str(at[0])
        return f"{shown} of level {level}" if self.levels > 1 else f"{shown}{sample}"

    def text(self) -> str:
        """`8 x 4`."""
        return " x ".join([str(part) for part in self.size()])
