"""Loops whose first iterations are walked by themselves, in front of what is left of the loop.

    loop { A }  =  { A } and, of those that come back, loop { A }        as often as the plan says

This holds of any loop, so it may be done in either program, any number of times: each iteration of a loop is a dynamic
context of its own, and the code of an iteration that stands by itself is executed by the same invocations. So a loop
that one of the programs has peeled gets a partner in the other, and loops whose iterations can be counted, which are
walked until none comes back, are what unrolling leaves of them.
"""

from typing import Final, final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.outward import nodes_of
from reknit.ir.tree import Case, Construct, Loop
from reknit.ir.value import Node, Value
from reknit.proof.normal_form.traversal import Traversal

MAX_ITERATIONS: Final = 64  # of one loop
MAX_WALKED: Final = 400  # of all loops of a program
MAX_PEELED: Final = 8
MAX_TRIES: Final = 4


@final
class Plan:
    """`counts`: how many iterations of a loop are walked by themselves. With `counted`, of all loops that carry a known
    number from one iteration to the next, all of them. `outlasting` are the values used behind their loop: what they
    are there depends on the iteration that was left."""

    __slots__ = ("counts", "counted", "outlasting")

    def __init__(self, counts: dict[Loop, int], counted: bool, outlasting: dict[Value, None]) -> None:
        self.counts = counts
        self.counted = counted
        self.outlasting = outlasting if counts or counted else {}

    def iterations(self, loop: Loop) -> int:
        """How many are walked by themselves, at most."""
        return self.counts.get(loop, MAX_ITERATIONS if self.counted else 0)


@final
class Nest:
    """The loops of a program, inner ones behind those around them. `sizes`: nodes and instructions, with those inside;
    `inner`: loops without a loop inside."""

    __slots__ = ("around", "inner", "sizes", "size", "outlasting")

    def __init__(self, traversals: dict[Function, Traversal]) -> None:
        self.around: dict[Node, Loop | None] = {}
        self.sizes: dict[Loop, int] = {}
        self.size = 0
        self.outlasting: dict[Value, None] = {}
        for function in traversals:
            nodes = nodes_of(list(function.body))
            for node in nodes:
                self.around[node] = self._loop_around(node)
                if isinstance(node, Loop):
                    self.sizes[node] = 0
            for node in nodes:
                self._measure(node)
                if isinstance(node, Block) and self.around[node] is not None:
                    self._find_outlasting(node)
        outer = {self.around[loop] for loop in self.sizes}
        self.inner = [loop for loop in self.sizes if loop not in outer]

    def _loop_around(self, node: Node) -> Loop | None:
        assert node.region is not None
        owner = node.region.owner
        if isinstance(owner, Loop):
            return owner
        construct = owner.switch if isinstance(owner, Case) else owner
        return self.around[construct] if isinstance(construct, Construct) else None

    def _measure(self, node: Node) -> None:
        size = 1
        if isinstance(node, Block):
            for _ in node:
                size += 1
        self.size += size
        loop = self.around[node]
        while loop is not None:
            self.sizes[loop] += size
            loop = self.around[loop]

    def _find_outlasting(self, block: Block) -> None:
        for value in block:
            for user in value.users:
                place = user.block if isinstance(user, Instr) else user
                loop = self.around.get(place) if isinstance(place, Node) else None  # none has what is unreachable
                while loop is not None and loop is not self.around[block]:
                    loop = self.around[loop]
                if loop is None:
                    self.outlasting[value] = None
                    break


def plans(mine: Nest, theirs: Nest) -> list[tuple[Plan, Plan]]:
    """What is worth a try where loops don't correspond, the likeliest first: iterations that can be counted; then some
    of the smaller program, of all inner loops or of one, as many as make up for its size."""
    some: list[tuple[Plan, Plan]] = []
    none: dict[Loop, int] = {}
    if not mine.sizes and not theirs.sizes:
        return some
    some.append((Plan(none, True, mine.outlasting), Plan(none, True, theirs.outlasting)))
    smaller = mine if mine.size <= theirs.size else theirs
    larger = theirs if smaller is mine else mine
    tries: dict[tuple[int, tuple[Loop, ...]], None] = {}
    for loops in [smaller.inner, *[[loop] for loop in smaller.sizes]]:
        size = sum([smaller.sizes[loop] for loop in loops])
        if size:
            likely = max(1, min(MAX_PEELED, round((larger.size - smaller.size) / size)))
            tries.setdefault((likely, tuple(loops)))
    for count in (1, 2):
        tries.setdefault((count, tuple(smaller.inner)))
    for count, chosen in list(tries)[:MAX_TRIES]:
        counts = dict.fromkeys(chosen, count)
        plan = Plan(counts, False, smaller.outlasting)
        still = Plan(none, False, larger.outlasting)
        some.append((plan, still) if smaller is mine else (still, plan))
    return some
