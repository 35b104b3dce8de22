"""How many elements arrays of buffers, images and samplers have whose type gives no length (OpTypeRuntimeArray).

    Texture2D t[];      given t[2] and 0.1[4], where t is at set 0, binding 1      five elements
                        given nothing of it                                        one

In Vulkan the number is that of a descriptor set (VkDescriptorSetVariableDescriptorCountAllocateInfo). Here the elements
are those up to the last one that is given, zeros where none is, as of other resources; an index past them is reported.
Variables of one set and binding have the same number.

Source: SPIR-V, OpTypeRuntimeArray: "Its length is not known at compile time."
"""

import re
from collections.abc import Iterable
from typing import Final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import pointee, storage_of
from reknit.sim.decorations import Decorations
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.digits import saturated
from reknit.source.place import Place

MAX_ELEMENTS: Final = 2048
"""As many buffers of a binding have addresses of their own (`sim.addresses`)."""
_ELEMENT: Final = re.compile(r"(.*)\[(\d+)\]", re.DOTALL)
_RESOURCES: Final = (
    enums.StorageClassUniformConstant,
    enums.StorageClassUniform,
    enums.StorageClassStorageBuffer,
)


def is_unsized(variable: Instr) -> bool:
    """Whether it is an array of resources without a length."""
    if variable.op != op.Variable or variable.type is None or storage_of(variable.type) not in _RESOURCES:
        return False
    return pointee(variable.type).op == op.TypeRuntimeArray


def lengths_of(module: Module, decorations: Decorations, bound: Iterable[str]) -> dict[Instr, int]:
    """By variable of which something is given; `bound` are the names that a run is given ("t[2]", "0.1[4]"). Raises
    InputError (RK1004)."""
    arrays = [variable for variable in module.globals if is_unsized(variable)]
    if not arrays:
        return {}
    known: dict[str, int] = {}
    for name in bound:
        element = _ELEMENT.fullmatch(name)
        if element is not None:
            known[element[1]] = max(known.get(element[1], 0), saturated(element[2]) + 1)
    lengths: dict[str, int] = {}
    for variable in arrays:
        place = place_of_array(variable, decorations)
        name = variable.name or pointee(variable.type).instr(0).name if variable.type is not None else ""
        length = max(known.get(name, 0), known.get(place, 0))
        if length > MAX_ELEMENTS:
            message = f"element {length - 1} of {name or place!r} was given; an array without a length may have"
            help = f"the run has all elements up to the last one that is given, {MAX_ELEMENTS} at most"
            raise InputError([Diagnostic("RK1004", f"{message} {MAX_ELEMENTS} here", Place(module.path), help=help)])
        lengths[place] = max(lengths.get(place, 0), length)
    of_all = {variable: lengths[place_of_array(variable, decorations)] for variable in arrays}
    return {variable: length for variable, length in of_all.items() if length}


def place_of_array(variable: Instr, decorations: Decorations) -> str:
    """Its set and binding: "0.1"; what has none is alone."""
    numbers = [
        decorations.number(variable, kind) for kind in (enums.DecorationDescriptorSet, enums.DecorationBinding)
    ]
    return f"{numbers[0]}.{numbers[1]}" if min(numbers) >= 0 else f"%{variable.id}"
