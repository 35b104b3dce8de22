"""Buffers as people read them: values by type, a row for each subgroup's worth of elements.

    sum: u32[8]  (set 0, binding 1)
      0 | 22 22 20 20
      4 | 42 42 40 40

What a buffer is made of is in its layout; its members' names come from the module (OpMemberName).
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import pointee
from reknit.sim.buffers import BufferResult
from reknit.sim.decorations import Decorations
from reknit.sim.layout import Layout
from reknit.sim.shadow.shapes import UNKNOWN
from reknit.sim.shadow.sources import Source, numbers_text
from reknit.sim.value_text import scalar_text
from reknit.sim.values import STRUCT_KIND
from reknit.view.images import show_image

WIDTH: Final = 100
MAX_ROWS: Final = 64
MAX_PARTS: Final = 256  # of an array within an element
MAX_SOURCES: Final = 8
UNDEFINED: Final = UNKNOWN



def show_buffers(module: Module, buffers: dict[str, BufferResult], subgroup_size: int, base: int = 10) -> str:
    """All buffers, an empty line between two; integers to base 10 or 16."""
    names = Decorations(module)
    blocks = BufferBlocks(module, names)
    return "\n".join([
        show_buffer(buffer, blocks.of(buffer), names, subgroup_size, base) for buffer in buffers.values()
    ])  # fmt: skip


def show_buffer(
    buffer: BufferResult, block: Instr | None, names: Decorations, subgroup_size: int, base: int = 10
) -> str:
    """One buffer; `block` is its OpTypeStruct, for the names of members."""
    if buffer.texture is not None:
        return show_image(buffer, buffer.texture, base) + show_undefined(buffer)
    text = _show_words(buffer, block, names, subgroup_size, base)
    return text + show_undefined(buffer)


def show_undefined(buffer: BufferResult) -> str:
    """A line for each source of the words that are shown as `?`: which they are, and where that comes from."""
    by_source: dict[Source, list[int]] = {}
    for word, source in buffer.undefined.items():
        by_source.setdefault(source, []).append(word)
    lines: list[str] = []
    for source, words in list(by_source.items())[:MAX_SOURCES]:
        where = f", {source.where()}" if source.where() else ""
        lines.append(f"  ? | {numbers_text(words)}: {source.text()}{where}\n")
    if len(by_source) > MAX_SOURCES:
        lines.append(f"  ? | ... {len(by_source) - MAX_SOURCES} more; --json has all\n")
    return "".join(lines)


def _show_words(
    buffer: BufferResult, block: Instr | None, names: Decorations, subgroup_size: int, base: int
) -> str:
    data = buffer.data()
    open = frozenset(buffer.undefined)
    place = f"(set {buffer.set}, binding {buffer.binding})" if buffer.set >= 0 else "(push constants)"
    if buffer.address:
        place = f"(at {buffer.address:#x})" if buffer.set < 0 else place
    layout = buffer.layout
    if layout.shape.kind == STRUCT_KIND and len(layout.parts) == 1 and layout.offsets == [0]:
        member = names.names.get((block, 0), "") if block is not None else ""
        named = f"{buffer.name}.{member}" if member and member != buffer.name else buffer.name
        return _show_part(f"{named}: ", layout.parts[0], data, 0, subgroup_size, f"  {place}", 0, base, open)
    if layout.shape.kind != STRUCT_KIND:
        return _show_part(f"{buffer.name}: ", layout, data, 0, subgroup_size, f"  {place}", 0, base, open)
    lines = [f"{buffer.name}:  {place}\n"]
    for index, part in enumerate(layout.parts):
        member = names.names.get((block, index), "") if block is not None else ""
        name = f"{member or index}: "
        lines.append(_show_part(name, part, data, layout.offsets[index], subgroup_size, "", 2, base, open))
    return "".join(lines)


@final
class BufferBlocks:
    """The struct types of a module's buffers, by set and binding."""

    __slots__ = ("variables",)

    def __init__(self, module: Module, names: Decorations) -> None:
        self.variables: dict[tuple[int, int], Instr] = {}
        for variable in module.globals:
            if variable.op == op.Variable and variable.type is not None:
                number = names.number(variable, enums.DecorationDescriptorSet)
                self.variables.setdefault((number, names.number(variable, enums.DecorationBinding)), variable)

    def of(self, buffer: BufferResult) -> Instr | None:
        variable = self.variables.get((buffer.set, buffer.binding))
        if variable is None or variable.type is None:
            return None
        type = pointee(variable.type)
        return type.instr(0) if type.op in (op.TypeArray, op.TypeRuntimeArray) else type


def _show_part(
    head: str,
    layout: Layout,
    data: bytes,
    offset: int,
    subgroup_size: int,
    tail: str,
    indent: int,
    base: int,
    open: frozenset[int],
) -> str:
    """A member: an array as rows, anything else in one line."""
    margin = " " * indent
    if not layout.parts or layout.offsets or not layout.stride or layout.shape.element is None:
        return f"{margin}{head}{layout.shape} = {value_text(layout, data, offset, base, open)}{tail}\n"
    element = layout.parts[0]
    if not str(layout.shape).startswith("array"):
        return f"{margin}{head}{layout.shape} = {value_text(layout, data, offset, base, open)}{tail}\n"
    count = layout.shape.count or max(0, (len(data) - offset) // layout.stride)
    title = f"{margin}{head}{element.shape}[{count}]{tail}\n"
    shown = range(min(count, most_values(subgroup_size)))
    values = [value_text(element, data, offset + index * layout.stride, base, open) for index in shown]
    return title + "".join(f"{margin}  {line}\n" for line in rows(values, subgroup_size, count))


def most_values(subgroup_size: int) -> int:
    """How many `rows` may show."""
    return MAX_ROWS * max(subgroup_size, 4)


def rows(values: list[str], subgroup_size: int, count: int = 0) -> list[str]:
    """`4 | 42 42 40 40`: as many values a row as a subgroup has lanes, or as fit; `values` are the first of `count`,
    or all."""
    if not values:
        return ["(empty)"]
    count = max(count, len(values))
    width = max(len(value) for value in values)
    label = len(str(count - 1))
    each = subgroup_size if subgroup_size >= 4 else 4
    while each > 1 and label + 3 + each * (width + 1) > WIDTH:
        each //= 2
    lines: list[str] = []
    for start in range(0, count, each):
        if len(lines) == MAX_ROWS:
            lines.append(f"... {count - start} more; --json has all")
            break
        lines.append(f"{start:>{label}} | " + " ".join(value.rjust(width) for value in values[start : start + each]))
    return lines


def value_text(
    layout: Layout, data: bytes, offset: int, base: int = 10, open: frozenset[int] = frozenset()
) -> str:
    """The value at a byte offset, `?` where one of its words is in `open`. Types nest a few levels."""
    shape = layout.shape
    if not layout.parts:
        if open and any(word in open for word in range(offset >> 2, (offset + layout.size + 3) >> 2)):
            return UNDEFINED
        return scalar_text(shape, data[offset : offset + layout.size], base)
    if layout.offsets:
        members = zip(layout.parts, layout.offsets, strict=True)
        return "{" + ", ".join([value_text(part, data, offset + at, base, open) for part, at in members]) + "}"
    part = layout.parts[0]
    shown = range(min(shape.count, MAX_PARTS))
    values = [value_text(part, data, offset + index * layout.stride, base, open) for index in shown]
    if shape.count > MAX_PARTS:
        values.append(f"... {shape.count - MAX_PARTS} more")
    return "(" + ", ".join(values) + ")"
