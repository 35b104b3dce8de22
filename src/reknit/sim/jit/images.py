"""Texels: read, fetched and written by coordinates, sizes asked for.

    OpImageRead %image %at   bounds, the texel's number, a place in the image's words, components as the format has them
    atomics                  the same place, through OpImageTexelPointer

An image is a buffer, with a table of words besides: levels, layers, then of each level its width, height, depth and
the number of its first texel. Formats are those of the run that code is compiled for; sizes are in the table. Which
image is meant is known when the code is written.
"""

from dataclasses import replace
from typing import Any, Final

from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.jit.floats import double_text
from reknit.sim.jit.memory import Memory
from reknit.sim.jit.places import Spot
from reknit.sim.jit.text import Mask, Refused, Shaped, Val, number
from reknit.sim.layout import Layout
from reknit.sim.memory import Buffer
from reknit.sim.ops.image import OPERANDS
from reknit.sim.ops.image_operands import IGNORED, SCOPED
from reknit.sim.texels import FLOAT, SINT, SNORM, UINT, TexelFormat
from reknit.sim.texture import AXES, FACES, Texture
from reknit.sim.values import INT_KIND, Shape

IMAGES: Final = (op.TypeImage, op.TypeSampledImage, op.TypeSampler)
KNOWN: Final = (op.Load, op.Image, op.SampledImage, op.CopyObject)
"""What an image may come from."""
MAGIC: Final = 1.5 * 2.0**52
"""Added to a small number, it leaves the nearest integer in the lowest bits, ties to even."""
LAYERS: Final = 1
LEVELS_AT: Final = 2
WIDTH: Final = 0
HEIGHT: Final = 1
DEPTH: Final = 2
START: Final = 3
"""Where a table has what, and a level in it."""


def table_of(texture: Texture) -> list[int]:
    words = [texture.levels, texture.layers]
    for level in range(texture.levels):
        words += [*texture.extent(level), texture.starts[level]]
    return words


def is_image(value: Value) -> bool:
    return isinstance(value, Instr) and value.type is not None and value.type.op in IMAGES


class Images(Memory):
    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.textures: list[Texture | None] = []  # of the program's buffers, as the run has them
        self.images: dict[Value, Buffer] = {}  # that parameters stand for

    # --- which image --------------------------------------------------------------------------------------------------

    def image(self, value: Value) -> Buffer:
        while isinstance(value, Instr) and value not in self.images:
            if value.op not in KNOWN:
                raise Refused("takes an image that is chosen at run time")
            if value.op == op.Load:
                return self.image_at(value.instr(0))
            value = value.value(0)
        return self.images[value]

    def image_at(self, pointer: Instr) -> Buffer:
        chain = self.chain(pointer)
        if chain.base.op != op.Variable or chain.storage() != enums.StorageClassUniformConstant:
            raise Refused("takes an image that is chosen at run time")
        bound: Any = self.program.preparation.cells_of(chain.base).initial
        for index in chain.indices:
            which = self.globals.values.get(index)
            if not isinstance(which, int) or which >= len(bound):
                raise Refused("takes an image of an array by something that is not a constant")
            bound = bound[which]
        image = bound[0] if isinstance(bound, tuple) else bound
        if not isinstance(image, Buffer):
            raise Refused("takes an image that is chosen at run time")
        return image

    def texture_of(self, image: Buffer) -> Texture:
        texture = self.textures[self.program.preparation.order.index(image)]
        assert texture is not None
        format = texture.format
        if texture.samples:
            raise Refused("has a multisampled image")
        if len(set(format.widths)) > 1 or format.component_width() != texture.component.width:
            raise Refused(f"has an image of format {format.name}")
        return texture

    def measure(self, image: Buffer, at: Val, mask: Mask) -> Val:
        """A word of its table."""
        table = f"%table{self.program.preparation.order.index(image)}"
        if at.uniform:
            return Val("i32", self.let(f"load i32, ptr {self.address(table, 4, at)}, align 4"), True)
        return self.gathered("i32", self.addresses(table, 4, at), mask)

    def of_level(self, image: Buffer, level: Val, which: int, mask: Mask) -> Val:
        first = self.apply("mul", [level, number("i32", 4)])
        return self.measure(image, self.apply("add", [first, number("i32", LEVELS_AT + which)]), mask)

    def level(self, image: Buffer, given: Value, at: Block | None, mask: Mask) -> Val:
        """A level of detail that counts levels, and is one of the image's."""
        level = self.as_index(self.integers(given, at)[0], mask)
        self.fault_if(self.compare("uge", level, self.measure(image, number("i32", 0), mask)), mask)
        return level

    def integers(self, value: Value, at: Block | None) -> tuple[Val, ...]:
        if self.program.preparation.shape(value).component().kind != INT_KIND:
            raise Refused("takes a texel by coordinates that are not integers")
        given = self.read(value, at)
        return (given,) if isinstance(given, Val) else given

    # --- texels -------------------------------------------------------------------------------------------------------

    def texel(self, image: Buffer, given: tuple[Val, ...], level: Val, mask: Mask) -> Spot:
        """The place of the texel at coordinates; a fault outside."""
        texture = self.texture_of(image)
        axes = AXES[texture.dimension]
        layered = texture.arrayed or texture.dimension == enums.DimCube
        if len(given) < axes + layered:
            raise Refused("takes a texel by too few coordinates")
        at = [self.as_index(part, mask) for part in given[: axes + layered]]
        sizes = [self.of_level(image, level, axis, mask) for axis in range(axes)]
        for part, size in zip(at, sizes, strict=False):
            self.check(part if size.uniform else replace(part, first=""), size, mask)
        total: Val | None = None
        if layered:
            self.check(at[axes], self.measure(image, number("i32", LAYERS), mask), mask)
            total = at[axes]
            if axes > 2:
                raise Refused("takes a texel of an array of volumes")
        for part, size in zip(reversed(at[:axes]), reversed(sizes), strict=True):
            total = part if total is None else self.sum(self.apply("mul", [total, size]), part)
        assert total is not None
        if level.text != "0":
            total = self.sum(self.of_level(image, level, START, mask), total)
        format = texture.format
        layout = Layout(Shape(INT_KIND, format.widths[0], False), format.widths[0] // 8, 0, [], [])
        base = f"%buffer{self.place_of(image)}"
        return Spot(layout, base, number("i32", 0), 0, ((total, format.size()),))

    def reached(self, instr: Instr, operands: int, mask: Mask) -> Spot:
        """What a read or write means; `operands` is where its image operands are, if there are any."""
        image = self.image(instr.value(0))
        at = list(self.integers(instr.value(1), instr.block))
        level = number("i32", 0)
        if operands < len(instr.operands):
            which, operands = instr.word(operands), operands + 1
            if which & ~(IGNORED | SCOPED | OPERANDS):
                raise Refused("has image operands that native code is not made for")
            if which & enums.ImageOperandsLod:
                level = self.level(image, instr.value(operands), instr.block, mask)
                operands += 1
            if which & (enums.ImageOperandsConstOffset | enums.ImageOperandsOffset):
                for axis, by in enumerate(self.integers(instr.value(operands), instr.block)):
                    at[axis] = self.sum(at[axis], self.resized(by, at[axis].type, True))
        return self.texel(image, tuple(at), level, mask)

    def texel_spot(self, pointer: Instr, mask: Mask) -> Spot:
        """Of OpImageTexelPointer, whose type says what is there."""
        image = self.image_at(pointer.instr(0))
        assert pointer.type is not None
        shape = self.globals.shape(pointer.type.instr(1))
        format = self.texture_of(image).format
        if shape is None or not shape.is_scalar() or shape.width != format.width or len(format.widths) > 1:
            raise Refused(f"points to a texel of {format.name}")
        spot = self.texel(image, self.integers(pointer.value(1), pointer.block), number("i32", 0), mask)
        return replace(spot, layout=Layout(shape, shape.width // 8, 0, [], []))

    def parts(self, spot: Spot, format: TexelFormat) -> list[Spot]:
        return [replace(spot, constant=shift // 8) for shift in format.shifts]

    def read_texel(self, instr: Instr, mask: Mask) -> Shaped:
        format = self.texture_of(self.image(instr.value(0))).format
        shape = self.program.preparation.shape(instr)
        wide = f"i{format.component_width()}"
        if shape.component().width != format.component_width():
            raise Refused(f"reads texels of {format.name} as {shape}")
        spots = self.parts(self.reached(instr, 2, mask), format)
        given = [self.decoded(self.load_leaf(spot, mask), format, wide) for spot in spots]
        given += [number(wide, value) for value in (0, 0, 0, format.one)[len(given) :]]
        return given[0] if shape.is_scalar() else tuple(given[: shape.count])

    def write_texel(self, instr: Instr, mask: Mask) -> None:
        """Helper invocations write nothing."""
        if self.helpers:
            mask = self.without(mask, self.load_mask(self.helpers))
        format = self.texture_of(self.image(instr.value(0))).format
        shape = self.program.preparation.shape(instr.value(2))
        wide = f"i{format.component_width()}"
        if shape.component().width != format.component_width():
            raise Refused(f"writes texels of {format.name} as {shape}")
        value = self.read(instr.value(2), instr.block)
        given = [value] if isinstance(value, Val) else list(value)
        spots = self.parts(self.reached(instr, 3, mask), format)
        given = [given[at] if at < len(given) else number(wide, 0) for at in range(len(spots))]
        encoded = [self.encoded(part, format, mask) for part in given]
        for spot, part in zip(spots, encoded, strict=True):
            self.store_leaf(spot, part, mask)

    def query(self, instr: Instr, mask: Mask) -> Shaped:
        image = self.image(instr.value(0))
        shape = self.program.preparation.shape(instr)
        texture = self.texture_of(image)
        if instr.op == op.ImageQueryLevels:
            return self.resized(self.measure(image, number("i32", 0), mask), f"i{shape.width}")
        level = number("i32", 0)
        if instr.op == op.ImageQuerySizeLod:
            level = self.level(image, instr.value(1), instr.block, mask)
        sizes = [self.of_level(image, level, axis, mask) for axis in range(AXES[texture.dimension])]
        if texture.arrayed:
            layers = self.measure(image, number("i32", LAYERS), mask)
            cube = texture.dimension == enums.DimCube
            sizes.append(self.apply("udiv", [layers, number("i32", FACES)]) if cube else layers)
        sizes = [self.resized(size, f"i{shape.component().width}") for size in sizes]
        if len(sizes) != (1 if shape.is_scalar() else shape.count):
            raise Refused("is an image operation that native code is not made for")
        return sizes[0] if shape.is_scalar() else tuple(sizes)

    # --- formats ------------------------------------------------------------------------------------------------------

    def decoded(self, part: Val, format: TexelFormat, wide: str) -> Val:
        """A component as a shader reads it."""
        if part.type == wide:
            return part
        if format.kind in (UINT, SINT):
            return self.resized(part, wide, format.kind == SINT)
        if format.kind == FLOAT:
            return self.to_float(part, 32)
        signed = format.kind == SNORM
        full, uniform = self.full("double", part.uniform), part.uniform
        text = self.let(f"{'sitofp' if signed else 'uitofp'} {self.typed(part)} {part.text} to {full}")
        text = self.let(f"fdiv {full} {text}, {self.double(self.most(format), uniform)}")
        if signed:
            text = self.limited("ogt", text, -1.0, uniform)
        single = self.full("float", uniform)
        return self.closed(self.let(f"fptrunc {full} {text} to {single}"), 32, uniform)

    def encoded(self, part: Val, format: TexelFormat, mask: Mask) -> Val:
        """A component as it is stored; a fault where an integer doesn't fit."""
        narrow = f"i{format.widths[0]}"
        if part.type == narrow:
            return part
        if format.kind in (UINT, SINT):
            kept = self.resized(part, narrow)
            self.fault_if(self.compare("ne", self.resized(kept, part.type, format.kind == SINT), part), mask)
            return kept
        if format.kind == FLOAT:
            return self.to_float(part, 16)
        uniform = part.uniform
        full = self.full("double", uniform)
        text = self.opened(self.to_float(part, 64))
        missing = self.let(f"fcmp uno {full} {text}, {text}")
        text = self.limited("ogt", text, -1.0 if format.kind == SNORM else 0.0, uniform)
        text = self.limited("olt", text, 1.0, uniform)
        text = self.let(f"fmul {full} {text}, {self.double(self.most(format), uniform)}")
        text = self.let(f"fadd {full} {text}, {self.double(MAGIC, uniform)}")
        bits = Val("i64", self.let(f"bitcast {full} {text} to {self.full('i64', uniform)}"), uniform)
        kept = self.resized(bits, narrow)
        return self.select(Val("i1", missing, uniform), number(narrow, 0), kept)

    def most(self, format: TexelFormat) -> float:
        """What a component counts to."""
        return float((1 << (format.widths[0] - (1 if format.kind == SNORM else 0))) - 1)

    def double(self, value: float, uniform: bool) -> str:
        return double_text(value) if uniform else f"splat (double {double_text(value)})"

    def limited(self, how: str, text: str, bound: float, uniform: bool) -> str:
        """The number where it is `how` the bound, else the bound."""
        full, other = self.full("double", uniform), self.double(bound, uniform)
        inside = self.let(f"fcmp {how} {full} {text}, {other}")
        return self.let(f"select {self.full('i1', uniform)} {inside}, {full} {text}, {full} {other}")
