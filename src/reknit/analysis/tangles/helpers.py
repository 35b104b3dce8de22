"""Where helper invocations may be gone: after something in a fragment shader may have ended or demoted others.

    if %hidden { discard }        a quad of which only helpers are left may be ended at any time, or not
    ballot           <--          so whether they are counted is up to the implementation

"The last non-demoted, non-terminated invocation in the invocation's quad executes OpDemoteToHelperInvocation,
OpTerminateInvocation, or OpKill": those of the quad that are elsewhere may go, too, in any block that is reached from
where the quad was together last. Where it comes as one, as to a call at the end of main, no invocation is elsewhere.
Operations of a quad don't ask: the quad that executes them has someone left.
Source: SPV_KHR_maximal_reconvergence, "Reconvergence".
"""

from collections.abc import Callable
from typing import Final, final

from reknit.analysis.callgraph import CallGraph, called, callees_first
from reknit.analysis.dominance import Dominance
from reknit.analysis.manager import Analyses
from reknit.analysis.order import Order
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.source.meter import spend

_ENDS: Final = (op.Kill, op.TerminateInvocation)


@final
class Helpers:
    """`after` are the blocks at whose start an invocation may have been ended or demoted, with what did it: those that
    may be run after it, also by others that took another path where it parted from them."""

    __slots__ = ("after", "_all_come", "_ends", "_behind", "_together")

    def __init__(
        self, analyses: Analyses, roots: list[Function], all_come: Callable[[Block, Instr | None, Function], bool]
    ) -> None:
        """`all_come`: whether each quad is promised to come to an instruction of a block as one; None: to its end."""
        self._all_come = all_come
        self.after: dict[Block, Instr] = {}
        self._behind: dict[Block, dict[Instr, Instr]] = {}  # of blocks that were asked about
        self._together: dict[Block, Block | None] = {}  # itself or the closest above it at whose end quads are whole
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
                        before = self.why(instr) if callee is not None else None
                        if callee is not None and before is not None:
                            entered.setdefault(callee, before)

    def why(self, instr: Instr) -> Instr | None:
        """What may have ended or demoted an invocation before an instruction is executed; None if nothing."""
        block = instr.block
        assert block is not None
        if block in self.after:
            return self.after[block]
        if block not in self._behind:
            self._behind[block] = self._behind_ending(block)
        return self._behind[block].get(instr)

    def _behind_ending(self, block: Block) -> dict[Instr, Instr]:
        """The instructions of a block behind the first that ends or demotes, each with that."""
        behind: dict[Instr, Instr] = {}
        first: Instr | None = None
        for each in block:
            if first is not None:
                behind[each] = first
            elif self._is_ending(each):
                first = each
        return behind

    def _is_ending(self, instr: Instr) -> bool:
        callee = called(instr)
        return instr.op == op.DemoteToHelperInvocation or (callee is not None and callee in self._ends)

    def _ending(self, block: Block) -> list[Instr]:
        ending = [instr for instr in block if self._is_ending(instr)]
        if isinstance(block.jump, Exit) and block.jump.instr.op in _ENDS:
            ending.append(block.jump.instr)
        return ending

    def _spread(self, analyses: Analyses, function: Function, before: Instr | None) -> None:
        order = analyses.ask(Order, function)
        dominance = analyses.ask(Dominance, function)
        work: list[tuple[Block, Instr]] = []
        if before is not None:
            work.append((function.entry(), before))
        for block in order.blocks:
            for instr in self._ending(block):
                above: Block | None = block
                if not self._all_come(block, instr, function):
                    above = self._last_together(dominance, block, function)
                if above is None:
                    work.append((function.entry(), instr))
                    continue
                for target in order.successors[order.number[above]]:
                    work.append((order.blocks[target], instr))
        while work:
            spend(1)
            block, instr = work.pop()
            if block in self.after:
                continue
            self.after[block] = instr
            for target in order.successors[order.number[block]]:
                work.append((order.blocks[target], instr))

    def _last_together(self, dominance: Dominance, block: Block, function: Function) -> Block | None:
        """The closest block that dominates another and at whose end each quad is together; None if there is none."""
        passed: list[Block] = []
        closest: Block | None = None
        above = dominance.immediate(block)
        while above is not None:
            spend(1)
            if above in self._together:
                closest = self._together[above]
                break
            passed.append(above)
            if self._all_come(above, None, function):
                closest = above
                break
            above = dominance.immediate(above)
        for each in passed:
            self._together[each] = closest
        return closest
