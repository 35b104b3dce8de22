"""thread-dispatch: a dispatched call goes into the arms before it where that can't be told, and stays where it can.

Each program makes an object by lane and calls foo of it; what a lane stores is worked out by hand at each test.
"""

import pytest
from kit.oracles.dispatch_runs import SIZES, after, execute, who_runs
from kit.programs.dispatch import CHOOSE, END, HEAD, MAIN, METHODS, PROGRAMS, TABLES, call

from reknit.ir import op
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_function
from reknit.ir.walk import instructions
from reknit.passes.manager import run_passes
from reknit.sim.policy import Policy

SET_LEVEL = "specialize-dispatch"
THREADED = "specialize-dispatch, thread-dispatch"
PLAIN = "specialize-dispatch, thread-dispatch, lower-dispatch{inline=never}"
BALLOT = "  %m = GroupNonUniformBallot Subgroup true : vec4<u32>\n  %m0 = CompositeExtract %m 0 : u32\n"
TANGLED = METHODS.replace("  %r = IAdd %y, %v : u32\n", BALLOT + "  %r = IAdd %y, %m0 : u32\n").replace(
    "  %r = IAdd %a, %v : u32\n", BALLOT + "  %r = IAdd %a, %m0 : u32\n"
)


def main_of(module: Module) -> Function:
    return next(function for function in module.functions if function.name == "main")


def called(module: Module) -> list[str]:
    """What main calls, in the order of the text."""
    callees = [instr.operands[0] for instr in instructions(main_of(module)) if instr.op == op.FunctionCall]
    return [callee.name for callee in callees if isinstance(callee, Function)]


def check(text: str, threaded: bool, policy: Policy | None = None, open: str = "") -> None:
    """Whether the call moves; and, either way, that the values and the lanes of each method are what they were."""
    module = after(text, THREADED, open)
    assert any(name.startswith("dispatch_") for name in called(module)) != threaded
    before, plain = after(text), after(text, PLAIN, open)
    for size in SIZES:
        first = execute(before, size, policy)
        for later in (execute(module, size, policy), execute(plain, size, policy)):
            assert later.buffers["out"].words == first.buffers["out"].words
            for method in ("A_foo", "B_foo"):
                assert who_runs(later, method) == who_runs(first, method)
        assert who_runs(first, "A_foo") and who_runs(first, "B_foo")


def test_each_arm_calls_the_method_of_its_type() -> None:
    text = PROGRAMS["phi"][0]
    module = after(text, THREADED)
    assert called(module) == ["A_foo", "B_foo"]
    shown = print_function(main_of(module))
    assert shown.index("if %odd") < shown.index("@A_foo") < shown.index("} else {") < shown.index("@B_foo")
    assert [function.name for function in module.functions] == ["A_foo", "B_foo", "main"]  # the dispatcher is gone
    check(text, True)


OPEN = {
    "moved-and-compared": "OpStore has another operand: is == 1",
}
"""What the normal form leaves open."""

LOWERED = {"created": "OpStore has another operand"}
"""And once tags are numbers: that `lane & 1` is 0 or 1 is not known to it."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_lanes_of_methods_stay(name: str) -> None:
    text, expected = PROGRAMS[name]
    for passes in (THREADED, PLAIN, "promote-variables, " + PLAIN):
        open = OPEN.get(name, "") or (LOWERED.get(name, "") if "lower" in passes else "")
        module = after(text, passes, open)
        for size in SIZES:
            if name != "buffer":
                assert execute(module, size).buffers["out"].words == [expected(lane, size) for lane in range(64)]


def test_methods_with_ballots_are_called_by_the_same_lanes() -> None:
    check(HEAD + TABLES + TANGLED + MAIN + CHOOSE + call("%e", "100u", "r") + END, True)


def test_a_row_of_calls_goes_together() -> None:
    """What the first gives, the second takes: 100 + 2 * lane, or 100 + 2 * 1000."""
    text = HEAD + TABLES + TANGLED + MAIN + CHOOSE + call("%e", "100u", "q") + call("%e", "%q", "r") + END
    assert called(after(text, THREADED)) == ["A_foo", "A_foo", "B_foo", "B_foo"]
    check(text, True)


# --- what is between --------------------------------------------------------------------------------------------------


def test_a_tangled_operation_between_keeps_the_call_where_it_is() -> None:
    """All lanes are in the ballot, odd ones and even ones: each gets its subgroup's."""
    text = HEAD + TABLES + METHODS + MAIN + CHOOSE + BALLOT + call("%e", "%m0", "r") + END
    check(text, False)
    everyone = [(1 << min(size, 32)) - 1 for size in SIZES]
    assert [execute(after(text), size).buffers["out"].words[1] for size in SIZES] == [
        (1 + mask) & 0xFFFFFFFF for mask in everyone
    ]


def test_so_does_one_that_a_call_between_leads_to() -> None:
    helper = f"func @who() -> u32 {{\n{BALLOT}  return %m0\n}}\n"
    between = "  %m0 = FunctionCall @who : u32\n"
    check(HEAD + TABLES + METHODS + helper + MAIN + CHOOSE + between + call("%e", "%m0", "r") + END, False)


def test_other_things_between_are_done_in_each_arm() -> None:
    """A store, and what is read after it: both before the call, as they were. Odd lanes get 3 * lane + 7, even ones
    1000 + 2 * lane + 7; what is between is used behind, too."""
    between = """  %twice = IMul %lane, 2u : u32
  Store %at, %twice
  %back = Load %at : u32
  %more = IAdd %back, 7u : u32
"""
    text = HEAD + TABLES + METHODS + MAIN + CHOOSE + between + call("%e", "%more", "q")
    text += "  %s = ISub %q, %more : u32\n  %r = IAdd %s, %back : u32\n" + END
    open = "OpStore is reached under another condition"
    check(text, True, open=open)
    module = after(text, THREADED, open)
    assert print_function(main_of(module)).count("Store %at, ") == 3  # in both arms, and the one at the end
    words = execute(module, 32).buffers["out"].words
    assert words == [3 * lane if lane & 1 else 1000 + 2 * lane for lane in range(64)]


def test_too_much_between_keeps_it() -> None:
    between = "".join([f"  %k{n + 1} = IAdd %{f'k{n}' if n else 'lane'}, 1u : u32\n" for n in range(20)])
    text = HEAD + TABLES + METHODS + MAIN + CHOOSE + between + call("%e", "%k20", "r") + END
    check(text, False)
    module = after(text, "specialize-dispatch, thread-dispatch{limit=50}")
    assert called(module) == ["A_foo", "B_foo"]


# --- tables of several arms -------------------------------------------------------------------------------------------

C_TOO = "%C = TypeStruct u32, u32, u32\n%WC = WitnessTable %C 2 %foo, @C_foo : %WT\n"
C_FOO = "func @C_foo(%this: %C, %v: u32) -> u32 {\n  return 7u\n}\n"


def by_switch(labels: list[str], kinds: str) -> str:
    """%e by lane & 3: a case for each of `labels`, which makes an A, B or C as `kinds` says."""
    text = "  %kind = BitwiseAnd %lane, 3u : u32\n  switch %kind {\n"
    for n, (label, kind) in enumerate(zip(labels, kinds, strict=True)):
        parts = {"A": "%lane", "B": "%lane, 1000u", "C": "%lane, 1u, 2u"}[kind]
        text += f"    {label}: {{\n    %l{n}:\n      %o{n} = CompositeConstruct {parts} : %{kind}\n"
        text += f"      %e{n} = MakeExistential %o{n}, %W{kind} : %IFoo\n    }}\n"
    return text + f"  }}\n  %e = Phi {', '.join([f'%e{n} %l{n}' for n in range(len(labels))])} : %IFoo\n"


def program(methods: str, chosen: str) -> str:
    return HEAD + TABLES + C_TOO + methods + C_FOO + MAIN + chosen + call("%e", "100u", "r") + END


ONE_EACH = ["case 0", "case 1", "case 2", "case 3", "default"]


def test_a_table_of_two_arms_is_one_tangle() -> None:
    """A comes from cases 0 and 2: its lanes are in one ballot, which they would not be in their arms."""
    chosen = by_switch(ONE_EACH, "ABACC")
    check(program(TANGLED, chosen), False)
    check(program(TANGLED, by_switch(ONE_EACH, "ABCCC")), True)


def test_without_a_tangled_operation_in_its_method_it_may_be_two() -> None:
    """Who runs A_foo together changes, and nobody can tell: values are the same."""
    text = program(METHODS, by_switch(ONE_EACH, "ABACC"))
    module = after(text, THREADED)
    assert called(module) == ["A_foo", "B_foo", "A_foo", "C_foo", "C_foo"]
    for size in SIZES:
        words = execute(module, size).buffers["out"].words
        assert words == [7 if lane & 3 == 3 else 1100 if lane & 3 == 1 else lane + 100 for lane in range(64)]


@pytest.mark.parametrize(
    ("labels", "kinds"), [(["case 0, 2", "case 1", "default"], "ABC"), (["case 1", "case 3", "default"], "CAB")]
)
def test_lanes_of_a_switch_may_be_parted_by_value(labels: list[str], kinds: str) -> None:
    """Where several values lead to an arm its lanes may come as several tangles; the dispatcher makes one of them."""
    for partition in ("label", "value"):
        check(program(TANGLED, by_switch(labels, kinds)), False, Policy(partition=partition))
        check(program(TANGLED, by_switch(["case 0", "case 1", "default"], "ABC")), True, Policy(partition=partition))
    module = after(program(METHODS, by_switch(labels, kinds)), THREADED)
    assert called(module) == [f"{kind}_foo" for kind in kinds]


# --- how lanes come to the end of an arm ------------------------------------------------------------------------------


def in_arm(inside: str) -> str:
    """The choice of `phi` with something more in the first arm."""
    return CHOOSE.replace("  %l1:\n", inside + "  %l1:\n")


def test_who_comes_by_a_break_keeps_the_call() -> None:
    """Some lanes leave the arm early: they are of the same table as those that don't, and one tangle with them."""
    early = """  if %odd as @choice {
    %b2 = BitwiseAnd %lane, 2u : u32
    %second = IEqual %b2, 2u : bool
    %a0 = CompositeConstruct 50u : %A
    %ea0 = MakeExistential %a0, %WA : %IFoo
    if %second {
    %l0:
      break @choice
    }
  %l1:
"""
    chosen = CHOOSE.replace("  if %odd {\n  %l1:\n", early).replace("Phi %ea", "Phi %ea0 %l0, %ea")
    check(HEAD + TABLES + TANGLED + MAIN + chosen + call("%e", "100u", "r") + END, False)


def test_lanes_that_an_unmerged_branch_has_parted_keep_it() -> None:
    """Nobody waits behind the branch in the arm: its lanes come to the end of it in two parts, and meet at the phi."""
    parted = """    %b2 = BitwiseAnd %lane, 2u : u32
    %second = IEqual %b2, 2u : bool
    if %second nojoin {
      Store %at, 1u
    } else {
      Store %at, 2u
    }
"""
    check(HEAD + TABLES + TANGLED + MAIN + in_arm(parted) + call("%e", "100u", "r") + END, False)
    merged = parted.replace(" nojoin", "")
    check(HEAD + TABLES + TANGLED + MAIN + in_arm(merged) + call("%e", "100u", "r") + END, True)


def test_a_choice_that_nobody_waits_behind_keeps_it() -> None:
    chosen = CHOOSE.replace("if %odd {", "if %odd nojoin {")
    check(HEAD + TABLES + METHODS + MAIN + chosen + call("%e", "100u", "r") + END, False)


NESTED = """  %b2 = BitwiseAnd %lane, 2u : u32
  %second = IEqual %b2, 2u : bool
  if %odd {
  %l1:
    %a = CompositeConstruct %lane : %A
    %ea = MakeExistential %a, %WA : %IFoo
  } else {
    if %second {
    %l2:
      %b = CompositeConstruct %lane, 1000u : %B
      %eb = MakeExistential %b, %WB : %IFoo
    } else {
    %l3:
      %c = CompositeConstruct %lane, 1u, 2u : %C
      %ec = MakeExistential %c, %WC : %IFoo
    }
  %l4:
    %inner = Phi %eb %l2, %ec %l3 : %IFoo
  }
  %e = Phi %ea %l1, %inner %l4 : %IFoo
"""


def test_a_call_moves_on_from_arm_to_arm() -> None:
    """The arm that can have B or C has another choice in it."""
    text = program(TANGLED, NESTED)
    assert called(after(text, THREADED)) == ["A_foo", "B_foo", "C_foo"]
    check(text, True)


def test_on_existentials_it_says_what_to_run_first() -> None:
    module = parse(PROGRAMS["phi"][0], "phi.rk")
    assert [note.code for note in run_passes(module, "thread-dispatch").notes()][:1] == ["RK2601"]
    assert not run_passes(after(PROGRAMS["phi"][0], SET_LEVEL + ", lower-dispatch"), "thread-dispatch").changed()
