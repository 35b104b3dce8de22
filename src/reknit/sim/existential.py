"""Existentials in the simulator: (table, value), and how they lie in a buffer.

    local      (%WA, (7,))                the table itself and the value as it is; NONE; 0 where nothing was put
    in words   0, 0, id, 0, 7, 0, ...     16 bytes of header with the table's sequential id, then the packed value

A table's value is the table; a callable is (table it was looked up in, function, tables bound to its first parameters).
"""

from typing import Any, Final, final

from reknit.ir import op
from reknit.ir.any_value import AnyLayout, any_layout, interface_sizes, part_count
from reknit.ir.dispatch import NO_ID, conforming_type, sequential_id
from reknit.ir.instr import Instr
from reknit.ir.module import Module

NONE: Final[tuple[int, int]] = (0, 0)
"""The existential that Optional<IFoo> has where it has none."""

Existential = Any
"""(table, value), NONE, or 0 for one that was never set."""

Callable = tuple[Instr | None, Any, tuple[Any, ...]]


@final
class Interfaces:
    """The tables of a module by interface and id, and the layouts of the types that conform. One for a module."""

    __slots__ = ("tables", "by_id", "sizes", "layouts")

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

    def layout(self, type: Instr) -> AnyLayout:
        found = self.layouts.get(type)
        if found is None:
            found = any_layout(type, self.sizes)
            self.layouts[type] = found
        return found

    def pack(self, type: Instr, value: Any, size: int) -> list[int]:
        """A value as words of `size` bytes; what does not fit is dropped."""
        data = bytearray(self.layout(type).size)
        for field in self.layout(type).fields:
            part = value
            for index in field.path:
                part = part[index]
            if field.type.op == op.TypeInterface:
                words = self.write(field.type, part)
                part = int.from_bytes(b"".join([word.to_bytes(4, "little") for word in words]), "little")
            data[field.offset : field.offset + field.size] = part.to_bytes(field.size, "little")
        whole = bytes(data[:size]) + bytes(max(0, size - len(data)))
        return [int.from_bytes(whole[at : at + 4], "little") for at in range(0, size, 4)]

    def unpack(self, type: Instr, words: list[int]) -> Any:
        """The value of `type` in words; what they lack is zeros."""
        data = b"".join([word.to_bytes(4, "little") for word in words])
        found: dict[tuple[int, ...], Any] = {}
        for field in self.layout(type).fields:
            bits = int.from_bytes(data[field.offset : field.offset + field.size], "little")
            if field.type.op == op.TypeInterface:
                inner = [bits >> shift & 0xFFFFFFFF for shift in range(0, field.size * 8, 32)]
                found[field.path] = self.read(field.type, inner)
            else:
                found[field.path] = (1 if bits else 0) if field.type.op == op.TypeBool else bits
        return build(type, (), found)

    def convert(self, source: Instr, value: Any, target: Instr) -> Any:
        """The bits of a value of one type as another."""
        if source is target:
            return value
        return self.unpack(target, self.pack(source, value, (self.layout(source).size + 3) // 4 * 4))

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
