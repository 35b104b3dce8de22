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
from reknit.ir.flat_graph import components, flat_graph
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
    """By node: the bits of all nodes it reaches."""
    rows = [0] * len(successors)
    for component in components(flat_graph(successors)):
        bits = 0
        for node in component:
            bits |= 1 << node
        for node in component:
            for target in successors[node]:
                bits |= rows[target]
        for node in component:
            rows[node] = bits
    return rows
