"""Hold the uniformity analysis to the machine: run a program and watch all that it says of values, uses and blocks.

    prepared program ── a check before each step and at each block's start ──▶ run ──▶ False claims, and
                                                                                       how many true ones were made

A value that was never seen to differ counts as really uniform; the share of those that were claimed is the precision.
The checks are steps put among the program's own, so a program that isn't watched runs as ever.

Uses are not only those that the program has: in each block, some of the values that dominate it are compared too.
"""

import random
from collections.abc import Mapping
from typing import Any, final

from kit.oracles.in_turn import in_turn
from reknit.analysis.constructs import construct_of
from reknit.analysis.dominance import Dominance
from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.scope import Scope
from reknit.analysis.uniformity.uniformity import FunctionUniformity, Uniformity
from reknit.analysis.uses import Use, Uses
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.tree import Construct, Loop
from reknit.ir.value import Value
from reknit.sim.code import CodeBlock
from reknit.sim.drawing import Drawing
from reknit.sim.kernel import Step
from reknit.sim.memory_kernels import is_read_at_once
from reknit.sim.policy import GRAPH, Policy
from reknit.sim.run import Program, prepare
from reknit.sim.word_kernels import stored_at_once

MAX_STEPS = 400_000
LOOKS = 12  # values of other blocks that are compared in each block


@final
class Claims:
    """What was seen: by value or use, whether it was compared at all, and whether it differed. `false` are the claims
    that a run refuted, as texts."""

    def __init__(self) -> None:
        self.compared: dict[object, bool] = {}  # by value: whether it was ever seen to differ
        self.claimed: dict[object, None] = {}
        self.false: dict[str, None] = {}

    def precision(self) -> tuple[int, int]:
        """(how many values were never seen to differ and claimed uniform, how many were never seen to differ)."""
        alike = [key for key, differed in self.compared.items() if isinstance(key, Instr) and not differed]
        return sum(1 for value in alike if value in self.claimed), len(alike)


@final
class _Watcher:
    def __init__(self, module: Module, scope: Scope, subgroup_size: int, claims: Claims) -> None:
        self.analyses = Analyses(module)
        self.uniformity = analysed(self.analyses, scope)
        self.group = 1 << 16 if scope.is_workgroup() else min(scope.cluster or subgroup_size, subgroup_size)
        self.claims = claims
        self.random = random.Random(0)
        self.entered: dict[object, dict[int, int]] = {}  # by function or construct, by lane: the tangle that entered

    def watch(self, program: Program) -> None:
        for code in program.code:
            self.watch_block(program, code)

    def watch_block(self, program: Program, code: CodeBlock) -> None:
        of = self.uniformity.of(code.function)
        uses = self.analyses.ask(Uses, code.function)
        by_user: dict[Value, list[Use]] = {}
        for use in uses.all:
            if use.block is code.block:
                by_user.setdefault(use.user, []).append(use)
        parts: list[Step] = []
        if code.number == code.header:
            block = code.block
            parts.extend(self.tangle_steps(of, code.function, block))
            for value in self.values_above(program, code.function, block):
                what = f"{name(value)} looked at in {name(block)}"
                parts.append(self.compare(program, of.is_uniform_in(value, block), value, (value, block), what))
            for phi in block.phis():
                parts.append(self.compare(program, of.is_uniform(phi), phi, phi, f"{name(phi)} in {name(block)}"))
            if block is code.function.entry():
                for parameter in code.function.params:
                    if parameter.type is not None and parameter.type.op == op.TypePointer:
                        continue  # what is there is compared where it is loaded
                    what = f"parameter {name(parameter)}"
                    parts.append(self.compare(program, of.is_uniform(parameter), parameter, parameter, what))
        steps: list[Step] = []
        for step, instr in zip(code.steps, code.instrs, strict=True):
            if instr.op != op.FunctionCall:  # its operands were read in the code block before
                parts.extend(self.uses_of(program, of, by_user.pop(instr, [])))
            parts.append(step)
            if instr.type is not None and instr.type.op not in (op.TypeVoid, op.TypePointer):
                what = f"{name(instr)} in {name(code.block)}"
                parts.append(self.compare(program, of.is_uniform(instr), instr, instr, what))
            steps.append(in_turn(parts))
            parts = []
        following = code.block.next
        if following is not None and following in by_user and code is self.last_of(program, code):
            parts.extend(self.uses_of(program, of, by_user[following]))
        code.steps[:] = steps + parts

    def tangle_steps(self, of: FunctionUniformity, function: Function, block: Block) -> list[Step]:
        """Note who enters what at this block, and compare with who entered what is around it."""
        region = block.region
        if region is None:
            return []
        around: object = construct_of(region)
        if around is None:
            around = function
        enters: list[object] = [block.next] if isinstance(block.next, Construct) else []
        if block is function.entry() or (isinstance(around, Loop) and block is around.body.entry()):
            enters.append(around)
        made: list[Step] = []
        if of.keeps_tangle(block) and around not in enters:
            entered = self.entered.setdefault(around, {})

            def check(lanes: list[int]) -> None:
                for lane in lanes:
                    if entered[lane] != self.mates(lane, lanes):
                        self.claims.false[f"the tangle of {name(block)}"] = None

            made.append(check)
        for entry in enters:
            who = self.entered.setdefault(entry, {})

            def note(lanes: list[int], who: dict[int, int] = who) -> None:
                for lane in lanes:
                    who[lane] = self.mates(lane, lanes)

            made.append(note)
        return made

    def mates(self, lane: int, lanes: list[int]) -> int:
        """The lanes of a tangle that are in one lane's group, as a mask."""
        group = lane // self.group
        mask = 0
        for other in lanes:
            if other // self.group == group:
                mask |= 1 << other
        return mask

    def values_above(self, program: Program, function: Function, block: Block) -> list[Instr]:
        """Some of the values that dominate `block`."""
        dominance = self.analyses.ask(Dominance, function)
        found: list[Instr] = []
        above = dominance.immediate(block)
        while above is not None:
            for instr in above:
                read = instr.op == op.Load and is_read_at_once(instr)
                if read or stored_at_once(program.preparation, instr) is not None:
                    continue  # its column is the variable's, which may be stored by now
                if instr.type is not None and instr.type.op in (op.TypeInt, op.TypeBool, op.TypeVector):
                    found.append(instr)
            above = dominance.immediate(above)
        return found if len(found) <= LOOKS else self.random.sample(found, LOOKS)

    def last_of(self, program: Program, code: CodeBlock) -> CodeBlock:
        """The last code block that the same block became."""
        at = code.number
        while at + 1 < len(program.code) and program.code[at + 1].header == code.header:
            at += 1
        return program.code[at]

    def uses_of(self, program: Program, of: FunctionUniformity, uses: list[Use]) -> list[Step]:
        made: list[Step] = []
        for use in uses:
            value = use.value()
            if not isinstance(value, Instr) or value.block is None or value.type is None:
                continue
            if value.type.op not in (op.TypeVoid, op.TypePointer) and value.block is not use.block:
                what = f"{name(value)} used in {name(use.block)}"
                made.append(self.compare(program, of.is_uniform_at(use), value, use, what))
        return made

    def compare(self, program: Program, claimed: bool, value: Value, key: object, what: str) -> Step:
        column: list[Any] = program.preparation.column(value)
        claims = self.claims
        size = self.group
        if claimed:
            claims.claimed[key] = None

        def step(lanes: list[int]) -> None:
            first = lanes[0]
            for lane in lanes[1:]:
                if lane // size != first // size:
                    first = lane
                    continue
                if column[lane] != column[first]:
                    claims.compared[key] = True
                    if claimed:
                        claims.false[what] = None
                    return
                claims.compared.setdefault(key, False)

        return step


def analysed(analyses: Analyses, scope: Scope) -> Uniformity:
    """What is held to the machine."""
    return analyses.of_module_with(Uniformity, scope.name)


def name(value: Value) -> str:
    if isinstance(value, Instr) and not value.name:
        return f"%{value.id}" if value.id else "an instruction"
    return f"%{value.name}" if value.name or not isinstance(value, Block) else f"block {value.order}"


def watched(
    module: Module,
    scope: str,
    subgroup_size: int,
    policies: list[Policy],
    buffers: Mapping[str, Any] | None = None,
    max_steps: int = MAX_STEPS,
    drawing: Drawing | None = None,
) -> Claims:
    """Run a module's only entry point under each policy and compare what the analysis says with what happens."""
    claims = Claims()
    program = prepare(module, subgroup_size=subgroup_size, assume=GRAPH, drawing=drawing)
    _Watcher(module, Scope(scope), subgroup_size, claims).watch(program)
    for policy in policies:
        program.run(policy, (1, 1, 1) if drawing is not None else (2, 1, 1), buffers, max_steps=max_steps)
    return claims
