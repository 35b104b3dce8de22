"""Types of buffer data: where the components of an element lie, and how values become bytes.

    vec3<float>, std430      components at 0, 4, 8         an element every 16 bytes
    mat2x3<float>            2 columns of 3 rows: 0, 4, 8, 16, 20, 24       every 32
    float[], std140          0                             every 16

Source: GLSL 4.60, 7.6.2.2 "Standard Uniform Block Layout"; the names are those of docs/amber_script.md, "Data Types".
"""

import re
import struct
from typing import Final, final

from reknit.source.digits import saturated

STD140: Final = "STD140"
STD430: Final = "STD430"

INT: Final = "int"
UINT: Final = "uint"
FLOAT: Final = "float"

_NUMBERS: Final = {
    "int8": (INT, 8), "int16": (INT, 16), "int32": (INT, 32), "int64": (INT, 64),
    "uint8": (UINT, 8), "uint16": (UINT, 16), "uint32": (UINT, 32), "uint64": (UINT, 64),
    "float16": (FLOAT, 16), "float": (FLOAT, 32), "double": (FLOAT, 64),
}  # fmt: skip

_VKSCRIPT: Final = {
    "int": (INT, 32), "uint": (UINT, 32), "int8_t": (INT, 8), "uint8_t": (UINT, 8), "int16_t": (INT, 16),
    "uint16_t": (UINT, 16), "int64_t": (INT, 64), "uint64_t": (UINT, 64), "float16_t": (FLOAT, 16),
    "float": (FLOAT, 32), "double": (FLOAT, 64),
}  # fmt: skip

_VECTORS: Final = {
    "": (FLOAT, 32), "d": (FLOAT, 64), "i": (INT, 32), "u": (UINT, 32), "i8": (INT, 8), "u8": (UINT, 8),
    "i16": (INT, 16), "u16": (UINT, 16), "i64": (INT, 64), "u64": (UINT, 64), "f16": (FLOAT, 16),
}  # fmt: skip

_FORMAT: Final = re.compile(r"^((?:[RGBA]\d+)+)_(SINT|UINT|SFLOAT)$")
SMALLEST_HALF: Final = 2.0**-14
"""Of those that are normal."""
BEYOND_HALF: Final = 65536.0
_PACK: Final = {16: "<e", 32: "<f", 64: "<d"}


@final
class Component:
    """A number at a byte offset of an element; `kind` is INT, UINT or FLOAT."""

    __slots__ = ("offset", "kind", "bits")

    def __init__(self, offset: int, kind: str, bits: int) -> None:
        self.offset = offset
        self.kind = kind
        self.bits = bits

    def encode(self, value: float) -> bytes:
        """Integers wrap around, as a cast does; a float that is too large becomes infinite. Of a float16 the bits
        that it has no room for are cut off, as Amber does it (src/float16_helper.cc)."""
        if self.kind == FLOAT:
            if self.bits == 16 and SMALLEST_HALF <= abs(value) < BEYOND_HALF:
                single = struct.unpack("<I", struct.pack("<f", float(value)))[0]
                return struct.pack("<e", struct.unpack("<f", struct.pack("<I", single & ~0x1FFF))[0])
            try:
                return struct.pack(_PACK[self.bits], float(value))
            except OverflowError:
                return struct.pack(_PACK[self.bits], float("inf") if value > 0 else float("-inf"))
        return (int(value) & ((1 << self.bits) - 1)).to_bytes(self.bits // 8, "little")

    def decode(self, data: bytes) -> float:
        """The number in the first bytes of `data`."""
        raw = data[: self.bits // 8]
        if self.kind == FLOAT:
            number: float = struct.unpack(_PACK[self.bits], raw)[0]
            return number
        return int.from_bytes(raw, "little", signed=self.kind == INT)


@final
class DataType:
    """`size` is how far elements lie apart, `extent` where the last component ends, `align` the alignment in a
    struct."""

    __slots__ = ("name", "components", "size", "extent", "align")

    def __init__(self, name: str, components: list[Component], extent: int, align: int) -> None:
        self.name = name
        self.components = components
        self.extent = extent
        self.align = align
        self.size = up(extent, align)

    def place(self, number: int) -> tuple[Component, int]:
        """Value number `number` of a list: its component, and the byte where it lies."""
        element, at = divmod(number, len(self.components))
        component = self.components[at]
        return component, element * self.size + component.offset

    def encode(self, values: list[float]) -> list[tuple[int, bytes]]:
        """(byte, bytes) of each value."""
        pieces: list[tuple[int, bytes]] = []
        for number, value in enumerate(values):
            component, at = self.place(number)
            pieces.append((at, component.encode(value)))
        return pieces

    def bytes_for(self, values: list[float]) -> int:
        """The bytes of as many whole elements as the values begin."""
        return -(-len(values) // len(self.components)) * self.size


@final
class Member:
    """Of a struct: `offset`, `array_stride` and `matrix_stride` are -1 unless given; `count` is 0 if it is no array."""

    __slots__ = ("type", "count", "offset", "array_stride", "matrix_stride")

    def __init__(self, type: str, count: int, offset: int, array_stride: int, matrix_stride: int) -> None:
        self.type = type
        self.count = count
        self.offset = offset
        self.array_stride = array_stride
        self.matrix_stride = matrix_stride


Structs = dict[str, tuple[int, list[Member]]]
"""By name: the stride, -1 if the layout tells, and the members."""


def amber_type(name: str, layout: str, structs: Structs) -> DataType | None:
    """The type that AmberScript calls `name`; None if there is none such."""
    if name.endswith("[]"):
        element = amber_type(name[:-2], layout, structs)
        return None if element is None else array_of(name, element, 1, layout)
    if name in structs:
        return struct_type(name, layout, structs)
    return plain_type(name, layout, -1)


def plain_type(name: str, layout: str, matrix_stride: int) -> DataType | None:
    if name in _NUMBERS:
        return vector(name, *_NUMBERS[name], 1)
    match = re.match(r"^(?:vec([234])|mat([234])x([234]))<(\w+)>$", name)
    if match is not None and match[4] in _NUMBERS:
        kind, bits = _NUMBERS[match[4]]
        if match[1]:
            return vector(name, kind, bits, int(match[1]))
        return matrix(name, kind, bits, int(match[2]), int(match[3]), layout, matrix_stride)
    format = _FORMAT.match(name)
    if format is None:
        return None
    widths = [saturated(part) for part in re.findall(r"\d+", format[1])]
    kind = {"SINT": INT, "UINT": UINT, "SFLOAT": FLOAT}[format[2]]
    if len(set(widths)) != 1 or (kind == FLOAT and widths[0] not in _PACK) or widths[0] not in (8, 16, 32, 64):
        return None
    return vector(name, kind, widths[0], len(widths))


def vkscript_type(name: str, layout: str) -> DataType | None:
    """The type that VkScript calls `name`."""
    if name in _VKSCRIPT:
        return vector(name, *_VKSCRIPT[name], 1)
    match = re.match(r"^([iud]?(?:8|16|64)?|f16)vec([234])$", name)
    if match is not None and match[1] in _VECTORS:
        return vector(name, *_VECTORS[match[1]], int(match[2]))
    match = re.match(r"^(d?)mat([234])(?:x([234]))?$", name)
    if match is None:
        return None
    bits = 64 if match[1] else 32
    return matrix(name, FLOAT, bits, int(match[2]), int(match[3] or match[2]), layout, -1)


def vector(name: str, kind: str, bits: int, count: int) -> DataType:
    size = bits // 8
    components = [Component(at * size, kind, bits) for at in range(count)]
    return DataType(name, components, count * size, (4 if count == 3 else count) * size)


def matrix(name: str, kind: str, bits: int, columns: int, rows: int, layout: str, stride: int) -> DataType:
    """By columns; in std140 a column is as far from the next as 16 bytes need."""
    column = vector(name, kind, bits, rows)
    align = up(column.align, 16) if layout == STD140 else column.align
    step = stride if stride > 0 else align
    components = [
        Component(number * step + component.offset, kind, bits)
        for number in range(columns)
        for component in column.components
    ]
    return DataType(name, components, columns * step, align)


def array_of(name: str, element: DataType, count: int, layout: str, stride: int = -1) -> DataType:
    align = up(element.align, 16) if layout == STD140 else element.align
    step = stride if stride > 0 else up(element.extent, align)
    components = [
        Component(number * step + component.offset, component.kind, component.bits)
        for number in range(count)
        for component in element.components
    ]
    return DataType(name, components, count * step, align)


def struct_type(name: str, layout: str, structs: Structs) -> DataType | None:
    """Structs nest a few levels; a member's type must come before."""
    stride, members = structs[name]
    components: list[Component] = []
    end = 0
    align = 16 if layout == STD140 else 1
    for member in members:
        if member.type in structs:
            type = struct_type(member.type, layout, structs)
        else:
            type = plain_type(member.type, layout, member.matrix_stride)
        if type is None:
            return None
        if member.count:
            type = array_of(member.type, type, member.count, layout, member.array_stride)
        start = member.offset if member.offset >= 0 else up(end, type.align)
        components.extend(
            [Component(start + component.offset, component.kind, component.bits) for component in type.components]
        )
        end = start + (type.size if member.type in structs or member.count else type.extent)
        align = max(align, type.align)
    struct_data = DataType(name, components, end, align)
    if stride > 0:
        struct_data.size = stride
    return struct_data


def up(value: int, to: int) -> int:
    """The next multiple of `to`."""
    return -(-value // to) * to
