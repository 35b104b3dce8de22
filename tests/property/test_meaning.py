"""The simulator gives what random programs mean, which `fuzzing.meaning` works out without tangles.

    Program ─┬─▶ statement by statement, with sets of lanes          ─▶ words ─┐
             └─▶ module ─▶ the machine, one tangle for each case,              ├─ equal
                           lanes that fall through meet               ─▶ words ─┘
"""

from typing import Final

import pytest

from reknit.fuzzing.features import ALL, CLUSTERS, FEATURES, KILLS, PLAIN, QUADS, VOTES
from reknit.fuzzing.generate import generate
from reknit.fuzzing.meaning import meaning_of
from reknit.fuzzing.outcome_sets import MEANING, words_of
from reknit.fuzzing.program import all_statements
from reknit.fuzzing.statements import Choice, Exchange, Fork, Kill, Meet, Observe, Pick, Repeat
from reknit.fuzzing.to_module import module_of
from reknit.fuzzing.words import MORE_TANGLED, QUAD_READS, QUAD_VOTES
from reknit.ir.text.printer import print_module
from reknit.sim.run import prepare

FIRST_SEED: Final = 90_000
BATCHES: Final = 4
CI: Final = 200
FULL: Final = 2_000
SIZES: Final = (4, 8, 16, 32, 64, 128)


def differing(seed: int, features: tuple[str, ...], subgroup_size: int = 0) -> list[int]:
    """The lanes that the machine gives something else for."""
    program = generate(seed, 0, features)
    if subgroup_size:
        program.resize(subgroup_size)
    found = words_of(prepare(module_of(program), subgroup_size=program.subgroup_size), MEANING)
    expected = meaning_of(program)
    assert len(found) == len(expected)
    return [lane for lane in range(len(expected)) if found[lane] != expected[lane]]


@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_machine_gives_the_meaning(batch: int, full: bool) -> None:
    for seed in range(FIRST_SEED + batch, FIRST_SEED + (FULL if full else CI), BATCHES):
        assert differing(seed, ALL) == [], f"seed {seed}"


def test_the_machine_gives_the_meaning_of_usual_programs(full: bool) -> None:
    for seed in range(FULL if full else 60):
        assert differing(seed, ()) == [], f"seed {seed}"


@pytest.mark.parametrize("size", SIZES)
def test_at_every_subgroup_size(size: int, full: bool) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + (300 if full else 10)):
        assert differing(seed, ALL, size) == [], f"seed {seed}"


def test_every_feature_shows() -> None:
    """Each in a twentieth of all programs at least, and every tangled operation in some."""
    has: dict[str, int] = {}
    text = ""
    for seed in range(FIRST_SEED, FIRST_SEED + 200):
        program = generate(seed, 0, ALL)
        found = {f"size {program.subgroup_size}": None}
        for statement in all_statements(program):
            found[type(statement).__name__] = None
            if isinstance(statement, (Observe, Pick)):
                found[statement.tangled] = None
            elif isinstance(statement, Kill):
                found[statement.way] = None
            elif isinstance(statement, Choice) and not statement.merged:
                found["early exit"] = None
            elif isinstance(statement, Repeat):
                found.update({f"{type(inner).__name__} in a continuing part": None for inner in statement.continuing})
        for name in found:
            has[name] = has.get(name, 0) + 1
        if seed < FIRST_SEED + 40:
            text += print_module(module_of(program))
    for kind in (Exchange, Fork, Kill, Meet, Pick):
        assert has.get(kind.__name__, 0) >= 10, kind
    for name in ("early exit", "Choice in a continuing part", *[f"size {size}" for size in SIZES]):
        assert has.get(name, 0) >= 10, name
    ends = ("discard", "terminate", "demote")
    for name in (*MORE_TANGLED, *QUAD_VOTES, *QUAD_READS, *ends, "Repeat in a continuing part"):
        assert has.get(name, 0) >= 1, name
    for word in ("ControlBarrier Workgroup", "ControlBarrier Subgroup", "ClusteredReduce", "Fragment", "QuadSwap"):
        assert word in text, word


@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_by_itself(name: str) -> None:
    for seed in range(FIRST_SEED, FIRST_SEED + 8):
        assert differing(seed, (name,)) == [], f"seed {seed}"


def test_features_left_out_do_not_show() -> None:
    features = [name for name in ALL if name not in (KILLS, CLUSTERS, QUADS, VOTES)]
    for seed in range(FIRST_SEED, FIRST_SEED + 60):
        program = generate(seed, 0, [*features, PLAIN])
        assert not program.fragment and not program.levels
        for statement in all_statements(program):
            assert not isinstance(statement, Kill)
            if isinstance(statement, (Observe, Pick)):
                assert statement.tangled not in ("cluster", *QUAD_READS, *QUAD_VOTES)
