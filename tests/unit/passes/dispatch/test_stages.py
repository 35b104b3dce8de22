"""A program with dynamic dispatch does the same at each of its three stages, and ends as valid SPIR-V.

existentials  ->  tagged unions  ->  integers and words, by a switch or by a waterfall. Values are those worked out by
hand in tests/kit/programs/dispatch.py; which lanes run a method together is compared between the stages, by function.
"""

import pytest
from kit.oracles import need, validate
from kit.programs.dispatch import PROGRAMS

from reknit.ir.module import Module
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.ir.walk import instructions
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.sim.trace import RUN
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

STAGES = [
    "",
    "specialize-dispatch",
    "specialize-dispatch, lower-dispatch",
    "specialize-dispatch, lower-dispatch{mode=waterfall}",
    "specialize-dispatch, lower-dispatch{inline=never}",
    "specialize-dispatch, lower-dispatch{inline=always}",
    "specialize-dispatch, lower-dispatch{mode=waterfall,inline=never}",
    "specialize-dispatch, lower-dispatch{mode=waterfall,inline=always}",
]
METHODS = ("A_", "B_", "D", "same", "twice")


def at_stage(name: str, stage: str) -> Module:
    module = parse(PROGRAMS[name][0], f"{name}.rk")
    if stage:
        run_passes(module, stage, Hooks(verify_each=True))
    assert verify(module) == []
    return module


def execute(module: Module, name: str, size: int) -> Result:
    buffers = {"out": [0] * 64} | ({"objects": [0] * 64 * 6} if name == "buffer" else {})
    return run(module, subgroup_size=size, buffers=buffers, trace=True)


def tangles(result: Result) -> list[tuple[str, int]]:
    """Which lanes enter each method together; a method that has several bodies counts as one."""
    assert result.trace is not None
    found: list[tuple[str, int]] = []
    for event in result.trace.events:
        function = result.trace.names[event.block].split("#")[0] if event.kind == RUN else ""
        if function.startswith(METHODS) and "+" not in result.trace.names[event.block]:
            found.append((function.rstrip("_123456789"), event.mask))
    return sorted(found)


@pytest.mark.parametrize("size", [4, 8, 32, 64])
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_stage_computes_the_same(name: str, stage: str, size: int) -> None:
    result = execute(at_stage(name, stage), name, size)
    assert result.diagnostics == []
    assert result.buffers["out"].words == [PROGRAMS[name][1](lane, size) for lane in range(64)]


@pytest.mark.parametrize("stage", ["specialize-dispatch", "specialize-dispatch, lower-dispatch{inline=never}"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_lanes_run_each_method_together(name: str, stage: str) -> None:
    for size in (4, 8, 32, 64):
        before = tangles(execute(at_stage(name, ""), name, size))
        assert before or name == "optional"
        assert tangles(execute(at_stage(name, stage), name, size)) == before


@pytest.mark.parametrize("name", PROGRAMS)
def test_buffers_are_the_same(name: str) -> None:
    """The public layout does not depend on what the analysis knows."""
    results = [execute(at_stage(name, stage), name, 32).buffers for stage in STAGES]
    assert all({k: b.words for k, b in each.items()} == {k: b.words for k, b in results[0].items()} for each in results)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_set_level_is_text_that_is_read_back(name: str) -> None:
    text = print_module(at_stage(name, "specialize-dispatch"))
    assert print_module(parse(text, "again.rk")) == text


@pytest.mark.parametrize("stage", STAGES[2:])
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_left_is_valid_spirv(name: str, stage: str) -> None:
    module = at_stage(name, stage)
    everything = [*module.globals, *[instr for function in module.functions for instr in instructions(function)]]
    assert [instr for instr in everything if instr.op >= FIRST_OWN] == []
    data = write_module(module)
    assert execute(read_module(data), name, 8).buffers["out"].words == [
        PROGRAMS[name][1](lane, 8) for lane in range(64)
    ]
    need("spirv-val")
    assert validate(data) == (True, "")
