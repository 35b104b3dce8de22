"""Programs that don't declare maximal reconvergence: which invocations meet after a branch is unknown, and stays so.

Under the rules of plain SPIR-V invocations that took different paths may be together or not until control flow is
uniform again (SPIR-V 1.6, 2.2.5); those that followed one path are together. So what changes no path is proved, and
what changes one that a tangled operation follows is not.
"""

import pytest
from kit.programs.miscompiles import shader
from kit.proving import finding

from reknit.analysis.tangles.rules import DECLARED
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes
from reknit.proof.by_terms import by_terms


def undeclared(body: str) -> Module:
    lines = print_module(shader(body)).splitlines()
    return parse("\n".join(line for line in lines if "MaximallyReconverges" not in line) + "\n")


def proved(before: Module, after: Module) -> bool:
    return by_terms(before, after, "main", DECLARED).proved


ONE_ARM = "%v = IAdd %lane, 0u : u32\nif %odd {\nSEE a\n}\nSEE b"
TWO_ARMS = "if %odd {\nSEE a\n} else {\nSEE b\n}\nSEE c"
LOOP = """%turns = Variable Function : ptr<Function, u32>
Store %turns, 0u
loop @l {
%turn = Load %turns : u32
%over = UGreaterThanEqual %turn, %lane : bool
if %over nojoin {
break @l
}
SEE a
%next = IAdd %turn, 1u : u32
Store %turns, %next
}
SEE b"""


CONTINUING = """%turns = Variable Function : ptr<Function, u32>
Store %turns, 0u
loop @l {
%turn = Load %turns : u32
%over = UGreaterThanEqual %turn, 3u : bool
if %over nojoin {
break @l
}
} continuing {
SEE a
%next = IAdd %turn, 1u : u32
Store %turns, %next
}"""
FALLING = """%kind = BitwiseAnd %lane, 1u : u32
%far = UGreaterThan %lane, 1u : bool
switch %kind {
case 0: {
%v = IAdd %lane, 0u : u32
fallthrough
}
case 7: {
SEE a
}
default: {
}
}"""


@pytest.mark.parametrize("body", [ONE_ARM, TWO_ARMS, LOOP], ids=["one arm", "two arms", "a loop"])
@pytest.mark.parametrize("passes", ["fold", "cse", "dce", "promote-variables"])
def test_what_changes_no_path_is_proved(body: str, passes: str) -> None:
    before, after = undeclared(body), undeclared(body)
    run_passes(after, passes)
    assert proved(before, after)


CHANGED = {
    "an if that is gone": (ONE_ARM, "SEE b\nif %odd {\nSEE a\n}"),
    "behind another merge": (
        TWO_ARMS,
        "if %odd {\nSEE a\nSEE c\n} else {\nSEE b\nSEE d\n}",
    ),
    "a merge that is gone": (ONE_ARM, "if %odd nojoin {\nSEE a\n}\nSEE b"),
    "another condition": (
        ONE_ARM,
        "%even = LogicalNot %odd : bool\nif %even {\nSEE a\n}\nSEE b",
    ),
    "an exit on another path": (LOOP, LOOP.replace("UGreaterThanEqual", "UGreaterThan")),
    "behind the loop": (LOOP, LOOP.replace("SEE b", "").replace("SEE a", "SEE a\nSEE b")),
    "a path more to where a loop continues": (
        CONTINUING, CONTINUING.replace("} continuing", "if %odd nojoin {\ncontinue @l\n}\n} continuing"),
    ),
    "a path more to the next label": (
        FALLING, FALLING.replace("fallthrough", "if %far {\nfallthrough\n}\nfallthrough", 1),
    ),
    "a path more": ("SEE b", "if %odd {\nSEE a\n} else {\nSEE c\n}\nSEE b"),
}


FEWER = ("a path more to where a loop continues",)
"""What, the other way round, leaves out a path on which nothing is done: those that took it and those that didn't may
be together behind it (a dynamic instance is one of an instruction, in a call and iteration), so before may do the same.
"""


@pytest.mark.parametrize("name", CHANGED)
def test_what_changes_paths_is_not_proved(name: str) -> None:
    before, after = (undeclared(body) for body in CHANGED[name])
    assert not proved(before, after)
    assert proved(after, before) == (name in FEWER)


def test_a_path_more_is_an_unknown_more() -> None:
    """After an if that does nothing the invocations may be apart: before, they were together."""
    plain, branching = undeclared("SEE a"), undeclared("if %odd {\n}\nSEE a")
    assert not proved(plain, branching)
    assert finding(plain, branching).proved  # under maximal reconvergence they meet


def test_a_path_less_is_one_of_the_choices_before() -> None:
    """After an if the invocations may be apart or together; where the if is gone they are together."""
    empty = undeclared("if %odd {\n}\nif %odd {\n} else {\n}\nSEE a")
    assert proved(empty, undeclared("SEE a"))
    found = by_terms(empty, undeclared("SEE a"), "main", DECLARED)
    assert found.rejoined == 2 and "reconverge after 2 constructs, as the first version allows" in found.text()
    far = "%far = UGreaterThan %lane, 5u : bool\n"
    chosen = undeclared(far + "if %far {\n%v = IAdd %lane, 1u : u32\n}\nSEE a\nif %odd {\nSEE b\n}\nSEE c")
    assert proved(chosen, undeclared("SEE a\nif %odd {\nSEE b\n}\nSEE c"))
    assert not proved(chosen, undeclared("if %odd {\nSEE b\n}\nSEE a\nSEE c"))


def test_the_mode_may_not_be_lost() -> None:
    assert not proved(shader(ONE_ARM), undeclared(ONE_ARM)) and proved(undeclared(ONE_ARM), shader(ONE_ARM))


def test_an_entry_point_that_is_left_on_several_ways() -> None:
    """Which way an invocation left shows no more behind the end."""
    early = "if %odd {\nSEE a\nreturn\n}\nSEE b"
    assert proved(undeclared(early), undeclared(f"%unused = IAdd %lane, 1u : u32\n{early}"))
    assert not proved(undeclared(early), undeclared(early.replace("SEE a\n", "")))
