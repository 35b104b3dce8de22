"""The Vulkan CTS reconvergence programs from their GLSL: glslang compiles what the generator printed, reknit runs it.

    glsl_body in a compute shader ──glslang──▶ SPIR-V ──▶ module + MaximallyReconvergesKHR ──▶ every word of every lane

The op lists of the same programs are built by hand elsewhere; here blocks, merges and loops are a compiler's. Besides
the run as it is, the module goes through text and through `reconverge` and must write the same words.
"""

import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance.cts_program import INPUTS, LANES
from conformance.test_cts_maximal import number
from kit import oracles

from reknit.ir import enums, op
from reknit.ir.function import Function
from reknit.ir.module import Module, annotation
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

SAMPLE = 60
SHADER = """#version 450
#extension GL_KHR_shader_subgroup_basic : enable
#extension GL_KHR_shader_subgroup_vote : enable
#extension GL_KHR_shader_subgroup_ballot : enable
layout(local_size_x = 7, local_size_y = 13) in;
layout(set = 0, binding = 0) coherent buffer InputA { uint a[]; } inputA;
layout(set = 0, binding = 1) coherent buffer OutputB { uvec4 b[]; } outputB;
layout(set = 0, binding = 2) coherent buffer OutputC { uint loc[]; } outputC;
layout(push_constant) uniform PC { uint invocationStride; };
uint outLoc = 0;
bool testBit(uvec4 mask, uint bit) { return ((mask[bit >> 5] >> (bit & 31)) & 1) != 0; }
{FUNCTIONS}
void main()
{
{MAIN}
}
"""
POLICIES = {
    "lifo": Policy(schedule="lifo"),
    "fifo": Policy(schedule="fifo"),
    "random": Policy(schedule="random:3"),
    "value": Policy(partition="value", fallthrough="always", schedule="random:4"),
}


def source_of(body: str) -> str:
    """The shader around what the generator printed: its functions, and the statements of main."""
    functions, main = body.split("//MAIN\n")
    return SHADER.replace("{FUNCTIONS}", functions.replace("//FUNCTIONS\n", "")).replace("{MAIN}", main)


def reconverging(data: bytes) -> Module:
    """The module with the mode that glslang has no word for."""
    module = read_module(data)
    for entry in module.entry_points:
        main = entry.operands[1]
        assert isinstance(main, Function)
        module.execution_modes.append(annotation(op.ExecutionMode, [main, enums.ExecutionModeMaximallyReconvergesKHR]))
    module.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))
    return module


def words_of(module: Module, size: int, most: int, policies: dict[str, Policy]) -> dict[str, list[list[int]]]:
    """By policy, what each lane wrote, in order, each value as one number."""
    program = prepare(module, subgroup_size=size)
    found: dict[str, list[list[int]]] = {}
    for name, policy in policies.items():
        result = program.run(
            policy,
            buffers={
                "inputA": list(range(INPUTS)),
                "outputB": bytes(16 * LANES * most),
                "outputC": bytes(4 * LANES),
            },
            push_constants=[LANES],
        )
        assert [str(diagnostic) for diagnostic in result.diagnostics] == []
        words = result.buffers["outputB"].words
        counts = result.buffers["outputC"].words
        lanes: list[list[int]] = []
        for lane in range(LANES):
            firsts = [4 * (at * LANES + lane) for at in range(counts[lane])]
            lanes.append([sum(words[first + part] << 32 * part for part in range(4)) for first in firsts])
        found[name] = lanes
    return found


@pytest.fixture(scope="session")
def chosen(conformance: Callable[[str], Path], full: bool) -> list[dict[str, Any]]:
    with gzip.open(conformance("cts_maximal.jsonl.gz"), "rt", encoding="utf-8") as file:
        cases = [json.loads(line) for line in file]
    assert len(cases) == 457
    return cases if full else random.Random(20261122).sample(cases, SAMPLE)


@pytest.mark.parametrize("part", range(4))
def test_compiled_programs_write_the_words_of_the_cts(chosen: list[dict[str, Any]], part: int) -> None:
    oracles.need("glslangValidator")
    for case in chosen[part::4]:
        expected = [[number(word) for word in words] for words in case["expected_hex_per_invocation"]]
        most = max(len(words) for words in expected) + 1
        size = case["subgroup_size"]
        data = oracles.glslang(source_of(case["glsl_body"]))
        assert write_module(read_module(data)) == data, case["cts_name"]
        module = reconverging(data)
        for name, words in words_of(module, size, most, POLICIES).items():
            assert words == expected, f"{case['cts_name']}, subgroup size {size}, {name}"
        again = parse(print_module(module))
        run_passes(again, "reconverge")
        lowered = words_of(again, size, most, {"never": Policy("value", "never", "fifo")})
        assert lowered["never"] == expected, f"{case['cts_name']}, subgroup size {size}, after reconverge"
        binary = write_module(again)
        if oracles.find("slang-glslang") is not None:
            accepted, message = oracles.validate(binary)
            assert accepted, f"{case['cts_name']}: {message}"
