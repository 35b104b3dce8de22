"""What programs mean, by hand: four lanes in one subgroup, each place's word worked out in the test.

An Observe makes `out` out * 2654435761 + what it saw + its place; from 0, the first one leaves what it saw + its place.
"""

import pytest

from reknit.fuzzing.meaning import meaning_of
from reknit.fuzzing.outcome_sets import MEANING, words_of
from reknit.fuzzing.program import Program, Routine
from reknit.fuzzing.statements import (
    DEMOTE,
    TERMINATE,
    UNTIL,
    WHILE,
    Arm,
    Assign,
    Call,
    Choice,
    Exchange,
    Fork,
    Jump,
    Kill,
    Observe,
    Pick,
    Region,
    Repeat,
    Select,
    Statement,
)
from reknit.fuzzing.tangled_meaning import tangled_result
from reknit.fuzzing.to_module import module_of
from reknit.fuzzing.words import LANE, LOCAL, NUMBER, Word
from reknit.sim.run import prepare

LANES = Word(LANE)
ONE = Word(NUMBER, 1)
ODD = Word("and", 0, LANES, ONE)


def means(body: list[Statement], *routines: Routine, fragment: bool = False) -> list[int]:
    """The meaning, which is also what the machine gives."""
    program = Program(0, 4, 4, True)
    program.fragment = fragment
    main = Routine(0)
    main.body = body
    program.routines += [main, *routines]
    found = meaning_of(program)
    assert list(words_of(prepare(module_of(program), subgroup_size=4), MEANING)) == found
    return found


def count(place: int = 0) -> Observe:
    """How many are here."""
    return Observe("sum", ONE, place)


def test_lanes_meet_behind_an_if() -> None:
    assert means([Choice(ODD, [Assign(0, ONE)], []), count()]) == [4, 4, 4, 4]


def test_lanes_that_fall_run_the_next_case_with_its_own() -> None:
    """switch v { case 0: v0 = Sum(1), falls; default: Observe(Sum(10)) } with v 0 0 1 2 sums 10 over all four."""
    v = Pick(1, Word("less", 0, Word(NUMBER, 1), LANES), Word("sub", 0, LANES, ONE), Word(NUMBER, 0))
    select = Select(Word(LOCAL, 1), 0, 32, False)
    select.arms += [Arm([0], False, True), Arm([], True, False)]
    select.arms[0].body.append(Assign(0, ONE, "sum"))
    select.arms[1].body.append(Observe("sum", Word(NUMBER, 10), 0))
    assert means([Assign(0, Word(NUMBER, 0)), v, select]) == [40, 40, 40, 40]


def test_a_jump_puts_lanes_aside() -> None:
    """Odd lanes leave the scope; 2 count, then all 4."""
    scope = Region()
    scope.body += [Choice(ODD, [Jump(scope)], []), count(7)]
    first = 2 + 7
    assert means([scope, count()]) == [(first * 2654435761 + 4) & 0xFFFFFFFF, 4] * 2


def test_trips_of_each_lane() -> None:
    """lane trips each: those still there count 3, 2, 1 (lane 0 makes none); with the test at the end one at least."""
    v = Assign(0, Word(NUMBER, 0))
    add = Assign(0, Word("add", 0, Word(LOCAL, 0), Word(LOCAL, 1)))
    loop = Repeat(WHILE, LANES)
    loop.body += [Assign(1, ONE, "sum"), add]
    assert means([v, loop, Observe("scan", Word(LOCAL, 0), 0)]) == [0, 3, 3 + 5, 3 + 5 + 6]
    until = Repeat(UNTIL, LANES)
    until.body += [Assign(1, ONE, "sum"), add]
    assert means([v, until, Observe("scan", Word(LOCAL, 0), 0)]) == [4, 8, 8 + 6, 8 + 6 + 7]


def test_lanes_that_went_on_run_the_continuing_part_with_the_others() -> None:
    loop = Repeat(WHILE, ONE)
    loop.body += [Choice(ODD, [Jump(loop, True)], []), count(1)]
    loop.continuing.append(count())
    assert means([loop]) == [(3 * 2654435761 + 4) & 0xFFFFFFFF, 4] * 2


def test_arms_of_a_fork_loop_apart_and_meet_behind() -> None:
    """The two even and the two odd lanes count by themselves, four behind it."""
    loop = Repeat(WHILE, ONE)
    loop.body.append(count())
    assert means([Fork(ODD, loop), count()]) == [(2 * 2654435761 + 4) & 0xFFFFFFFF] * 4


def test_a_routine_returns_to_all_its_callers() -> None:
    """Odd lanes return 5 early, the others their count, 2, at the end; behind the call all four are there."""
    routine = Routine(1)
    routine.body += [Choice(ODD, [Jump(None, False, Word(NUMBER, 5))], []), Assign(0, ONE, "sum")]
    body: list[Statement] = [Call(2, 1, [LANES]), Observe("sum", Word(LOCAL, 2), 0)]
    assert means(body, routine) == [2 + 5 + 2 + 5] * 4


def test_shared_memory() -> None:
    assert means([Exchange(0, LANES, 1), Observe("partner", Word(LOCAL, 0), 0)]) == [2, 1, 0, 3]


def test_phis_of_tangled_operations() -> None:
    """Odd lanes sum 1 + 3, even ones 0 + 2."""
    body: list[Statement] = [Pick(0, ODD, LANES, LANES, "sum"), Observe("scan", Word(LOCAL, 0), 0)]
    assert means(body) == [2, 6, 8, 12]


@pytest.mark.parametrize(("way", "here"), [(TERMINATE, 2), (DEMOTE, 4)])
def test_lanes_that_end_are_gone_and_demoted_ones_store_nothing(way: str, here: int) -> None:
    body: list[Statement] = [count(), Choice(ODD, [Kill(way)], []), count()]
    assert means(body, fragment=True) == [(4 * 2654435761 + here) & 0xFFFFFFFF, 4] * 2


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("last", {0: 9, 1: 9, 3: 9}), ("partner", {0: 6, 1: 5, 3: 9}), ("exclusive", {0: 0, 1: 5, 3: 11}),
        ("cluster", {0: 20, 1: 20, 3: 20}), ("different", {0: 10, 1: 10, 3: 10}), ("union", {0: 15, 1: 15, 3: 15}),
        ("least", {0: 5, 1: 5, 3: 5}), ("greatest", {0: 9, 1: 9, 3: 9}), ("same", {0: 0, 1: 0, 3: 0}),
        ("before", {0: 0, 1: 1, 3: 2}), ("ballot", {0: 11, 1: 11, 3: 11}), ("elect", {0: 1, 1: 0, 3: 0}),
        ("quad-any", {0: 1, 1: 1, 3: 1}), ("quad-all", {0: 1, 1: 1, 3: 1}),
    ],
)  # fmt: skip
def test_tangled_operations(kind: str, expected: dict[int, int]) -> None:
    """Lanes 0, 1 and 3 have 5, 6 and 9: 5 ^ 6 ^ 9 is 10, 5 | 6 | 9 is 15."""
    assert tangled_result(kind, [0, 1, 3], {0: 5, 1: 6, 3: 9}, 4, 2) == expected


def test_wide_ballots() -> None:
    """Lanes 0, 32, 64 and 96 of 128, each the first of its word: 1 + 31 + 32 + 33."""
    lanes = [0, 32, 64, 96]
    assert tangled_result("ballot", lanes, dict.fromkeys(lanes, 0), 128, 4) == dict.fromkeys(lanes, 97)
