"""Programs written with sets, lowered: what is stored is worked out by hand in `kit.programs.elements`."""

import pytest
from kit.oracles.dispatch_runs import SIZES, after, execute
from kit.programs.elements import TEXT, expected

from reknit.ir import op
from reknit.ir.module import Module
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.walk import instructions
from reknit.sim.policy import Policy

POLICIES = [Policy("label", "never"), Policy("value", "never", "fifo"), Policy("label", "always", "random:1")]


def lowered(text: str, options: str = "") -> Module:
    return after(text, f"lower-dispatch{options}", open="OpGetTypeTagFromTaggedUnion is not followed")


def check(module: Module, less: int = 0) -> None:
    for function in module.functions:
        assert not [instr for instr in instructions(function) if instr.op >= FIRST_OWN]
    for size in SIZES:
        for policy in POLICIES:
            words = list(execute(module, size, policy).buffers["out"].words)
            assert words == [expected(lane, size) - less for lane in range(64)], size


def test_elements_that_are_called_bound_and_compared() -> None:
    check(lowered(TEXT))


def test_callables_of_one_set_are_called_by_one_dispatcher() -> None:
    """%made_a and %made_b have the numbers 0 and 3 in Ids, 0 and 1 in Made: a dispatcher for each set."""
    module = lowered(TEXT, "{inline=never}")
    names = [function.name.partition("'")[0] for function in module.functions]
    assert names.count("dispatch_element") == 2
    again = lowered(TEXT.replace("%r4 = IAdd %r1, %r2", """%r5 = CallDynamic %d0, %lane : u32
  %r6 = ISub %r5, %r0 : u32
  %r7 = IAdd %r1, %r6 : u32
  %r4 = IAdd %r7, %r2"""), "{inline=never}")  # fmt: skip
    names = [function.name.partition("'")[0] for function in again.functions]
    assert names.count("dispatch_element") == 2
    check(again)


@pytest.mark.parametrize("first, second, odd_lanes", [
    ("%e", "%A", True), ("%A", "%e", True), ("%e", "%B", False), ("%e", "%lane_type", None), ("%e", "%e", "all"),
])  # fmt: skip
def test_types_are_compared_by_their_numbers_in_either_order(first: str, second: str, odd_lanes: object) -> None:
    """%e is A in odd lanes and B in even ones. A type that is in no set is none of them."""
    text = TEXT.replace("IsSameType %e, %A", f"IsSameType {first}, {second}").replace("%lane_type", "%WordsOnly")
    text = text.replace("%Types = TypeSet", "%WordsOnly = TypeStruct f32\n%Types = TypeSet")
    module = lowered(text)
    for size in SIZES:
        words = list(execute(module, size).buffers["out"].words)
        for lane, word in enumerate(words):
            same = odd_lanes == "all" or (odd_lanes is not None and bool(lane & 1) is odd_lanes)
            assert word == expected(lane, size) - (1000000 if lane & 1 else 0) + (1000000 if same else 0)


def test_types_of_two_sets_are_compared_by_what_they_are() -> None:
    """In %Others A has number 1 and B is not there: lanes with an A see the same, those with a B don't."""
    text = TEXT.replace("%U = TypeUntaggedUnion", """%Words = TypeStruct f32
%Others = TypeSet %Words, %A : %Type
%TagOthers = TypeSetTag %Others
%ElementOthers = TypeElementOfSet %Others
%U = TypeUntaggedUnion""").replace("  %is = IsSameType %e, %A", """  %ta2 = GetTagOfElementInSet %A : %TagOthers
  %e2 = GetElementFromTag %ta2 : %ElementOthers
  %is = IsSameType %e2, %e""")  # fmt: skip
    check(lowered(text))


def test_what_is_bound_to_a_callable_says_which_one_it_is() -> None:
    """The number of @id_of with WB is that of its tag in Ids, whatever the order of the set."""
    for order in ("%id_b, %made_b, %made_a, %id_a", "%id_a, %made_a, %made_b, %id_b"):
        check(lowered(TEXT.replace("%made_a, %id_a, %id_b, %made_b", order)))


def test_no_element_is_left() -> None:
    module = lowered(TEXT)
    assert not any(instr.op in (op.FuncSet, op.TypeSet, op.WitnessTableSet) for instr in module.globals)
