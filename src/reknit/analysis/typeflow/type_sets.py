"""Witness tables and types as bits, so that a set is a number.

    interface IFoo, tables WA, WB      WA = 1   WB = 2   none = 4   never set = 8   not known = 16      {WA, WB} = 3
    types A, B, D                      A = 1    B = 2    D = 4

Bits of tables follow the order of the module, per interface; those of none, of what was never set and of what the
program doesn't know come after them.
"""

from typing import final

from reknit.ir import op
from reknit.ir.dispatch import NO_ID, conforming_type, open_interfaces, sequential_id, tables_of
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value


@final
class Interface:
    """`tables[i]` has bit `1 << i`. `outside` are those with a sequential id: others are in no storage of others."""

    __slots__ = ("type", "tables", "bits", "none", "unset", "everything", "outside", "types", "unbounded")

    def __init__(self, type: Value, tables: list[Instr]) -> None:
        self.type = type
        self.tables = tables
        self.bits: dict[Value, int] = {table: 1 << index for index, table in enumerate(tables)}
        self.none = 1 << len(tables)
        self.unset = 2 << len(tables)
        self.everything = self.none - 1
        self.outside = 0
        for table, bit in self.bits.items():
            if isinstance(table, Instr) and sequential_id(table) != NO_ID:
                self.outside |= bit
        self.types: dict[int, int] = {}  # set of tables -> set of their types
        self.unbounded = 4 << len(tables)

    def members(self, tables: int) -> list[Instr]:
        """The tables of a set, in order. Costs their number."""
        members: list[Instr] = []
        rest = tables & self.everything
        while rest:
            lowest = rest & -rest
            members.append(self.tables[lowest.bit_length() - 1])
            rest ^= lowest
        return members


@final
class Universe:
    """All interfaces of a module, and all types that conform or are associated."""

    __slots__ = ("interfaces", "types", "type_bits")

    def __init__(self, module: Module) -> None:
        self.interfaces: dict[Value, Interface] = {}
        self.types: list[Instr] = []
        self.type_bits: dict[Value, int] = {}
        open = open_interfaces(module)
        for interface, tables in tables_of(module).items():
            known = Interface(interface, tables)
            self.interfaces[interface] = known
            known.outside |= known.unbounded if interface in open else 0
            for table in tables:
                self.type_bit(conforming_type(table))
                for entry in table.operands[3::2]:
                    if isinstance(entry, Instr) and entry.type is None:
                        self.type_bit(entry)

    def of(self, type: Instr) -> Interface:
        """The interface that a type of tables, existentials or payloads is about."""
        interface = type if type.op == op.TypeInterface else type.value(0)
        if isinstance(interface, Instr) and interface.op == op.Requirement and interface.type is not None:
            interface = interface.type
        return self.interfaces[interface]

    def type_bit(self, type: Instr) -> int:
        bit = self.type_bits.get(type)
        if bit is None:
            bit = 1 << len(self.types)
            self.types.append(type)
            self.type_bits[type] = bit
        return bit

    def types_of(self, interface: Interface, tables: int) -> int:
        """The types that a set of tables is for."""
        types = interface.types.get(tables)
        if types is None:
            types = 0
            for table in interface.members(tables):
                types |= self.type_bit(conforming_type(table))
            interface.types[tables] = types
        return types

    def type_members(self, types: int) -> list[Instr]:
        members: list[Instr] = []
        rest = types
        while rest:
            lowest = rest & -rest
            members.append(self.types[lowest.bit_length() - 1])
            rest ^= lowest
        return members
