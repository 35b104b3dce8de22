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


STORED = HEAD.replace("%words = Type", """Decorate %list ArrayStride 24
MemberDecorate %public 0 Offset 0
Decorate %public Block
Decorate %objects DescriptorSet 0
Decorate %objects Binding 1
%words = Type""", 1).replace('"main" %out', '"main" %objects, %out')
LIST = """%list = TypeRuntimeArray %IFoo
%public = TypeStruct %list
%objects = Variable StorageBuffer : ptr<StorageBuffer, %public>
"""
FROM_MEMORY = """  %from = AccessChain %objects, 0u, %lane : ptr<StorageBuffer, %IFoo>
  %e = Load %from : %IFoo
"""
TO_MEMORY = "  Store %from, %e\n"


@pytest.mark.parametrize("passes", STEPS)
def test_objects_in_buffers_are_followed(passes: str) -> None:
    """16 bytes of header with the id at word 2, then the payload: what `lower-dispatch` reads and writes."""
    head = STORED + LIST + TABLES + METHODS + MAIN
    read = head + FROM_MEMORY + call("%e", "1u", "r") + END
    written = head + CHOOSE + FROM_MEMORY.split("\n")[0] + "\n" + TO_MEMORY + call("%e", "1u", "r") + END
    for text in (read, written):
        found = finding(after(text), after(text, passes))
        assert found.proved, found.text()


LOWERED = {
    "another word of the header": ("%from, 1u, 0u", "%from, 1u, 1u"),
    "another word of the payload": ("%_5 = AccessChain %from, 3u", "%_5 = AccessChain %from, 2u"),
    "another part of the words": ("CompositeExtract %_18 1", "CompositeExtract %_18 0"),
    "another tag": ("Phi 0u b1, 2u b2, 1u b3", "Phi 1u b1, 2u b2, 0u b3"),
    "parts that changed places": ("CompositeConstruct %_4, %_6", "CompositeConstruct %_6, %_4"),
    "the object of another invocation": ("%objects, 0u, %lane", "%objects, 0u, %bit"),
}


@pytest.mark.parametrize("name", LOWERED)
def test_another_word_of_an_object_in_a_buffer_is_not_proved(name: str) -> None:
    text = STORED + LIST + TABLES + METHODS + MAIN + FROM_MEMORY + call("%e", "1u", "r") + END
    lowered = print_module(after(text, "reconverge"))
    other = lowered.replace(*LOWERED[name])
    assert other != lowered and proved_by_terms(after(text), parse(lowered))
    assert not proved_by_terms(after(text), parse(other))


MADE = "  %v = CompositeConstruct %lane, 0u, 0u, 0u : vec4<u32>\n  %e = CreateExistentialObject %id, %v : %IFoo\n"


def test_an_id_that_is_none_of_the_types_is_not_proved() -> None:
    """The program has ids 0 and 1; lane 2 has the id 2 with the second one, for which nothing is defined."""
    masked = "  %id = BitwiseAnd %lane, 1u : u32\n" + MADE
    larger = masked.replace("1u", "3u")
    texts = [HEAD + TABLES + METHODS + MAIN + made + END.replace("%r", "%lane") for made in (masked, larger)]
    before, after_it = (parse(text) for text in texts)
    assert finding(before, before).proved and not finding(before, after_it).proved
