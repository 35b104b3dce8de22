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
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value

NO_ID: Final = 0xFFFFFFFF
"""The sequential id of a table without one, and of none."""

# --- making -----------------------------------------------------------------------------------------------------------


SPECIALIZE_ONLY: Final = "Specialize"
"""What an interface is decorated with (UserSemantic) that no call is to be dispatched by."""


OPEN: Final = "Open"
"""What an interface is decorated with whose values in public storage may be of types that the program doesn't know."""


def specialize_only(module: Module) -> dict[Instr, None]:
    """The interfaces that are decorated with SPECIALIZE_ONLY."""
    return _decorated(module, SPECIALIZE_ONLY)


def open_interfaces(module: Module) -> dict[Instr, None]:
    """The interfaces that are decorated with OPEN."""
    return _decorated(module, OPEN)


def _decorated(module: Module, wanted: str) -> dict[Instr, None]:
    decorated: dict[Instr, None] = {}
    for note in module.decorations:
        if note.op == op.DecorateString and note.word(1) == enums.DecorationUserSemantic:
            target = note.instr(0)
            if target.op == op.TypeInterface and note.text(2) == wanted:
                decorated[target] = None
    return decorated


def interface_type(module: Module, name: str, any_value_size: int = 0) -> Instr:
    """A new interface; two of one name are different. `any_value_size` is in bytes, 0 if it is not declared."""
    interface = Instr(op.TypeInterface, None, [name, any_value_size], name)
    module.globals.append(interface)
    return interface


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
    new_requirement = Instr(op.Requirement, interface, [name], name)
    module.globals.append(new_requirement)
    return new_requirement


# --- asking -----------------------------------------------------------------------------------------------------------


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


def type_of_table(table: Instr) -> object:
    """What distinguishes the types of elements of a set of tables: the conforming type, or what stands for none."""
    return conforming_type(table) if table.op == op.WitnessTable else table.op


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
    entries: dict[Value, Value] = {}
    for index in range(2, len(table.operands) - 1, 2):
        entries.setdefault(table.value(index), table.value(index + 1))
    return entries


def tables_of(module: Module) -> dict[Value, list[Instr]]:
    """By interface: all tables that conform to it, in module order."""
    tables: dict[Value, list[Instr]] = {}
    for instr in module.globals:
        if instr.op == op.TypeInterface:
            tables.setdefault(instr, [])
        elif instr.op == op.WitnessTable:
            tables.setdefault(interface_of(instr), []).append(instr)
    return tables


def has_dispatch(module: Module) -> bool:
    """Whether there is anything of dynamic dispatch in `module`."""
    return any(instr.op >= op.TypeInterface for instr in module.globals)


def key_of_callable(callable: Value) -> Instr | None:
    """The requirement that a callable is looked up by; None for a function or what isn't known."""
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
    """The functions that a CallDynamic may come to: what the tables have for its requirement; where its callable came
    as a value, all that fit."""
    direct = function_of_callable(call.value(0))
    if direct is not None:
        return [direct]
    key = key_of_callable(call.value(0))
    callees: dict[Function, None] = {}
    for table in key.users if key is not None else ():
        if isinstance(table, Instr) and table.op == op.WitnessTable:
            entry = entry_of(table, key) if key is not None else None
            if isinstance(entry, Function):
                callees[entry] = None
    return list(callees) if key is not None else _fitting(module, call)


def _fitting(module: Module, call: Instr) -> list[Function]:
    """The functions of tables, and those that are used as values, that take the arguments of a call, after tables that
    may be bound to them."""
    given = len(call.operands) - 1
    callable = call.operands[0]
    type = callable.type if isinstance(callable, Instr) else None
    if type is not None and type.op == op.TypeElementOfSet:
        return _in_set(type.instr(0))
    fitting: list[Function] = []
    for function in module.functions:
        bound = len(function.params) - given
        tables = [param.type for param in function.params[: max(bound, 0)]]
        fits = bound >= 0 and all(type is not None and type.op == op.TypeWitnessTable for type in tables)
        if fits and _is_void(function.result) == _is_void(call.type) and is_taken(function):
            fitting.append(function)
    return fitting


def _in_set(members: Instr) -> list[Function]:
    """The functions of a set of callables."""
    functions: dict[Function, None] = {}
    for index in range(len(members.operands)):
        element = members.value(index)
        while isinstance(element, Instr) and element.op == op.Specialize:
            element = element.value(0)
        entry: Value | None = element
        if isinstance(element, Instr) and element.op == op.LookupWitness:
            entry = entry_of(element.instr(0), element.value(1))
        if isinstance(entry, Function):
            functions[entry] = None
    return list(functions)


def _is_void(type: Instr | None) -> bool:
    return type is not None and type.op == op.TypeVoid


def is_taken(function: Function) -> bool:
    """Whether a function is in a table, or used as a value: its callers aren't known from its name."""
    for user in function.users:
        if isinstance(user, Instr):
            calls = user.op in (op.FunctionCall, op.CallDynamic)
            if function in user.operands[1 if calls else 0 :]:
                return True
    return False
