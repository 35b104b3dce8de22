"""The constructs of a module and which blocks they hold, in columns: memberships are intervals of the dominator tree.

    selection at h   dominated by h, not by its merge block
    loop at h        dominated by h, not by its merge block, not by its continue target
    continue at c    dominated by c; of a loop of one block, what its merge block does not dominate
                                                            (SPIR-V 1.6, 2.11 "Structured Control Flow")

A header has structural edges to its merge block and continue target, so where it dominates them (which the rules before
have checked) it is their immediate dominator. That makes constructs nest: of two either one holds the other or they
share no block. So the innermost construct of a block, and its parents, tell all of them, and an edge is judged by the
innermost construct that it leaves or enters.

A construct is a number: h for the selection or loop with header h, `count + c` for the continue construct of target c.
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.flat_graph import filled
from reknit.source.columns import i64, vec
from reknit.spirv.rules.flow import Flow
from reknit.spirv.rules.graph import Graph

NONE: Final = -1


@final
class Constructs:
    """`inner` is by block; `parent`, `loop` (header of the innermost loop around) and `switch` (of the innermost switch
    around, inside that loop) by construct. `loop_of` and `latch` are by continue target: the loop's header, and the
    block that its back edge comes from. `branch` is by block: the child of a switch header that it is under, or NONE;
    `odd` says that some loop of several blocks is its own continue target, so that constructs nest otherwise."""

    __slots__ = ("flow", "graph", "inner", "parent", "loop", "switch", "loop_of", "latch", "branch", "odd")

    def __init__(self, flow: Flow, graph: Graph, broken: list[bool]) -> None:
        self.flow = flow
        self.graph = graph
        count: i64 = flow.count
        self.inner: vec[i64] = filled(count, NONE)
        self.parent: vec[i64] = filled(2 * count, NONE)
        self.loop: vec[i64] = filled(2 * count, NONE)
        self.switch: vec[i64] = filled(2 * count, NONE)
        self.loop_of: vec[i64] = filled(count, NONE)
        self.latch: vec[i64] = filled(count, NONE)
        self.branch: vec[i64] = filled(count, NONE)
        self.odd = False
        self._loops(broken)
        self._nest(broken)

    def _loops(self, broken: list[bool]) -> None:
        flow = self.flow
        graph = self.graph
        at: i64 = 0
        while at < len(graph.back_goals):
            header: i64 = graph.back_goals[at]
            target: i64 = flow.continues[header]
            if target >= 0 and graph.structural.has(header) and not broken[flow.function[header]]:
                self.loop_of[target] = header
                self.latch[target] = graph.back_sources[at]
                if target == header and graph.back_sources[at] != header:
                    self.odd = True
            at += 1

    def _nest(self, broken: list[bool]) -> None:
        flow = self.flow
        count: i64 = flow.count
        tree = self.graph.structural
        at: i64 = 0
        while at < len(tree.order):
            block: i64 = tree.order[at]
            at += 1
            if broken[flow.function[block]]:
                continue
            above: i64 = tree.above[block]
            around: i64 = NONE
            if above >= 0:
                around = self.inner[above]
                while around >= 0 and not self.holds(around, block):
                    around = self.parent[around]
                # What follows a switch is in the case that the switch is in.
                if self.is_switch(above) and flow.merge[above] != block:
                    self.branch[block] = block
                else:
                    self.branch[block] = self.branch[above]
            header: i64 = self.loop_of[block]
            if header >= 0:
                around = self._open(count + block, around, block)
            if flow.merge[block] >= 0 and header != block:
                around = self._open(block, around, block)
            self.inner[block] = around

    def _open(self, construct: i64, around: i64, block: i64) -> i64:
        """Put a construct, entered at this block, into the one around it."""
        count: i64 = self.flow.count
        self.parent[construct] = around
        if around >= 0:
            if around >= count:  # a continue construct belongs to its loop
                loop: i64 = self.loop_of[around - count]
                merge: i64 = self.flow.merge[loop]
                past = merge >= 0 and self.graph.structural.over(merge, block)
                self.loop[construct] = self.loop[around] if past else loop
            elif self.flow.continues[around] >= 0:
                self.loop[construct] = around
            else:
                self.loop[construct] = self.loop[around]
                self.switch[construct] = around if self.is_switch(around) else self.switch[around]
        return construct

    def is_switch(self, block: i64) -> bool:
        """Whether the block is the header of a switch."""
        flow = self.flow
        row: i64 = flow.last[block]
        return flow.merge[block] >= 0 and row >= 0 and flow.columns.op[row] == op.Switch

    def holds(self, construct: i64, block: i64) -> bool:
        """Whether the construct contains the block."""
        flow = self.flow
        tree = self.graph.structural
        count: i64 = flow.count
        if construct >= count:
            target: i64 = construct - count
            if self.loop_of[target] == target and self.latch[target] == target:
                return tree.over(target, block) and not tree.over(flow.merge[target], block)
            return tree.over(target, block)
        if not tree.over(construct, block) or tree.over(flow.merge[construct], block):
            return False
        target = flow.continues[construct]
        return target < 0 or not tree.over(target, block)

    def header(self, construct: i64) -> i64:
        """The block that the construct is entered at."""
        return construct if construct < self.flow.count else construct - self.flow.count

    def may_leave(self, construct: i64, goal: i64) -> bool:
        """Whether a branch from inside may leave the construct for `goal` (SPIR-V 1.6, 2.11: "structured exit")."""
        flow = self.flow
        if construct >= flow.count:
            loop: i64 = self.loop_of[construct - flow.count]
            return goal == loop or goal == flow.merge[loop]
        if goal == flow.merge[construct]:
            return True
        if flow.continues[construct] >= 0:
            return goal == flow.continues[construct]
        loop = self.loop[construct]
        if loop >= 0 and (goal == flow.merge[loop] or goal == flow.continues[loop]):
            return True
        switch: i64 = self.switch[construct]
        return switch >= 0 and not self.is_switch(construct) and goal == flow.merge[switch]

    def left_wrongly(self, source: i64, goal: i64) -> i64:
        """The innermost construct that a branch from `source` to `goal` must not leave so; NONE if it may."""
        construct: i64 = self.inner[source]
        while construct >= 0 and not self.holds(construct, goal):
            if not self.may_leave(construct, goal):
                return construct
            if not self.odd:
                return NONE  # the constructs further out allow it, or hold the goal
            construct = self.parent[construct]
        return NONE

    def entered_wrongly(self, source: i64, goal: i64) -> i64:
        """The construct that a branch from outside enters past its header; NONE if there is none."""
        construct: i64 = self.inner[goal]
        if construct == goal:
            construct = self.parent[construct]
        if construct == self.flow.count + goal:
            construct = self.parent[construct]
        if construct >= 0 and not self.holds(construct, source):
            return construct
        return NONE
