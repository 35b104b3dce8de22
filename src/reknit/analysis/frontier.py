"""Where a block's dominance ends: the joins that it reaches without dominating them.

    entry ─┬─ then ─┬─ after        frontier(then) = frontier(else) = {after}       frontier(entry) = {}
           └─ else ─┘

A value defined in a block meets other definitions exactly there. Costs the size of the answer: at most blocks times
nesting depth. Source: R. Cytron et al., Efficiently Computing Static Single Assignment Form, 1991, section 4; the walk
up from each predecessor is from K. Cooper, T. Harvey, K. Kennedy, A Simple, Fast Dominance Algorithm, 2001.
"""

from typing import ClassVar, final

from reknit.analysis.dominance import Dominance
from reknit.analysis.manager import Analyses, FunctionAnalysis
from reknit.ir.function import Function


@final
class DominanceFrontier(FunctionAnalysis):
    """`frontier[n]` lists the numbers (of `Order`) of the blocks on the frontier of block n, each once, in order."""

    name: ClassVar[str] = "dominance-frontier"
    reads_code: ClassVar[bool] = False

    def __init__(self, frontier: list[list[int]]) -> None:
        self.frontier = frontier

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "DominanceFrontier":
        dominance = analyses.ask(Dominance, function)
        order = dominance.order
        parent = dominance.parent
        frontier: list[list[int]] = [[] for _ in order.blocks]
        for join, sources in enumerate(order.predecessors):
            if len(sources) < 2 or not order.reached[join]:
                continue
            stop = parent[join] if join != 0 else -1
            for source in sources:
                runner = source
                # A list that ends in this join was met on the path from another predecessor, as was all above it.
                while runner >= 0 and runner != stop and not (frontier[runner] and frontier[runner][-1] == join):
                    if not order.reached[runner]:
                        break
                    frontier[runner].append(join)
                    runner = parent[runner] if runner != 0 else -1
        return DominanceFrontier(frontier)

    def same_as(self, other: FunctionAnalysis) -> bool:
        return isinstance(other, DominanceFrontier) and self.frontier == other.frontier
