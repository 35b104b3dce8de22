"""Random small graphs: the rules say what SPIRV-Tools says, but for the differences that docs/validator.md lists."""

import flow_graphs
import oracles
import pytest

from reknit.spirv.rules.judge import examine
from reknit.spirv.words import parse

SEEDS = 1200
FULL_SEEDS = 40000
SPEC_ONLY = ("B26", "B30", "M05")


@pytest.mark.parametrize("blocks", [6, 14, 40])
def test_verdicts_agree(blocks: int, full: bool) -> None:
    oracles.need("slang-glslang")
    accepted = 0
    count = (FULL_SEEDS if full else SEEDS) // 3
    for seed in range(blocks * 1_000_000, blocks * 1_000_000 + count):
        graph = flow_graphs.graph(seed, blocks)
        binary = flow_graphs.words(graph)
        fine, message = oracles.validate(binary)
        case = examine(parse(binary))
        broken = [finding for finding in case.out.found if finding.rule not in SPEC_ONLY]
        if fine and [one.rule for one in broken] == ["B11"]:
            # The function's first block as a continue target: the header can't dominate it (SPIR-V 1.6, 2.11).
            assert case.flow.continues[broken[0].block] == 0, (seed, blocks)
            continue
        assert fine == (not broken), (seed, blocks, message, [one.message for one in broken])
        accepted += fine
    assert count // 4 < accepted < count * 3 // 4
