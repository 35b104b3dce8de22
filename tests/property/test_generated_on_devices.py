"""Random programs on drivers: lowered, each stores what the program means.

    seed ─▶ program ─▶ reconverge ─▶ lavapipe at 4, 8, 16; SwiftShader at 4 ─▶ the words worked out by `fuzzing.meaning`

What a driver does otherwise or has no words for is left out by name (docs/devices.md, "Known limits"): of the drivers
here none has quad votes in compute shaders, both run a loop that two branches enter with all lanes together, lavapipe
loses lanes at barriers of the subgroup in divergent control flow, and SwiftShader has no clustered reductions, no 16-
and 64-bit integers and no maximal reconvergence, so that it is told nothing of it.
"""

from typing import Final

import pytest
from kit.oracles import drivers
from kit.oracles.drivers import on_every_driver

from reknit.fuzzing.features import ALL, CLUSTERS, ENTRIES, KILLS, VOTES
from reknit.fuzzing.generate import generate
from reknit.fuzzing.meaning import meaning_of
from reknit.fuzzing.program import Program, all_bodies, all_statements
from reknit.fuzzing.statements import Meet, Select
from reknit.fuzzing.to_module import module_of
from reknit.ir import enums
from reknit.ir.module import Module
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError
from reknit.vulkan.run import run_on

FIRST_SEED: Final = 80_000
CI: Final = 6
FULL: Final = 1_000
LACKS: Final = {
    "lavapipe": (KILLS, VOTES, ENTRIES),
    "swiftshader": (KILLS, VOTES, ENTRIES, CLUSTERS),
}
KNOWN: Final[dict[str, dict[int, str]]] = {"lavapipe": {}, "swiftshader": {}}
"""Seeds that a driver gets wrong, with the name that docs/devices.md has for its fault."""


def program_for(driver: str, lanes: int, seed: int) -> Program:
    program = generate(seed, 0, [name for name in ALL if name not in LACKS[driver]])
    program.resize(lanes)
    if driver == "lavapipe":
        for body in all_bodies(program):
            body[:] = [statement for statement in body if not isinstance(statement, Meet)]
    if driver == "swiftshader":
        for statement in all_statements(program):
            if isinstance(statement, Select):
                statement.width = 32
    return program


def lowered(program: Program, driver: str) -> Module:
    module = module_of(program)
    run_passes(module, "reconverge")
    if driver == "swiftshader":
        mode = enums.ExecutionModeMaximallyReconvergesKHR
        module.execution_modes = [line for line in module.execution_modes if line.operands[1] != mode]
        module.extensions = [line for line in module.extensions if "maximal" not in line.text(0)]
    return module


@on_every_driver
def test_lowered_programs_store_what_they_mean(driver: str, lanes: int, full: bool) -> None:
    wrong: list[int] = []
    for seed in range(FIRST_SEED, FIRST_SEED + (FULL if full else CI)):
        program = program_for(driver, lanes, seed)
        module = lowered(program, driver)
        try:
            found = run_on(drivers.target(driver, lanes), module)
        except InputError as fault:
            pytest.fail(f"seed {seed}: {fault}\n{print_module(module)}")
        assert found.subgroup_size == lanes
        if found.buffers["out"].words != meaning_of(program):
            wrong.append(seed)
    known = [seed for seed in KNOWN[driver] if FIRST_SEED <= seed < FIRST_SEED + (FULL if full else CI)]
    assert [seed for seed in wrong if seed not in known] == [], driver
