"""New local variables, and assignments: also of what holds resources, which are assigned by name.

    struct S { Texture2D t; int n; }    S s = p;    s.t stands for p.t from here on, s.n is a variable and is stored
"""

from reknit.front.slang.builtins.rays import QUERY, opaque_type
from reknit.front.slang.builtins.shapes import constant
from reknit.front.slang.lower.lvalues import Memory, Place, variable
from reknit.front.slang.lower.resource_places import Resource, Slot, Tree, settled
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.types import ArrayType, ResourceType, StructType, TupleType, Type


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
    elif isinstance(place, Slot) and isinstance(place.type, ResourceType) and place.type.kind == QUERY:
        type = opaque_type(low, QUERY)
        place.current = Resource(place.type, variable(low, type, "query"), [], type, False)


def copy(low: Lowering, target: Place, source: Place) -> None:
    """`target = source`, resources by name."""
    source = settled(source)
    if isinstance(target, Slot):
        if target.current is not None and target.current is not source and not _same(target.current, source):
            low.refuse(0, "which resource a variable stands for must be known when the shader is compiled")
        target.current = source
    elif isinstance(target, Tree):
        for index, part in enumerate(target.parts):
            copy(low, part, part_of(low, source, index, part.type))
    elif not isinstance(target, Resource):
        target.store(low, source.load(low))
    elif not _same(target, source):
        low.refuse(0, "a shader parameter that is a resource can't be assigned")


def part_of(low: Lowering, place: Place, index: int, type: Type) -> Place:
    if isinstance(place.type, ArrayType):
        return place.element(low, low.word(index), type)
    return place.field(low, index, type)


def _same(a: Place, b: Place) -> bool:
    return isinstance(a, Resource) and isinstance(b, Resource) and a.pointer is b.pointer and a.indices == b.indices
