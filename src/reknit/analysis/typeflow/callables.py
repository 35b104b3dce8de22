"""Callables and types as values: sets of them are numbers too, a bit for each that was met.

    fn(%This, u32) -> u32     never set 1   not known 2   (WA, A_foo) 8   (WB, B_foo) 16   @f 32
    Type                      never set 1   not known 2   none 4          the types of `Universe` from 8 on

There is a set for each function type. Its elements are numbered as they are met: which tables there can be decides what
is looked up in them, and what is bound to a generic.
"""

from typing import Final, final

from reknit.analysis.typeflow.type_sets import Universe
from reknit.ir.callables import Element, constant_callable
from reknit.ir.dispatch import entry_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.types import is_type
from reknit.ir.value import Value
from reknit.source.diagnostic import Diagnostic, InputError

NEVER_SET: Final = 1
NOT_KNOWN: Final = 2
NO_TYPE: Final = 4
FIRST: Final = 3  # the first bit of what is known
MAX_CALLABLES: Final = 4096
"""As many callables of one type are distinguished."""

Group = tuple[Instr | None, Function]
"""Callables that run together: of one function, looked up in one table."""


@final
class _Pool:
    __slots__ = ("elements", "bits")

    def __init__(self) -> None:
        self.elements: list[Element] = []
        self.bits: dict[Element, int] = {}


@final
class Callables:
    """`mentioned` are the constants that were asked for, by type: they may be put anywhere. `declared` are the types of
    functions as values, as they were when the analysis met them."""

    __slots__ = ("universe", "pools", "mentioned", "declared")

    def __init__(self, universe: Universe) -> None:
        self.universe = universe
        self.pools: dict[Instr, _Pool] = {}
        self.mentioned: dict[Instr, int] = {}
        self.declared: dict[Value, Instr] = {}

    def bit(self, type: Instr, element: Element) -> int:
        pool = self.pools.setdefault(type, _Pool())
        bit = pool.bits.get(element)
        if bit is None:
            if len(pool.elements) == MAX_CALLABLES:
                which = "functions with different tables bound to them"
                message = f"more than {MAX_CALLABLES} {which} can come where one is called"
                raise InputError([Diagnostic("RK2622", message)])
            bit = 1 << (FIRST + len(pool.elements))
            pool.elements.append(element)
            pool.bits[element] = bit
        return bit

    def members(self, type: Instr, info: int) -> list[Element]:
        """The callables of a set. Costs their number."""
        elements: list[Element] = []
        rest = info >> FIRST
        while rest:
            lowest = rest & -rest
            elements.append(self.pools[type].elements[lowest.bit_length() - 1])
            rest ^= lowest
        return elements

    def groups(self, type: Instr, info: int) -> dict[Group, list[Element]]:
        """The callables of a set, those together that run together."""
        by_group: dict[Group, list[Element]] = {}
        for element in self.members(type, info):
            by_group.setdefault((element[0], element[1]), []).append(element)
        return by_group

    # --- what things are ----------------------------------------------------------------------------------------------

    def constant(self, value: Value) -> int | None:
        """A function, a callable of the module, or a type, as a value; None for other constants."""
        if isinstance(value, Instr) and is_type(value):
            return self.universe.type_bit(value) << FIRST
        element = constant_callable(value)
        if element is None:
            return None
        assert isinstance(value, (Instr, Function)) and value.type is not None
        type = self.declared.setdefault(value, value.type)
        bit = self.bit(type, element)
        self.mentioned[type] = self.mentioned.get(type, 0) | bit
        return bit

    def looked_up(self, source: Instr, key: Value, tables: int, type: Instr) -> int:
        """What tables of `source`'s interface have for a requirement."""
        assert source.type is not None
        interface = self.universe.of(source.type)
        callables = NOT_KNOWN if tables & interface.unbounded else 0
        for table in interface.members(tables):
            entry = entry_of(table, key)
            if isinstance(entry, Function):
                callables |= self.bit(type, (table, entry, ()))
            elif isinstance(entry, Instr) and is_type(entry):
                callables |= self.universe.type_bit(entry) << FIRST
        return callables

    def specialized(self, callable: Instr, info: int, tables: list[list[Instr]], type: Instr) -> int:
        """What a set of generics is with each of some tables bound to each parameter."""
        choices: list[tuple[Instr, ...]] = [()]
        for several in tables:
            choices = [(*chosen, table) for chosen in choices for table in several]
            if len(choices) > MAX_CALLABLES:
                choices = choices[: MAX_CALLABLES + 1]  # `bit` refuses
        callables = info & (NEVER_SET | NOT_KNOWN)
        for table, function, bound in self.members(callable, info):
            for chosen in choices:
                callables |= self.bit(type, (table, function, bound + chosen))
        return callables

    def types(self, source: Instr, tables: int) -> int:
        """The types that values of an interface have."""
        interface = self.universe.of(source)
        types = self.universe.types_of(interface, tables & interface.everything) << FIRST
        types |= NO_TYPE if tables & interface.none else 0
        types |= NEVER_SET if tables & interface.unset else 0
        return types | (NOT_KNOWN if tables & interface.unbounded else 0)


def types_in(universe: Universe, info: int) -> list[Instr]:
    """The types of a set."""
    return universe.type_members(info >> FIRST)
