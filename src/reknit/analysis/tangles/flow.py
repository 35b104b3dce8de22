"""What a rule promises in one function: where all of a group run as one, and where those that run do.

                                        whole   single      whole   each group of the rule (the workgroup, or each
    entry                                 x       x                 subgroup) is here as one class, or not at all
    if %lane {                                              single  the lanes of a tangle that are in one group of the
      ballot                                      x                 operation (subgroup, quad) are one class
      if %other { } else { }
      ballot                              -       -         two classes meet where not the whole group came in
    }
    ballot                                x       x         the whole group came in, and all of it arrives

A *class* is what the rule promises to be together; `sim.guarantees` says the same as a run. With the rule `maximal`
classes meet as the extension says, and what is left are its freedoms: labels of a switch.

All holds at first, and a path through the tree takes away what does not, until nothing changes; each loss keeps its
cause. Sources: SPIR-V 1.6, 2.2.5 "Uniform Control Flow"; SPV_KHR_subgroup_uniform_control_flow;
SPV_KHR_maximal_reconvergence.
"""

from collections.abc import Callable
from typing import final

from reknit.analysis.callgraph import called
from reknit.analysis.tangles.cause import (
    BRANCH,
    CALL,
    CONTINUE,
    ENTRY,
    ESCAPE,
    FALL,
    FLAT,
    FLOW,
    JOIN,
    LOOP,
    VALUES,
    Cause,
)
from reknit.analysis.tangles.leaving import RETURNS, Leaving
from reknit.analysis.uniformity.element_tree import (
    AFTER,
    ANYHOW,
    CALLED,
    CASE,
    CONTINUED,
    HEADER,
    ON,
    Element,
    Entry,
    Places,
)
from reknit.analysis.uniformity.uniformity import FunctionUniformity
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.tree import Construct, If, Loop, Switch
from reknit.ir.value import Value
from reknit.source.meter import spend


@final
class Returned:
    """What a caller knows after a call: whether a whole group comes back whole, whether one class comes back as one,
    and whether part of a group may end inside. `flow` is what that is known by, None where nothing is."""

    __slots__ = ("whole", "single", "loses", "flow")

    def __init__(self, whole: bool, single: bool, loses: bool, flow: "Flow | None") -> None:
        self.whole = whole
        self.single = single
        self.loses = loses
        self.flow = flow


Calls = Callable[[Function, bool, bool], Returned]
"""What a function gives back that is entered whole or not, as a single class or not."""


@final
class Flow:
    """By number of a block in the order: `whole` and `single` at its start, `whole_out` and `single_out` at its end, of
    those that are `reached`. `why_whole` and `why_single` are the causes where they do not hold."""

    __slots__ = (
        "function", "maximal", "group", "part", "control", "places", "calls", "entered_whole", "entered_single",
        "reached", "whole", "single", "whole_out", "single_out", "why_whole", "why_single", "leaving", "whole_lost",
        "single_lost", "_blocks", "_work", "_calling", "_states", "_changed", "_origins_of_whole", "_origins_of_single",
    )  # fmt: skip

    def __init__(
        self,
        places: Places,
        group: FunctionUniformity,
        part: FunctionUniformity,
        maximal: bool,
        whole: bool,
        single: bool,
        calls: Calls,
    ) -> None:
        self.function: Function = group.function
        self.maximal = maximal
        self.group = group
        self.part = part
        self.control = part.control()
        self.places = places
        self.calls = calls
        self.entered_whole = whole
        self.entered_single = single
        order = places.order
        count = len(order.blocks)
        self.reached: list[bool] = order.reached
        self.whole: list[bool] = [True] * count
        self.single: list[bool] = [True] * count
        self.whole_out: list[bool] = [True] * count
        self.single_out: list[bool] = [True] * count
        self.why_whole: dict[int, Cause] = {}
        self.why_single: dict[int, Cause] = {}
        self.whole_lost: dict[int, Instr] = {}  # where it held at a block's start: the call that took it away
        self.single_lost: dict[int, Instr] = {}
        self._origins_of_whole: dict[int, Cause | None] = {}
        self._origins_of_single: dict[int, Cause | None] = {}
        self.leaving = Leaving(places)
        self._calling: dict[int, list[Instr]] = {}
        self._states: dict[Instr, tuple[bool, bool]] = {}  # of blocks that call: before each instruction
        self._blocks: list[Block] = order.blocks
        self._work: list[int] = []
        for number in range(count):
            if self.reached[number]:
                self._work.append(number)
                calling = _calls_in(order.blocks[number])
                if calling:
                    self._calling[number] = calling
        self._changed = True
        while self._changed:
            self._changed = self.leaving.changed = False
            spend(len(self._work))
            for number in self._work:
                if self.whole[number] or self.single[number]:
                    self._enter(number)
                self._leave(number)
            self._changed = self._changed or self.leaving.changed

    # --- answers ------------------------------------------------------------------------------------------------------

    def number(self, block: Block) -> int:
        return self.places.order.number[block]

    def block(self, number: int) -> Block:
        return self._blocks[number]

    def reaches(self, instr: Instr) -> bool:
        """Whether an instruction is in a block that is reached."""
        return instr.block is not None and self.reached[self.number(instr.block)]

    def at(self, instr: Instr) -> tuple[bool, bool]:
        """(whole, single) right before an instruction of a reached block, or before the one that ends it."""
        block = instr.block
        assert block is not None
        number = self.number(block)
        if number not in self._calling:
            return self.whole[number], self.single[number]
        if instr not in self._states:
            whole, single = self.whole[number], self.single[number]
            for each in block:
                self._states[each] = (whole, single)
                if each.op == op.FunctionCall:
                    whole, single, _ = self._call(each, whole, single)
            if isinstance(block.jump, Exit):
                self._states[block.jump.instr] = (whole, single)
        return self._states[instr]

    def cause_of_single(self, number: int) -> Cause | None:
        """Why `single` does not hold at the end of a block; None where it does."""
        if number in self.single_lost:
            return Cause(CALL, self.single_lost[number], number)
        return self.why_single.get(number)

    def cause_of_whole(self, number: int) -> Cause | None:
        """Why `whole` does not hold at the end of a block; None where it does."""
        if number in self.whole_lost:
            return Cause(CALL, self.whole_lost[number], number)
        return self.why_whole.get(number)

    def origin_of_single(self, number: int) -> Cause | None:
        """The cause in the first of those blocks from which `single` hasn't held up to the end of this one."""
        return self._origin(number, self._origins_of_single, False)

    def origin_of_whole(self, number: int) -> Cause | None:
        """The same of `whole`."""
        return self._origin(number, self._origins_of_whole, True)

    def _origin(self, number: int, known: dict[int, Cause | None], whole: bool) -> Cause | None:
        passed: list[int] = []
        while number not in known:
            passed.append(number)
            cause = self.cause_of_whole(number) if whole else self.cause_of_single(number)
            if cause is None or cause.kind != FLOW:
                known[number] = cause
            else:
                number = cause.source
        for each in passed:
            known[each] = known[number]
        return known[number]

    def reached_calls(self) -> list[Instr]:
        return [instr for calling in self._calling.values() for instr in calling]

    def returned(self) -> Returned:
        ended = self.leaving.ended is not None
        if self.maximal:
            return Returned(not ended, True, ended, self)
        returning = self.returning()
        whole = _first_false(returning, self.whole_out) < 0
        single = whole or _first_false(returning, self.single_out) < 0
        single = single and (whole or self._single_path(returning, self.places.elements[0], False))
        return Returned(whole, single, ended, self)

    def returning(self) -> list[int]:
        """The blocks from which the function returns."""
        returning: list[int] = []
        for number in self._work:
            jump = self._blocks[number].jump
            if isinstance(jump, Exit) and jump.instr.op in RETURNS:
                returning.append(number)
        return returning

    # --- entering a block ---------------------------------------------------------------------------------------------

    def _enter(self, number: int) -> None:
        entry = self.places.entry[number]
        assert entry is not None
        kind = entry.kind
        if kind == ON:
            if not self.whole_out[entry.before]:
                self._not_whole(number, FLOW, None, entry.before)
            if not self.single_out[entry.before]:
                self._not_single(number, FLOW, None, entry.before)
        elif kind == AFTER:
            if entry.before >= 0:
                if isinstance(entry.construct, Loop):
                    self._after_loop(number, entry, entry.construct)
                else:
                    self._after(number, entry)
        elif kind == CASE:
            self._into_case(number, entry)
        elif kind == CONTINUED:
            self._into_continuing(number, entry)
        elif kind == HEADER:
            self._one_of(number, [entry.before, *entry.sources])
        elif kind in (CALLED, ANYHOW):
            block = self._blocks[number]
            alone = kind == CALLED or (block is self.function.entry() and not block.is_used())
            if not self.entered_whole or not alone:
                self._not_whole(number, ENTRY if kind == CALLED else FLAT, self.function, -1)
            if not self.entered_single or not alone:
                self._not_single(number, ENTRY if kind == CALLED else FLAT, self.function, -1)
        else:
            construct = entry.construct
            if not self.whole_out[entry.before]:
                self._not_whole(number, FLOW, construct, entry.before)
            elif isinstance(construct, If) and not self.group.branches_uniformly(construct):
                self._not_whole(number, BRANCH, construct, entry.before)
            if not self.single_out[entry.before]:
                self._not_single(number, FLOW, construct, entry.before)

    def _not_whole(self, number: int, kind: str, about: Value | None, source: int) -> None:
        if self.whole[number]:
            self.whole[number] = False
            self.why_whole[number] = Cause(kind, about, source)
            self._changed = True

    def _not_single(self, number: int, kind: str, about: Value | None, source: int) -> None:
        if self.single[number]:
            self.single[number] = False
            self.why_single[number] = Cause(kind, about, source)
            self._changed = True

    def _one_of(self, number: int, sources: list[int]) -> None:
        """A block at which no lanes meet: each tangle comes from one of `sources`."""
        parted = _first_false(sources, self.whole_out)
        if parted >= 0:
            self._not_whole(number, FLOW, None, parted)
        parted = _first_false(sources, self.single_out)
        if parted >= 0:
            self._not_single(number, FLOW, None, parted)

    # --- joins --------------------------------------------------------------------------------------------------------

    def _after(self, number: int, entry: Entry) -> None:
        construct = entry.construct
        assert construct is not None
        before = entry.before
        if not construct.merged:
            self._one_of(number, entry.sources)
            return
        if self._whole_after(number, entry, before):
            return
        if not self.single_out[before]:
            self._not_single(number, FLOW, construct, before)
        elif not self.maximal:
            parted = _first_false(entry.sources, self.single_out)
            if parted >= 0:
                self._not_single(number, FLOW, None, parted)
            elif not self._single_path(entry.sources, entry.element, True):
                self._not_single(number, JOIN, construct, number)

    def _after_loop(self, number: int, entry: Entry, loop: Loop) -> None:
        # The frame is pushed at the end of the header's first run: a call there counts.
        header = self.number(loop.body.entry())
        first = header if header in self._calling else entry.before
        if self._whole_after(number, entry, first):
            return
        if not self.single_out[first]:
            self._not_single(number, FLOW, loop, first)
        elif not self.maximal:
            parted = _first_false(entry.sources, self.single_out)
            if parted >= 0:
                self._not_single(number, FLOW, None, parted)
            elif self.part.leaves_apart(loop) or not self._single_path(entry.sources, entry.element, False):
                self._not_single(number, LOOP, loop, number)

    def _whole_after(self, number: int, entry: Entry, before: int) -> bool:
        """Whether a group that comes whole to a construct is so after it."""
        if not self.whole_out[before]:
            self._not_whole(number, FLOW, entry.construct, before)
            return False
        escape = self.leaving.escaped[entry.element.number]
        if escape >= 0:
            self._not_whole(number, ESCAPE, entry.construct, escape)
            return False
        return True

    def _into_continuing(self, number: int, entry: Entry) -> None:
        loop = entry.construct
        header = entry.before
        if self.maximal:
            left = self.leaving.left[entry.element.number]
            if not self.whole_out[header]:
                self._not_whole(number, FLOW, loop, header)
            elif left >= 0:
                self._not_whole(number, ESCAPE, loop, left)
            if not self.single_out[header]:
                self._not_single(number, FLOW, loop, header)
            return
        parted = _first_false(entry.sources, self.whole_out)
        if parted < 0:
            return
        self._not_whole(number, FLOW, None, parted)
        parted = _first_false(entry.sources, self.single_out)
        if parted >= 0:
            self._not_single(number, FLOW, None, parted)
        elif not self._single_path(entry.sources, self.places.of[number], False):
            self._not_single(number, CONTINUE, loop, number)

    def _into_case(self, number: int, entry: Entry) -> None:
        case = entry.case
        assert case is not None
        switch: Switch = case.switch
        before = entry.before
        falls = entry.sources
        index = entry.element.index
        if before >= 0 and not self.whole_out[before]:
            self._not_whole(number, FLOW, switch, before)
        elif before >= 0 and self.whole[number] and not self.group.branches_uniformly(switch):
            self._not_whole(number, BRANCH, switch, before)
        else:
            parted = _first_false(falls, self.whole_out)
            if parted >= 0:
                self._not_whole(number, FLOW, None, parted)
        if not self.single[number]:
            return
        if before >= 0 and not self.single_out[before]:
            self._not_single(number, FLOW, switch, before)
            return
        if before >= 0 and not self.part.branches_uniformly(switch) and self.control.has_many_values(case):
            self._not_single(number, VALUES, case, before)
            return
        parted = _first_false(falls, self.single_out)
        if parted >= 0:
            self._not_single(number, FLOW, None, parted)
            return
        parting = 0
        for along in self.control.falls_along(entry):
            parting += along > index
        if parting > 1 or any(self.control.several[source] > index for source in falls):
            self._not_single(number, FALL, case, before)

    def _single_path(self, paths: list[int], element: Element, by_arms: bool) -> bool:
        """Whether the lanes of a group that entered `element` together, and come here by one of `paths`, all do so at
        once: each path is taken by all or by none, but for one at most. `by_arms`: of an if that the group takes as one
        only the paths out of the same arm count."""
        control = self.control
        construct = element.construct
        as_one = by_arms and isinstance(construct, If) and self.part.branches_uniformly(construct)
        one = 0
        other = 0
        for path in paths:
            if control.several[path] > element.index:
                return False
            if control.after(path) > element.index:
                if as_one and _is_in_else(self._blocks[path], construct):
                    other += 1
                else:
                    one += 1
        return one <= 1 and other <= 1

    # --- leaving a block ----------------------------------------------------------------------------------------------

    def _leave(self, number: int) -> None:
        whole, single = self.whole[number], self.single[number]
        if number in self._calling:
            for instr in self._calling[number]:
                was_whole, was_single = whole, single
                whole, single, loses = self._call(instr, whole, single)
                if was_whole and not whole and self.whole_out[number]:
                    self.whole_lost[number] = instr
                if was_single and not single and self.single_out[number]:
                    self.single_lost[number] = instr
                if loses:
                    self.leaving.end(number)
        if whole != self.whole_out[number] or single != self.single_out[number]:
            self.whole_out[number] = whole
            self.single_out[number] = single
            self._changed = True
        if not whole:
            self.leaving.jump(number)

    def _call(self, instr: Instr, whole: bool, single: bool) -> tuple[bool, bool, bool]:
        callee = called(instr)
        assert callee is not None
        returned = self.calls(callee, whole, single)
        whole = whole and returned.whole
        return whole, (single and returned.single) or whole, returned.loses


def _calls_in(block: Block) -> list[Instr]:
    calling: list[Instr] = []
    instr = block.first
    while instr is not None:
        if instr.op == op.FunctionCall:
            calling.append(instr)
        instr = instr.next
    return calling


def _first_false(numbers: list[int], holds: list[bool]) -> int:
    """The first of some blocks of which it does not hold; -1 where it holds of all."""
    for number in numbers:
        if not holds[number]:
            return number
    return -1


def _is_in_else(block: Block, construct: Construct | None) -> bool:
    """Whether a block is in the second arm of the if around it."""
    assert isinstance(construct, If)
    region = block.region
    while region is not None:
        if region.owner is construct:
            return region is construct.orelse
        inside = region.construct()
        region = inside.region if inside is not None else None
    return False
