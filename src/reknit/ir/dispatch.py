"""Dynamic dispatch: interfaces, witness tables, and values whose type is known when the program runs.

    %IFoo = TypeInterface "IFoo" 16                  %e = MakeExistential %a, %WA : %IFoo
    %WT   = TypeWitnessTable %IFoo                   %w = ExtractExistentialWitnessTable %e : %WT
    %This = TypeThis %IFoo                           %x = ExtractExistentialValue %e : %This
    %foo  = Requirement "foo" : %IFoo                %f = LookupWitness %w, %foo : fn(%This, i32) -> i32
    %WA   = WitnessTable %A 0 %foo, @A_foo : %WT     %r = CallDynamic %f, %x, 7 : i32

SPIR-V has none of it: opcodes are from `opcodes.FIRST_OWN` on. `specialize-dispatch` finds out which tables there can
be (`ir.dispatch_sets`), `lower-dispatch` makes plain SPIR-V of the rest.
"""

from typing import Final

from reknit.ir import enums, op
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value

NO_ID: Final = 0xFFFFFFFF
"""The sequential id of a table without one, and of none."""

MODULE_LEVEL: Final = frozenset(
    (op.Requirement, op.WitnessTable, op.WitnessTableSet, op.WitnessNone, op.WitnessUninitialized)
)
"""Own instructions with a type that stand among the globals."""

# --- making -----------------------------------------------------------------------------------------------------------


SPECIALIZE_ONLY: Final = "Specialize"
"""What an interface is decorated with (UserSemantic) that no call is to be dispatched by."""


def specialize_only(module: Module) -> dict[Instr, None]:
    """The interfaces that are so decorated."""
    found: dict[Instr, None] = {}
    for note in module.decorations:
        if note.op == op.DecorateString and note.word(1) == enums.DecorationUserSemantic:
            target = note.instr(0)
            if target.op == op.TypeInterface and note.text(2) == SPECIALIZE_ONLY:
                found[target] = None
    return found


def interface_type(module: Module, name: str, any_value_size: int = 0) -> Instr:
    """A new interface; two of one name are different. `any_value_size` is in bytes, 0 if it is not declared."""
    made = Instr(op.TypeInterface, None, [name, any_value_size], name)
    module.globals.append(made)
    return made


def witness_table_type(module: Module, interface: Instr) -> Instr:
    return module.intern(op.TypeWitnessTable, None, [interface])


def this_type(module: Module, interface: Instr) -> Instr:
    """The type of what is in an existential of `interface`."""
    return module.intern(op.TypeThis, None, [interface])


def associated_type(module: Module, requirement: Instr) -> Instr:
    return module.intern(op.TypeAssociated, None, [requirement])


def type_type(module: Module) -> Instr:
    return module.intern(op.TypeType, None, [])


def requirement(module: Module, interface: Instr, name: str) -> Instr:
    """A new requirement of `interface`."""
    made = Instr(op.Requirement, interface, [name], name)
    module.globals.append(made)
    return made


def witness_table(
    module: Module,
    interface: Instr,
    conforming: Instr,
    sequential_id: int,
    entries: list[tuple[Instr, Value]],
    name: str = "",
) -> Instr:
    """A new table: how `conforming` meets `interface`. Entries may be added later with `add_entry`."""
    operands: list[Operand] = [conforming, sequential_id]
    for key, entry in entries:
        operands.append(key)
        operands.append(entry)
    made = Instr(op.WitnessTable, witness_table_type(module, interface), operands, name)
    module.globals.append(made)
    return made


def add_entry(table: Instr, key: Instr, entry: Value) -> None:
    """What `table` has for requirement `key`: a function, a table or a type."""
    operands: list[Operand] = [*table.operands, key, entry]
    table.set_operands(operands)


# --- asking -----------------------------------------------------------------------------------------------------------


def is_interface(type: Instr | None) -> bool:
    return type is not None and type.op == op.TypeInterface


def is_payload(type: Instr | None) -> bool:
    """Whether values of this type are of some type that a table knows."""
    return type is not None and type.op in (op.TypeThis, op.TypeAssociated)


def interface_of(table: Instr) -> Instr:
    """The interface of a table, or of a value that is one."""
    assert table.type is not None
    return table.type.instr(0)


def conforming_type(table: Instr) -> Instr:
    assert table.op == op.WitnessTable
    return table.instr(0)


def sequential_id(table: Instr) -> int:
    return table.word(1)


def entry_of(table: Instr, key: Value) -> Value | None:
    """What a table has for a requirement; None if nothing."""
    operands = table.operands
    for index in range(2, len(operands) - 1, 2):
        if operands[index] is key:
            entry = operands[index + 1]
            return entry if isinstance(entry, Value) else None
    return None


def entries_of(table: Instr) -> dict[Value, Value]:
    """Requirement -> entry, the first of each."""
    found: dict[Value, Value] = {}
    for index in range(2, len(table.operands) - 1, 2):
        found.setdefault(table.value(index), table.value(index + 1))
    return found


def tables_of(module: Module) -> dict[Value, list[Instr]]:
    """By interface: all tables that conform to it, in module order."""
    found: dict[Value, list[Instr]] = {}
    for instr in module.globals:
        if instr.op == op.TypeInterface:
            found.setdefault(instr, [])
        elif instr.op == op.WitnessTable:
            found.setdefault(interface_of(instr), []).append(instr)
    return found


def has_dispatch(module: Module) -> bool:
    """Whether there is anything of dynamic dispatch in `module`."""
    return any(instr.op >= op.TypeInterface for instr in module.globals)


def key_of_callable(callable: Value) -> Instr | None:
    """The requirement that a callable is looked up by; None for a function or what can't be told."""
    while isinstance(callable, Instr):
        if callable.op == op.LookupWitness:
            key = callable.operands[1]
            return key if isinstance(key, Instr) else None
        if callable.op != op.Specialize:
            return None
        callable = callable.value(0)
    return None


def function_of_callable(callable: Value) -> Function | None:
    """The function that a callable is, whatever tables it is bound to; None where a table says which."""
    while isinstance(callable, Instr) and callable.op == op.Specialize:
        callable = callable.value(0)
    return callable if isinstance(callable, Function) else None


def dynamic_callees(module: Module, call: Instr) -> list[Function]:
    """The functions that a CallDynamic may come to: what the tables have for its requirement."""
    direct = function_of_callable(call.value(0))
    if direct is not None:
        return [direct]
    key = key_of_callable(call.value(0))
    users = key.users if key is not None else None
    found: dict[Function, None] = {}
    for table in users if users is not None else module.globals:
        if isinstance(table, Instr) and table.op == op.WitnessTable:
            entries = entries_of(table)
            for entry in entries.values() if key is None else [entries.get(key)]:
                if isinstance(entry, Function):
                    found[entry] = None
    return list(found)
