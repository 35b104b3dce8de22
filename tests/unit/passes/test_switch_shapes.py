"""Which switches have to be lowered and why, and the roads they get: each shape by hand from shapes.py, groups.py."""

import pytest

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.text.parser import parse
from reknit.ir.tree import Switch
from reknit.ir.walk import constructs
from reknit.passes.switches.groups import groups_of
from reknit.passes.switches.shapes import ALWAYS, AUTO, FALLTHROUGH, POLICIES, does_nothing, needs_lowering, shape_of

SEE = "%b = GroupNonUniformBallot Subgroup true : vec4<u32>"


def switch(cases: str, selector: str = "%k") -> Switch:
    text = (
        "%spec = SpecConstant 3 : u32\n%global = Variable Private : ptr<Private, u32>\n"
        "func @g() {\nreturn\n}\nfunc @f(%k: u32, %c: bool) {\n%v = Variable Function : ptr<Function, u32>\n"
        f"switch {selector} as @s {{\n{cases}\n}}\nreturn\n}}\n"
    )
    found = constructs(parse(text).functions[1])[0]
    assert isinstance(found, Switch)
    return found


def is_tangled(instr: Instr) -> bool:
    return instr.op in (op.GroupNonUniformBallot, op.FunctionCall)


def why(cases: str, policy: str, selector: str = "%k") -> str:
    return needs_lowering(switch(cases, selector), is_tangled, policy)


FALLS = f"case 0: {{ fallthrough }} case 1: {{ {SEE} }} default: {{ }}"


def test_each_shape_with_a_tangled_operation() -> None:
    assert "is executed in a construct that is " in why(FALLS, AUTO)
    assert why(f"case 0: {{ }} default: {{ {SEE} }}", AUTO).startswith("OpGroupNonUniformBallot is executed")
    assert why(f"case 0: {{ }} default: {{ {SEE} }}", AUTO).endswith("is the default")
    assert why(f"case 0, 1: {{ {SEE} }} default: {{ }}", AUTO).endswith("has several labels")
    assert why(f"case 0: {{ {SEE} }} default: {{ }}", AUTO) == ""
    assert why(f"case 0: {{ {SEE}\nfallthrough }} case 1: {{ }} default: {{ }}", AUTO) == ""  # it is above
    assert why(
        "case 0, 1: { FunctionCall } default: { }".replace("FunctionCall", "%r = FunctionCall @g : void"), AUTO
    ) == ("a call of @g is executed in a construct that has several labels")
    nested = f"case 0, 1: {{ if %c {{ scope {{ {SEE} }} }} }} default: {{ }}"
    assert why(nested, AUTO).endswith("has several labels")


@pytest.mark.parametrize("selector", ["3u", "%spec", "undef<u32>", "null<u32>"])
def test_a_selector_that_is_one_value_splits_nobody(selector: str) -> None:
    assert [why(FALLS, policy, selector) for policy in POLICIES] == [""] * 3


@pytest.mark.parametrize(
    ("cases", "lowered"),
    [
        ("case 0: { fallthrough } case 1: { Store %v, 1u } default: { }", True),
        ("case 0: { fallthrough } case 1: { } default: { }", False),
        ("case 0: { fallthrough } case 1: { NoLine\nbreak @s } default: { }", False),
        ("case 0: { fallthrough } case 1: { break @s\npad b9:\nStore %v, 1u } default: { }", True),  # dead code
        ("case 0: { fallthrough } case 1: { fallthrough } default: { }", False),
        ("case 0: { fallthrough } case 1: { return } default: { }", True),
        ("case 0: { fallthrough } case 1: { scope { } } default: { }", True),
        ("case 0, 1: { Store %v, 1u } default: { Store %v, 2u }", False),
    ],
)
def test_whatever_falls_through(cases: str, lowered: bool) -> None:
    assert (why(cases, FALLTHROUGH) != "") == lowered


@pytest.mark.parametrize(
    ("cases", "lowered"),
    [
        ("case 0: { } default: { Store %v, 1u }", False),
        ("case 0: { } default: { Store %v, %spec\nNoLine }", False),
        ("case 0: { } default: { Store %v, %k }", True),
        ("case 0: { } default: { Store %global, 1u }", True),
        ("case 0: { } default: { %x = IAdd %k, 1u : u32 }", True),
        ("case 0: { } default: { scope { } }", True),
        ("case 0, 1: { Store %v, %k } default: { }", True),
        ("case 0: { Store %v, %k } default: { }", False),
    ],
)
def test_always_but_where_only_variables_are_set(cases: str, lowered: bool) -> None:
    assert (why(cases, ALWAYS) != "") == lowered


def test_shapes_of_cases() -> None:
    found = switch("case 0, 1: { fallthrough } case 2: { } default: { }")
    assert all(shape_of(case, labels) for case, labels in zip(found.cases, (2, 1, 0), strict=True))
    assert shape_of(found.cases[0], 1) == ""
    assert [does_nothing(case) for case in found.cases] == [True, True, True]


@pytest.mark.parametrize(
    ("cases", "groups"),
    [
        # stages of each group, whether it is straight, and the first stage of each case
        ("case 0: { STORE } default: { }", [([0], True, [0]), ([], True, [-1])]),
        ("case 0, 1: { STORE } default: { }", [([0], False, [0]), ([], True, [-1])]),
        ("case 0: { } default: { STORE }", [([], True, [-1]), ([1], False, [0])]),
        (
            "case 0: { STORE\nfallthrough } case 1: { fallthrough } case 2: { STORE } default: { }",
            [([0, 2], False, [0, 1, 1]), ([], True, [-1])],
        ),
        ("case 0: { fallthrough } case 1: { STORE } default: { }", [([1], False, [0, 0]), ([], True, [-1])]),
        ("case 0: { STORE\nfallthrough } case 1: { } default: { }", [([0], True, [0, -1]), ([], True, [-1])]),
        ("case 0: { STORE\nfallthrough } default: { }", [([0], True, [0, -1])]),
        ("case 0: { fallthrough } default: { STORE }", [([1], False, [0, 0])]),
        ("case 0: { fallthrough } case 1: { } default: { STORE }", [([], True, [-1, -1]), ([2], False, [0])]),
    ],
)
def test_roads(cases: str, groups: list[tuple[list[int], bool, list[int]]]) -> None:
    found = switch(cases.replace("STORE", "Store %v, %k"))
    seen = [
        (
            [found.cases.index(stage) for stage in group.stages],
            group.straight,
            [stage for _, stage in group.entries()],
        )
        for group in groups_of(found)
    ]
    assert seen == groups
