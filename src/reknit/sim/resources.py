"""What the resources of a program are bound to: buffers and images by set and binding, handles of images and samplers.

    order        all buffers and images, one after another as a caller meets them; two of one binding are one memory
    samplers     a slot each
    written      the buffers that the program may store to; what shares their memory is not in it
"""

from typing import Any, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import pointee
from reknit.sim.globals import MAX_DESCRIPTORS, Globals
from reknit.sim.images import SamplerSlot, image_buffer, is_image_type, texture_of
from reknit.sim.memory import Buffer
from reknit.sim.unsupported import Unsupported
from reknit.sim.values import Shape, array

Descriptor = tuple[int, int, int]
"""Set, binding, and which element of an array."""


@final
class Resources:
    __slots__ = (
        "globals", "order", "buffers", "images", "samplers", "written", "anywhere", "lengths", "unbound", "shared",
    )  # fmt: skip

    def __init__(self, globals: Globals) -> None:
        self.globals = globals
        self.order: list[Buffer] = []
        self.buffers: dict[Descriptor, Buffer] = {}  # the first of each descriptor
        self.images: dict[Descriptor, Buffer] = {}
        self.samplers: list[SamplerSlot] = []
        self.written: dict[Buffer, None] = {}
        self.anywhere = False  # through pointers that are values
        self.lengths: dict[Instr, int] = {}  # of arrays whose type gives none
        self.unbound = 0  # the length of those that are not in `lengths`
        self.shared: dict[Descriptor, Descriptor] = {}  # descriptors that are given the buffer of another one

    def shape(self, variable: Instr, type: Instr) -> Shape | None:
        """That of what a variable holds, of an array with its length: no elements where that isn't known."""
        shape = self.globals.shape(type)
        if shape is None or shape.element is None or type.op != op.TypeRuntimeArray:
            return shape
        return array(shape.element, self.lengths.get(variable, self.unbound))

    def write(self, buffers: list[Buffer]) -> None:
        """The program stores to one of these, to any where there are none."""
        if not buffers:
            self.anywhere = True
        for buffer in buffers:
            self.written[buffer.owner()] = None

    def begin(self) -> None:
        """A run begins."""
        for buffer in self.order:
            buffer.begin(not self.anywhere and buffer.owner() not in self.written)

    def add(self, buffer: Buffer) -> None:
        """Two variables of one binding are the same memory, and so are descriptors that share a buffer."""
        place = self.descriptor(buffer)
        if min(place) >= 0:
            of_place = self.images if buffer.texture is not None else self.buffers
            other = of_place.setdefault(place, buffer)
            if other is not buffer:
                owner = other.owner()
                buffer.words = owner.words
                buffer.alias = owner
                owner.writable = owner.writable or buffer.writable
        self.order.append(buffer)

    def descriptor(self, buffer: Buffer) -> Descriptor:
        place = (buffer.set, buffer.binding, buffer.index)
        return self.shared.get(place, place) if buffer.texture is None else place

    def bound(self, variable: Instr, shape: Shape) -> Any:
        """What a variable of images or samplers holds: handles, of an array a tuple of them."""
        assert variable.type is not None
        type = pointee(variable.type)
        if not is_image_type(type):
            raise Unsupported("is neither an image nor a sampler")
        if type.op not in (op.TypeArray, op.TypeRuntimeArray):
            return self.handle(variable, type, variable.name, 0)
        plain = type.instr(0)
        if shape.count == 0 or plain.op == op.TypeArray:
            raise Unsupported("is an array of images or samplers without a known length, or of arrays")
        if shape.count > MAX_DESCRIPTORS:
            raise Unsupported(f"is an array of {shape.count} descriptors; the simulator has at most {MAX_DESCRIPTORS}")
        return tuple([self.handle(variable, plain, f"{variable.name}[{at}]", at) for at in range(shape.count)])

    def handle(self, variable: Instr, type: Instr, name: str, index: int) -> Any:
        """A Buffer for an image, a SamplerSlot for a sampler, both for both."""
        decorations = self.globals.decorations
        set = decorations.number(variable, enums.DecorationDescriptorSet)
        binding = decorations.number(variable, enums.DecorationBinding)
        if type.op == op.TypeSampler:
            return self.sampler(name, set, binding, index)
        image = type.instr(0) if type.op == op.TypeSampledImage else type
        texture = texture_of(self.globals, image)
        if texture is None:
            component = self.globals.shape(image.instr(0))
            if component is not None and component.width < 32:  # VUID-StandaloneSpirv-OpTypeImage-04656
                few = "Vulkan has none of less than 32 bits"
                raise Unsupported(f"is an image of components of type {component}; {few}")
            raise Unsupported("is of a kind of image that the simulator doesn't have")
        writable = texture.stored and not decorations.has(variable, enums.DecorationNonWritable)
        buffer = image_buffer(name, set, binding, index, type, texture, writable)
        self.add(buffer)
        return buffer if type is image else (buffer, self.sampler(name, set, binding, index))

    def sampler(self, name: str, set: int, binding: int, index: int) -> SamplerSlot:
        slot = SamplerSlot(name, set, binding, index)
        self.samplers.append(slot)
        return slot
