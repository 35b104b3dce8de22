"""What is found out of a flat function holds in the program that it was flattened from: for values, uses, and edges.

    structured program ── copied, flattened ──▶ known bits, executable edges, divergence
            └── run by the machine, which watches ──▶ no claim of theirs refuted

Which blocks belong to which loop is what a graph lacks: it is said by hints. Of the values that never differed in the
runs a share has to be claimed; the others are alike by chance, for these programs' inputs.
"""

from typing import Any

import pytest
from kit.oracles import uniform_values
from kit.oracles.in_turn import in_turn
from kit.oracles.uniform_values import watched
from kit.random import flat

from reknit.analysis.flat.divergence import FlatDivergence, UniformLoads
from reknit.analysis.flat.executable_edges import ExecutableEdges
from reknit.analysis.flat.flow import Flow
from reknit.analysis.known_bits import Bits
from reknit.analysis.manager import Analyses
from reknit.analysis.natural_loops import natural_loops
from reknit.analysis.order import Order
from reknit.analysis.uniformity.scope import Scope
from reknit.analysis.uses import Use
from reknit.fuzzing.unstructured import flatten
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.passes.manager import run_passes
from reknit.sim.kernel import Step
from reknit.sim.policy import GRAPH, Policy
from reknit.sim.run import prepare

POLICIES = [Policy("label", "never"), Policy("label", "never", "random:3")]


class Flattened:
    """What the analyses say of the flattened copy of a module's function, by the module's own blocks and values."""

    def __init__(self, module: Module, wide: bool) -> None:
        copy = module.copy()
        function = copy.functions[0]
        pairs = list(zip(blocks(module.functions[0]), blocks(function), strict=True))
        self.twin: dict[Value, Value] = {}
        for own, other in pairs:
            self.twin[own] = other
            self.twin.update(zip(own, other, strict=True))
        flatten(function, hints=True)
        analyses = Analyses(copy)
        order = analyses.ask(Order, function)
        self.flow = Flow([block for block in order.blocks if order.reached[order.number[block]]])
        self.flow.find_order()
        self.taken = ExecutableEdges(self.flow)
        targets = [list(row) for row in self.flow.targets]
        for hint in function.hints:  # "this block belongs to the loop of that header": as an edge back
            member, header = self.flow.number.get(hint.block, -1), self.flow.number.get(hint.header, -1)
            if member >= 0 and member != header:
                targets[member].append(header)
        self.found = FlatDivergence(natural_loops(targets), self.taken, analyses.of_module(UniformLoads), wide)

    def of(self, function: Function) -> "Flattened":
        return self

    def is_uniform(self, value: Value) -> bool:
        return value in self.twin and self.twin[value] not in self.found.differing

    def is_uniform_in(self, value: Value, block: Block) -> bool:
        number = self.number(block)
        return number >= 0 and self.found.same_in(self.twin[value], number)

    def is_uniform_at(self, use: Use) -> bool:
        return self.is_uniform_in(use.value(), use.block)

    def keeps_tangle(self, block: Block) -> bool:
        return False

    def number(self, block: Block) -> int:
        other = self.twin[block]
        assert isinstance(other, Block)
        return self.flow.number.get(other, -1)


def promoted(seed: int) -> Module:
    module = flat.program(seed)
    run_passes(module, "promote-variables")
    return module


@pytest.mark.parametrize("scope, share", [("subgroup", 0.65), ("workgroup", 0.3)])
def test_no_claim_of_what_is_the_same_is_refuted(
    scope: str, share: float, full: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    claimed = alike = 0

    def found(analyses: Analyses, scope: Scope) -> Flattened:
        return Flattened(analyses.module, scope.is_workgroup())

    monkeypatch.setattr(uniform_values, "analysed", found)
    for seed in range(600 if full else 25):
        claims = watched(promoted(seed), scope, 4, POLICIES)
        assert not claims.false, (seed, list(claims.false)[:5])
        hits, never = claims.precision()
        claimed += hits
        alike += never
    print(f"precision: {claimed} of {alike} values, {claimed / alike:.3f}")
    assert claimed > share * alike


def test_nobody_runs_what_is_said_to_be_idle_and_values_have_the_bits_that_they_can_have(full: bool) -> None:
    idle = exact = 0
    for seed in range(600 if full else 30):
        module = promoted(seed)
        told = Flattened(module, False)
        program = prepare(module, subgroup_size=4, assume=GRAPH)
        wrong: list[Value] = []

        def refuted(value: Value, wrong: list[Value] = wrong) -> Step:
            return lambda lanes: wrong.append(value)

        def watched_bits(instr: Instr, bits: Bits, column: list[Any], wrong: list[Value] = wrong) -> Step:
            return lambda lanes: wrong.extend([instr for lane in lanes if not bits.can_be(int(column[lane]))])

        for code in program.code:
            steps: list[Step] = []
            parts: list[Step] = []
            number = told.number(code.block)
            if number < 0 or not told.taken.reached[number]:
                idle += 1
                parts.append(refuted(code.block))
            for step, instr in zip(code.steps, code.instrs, strict=True):
                parts.append(step)
                bits = told.taken.bits.get(told.twin[instr])
                if bits is not None:
                    exact += bits.is_exact()
                    parts.append(watched_bits(instr, bits, program.preparation.column(instr)))
                steps.append(in_turn(parts))
                parts = []
            code.steps[:] = steps + parts
        for policy in POLICIES:
            program.run(policy, (2, 1, 1), None, max_steps=400_000)
        assert not wrong, (seed, [value.name for value in wrong[:5]])
    print(f"{idle} parts of blocks that nobody runs, {exact} values that are known")
    assert idle > 0 and exact > 0
