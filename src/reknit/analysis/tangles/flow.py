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
from reknit.analysis.order import Order
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
from reknit.analysis.uniformity.uniformity import FunctionUniformity
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.tree import Case, Construct, If, Loop, Region


@final
class Returned:
    """What a caller knows after a call: whether a whole group comes back whole, whether one class comes back as one,
    and whether part of a group may end inside."""

    __slots__ = ("whole", "single", "loses")

    def __init__(self, whole: bool, single: bool, loses: bool) -> None:
        self.whole = whole
        self.single = single
        self.loses = loses


Calls = Callable[[Function, bool, bool], Returned]
"""What a function gives back that is entered whole or not, as a single class or not."""


@final
class Flow:
    """`whole` and `single` by reached block, at its start; `whole_out` and `single_out` at its end. `why_whole` and
    `why_single` are the causes where they do not hold."""

    __slots__ = (
        "function", "maximal", "group", "part", "control", "calls", "entered_whole", "entered_single", "whole",
        "single", "whole_out", "single_out", "why_whole", "why_single", "leaving", "whole_lost",
        "single_lost", "_blocks", "_calling", "_states",
        "_changed", "_origins_of_whole", "_origins_of_single",
    )  # fmt: skip

    def __init__(
        self,
        order: Order,
        group: FunctionUniformity,
        part: FunctionUniformity,
        maximal: bool,
        whole: bool,
        single: bool,
        calls: Calls,
    ) -> None:
        self.function = group.function
        self.maximal = maximal
        self.group = group
        self.part = part
        self.control = part.control()
        self.calls = calls
        self.entered_whole = whole
        self.entered_single = single
        self.whole: dict[Block, bool] = {}
        self.single: dict[Block, bool] = {}
        self.whole_out: dict[Block, bool] = {}
        self.single_out: dict[Block, bool] = {}
        self.why_whole: dict[Block, Cause] = {}
        self.why_single: dict[Block, Cause] = {}
        self.whole_lost: dict[Block, Instr] = {}  # where it held at a block's start: the call that took it away
        self.single_lost: dict[Block, Instr] = {}
        self._origins_of_whole: dict[Block, Cause | None] = {}
        self._origins_of_single: dict[Block, Cause | None] = {}
        self.leaving = Leaving(self.control.places)
        self._calling: dict[Block, list[Instr]] = {}
        self._states: dict[Instr, tuple[bool, bool]] = {}  # of blocks that call: before each instruction
        self._blocks = [block for index, block in enumerate(order.blocks) if order.reached[index]]
        for block in self._blocks:
            self.whole[block] = self.single[block] = True
            self.whole_out[block] = self.single_out[block] = True
            calling = [instr for instr in block if instr.op == op.FunctionCall]
            if calling:
                self._calling[block] = calling
        self._changed = True
        while self._changed:
            self._changed = self.leaving.changed = False
            for block in self._blocks:
                self._enter(block)
                self._leave(block)
            self._changed = self._changed or self.leaving.changed

    # --- answers ------------------------------------------------------------------------------------------------------

    def at(self, instr: Instr) -> tuple[bool, bool]:
        """(whole, single) right before an instruction of a reached block."""
        block = instr.block
        assert block is not None
        if block not in self._calling:
            return self.whole[block], self.single[block]
        if instr not in self._states:
            whole, single = self.whole[block], self.single[block]
            for each in block:
                self._states[each] = (whole, single)
                if each.op == op.FunctionCall:
                    whole, single, _ = self._call(each, whole, single)
        return self._states[instr]

    def cause_of_single(self, block: Block) -> Cause | None:
        """Why `single` does not hold at the end of a block; None where it does."""
        if block in self.single_lost:
            return Cause(CALL, self.single_lost[block], block)
        return self.why_single.get(block)

    def cause_of_whole(self, block: Block) -> Cause | None:
        """Why `whole` does not hold at the end of a block; None where it does."""
        if block in self.whole_lost:
            return Cause(CALL, self.whole_lost[block], block)
        return self.why_whole.get(block)

    def origin_of_single(self, block: Block) -> Cause | None:
        """The cause in the first of those blocks from which `single` hasn't held up to the end of this one."""
        return self._origin(block, self._origins_of_single, False)

    def origin_of_whole(self, block: Block) -> Cause | None:
        """The same of `whole`."""
        return self._origin(block, self._origins_of_whole, True)

    def _origin(self, block: Block, known: dict[Block, Cause | None], whole: bool) -> Cause | None:
        passed: list[Block] = []
        cause: Cause | None = None
        while block not in known:
            passed.append(block)
            cause = self.cause_of_whole(block) if whole else self.cause_of_single(block)
            if cause is None or cause.kind != FLOW:
                known[block] = cause
            else:
                assert cause.source is not None
                block = cause.source
        for each in passed:
            known[each] = known[block]
        return known[block]

    def reached_calls(self) -> list[Instr]:
        return [instr for calling in self._calling.values() for instr in calling]

    def returned(self) -> Returned:
        returning: list[Block] = []
        for block in self._blocks:
            jump = block.jump
            if isinstance(jump, Exit) and jump.instr.op in RETURNS:
                returning.append(block)
        if self.maximal:
            return Returned(self.leaving.ended is None, True, self.leaving.ended is not None)
        whole = all(self.whole_out[path] for path in returning)
        single = whole or (all(self.single_out[path] for path in returning) and self._single_path(returning, 0, None))
        return Returned(whole, single, self.leaving.ended is not None)

    # --- entering a block ---------------------------------------------------------------------------------------------

    def _enter(self, block: Block) -> None:
        previous = block.prev
        region = block.region
        if region is None:
            cause = Cause(FLAT, self.function, None)
            alone = block is self.function.entry() and not block.is_used()
            self._set(block, self.entered_whole and alone, cause, self.entered_single and alone, cause)
        elif isinstance(previous, Block):
            cause = Cause(FLOW, None, previous)
            self._set(block, self.whole_out[previous], cause, self.single_out[previous], cause)
        elif isinstance(previous, Loop):
            self._after_loop(block, previous)
        elif isinstance(previous, Construct):
            self._after(block, previous)
        else:
            self._into(block, region)

    def _set(self, block: Block, whole: bool, why_whole: Cause, single: bool, why_single: Cause) -> None:
        if not whole and self.whole[block]:
            self.whole[block] = False
            self.why_whole[block] = why_whole
            self._changed = True
        if not single and self.single[block]:
            self.single[block] = False
            self.why_single[block] = why_single
            self._changed = True

    def _into(self, block: Block, region: Region) -> None:
        owner = region.owner
        if isinstance(owner, Function):
            cause = Cause(ENTRY, owner, None)
            self._set(block, self.entered_whole, cause, self.entered_single, cause)
        elif isinstance(owner, Case):
            self._into_case(block, owner)
        elif isinstance(owner, Loop):
            if region is owner.continuing:
                self._into_continuing(block, owner)
            else:
                self._into_header(block, owner)
        else:
            assert isinstance(owner, Construct)
            before = owner.before()
            cause = Cause(FLOW, owner, before)
            whole, why = self.whole_out[before], cause
            if whole and isinstance(owner, If) and not self.group.branches_uniformly(owner):
                whole, why = False, Cause(BRANCH, owner, before)
            self._set(block, whole, why, self.single_out[before], cause)

    def _into_header(self, block: Block, loop: Loop) -> None:
        before = loop.before()
        latch = loop.continuing.end()
        back = [latch] if latch.jump is None and latch in self.whole else []
        self._set_from(block, [before, *back])

    def _set_from(self, block: Block, sources: list[Block]) -> None:
        """A block at which no lanes meet: each tangle comes from one of `sources`."""
        whole, why_whole = self._all_whole(sources)
        single, why_single = self._all_single(sources)
        self._set(block, whole, why_whole, single, why_single)

    def _all_whole(self, sources: list[Block]) -> tuple[bool, Cause]:
        for source in sources:
            if not self.whole_out[source]:
                return False, Cause(FLOW, None, source)
        return True, Cause(FLOW, None, None)

    def _all_single(self, sources: list[Block]) -> tuple[bool, Cause]:
        for source in sources:
            if not self.single_out[source]:
                return False, Cause(FLOW, None, source)
        return True, Cause(FLOW, None, None)

    # --- joins --------------------------------------------------------------------------------------------------------

    def _after(self, block: Block, construct: Construct) -> None:
        before = construct.before()
        ways = self.control.ways_out(construct)
        if before not in self.whole:
            return
        if not construct.merged:
            self._set_from(block, ways)
            return
        whole, why = self._whole_after(construct, before)
        single, why_single = self.single_out[before], Cause(FLOW, construct, before)
        if single and not whole and not self.maximal:
            single, why_single = self._all_single(ways)
            if single and not self._single_path(ways, self._index(construct), construct):
                single, why_single = False, Cause(JOIN, construct, block)
        self._set(block, whole, why, single or whole, why_single)

    def _after_loop(self, block: Block, loop: Loop) -> None:
        before = loop.before()
        header = loop.body.entry()
        if before not in self.whole:
            return
        # The frame is pushed at the end of the header's first run: a call there counts.
        first = header if header in self._calling else before
        whole, why = self._whole_after(loop, first)
        single, why_single = self.single_out[first], Cause(FLOW, loop, first)
        if single and not whole and not self.maximal:
            leaving = [source for source in loop.breaks if source in self.whole]
            single, why_single = self._all_single(leaving)
            apart = self.part.leaves_apart(loop)
            if single and (apart or not self._single_path(leaving, self._index(loop), None)):
                single, why_single = False, Cause(LOOP, loop, block)
        self._set(block, whole, why, single or whole, why_single)

    def _whole_after(self, construct: Construct, before: Block) -> tuple[bool, Cause]:
        if not self.whole_out[before]:
            return False, Cause(FLOW, construct, before)
        if construct in self.leaving.escaped:
            return False, Cause(ESCAPE, construct, self.leaving.escaped[construct])
        return True, Cause(FLOW, None, before)

    def _into_continuing(self, block: Block, loop: Loop) -> None:
        header = loop.body.entry()
        if self.maximal:
            whole, why = self.whole_out[header], Cause(FLOW, loop, header)
            if whole and loop in self.leaving.left:
                whole, why = False, Cause(ESCAPE, loop, self.leaving.left[loop])
            self._set(block, whole, why, self.single_out[header], Cause(FLOW, loop, header))
            return
        end = loop.body.end()
        backward = [end] if end.jump is None and end in self.whole else []
        backward += [source for source in loop.continues if source in self.whole]
        whole, why = self._all_whole(backward)
        single, why_single = self._all_single(backward)
        if single and not whole and not self._single_path(backward, self._index(loop) + 1, None):
            single, why_single = False, Cause(CONTINUE, loop, block)
        self._set(block, whole, why, single or whole, why_single)

    def _into_case(self, block: Block, case: Case) -> None:
        switch = case.switch
        before = switch.before()
        edges = self.control.case_edges(case)
        falls = [source for source, _ in edges if source is not before]
        index = self._index(switch)
        whole, why = self._all_whole(falls)
        single, why_single = self._all_single(falls)
        if before in self.whole:
            if not self.whole_out[before]:
                whole, why = False, Cause(FLOW, switch, before)
            elif not self.group.branches_uniformly(switch):
                whole, why = False, Cause(BRANCH, switch, before)
            if not self.single_out[before]:
                single, why_single = False, Cause(FLOW, switch, before)
            elif not self.part.branches_uniformly(switch) and self.control.has_many_values(case):
                single, why_single = False, Cause(VALUES, case, before)
        if single and (
            sum(1 for _, along in edges if along > index) > 1
            or any(self.control.several[source] > index for source in falls)
        ):
            single, why_single = False, Cause(FALL, case, before)
        self._set(block, whole, why, single, why_single)

    def _index(self, construct: Construct) -> int:
        return self.control.places.element[construct].index

    def _single_path(self, paths: list[Block], index: int, construct: Construct | None) -> bool:
        """Whether the lanes of a group that entered element `index` together, and come here by one of `paths`, all do
        so at once: each path is taken by all or by none, but for one at most. Of an if that the group takes as one only
        the paths out of the same arm count."""
        control = self.control
        arms: dict[Region | None, int] = {}
        as_one = isinstance(construct, If) and self.part.branches_uniformly(construct)
        for path in paths:
            if control.several[path] > index:
                return False
            if control.after(path) > index:
                arm = _arm(path, construct) if as_one else None
                arms[arm] = arms.get(arm, 0) + 1
        return all(count <= 1 for count in arms.values())

    # --- leaving a block ----------------------------------------------------------------------------------------------

    def _leave(self, block: Block) -> None:
        whole, single = self.whole[block], self.single[block]
        for instr in self._calling.get(block, ()):
            was_whole, was_single = whole, single
            whole, single, loses = self._call(instr, whole, single)
            if was_whole and not whole and self.whole_out[block]:
                self.whole_lost[block] = instr
            if was_single and not single and self.single_out[block]:
                self.single_lost[block] = instr
            if loses:
                self.leaving.end(block)
        if whole != self.whole_out[block] or single != self.single_out[block]:
            self.whole_out[block] = whole
            self.single_out[block] = single
            self._changed = True
        if not whole:
            self.leaving.jump(block)

    def _call(self, instr: Instr, whole: bool, single: bool) -> tuple[bool, bool, bool]:
        callee = called(instr)
        assert callee is not None
        returned = self.calls(callee, whole, single)
        whole = whole and returned.whole
        return whole, (single and returned.single) or whole, returned.loses


def _arm(block: Block, construct: Construct | None) -> Region | None:
    """The region of `construct` that a block is in."""
    region = block.region
    while region is not None:
        if region.owner is construct:
            return region
        inside = region.construct()
        region = inside.region if inside is not None else None
    return None

