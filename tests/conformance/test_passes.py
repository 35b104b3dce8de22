"""Passes on programs from outside: the CTS's words stay as they are, and what spirv-val accepts it accepts afterwards.

The expected words are those of the CTS reference; the modules and the first verdict those of the tests of SPIRV-Tools.
"""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance.cts_program import LANES, CtsProgram
from conformance.test_cts_maximal import number, words_of
from kit import oracles

from reknit.passes.manager import run_passes
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

PIPELINES = (
    "promote-variables,simplify-cfg",
    "simplify-cfg,promote-variables,simplify-cfg,eliminate-phis,simplify-cfg",
    "reconverge",
)


def lines(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_cts_programs_write_the_same_words(conformance: Callable[[str], Path], full: bool, pipeline: str) -> None:
    cases = lines(conformance("cts_maximal.jsonl.gz"))
    for case in cases if full else random.Random(20261121).sample(cases, 40):
        expected = [[number(word) for word in words] for words in case["expected_hex_per_invocation"]]
        module = CtsProgram(case["ops"]).module
        run_passes(module, pipeline)
        program = prepare(module, subgroup_size=case["subgroup_size"])
        found = words_of(program, Policy(), max(len(words) for words in expected) + 1)
        for lane in range(LANES):
            assert found[lane] == expected[lane], f"{case['cts_name']}, lane {lane}"


@pytest.mark.parametrize("pipeline", PIPELINES[:2])
def test_valid_modules_stay_valid(conformance: Callable[[str], Path], full: bool, pipeline: str) -> None:
    oracles.need("spirv-val")
    oracles.need("spirv-as")
    cases = [case for case in lines(conformance("spirv_val_cases.jsonl.gz")) if case["expected"] == "valid"]
    checked = 0
    for case in cases if full else random.Random(20261121).sample(cases, 50):
        data = oracles.assemble(case["asm"], case["asm_env"])
        if not oracles.spirv_val(data, case["val_env"])[0]:
            continue  # it needs options of the validator
        module = read_module(data)
        run_passes(module, pipeline)
        accepted, message = oracles.spirv_val(write_module(module), case["val_env"])
        assert accepted, f"{case['name']}: {message}"
        checked += 1
    assert checked >= 40
