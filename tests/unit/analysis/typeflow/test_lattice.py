"""What is known of composites, place by place: reading, writing and joining against a dictionary of single places.

    struct { IFoo f; struct { IFoo g; u32 n; } h[2]; IFoo many[100]; }      f   h.0.g   h.1.g   many.* (they are one)

A path with an index that isn't known leads to several places: what is read there is what all of them may have, and what
is written there is added to each.
"""

import random

import pytest

from reknit.analysis.typeflow.context import Env, overlap
from reknit.analysis.typeflow.lattice import (
    EACH_UNSET,
    EVERYTHING,
    MAX_ELEMENTS,
    NOTHING,
    OUTSIDE,
    UNSET,
    Form,
    Forms,
    Info,
    join,
    part_of,
    read,
    write,
)
from reknit.analysis.typeflow.type_sets import Universe
from reknit.ir import op
from reknit.ir.constants import int_constant
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.types import int_type

Places = dict[tuple[int, ...], int]
BITS = 16


def drawn(chance: random.Random, module: Module, deep: int) -> Form:
    """A form of random nesting; arrays of 1 to 3 elements, or of more than are told apart."""
    kind = chance.choice(["leaf", "struct", "array"]) if deep else "leaf"
    if kind == "leaf":
        return Form(0, Instr(op.TypeInterface, None, []), [], 0)
    if kind == "struct":
        parts = [
            drawn(chance, module, deep - 1) if chance.random() < 0.8 else None for _ in range(chance.randint(1, 3))
        ]
        parts[-1] = parts[-1] or drawn(chance, module, 0)
        return Form(3, Instr(op.TypeStruct, None, []), parts, len(parts))
    length = chance.choice([1, 2, 3, MAX_ELEMENTS + 1])
    part = drawn(chance, module, deep - 1)
    type = Instr(op.TypeArray, None, [part.type, int_constant(module, int_type(module, 32, False), length)])
    return Form(4, type, [part], length if length <= MAX_ELEMENTS else 1)


def places(form: Form | None) -> list[tuple[int, ...]]:
    if form is None:
        return []
    if form.kind < 3:
        return [()]
    return [(index, *rest) for index in range(form.count) for rest in places(form.part(index))]


def info_of(form: Form | None, known: Places, at: tuple[int, ...] = ()) -> Info:
    if form is None:
        return None
    if form.kind < 3:
        return known[at]
    return tuple([info_of(form.part(index), known, (*at, index)) for index in range(form.count)])


def path_into(chance: random.Random, form: Form) -> list[int]:
    """To something of the form that has something in it; indices into arrays may be unknown."""
    path: list[int] = []
    at: Form = form
    while at.kind >= 3 and chance.random() < 0.8:
        inner = [index for index in range(len(at.parts)) if at.parts[index] is not None]
        index = chance.choice(inner if at.kind == 3 else range(at.count))
        path.append(-1 if at.kind == 4 and chance.random() < 0.4 else index)
        part = at.part(index)
        assert part is not None
        at = part
    return path


def led_to(form: Form, path: list[int]) -> tuple[list[tuple[int, ...]], bool]:
    """The places that a path may lead to, as what its indices can be; and whether it is but one place."""
    found: list[tuple[int, ...]] = [()]
    is_one = True
    at: Form | None = form
    for index in path:
        assert at is not None
        choices = [index]
        if at.kind == 4:
            length = at.type.instr(1).word(0)
            choices = list(range(at.count)) if index < 0 or at.count == 1 else [index]
            is_one = is_one and len(choices) == 1 and (at.count > 1 or length == 1)
        found = [(*before, choice) for before in found for choice in choices]
        at = at.part(max(index, 0))
    return found, is_one


def test_reading_and_writing() -> None:
    for seed in range(400):
        chance = random.Random(seed)
        form = drawn(chance, Module(), 3)
        known = {place: chance.randrange(BITS) for place in places(form)}
        info = info_of(form, known)
        path = path_into(chance, form)
        choices, is_one = led_to(form, path)
        inner: Form | None = form
        for index in path:
            assert inner is not None
            inner = inner.part(max(index, 0))
        there: Places = {}
        for place, bits in known.items():
            for choice in choices:
                if place[: len(choice)] == choice:
                    there[place[len(choice) :]] = there.get(place[len(choice) :], 0) | bits
        assert read(form, info, path) == info_of(inner, there), seed
        new = {place: chance.randrange(BITS) for place in places(inner)}
        after = dict(known)
        for place in known:
            for choice in choices:
                if place[: len(choice)] == choice:
                    added = new[place[len(choice) :]]
                    after[place] = added if is_one else known[place] | added
        assert write(form, info, path, info_of(inner, new)) == info_of(form, after), seed
        other = {place: chance.randrange(BITS) for place in known}
        both = {place: bits | other[place] for place, bits in known.items()}
        assert join(info, info_of(form, other)) == info_of(form, both), seed
        assert join(info, None) == info and join(None, info) == info


def test_what_is_not_there_is_not_read_nor_written() -> None:
    form = Form(3, Instr(op.TypeStruct, None, []), [Form(0, Instr(op.TypeInterface, None, []), [], 0), None], 2)
    info: Info = (3, None)
    assert read(form, info, [2]) is None and read(form, info, [1, 0]) is None and read(None, info, [0]) is None
    assert write(form, info, [2], 4) == info and write(None, info, [0], 4) == info
    assert write(form, info, [1], None) == info and write(form, 5, [0], 4) == 5
    assert part_of(7, 1) == 7 and part_of(info, 0) == 3


def test_paths_overlap_where_one_may_lead_into_the_other() -> None:
    chance = random.Random(0)
    for _ in range(2000):
        first = tuple([chance.randrange(3) for _ in range(chance.randrange(4))])
        second = [chance.randrange(-1, 3) for _ in range(chance.randrange(4))]
        concrete: list[tuple[int, ...]] = [()]
        for index in second:
            concrete = [(*before, each) for before in concrete for each in ([index] if index >= 0 else range(3))]
        meets = any(path[: len(first)] == first or first[: len(path)] == path for path in concrete)
        assert overlap(first, second) == meets


def test_what_a_place_holds_until_something_else_may_be_there() -> None:
    root, other = Instr(op.Variable, None, []), Instr(op.Variable, None, [])
    value = Instr(op.Undef, None, [])
    env = Env({}, {}, {}, {})
    env.hold(root, [-1], value)
    assert env.held == {}
    for each, path in ((root, [0, 1]), (root, [0]), (root, [1]), (other, [0])):
        env.hold(each, path, value)
    copy = env.copy()
    copy.forget(root, [0], whole=True)
    assert list(copy.held) == [(root, (0, 1)), (root, (1,)), (other, (0,))]
    copy = env.copy()
    copy.forget(root, [0])
    assert list(copy.held) == [(root, (1,)), (other, (0,))]
    copy = env.copy()
    copy.forget(root, [-1], whole=True)
    assert list(copy.held) == [(other, (0,))]
    assert len(env.held) == 4


# --- forms of types ---------------------------------------------------------------------------------------------------

TYPES = """Capability Shader
%IFoo = TypeInterface "IFoo" 0
%WT = TypeWitnessTable %IFoo
%This = TypeThis %IFoo
%Item = Requirement "Item" : %IFoo
%Assoc = TypeAssociated %Item
%A = TypeStruct u32
%B = TypeStruct f32
%WA = WitnessTable %A 0 %Item, %B : %WT
%WB = WitnessTable %B 4294967295 %Item, %A : %WT
%Plain = TypeStruct u32, f32
%Mixed = TypeStruct u32, %IFoo
%two = TypeArray %IFoo, 2u
%many = TypeArray %IFoo, 65u
%most = TypeArray %IFoo, 64u
%any = TypeRuntimeArray %Mixed
%plain = TypeArray u32, 2u
"""
A, B, NONE, NEVER = 1, 2, 4, 8
FILLED: dict[str, dict[int, Info]] = {
    "IFoo": {NOTHING: 0, UNSET: NEVER, EACH_UNSET: NEVER, EVERYTHING: A | B | NONE, OUTSIDE: A | NONE},
    "WT": {NOTHING: 0, UNSET: NEVER, EVERYTHING: A | B, OUTSIDE: A},
    "This": {NOTHING: 0, UNSET: 0, EACH_UNSET: 0, EVERYTHING: A | B, OUTSIDE: A | B},
    "Assoc": {NOTHING: 0, UNSET: 0, EVERYTHING: A | B},
    "Plain": {EVERYTHING: None, UNSET: None},
    "plain": {EVERYTHING: None},
    "Mixed": {UNSET: (None, NEVER), EVERYTHING: (None, A | B | NONE)},
    "two": {UNSET: (0, 0), EACH_UNSET: (NEVER, NEVER), OUTSIDE: (A | NONE, A | NONE)},
    "many": {EACH_UNSET: (NEVER,), EVERYTHING: (A | B | NONE,)},
    "most": {EACH_UNSET: (NEVER,) * 64},
    "any": {EACH_UNSET: ((None, NEVER),), UNSET: ((None, 0),)},
}


@pytest.mark.parametrize("name", FILLED)
def test_a_form_with_one_kind_of_set_everywhere(name: str) -> None:
    """WB has no sequential id, so no value of it comes from outside. Types are numbered A, B as tables are."""
    module = parse(TYPES)
    forms = Forms(Universe(module))
    type = next(each for each in module.globals if each.name == name)
    for wanted, info in FILLED[name].items():
        assert forms.fill(forms.of(type), wanted) == info, wanted
