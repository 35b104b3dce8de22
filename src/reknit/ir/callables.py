"""Functions as values: which function a callable is, and the sets of those there can be.

    @f                          (none, f, ())         a function
    LookupWitness %WA, %foo     (WA, A_foo, ())       the table distinguishes it from the function of another table
    Specialize %c, %WB          (.., .., (WB,))       bound tables are its leading arguments

    %c0 = LookupWitness %WA, %foo : %F                %Fs = FuncSet %c0, %c1, %none : %F
    %c1 = Specialize @f : %F                          %never = WitnessUninitialized : %F

In a module, where all they name is constant, the last two are constants; those are what a set of callables has. A set
over functions that begin with witness tables is a `GenericSet`. `WitnessNone`, `WitnessUninitialized` and
`WitnessUnbounded` stand in every kind of set for what has no table: by their type for the table, the callable or the
type that is missing.
"""

from typing import Final

from reknit.ir import op
from reknit.ir.dispatch import entries_of, entry_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value

Element = tuple[Instr | None, Function, tuple[Instr, ...]]
"""(table that it was looked up in, function, tables bound to its first parameters)"""

SPECIAL: Final = (op.WitnessNone, op.WitnessUninitialized, op.WitnessUnbounded)
CALLABLE_SETS: Final = (op.FuncSet, op.GenericSet)
SETS: Final = (op.WitnessTableSet, *CALLABLE_SETS, op.TypeSet)


def constant_callable(value: Value) -> Element | None:
    """What a function, or a callable that stands in the module, is; None for what is none, or what no table has."""
    bound: list[Instr] = []
    while isinstance(value, Instr) and value.op == op.Specialize:
        bound[:0] = [value.instr(index) for index in range(1, len(value.operands))]
        value = value.value(0)
    if isinstance(value, Function):
        return None, value, tuple(bound)
    if isinstance(value, Instr) and value.op == op.LookupWitness and value.instr(0).op == op.WitnessTable:
        entry = entry_of(value.instr(0), value.value(1))
        return (value.instr(0), entry, tuple(bound)) if isinstance(entry, Function) else None
    return None


def base_and_bound(callable: Value) -> tuple[Value, list[Value]]:
    """What a callable is without the tables that are bound to it, and these, in the order of its parameters."""
    bound: list[Value] = []
    while isinstance(callable, Instr) and callable.op == op.Specialize:
        bound[:0] = [callable.value(index) for index in range(1, len(callable.operands))]
        callable = callable.value(0)
    return callable, bound


def is_direct(callable: Value) -> bool:
    """Whether a table, or the program itself, says which function it is: it didn't come as a value."""
    base, _ = base_and_bound(callable)
    return isinstance(base, Function) or (isinstance(base, Instr) and base.op == op.LookupWitness)


def escapes(callable: Instr) -> bool:
    """Whether a callable is used for more than calls, and being specialized for such."""
    work = [callable]
    while work:
        at = work.pop()
        for user in at.users:
            if not isinstance(user, Instr) or at in user.operands[1:]:
                return True
            if user.op == op.Specialize:
                work.append(user)
            elif user.op != op.CallDynamic:
                return True
    return False


def is_generic(type: Instr) -> bool:
    """Whether what has this type takes a witness table first: it may be specialized."""
    first = type.operands[1] if type.op == op.TypeFunction and len(type.operands) > 1 else None
    return isinstance(first, Instr) and first.op == op.TypeWitnessTable


# --- sets -------------------------------------------------------------------------------------------------------------


def callable_set(module: Module, type: Instr, elements: list[Instr]) -> Instr:
    operands: list[Operand] = [*elements]
    return module.intern(op.GenericSet if is_generic(type) else op.FuncSet, type, operands)


def type_set(module: Module, type: Instr, elements: list[Instr]) -> Instr:
    operands: list[Operand] = [*elements]
    return module.intern(op.TypeSet, type, operands)


def element_type(module: Module, members: Instr) -> Instr:
    """The type of a value that is in a set."""
    return module.intern(op.TypeElementOfSet, None, [members])


def special(module: Module, code: int, type: Instr) -> Instr:
    """None, what was never set, or what the program doesn't know: for a table, a callable or a type."""
    return module.intern(code, type, [])


def element_constant(module: Module, type: Instr, element: Element) -> Instr:
    """The callable of the module that stands for an element of a set of `type`."""
    table, function, bound = element
    base: Value = function
    if table is not None:
        key = next(key for key, entry in entries_of(table).items() if entry is function)
        unbound: list[Operand] = [type.operands[0], *[each.type for each in bound if each.type is not None]]
        own = module.intern(op.TypeFunction, None, [*unbound, *type.operands[1:]]) if bound else type
        base = module.intern(op.LookupWitness, own, [table, key])
        if not bound:
            return base
    return module.intern(op.Specialize, type, [base, *bound])


# --- what a set maps to -----------------------------------------------------------------------------------------------


def identity(element: Instr, key: Value | None = None) -> object:
    """What distinguishes elements of sets; with `key`, what a table has for it."""
    assert isinstance(element, Instr)
    if element.op in SPECIAL:
        return element.op
    if key is None:
        return constant_callable(element) or element if element.op in (op.LookupWitness, op.Specialize) else element
    entry = entry_of(element, key)
    return (element, entry, ()) if isinstance(entry, Function) else entry


def place_in(places: dict[object, int], wanted: object) -> int | None:
    """The place of what has an identity. A callable that a set lacks is one that nothing calls: as if never set."""
    place = places.get(wanted)
    return places.get(op.WitnessUninitialized) if place is None and isinstance(wanted, tuple) else place


def without_bound(element: Instr) -> object:
    """The identity of the generic that an element is made from."""
    parts = constant_callable(element)
    return (parts[0], parts[1], ()) if parts is not None else identity(element)


def bound_table(element: Instr, index: int) -> object:
    """The table that is bound to parameter `index` of an element."""
    parts = constant_callable(element)
    return parts[2][index] if parts is not None and index < len(parts[2]) else identity(element)


def specialized(element: Instr, tables: tuple[Instr, ...]) -> object:
    """The identity of a generic once tables are bound to it."""
    if element.op in SPECIAL:
        return element.op
    for table in tables:
        if table.op in SPECIAL:
            return table.op
    parts = constant_callable(element)
    return (parts[0], parts[1], parts[2] + tables) if parts is not None else element
