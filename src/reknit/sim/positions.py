"""Where in a run an invocation is: what distinguishes dynamic instances of a code block, in an order.

    main   loop @l (code 2), its 3rd iteration   calls @f in code 4        in @f, code 9
           ( 2, 2,                               4,                        9 )          a position, compared like words

SPIR-V 1.6, 2.2.5, "Dynamic Instance": "Different loop iterations and different dynamic function-call-site chains yield
different dynamic instances". A block that can't reach the back edge of a loop, as one that breaks out of it, belongs to
none of its iterations: implementations commonly take it for code behind the loop.

No invocation ever goes to a smaller position. So if those at the smallest one always run first, all that will ever come
to a position are there when it is run. Where control flow is not reducible that does not hold; `exact` says so.
"""

from typing import final

from reknit.analysis.manager import Analyses
from reknit.analysis.natural_loops import natural_loops
from reknit.analysis.order import Order
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.sim.code import CodeBlock, DynamicCall, targets_of

Position = tuple[int, ...]


@final
class Positions:
    """`loops[c]` are the loops that code block c is in, outermost first, as the code blocks of their headers;
    `rank[c]` is its place in the order of its function."""

    __slots__ = ("rank", "loops", "exact")

    def __init__(self, module: Module, code: list[CodeBlock]) -> None:
        self.rank = [0] * len(code)
        self.loops: list[list[int]] = [[] for _ in code]
        first: dict[Block, int] = {}
        functions: dict[Function, None] = {}
        parts = 1
        for here in code:
            first.setdefault(here.block, here.header)
            functions[here.function] = None
            parts = max(parts, here.number - here.header + 2)
        places: dict[Block, int] = {}
        around: dict[Block, list[int]] = {}
        analyses = Analyses(module)
        for function in functions:
            self._place(analyses.ask(Order, function), first, places, around)
        for here in code:
            self.loops[here.number] = around[here.block]
            self.rank[here.number] = (places[here.block] * parts + here.number - here.header) * parts
        for here in code:
            end = here.end
            if isinstance(end, DynamicCall):  # what takes a callee's result runs before what goes on after the call
                for index, route in enumerate(end.routes.values()):
                    self.rank[route.landing] = self.rank[here.number] + 1 + index
        self.exact = all(self._goes_on(here, target) for here in code for target in targets_of(here))

    def _place(
        self, order: Order, first: dict[Block, int], places: dict[Block, int], around: dict[Block, list[int]]
    ) -> None:
        loops = natural_loops(order.successors)
        for index, block in enumerate(order.blocks):
            places[block] = index
            headers: list[int] = []
            loop = loops.innermost[index]
            while loop >= 0:
                header = order.blocks[loops.header[loop]]
                if header in first:
                    headers.append(first[header])
                loop = loops.parent[loop]
            headers.reverse()
            around[block] = headers

    def _goes_on(self, here: CodeBlock, target: int) -> bool:
        """Whether an edge leads to a greater position."""
        inside, there = self.loops[here.number], self.loops[target]
        if target in inside:
            return True
        level = 0
        while level < len(inside) and level < len(there) and inside[level] == there[level]:
            level += 1
        before = self.rank[inside[level] if level < len(inside) else here.number]
        return before < self.rank[there[level] if level < len(there) else target]

    # --- moving -------------------------------------------------------------------------------------------------------

    def start(self, calls: Position, target: int) -> Position:
        """The position of a function's first code block, reached by a chain of calls."""
        position = list(calls)
        for header in self.loops[target]:
            position.append(self.rank[header])
            position.append(0)
        position.append(self.rank[target])
        return tuple(position)

    def move(self, position: Position, source: int, target: int) -> Position:
        """From `position`, at code block `source`, along an edge to `target` in the same function."""
        inside, there = self.loops[source], self.loops[target]
        base = len(position) - 2 * len(inside) - 1
        moved = list(position[:base])
        same = True
        for level, header in enumerate(there):
            moved.append(self.rank[header])
            same = same and level < len(inside) and inside[level] == header
            if same:
                moved.append(position[base + 2 * level + 1] + (1 if header == target else 0))
            else:
                moved.append(0)
        moved.append(self.rank[target])
        return tuple(moved)

    def comes_back(self, position: Position, here: CodeBlock) -> bool:
        """Whether a code block of a loop's header is reached by the loop's back edge."""
        inside = self.loops[here.number]
        return len(inside) > 0 and inside[-1] == here.header and position[-2] > 0
