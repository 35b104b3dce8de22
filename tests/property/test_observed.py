"""What drivers give for shaders that they may differ on is among the outcomes, or the headline names what lets it be
something else (`kit.observed`).

    python -m kit.observed 0 500, python -m kit.observed 0 120 --fragment        more, with counts
"""

import pytest
from kit.observed import ALLOWED, BOUNDED, WRONG, Compute, judge, judged, made
from kit.random.observable import FAMILIES, observable

from reknit.sim.run import run

pytestmark = pytest.mark.once

COMPUTE = 3
FRAGMENTS = 2
FULL = 500
FULL_FRAGMENTS = 120
BATCH = 20


def check(seed: int, fragment: bool) -> None:
    program = made(seed, fragment)
    wrong = [f"{each.driver}: {each.why}" for each in judged(program).wrong]
    assert not wrong, f"seed {seed}: {wrong}\n{program.text}"


@pytest.mark.parametrize("seed", range(COMPUTE))
def test_a_driver_gives_an_outcome_or_what_is_named(seed: int) -> None:
    check(seed, fragment=False)


@pytest.mark.parametrize("seed", range(FRAGMENTS))
def test_a_driver_draws_an_outcome_or_what_is_named(seed: int) -> None:
    check(seed, fragment=True)


@pytest.mark.full
@pytest.mark.parametrize("batch", range(FULL // BATCH))
def test_drivers_give_outcomes_or_what_is_named(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        check(seed, fragment=False)


@pytest.mark.full
@pytest.mark.parametrize("batch", range(FULL_FRAGMENTS // BATCH))
def test_drivers_draw_outcomes_or_what_is_named(batch: int) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        check(seed, fragment=True)


def given_instead(family: str, word: int, seed: int = 0) -> str:
    """The verdict on a driver that would store `word` first, and else what the simulator does."""
    program = Compute(observable(seed, family))
    comparer = program.comparer()
    result = run(comparer.module, groups=comparer.groups, subgroup_size=4, buffers=comparer.buffers)
    result.buffers["Out"].words[0] = word
    return judge(program, 4, result, comparer, "made up").verdict


def test_the_net_itself() -> None:
    """No row reaches a bit count or a ballot; the root of 1.1 is as precise as the bounds let it be, and no 0.5."""
    assert given_instead("determined", 0x12345) == WRONG
    assert given_instead("diverges", 0x12345, seed=1) == WRONG
    assert given_instead("computes", 0x3F863F5F) == BOUNDED
    assert given_instead("computes", 0x3F000001) == WRONG


@pytest.mark.full
def test_every_family_makes_programs() -> None:
    for family in FAMILIES:
        program = Compute(observable(3, family))
        comparer = program.comparer()
        result = comparer.simulated(4)
        assert judge(program, 4, result, comparer, "the simulator").verdict == ALLOWED
