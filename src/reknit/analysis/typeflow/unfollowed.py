"""Pointers that type flow doesn't follow: into the program's own storage, to something dynamic, of no one variable.

    %cell = Variable Private : ptr<Private, %IFoo>      a variable and what is chained from it: one set for the program
    func @set(%to: ptr<Function, %IFoo>)                a place of the caller's: followed in each context
    func @set(%to: ptr<Private, %IFoo>)                 any of the module's variables: refused

So is a pointer that a phi, a selection or a call gives, where variable pointers allow that (Workgroup).
"""

from typing import Final

from reknit.analysis.typeflow.access_paths import OWN_STORAGE
from reknit.analysis.typeflow.lattice import Forms
from reknit.ir import enums, op, traits
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.ir.walk import instructions
from reknit.source.diagnostic import Diagnostic, InputError

_NAMES: Final = {enums.StorageClassPrivate: "Private", enums.StorageClassWorkgroup: "Workgroup"}


def refuse_unfollowed(module: Module, forms: Forms, functions: dict[Function, None]) -> None:
    """Raise InputError (RK2625) for all such pointers in `functions`. Costs their instructions."""
    faults: list[Diagnostic] = []
    for function in functions:
        for value in [*function.params, *instructions(function)]:
            if not _is_unfollowed(value, forms):
                continue
            assert value.type is not None
            name = f"%{value.name}" if value.name else "a pointer"
            where = f"@{function.name}" if function.name else "a function"
            storage = _NAMES[storage_of(value.type)]
            message = (
                f"{name} of {where} may point into any variable of storage class {storage}, to an object of dynamic "
                "type, and type flow follows single variables"
            )
            help = "use the variable itself, or pass a pointer to a copy of storage class Function"
            at = function if value.op == op.FunctionParameter else value
            faults.append(Diagnostic("RK2625", message, place_of(at, module), help=help))
    if faults:
        raise InputError(faults)


def _is_unfollowed(value: Instr, forms: Forms) -> bool:
    if value.type is None or value.type.op != op.TypePointer or storage_of(value.type) not in OWN_STORAGE:
        return False
    return value.op not in traits.OBJECT_CHAIN and value.op != op.CopyObject and forms.pointee(value.type) is not None
