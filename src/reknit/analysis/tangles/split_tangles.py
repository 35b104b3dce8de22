"""Where several tangles may execute one instruction in the same call and iteration, so that without the mode they may
be run as one.

    loop @l {                      each lane leaves in an iteration of its own, with a tangle of its own; but the block
      if %mine {                   that breaks can't reach the back edge, so compilers take it for code after the loop
        ballot        <--          and run it once, for all
        break @l
      }
    }

Base SPIR-V: "Control flow may partially or fully reconverge before reaching the merge block"; only other iterations and
other calls are other dynamic instances. Blocks after a construct that no lanes wait at, and cases that are reached by
fallthrough, may be run by several tangles too.
"""

from typing import final

from reknit.analysis.callgraph import CallGraph, called, callees_first
from reknit.analysis.manager import Analyses
from reknit.analysis.natural_loops import natural_loops
from reknit.analysis.order import Order
from reknit.analysis.uniformity.element_tree import BODY, CONTINUING, ROOT
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.tree import Loop
from reknit.ir.value import Value


@final
class Apart:
    """`blocks` gives, for each block that several tangles of one group may execute so, what makes them several: a loop
    that they leave one by one, or the block itself. `calls` are the functions that are called from such a block."""

    __slots__ = ("blocks", "calls")

    def __init__(self, analyses: Analyses, part: str) -> None:
        self.blocks: dict[Block, Value] = {}
        self.calls: dict[Function, Instr] = {}
        uniformity = analyses.of_module_with(Uniformity, part)
        graph = analyses.of_module(CallGraph)
        order, recursive = callees_first(graph)
        for function in reversed(order):
            if function.is_declaration():
                continue
            self._look(analyses, uniformity, function)
            if not graph.callees[function]:
                continue
            for block in analyses.ask(Order, function).blocks:
                for instr in block:
                    callee = called(instr)
                    if callee is not None and (
                        block in self.blocks or function in self.calls or callee in recursive
                    ):
                        self.calls.setdefault(callee, instr)

    def _look(self, analyses: Analyses, uniformity: Uniformity, function: Function) -> None:
        control = uniformity.of(function).control()
        order = analyses.ask(Order, function)
        loops = natural_loops(order.successors)
        for index, block in enumerate(order.blocks):
            if not order.reached[index]:
                continue
            if control.several[index] > 0 or block.region is None:
                self.blocks[block] = block
                continue
            element = control.places.of[index]
            if element.kind == ROOT:
                continue
            inside: dict[Block, None] = {}
            number = loops.innermost[index]
            while number >= 0:
                inside[order.blocks[loops.header[number]]] = None
                number = loops.parent[number]
            while element.parent is not None:
                loop = element.construct
                if (
                    element.kind in (BODY, CONTINUING)
                    and isinstance(loop, Loop)
                    and loop.body.entry() not in inside
                    and control.partial[index] > element.index
                ):
                    self.blocks.setdefault(block, loop)
                element = element.parent

    def why(self, instr: Instr, function: Function) -> Value | None:
        """What makes several tangles execute an operation; the function where its callers do; None if one does."""
        cause = self.blocks.get(instr.block) if instr.block is not None else None
        if cause is not None:
            return cause
        return function if function in self.calls else None
