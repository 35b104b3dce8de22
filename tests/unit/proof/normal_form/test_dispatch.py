"""Dynamic dispatch in proofs without a run: what `specialize-dispatch` and `lower-dispatch` do, and what is wrong.

Each wrong one differs by a sentence of docs/dispatch.md, or stores another word in some lane: `out[lane]` of the
program below is lane + 1 in odd lanes, 1001 in even ones, and each method sees the lanes of its type alone (C1, C2).
"""

import pytest
from kit.oracles.dispatch_runs import after
from kit.programs.dispatch import CHOOSE, END, HEAD, MAIN, METHODS, TABLES, call
from kit.proving import finding, proved_by_terms

from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module

STEPS = ("specialize-dispatch", "specialize-dispatch,lower-dispatch", "reconverge")
PROGRAM = HEAD + TABLES + METHODS + MAIN + CHOOSE + call("%e", "1u", "r") + END
COUNTED = METHODS.replace("  %r = IAdd", "  %n = GroupNonUniformIAdd Subgroup Reduce %v : u32\n  %r = IAdd").replace(
    "%v : u32\n  return", "%n : u32\n  return"
)


@pytest.mark.parametrize("passes", STEPS)
@pytest.mark.parametrize("methods", [METHODS, COUNTED], ids=["plain", "tangled"])
def test_calls_are_followed_through_each_level(passes: str, methods: str) -> None:
    text = PROGRAM.replace(METHODS, methods)
    found = finding(after(text), after(text, passes))
    assert found.proved and found.tangled == (2 if methods is COUNTED else 0), found.text()


WRONG = {
    "another entry": ("%WB = WitnessTable %B 1 %foo, @B_foo", "%WB = WitnessTable %B 1 %foo, @B_two"),
    "another part": ("CompositeExtract %this 1", "CompositeExtract %this 0"),
    "another argument": ("%x_r, 1u", "%x_r, 2u"),
    "the other condition": ("IEqual %bit, 1u", "IEqual %bit, 0u"),
    "another value": ("CompositeConstruct %lane, 1000u", "CompositeConstruct %lane, 1001u"),
}
"""What changes the source."""

TWO = METHODS[METHODS.index("func @B_foo") :].replace("B_foo", "B_two").replace("IAdd", "ISub")


@pytest.mark.parametrize("passes", ["", *STEPS])
@pytest.mark.parametrize("name", WRONG)
def test_another_program_is_not_proved(name: str, passes: str) -> None:
    """Neither against the source nor against what passes make of it."""
    text = PROGRAM.replace(METHODS, METHODS + TWO)
    other = after(text.replace(*WRONG[name], 1), passes)
    assert not proved_by_terms(after(text), other)
    assert not proved_by_terms(other, after(text))


def test_a_dispatcher_with_another_label_or_method_is_not_proved() -> None:
    right = print_module(after(PROGRAM, STEPS[0]))
    assert proved_by_terms(after(PROGRAM), parse(right))
    swapped = right.replace("case 0:", "case 1:")
    assert swapped != right and not proved_by_terms(parse(right), parse(swapped))
    methods = right.replace("FunctionCall @A_foo", "FunctionCall @A_two")
    methods = methods.replace("func @A_foo", "func @A_two").replace("IAdd %a, %v", "ISub %a, %v")
    assert methods != right and not proved_by_terms(after(PROGRAM), parse(methods))


SHARED = TABLES.replace("%B 1 %foo, @B_foo", "%A 1 %foo, @A_foo")
ONE_TYPE = CHOOSE.replace("CompositeConstruct %lane, 1000u : %B", "CompositeConstruct %lane : %A")


def test_two_tables_with_one_method_are_two_calls() -> None:
    """C2: lanes of two tables are no tangle, also where both have the same function. A call of the function by all of
    them at once is another program if it counts them, and the same if it doesn't."""
    direct = "  %ph = Phi %a %l1, %b %l2 : %A\n"
    for methods, same in ((COUNTED, False), (METHODS, True)):
        head = HEAD + SHARED + methods + MAIN + ONE_TYPE
        dispatched = after(head + call("%e", "1u", "r") + END)
        together = after(head + direct + "  %r = FunctionCall @A_foo, %ph, 1u : u32\n" + END)
        assert proved_by_terms(dispatched, together) == same
