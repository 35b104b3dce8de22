"""The image operands of an instruction, as columns.

    OpImageSampleImplicitLod %t %at %s Bias|ConstOffset %b %o      bias: column of %b     offset: column of %o

Source: SPIR-V 1.6, 3.14 "Image Operands".
"""

from typing import Any, Final, final

from reknit.ir import enums
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.images import coordinates
from reknit.sim.prepare import Preparation
from reknit.sim.unsupported import Unsupported
from reknit.sim.values import Shape, to_signed

IGNORED: Final = (
    enums.ImageOperandsNonPrivateTexel
    | enums.ImageOperandsVolatileTexel
    | enums.ImageOperandsSignExtend
    | enums.ImageOperandsZeroExtend
    | enums.ImageOperandsNontemporal
)
"""Without operands, and without a meaning for memory that is in order; extension is by the format anyway."""
SCOPED: Final = enums.ImageOperandsMakeTexelAvailable | enums.ImageOperandsMakeTexelVisible


@final
class Operands:
    """Columns of what there is, None for the rest; `gradient` is along x, then along y. A float is of 32 bits."""

    __slots__ = ("bias", "lod", "gradient", "offset", "offsets", "sample", "least", "lod_shape", "offset_width")

    def __init__(self, preparation: Preparation, instr: Instr, at: int, known: int) -> None:
        """`at` is where the mask is, if there is one; `known` are those that the instruction is run with."""
        self.bias: list[Any] | None = None
        self.lod: list[Any] | None = None
        self.gradient: tuple[list[Any], list[Any]] | None = None
        self.offset: list[Any] | None = None
        self.offsets: list[Any] | None = None
        self.sample: list[Any] | None = None
        self.least: list[Any] | None = None
        self.lod_shape: Shape | None = None
        self.offset_width = 32
        if at >= len(instr.operands):
            return
        mask = instr.word(at)
        unknown = mask & ~(IGNORED | SCOPED | known)
        if unknown:
            raise Unsupported(f"has image operands ({unknown:#x}) that the simulator doesn't have")

        def following() -> Value:
            nonlocal at
            at += 1
            return instr.value(at)

        if mask & enums.ImageOperandsBias:
            self.bias = self.floats(preparation, following())
        if mask & enums.ImageOperandsLod:
            value = following()
            self.lod = preparation.column(value)
            self.lod_shape = preparation.shape(value)
        if mask & enums.ImageOperandsGrad:
            self.gradient = (self.floats(preparation, following()), self.floats(preparation, following()))
        if mask & (enums.ImageOperandsConstOffset | enums.ImageOperandsOffset):
            self.offset = self.integers(preparation, following())
        if mask & enums.ImageOperandsConstOffsets:
            self.offsets = self.integers(preparation, following())
        if mask & enums.ImageOperandsSample:
            self.sample = preparation.column(following())
        if mask & enums.ImageOperandsMinLod:
            self.least = self.floats(preparation, following())

    def floats(self, preparation: Preparation, value: Value) -> list[Any]:
        if preparation.shape(value).component().width != 32:
            raise Unsupported("has an image operand that is no 32-bit float")
        return preparation.column(value)

    def integers(self, preparation: Preparation, value: Value) -> list[Any]:
        shape = preparation.shape(value)
        if shape.element is not None and not shape.element.is_scalar():
            shape = shape.element
        self.offset_width = shape.component().width
        return preparation.column(value)

    def offset_of(self, lane: int) -> tuple[int, ...]:
        return self.signed(self.offset[lane]) if self.offset is not None else ()

    def offsets_of(self, lane: int) -> list[tuple[int, ...]]:
        """Of a gather: one for all texels, or one for each."""
        if self.offsets is not None:
            return [self.signed(each) for each in self.offsets[lane]]
        return [self.signed(self.offset[lane])] if self.offset is not None else []

    def signed(self, offset: Any) -> tuple[int, ...]:
        return tuple([to_signed(part, self.offset_width) for part in coordinates(offset)])
