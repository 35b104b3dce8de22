"""The values of one function: which may differ between lanes of a tangle that are in one group.

    all values are the same ──▶ go over control ──▶ go over instructions ──▶ something differs now? ── again
                                                                          └─ no: what is left is the same

A value that is the same where it is defined may differ where it is used: lanes that left a loop in different iterations
bring different ones (*temporal divergence*), and so do tangles that met only after each had its own. `same_in` decides
this for each use, from where the two blocks stand; nothing has to be in loop-closed form.
Source: D. Sampaio et al., Divergence Analysis, 2013; Mesa's `src_is_divergent` for deciding it per use.
"""

from collections.abc import Callable
from typing import final

from reknit.analysis.uniformity.control import Control
from reknit.analysis.uniformity.element_tree import AFTER, ANYHOW, CASE, CONTINUED, NONE, Element, Entry, Places
from reknit.analysis.uniformity.memory import Memory
from reknit.analysis.uniformity.operations import same_operands, same_result
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.tree import Loop
from reknit.ir.value import Value
from reknit.source.meter import spend


@final
class Summary:
    """What a caller knows of a function: is its result the same if all arguments are, and if none is?

    `ends`: lanes may end inside, so that not all come back.
    """

    __slots__ = ("same_if_same", "always_same", "ends")

    def __init__(self, same_if_same: bool, always_same: bool, ends: bool) -> None:
        self.same_if_same = same_if_same
        self.always_same = always_same
        self.ends = ends


@final
class Known:
    """What is the same for all functions of a module: memory, and what is known of callees so far."""

    __slots__ = ("memory", "undefined", "summaries")

    def __init__(self, memory: Memory, undefined: dict[Value, None]) -> None:
        self.memory = memory
        self.undefined = undefined
        self.summaries: dict[Function, Summary] = {}


@final
class Values:
    """`differing` holds the instructions and parameters that may differ where they are defined. Blocks go by their
    number in the order."""

    __slots__ = ("function", "known", "order", "places", "control", "differing", "_waiting", "_homes")

    def __init__(self, function: Function, places: Places, known: Known, differing_parameters: list[Instr]) -> None:
        self.function = function
        self.known = known
        self.order = places.order
        self.places = places
        self.differing: dict[Value, None] = dict.fromkeys(differing_parameters)
        self._waiting: list[Instr] = []  # what is the same so far, and the blocks where it is
        self._homes: list[int] = []
        ends = [False] * len(self.order.blocks)
        for number, block in enumerate(self.order.blocks):
            if self.order.reached[number]:
                ends[number] = self._look_at(number, block)
        self.control = Control(places, ends, self.same_in)
        while True:
            spend(1)
            grown = self.control.go_over()
            if not self._go_over() and not grown:
                break

    def _look_at(self, number: int, block: Block) -> bool:
        """Whether lanes may end in a block; what it computes is the same until something shows that it isn't."""
        ends = False
        instr = block.first
        while instr is not None:
            if instr.op == op.FunctionCall:
                callee = instr.operands[0]
                summary = self.known.summaries.get(callee) if isinstance(callee, Function) else None
                if summary is None or summary.ends:
                    ends = True
            if instr.has_result:
                self._waiting.append(instr)
                self._homes.append(number)
            instr = instr.next
        return ends

    def _go_over(self) -> bool:
        waiting = self._waiting
        homes = self._homes
        count = len(waiting)
        kept = 0
        for place in range(count):
            instr = waiting[place]
            number = homes[place]
            if self._same(instr, number):
                waiting[kept] = instr
                homes[kept] = number
                kept += 1
            else:
                self.differing[instr] = None
        del waiting[kept:]
        del homes[kept:]
        return kept < count

    # --- one use ------------------------------------------------------------------------------------------------------

    def same_in(self, value: Value, number: int) -> bool:
        """Whether the lanes of a tangle in a block that are in one group hold the same `value`."""
        if not isinstance(value, Instr):
            return value not in self.differing and value not in self.known.undefined
        home = value.block
        if home is None:  # a global or a parameter
            return value not in self.differing and value not in self.known.undefined
        if value in self.differing:
            return False
        return home is self.order.blocks[number] or self._same_at(value, self.places.of[number])

    def _same_at(self, value: Value, place: Element | None) -> bool:
        """The same right inside the element `place` (None: after the function has returned)."""
        if value in self.differing or value in self.known.undefined:
            return False
        if not isinstance(value, Instr) or value.block is None:
            return True
        origin = self.order.number[value.block]
        current: Element | None = self.places.of[origin]
        met = -1  # the outermost element that was left by lanes meeting after it
        while current is not None and not (place is not None and current.holds(place)):
            if self.control.apart[current.number]:
                return False
            if current.merged:
                met = current.index
            current = current.parent
        return met < 0 or self.control.several[origin] <= met

    # --- one instruction ----------------------------------------------------------------------------------------------

    def _same(self, instr: Instr, number: int) -> bool:
        code = instr.op
        if code in traits.SAME:  # most are: `same_result` would say so
            for operand in instr.operands:
                if not isinstance(operand, (int, str)) and not self.same_in(operand, number):
                    return False
            return True
        if code == op.Phi:
            return self._same_phi(instr, number)

        def same(value: Value) -> bool:
            return self.same_in(value, number)

        if code == op.FunctionCall:
            return self._same_call(instr, same)
        return same_result(instr, self.known.memory, same)

    def _same_call(self, instr: Instr, same: Callable[[Value], bool]) -> bool:
        callee = instr.operands[0]
        summary = self.known.summaries.get(callee) if isinstance(callee, Function) else None
        if summary is None:
            return False
        return summary.always_same or (summary.same_if_same and same_operands(instr, 1, same))

    def _same_phi(self, phi: Instr, number: int) -> bool:
        """By how lanes come together at the block: after a join from several sides, otherwise from one at a time."""
        control = self.control
        values: list[Value] = []
        sources: list[int] = []
        several_values = False
        for index in range(0, len(phi.operands) - 1, 2):
            label = phi.operands[index + 1]
            place = self.order.number[label] if isinstance(label, Block) else NONE
            if place >= 0 and control.reached[place]:
                value = phi.value(index)
                several_values = several_values or (len(values) > 0 and value is not values[0])
                values.append(value)
                sources.append(place)
        entry = self.places.entry[number]
        assert entry is not None
        if entry.kind == ANYHOW:  # flat: whether it is a join isn't known
            return not several_values and all(self.same_in(value, number) for value in values)
        join = -1  # the index of the element whose lanes meet here
        if entry.kind == AFTER:
            if entry.construct is not None and entry.construct.merged:
                join = entry.element.index
        elif entry.kind == CONTINUED:
            join = self.places.of[number].index
        elif entry.kind == CASE:
            return self._same_case_phi(entry, values, sources, several_values)
        if join < 0:  # each tangle comes from one side
            return all(self.same_in(values[index], sources[index]) for index in range(len(values)))
        if several_values and any(control.after(source) > join for source in sources):
            return False
        around = self.places.of[number]
        return all(self._same_at(value, around) for value in values)

    def _same_case_phi(self, entry: Entry, values: list[Value], sources: list[int], several_values: bool) -> bool:
        """At a label, lanes that are sent there may meet those that fall through to it, or not."""
        around = entry.element
        if several_values:
            for along in self.control.falls_along(entry):
                if along > around.index:
                    return False
        for index in range(len(values)):
            value = values[index]
            if not self.same_in(value, sources[index]):
                return False
            if isinstance(value, Instr) and value.block is not None:
                home = self.order.number[value.block]
                if around.holds(self.places.of[home]):
                    if self.control.several[home] > around.index:
                        return False
                    if not self._same_at(value, around.parent):
                        return False
        return True

    # --- results ------------------------------------------------------------------------------------------------------

    def same_result(self) -> bool:
        """Whether lanes that called together get the same value back."""
        values: list[Value] = []
        partial = False
        for number, block in enumerate(self.order.blocks):
            jump = block.jump
            if self.order.reached[number] and isinstance(jump, Exit) and jump.instr.op == op.ReturnValue:
                values.append(jump.instr.value(0))
                partial = partial or self.control.after(number) > 0
        if partial and any(value is not values[0] for value in values):
            return False
        return all(self._same_at(value, None) for value in values)

    def exits_apart(self, loop: Loop) -> bool:
        """Whether lanes that enter a loop together may leave it in different iterations."""
        return self.control.apart[self.places.element[loop].number]
