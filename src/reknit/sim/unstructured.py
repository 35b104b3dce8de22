"""What a function without structure is run as: the tree that `structurize` gives it.

    branches, a ballot, no merge instructions   ──copy, structurize──▶  a tree: lanes that reach a block meet there
    the same, behind a loop                     ──▶  two trees: assume=outside, assume=inside (RK2501)
    merge instructions at every choice          as it stands: they say which meet
    no tangled operation                        as it stands: nothing depends on it

Merge instructions alone say in SPIR-V where invocations meet, and a graph has none. Whatever runs, judges or compiles
such a function has to take it alike, so all take the structurizer's.
"""

from typing import final

from reknit.analysis.manager import Analyses
from reknit.analysis.tangled import Tangled
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.copy import copy_module
from reknit.ir.function import Function
from reknit.ir.jump import Branch
from reknit.ir.module import Module
from reknit.passes.contract import Context
from reknit.passes.structurize.structurize import NESTING, STRUCTURIZE, structurize
from reknit.sim.block_graph import waiting_points
from reknit.source.diagnostic import Diagnostic


def unstructured(module: Module, functions: list[Function]) -> list[Function]:
    """Those of `functions` of which no rule says which invocations meet where, although an operation depends on it."""
    flat = [function for function in functions if not function.structured and not says_where_lanes_meet(function)]
    if not flat:
        return []
    tangled = Analyses(module).of_module(Tangled).functions
    return [function for function in flat if function in tangled]


def says_where_lanes_meet(function: Function) -> bool:
    """Whether every branch with several targets has a merge instruction, or all of its targets but one leave what merge
    instructions declare: for a merge block, a continue target, a loop's header or another case."""
    known: dict[Block, None] = {}
    for block in function.blocks:
        known.update(dict.fromkeys(waiting_points(block)))
        jump = block.jump
        if isinstance(jump, Branch) and jump.merge is not None:
            if jump.merge.op == op.LoopMerge:
                known[block] = None
            if jump.instr.op == op.Switch:
                known.update(dict.fromkeys(successors(block)))
    for block in function.blocks:
        jump = block.jump
        merged = isinstance(jump, Branch) and jump.merge is not None and jump.merge.op == op.SelectionMerge
        if not merged and len(dict.fromkeys([target for target in successors(block) if target not in known])) > 1:
            return False
    return True


def with_trees(module: Module, functions: list[Function], assume: str) -> tuple[Module, list[Diagnostic]]:
    """A copy of a module in which these functions are trees, and what making them had to say."""
    scratch = Scratch(module)
    notes: list[Diagnostic] = []
    for function in functions:
        notes.extend(scratch.structurized(function, assume))
    return scratch.copy, notes


@final
class Scratch:
    """A copy of a module, to make trees of its functions in."""

    __slots__ = ("copy", "analyses", "same")

    def __init__(self, module: Module) -> None:
        self.copy = copy_module(module)
        self.analyses = Analyses(self.copy)
        self.same = dict(zip(module.functions, self.copy.functions, strict=True))

    def structurized(self, function: Function, assume: str) -> list[Diagnostic]:
        """What making a tree of a function of the module had to say."""
        return make_tree(self.same[function], self.analyses, assume)


def make_tree(function: Function, analyses: Analyses, assume: str) -> list[Diagnostic]:
    """Make a tree of a function where it stands; what that had to say."""
    context = Context(analyses.module, analyses, {"assume": assume, "nesting": NESTING})
    analyses.begins(function)
    if structurize(function, context):
        analyses.changed(function, STRUCTURIZE.keeps)
    return context.notes
