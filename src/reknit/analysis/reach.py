"""Which blocks control can get to from which: one row of bits a block.

    entry -> header -> latch -> header     ALL      latch reaches header
                   \\-> after               FORWARD  it does not: back edges don't count

A row is an integer with bit n for block number n. Rows are made from successors to predecessors; blocks on one cycle
share a row. Costs edges times blocks / 64, and blocks squared / 8 bytes: above LIMIT blocks the answer is refused.
"""

from typing import ClassVar, Final, final

from reknit.analysis.manager import Analyses, FunctionAnalysisWith
from reknit.analysis.natural_loops import natural_loops
from reknit.analysis.order import Order
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.source.diagnostic import Diagnostic, InputError

LIMIT: Final = 16384  # blocks: 32 MiB of bits
ALL: Final = "all"
FORWARD: Final = "forward"


@final
class Reachability(FunctionAnalysisWith):
    """`rows[n]` has a bit for each block that block n reaches, itself among them. Ask with ALL or FORWARD.

    Raises InputError RK2301 for a function of more than LIMIT blocks.
    """

    name: ClassVar[str] = "reachability"
    reads_code: ClassVar[bool] = False

    def __init__(self, order: Order, rows: list[int]) -> None:
        self.order = order
        self.rows = rows

    @staticmethod
    def compute(function: Function, analyses: Analyses, options: str) -> "Reachability":
        assert options in (ALL, FORWARD)
        order = analyses.ask(Order, function)
        if len(order.blocks) > LIMIT:
            message = f"%{function.name} has {len(order.blocks)} blocks; reachability is computed for up to {LIMIT}"
            raise InputError([Diagnostic("RK2301", message)])
        successors = order.successors
        if options == FORWARD:
            back = dict.fromkeys(natural_loops(successors).back_edges)
            successors = [
                [target for target in row if (source, target) not in back] for source, row in enumerate(successors)
            ]
        return Reachability(order, reaching_rows(successors))

    def reaches(self, start: Block, end: Block) -> bool:
        """True if there is a path from `start` to `end`; a block reaches itself."""
        return bool(self.rows[self.order.number[start]] >> self.order.number[end] & 1)

    def same_as(self, other: FunctionAnalysisWith) -> bool:
        return isinstance(other, Reachability) and self.rows == other.rows and self.order.same_as(other.order)


def reaching_rows(successors: list[list[int]]) -> list[int]:
    """By node: the bits of all nodes it reaches. Strongly connected components in Tarjan's order, each finished after
    all that it reaches (R. Tarjan, Depth-First Search and Linear Graph Algorithms, 1972)."""
    count = len(successors)
    rows = [0] * count
    index = [-1] * count
    low = [0] * count
    done = [False] * count
    pending: list[int] = []
    clock = 0
    for start in range(count):
        if index[start] >= 0:
            continue
        path = [start]
        nexts = [0]
        index[start] = low[start] = clock
        clock += 1
        pending.append(start)
        while path:
            node = path[-1]
            at = nexts[-1]
            if at < len(successors[node]):
                nexts[-1] = at + 1
                target = successors[node][at]
                if index[target] < 0:
                    index[target] = low[target] = clock
                    clock += 1
                    pending.append(target)
                    path.append(target)
                    nexts.append(0)
                elif not done[target]:
                    low[node] = min(low[node], index[target])
                continue
            path.pop()
            nexts.pop()
            if path:
                low[path[-1]] = min(low[path[-1]], low[node])
            if low[node] == index[node]:
                first = _position(pending, node)
                _finish(pending[first:], successors, rows, done)
                del pending[first:]
    return rows


def _position(pending: list[int], node: int) -> int:
    """Where `node` is, looking from the end: what stands after it is of its component."""
    at = len(pending) - 1
    while pending[at] != node:
        at -= 1
    return at


def _finish(component: list[int], successors: list[list[int]], rows: list[int], done: list[bool]) -> None:
    """One row for a whole component: its nodes, and what their successors reach."""
    bits = 0
    for node in component:
        bits |= 1 << node
    for node in component:
        for target in successors[node]:
            bits |= rows[target]
    for node in component:
        rows[node] = bits
        done[node] = True
