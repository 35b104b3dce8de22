"""Random programs with interfaces do the same at all three stages, and go nowhere that the analysis did not see.

    existentials ─▶ [promote-variables] ─▶ sets ─▶ [thread-dispatch] ─▶ switch or waterfall ─▶ inlined or not

At each: every table that a dynamic call went by is among those computed; each lane stores the same; the same lanes run
each method together; what is left is plain, well formed, and can be written. Once methods are inlined it is what they
store that tells who ran them: there, all have a ballot. Each program takes one of WAYS; 3,000 programs with --full, and
50 of them all, a sample without.
"""

import re
from collections.abc import Iterator

from kit.oracles import find, validate
from kit.oracles.dispatch_runs import per_subgroup
from kit.random.dispatch import random_program

from reknit.analysis.manager import Analyses
from reknit.analysis.tangled import Tangled
from reknit.analysis.typeflow.solve import type_flow
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.passes.dispatch.cases import dispatchers, merge_cases, switch_of
from reknit.passes.dispatch.inlining import called_from
from reknit.passes.manager import run_passes
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.sim.trace import RUN
from reknit.spirv.rules.judge import judge
from reknit.spirv.words import parse as parse_words
from reknit.spirv.write import write_module

SAMPLE = 80
FULL = 3000
ALL_WAYS = 50

# What is done before specialize-dispatch, and after it; whether methods stay functions.
WAYS = [
    ("", "lower-dispatch{inline=never}", True),
    ("", "lower-dispatch{mode=waterfall,inline=never}", True),
    ("", "lower-dispatch", False),
    ("", "lower-dispatch{inline=always}", False),
    ("", "lower-dispatch{mode=waterfall,inline=always}", False),
    ("", "thread-dispatch{limit=100}, lower-dispatch{inline=never}", True),
    ("promote-variables, ", "thread-dispatch, lower-dispatch{mode=waterfall,inline=never}", True),
    ("promote-variables, ", "thread-dispatch{limit=100}, lower-dispatch{inline=always}, simplify-ifs{limit=20}", False),
]


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
            name = re.sub(r"_\d+$", "", function)
            parts = per_subgroup(result.trace, event.mask)
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


def check(seed: int, way: int) -> None:
    earlier, later, are_functions = WAYS[way]
    text = random_program(seed) if are_functions else random_program(seed, 1.0)
    told = (seed, way)
    module = parse(text, f"random-{seed}.rk")
    assert verify(module) == [], told
    sets = possible(module)
    tangled = {function.name for function in Analyses(module).of_module(Tangled).functions}
    size = (4, 8, 16)[seed % 3]
    first = execute(module, size)
    assert first.diagnostics == [], (told, first.diagnostics)
    for call, tables in first.dispatched.items():
        assert {table.name for table in tables} <= sets[call], told
    run_passes(module, earlier + "specialize-dispatch")
    assert verify(module) == [], told
    second = execute(module, size)
    assert second.diagnostics == [], (told, second.diagnostics)
    assert second.buffers["out"].words == first.buffers["out"].words, told
    assert tangles(second, tangled) == tangles(first, tangled), told
    run_passes(module, later)
    assert verify(module) == [], told
    third = execute(module, size)
    assert third.diagnostics == [], (told, third.diagnostics)
    assert third.buffers["out"].words == first.buffers["out"].words, told
    if "CreateExistentialObject" not in text:  # bytes of another type are kept as they are, or as what they are read as
        assert third.buffers["objects"].words == first.buffers["objects"].words, told
    if are_functions:
        assert tangles(third, tangled) == tangles(first, tangled), told
    data = write_module(module)
    assert [finding.message for finding in judge(parse_words(data))] == [], told
    if seed % 10 == 0 and find("spirv-val") is not None:
        accepted, said = validate(data)
        assert accepted or "Capability" in said, (told, said)


def chosen(full: bool) -> Iterator[tuple[int, int]]:
    """Seeds with a way for each."""
    for seed in range(FULL if full else SAMPLE):
        for way in range(len(WAYS)) if full and seed < ALL_WAYS else [seed % len(WAYS)]:
            yield seed, way


def test_random_programs_with_interfaces(full: bool) -> None:
    for seed, way in chosen(full):
        check(seed, way)


def test_the_programs_have_what_the_ways_are_about() -> None:
    """Among the sample: calls that move into arms, cases that become one, and cases that may not."""
    threaded = merged = kept = 0
    for seed in range(SAMPLE):
        module = parse(random_program(seed), f"random-{seed}.rk")
        run_passes(module, "promote-variables, specialize-dispatch")
        threaded += len(run_passes(module, "thread-dispatch{limit=100}").passes[0].changed)
        found = dispatchers(module)
        cases = count_cases(found)
        merge_cases(module, found)
        merged += cases - count_cases(found)
        kept += len([one for one in found if len(called_from([one])) < count_cases([one])])
    assert threaded >= 10 and merged >= 5 and kept >= 1


def count_cases(found: list[Function]) -> int:
    return sum([len(switch.cases) for function in found if (switch := switch_of(function)) is not None])
