"""What the tests of passes on values share: a pass on a text, proved; random programs with more to do.

add_redundant    %x = IAdd %a, %b                 %x = IAdd %a, %b
                 Store %p, %x              =>     %x' = IAdd %a, %b           some users of %x use %x'
                                                  %k = IMul %lane, 3u         of values of the first block
                                                  Store %p, %x + %k
"""

import random

from kit.proving import assert_proved, assert_refines
from kit.text.pass_texts import apply, body

from reknit.analysis.effects import Effects
from reknit.analysis.manager import Analyses
from reknit.fuzzing.generate import generate
from reknit.fuzzing.outcome_sets import Outcomes
from reknit.fuzzing.to_module import module_of
from reknit.ir import op, traits
from reknit.ir.constants import int_constant
from reknit.ir.edit import insert_after, insert_before
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.types import int_type
from reknit.ir.verify import verify
from reknit.ir.walk import blocks, instructions
from reknit.passes.contract import Pass


def proved(text: str, transform: Pass, functions: str = "", open: str = "") -> Module:
    """main after the pass: it is proved for every input, or in runs where `open` has words of why that is open, and a
    second run does nothing."""
    module = body(text, functions)
    before = module.copy()
    apply(module, transform)
    assert verify(module) == []
    assert_refines(before, parse(print_module(module)), open)
    assert not apply(module, transform)[0], "a second run finds nothing"
    return module


def count(module: Module, code: int) -> int:
    """How many instructions of main have this opcode."""
    return sum(instr.op == code for instr in instructions(module.functions[0]))


def add_redundant(module: Module, seed: int) -> int:
    """Compute again what was computed, tangled operations too, and invariants wherever something is stored; says how
    many instructions came in."""
    choose = random.Random(seed)
    effects = Analyses(module).of_module(Effects)
    u32 = int_type(module, 32, False)
    added = 0
    for function in module.functions:
        first = function.entry()
        known = [instr for instr in first if instr.type is u32 and instr.op == op.Load]
        for block in blocks(function):
            for instr in block:
                if effects.computes(instr) or instr.op in traits.SHARES:
                    if choose.random() < 0.5:
                        continue
                    copy = insert_after(instr, Instr(instr.op, instr.type, list(instr.operands)))
                    added += 1
                    for user in list(instr.users):
                        if isinstance(user, Instr) and user is not copy and choose.random() < 0.5:
                            for index, operand in enumerate(user.operands):
                                if operand is instr:
                                    user.set_operand(index, copy)
                elif instr.op == op.Store and block is not first and known:
                    stored = instr.operands[1]
                    if isinstance(stored, Instr) and stored.type is u32:
                        factor = int_constant(module, u32, choose.choice((0, 1, 3, 5)))
                        scaled = insert_before(instr, Instr(op.IMul, u32, [choose.choice(known), factor]))
                        instr.set_operand(1, insert_before(instr, Instr(op.IAdd, u32, [stored, scaled])))
                        added += 2
    return added


def size_of(module: Module) -> int:
    return sum(1 for function in module.functions for _ in instructions(function))


def run_on_random(transform: Pass, seeds: range) -> tuple[int, int]:
    """Each program of `seeds` with redundancies added, in SSA form for two of three: (instructions added, instructions
    gone after the pass). The pass is proved, and all outcomes must be the same before and after."""
    from reknit.passes.manager import Hooks, run_passes

    added = 0
    gone = 0
    for seed in seeds:
        program = generate(seed)
        module = module_of(program)
        if seed % 3:
            run_passes(module, "promote-variables")
        added += add_redundant(module, seed)
        assert verify(module) == []
        before = Outcomes(module, program.subgroup_size)
        size = size_of(module)
        old = module.copy()
        run_passes(module, transform.name, Hooks(verify_each=True))
        assert_proved(old, module)
        after = Outcomes(module, program.subgroup_size)
        assert list(after.policies) == list(before.policies), f"seed {seed}"
        gone += size - size_of(module)
    return added, gone


def position_of(module: Module, code: int) -> list[int]:
    """The number of loops around each instruction of main with this opcode, in source order."""
    from reknit.analysis.loops import LoopForest

    function = module.functions[0]
    forest = Analyses(module).ask(LoopForest, function)
    found: list[int] = []
    for block in blocks(function):
        loop = forest.innermost.get(block)
        found.extend(0 if loop is None else loop.depth for instr in block if instr.op == code)
    return found
