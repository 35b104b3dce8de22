"""Where variables that become values take phis: on the iterated dominance frontier of their stores.

    if c { Store %v 1 }         the arm does not dominate `after`, which is on its frontier: a phi there
    after: %x = Load %v

Without asking where a variable is still read: a phi that nothing reads is dropped in the end, with those that only it
reads, and what is left is the same. A variable whose frontier is much longer than its loads and stores, as one that is
used in one arm of a large shader, gets phis where it is read before it is stored again alone; finding these costs the
blocks between its stores and loads. Where edges meet without a block in SPIR-V (`ir.crossing`), the phi there is
relayed by one in the block behind it.
Source: R. Cytron et al., Efficiently Computing Static Single Assignment Form, 1991; P. Briggs et al., Practical
Improvements to the Construction and Destruction of Static Single Assignment Form, 1998 (no phis for what stays in a
block).
"""

from typing import Final, final

from reknit.analysis.order import Order
from reknit.ir.crossing import behind, is_crossing
from reknit.ir.flat_graph import NONE, filled
from reknit.source.columns import i64, vec
from reknit.source.meter import spend

ALWAYS: Final = 64  # phis of a variable, and as many a load or store: with more it is asked where the variable is read
PER_ACCESS: Final = 4


@final
class PhiPlaces:
    """`stores` has by variable the blocks that store it, `reads` those that read what comes in. All are numbers."""

    __slots__ = ("order", "frontier", "stores", "reads", "lives")

    def __init__(
        self, order: Order, frontier: list[list[int]], stores: list[list[int]], reads: list[list[int]]
    ) -> None:
        self.order = order
        self.frontier = frontier
        self.stores = stores
        self.reads = reads
        self.lives: _Lives | None = None

    def within(self, room: int) -> "list[list[int] | None]":
        """By variable the blocks that take a phi; None for one that would take more than the others leave of `room`."""
        likely: list[list[int] | None] = []
        count = 0
        marked = filled(len(self.order.blocks), NONE)
        for index in range(len(self.stores)):
            most = ALWAYS + PER_ACCESS * (len(self.stores[index]) + len(self.reads[index]))
            joins = self._joins(index, marked, None, most)
            if len(joins) > most:
                joins = self._live_joins(index)
            count += len(joins)
            likely.append(joins)
        return likely if count <= room else self._live_within(room)

    def _live_within(self, room: int) -> "list[list[int] | None]":
        self.lives = None  # its marks are those of another walk
        places: list[list[int] | None] = []
        for index in range(len(self.stores)):
            joins = self._live_joins(index)
            if len(joins) > room:
                places.append(None)
            else:
                room -= len(joins)
                places.append(joins)
        return places

    def _live_joins(self, index: int) -> list[int]:
        if self.lives is None:
            self.lives = _Lives(len(self.order.blocks))
        self.lives.mark(index, self.stores[index], list(self.reads[index]), self.order.predecessors)
        return self._joins(index, self.lives.marked, self.lives, len(self.order.blocks))

    def _joins(self, index: int, marked: vec[i64], lives: "_Lives | None", most: int) -> list[int]:
        """The iterated frontier, as far as the variable is alive; more than `most` of it are not all."""
        work = list(self.stores[index])
        joins: list[int] = []
        while work and len(joins) <= most:
            spend(1)
            for join in self.frontier[work.pop()]:
                while marked[join] != index and (lives is None or lives.alive[join] == index):
                    marked[join] = index
                    work.append(join)
                    joins.append(join)
                    block = self.order.blocks[join]
                    if block.padding and is_crossing(block):
                        join = self.order.number[behind(block)]
        return joins


@final
class _Lives:
    """Where a variable is read before it is stored, from the start of the block on: `alive` has the last variable for
    which that was found, `marked` the last with a phi there."""

    __slots__ = ("alive", "stops", "marked")

    def __init__(self, count: int) -> None:
        self.alive: vec[i64] = filled(count, NONE)
        self.stops: vec[i64] = filled(count, NONE)
        self.marked: vec[i64] = filled(count, NONE)

    def mark(self, index: int, stores: list[int], work: list[int], predecessors: list[list[int]]) -> None:
        """`work` has the blocks that read the variable first."""
        alive = self.alive
        stops = self.stops
        for block in stores:
            stops[block] = index
        for block in work:
            alive[block] = index
        while work:
            spend(1)
            for before in predecessors[work.pop()]:
                if alive[before] != index and stops[before] != index:
                    alive[before] = index
                    work.append(before)
