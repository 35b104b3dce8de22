"""Which lanes are in the tangle that executes a block, as two numbers a block, relative to the elements around it.

                              several  partial        elements around: 0 root, 1 if, 2 loop, 3 body
    entry                       0        0
    if %lane (1)                                       partial n: of the lanes that entered elements 0 .. n-1
      then                      0        2               together, perhaps only some execute the block
        loop (2)
          header                0        2             several n: those that do, and entered elements 0 .. n-1
          if %lane nojoin { break }                      together, perhaps do so in several tangles
          rest                  0        4

What holds for an element holds for those further out, hence a number says it. "Lanes" are those of one group of the
scope; each loop is compared iteration by iteration. Where the numbers grow:

    partial   an arm or case chosen by a condition that differs; after what some lanes left by a jump over its end;
              a loop's header if some lanes leave in another iteration than others
    several   after a construct that is not merged and was left on different paths; a case that is entered and fallen
              into, or stands for several values of a selector that differs (OpSwitch may part or join such lanes)

A condition that is the same in each tangle may differ between several, so `partial` grows to `several` at a branch.
Both only grow, so going over the tree until nothing changes gives the least that holds ("optimistic").
Source: SPV_KHR_maximal_reconvergence; the two facts per block replace the one bit of Mesa's divergence analysis.
"""

from collections.abc import Callable
from typing import final

from reknit.analysis.constructs import construct_of
from reknit.analysis.order import Order
from reknit.analysis.uniformity.element_tree import Places
from reknit.analysis.uniformity.value_ranges import possible_values
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.tree import Case, Construct, If, Loop, Region, Switch
from reknit.ir.value import Value

Same = Callable[[Value, Block], bool]
"""Whether a value is the same for all lanes of the tangle that are in one group, at the end of a block."""


@final
class Control:
    """`several` and `partial` by block, for what the entry reaches; `ends` are the blocks where a call may end lanes.

    `escaped[c]` is the largest `partial` of the jumps from inside construct c to beyond its end, `left[l]` that of
    those that leave loop l, its own breaks among them.
    """

    __slots__ = (
        "function", "order", "places", "same", "ends", "several", "partial", "escaped", "left", "changed", "_reach",
        "_many",
        "_labels",
    )  # fmt: skip

    def __init__(self, function: Function, order: Order, places: Places, ends: dict[Block, None], same: Same) -> None:
        self.function = function
        self.order = order
        self.places = places
        self.same = same
        self.ends = ends
        self.several: dict[Block, int] = {}
        self.partial: dict[Block, int] = {}
        self.escaped: dict[Construct, int] = {}
        self.left: dict[Loop, int] = {}
        self.changed = False
        self._reach: dict[Construct, int] = {}
        self._many: dict[Case, bool] = {}
        self._labels: dict[Switch, dict[Case, list[int]]] = {}
        for index, block in enumerate(order.blocks):
            if order.reached[index]:
                self.several[block] = 0
                self.partial[block] = 0
                element = places.of[block]
                if element.apart:  # a flat function: anything may be
                    self.several[block] = self.partial[block] = element.index + 1

    def go_over(self) -> bool:
        """Once through the tree in source order. True if something grew."""
        self.changed = False
        for block in self.order.blocks:
            if block not in self.several or block.region is None:
                continue
            several, partial = self._on_entry(block, block.region)
            if several > self.several[block] or partial > self.partial[block]:
                self.several[block] = max(several, self.several[block])
                self.partial[block] = max(partial, self.partial[block])
                self.changed = True
            self._leave(block, block.region)
        return self.changed

    def after(self, block: Block) -> int:
        """`partial` at the end of a block."""
        return self.places.of[block].index + 1 if block in self.ends else self.partial[block]

    def chosen(self, source: Block, condition: Value) -> int:
        """`partial` for where lanes go from `source` by a condition, the construct that begins there counted."""
        if not self.same(condition, source):
            return self.places.of[source].index + 2
        return max(self.after(source), self.several[source])

    def reached(self, block: Block) -> bool:
        return block in self.several

    # --- one block ----------------------------------------------------------------------------------------------------

    def _on_entry(self, block: Block, region: Region) -> tuple[int, int]:
        previous = block.prev
        if previous is None:
            return self._into(region)
        if isinstance(previous, Block):
            return self.several[previous], self.after(previous)
        assert isinstance(previous, Construct)
        before = previous.before()
        if not self.reached(before):
            return 0, 0
        partial = max(self.after(before), self.escaped.get(previous, 0))
        if previous.merged:
            return self.several[before], partial
        return self._after_unmerged(previous, before), partial

    def _after_unmerged(self, construct: Construct, before: Block) -> int:
        """No lanes wait at its end: each path out of it is a tangle of its own, if lanes differ in which they take."""
        outside = self.places.of[before].index + 1
        ways = self.ways_out(construct)
        several = self.several[before]
        for source in ways:
            several = max(several, min(self.several[source], outside))
            if len(ways) > 1 and self.after(source) > outside:
                several = outside
        return several

    def ways_out(self, construct: Construct) -> list[Block]:
        """The reached blocks with an edge to the block after a construct."""
        sources = [source for source in construct.breaks if self.reached(source)]
        if not isinstance(construct, Loop):
            for region in construct.regions():
                end = region.end()
                if end.jump is None and self.reached(end):
                    sources.append(end)
        return sources

    def _into(self, region: Region) -> tuple[int, int]:
        owner = region.owner
        if isinstance(owner, Function):
            return 0, 0
        if isinstance(owner, Case):
            return self._into_case(owner)
        assert isinstance(owner, Construct)
        if isinstance(owner, Loop):
            header = owner.body.entry()
            if region is owner.continuing:
                return self.several[header], max(self.partial[header], self.left.get(owner, 0))
            return self._into_loop(owner)
        before = owner.before()
        if isinstance(owner, If):
            return self.several[before], self.chosen(before, owner.condition)
        return self.several[before], self.after(before)

    def _into_loop(self, loop: Loop) -> tuple[int, int]:
        before = loop.before()
        element = self.places.element[loop]
        several = self.several[before]
        partial = self.after(before)
        latch = loop.continuing.end()
        if latch.jump is None and self.reached(latch) and self.several[latch] > element.index:
            several = partial = element.index + 1  # each tangle goes on with its own iterations
        if self.left.get(loop, 0) > element.index:
            partial = element.index + 1
            if not element.apart:
                element.apart = True
                self.changed = True
        return several, max(partial, self.after(before))

    def _into_case(self, case: Case) -> tuple[int, int]:
        switch = case.switch
        before = switch.before()
        inside = self.places.element[switch].index + 1
        several = self.several[before] if self.reached(before) else 0
        differs = self.reached(before) and not self.same(switch.selector, before)
        if differs and self.has_many_values(case):
            several = inside
        partial = 0
        paths = 0
        for source, along in self.case_edges(case):
            paths += 1
            partial = max(partial, min(along, inside))
            if source is not before:
                several = max(several, min(self.several[source], inside))
        if paths > 1 and partial >= inside:
            several = inside
        return several, partial

    def case_edges(self, case: Case) -> list[tuple[Block, int]]:
        """The reached edges into a case, each with its `partial`."""
        before = case.switch.before()
        edges: list[tuple[Block, int]] = []
        if self.reached(before):
            edges.append((before, self.chosen(before, case.switch.selector)))
        edges.extend((source, self.after(source)) for source in case.fallthroughs if self.reached(source))
        return edges

    def has_many_values(self, case: Case) -> bool:
        """Whether lanes with different selector values may come to a case."""
        switch = case.switch
        many = self._many.get(case)
        if many is None:
            if switch not in self._labels:
                self._labels[switch] = switch.labels()
            listed = self._labels[switch][case]
            possible = possible_values(switch.selector)
            if possible is None:
                many = case is switch.default or len(listed) > 1
            else:
                others = possible.difference([literal for literal, _ in switch.targets])
                come = len(possible.intersection(listed)) + (len(others) if case is switch.default else 0)
                many = come > 1
            self._many[case] = many
        return many

    # --- leaving ------------------------------------------------------------------------------------------------------

    def _leave(self, block: Block, region: Region) -> None:
        if block in self.ends:
            self._escape(block, region, None)
        jump = block.jump
        if isinstance(jump, Break):
            self._escape(block, region, jump.target)
            if isinstance(jump.target, Loop):
                self._leave_loop(jump.target, self.after(block))
        elif isinstance(jump, Continue):
            self._escape(block, region, jump.target)
        elif isinstance(jump, Fallthrough):
            self._escape(block, region, jump.target.switch)
        elif isinstance(jump, Exit) and jump.instr.op != op.Unreachable:
            self._escape(block, region, None)

    def _escape(self, block: Block, region: Region, target: Construct | None) -> None:
        """Lanes jump from `block` past the ends of all constructs inside `target`."""
        along = self.after(block)
        goal = -1 if target is None else self.places.element[target].index
        current = construct_of(region)
        while current is not None and current is not target:
            outside = self.places.element[current].index
            amount = min(along, outside)
            said = not isinstance(current, Loop) or self.left.get(current, 0) >= min(along, outside + 2)
            if said and self.escaped.get(current, 0) >= amount and self._reach.get(current, outside) <= goal:
                return  # a jump that goes as far has said as much
            if amount > self.escaped.get(current, 0):
                self.escaped[current] = amount
                self._reach[current] = goal
                self.changed = True
            elif amount == self.escaped.get(current, 0):
                self._reach[current] = min(goal, self._reach.get(current, outside))
            if isinstance(current, Loop):
                self._leave_loop(current, along)
            around = current.region
            current = construct_of(around) if around is not None else None

    def _leave_loop(self, loop: Loop, along: int) -> None:
        amount = min(along, self.places.element[loop].index + 2)
        if amount > self.left.get(loop, 0):
            self.left[loop] = amount
            self.changed = True
