"""Callables and types as values, and tags of sets of them.

    GetElementFromTag %t          the table, callable or type itself; 0 for none, never set, or not known
    GetTagForSpecializedSet       the place of the tag's callable with those tables bound to it
    IsSameType %t, %u             whether two values have the same type

A tag is the place of its element in the set; an element that the result's set lacks is reported.
"""

from collections.abc import Callable
from typing import Any

from reknit.ir import op
from reknit.ir.callables import (
    SPECIAL,
    bound_table,
    constant_callable,
    identity,
    place_in,
    specialized,
    without_bound,
)
from reknit.ir.dispatch import type_of_table
from reknit.ir.dispatch_sets import elements_of, set_of
from reknit.ir.instr import Instr
from reknit.sim.kernel import Step
from reknit.sim.prepare import Preparation
from reknit.sim.values import null_value


def element_step(preparation: Preparation, instr: Instr) -> Step | None:
    """The step of an instruction about elements; None for other instructions."""
    code = instr.op
    if instr.type is None:
        return None
    if code == op.IsSameType:
        return same_type(preparation, instr)
    if code == op.GetElementFromTag:
        return element_of_tag(preparation, instr)
    if code == op.GetTagOfElementInSet and instr.instr(0).block is not None:
        return tag_of_element(preparation, instr)
    if code == op.GetTagForSpecializedSet:
        return specialize_tag(preparation, instr)
    given = instr.instr(0).type if instr.operands and isinstance(instr.operands[0], Instr) else None
    if given is None:
        return None
    if code == op.GetTypeTagFromTaggedUnion:
        known = places_in(instr.type)
        return by_place(preparation, instr, given, known, type_of_table, lambda union: union[0])
    if code == op.GetTagForGenericSet:
        return generic_tag(preparation, instr, given)
    if code == op.GetTagOfBoundTable:
        index = instr.word(1)
        known = places_in(instr.type)
        return by_place(preparation, instr, given, known, lambda each: bound_table(each, index), lambda tag: tag)
    return None


def generic_tag(preparation: Preparation, instr: Instr, given: Instr) -> Step:
    """The place of the element that is of the same function and table, whatever is bound to it."""
    assert instr.type is not None
    known = {without_bound(element): place for place, element in enumerate(elements_of(set_of(instr.type)))}
    return by_place(preparation, instr, given, known, without_bound, lambda tag: tag)


def value_of(element: Instr) -> Any:
    """An element as the simulator has it where there are no tags."""
    if element.op in SPECIAL:
        return 0
    if element.op in (op.LookupWitness, op.Specialize):
        return constant_callable(element) or 0
    return element


def places_in(type: Instr | None) -> dict[object, int]:
    """By identity: the place of each element of a tag's set."""
    assert type is not None
    return {identity(element): place for place, element in enumerate(elements_of(set_of(type)))}


def element_of_tag(preparation: Preparation, instr: Instr) -> Step:
    given = instr.instr(0).type
    assert given is not None
    values = [value_of(element) for element in elements_of(set_of(given))]
    out = preparation.column(instr)
    source = preparation.column(instr.value(0))

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = values[source[lane]]

    return run


def tag_of_element(preparation: Preparation, instr: Instr) -> Step:
    """The place of a value that is known to be in the set. Of what is nothing there may be several: the first."""
    assert instr.type is not None
    elements = elements_of(set_of(instr.type))
    values = [value_of(element) for element in elements]
    out = preparation.column(instr)
    source = preparation.column(instr.value(0))
    undefined = preparation.undefined(instr)

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            if source[lane] in values:
                out[lane] = values.index(source[lane])
            else:
                undefined.lane = lane
                out[lane] = undefined.say("the element is not in the result's set")

    return run


def by_place(
    preparation: Preparation,
    instr: Instr,
    given: Instr,
    known: dict[object, int],
    wanted: Callable[[Instr], object],
    tag_of: Callable[[Any], int],
) -> Step:
    """A tag to another: that of what each element of the given tag's set leads to."""
    places: list[int] = []
    for element in elements_of(set_of(given)):
        place = place_in(known, wanted(element))
        places.append(-1 if place is None else place)
    out = preparation.column(instr)
    source = preparation.column(instr.value(0))
    undefined = preparation.undefined(instr)

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            place = places[tag_of(source[lane])]
            if place < 0:
                undefined.lane = lane
                undefined.say("the element is not in the result's set")
                place = 0
            out[lane] = place

    return run


def specialize_tag(preparation: Preparation, instr: Instr) -> Step:
    known = places_in(instr.type)
    sets: list[list[Instr]] = []
    for index in range(len(instr.operands)):
        type = instr.instr(index).type
        assert type is not None
        sets.append(elements_of(set_of(type)))
    out = preparation.column(instr)
    columns = [preparation.column(instr.value(index)) for index in range(len(instr.operands))]
    undefined = preparation.undefined(instr)

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            parts = [members[column[lane]] for members, column in zip(sets, columns, strict=True)]
            place = place_in(known, specialized(parts[0], tuple(parts[1:])))
            if place is None:
                undefined.lane = lane
                undefined.say("the element is not in the result's set")
                place = 0
            out[lane] = place

    return run


def same_type(preparation: Preparation, instr: Instr) -> Step:
    out = preparation.column(instr)
    first = preparation.column(instr.value(0))
    second = preparation.column(instr.value(1))
    undefined = preparation.undefined(instr)
    null = null_value(preparation.shape(instr))

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            if first[lane] == 0 or second[lane] == 0:
                undefined.lane = lane
                undefined.say("there is no value whose type could be compared")
                out[lane] = null
            else:
                out[lane] = 1 if first[lane] is second[lane] else 0

    return run
