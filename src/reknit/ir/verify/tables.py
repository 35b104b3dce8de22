"""What witness tables have for a requirement is what is looked up by it.

    %WA = WitnessTable %A 0 %foo, @A_foo          @A_foo(%this: %A, %v: u32) -> u32
    LookupWitness %w, %foo : fn(%This, u32) -> u32     as many parameters; numbers are the same; %This is A's own

A table may lack an entry: a call of it all the same is reported when that runs.
"""

from typing import Final

from reknit.ir import op, traits
from reknit.ir.dispatch import entry_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.ir.verify.report import Report

PLAIN: Final = traits.SCALAR_TYPE | {op.TypeVoid, op.TypeVector, op.TypeMatrix}
"""Types that a method has as its requirement does: no other stands for them."""


def check_tables(report: Report, module: Module) -> None:
    """Costs the uses of requirements; of each its tables times the types that it is looked up as, nearly always one."""
    for key in module.globals:
        if key.op != op.Requirement:
            continue
        asked: dict[Instr, None] = {}
        tables: dict[Instr, None] = {}
        for user in key.users:
            if isinstance(user, Instr) and user.op == op.WitnessTable:
                tables[user] = None
            elif isinstance(user, Instr) and user.op == op.LookupWitness and user.block is not None:
                asked.update({user.type: None} if user.type is not None else {})
        for table in tables:
            entry = entry_of(table, key)
            for type in asked if entry is not None else ():
                message = _misfit(entry, type)
                if message:
                    report.fault("RK0430", f'for "{_name(key)}" {message}', None, table)
                    break


def _name(key: Instr) -> str:
    return key.operands[0] if key.operands and isinstance(key.operands[0], str) else ""


def _misfit(entry: Value | None, type: Instr) -> str:
    """Why an entry isn't what is looked up as a `type`."""
    if type.op == op.TypeFunction:
        return _other_function(entry, type) if isinstance(entry, Function) else "it has no function, and one is called"
    if type.op == op.TypeWitnessTable:
        return "" if isinstance(entry, Instr) and entry.type is type else "it has no witness table of what is asked for"
    if type.op == op.TypeType:
        return "" if isinstance(entry, Instr) and entry.type is None else "it has no type, and one is asked for"
    return ""


def _other_function(function: Function, type: Instr) -> str:
    wanted = len(type.operands) - 1
    if len(function.params) != wanted:
        return f"it has a function of {len(function.params)} parameters, which is called with {wanted}"
    own = [function.result, *[param.type for param in function.params]]
    for index, declared in enumerate(type.operands):
        given = own[index]
        plain = isinstance(declared, Instr) and declared.op in PLAIN
        void = given is not None and given.op == op.TypeVoid
        if given is not declared and (plain or void):
            what = f"parameter {index}" if index else "result"
            return f"it has a function whose {what} is of another type than the requirement's"
    return ""
