"""Random small graphs: the rules say what SPIRV-Tools says, but for the differences that docs/validator.md lists."""

from collections.abc import Callable

import pytest
from kit import oracles
from kit.random import flow_graphs

from reknit.spirv.rules.judge import examine
from reknit.spirv.words import parse

SEEDS = 1200
FULL_SEEDS = 40000
SPEC_ONLY = ("B26", "B30", "M05")


def agrees(binary: bytes, seed: object) -> bool:
    """Whether SPIRV-Tools accepts the module; the rules must say the same."""
    fine, message = oracles.validate(binary)
    case = examine(parse(binary))
    broken = [finding for finding in case.out.findings if finding.rule not in SPEC_ONLY]
    if fine and broken and all(one.rule == "B11" for one in broken):
        # The function's first block as a continue target: the header can't dominate it (SPIR-V 1.6, 2.11).
        first = [int(block) for block in case.flow.first][:-1]
        assert all(case.flow.continues[one.block] in first for one in broken), seed
        return True
    assert fine == (not broken), (seed, message, [one.message for one in broken])
    return fine


@pytest.mark.parametrize("blocks", [6, 14, 40])
def test_verdicts_agree(blocks: int, full: bool) -> None:
    oracles.need("slang-glslang")
    count = (FULL_SEEDS if full else SEEDS) // 3
    seeds = range(blocks * 1_000_000, blocks * 1_000_000 + count)
    accepted = sum(agrees(flow_graphs.words(flow_graphs.graph(seed, blocks)), seed) for seed in seeds)
    assert count // 4 < accepted < count * 3 // 4


def test_verdicts_agree_on_tiny_functions(full: bool) -> None:
    oracles.need("slang-glslang")
    count = FULL_SEEDS if full else 1500
    accepted = sum(agrees(flow_graphs.words(flow_graphs.tiny(seed)), seed) for seed in range(count))
    assert accepted > count // 20


@pytest.mark.parametrize("made", [flow_graphs.bent, flow_graphs.cases])
def test_verdicts_agree_where_one_branch_is_wrong(made: Callable[[int], flow_graphs.Graph], full: bool) -> None:
    oracles.need("slang-glslang")
    count = FULL_SEEDS // 3 if full else 300
    accepted = sum(agrees(flow_graphs.words(made(seed)), seed) for seed in range(count))
    assert count // 4 < accepted < count * 4 // 5


def test_verdicts_agree_on_modules_of_several_functions(full: bool) -> None:
    """What is known of one function must not be taken for the next one's."""
    oracles.need("slang-glslang")
    count = FULL_SEEDS // 4 if full else 400
    accepted = 0
    for seed in range(count):
        functions = [flow_graphs.graph(7_000_000 + 3 * seed + place, 5) for place in range(2 + seed % 2)]
        accepted += agrees(flow_graphs.words(*functions), seed)
    assert accepted > count // 20
