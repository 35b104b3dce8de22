"""Where the parts of a type lie in a buffer, and how they are read and written.

    struct { uint n; mat2 m (ColMajor, stride 16); uint a[] (stride 4) }
      n at 0     m at 16: column c at 16 c, component r at 4 r     a at 48: element i at 4 i

A buffer is a list of 32-bit words. Sizes, strides and offsets are in bytes, from the decorations Offset, ArrayStride,
MatrixStride, RowMajor and ColMajor. Source: SPIR-V 1.6, 2.16.2 "Validation Rules for Shader Capabilities" (explicit
layout).
"""

from collections.abc import Callable
from typing import Any, final

from reknit.ir import enums, op
from reknit.ir.any_value import HEADER
from reknit.ir.instr import Instr
from reknit.sim.existential import Interfaces
from reknit.sim.globals import Globals
from reknit.sim.pointers import is_address_type
from reknit.sim.values import INT_KIND, Shape

Reader = Callable[[list[int], int], Any]
Writer = Callable[[list[int], int, Any], None]


@final
class Layout:
    """`size` is in bytes, without what follows the last part; a run-time array's is 0 and its shape's count 0.

    `stride` is the distance of components, columns or elements; `offsets` are those of a struct's members, `parts`
    their layouts (for anything else the one layout of the component, column or element). `interfaces` knows how an
    existential is packed.
    """

    __slots__ = ("shape", "size", "stride", "offsets", "parts", "interfaces")

    def __init__(
        self,
        shape: Shape,
        size: int,
        stride: int,
        offsets: list[int],
        parts: "list[Layout]",
        interfaces: Interfaces | None = None,
    ) -> None:
        self.shape = shape
        self.size = size
        self.stride = stride
        self.offsets = offsets
        self.parts = parts
        self.interfaces = interfaces

    def is_runtime_array(self) -> bool:
        return self.stride > 0 and self.shape.count == 0

    def runtime_array(self) -> "tuple[int, Layout] | None":
        """(offset, layout) of the run-time array that a struct ends in, or that this is."""
        if self.is_runtime_array():
            return 0, self
        if self.offsets and self.parts[-1].is_runtime_array():
            return self.offsets[-1], self.parts[-1]
        return None


def layout_of(globals: Globals, type: Instr, matrix_stride: int = -1, row_major: bool = False) -> Layout | None:
    """The layout of a type; None where a decoration is missing or the type can't be in a buffer. Types nest a few
    levels."""
    shape = globals.shape(type)
    if shape is None:
        return None
    if type.op == op.TypeInt or type.op == op.TypeFloat or is_address_type(type):
        return Layout(shape, shape.width // 8, 0, [], [])
    if type.op == op.TypeVector:
        return vector_layout(globals, type, shape.width // 8)
    if type.op == op.TypeMatrix:
        return matrix_layout(globals, type, matrix_stride, row_major)
    if type.op == op.TypeArray or type.op == op.TypeRuntimeArray:
        element = layout_of(globals, type.instr(0), matrix_stride, row_major)
        stride = globals.decorations.number(type, enums.DecorationArrayStride)
        if element is None or stride <= 0:
            return None
        size = (shape.count - 1) * stride + element.size if shape.count else 0
        return Layout(shape, size, stride, [], [element])
    if type.op == op.TypeInterface:
        payload = globals.interfaces.sizes.get(type)
        return None if payload is None else Layout(shape, HEADER + payload, 0, [], [], globals.interfaces)
    return struct_layout(globals, type) if type.op == op.TypeStruct else None


def vector_layout(globals: Globals, type: Instr, stride: int) -> Layout | None:
    component = layout_of(globals, type.instr(0))
    shape = globals.shape(type)
    if component is None or shape is None:
        return None
    return Layout(shape, (shape.count - 1) * stride + component.size, stride, [], [component])


def matrix_layout(globals: Globals, type: Instr, matrix_stride: int, row_major: bool) -> Layout | None:
    """By columns, a column's components are next to each other; by rows, they are a matrix stride apart."""
    shape = globals.shape(type)
    if shape is None or matrix_stride <= 0:
        return None
    width = shape.width // 8
    column = vector_layout(globals, type.instr(0), matrix_stride if row_major else width)
    if column is None:
        return None
    stride = width if row_major else matrix_stride
    return Layout(shape, (shape.count - 1) * stride + column.size, stride, [], [column])


def struct_layout(globals: Globals, type: Instr) -> Layout | None:
    decorations = globals.decorations
    shape = globals.shape(type)
    if shape is None:
        return None
    offsets: list[int] = []
    parts: list[Layout] = []
    size = 0
    for member in range(len(type.operands)):
        offset = decorations.member_number(type, member, enums.DecorationOffset)
        stride = decorations.member_number(type, member, enums.DecorationMatrixStride)
        by_rows = decorations.has_member(type, member, enums.DecorationRowMajor)
        part = layout_of(globals, type.instr(member), stride, by_rows)
        if part is None or offset < 0:
            return None
        offsets.append(offset)
        parts.append(part)
        size = max(size, offset + part.size)
    return Layout(shape, size, 0, offsets, parts)


# --- reading and writing ----------------------------------------------------------------------------------------------


def reader(layout: Layout) -> Reader:
    """A function (words, byte offset) -> value."""
    if layout.interfaces is not None:
        return existential_reader(layout, layout.interfaces)
    if layout.offsets:
        offsets = layout.offsets
        readers = [reader(part) for part in layout.parts]
        return lambda words, at: tuple([readers[index](words, at + offsets[index]) for index in range(len(readers))])
    if not layout.parts:
        return scalar_reader(layout.shape.width) if layout.size else lambda words, at: ()
    count = layout.shape.count
    stride = layout.stride
    part = layout.parts[0]
    if is_words(layout):
        return lambda words, at: tuple(words[at >> 2 : (at >> 2) + count])
    read = reader(part)
    return lambda words, at: tuple([read(words, at + index * stride) for index in range(count)])


def writer(layout: Layout) -> Writer:
    """A function (words, byte offset, value) -> None. Only the bytes of the parts are written."""
    if layout.interfaces is not None:
        return existential_writer(layout, layout.interfaces)
    if layout.offsets:
        offsets = layout.offsets
        writers = [writer(part) for part in layout.parts]

        def write_struct(words: list[int], at: int, value: Any) -> None:
            for index in range(len(writers)):
                writers[index](words, at + offsets[index], value[index])

        return write_struct
    if not layout.parts:
        return scalar_writer(layout.shape.width) if layout.size else write_nothing
    count = layout.shape.count
    stride = layout.stride
    if is_words(layout):

        def write_words(words: list[int], at: int, value: Any) -> None:
            words[at >> 2 : (at >> 2) + count] = value

        return write_words
    write = writer(layout.parts[0])

    def write_parts(words: list[int], at: int, value: Any) -> None:
        for index in range(count):
            write(words, at + index * stride, value[index])

    return write_parts


def write_nothing(words: list[int], at: int, value: Any) -> None:
    """An empty struct has no bytes."""


def existential_reader(layout: Layout, interfaces: Interfaces) -> Reader:
    interface = layout.shape.type
    assert interface is not None
    known: Instr = interface
    count = layout.size // 4
    return lambda words, at: interfaces.read(known, words[at >> 2 : (at >> 2) + count])


def existential_writer(layout: Layout, interfaces: Interfaces) -> Writer:
    interface = layout.shape.type
    assert interface is not None
    known: Instr = interface
    count = layout.size // 4

    def write(words: list[int], at: int, value: Any) -> None:
        words[at >> 2 : (at >> 2) + count] = interfaces.write(known, value)

    return write


def scalar_reader(width: int) -> Reader:
    if width == 32:
        return lambda words, at: words[at >> 2]
    if width == 64:
        return lambda words, at: words[at >> 2] | words[(at >> 2) + 1] << 32
    mask = (1 << width) - 1
    return lambda words, at: words[at >> 2] >> ((at & 3) * 8) & mask


def scalar_writer(width: int) -> Writer:
    if width == 32:

        def write32(words: list[int], at: int, value: Any) -> None:
            words[at >> 2] = value

        return write32
    if width == 64:

        def write64(words: list[int], at: int, value: Any) -> None:
            words[at >> 2] = value & 0xFFFFFFFF
            words[(at >> 2) + 1] = value >> 32

        return write64
    mask = (1 << width) - 1

    def write_part(words: list[int], at: int, value: Any) -> None:
        shift = (at & 3) * 8
        words[at >> 2] = words[at >> 2] & ~(mask << shift) | value << shift

    return write_part


def alignment_of(layout: Layout) -> int:
    """The size of the largest scalar, in bytes: what an address is a multiple of. Types nest a few levels."""
    if layout.parts:
        return max([alignment_of(part) for part in layout.parts])
    return 4 if layout.interfaces is not None else max(layout.size, 1)


def is_words(layout: Layout) -> bool:
    """Whether this is a vector or array of words without gaps."""
    if layout.offsets or not layout.parts or layout.stride != 4:
        return False
    part = layout.parts[0]
    return not part.parts and part.size == 4 and layout.shape.count > 0


def is_word(shape: Shape) -> bool:
    """Whether a value of this shape is exactly one word of a buffer."""
    return shape.is_scalar() and shape.width == 32 and shape.kind >= INT_KIND
