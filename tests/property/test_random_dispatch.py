"""Random programs with interfaces do the same at all three stages, and go nowhere that the analysis did not see.

3,000 with --full, a sample without. At each: every table that a dynamic call went by is among those computed; each lane
stores the same; the same lanes run each method together; what is left is plain, well formed, and can be written.
"""

from dispatch_random import random_program
from oracles import find, validate

from reknit.analysis.manager import Analyses
from reknit.analysis.tangled import Tangled
from reknit.analysis.typeflow.solve import type_flow
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.passes.dispatch.lower import lower
from reknit.passes.dispatch.specialize import specialize
from reknit.sim.run import Result, run
from reknit.sim.trace import RUN
from reknit.spirv.write import write_module

SAMPLE = 60
FULL = 3000


def execute(module: Module, size: int) -> Result:
    return run(module, subgroup_size=size, buffers={"out": [0] * 16, "objects": [0] * 16 * 12}, trace=True)


def tangles(result: Result, tangled: set[str]) -> list[tuple[str, int, int]]:
    """Which lanes of each subgroup enter each method together; bodies of one function count as that. Subgroups are
    told apart since a waterfall takes one type after another in each. Who runs a method together that is not among
    `tangled` can't be told, and may change: then each lane counts by itself."""
    assert result.trace is not None
    names = result.trace.names
    found: list[tuple[str, int, int]] = []
    for event in result.trace.events:
        function = names[event.block].split("#")[0] if event.kind == RUN and "+" not in names[event.block] else ""
        if function.startswith(("T", "twice")):
            name = function.removesuffix("_1").removesuffix("_2").removesuffix("_3")
            parts = result.trace.masks_per_subgroup(event.mask)
            for group, part in enumerate(parts):
                together = [part] if name in tangled else [1 << lane for lane in range(16) if part >> lane & 1]
                found.extend([(name, group, one) for one in together if one])
    return sorted(found)


def possible(module: Module) -> dict[Instr, set[str]]:
    flow = type_flow(module)
    found: dict[Instr, set[str]] = {}
    for context in flow.contexts:
        for call, tables in context.sites.items():
            source = call.instr(0).instr(0)
            assert source.type is not None
            members = flow.forms.universe.of(source.type).members(tables)
            found.setdefault(call, set()).update([table.name for table in members])
    return found


def check(seed: int) -> None:
    text = random_program(seed)
    module = parse(text, f"random-{seed}.rk")
    assert verify(module) == [], seed
    sets = possible(module)
    tangled = {function.name for function in Analyses(module).of_module(Tangled).functions}
    size = (4, 8, 16)[seed % 3]
    first = execute(module, size)
    assert first.diagnostics == [], (seed, first.diagnostics)
    for call, tables in first.dispatched.items():
        assert {table.name for table in tables} <= sets[call], seed
    specialize(module)
    assert verify(module) == [], seed
    second = execute(module, size)
    assert second.diagnostics == [], (seed, second.diagnostics)
    assert second.buffers["out"].words == first.buffers["out"].words, seed
    assert tangles(second, tangled) == tangles(first, tangled), seed
    lower(module, seed % 4 == 3)
    assert verify(module) == [], seed
    third = execute(module, size)
    assert third.diagnostics == [], (seed, third.diagnostics)
    assert third.buffers["out"].words == first.buffers["out"].words, seed
    if "CreateExistentialObject" not in text:  # bytes of another type are kept as they are, or as what they are read as
        assert third.buffers["objects"].words == first.buffers["objects"].words, seed
    assert tangles(third, tangled) == tangles(first, tangled), seed
    data = write_module(module)
    if seed % 10 == 0 and find("spirv-val") is not None:
        accepted, said = validate(data)
        assert accepted or "Capability" in said, (seed, said)


def test_random_programs_with_interfaces(full: bool) -> None:
    for seed in range(FULL if full else SAMPLE):
        check(seed)
