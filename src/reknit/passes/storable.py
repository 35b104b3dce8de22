"""Which values a variable of a function may hold.

    bool, int, float, vectors, matrices, arrays and structs of these     yes
    8- and 16-bit numbers that may only be loaded and stored             no
    pointers                                                             if the module has variable or physical pointers
    images, samplers, acceleration structures, ray queries, events       no
    structs and arrays with an explicit layout                           no
    existentials, tables, tags, unions                                   yes, they become structs of words

Source: SPIR-V 1.6, 2.16.1 "Universal Validation Rules" on variable pointers and on opaque types; Vulkan, "Standalone
SPIR-V Validation": storage class Function has no explicit layout.
"""

from typing import Final

from reknit.analysis.decorations import Decorations
from reknit.ir import enums, op, traits
from reknit.ir.capabilities import only_stored
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.passes.contract import Context
from reknit.source.meter import spend

_POINTERS_ARE_VALUES: Final = (
    enums.CapabilityVariablePointers,
    enums.CapabilityVariablePointersStorageBuffer,
    enums.CapabilityAddresses,
)


def unstorable_part(type: Instr, context: Context) -> Instr | None:
    """The part of `type`, or all of it, that keeps a variable of a function from holding it; None if one can."""
    seen: dict[Instr, None] = {type: None}
    work = [type]
    while work:
        spend(1)
        part = work.pop()
        if only_stored(context.module, part):
            return part
        if part.op in traits.STORABLE:
            continue
        if part.op == op.TypePointer:
            if not _pointer_is_value(part, context.module):
                return part
        elif part.op == op.TypeArray or part.op == op.TypeStruct:
            members = part.operands[:1] if part.op == op.TypeArray else part.operands
            for member in members:
                if isinstance(member, Instr) and member not in seen:
                    seen[member] = None
                    work.append(member)
        else:
            return part
    if (type.op == op.TypeArray or type.op == op.TypeStruct) and context.analyses.of_module(Decorations).laid_out(type):
        return type
    return None


def needs_aliasing(type: Instr) -> bool:
    """True if a variable of `type` must say whether what it points to is aliased (SPIR-V 1.6, 2.18.2 "Aliasing")."""
    while type.op == op.TypeArray:
        type = type.instr(0)
    return type.op == op.TypePointer and type.word(0) == enums.StorageClassPhysicalStorageBuffer


def _pointer_is_value(pointer: Instr, module: Module) -> bool:
    if pointer.word(0) == enums.StorageClassPhysicalStorageBuffer:
        return True
    return any(capability.word(0) in _POINTERS_ARE_VALUES for capability in module.capabilities)
