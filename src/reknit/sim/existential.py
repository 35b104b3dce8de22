"""Existentials in the simulator: (table, value), and how they lie in a buffer.

    local      (%WA, (7,))                the table itself and the value as it is; NONE; 0 where nothing was put
    in words   0, 0, id, 0, 7, 0, ...     16 bytes of header with the table's sequential id, then the packed value

A table's value is the table; a callable is (table it was looked up in, function, tables bound to its first parameters).
"""

from typing import Any, Final, final

from reknit.ir import op
from reknit.ir.any_value import AnyLayout, any_layout, interface_sizes, part_count
from reknit.ir.dispatch import NO_ID, conforming_type, sequential_id
from reknit.ir.dispatch_sets import EXISTENTIALS, elements_of, existential_interface, set_of, stands_for
from reknit.ir.instr import Instr
from reknit.ir.module import Module

NONE: Final[tuple[int, int]] = (0, 0)
"""The existential that Optional<IFoo> has where it has none."""

EMPTY: Final = (None, 0)
"""A union's value where there is none."""

Existential = Any
"""(table, value), NONE, or 0 for one that was never set."""

Callable = tuple[Instr | None, Any, tuple[Any, ...]]


@final
class Interfaces:
    """The tables of a module by interface and id, and the layouts of the types that conform. One for a module."""

    __slots__ = ("tables", "by_id", "sizes", "layouts", "alike")

    def __init__(self, module: Module) -> None:
        self.tables: dict[Instr, list[Instr]] = {}
        self.by_id: dict[Instr, dict[int, Instr]] = {}
        for instr in module.globals:
            if instr.op == op.TypeInterface:
                self.tables[instr] = []
                self.by_id[instr] = {}
            elif instr.op == op.WitnessTable and instr.type is not None:
                interface = instr.type.instr(0)
                self.tables.setdefault(interface, []).append(instr)
                if sequential_id(instr) != NO_ID:
                    self.by_id.setdefault(interface, {}).setdefault(sequential_id(instr), instr)
        self.sizes, _ = interface_sizes(self.tables)
        self.layouts: dict[Instr, AnyLayout] = {}
        self.alike: dict[tuple[Instr, Instr], bool] = {}

    def layout(self, type: Instr) -> AnyLayout:
        layout = self.layouts.get(type)
        if layout is None:
            layout = any_layout(type, self.sizes)
            self.layouts[type] = layout
        return layout

    def pack(self, type: Instr, value: Any, size: int) -> list[int]:
        """A value as words of `size` bytes; what does not fit is dropped."""
        data = bytearray(self.layout(type).size)
        for field in self.layout(type).fields:
            part = value
            for index in field.path:
                part = part[index]
            if field.type.op in EXISTENTIALS:
                interface = existential_interface(field.type)
                words = self.write(interface, self.change(field.type, part, interface))
                part = int.from_bytes(b"".join([word.to_bytes(4, "little") for word in words]), "little")
            data[field.offset : field.offset + field.size] = part.to_bytes(field.size, "little")
        whole = bytes(data[:size]) + bytes(max(0, size - len(data)))
        return [int.from_bytes(whole[at : at + 4], "little") for at in range(0, size, 4)]

    def unpack(self, type: Instr, words: list[int]) -> Any:
        """The value of `type` in words; what they lack is zeros."""
        data = b"".join([word.to_bytes(4, "little") for word in words])
        parts: dict[tuple[int, ...], Any] = {}
        for field in self.layout(type).fields:
            bits = int.from_bytes(data[field.offset : field.offset + field.size], "little")
            if field.type.op in EXISTENTIALS:
                inner = [bits >> shift & 0xFFFFFFFF for shift in range(0, field.size * 8, 32)]
                interface = existential_interface(field.type)
                parts[field.path] = self.change(interface, self.read(interface, inner), field.type)
            else:
                parts[field.path] = (1 if bits else 0) if field.type.op == op.TypeBool else bits
        return build(type, (), parts)

    def convert(self, source: Instr, value: Any, target: Instr) -> Any:
        """A value of one type as the same of another in which existentials have another form; else its bits."""
        if self.is_change(source, target):
            return self.change(source, value, target)
        return self.unpack(target, self.pack(source, value, (self.layout(source).size + 3) // 4 * 4))

    def is_change(self, source: Instr, target: Instr) -> bool:
        known = self.alike.get((source, target))
        if known is None:
            known = stands_for(source, target)
            self.alike[source, target] = known
        return known

    def change(self, source: Instr, value: Any, target: Instr) -> Any:
        """A value in which existentials get another form. Types nest a few levels."""
        if source is target:
            return value
        if source.op in EXISTENTIALS:
            e = value if source.op == op.TypeInterface else self.opened(source, value)
            return e if target.op == op.TypeInterface else self.closed(target, e)
        if value == 0:
            return 0
        is_struct = source.op == op.TypeStruct
        parts: list[Any] = []
        for index, part in enumerate(value):
            at = index if is_struct else 0
            parts.append(self.change(source.instr(at), part, target.instr(at)))
        return tuple(parts)

    def opened(self, tagged: Instr, value: Any) -> Existential:
        """A tagged union as the existential that it is."""
        if value == 0:
            return 0
        tag, union = value
        element = elements_of(set_of(tagged))[tag]
        if element.op != op.WitnessTable:
            return NONE if element.op == op.WitnessNone else 0
        type = conforming_type(element)
        if union == 0 or union[0] is None:
            return element, self.unpack(type, [])
        return element, self.convert(union[0], union[1], type)

    def closed(self, tagged: Instr, e: Existential) -> tuple[int, Any]:
        """An existential as a tagged union; as its last element, if it is none of them."""
        elements = elements_of(set_of(tagged))
        if e == 0 or e == NONE:
            kind = op.WitnessNone if e == NONE else op.WitnessUninitialized
            at = [index for index, element in enumerate(elements) if element.op == kind]
            return (at[0] if at else len(elements) - 1), EMPTY
        if e[0] not in elements:
            return len(elements) - 1, EMPTY
        return elements.index(e[0]), (conforming_type(e[0]), e[1])

    def read(self, interface: Instr, words: list[int]) -> Existential:
        if words[2] == NO_ID:
            return NONE
        table = self.by_id.get(interface, {}).get(words[2])
        if table is None:
            return 0
        return table, self.unpack(conforming_type(table), words[4:])

    def write(self, interface: Instr, value: Existential) -> list[int]:
        size = self.sizes.get(interface, 0)
        if value == 0:
            return [0] * (4 + size // 4)
        if value == NONE:
            return [0, 0, NO_ID, 0] + [0] * (size // 4)
        table: Instr = value[0]
        return [0, 0, sequential_id(table), 0, *self.pack(conforming_type(table), value[1], size)]


def build(type: Instr, path: tuple[int, ...], parts: dict[tuple[int, ...], Any]) -> Any:
    """The value whose scalars are `parts`, by path. Types nest a few levels."""
    if path in parts:
        return parts[path]
    is_struct = type.op == op.TypeStruct
    inner = [type.instr(index if is_struct else 0) for index in range(part_count(type))]
    return tuple([build(part, (*path, index), parts) for index, part in enumerate(inner)])
