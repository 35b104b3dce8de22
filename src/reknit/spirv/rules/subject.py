"""What a rule is given: one module, seen from every side that rules ask about.

words ──▶ flow: blocks and edges ──▶ graph: dominance, back edges ──▶ constructs: which hold which block
          facts: capabilities, entry points                            findings: where faults go
"""

from typing import Final, final

from reknit.ir import op
from reknit.source.columns import i64
from reknit.source.diagnostic import InternalError
from reknit.spirv.rules.constructs import Constructs
from reknit.spirv.rules.declarations import Facts
from reknit.spirv.rules.fallthrough import Falls
from reknit.spirv.rules.finding import Findings, TextNames
from reknit.spirv.rules.flow import Flow
from reknit.spirv.rules.graph import Graph
from reknit.spirv.words import Columns

MAX_NESTING: Final = 1023
MAX_SWITCH_PAIRS: Final = 16383


@final
class Options:
    """What is judged by: `vulkan`, also what only Vulkan forbids; how deep control flow may nest and how many pairs an
    OpSwitch may have (SPIR-V 1.6, 2.17 "Universal Limits"); `before_legalization`, phis of images are fine for now."""

    __slots__ = ("vulkan", "nesting", "pairs", "before_legalization")

    def __init__(
        self,
        vulkan: bool = True,
        nesting: int = MAX_NESTING,
        pairs: int = MAX_SWITCH_PAIRS,
        before_legalization: bool = False,
    ) -> None:
        self.vulkan = vulkan
        self.nesting = nesting
        self.pairs = pairs
        self.before_legalization = before_legalization


@final
class Subject:
    """`graph()` may be asked once labels were checked, `constructs()` once dominance of merge blocks was."""

    __slots__ = ("columns", "flow", "facts", "out", "options", "_graph", "_constructs", "_exits", "_falls")

    def __init__(self, columns: Columns, options: Options, in_text: TextNames | None = None) -> None:
        self.columns = columns
        self.flow = Flow(columns)
        self.facts = Facts(columns)
        self.out = Findings(columns, in_text)
        self.options = options
        self._graph: Graph | None = None
        self._constructs: Constructs | None = None
        self._exits: list[tuple[int, int, int]] | None = None
        self._falls: Falls | None = None

    def graph(self) -> Graph:
        known = self._graph
        if known is None:
            known = Graph(self.flow)
            self._graph = known
        return known

    def constructs(self) -> Constructs:
        known = self._constructs
        if known is None:
            known = Constructs(self.flow, self.graph(), self.out.broken)
            self._constructs = known
        return known

    def falls(self) -> Falls:
        """Which case falls through to which; worked out once dominance of cases was checked."""
        known = self._falls
        if known is None:
            known = Falls(self.flow, self.graph(), self.constructs(), self.out)
            self._falls = known
        return known

    def wrong_exits(self) -> list[tuple[int, int, int]]:
        """Branches that leave a construct as they must not: (from, to, the innermost such construct)."""
        known = self._exits
        if known is not None:
            return known
        exits: list[tuple[int, int, int]] = []
        flow = self.flow
        tree = self.graph().structural
        constructs = self.constructs()
        source: i64 = 0
        while source < flow.count:
            if not tree.has(source) or not self.sound(source):
                source += 1
                continue
            edge: i64 = flow.starts[source]
            while edge < flow.starts[source + 1]:
                goal: i64 = flow.targets[edge]
                left: i64 = constructs.left_wrongly(source, goal)
                if left >= 0:
                    exits.append((int(source), int(goal), int(left)))
                edge += 1
            source += 1
        self._latch_exits(exits)
        self._exits = exits
        return exits

    def _latch_exits(self, exits: list[tuple[int, int, int]]) -> None:
        """A latch ends its continue construct: it branches to the loop's header or merge block, not back into it."""
        flow = self.flow
        constructs = self.constructs()
        target: i64 = 0
        while target < flow.count:
            loop: i64 = constructs.loop_of[target]
            if loop >= 0 and self.sound(target):
                latch: i64 = constructs.latch[target]
                edge: i64 = flow.starts[latch]
                while edge < flow.starts[latch + 1]:
                    goal: i64 = flow.targets[edge]
                    inside = constructs.holds(flow.count + target, goal)
                    if goal != loop and goal != flow.merge[loop] and inside:
                        exits.append((int(latch), int(goal), int(flow.count + target)))
                    edge += 1
            target += 1

    def is_switch(self, block: int) -> bool:
        """Whether the block ends in an OpSwitch."""
        row = self.flow.last[block]
        return row >= 0 and self.columns.op[row] == op.Switch

    def sound(self, block: int) -> bool:
        """Whether to judge the block: no earlier stage found an error in its function, and findings have room."""
        function = self.flow.function[block]
        if function < 0:
            raise InternalError("a rule was asked about a block outside of functions")
        return not self.out.broken[function] and not self.out.full()
