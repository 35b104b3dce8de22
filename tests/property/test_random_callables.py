"""Random programs with functions as values do the same at all stages, and call nothing that the analysis did not see.

2,000 with --full, a sample without. At each: whatever a call came to, with the table that it was looked up in, is among
what was computed for it; each lane stores the same; the same lanes run each function with a ballot together; what is
left is plain, well formed, and can be written.
"""

from kit.oracles import find, validate
from kit.oracles.dispatch_runs import per_subgroup
from kit.random.callables import random_callables

from reknit.analysis.typeflow.context import info_at
from reknit.analysis.typeflow.solve import type_flow
from reknit.ir.callables import is_direct
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.passes.dispatch.specialize import specialize
from reknit.passes.manager import run_passes
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.sim.trace import RUN
from reknit.spirv.rules.judge import judge
from reknit.spirv.words import parse as parse_words
from reknit.spirv.write import write_module

SAMPLE = 60
FULL = 2000

# What is done after specialize-dispatch; whether functions stay functions.
WAYS = [
    ("lower-dispatch{inline=never}", True),
    ("lower-dispatch{mode=waterfall,inline=never}", True),
    ("lower-dispatch", False),
    ("thread-dispatch{limit=100}, lower-dispatch{inline=never}", True),
    ("lower-dispatch{mode=waterfall,inline=always}", False),
]
Way = tuple[Instr | None, Function]


def execute(module: Module, size: int) -> Result:
    return run(module, subgroup_size=size, buffers={"out": [0] * 16}, trace=True)


def tangles(result: Result) -> list[tuple[str, int, int]]:
    """Which lanes of each subgroup enter each function with a ballot together; bodies of one function count as that."""
    assert result.trace is not None
    names = result.trace.names
    found: list[tuple[str, int, int]] = []
    for event in result.trace.events:
        function = names[event.block].split("#")[0] if event.kind == RUN and "+" not in names[event.block] else ""
        if function.startswith("t"):
            name = function.rstrip("0123456789").removesuffix("_")
            parts = per_subgroup(result.trace, event.mask)
            found.extend([(name, group, part) for group, part in enumerate(parts) if part])
    return sorted(found)


def possible(module: Module) -> dict[Instr, dict[Way, None]]:
    """For each call of a function that came as a value: what it may come to, in any context."""
    flow = type_flow(module)
    found: dict[Instr, dict[Way, None]] = {}
    for context in flow.contexts:
        for call in context.calls:
            callable = call.operands[0]
            if isinstance(callable, Instr) and callable.type is not None and not is_direct(callable):
                assert call.block is not None
                info = info_at(context, flow.forms, callable, context.envs.get(call.block))
                assert isinstance(info, int)
                groups = flow.forms.callables.groups(callable.type, info)
                found.setdefault(call, {}).update(dict.fromkeys(groups))
    return found


def check(seed: int) -> int:
    """Gives how many calls of function values were looked at."""
    module = parse(random_callables(seed), f"random-{seed}.rk")
    assert verify(module) == [], seed
    sets = possible(module)
    size = (4, 8, 16)[seed % 3]
    first = execute(module, size)
    assert first.diagnostics == [], (seed, first.diagnostics)
    looked = 0
    for call, ways in first.called.items():
        if call in sets:
            looked += 1
            assert all(way in sets[call] for way in ways), seed
    specialize(module)
    assert verify(module) == [], seed
    text = print_module(module)
    assert print_module(parse(text, "again.rk")) == text, seed
    second = execute(module, size)
    assert second.diagnostics == [], (seed, second.diagnostics)
    assert second.buffers["out"].words == first.buffers["out"].words, seed
    assert tangles(second) == tangles(first), seed
    passes, functions_stay = WAYS[seed % len(WAYS)]
    run_passes(module, passes)
    assert verify(module) == [], seed
    third = execute(module, size)
    assert third.diagnostics == [], (seed, third.diagnostics)
    assert third.buffers["out"].words == first.buffers["out"].words, seed
    if functions_stay:
        assert tangles(third) == tangles(first), seed
    data = write_module(module)
    assert [finding.message for finding in judge(parse_words(data))] == [], seed
    if seed % 10 == 0 and find("spirv-val") is not None:
        assert validate(data) == (True, ""), seed
    return looked


def test_random_programs_with_functions_as_values(full: bool) -> None:
    looked = [check(seed) for seed in range(FULL if full else SAMPLE)]
    assert sum(looked) > len(looked)  # there is something to see in them
