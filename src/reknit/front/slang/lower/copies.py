"""New local variables, and assignments: also of what holds resources, which are assigned by name.

    struct S { Texture2D t; int n; }    S s = p;    s.t stands for p.t from here on, s.n is a variable and is stored
"""

from typing import Final

from reknit.front.slang.builtins.rays import QUERY, opaque_type
from reknit.front.slang.builtins.shapes import constant
from reknit.front.slang.lower.lvalues import Memory, Place, variable
from reknit.front.slang.lower.resource_places import Chosen, Resource, Slot, Tree, settled, word_of
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.types import ArrayType, ResourceType, StructType, TupleType, Type
from reknit.ir import op
from reknit.ir.constants import as_int
from reknit.ir.value import Value

COPIED: Final = "a ray query can't be assigned or copied"


def fresh(low: Lowering, type: Type, name: str) -> Place:
    """A new local variable of any type."""
    if not low.has_resources(type):
        return Memory(type, variable(low, low.ir_type(type), name), [])
    if isinstance(type, (StructType, TupleType)):
        return Tree(type, [fresh(low, own, f"{name}.{index}") for index, own in enumerate(low.field_types(type))])
    if isinstance(type, ArrayType) and type.count is not None:
        return Tree(type, [fresh(low, type.element, name) for _ in range(constant(type.count))])
    return Slot(type)


def start_queries(low: Lowering, place: Place) -> None:
    """A ray query is no parameter but a variable, from its declaration on."""
    if isinstance(place, Tree):
        for part in place.parts:
            start_queries(low, part)
    elif isinstance(place, Slot) and is_query(place.type):
        type = opaque_type(low, QUERY)
        place.current = Resource(place.type, variable(low, type, "query"), [], type, False, [])


def is_query(type: Type) -> bool:
    return isinstance(type, ResourceType) and type.kind == QUERY


def copy(low: Lowering, target: Place, source: Place) -> None:
    """`target = source`, resources by name."""
    source = settled(source)
    if isinstance(target, Slot):
        if is_query(target.type) and target.current is not None and not _same(target.current, source):
            low.refuse(0, COPIED)
            return
        if isinstance(source, Resource) and _is_chosen(target, source):
            _choose(low, target, source)
            return
        here = target.region is not None and low.builder.block.region is target.region
        if target.current is not None and not here and not _same(target.current, source):
            low.refuse(0, "which resource a variable stands for must be known when the shader is compiled")
        target.current = source
    elif isinstance(target, Tree):
        for index, part in enumerate(target.parts):
            copy(low, part, part_of(low, source, index, part.type))
    elif not isinstance(target, Resource):
        target.store(low, source.load(low))
    elif not _same(target, source):
        low.refuse(0, "a shader parameter that is a resource can't be assigned")


def _is_chosen(target: Slot, source: Resource) -> bool:
    """Whether which element it is may differ where the variable is used, or is computed where that is not seen."""
    if not source.indices or target.times == 0:
        return False
    return target.times > 1 or any(as_int(index) is None for index in source.indices)


def _choose(low: Lowering, target: Slot, source: Resource) -> None:
    """The indices in variables. The array is the same each time."""
    chosen = target.current
    if isinstance(source, Chosen):
        source = source.now(low)
    if chosen is None:
        numbers: list[Value] = [variable(low, low.u32, "which") for _ in source.indices]
        chosen = Chosen(source.type, source.pointer, numbers, source.pointee, source.loaded, source.counts)
        target.current = chosen
    if not isinstance(chosen, Chosen) or chosen.pointer is not source.pointer:
        low.refuse(0, "which resource a variable stands for must be known when the shader is compiled")
        return
    for number, index in zip(chosen.indices, source.indices, strict=True):
        low.effect(op.Store, [number, word_of(low, index)])


def part_of(low: Lowering, place: Place, index: int, type: Type) -> Place:
    if isinstance(place.type, ArrayType):
        return place.element(low, low.word(index), type)
    return place.field(low, index, type)


def _same(a: Place, b: Place) -> bool:
    if a is b:
        return True
    return isinstance(a, Resource) and isinstance(b, Resource) and a.pointer is b.pointer and a.indices == b.indices
