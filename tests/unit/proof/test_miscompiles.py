"""Every planted miscompile is refuted, with the run that shows it, and bisection names the pass that did it.

What the lanes store before and after is derived by hand beside each plant in `miscompiles`; a plain run of both modules
must give it too, so that neither the plant nor the proof is the only witness.
"""

import pytest
from kit.programs.miscompiles import DUPLICATES_A_CASE, NAMES, plants, shader

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.passes.catalog import catalog
from reknit.passes.manager import Hooks, run_passes
from reknit.passes.pipeline_text import PassSpec, parse_pipeline
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.proof.stepwise import Refuted, Stepwise
from reknit.reduction.bisect import ByProof, bisect
from reknit.sim.run import run
from reknit.source.diagnostic import ERROR

SMALL = Question(subgroup_sizes=[4])
ZEROS = Question(subgroup_sizes=[4], buffers={"out": [0] * 32})


def copy(module: Module) -> Module:
    return parse(print_module(module))


def first_lanes(module: Module) -> list[int]:
    result = run(module, subgroup_size=4, buffers={"out": [0] * 32})
    assert [str(diagnostic) for diagnostic in result.diagnostics] == []
    words = result.buffers["out"].words
    assert words == words[:4] * 8
    return words[:4]


def broken(name: str) -> tuple[Module, Module]:
    """The shader before and after the plant. The pass changes functions other than main too, where it can."""
    entry = plants()[name]
    after = copy(entry.module)
    report = run_passes(after, [PassSpec(entry.transform)])
    assert report.changed()
    assert [str(fault) for fault in verify(after) if fault.severity == ERROR] == []
    return entry.module, after


@pytest.mark.parametrize("name", NAMES)
def test_a_run_shows_what_was_worked_out_by_hand(name: str) -> None:
    before, after = broken(name)
    entry = plants()[name]
    assert first_lanes(before) == entry.before
    assert first_lanes(after) == entry.after


@pytest.mark.parametrize("name", NAMES)
def test_it_is_refuted_lane_by_lane(name: str) -> None:
    before, after = broken(name)
    entry = plants()[name]
    verdict = prove(before, after, ZEROS)
    assert verdict.verdict == "refuted" and not verdict
    found = verdict.counterexample
    assert found is not None
    assert found.subgroup_size == 4
    shown = {one.word: (one.before, one.after) for one in found.differences if one.word < 4}
    expected = {
        lane: pair for lane, pair in enumerate(zip(entry.before, entry.after, strict=True)) if pair[0] != pair[1]
    }
    assert shown == expected


@pytest.mark.parametrize("name", NAMES)
def test_it_is_refuted_without_being_shown_where_to_look(name: str) -> None:
    before, after = broken(name)
    assert prove(before, after).verdict == "refuted"


@pytest.mark.parametrize("name", NAMES)
def test_bisection_names_the_pass(name: str) -> None:
    entry = plants()[name]
    known = catalog()
    pipeline = [
        *parse_pipeline("simplify-cfg", known),
        PassSpec(entry.transform),
        *parse_pipeline("simplify-cfg, promote-variables, simplify-cfg", known),
    ]
    judge = ByProof(entry.module, SMALL)
    found = bisect(entry.module, pipeline, judge)
    assert found is not None
    assert found.name() == name
    assert found.function() == "@main"
    assert found.before != found.after
    assert found.reason.startswith("refuted: ")
    assert judge.last is not None and judge.last.verdict == "refuted"


@pytest.mark.parametrize("name", NAMES)
def test_proving_each_pass_stops_at_the_wrong_one(name: str) -> None:
    entry = plants()[name]
    module = copy(entry.module)
    stepwise = Stepwise(module, SMALL)
    pipeline = [
        *parse_pipeline("simplify-cfg", catalog()),
        PassSpec(entry.transform),
        *parse_pipeline("promote-variables", catalog()),
    ]
    with pytest.raises(Refuted) as caught:
        run_passes(module, pipeline, Hooks(print_changed=stepwise.after))
    assert (caught.value.number, caught.value.name) == (2, name)


def test_the_first_operation_that_differs_is_named() -> None:
    """Lane 0's ballot, its only tangled operation: lanes 0 and 2 before, all four after."""
    before, after = broken("move-over-merge")
    found = prove(before, after, ZEROS).counterexample
    assert found is not None and found.divergence_point is not None
    point = found.divergence_point
    assert (point.lane, point.number) == (0, 1)
    assert point.before is not None and point.after is not None
    assert (point.before.mask, point.after.mask) == (0b0101, 0b1111)
    assert point.before.value == (0b0101, 0, 0, 0)


FALLS = (
    "switch %four {{\ncase 0: {{\nVALUE a\nStore %i, %amine\nfallthrough\n}}\n"
    "case 1: {{\nSEE b\n{tail}}}\ndefault: {{ }}\n}}"
)


def test_a_copied_case_body_is_allowed_of_OpSwitch() -> None:
    """Lanes 0 and 1 may meet at the label of case 1 or not. A copy in case 0 makes them not: one of the two results."""
    before = shader(FALLS.format(tail=""))
    after = copy(before)
    assert run_passes(after, [PassSpec(DUPLICATES_A_CASE)]).changed()
    assert prove(before, after, SMALL).verdict != "refuted"
    assert first_lanes(after) == [1, 2, 0, 0]


def test_but_the_other_way_round_it_leaves_a_result_that_was_excluded() -> None:
    """With the copy lanes 0 and 1 never meet; with one body they may: 0b0011."""
    after = shader(FALLS.format(tail=""))
    before = copy(after)
    run_passes(before, [PassSpec(DUPLICATES_A_CASE)])
    verdict = prove(before, after, ZEROS)
    assert verdict.counterexample is not None
    shown = {one.word: (one.before, one.after) for one in verdict.counterexample.differences if one.word < 4}
    assert shown == {0: (1, 3), 1: (2, 3)}


def test_there_are_ten_at_least() -> None:
    assert len(NAMES) == len({plants()[name].transform.run for name in NAMES}) >= 10
