"""Which case of a switch falls through to which.

    case a: ... ──▶ case b: ...        a branch from what label a dominates to label b, for a and b of one switch

A case falls through a branch that real branches lead to from its label; merge edges count for dominance alone.
"""

from typing import Final, final

from reknit.ir.flat_graph import filled
from reknit.source.columns import i64, vec
from reknit.spirv.rules.constructs import Constructs
from reknit.spirv.rules.finding import Findings
from reknit.spirv.rules.flow import Flow
from reknit.spirv.rules.graph import Graph

NONE: Final = -1


@final
class Falls:
    """By block, for those that are targets of the switch that dominates them: `case_of` the switch's header, `into` the
    case that it falls through to, `by` the block that does. `odd` and `second` are branches into the middle of a switch
    and into a second case: (from, to, case)."""

    __slots__ = ("case_of", "into", "by", "odd", "second")

    def __init__(self, flow: Flow, graph: Graph, constructs: Constructs, out: Findings) -> None:
        count: i64 = flow.count
        self.case_of: vec[i64] = filled(count, NONE)
        self.into: vec[i64] = filled(count, NONE)
        self.by: vec[i64] = filled(count, NONE)
        self.odd: list[tuple[int, int, int]] = []
        self.second: list[tuple[int, int, int]] = []
        if self._cases(flow, graph, constructs, out):
            self._falls(flow, graph, constructs)

    def _cases(self, flow: Flow, graph: Graph, constructs: Constructs, out: Findings) -> bool:
        """Fill in `case_of`; whether there is any case."""
        tree = graph.structural
        header: i64 = 0
        has_cases = False
        while header < flow.count:
            if tree.has(header) and constructs.is_switch(header) and not out.broken[flow.function[header]]:
                edge: i64 = flow.starts[header]
                while edge < flow.starts[header + 1]:
                    target: i64 = flow.targets[edge]
                    if target != flow.merge[header] and tree.above[target] == header:
                        self.case_of[target] = header
                        has_cases = True
                    edge += 1
            header += 1
        return has_cases

    def _falls(self, flow: Flow, graph: Graph, constructs: Constructs) -> None:
        tree = graph.structural
        top = _tops(flow, graph)
        source: i64 = 0
        while source < flow.count:
            start: i64 = constructs.branch[source]
            if start >= 0 and tree.has(source):
                switch: i64 = tree.above[start]
                live = self.case_of[start] == switch and tree.enter[top[source]] <= tree.enter[start]
                edge: i64 = flow.starts[source] if live else flow.starts[source + 1]
                while edge < flow.starts[source + 1]:
                    goal: i64 = flow.targets[edge]
                    edge += 1
                    if tree.above[goal] == switch and goal != flow.merge[switch] and goal != start:
                        self._fall(source, goal, start, switch)
            source += 1

    def _fall(self, source: i64, goal: i64, start: i64, switch: i64) -> None:
        """Note a branch out of the case `start`, to a block that only the switch dominates."""
        if self.case_of[goal] != switch:
            self.odd.append((int(source), int(goal), int(start)))
        elif self.into[start] < 0:
            self.into[start] = goal
            self.by[start] = source
        elif self.into[start] != goal:
            self.second.append((int(source), int(goal), int(start)))


def _tops(flow: Flow, graph: Graph) -> vec[i64]:
    """By block: the highest of those above it in the dominator tree from which real branches lead to it."""
    tree = graph.structural
    top = filled(flow.count, NONE)
    at: i64 = len(graph.forward) - 1
    while at >= 0:
        block: i64 = graph.forward[at]
        at -= 1
        above: i64 = tree.above[block]
        top[block] = block
        if above < 0:
            continue
        into: i64 = graph.real_into.starts[block]
        while into < graph.real_into.starts[block + 1]:
            source: i64 = graph.real_into.targets[into]
            into += 1
            if source == above or (top[source] >= 0 and tree.over(top[source], above)):
                top[block] = top[above]
                break
    return top
