"""Where parts of a type lie in memory: sizes, alignments, offsets and strides in bytes.

    struct { float a; float3 b; }     std430: b at 16, size 32      scalar, natural: b at 4, size 16

    std430    structured buffers: vectors aligned to 2 or 4 components, structs padded to their alignment
    std140    constant buffers: arrays and structs aligned to 16 besides
    scalar    byte-address buffers, and buffers that ask for it: aligned to components, nothing padded
    dx        constant buffers that ask for it: as scalar, in rows of 16 bytes: what would reach into the next row
              begins there, as do arrays, structs and matrices, whose elements have a row each
    natural   what sizeof says: as scalar, but a bool takes 1 byte instead of 4
    c         buffers that ask for it: as natural, but structs are padded to their alignment

A matrix is an array of its rows (column_major: of its columns). An existential is 16 bytes that say what it is, then
the value. Source: SPIR-V client API rules (Vulkan, "Offset and Stride Assignment"); Microsoft's HLSL reference,
"Packing rules for constant variables"; the last rows measured with slangc 2026.14, which never pads a struct in the
scalar rules: a member after a struct of 5 bytes is at 5.
"""

from typing import Final, final

from mypy_extensions import mypyc_attr

from reknit.front.slang.core import is_empty
from reknit.front.slang.substitute import Substitution, substitute
from reknit.front.slang.types import (
    BOOL,
    NULLPTR,
    ArrayType,
    ConstType,
    EnumType,
    InterfaceType,
    MatrixType,
    OptionalType,
    PointerType,
    ResourceType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)

STD430: Final = "std430"
STD140: Final = "std140"
SCALAR: Final = "scalar"
DX: Final = "dx"
NATURAL: Final = "natural"
C: Final = "c"
TIGHT: Final = (SCALAR, DX, NATURAL, C)
"""Rules that align a vector to its components, and don't pad what ends."""
ROWS: Final = (STD140, DX)
"""Rules that align arrays and structs to rows of 16 bytes."""
HEADER: Final = 16
MAX_BYTES: Final = 0xFFFFFFFF
MAX_NESTED: Final = 200
"""Types nested deeper than this aren't laid out: code that copies them would nest as deep."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Contents:
    """What types are made of. The lowering has its own, which knows associated types and all conformances."""

    def field_types(self, type: StructType | TupleType) -> list[Type]:
        if isinstance(type, TupleType):
            return type.elements
        if is_empty(type):
            return []
        arguments = Substitution()
        for param, argument in zip(type.struct.environment.params, type.arguments, strict=True):
            arguments.types[param] = argument
        return [substitute(field.type, arguments) for field in type.struct.fields]

    def existential_size(self, type: InterfaceType) -> int:
        """Bytes for the value in an existential, without the header."""
        return type.interface.any_value_size


class NoLayout(Exception):
    """A type that can't lie in memory."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@final
class Layout:
    """`stride` is from one element of an array of these to the next. `offsets` are those of a struct's fields or a
    tuple's elements, an Optional's value and flag; `inner` is an array's or matrix's own stride from part to part.
    `depth` is how deep the type nests."""

    __slots__ = ("size", "align", "stride", "offsets", "inner", "depth")

    def __init__(self, size: int, align: int, stride: int, offsets: list[int], inner: int = 0, depth: int = 1) -> None:
        self.size = size
        self.align = align
        self.stride = stride
        self.offsets = offsets
        self.inner = inner
        self.depth = depth


def round_up(size: int, align: int) -> int:
    return -(-size // align) * align


@final
class Layouts:
    """Layouts by one rule, each worked out once."""

    __slots__ = ("rule", "contents", "_known")

    def __init__(self, rule: str, contents: Contents) -> None:
        self.rule = rule
        self.contents = contents
        self._known: dict[str, Layout] = {}

    def of(self, type: Type) -> Layout:
        """Raises NoLayout."""
        work = [type]
        while work:
            current = work[-1]
            if current.key in self._known:
                work.pop()
                continue
            parts = self._parts(current)
            missing = [part for part in parts if part.key not in self._known]
            if len(work) > 4 * MAX_NESTED:
                raise NoLayout(f"'{type}' is nested too deep to lie in memory")
            if missing:
                work.extend(missing)
                continue
            layout = self._layout_of(current, [self._known[part.key] for part in parts])
            layout.depth = 1 + max([self._known[part.key].depth for part in parts], default=0)
            if layout.depth > MAX_NESTED:
                raise NoLayout(f"'{current}' is nested too deep to lie in memory")
            if layout.size > MAX_BYTES:
                raise NoLayout(f"'{current}' takes {layout.size} bytes, and no offset reaches beyond {MAX_BYTES}")
            self._known[current.key] = layout
            work.pop()
        return self._known[type.key]

    def end(self, type: Type) -> int:
        """Where the last part of it ends, without what pads it. Raises NoLayout."""
        at = 0
        while True:
            layout = self.of(type)
            parts = self._parts(type)
            if isinstance(type, (ArrayType, MatrixType)) and layout.size > 0:
                at += layout.size - layout.inner
                type = parts[0]
            elif isinstance(type, (StructType, TupleType)) and layout.offsets:
                at += layout.offsets[-1]
                type = parts[-1]
            else:
                return at + layout.size

    def _parts(self, type: Type) -> list[Type]:
        """What has to be laid out first."""
        if isinstance(type, (StructType, TupleType)):
            return self.contents.field_types(type)
        if isinstance(type, (ArrayType, VectorType)):
            return [type.element]
        if isinstance(type, MatrixType):
            return [VectorType(type.element, type.columns if type.row_major else type.rows)]
        if isinstance(type, OptionalType):
            return [type.element] if isinstance(type.element, InterfaceType) else [type.element, BOOL]
        if isinstance(type, EnumType):
            return [type.enum.underlying]
        if isinstance(type, ResourceType) and type.kind == "Atomic" and type.element is not None:
            return [type.element]
        return []

    def _layout_of(self, type: Type, parts: list[Layout]) -> Layout:
        if isinstance(type, ScalarType):
            return self._scalar(type)
        if isinstance(type, VectorType):
            return self._vector(parts[0], _count(type.count))
        if isinstance(type, MatrixType):
            return self._array(parts[0], _count(type.rows if type.row_major else type.columns))
        if isinstance(type, ArrayType):
            return self._array(parts[0], 0 if type.count is None else _count(type.count))
        if isinstance(type, InterfaceType):
            return self._existential(self.contents.existential_size(type))
        if isinstance(type, PointerType):
            return Layout(8, 8, 8, [])
        if type is NULLPTR and self.rule == NATURAL:
            return Layout(8, 8, 8, [])
        if isinstance(type, (StructType, TupleType)) or (isinstance(type, OptionalType) and len(parts) == 2):
            own = type.struct.fields if isinstance(type, StructType) and parts and self.rule != NATURAL else []
            asked = [field.offset for field in own]
            if any(offset >= 0 for offset in asked):
                return self._placed(type, parts, asked)
            return self._struct(parts)
        if len(parts) == 1:
            only = parts[0]
            return Layout(only.size, only.align, only.stride, only.offsets, only.inner)
        raise NoLayout(f"'{type}' can't lie in memory")

    def _scalar(self, type: ScalarType) -> Layout:
        if type.kind == "void" and self.rule == NATURAL:
            return Layout(0, 1, 0, [])
        if type.kind == "void":
            raise NoLayout("'void' can't lie in memory")
        size = type.width // 8
        if type.kind == "bool":
            size = 1 if self.rule in (NATURAL, C) else 4
        return Layout(size, size, size, [])

    def _vector(self, element: Layout, count: int) -> Layout:
        size = element.size * count
        if self.rule in TIGHT:
            return Layout(size, element.align, size, [])
        align = element.size * (1, 2, 4, 4)[count - 1]
        return Layout(size, align, round_up(size, align), [])

    def _array(self, element: Layout, count: int) -> Layout:
        align = round_up(element.align, 16) if self.rule in ROWS else element.align
        inner = round_up(element.size, align)
        size = inner * count
        if self.rule in TIGHT and count > 0:
            size = inner * (count - 1) + element.size
        return Layout(size, align, round_up(size, align), [], inner)

    def _struct(self, fields: list[Layout]) -> Layout:
        align = 16 if self.rule in ROWS else 1
        at = 0
        offsets: list[int] = []
        for field in fields:
            align = max(align, field.align)
            at = self._next(at, field)
            offsets.append(at)
            at += field.size
        padded = round_up(at, align)
        return Layout(at if self.rule in TIGHT and self.rule != C else padded, align, padded, offsets)

    def _next(self, at: int, field: Layout) -> int:
        """Where a field begins that comes after the byte `at`."""
        at = round_up(at, field.align)
        return round_up(at, 16) if self.rule == DX and at % 16 + field.size > 16 else at

    def _placed(self, type: Type, fields: list[Layout], asked: list[int]) -> Layout:
        """A struct of which some fields say where they lie; the others follow the one before. Raises NoLayout."""
        plain = Layouts(SCALAR, self.contents)
        parts = self._parts(type)
        at = 0
        align = 16 if self.rule in ROWS else 1
        places: list[tuple[int, int]] = []
        for index, field in enumerate(fields):
            least = plain.of(parts[index]).align
            if asked[index] >= 0 and asked[index] % least:
                where = f"at byte {asked[index]} of '{type}'"
                raise NoLayout(f"'{parts[index]}' can't lie {where}: it is aligned to {least}")
            at = asked[index] if asked[index] >= 0 else self._next(at, field)
            align = max(align, least if asked[index] >= 0 else field.align)
            places.append((at, at + field.size))
            at += field.size
        whole = sorted(places)
        for (_, end), (start, _) in zip(whole, whole[1:], strict=False):
            if start < end:
                raise NoLayout(f"fields of '{type}' that say where they lie overlap at byte {start}")
        size = whole[-1][1]
        padded = round_up(size, align)
        return Layout(size if self.rule in TIGHT else padded, align, padded, [start for start, _ in places])

    def _existential(self, size: int) -> Layout:
        """(uint2, uint2, words): what it is, which of the types it is, the value."""
        align = {STD140: 16, DX: 16, STD430: 8}.get(self.rule, 4)
        whole = HEADER + round_up(size, 4)
        padded = round_up(whole, align)
        return Layout(whole if self.rule in TIGHT else padded, align, padded, [])


def _count(type: Type) -> int:
    if not isinstance(type, ConstType):
        raise NoLayout(f"how many elements '{type}' are isn't known")
    return type.value


def layout_of(type: Type, rule: str, contents: Contents | None = None) -> Layout:
    """Of one type; for many, keep a Layouts."""
    return Layouts(rule, contents if contents is not None else Contents()).of(type)
