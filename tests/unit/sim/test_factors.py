"""Outcomes of workgroups that have nothing to do with each other: found one workgroup after another, put together, and
the same as when all choices are gone through at once."""

import itertools

import pytest
from kit.programs.compute import Compute

from reknit.ir import enums, op
from reknit.ir.types import vector_type
from reknit.sim import outcomes as searching
from reknit.sim.outcomes import Outcomes, outcomes
from reknit.sim.run import run
from reknit.view.outcomes import show_outcomes

FIVE = [[1, 2, 4], [1, 6, 6], [3, 3, 4], [5, 2, 5], [7, 7, 7]]
"""Ballots of three invocations that come to one label with different values: a line for each partition of them."""


def choosing(stores: str = "apart") -> Compute:
    """Each workgroup stores its ballots at three words of its own; or adds them to one word; or stores at its words and
    reads those of workgroup 0."""
    p = Compute(3)
    v3 = vector_type(p.module, p.u32, 3)
    group = p.b.emit(op.CompositeExtract, p.u32, [p.b.load(v3, p.builtin(enums.BuiltInWorkgroupId, v3)), 0])
    own = p.op2(op.IAdd, p.op2(op.IMul, group, p.const(3)), p.index)
    switch = p.b.open_switch(p.index)
    case = p.b.add_case(switch, [0, 1, 2])
    p.b.add_case(switch, [], True)
    p.b.at(case.region.entry())
    bits = p.ballot()
    if stores == "added":
        scope, semantics = p.const(enums.ScopeDevice), p.const(0)
        p.b.emit(op.AtomicIAdd, p.u32, [p.place(p.const(0)), scope, semantics, bits])
    else:
        p.out(bits, own)
    p.b.at(switch.after())
    if stores == "read":
        p.out(p.op2(op.IAdd, p.b.load(p.u32, p.place(p.index)), p.b.load(p.u32, p.place(own))), own)
    p.b.return_()
    return p


def found(p: Compute, count: int, limit: int = 512) -> Outcomes:
    given = {"out": [0] * (3 * count)}
    return outcomes(p.module, groups=(count, 1, 1), subgroup_size=4, buffers=given, limit=limit)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_outcomes_are_a_product(count: int) -> None:
    every = found(choosing(), count)
    assert every.whole and every.runs == 1 + 4 * count
    assert "x".join(["5"] * count) in every.coverage.replace(" ", "")
    expected = {tuple(sum(each, [])) for each in itertools.product(FIVE, repeat=count)}
    assert len(every.outcomes) == 5**count
    assert {tuple(outcome.words("out")) for outcome in every.outcomes} == expected


def test_the_limit_is_not_spent_on_them() -> None:
    every = found(choosing(), 4, limit=32)
    assert every.whole and len(every.outcomes) == 625


def test_each_outcome_has_choices_that_give_it() -> None:
    p = choosing()
    for outcome in found(p, 2).outcomes:
        again = run(p.module, groups=(2, 1, 1), subgroup_size=4, buffers={"out": [0] * 6}, policy=outcome.policy)
        assert again.buffers["out"].words == outcome.words("out")
        assert [each.to_json() for each in again.decisions] == [each.to_json() for each in outcome.result.decisions]


@pytest.mark.parametrize("stores", ["added", "read"])
def test_what_meets_in_memory_is_no_product(stores: str) -> None:
    assert " x " not in found(choosing(stores), 2).coverage


def test_all_choices_at_once_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    factored = found(choosing(), 3)
    monkeypatch.setattr(searching, "factors_of", lambda *given: None)
    plain = found(choosing(), 3)
    assert plain.runs == 125 and plain.whole
    assert {tuple(each.words("out")) for each in plain.outcomes} == {
        tuple(each.words("out")) for each in factored.outcomes
    }


def test_a_table_for_each_workgroup() -> None:
    p = choosing()
    every = found(p, 2)
    text = show_outcomes(p.module, every, 4)
    assert text.startswith("25 outcomes (5 x 5)")
    assert text.count("outcome 5 |") == 2 and "outcome 6 |" not in text
    assert every.to_json()["factors"] == [5, 5]
