"""Descriptors by their number: what a handle stands for is an element of an array that the whole program shares.

    Texture2D.Handle h = { 7, 0 };  h[xy]      OpAccessChain %heap 7        %heap: an array of such textures

As slangc has it (VK_EXT_mutable_descriptor_type): a variable for each type, all in the first set that nothing else is
in, samplers at binding 0, combined textures at 1, everything else at 2.
"""

from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.builtins import resources
from reknit.front.slang.builtins.kinds import ACCELERATION, SAMPLERS, is_combined
from reknit.front.slang.builtins.shapes import count_of
from reknit.front.slang.lower.body import Body
from reknit.front.slang.lower.lvalues import Computed, Place
from reknit.front.slang.lower.parameters import READ_ONLY, Bindings, array_of
from reknit.front.slang.lower.resource_places import Resource
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.types import UINT, ResourceType, StructType, TupleType, Type
from reknit.ir import enums, op
from reknit.ir.instr import Instr

_COMBINED: Final = 1
_OTHERS: Final = 2


def described(body: Body, expr: hir.Deref, type: Type) -> Place:
    """The descriptor of a handle, or of a heap's element."""
    low = body.low
    handle = body.place(expr.base)
    assert isinstance(handle.type, StructType)
    number_type = low.field_types(handle.type)[0]
    number = handle.field(low, 0, number_type)
    if count_of(number_type) > 1:
        number = number.element(low, low.word(0), UINT)
    if not isinstance(type, ResourceType) or type.kind == ACCELERATION or _has_own_bindings(low, type):
        low.refuse(expr.at, f"'{type}' is no descriptor of a heap here: declare a shader parameter of it")
        return Computed(type, low.undefined(UINT))
    index = number.load(low)
    variable, pointee = _heap(low, type)
    return Resource(type, variable, [index], pointee, resources.is_loaded(type), [0])


def _has_own_bindings(low: Lowering, type: ResourceType) -> bool:
    held = type.element
    return isinstance(held, (StructType, TupleType)) and low.has_resources(held)


def _heap(low: Lowering, type: ResourceType) -> tuple[Instr, Instr]:
    """The array of all descriptors of the type, and what one of them is."""
    storage, pointee = resources.declared(low, type)
    variable = low.heaps.get(type.key)
    if variable is None:
        heap = low.pointer(storage, array_of(low, pointee, 0))
        variable = Instr(op.Variable, heap, [storage], f"{type.kind}.heap")
        low.module.globals.append(variable)
        low.places.starts[variable] = low.at
        low.heaps[type.key] = variable
        if type.kind in READ_ONLY:
            low.decorate(variable, enums.DecorationNonWritable)
        low.decorate(variable, enums.DecorationBinding, _binding(type))
    return variable, pointee


def _binding(type: ResourceType) -> int:
    if type.kind in SAMPLERS:
        return 0
    return _COMBINED if is_combined(type.kind) else _OTHERS


def finish(low: Lowering, bindings: Bindings) -> None:
    """All shader parameters are known, and so which set is free."""
    free = 0
    while bindings.used.get(free):
        free += 1
    for variable in low.heaps.values():
        low.decorate(variable, enums.DecorationDescriptorSet, free)
        if len(low.heaps) > 1:
            low.decorate(variable, enums.DecorationAliased)
