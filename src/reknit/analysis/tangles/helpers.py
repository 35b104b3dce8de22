"""Where helper invocations may be gone: after something in a fragment shader may have ended or demoted others.

    if %hidden { discard }        a quad of which only helpers are left may be ended at any time, or not
    ballot           <--          so whether they are counted is up to the implementation

"The last non-demoted, non-terminated invocation in the invocation's quad executes OpDemoteToHelperInvocation,
OpTerminateInvocation, or OpKill": those of the quad that are elsewhere may go, too. Operations of a quad don't ask: the
quad that executes them has someone left.
Source: SPV_KHR_maximal_reconvergence, "Reconvergence".
"""

from typing import Final, final

from reknit.analysis.callgraph import CallGraph, called
from reknit.analysis.dominance import Dominance
from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.analysis.uniformity.uniformity import callees_first
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit

_ENDS: Final = (op.Kill, op.TerminateInvocation)


@final
class Helpers:
    """`after` are the blocks before or in which an invocation may have been ended or demoted, with what did it."""

    __slots__ = ("after", "_ends")

    def __init__(self, analyses: Analyses, roots: list[Function]) -> None:
        self.after: dict[Block, Instr] = {}
        self._ends: dict[Function, Instr] = {}  # what in the function, or in what it calls, ends or demotes
        graph = analyses.of_module(CallGraph)
        reached = dict.fromkeys(each for root in roots for each in graph.reachable(root))
        order, _ = callees_first(graph)
        for function in order:
            if function in reached:
                for block in analyses.ask(Order, function).blocks:
                    for instr in self._ending(block):
                        self._ends.setdefault(function, instr)
        entered: dict[Function, Instr] = {}
        for function in reversed(order):
            if function in reached and not function.is_declaration():
                self._spread(analyses, function, entered.get(function))
                for block in analyses.ask(Order, function).blocks:
                    for instr in block:
                        callee = called(instr)
                        if callee is not None and block in self.after:
                            entered.setdefault(callee, self.after[block])

    def _ending(self, block: Block) -> list[Instr]:
        found: list[Instr] = []
        for instr in block:
            callee = called(instr)
            if instr.op == op.DemoteToHelperInvocation or (callee is not None and callee in self._ends):
                found.append(instr)
        if isinstance(block.jump, Exit) and block.jump.instr.op in _ENDS:
            found.append(block.jump.instr)
        return found

    def _spread(self, analyses: Analyses, function: Function, before: Instr | None) -> None:
        order = analyses.ask(Order, function)
        dominance = analyses.ask(Dominance, function)
        work: list[tuple[Block, Instr]] = []
        if before is not None:
            work.append((function.entry(), before))
        for block in order.blocks:
            for instr in self._ending(block):
                above = dominance.immediate(block)
                work.append((block if above is None else above, instr))
        while work:
            block, instr = work.pop()
            if block in self.after:
                continue
            self.after[block] = instr
            for target in order.successors[order.number[block]]:
                work.append((order.blocks[target], instr))
