"""Where every block goes in the tree, decided on the dominator tree and the loop forest.

    x ──▶ a, b        a: inline      its only forward edge comes from x, which dominates it: it stands in x's arm
    a ──▶ j           j: joins[x]    dominated by x, reached on several paths: behind a scope that begins at x
    b ──▶ j
    h ──▶ u ──▶ e     e: hoisted[L]  dominated by u in loop L, and not in L: behind a scope around L, the
    ▲_____│                          outermost such loop

`joins` and `hoisted` are in topological order: of two scopes the one for the earlier block is inside, so its end comes
first. Then every block runs at most once for each run of what is around it, after all that may lead there, and by all
that come there: the masks are as large as can be. Source: N. Ramsey, Beyond Relooper, 2022, with loop exits hoisted.
"""

from typing import final

from reknit.analysis.flat.flow import Flow
from reknit.analysis.natural_loops import NaturalLoops
from reknit.source.meter import spend


@final
class Plan:
    """`heads[n]` is the loop that node n is the header of, or -1. `above[n]` is the node that n is placed at: its
    immediate dominator, or the header of the loop that it is hoisted out of. `size[n]` counts what is placed at n or
    below.
    """

    __slots__ = ("flow", "loops", "heads", "joins", "hoisted", "inline", "above", "size")

    def __init__(self, flow: Flow, loops: NaturalLoops) -> None:
        count = len(flow.blocks)
        self.flow = flow
        self.loops = loops
        self.heads = [-1] * count
        for loop, header in enumerate(loops.header):
            self.heads[header] = loop
        self.joins: list[list[int]] = [[] for _ in range(count)]
        self.hoisted: list[list[int]] = [[] for _ in loops.header]
        self.inline: list[list[int]] = [[] for _ in range(count)]
        self.above = [-1] * count
        self.size = [1] * count
        for index in range(1, count):
            self._place(flow.by_rank[index])
        for index in range(count - 1, 0, -1):
            node = flow.by_rank[index]
            self.size[self.above[node]] += self.size[node]

    def _place(self, node: int) -> None:
        above = self.flow.idom[node]
        loop = self.loop_around(node)
        outer = self.loops.innermost[above]
        if outer == loop:
            self.above[node] = above
            (self.inline if self.flow.forward[node] == 1 else self.joins)[above].append(node)
            return
        while self.loops.parent[outer] != loop:
            outer = self.loops.parent[outer]
        self.above[node] = self.loops.header[outer]
        self.hoisted[outer].append(node)

    def loop_around(self, node: int) -> int:
        """The innermost loop that `node` stands in; of a header, not its own."""
        loop = self.loops.innermost[node]
        return self.loops.parent[loop] if loop >= 0 and loop == self.heads[node] else loop

    def below(self, node: int) -> list[int]:
        """All that is placed at `node` or below: of a loop its header, and what is hoisted out of it."""
        placed: list[int] = []
        work = [*self.inline[node], *self.joins[node]]
        self._walk(work, placed)
        return placed

    def behind(self, loop: int) -> list[int]:
        """All that is placed behind `loop` at its header."""
        placed: list[int] = []
        self._walk(list(self.hoisted[loop]), placed)
        return placed

    def _walk(self, work: list[int], placed: list[int]) -> None:
        while work:
            spend(1)
            node = work.pop()
            placed.append(node)
            if self.heads[node] >= 0:
                work.extend(self.hoisted[self.heads[node]])
            else:
                work.extend(self.inline[node])
                work.extend(self.joins[node])
        placed.sort(key=self.flow.rank.__getitem__)
