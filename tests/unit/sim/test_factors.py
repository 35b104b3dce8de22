"""Outcomes of workgroups that have nothing to do with each other: found one workgroup after another, put together, and
the same as when all choices are gone through at once."""

import itertools
import struct
from array import array

import pytest
from kit.programs.compute import Compute

from reknit.ir import enums, op
from reknit.ir.types import vector_type
from reknit.sim import outcomes as searching
from reknit.sim.outcomes import Outcomes, outcomes
from reknit.sim.pages import PAGE
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


@pytest.mark.parametrize("length", [20_000, 70_000])
def test_outcomes_of_a_long_buffer_share_what_no_choice_changes(length: int) -> None:
    """625 outcomes of 80 kB or 280 kB, out of 17 runs, differ in the first page alone."""
    given = {"out": [at % 65_536 for at in range(length)]}
    every = outcomes(choosing().module, groups=(4, 1, 1), subgroup_size=4, buffers=given)
    rest = array("I", given["out"][PAGE : 2 * PAGE]).tobytes()
    buffers = [outcome.result.buffers["out"] for outcome in every.outcomes]
    assert len(buffers) == 625 and every.whole
    expected = {tuple(sum(each, [])) for each in itertools.product(FIVE, repeat=4)}
    assert {struct.unpack("<12I", buffer.data(0, 12)) for buffer in buffers} == expected
    pages = [buffer.contents() for buffer in buffers]
    assert all(each[1] == rest for each in pages) and len({id(each[1]) for each in pages}) <= 17
    assert buffers[5].words[12:] == given["out"][12:] and len(buffers[5].words) == length


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


# --- subgroups of one workgroup ---------------------------------------------------------------------------------------


def by_subgroups(kind: str = "apart", lanes: int = 8, mode: int | None = None) -> Compute:
    """Of each four invocations, three come to one label with different values, and store their ballot. SPIR-V alone
    lets each subgroup unite them as it likes; with maximal reconvergence they are one tangle of the whole workgroup,
    unless it is `parted` before."""
    p = Compute(lanes, mode=mode)
    value = p.op2(op.BitwiseAnd, p.index, p.const(3))

    def choose() -> None:
        switch = p.b.open_switch(value)
        case = p.b.add_case(switch, [0, 1, 2])
        p.b.add_case(switch, [], True)
        p.b.at(case.region.entry())
        bits = p.ballot()
        if kind == "added":
            scope, semantics = p.const(enums.ScopeDevice), p.const(0)
            p.b.emit(op.AtomicIAdd, p.u32, [p.place(p.const(0)), scope, semantics, bits])
        elif kind == "one word":
            p.out(bits, value)
        else:
            p.out(bits)
        p.b.at(switch.after())

    if kind == "parted":
        p.when(p.test(op.ULessThan, p.index, p.const(4)), choose, choose)
    else:
        choose()
    if kind == "read":
        other = p.op2(op.BitwiseXor, p.index, p.const(4))
        p.out(p.b.load(p.u32, p.place(other)))
    if kind == "steers":
        own = p.b.load(p.u32, p.place(p.index))
        p.when(p.test(op.IEqual, own, p.const(7)), lambda: p.out(p.op2(op.IAdd, own, p.ballot())))
    if kind == "barrier":
        scope, semantics = p.const(enums.ScopeWorkgroup), p.const(0)
        p.b.emit(op.ControlBarrier, None, [scope, scope, semantics])
    p.b.return_()
    return p


def of_lanes(p: Compute, limit: int = 512, groups: int = 1) -> Outcomes:
    return outcomes(p.module, groups=(groups, 1, 1), subgroup_size=4, buffers={"out": [0] * p.lanes}, limit=limit)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_subgroups_are_a_product(count: int) -> None:
    """5 ways to unite three; 5 x 5 from 9 runs, 5 x 5 x 5 from 13."""
    p = by_subgroups(lanes=4 * count)
    every = of_lanes(p)
    assert every.whole and every.runs == 1 + 4 * count
    expected = {tuple(sum([[*each, 0] for each in picked], [])) for picked in itertools.product(FIVE, repeat=count)}
    assert {tuple(outcome.words("out")) for outcome in every.outcomes} == expected
    assert f"of each subgroup for itself, since they share no memory: {' x '.join(['5'] * count)}" in every.coverage
    assert every.to_json()["factors"] == [5] * count


def test_maximal_subgroups_that_went_apart_are_a_product() -> None:
    """Each makes its choice in a tangle of its own: a switch for each."""
    every = of_lanes(by_subgroups("parted", mode=enums.ExecutionModeMaximallyReconvergesKHR))
    assert every.runs == 9 and every.to_json()["factors"] == [5, 5]
    expected = {(*one, 0, *other, 0) for one, other in itertools.product(FIVE, repeat=2)}
    assert {tuple(outcome.words("out")) for outcome in every.outcomes} == expected


def test_a_tangle_of_the_workgroup_makes_one_choice() -> None:
    every = of_lanes(by_subgroups(mode=enums.ExecutionModeMaximallyReconvergesKHR))
    assert every.whole and " x " not in every.coverage
    assert {tuple(outcome.words("out")) for outcome in every.outcomes} == {(*one, 0, *one, 0) for one in FIVE}


@pytest.mark.parametrize("kind", ["added", "one word", "read", "steers", "barrier"])
def test_subgroups_that_may_meet_are_no_product(kind: str) -> None:
    """In a word, in what another wrote, in a barrier; or where a choice decides which blocks are executed."""
    assert "of each subgroup" not in of_lanes(by_subgroups(kind), limit=40).coverage


@pytest.mark.parametrize("kind", ["apart", "steers", "barrier"])
def test_subgroups_at_once_give_the_same(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    factored = of_lanes(by_subgroups(kind))
    monkeypatch.setattr(searching, "factors_of", lambda *given: None)
    plain = of_lanes(by_subgroups(kind))
    assert plain.whole and factored.whole
    assert {tuple(each.words("out")) for each in plain.outcomes} == {
        tuple(each.words("out")) for each in factored.outcomes
    }


@pytest.mark.parametrize("groups", [1, 2])
def test_each_outcome_of_subgroups_has_choices_that_give_it(groups: int) -> None:
    p = by_subgroups() if groups == 1 else choosing()
    size = 8 if groups == 1 else 6
    every = of_lanes(p) if groups == 1 else found(p, 2)
    for outcome in every.outcomes:
        again = run(
            p.module, groups=(groups, 1, 1), subgroup_size=4, buffers={"out": [0] * size}, policy=outcome.policy
        )
        assert again.buffers["out"].words == outcome.words("out")


def test_a_table_for_each_subgroup() -> None:
    p = by_subgroups()
    every = of_lanes(p)
    text = show_outcomes(p.module, every, 4)
    assert text.startswith("25 outcomes (5 x 5)")
    assert "subgroup 0:" in text and "subgroup 1:" in text and text.count("outcome 5 |") == 2
    last = every.outcomes[-1].to_json()["witness"]
    assert isinstance(last, dict) and [each["subgroup"] for each in last["apart"]] == [0, 1]
