"""Where a block's post-dominance ends: the branches on which it depends whether the block is executed.

    entry ─┬─ then ─┬─ after        frontier(then) = frontier(else) = {entry}       frontier(after) = {}
           └─ else ─┘

This is control dependence (J. Ferrante, K. Ottenstein, J. Warren, The Program Dependence Graph, 1987), on the acyclic
graph of `PostDominance`. Costs the size of the answer, which is blocks times nesting depth at worst.
"""

from typing import ClassVar, final

from reknit.analysis.manager import Analyses, FunctionAnalysis
from reknit.analysis.post_dominance import PostDominance
from reknit.ir.function import Function


@final
class PostDominanceFrontier(FunctionAnalysis):
    """`frontier[n]` lists the numbers (of `Order`) of the branches on the frontier of block n, each once, in order."""

    name: ClassVar[str] = "post-dominance-frontier"
    reads_code: ClassVar[bool] = False

    def __init__(self, frontier: list[list[int]]) -> None:
        self.frontier = frontier

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "PostDominanceFrontier":
        post = analyses.ask(PostDominance, function)
        return PostDominanceFrontier(_frontier(post.parent, post.successors))

    def same_as(self, other: FunctionAnalysis) -> bool:
        return isinstance(other, PostDominanceFrontier) and self.frontier == other.frontier


def _frontier(parent: list[int], successors: list[list[int]]) -> list[list[int]]:
    """As for dominance, with the edges turned around: from each target of a branch up to what post-dominates it."""
    frontier: list[list[int]] = [[] for _ in parent]
    for branch, row in enumerate(successors[:-1]):
        if len(row) < 2:
            continue
        for target in row:
            runner = target
            while runner != parent[branch] and not (frontier[runner] and frontier[runner][-1] == branch):
                frontier[runner].append(branch)
                runner = parent[runner]
    return frontier
