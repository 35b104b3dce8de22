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

from reknit.analysis.uniformity.element_tree import (
    AFTER,
    ALONE,
    ANYHOW,
    ARM,
    CALLED,
    CASE,
    CONTINUED,
    HEADER,
    NONE,
    ON,
    Element,
    Entry,
    Places,
)
from reknit.analysis.uniformity.value_ranges import possible_values
from reknit.ir import op
from reknit.ir.flat_graph import filled
from reknit.ir.jump import Break, Exit
from reknit.ir.tree import Case, If, Loop, Switch
from reknit.ir.value import Value
from reknit.source.columns import i64, vec
from reknit.source.meter import spend

Same = Callable[[Value, int], bool]
"""Whether a value is the same for all lanes of the tangle that are in one group, at the end of a block."""

@final
class Control:
    """By number of a block in the order, of those that the entry reaches: `several` and `partial`; `ends` are the
    blocks where a call may end lanes.

    By number of an element: `escaped` of construct c is the largest `partial` of the jumps from inside it to beyond its
    end, `left` of loop l that of those that leave it, its own breaks among them. `apart` (loops, and blocks alone):
    lanes that entered together may leave in different iterations.
    """

    __slots__ = (
        "places", "same", "ends", "reached", "several", "partial", "escaped", "left", "apart", "changed", "_reach",
        "_many", "_labels", "_work",
    )  # fmt: skip

    def __init__(self, places: Places, ends: list[bool], same: Same) -> None:
        order = places.order
        count: i64 = len(order.blocks)
        elements: i64 = len(places.elements)
        self.places = places
        self.same = same
        self.ends = ends
        self.reached: list[bool] = order.reached
        self.several: vec[i64] = filled(count, 0)
        self.partial: vec[i64] = filled(count, 0)
        self.escaped: vec[i64] = filled(elements, 0)
        self.left: vec[i64] = filled(elements, 0)
        self.apart: list[bool] = [element.kind == ALONE for element in places.elements]
        self.changed = False
        self._reach: vec[i64] = filled(elements, NONE - 1)
        self._many: dict[Case, bool] = {}
        self._labels: dict[Switch, dict[Case, list[int]]] = {}
        self._work: list[int] = [number for number in range(len(order.blocks)) if places.entry[number] is not None]
        for number in self._work:
            element = places.of[number]
            if element.kind == ALONE:  # a flat function: anything may be
                self.several[number] = element.index + 1
                self.partial[number] = element.index + 1

    def go_over(self) -> bool:
        """Once through the tree in source order. True if something grew."""
        self.changed = False
        spend(len(self._work))
        for number in self._work:
            entry = self.places.entry[number]
            assert entry is not None
            if entry.kind == ANYHOW:
                continue
            self._enter(number, entry)
            self._leave(number)
        return self.changed

    def after(self, number: i64) -> i64:
        """`partial` at the end of a block."""
        return self.places.of[number].index + 1 if self.ends[number] else self.partial[number]

    def chosen(self, source: i64, condition: Value) -> i64:
        """`partial` for where lanes go from `source` by a condition, the construct that begins there counted."""
        if not self.same(condition, int(source)):
            return self.places.of[source].index + 2
        return max(self.after(source), self.several[source])

    # --- one block ----------------------------------------------------------------------------------------------------

    def _enter(self, number: i64, entry: Entry) -> None:
        kind = entry.kind
        before: i64 = entry.before
        several: i64 = 0
        partial: i64 = 0
        if kind == ON:
            several = self.several[before]
            partial = self.after(before)
        elif kind == AFTER:
            if before >= 0:
                partial = max(self.after(before), self.escaped[entry.element.number])
                several = self.several[before] if entry.element.merged else self._after_unmerged(entry)
        elif kind == ARM:
            several = self.several[before]
            construct = entry.construct
            assert isinstance(construct, If)
            partial = self.chosen(before, construct.condition)
        elif kind == HEADER:
            self._into_loop(number, entry)
            return
        elif kind == CONTINUED:
            several = self.several[before]
            partial = max(self.partial[before], self.left[entry.element.number])
        elif kind == CASE:
            self._into_case(number, entry)
            return
        elif kind != CALLED:
            several = self.several[before]
            partial = self.after(before)
        self._grow(number, several, partial)

    def _grow(self, number: i64, several: i64, partial: i64) -> None:
        if several > self.several[number]:
            self.several[number] = several
            self.changed = True
        if partial > self.partial[number]:
            self.partial[number] = partial
            self.changed = True

    def _after_unmerged(self, entry: Entry) -> i64:
        """No lanes wait at its end: each path out of it is a tangle of its own, if lanes differ in which they take."""
        outside: i64 = self.places.of[entry.before].index + 1
        several: i64 = self.several[entry.before]
        for source in entry.sources:
            several = max(several, min(self.several[source], outside))
            if len(entry.sources) > 1 and self.after(source) > outside:
                several = outside
        return several

    def _into_loop(self, number: i64, entry: Entry) -> None:
        before: i64 = entry.before
        inside: i64 = entry.element.index
        several: i64 = self.several[before]
        partial: i64 = self.after(before)
        for latch in entry.sources:
            if self.several[latch] > inside:
                several = inside + 1
                partial = inside + 1  # each tangle goes on with its own iterations
        if self.left[entry.element.number] > inside:
            partial = inside + 1
            if not self.apart[entry.element.number]:
                self.apart[entry.element.number] = True
                self.changed = True
        self._grow(number, several, max(partial, self.after(before)))

    def _into_case(self, number: i64, entry: Entry) -> None:
        case = entry.case
        assert case is not None
        before: i64 = entry.before
        inside: i64 = entry.element.index + 1
        several: i64 = 0
        partial: i64 = 0
        paths: i64 = len(entry.sources)
        if before >= 0:
            paths += 1
            several = self.several[before]
            if self.same(case.switch.selector, int(before)):
                partial = min(max(self.after(before), several), inside)
            else:
                partial = inside
                if self.has_many_values(case):
                    several = inside
        for source in entry.sources:
            partial = max(partial, min(self.after(source), inside))
            several = max(several, min(self.several[source], inside))
        if paths > 1 and partial >= inside:
            several = inside
        self._grow(number, several, partial)

    def falls_along(self, entry: Entry) -> list[int]:
        """Of each reached edge into a case, that of the switch first, its `partial`."""
        along: list[int] = []
        if entry.before >= 0:
            assert entry.case is not None
            along.append(int(self.chosen(entry.before, entry.case.switch.selector)))
        for source in entry.sources:
            along.append(int(self.after(source)))
        return along

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

    def _leave(self, number: i64) -> None:
        if self.ends[number]:
            self._escape(number, None)
        jump = self.places.order.blocks[number].jump
        if jump is None:
            return
        goal = self.places.goal[number]
        if goal is not None:
            self._escape(number, goal)
            if isinstance(jump, Break) and isinstance(jump.target, Loop):
                self._leave_loop(goal, self.after(number))
        elif isinstance(jump, Exit) and jump.instr.op != op.Unreachable:
            self._escape(number, None)

    def _escape(self, number: i64, target: Element | None) -> None:
        """Lanes jump from a block past the ends of all constructs inside `target`."""
        along: i64 = self.after(number)
        goal: i64 = NONE if target is None else target.index
        current = self.places.of[number].around()
        while current is not None and current is not target:
            outside: i64 = current.index
            place: i64 = current.number
            amount: i64 = min(along, outside)
            is_loop = isinstance(current.construct, Loop)
            said = not is_loop or self.left[place] >= min(along, outside + 2)
            reach: i64 = self._reach[place]
            if reach < NONE:
                reach = outside
            if said and self.escaped[place] >= amount and reach <= goal:
                return  # a jump that goes as far has said as much
            if amount > self.escaped[place]:
                self.escaped[place] = amount
                self._reach[place] = goal
                self.changed = True
            elif amount == self.escaped[place]:
                self._reach[place] = min(goal, reach)
            if is_loop:
                self._leave_loop(current, along)
            parent = current.parent
            current = parent.around() if parent is not None else None

    def _leave_loop(self, loop: Element, along: i64) -> None:
        amount: i64 = min(along, loop.index + 2)
        if amount > self.left[loop.number]:
            self.left[loop.number] = amount
            self.changed = True
