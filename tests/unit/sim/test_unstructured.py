"""Functions without structure: every verb takes them in the same way, and says where the input leaves that open.

Values by hand, four lanes in one subgroup; a ballot is written as bits.
"""

from pathlib import Path

import pytest
from kit.text.preludes import compute

from reknit.cli.main import main
from reknit.ir.copy import copy_module
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.walk import instructions
from reknit.passes.manager import run_passes
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.sim.outcomes import outcomes
from reknit.sim.policy import Policy
from reknit.sim.run import run

HEAD = compute(4, maximal=True) + """func @main() -> void flat {
  entry:
  %lane = Load %lane_id : u32
  %slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>
"""
SEE = """  %who = GroupNonUniformBallot 3u, true : vec4<u32>
  %low = CompositeExtract %who, 0 : u32
  Store %slot, %low
  return
}
"""
DIAMOND = (
    HEAD
    + """  %bit = BitwiseAnd %lane, 1u : u32
  %even = IEqual %bit, 0u : bool
  BranchConditional %even left right
  left:
  Branch both
  right:
  Branch both
  both:
"""
    + SEE
)
# Lane n leaves in iteration n.
STAIRS = (
    HEAD
    + """  Branch head
  head:
  %i = Phi 0u, entry, %next, again : u32
  %mine = IEqual %i, %lane : bool
  BranchConditional %mine out again
  again:
  %next = IAdd %i, 1u : u32
  Branch head
  out:
"""
    + SEE
)
TOGETHER = [0b1111] * 4
ONE_BY_ONE = [0b0001, 0b0010, 0b0100, 0b1000]


def words(module: Module, **policy: str) -> list[int]:
    return run(module, subgroup_size=4, policy=Policy(**policy)).buffers["out"].words  # type: ignore[arg-type]


def compiled(text: str, assume: str) -> Module:
    module = parse(text)
    run_passes(module, f"structurize{{assume={assume}}}, reconverge")
    return module


def test_a_join_that_nothing_declares_has_one_meaning() -> None:
    """Both arms come to one block, where all meet in what `compile` makes of it: so they do in a run, too."""
    module = parse(DIAMOND)
    assert words(module) == words(compiled(DIAMOND, "outside")) == TOGETHER
    assert words(module, assume="graph") == [0b0101, 0b1010, 0b0101, 0b1010]
    found = outcomes(module, subgroup_size=4)
    assert [outcome.words("out") for outcome in found.outcomes] == [TOGETHER]
    assert "@main without structure, run as the tree that structurize makes" in found.coverage
    undeclared = parse(DIAMOND.replace("ExecutionMode @main MaximallyReconvergesKHR\n", ""))
    by_base = [outcome.words("out") for outcome in outcomes(undeclared, subgroup_size=4).outcomes]
    assert sorted(by_base) == [[0b0101, 0b1010, 0b0101, 0b1010], TOGETHER]  # a made-up merge promises nothing there


def test_a_loop_whose_exit_the_input_does_not_place_has_two() -> None:
    """The ballot is behind the loop, where all meet, or in it, where each lane is alone in its iteration."""
    module = parse(STAIRS)
    assert words(module) == words(compiled(STAIRS, "outside")) == TOGETHER
    assert words(module, assume="inside") == words(compiled(STAIRS, "inside")) == ONE_BY_ONE
    found = outcomes(module, subgroup_size=4)
    assert [outcome.words("out") for outcome in found.outcomes] == [TOGETHER, ONE_BY_ONE]
    assert not found.exhaustive
    assert "what belongs to a loop (RK2501): tried outside and inside" in found.coverage


def test_a_run_says_that_the_input_does_not_determine_it() -> None:
    told = [diagnostic.code for diagnostic in run(parse(STAIRS), subgroup_size=4).diagnostics]
    assert told == ["RK2501"]
    assert run(parse(DIAMOND), subgroup_size=4).diagnostics == []


@pytest.mark.parametrize("text", [DIAMOND, STAIRS], ids=["diamond", "stairs"])
@pytest.mark.parametrize("assume", ["outside", "inside"])
def test_structure_is_one_way_to_read_what_it_was_made_of(text: str, assume: str) -> None:
    assert prove(parse(text), compiled(text, assume), Question(subgroup_sizes=(4,))).verdict != "refuted"


@pytest.mark.parametrize(("text", "lost"), [(DIAMOND, False), (STAIRS, True)], ids=["diamond", "stairs"])
@pytest.mark.parametrize("assume", ["outside", "inside"])
def test_without_structure_what_it_determined_may_be_lost(text: str, lost: bool, assume: str) -> None:
    """The tree says which invocations meet in the loop; the graph of the stairs leaves it open (RK2501), so that it may
    have the other result."""
    verdict = prove(compiled(text, assume), parse(text), Question(subgroup_sizes=(4,)))
    assert (verdict.verdict == "refuted") == lost
    assert ("after lost what before determines" in verdict.reason) == lost


def test_a_wrong_value_is_refuted_all_the_same() -> None:
    wrong = parse(DIAMOND.replace("Store %slot, %low", "Store %slot, %lane"))
    assert prove(parse(DIAMOND), wrong, Question(subgroup_sizes=(4,))).verdict == "refuted"


def test_a_run_leaves_the_module_as_it_is() -> None:
    module = parse(STAIRS)
    before = print_module(module)
    outcomes(module, subgroup_size=4)
    assert print_module(module) == before


def test_a_copy_names_the_places_of_the_original() -> None:
    module = parse(STAIRS, "stairs.rk")
    copy = copy_module(module)
    assert module.places is not None and copy.places is not None
    for one, two in zip(instructions(module.functions[0]), instructions(copy.functions[0]), strict=True):
        place, same = module.places.of(one), copy.places.of(two)
        assert (place is None and same is None) or (place is not None and same is not None)
        if place is not None and same is not None:
            assert (place.file, place.line) == (same.file, same.line)


def test_lanes_do_not_wait_at_the_labels_of_a_switch_that_declares_nothing() -> None:
    """Two cases lead to each other around a loop of plain branches; lanes that meet nobody need not be waited for."""
    text = (
        HEAD.replace("Capability GroupNonUniformBallot\n", "")
        + """  %turns = Variable Function, 0u : ptr<Function, u32>
  Branch head
  head:
  %t = Load %turns : u32
  %u = IAdd %t, 1u : u32
  Store %turns, %u
  %mixed = IAdd %lane, %t : u32
  %kind = UMod %mixed, 3u : u32
  Switch %kind, done, 0, one, 1, two
  one:
  Branch two
  two:
  Branch head
  done:
  Store %slot, %t
  return
}
"""
    )
    for fallthrough in ("never", "always", "random:3"):
        assert words(parse(text), fallthrough=fallthrough) == [2, 1, 0, 2]


def test_the_command_line_takes_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stairs.rk"
    path.write_text(STAIRS)
    assert main(["run", str(path), "--subgroup-size", "4", "--assume", "inside"]) == 0
    said = capsys.readouterr()
    assert "0 | 1 2 4 8" in said.out and "note[RK2501]" in said.err
    assert main(["outcomes", str(path), "--subgroup-size", "4"]) == 0
    assert "outcome 2: assumed inside of the loop" in capsys.readouterr().out
