"""Functions and types as values do the same at each stage: existentials, tags of sets, plain SPIR-V.

Values are those worked out by hand in tests/callable_programs.py, among them ballots inside of what is called: lanes
are parted by the table that their function was looked up in, and by the function.
"""

import pytest
from callable_programs import PROGRAMS
from oracles import need, validate

from reknit.ir.module import Module
from reknit.ir.opcodes import FIRST_OWN
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.ir.walk import instructions
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.run import Result, run
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

STAGES = [
    "",
    "specialize-dispatch",
    "specialize-dispatch, lower-dispatch",
    "specialize-dispatch, lower-dispatch{inline=never}",
    "specialize-dispatch, lower-dispatch{mode=waterfall}",
]


def at_stage(name: str, stage: str) -> Module:
    module = parse(PROGRAMS[name][0], f"{name}.rk")
    if stage:
        run_passes(module, stage, Hooks(verify_each=True))
    assert verify(module) == []
    return module


def execute(module: Module, size: int) -> Result:
    return run(module, subgroup_size=size, buffers={"out": [0] * 64})


@pytest.mark.parametrize("size", [4, 8, 32, 64])
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_stage_computes_the_same(name: str, stage: str, size: int) -> None:
    result = execute(at_stage(name, stage), size)
    assert result.diagnostics == []
    assert result.buffers["out"].words == [PROGRAMS[name][1](lane, size) for lane in range(64)]


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
    words = execute(read_module(data), 8).buffers["out"].words
    assert words == [PROGRAMS[name][1](lane, 8) for lane in range(64)]
    need("spirv-val")
    assert validate(data) == (True, "")
