"""457 random programs of the Vulkan CTS reconvergence generator, under four policies each: every word that every lane
writes.

The expected words are those of the CTS reference (`cts_maximal.jsonl.gz`). The programs are free of inter-lane races
and of switches with several literals a label, so that no freedom of the extension shows: every policy must give the
same words.
"""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance.cts_program import INPUTS, LANES, CtsProgram

from reknit.sim.policy import Policy
from reknit.sim.run import Program, prepare

POLICIES = {
    "lifo": Policy(schedule="lifo"),
    "fifo": Policy(schedule="fifo", fallthrough="always"),
    "random": Policy(schedule="random:1"),
    "value": Policy(partition="value", schedule="random:2"),
}
SAMPLE = 120


def words_of(program: Program, policy: Policy, most: int) -> list[list[int]]:
    """What each lane wrote, in order, each value as one number."""
    result = program.run(
        policy,
        buffers={"a": list(range(INPUTS)), "b": bytes(16 * LANES * most), "c": bytes(4 * LANES)},
    )
    assert [str(diagnostic) for diagnostic in result.diagnostics] == []
    words = result.buffers["b"].words
    counts = result.buffers["c"].words
    found: list[list[int]] = []
    for lane in range(LANES):
        values: list[int] = []
        for at in range(counts[lane]):
            first = 4 * (at * LANES + lane)
            value = words[first] | words[first + 1] << 32 | words[first + 2] << 64 | words[first + 3] << 96
            values.append(value)
        found.append(values)
    return found


def number(text: str) -> int:
    """A stored vector as one number: its words in hex, the first one first ("ffffffff:7ffffff" is
    0x7ffffff_ffffffff)."""
    value = 0
    for place, word in enumerate(text.split(":")):
        value |= int(word, 16) << (32 * place)
    return value


def check(case: dict[str, Any]) -> None:
    expected = [[number(word) for word in words] for words in case["expected_hex_per_invocation"]]
    most = max(len(words) for words in expected) + 1
    program = prepare(CtsProgram(case["ops"]).module, subgroup_size=case["subgroup_size"])
    for name, policy in POLICIES.items():
        found = words_of(program, policy, most)
        for lane in range(LANES):
            assert found[lane] == expected[lane], f"{case['cts_name']} under {name}, lane {lane}"


@pytest.fixture(scope="session")
def cases(conformance: Callable[[str], Path]) -> list[dict[str, Any]]:
    with gzip.open(conformance("cts_maximal.jsonl.gz"), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_every_word_of_the_cts_programs(cases: list[dict[str, Any]], full: bool) -> None:
    """All programs with --full, else a fixed sample of them."""
    chosen = cases if full else random.Random(20261101).sample(cases, SAMPLE)
    assert len(cases) == 457
    for case in chosen:
        check(case)
