"""Sets of witness tables, tags and unions: what `specialize-dispatch` makes of existentials.

    a tag        the place of its element in the set: 0, 1, 2 ...
    a union      (type, value): what it was packed from; unpacked as another type its bits are read as that
    a tagged union is a struct of both

`CastInterfaceToTaggedUnionPtr` gives no pointer of its own: loads and stores through it convert.
"""

from collections.abc import Callable
from typing import Any

from reknit.ir import op
from reknit.ir.callables import identity, place_in
from reknit.ir.dispatch import NO_ID, conforming_type, sequential_id
from reknit.ir.instr import Instr
from reknit.sim.existential import EMPTY, NONE
from reknit.sim.kernel import Step
from reknit.sim.ops.elements import places_in
from reknit.sim.prepare import Preparation
from reknit.sim.unsupported import Unsupported


def tagged_step(preparation: Preparation, instr: Instr) -> Step | None:
    code = instr.op
    if code == op.CastInterfaceToTaggedUnionPtr:
        return None
    out = preparation.column(instr)
    if code == op.GetTagOfElementInSet:
        place = elements_of(instr.type).index(instr.instr(0))

        def constant(lanes: list[int]) -> None:
            for lane in lanes:
                out[lane] = place

        return constant
    if code == op.MakeTaggedUnion:
        second = preparation.column(instr.value(1))
        first = preparation.column(instr.value(0))

        def both(lanes: list[int]) -> None:
            for lane in lanes:
                out[lane] = (first[lane], second[lane])

        return both
    if code == op.UnionFromPublic:
        return from_public(preparation, instr)
    function = function_of(preparation, instr)
    source = preparation.column(instr.value(0))

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = function(lane, source[lane])

    return run


def elements_of(tag: Instr | None) -> list[Instr]:
    """The elements of a tag's, or of a tagged union's, set."""
    assert tag is not None and tag.op in (op.TypeSetTag, op.TypeTaggedUnion)
    members = tag.instr(0)
    return [members.instr(index) for index in range(len(members.operands))]


def function_of(preparation: Preparation, instr: Instr) -> Callable[[int, Any], Any]:
    """(lane, operand) -> result, for what has one operand that is a value."""
    code = instr.op
    given = instr.instr(0).type
    if code == op.GetTagFromTaggedUnion:
        return lambda lane, union: union[0]
    if code == op.GetValueFromTaggedUnion:
        return lambda lane, union: union[1]
    if code == op.ReinterpretUnion:
        return lambda lane, union: union
    if code == op.PackUnion:
        return lambda lane, value: (given, value)
    if code == op.UnpackUnion:
        assert instr.type is not None
        return unpack(preparation, instr.type)
    if code == op.TagIsElement:
        place = elements_of(given).index(instr.instr(1))
        return lambda lane, tag: 1 if tag == place else 0
    if code in (op.GetTagForSuperSet, op.GetTagForSubSet, op.GetTagForMappedSet):
        return mapping(preparation, instr)
    if code == op.GetSequentialIdFromTag:
        ids = [sequential_id(element) if element.op == op.WitnessTable else NO_ID for element in elements_of(given)]
        return lambda lane, tag: ids[tag]
    if code == op.GetTagFromSequentialId:
        return from_id(preparation, instr)
    raise Unsupported("is not known to the simulator")


def unpack(preparation: Preparation, type: Instr) -> Callable[[int, Any], Any]:
    interfaces = preparation.globals.interfaces
    nothing = interfaces.unpack(type, [0] * interfaces.layout(type).words())

    def run(lane: int, union: Any) -> Any:
        if union == 0 or union[0] is None:
            return nothing
        return interfaces.convert(union[0], union[1], type)

    return run


def mapping(preparation: Preparation, instr: Instr) -> Callable[[int, Any], Any]:
    """Tag to tag: the same element, or what the element has for a requirement."""
    known = places_in(instr.type)
    places: list[int] = []
    for element in elements_of(instr.instr(0).type):
        wanted = identity(element, instr.value(1) if instr.op == op.GetTagForMappedSet else None)
        place = place_in(known, wanted)
        places.append(-1 if place is None else place)
    undefined = preparation.undefined(instr)

    def run(lane: int, tag: int) -> int:
        if places[tag] < 0:
            undefined.lane = lane
            return undefined.say("the element is not in the result's set")
        return places[tag]

    return run


def from_public(preparation: Preparation, instr: Instr) -> Step:
    """Bits as public storage has them, as the type that the tag stands for."""
    interfaces = preparation.globals.interfaces
    elements = elements_of(instr.instr(0).type)
    given = instr.instr(1).type
    if given is None or given.op == op.TypeUntaggedUnion or interfaces.layout(given).fault is not None:
        raise Unsupported("makes an object from a value that can't be packed")
    source: Instr = given
    out = preparation.column(instr)
    tags = preparation.column(instr.value(0))
    values = preparation.column(instr.value(1))

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            element = elements[tags[lane]]
            out[lane] = EMPTY
            if element.op == op.WitnessTable:
                type = conforming_type(element)
                out[lane] = (type, interfaces.convert(source, values[lane], type))

    return run


def from_id(preparation: Preparation, instr: Instr) -> Callable[[int, Any], Any]:
    """An id that no element has is that of a table that isn't known, where the set has one; else it counts as the last
    one's: any result would do."""
    elements = elements_of(instr.type)
    places: dict[int, int] = {}
    others: int | None = None
    for place, element in enumerate(elements):
        if element.op == op.WitnessUnbounded:
            others = place
        else:
            places.setdefault(sequential_id(element) if element.op == op.WitnessTable else NO_ID, place)
    undefined = preparation.undefined(instr)

    def run(lane: int, number: int) -> int:
        tag = places.get(number, others)
        if tag is None:
            undefined.lane = lane
            undefined.say(f"sequential id {number} is that of no witness table")
            return places[max(places)]
        return tag

    return run


# --- public storage ---------------------------------------------------------------------------------------------------


def is_cast(pointer: object) -> bool:
    return isinstance(pointer, Instr) and pointer.op == op.CastInterfaceToTaggedUnionPtr


def load_tagged(preparation: Preparation, instr: Instr) -> Step:
    """A load through a cast pointer: the existential that is there, as a tag and a union."""
    place = preparation.place(instr.instr(0).value(0), instr)
    elements = elements_of(instr.type)
    out = preparation.column(instr)
    undefined = preparation.undefined(instr)

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            e = place.get(lane)
            if e == NONE or e == 0:
                kinds = (op.WitnessNone,) if e == NONE else (op.WitnessUnbounded, op.WitnessUninitialized)
                at = [index for kind in kinds for index, element in enumerate(elements) if element.op == kind]
                if not at:
                    undefined.lane = lane
                    undefined.say("the existential there is none of the types in its set")
                out[lane] = (at[0] if at else len(elements) - 1, EMPTY)
            else:
                out[lane] = (elements.index(e[0]), (conforming_type(e[0]), e[1]))

    return run


def store_tagged(preparation: Preparation, instr: Instr) -> Step:
    place = preparation.place(instr.instr(0).value(0), instr)
    elements = elements_of(instr.instr(1).type)
    source = preparation.column(instr.value(1))
    interfaces = preparation.globals.interfaces

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            tag, union = source[lane]
            element = elements[tag]
            if element.op == op.WitnessTable:
                type = conforming_type(element)
                value = interfaces.convert(union[0], union[1], type) if union != 0 and union[0] is not None else 0
                place.put(lane, (element, value))
            else:
                place.put(lane, NONE if element.op == op.WitnessNone else 0)

    return run
