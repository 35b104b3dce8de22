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
from reknit.spirv.read import read_flat, read_module
from reknit.spirv.write import write_module

POLICIES = {
    "lifo": Policy(schedule="lifo"),
    "fifo": Policy(schedule="fifo", fallthrough="always"),
    "random": Policy(schedule="random:1"),
    "value": Policy(partition="value", schedule="random:2"),
}
PARTS = 8
SAMPLE = 15


def words_of(program: Program, policy: Policy, most: int) -> list[list[int]]:
    """What each lane wrote, in order, each value as one number."""
    result = program.run(
        policy,
        buffers={"a": list(range(INPUTS)), "b": bytes(16 * LANES * most), "c": bytes(4 * LANES)},
    )
    assert [str(diagnostic) for diagnostic in result.diagnostics] == []
    return values_in(result.buffers["b"].words, result.buffers["c"].words)


def values_in(words: list[int], counts: list[int]) -> list[list[int]]:
    """What each lane wrote, of the contents of `b` and `c`."""
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


def expected_of(case: dict[str, Any]) -> list[list[int]]:
    return [[number(word) for word in words] for words in case["expected_hex_per_invocation"]]


def check(case: dict[str, Any]) -> None:
    expected = expected_of(case)
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


@pytest.mark.parametrize("part", range(PARTS))
def test_every_word_of_the_cts_programs(cases: list[dict[str, Any]], part: int) -> None:
    assert len(cases) == 457
    for case in cases[part::PARTS]:
        check(case)


def test_flat_and_as_a_tree(cases: list[dict[str, Any]]) -> None:
    """A sample, written as SPIR-V and read back: plain branches with merge instructions, and the tree made of them."""
    for case in random.Random(5).sample(cases, SAMPLE):
        expected = expected_of(case)
        most = max(len(words) for words in expected) + 1
        data = write_module(CtsProgram(case["ops"]).module)
        tree = read_module(data)
        flat = read_flat(data)
        assert all(function.structured for function in tree.functions)
        assert not any(function.structured for function in flat.functions)
        for module in (tree, flat):
            program = prepare(module, subgroup_size=case["subgroup_size"])
            for policy in (POLICIES["lifo"], POLICIES["value"]):
                assert words_of(program, policy, most) == expected, case["cts_name"]
