"""Random graphs: what is found, block by block, is what the rules' sentences say, read off without trees or intervals.

`test_rules.py` has SPIRV-Tools say which modules are valid; here every finding has its rule, block, header and edges.
"""

import random
from collections import Counter
from collections.abc import Callable

import pytest
from kit.oracles.rules_by_definition import Found, broken
from kit.random import flow_graphs

from reknit.spirv.rules.finding import MAX_FINDINGS
from reknit.spirv.rules.judge import examine
from reknit.spirv.rules.subject import Options
from reknit.spirv.words import parse

LIMITS = [1, 2, 3, *[99] * 13]  # sometimes small ones, so that small graphs break them


def judged(functions: list[flow_graphs.Graph], nesting: int, pairs: int) -> list[Found]:
    found = examine(parse(flow_graphs.words(*functions)), Options(nesting=nesting, pairs=pairs)).out.findings
    assert len(found) < MAX_FINDINGS
    return sorted((one.rule, one.block, one.header, tuple(one.edges), tuple(one.also)) for one in found)


def several(seed: int) -> list[flow_graphs.Graph]:
    chance = random.Random(seed)
    kinds = [flow_graphs.tiny, flow_graphs.bent, flow_graphs.cases, flow_graphs.graph]
    return [chance.choice(kinds)(seed + 1_000_000 * place) for place in range(1, chance.choice((3, 4)))]


# What is made, how many of them, and rules that some of them break: else the test would say nothing of those.
SETS: dict[str, tuple[Callable[[int], list[flow_graphs.Graph]], int, str]] = {
    "graph": (lambda seed: [flow_graphs.graph(seed, (5, 10, 20)[seed % 3])], 250, "B03 B05 B06 B11 B19 B27 B28 M04"),
    "bent": (lambda seed: [flow_graphs.bent(seed)], 400, "B08 B12 B13 B14 B15 B16 B17 B18 B20 B21 B26 B37 M02"),
    "cases": (lambda seed: [flow_graphs.cases(seed)], 300, "B07 B14 B22 B23 B24 B25 B35"),
    "tiny": (lambda seed: [flow_graphs.tiny(seed)], 200, "B01 B09 B10 B29 M03"),
    "several": (several, 120, "B07 B24"),
}


@pytest.mark.parametrize("kind", list(SETS))
def test_findings(kind: str, full: bool) -> None:
    made, count, rules = SETS[kind]
    seen: Counter[str] = Counter()
    for seed in range(count * (20 if full else 1)):
        functions = made(seed)
        nesting, pairs = LIMITS[seed % 16], LIMITS[seed // 16 % 16]
        found = judged(functions, nesting, pairs)
        assert found == broken(functions, nesting, pairs), seed
        seen.update(rule for rule, *_ in found)
    assert [rule for rule in rules.split() if not seen[rule]] == []
