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

from reknit.analysis.order import Order
from reknit.analysis.uniformity.control import Control
from reknit.analysis.uniformity.element_tree import LOOP, Element, Places
from reknit.analysis.uniformity.memory import Memory
from reknit.analysis.uniformity.operations import same_operands, same_result
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.tree import Case, Construct, Loop
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
    """`differing` holds the instructions and parameters that may differ where they are defined."""

    __slots__ = ("function", "known", "places", "control", "differing")

    def __init__(self, function: Function, order: Order, known: Known, differing_parameters: list[Instr]) -> None:
        self.function = function
        self.known = known
        self.places = Places(function)
        self.differing: dict[Value, None] = dict.fromkeys(differing_parameters)
        ends: dict[Block, None] = {}
        for index, block in enumerate(order.blocks):
            if order.reached[index] and self._may_end(block):
                ends[block] = None
        self.control = Control(function, order, self.places, ends, self.same_in)
        while True:
            spend(1)
            grown = self.control.go_over()
            if not self._go_over(order) and not grown:
                break

    def _may_end(self, block: Block) -> bool:
        for instr in block:
            if instr.op == op.FunctionCall:
                callee = instr.operands[0]
                summary = self.known.summaries.get(callee) if isinstance(callee, Function) else None
                if summary is None or summary.ends:
                    return True
        return False

    def _go_over(self, order: Order) -> bool:
        grown = False
        for index, block in enumerate(order.blocks):
            if not order.reached[index]:
                continue
            for instr in block:
                if instr.has_result and instr not in self.differing and not self._same(instr, block):
                    self.differing[instr] = None
                    grown = True
        return grown

    # --- one use ------------------------------------------------------------------------------------------------------

    def same_in(self, value: Value, block: Block) -> bool:
        """Whether the lanes of a tangle in `block` that are in one group hold the same `value`."""
        return self._same_at(value, block, self.places.of[block])

    def _same_at(self, value: Value, block: Block | None, place: Element | None) -> bool:
        """The same right inside the element `place` (None: after the function has returned)."""
        if value in self.differing or value in self.known.undefined:
            return False
        if not isinstance(value, Instr) or value.block is None or value.block is block:
            return True  # a global, a parameter, or of the same block: the lanes were together when they got it
        origin = value.block
        current: Element | None = self.places.of[origin]
        met = -1  # the outermost element that was left by lanes meeting after it
        while current is not None and not (place is not None and current.holds(place)):
            if current.apart:
                return False
            if current.merged:
                met = current.index
            current = current.parent
        return met < 0 or self.control.several.get(origin, 0) <= met

    # --- one instruction ----------------------------------------------------------------------------------------------

    def _same(self, instr: Instr, block: Block) -> bool:
        if instr.op == op.Phi:
            return self._same_phi(instr, block)

        def same(value: Value) -> bool:
            return self.same_in(value, block)

        if instr.op == op.FunctionCall:
            return self._same_call(instr, same)
        return same_result(instr, self.known.memory, same)

    def _same_call(self, instr: Instr, same: Callable[[Value], bool]) -> bool:
        callee = instr.operands[0]
        summary = self.known.summaries.get(callee) if isinstance(callee, Function) else None
        if summary is None:
            return False
        return summary.always_same or (summary.same_if_same and same_operands(instr, 1, same))

    def _same_phi(self, phi: Instr, block: Block) -> bool:
        """By how lanes come together at the block: after a join from several sides, otherwise from one at a time."""
        control = self.control
        values: list[Value] = []
        sources: list[Block] = []
        for index in range(0, len(phi.operands) - 1, 2):
            source = phi.operands[index + 1]
            if isinstance(source, Block) and control.reached(source):
                values.append(phi.value(index))
                sources.append(source)
        several_values = any(value is not values[0] for value in values)
        place = self.places.of[block]
        region = block.region
        previous = block.prev
        if region is None:  # flat: whether it is a join isn't known
            return not several_values and all(self.same_in(value, block) for value in values)
        join = -1  # the index of the element whose lanes meet here
        edges = [control.after(source) for source in sources]
        if isinstance(previous, Construct):
            if previous.merged:
                join = self.places.element[previous].index
        elif previous is None and isinstance(region.owner, Loop) and region is region.owner.continuing:
            join = place.index
        elif previous is None and isinstance(region.owner, Case):
            return self._same_case_phi(region.owner, values, sources, several_values)
        if join < 0:  # each tangle comes from one side
            return all(self.same_in(value, source) for value, source in zip(values, sources, strict=True))
        if several_values and any(edge > join for edge in edges):
            return False
        return all(self._same_at(value, block, place) for value in values)

    def _same_case_phi(self, case: Case, values: list[Value], sources: list[Block], several_values: bool) -> bool:
        """At a label, lanes that are sent there may meet those that fall through to it, or not."""
        around = self.places.element[case.switch]
        if several_values and any(along > around.index for _, along in self.control.case_edges(case)):
            return False
        for value, source in zip(values, sources, strict=True):
            if not self.same_in(value, source):
                return False
            if isinstance(value, Instr) and value.block is not None and around.holds(self.places.of[value.block]):
                if self.control.several.get(value.block, 0) > around.index:
                    return False
                if not self._same_at(value, None, around.parent):
                    return False
        return True

    # --- results ------------------------------------------------------------------------------------------------------

    def same_result(self) -> bool:
        """Whether lanes that called together get the same value back."""
        values: list[Value] = []
        partial = False
        for block in self.control.several:
            jump = block.jump
            if isinstance(jump, Exit) and jump.instr.op == op.ReturnValue:
                values.append(jump.instr.value(0))
                partial = partial or self.control.after(block) > 0
        if partial and any(value is not values[0] for value in values):
            return False
        return all(self._same_at(value, None, None) for value in values)

    def exits_apart(self, loop: Loop) -> bool:
        """Whether lanes that enter a loop together may leave it in different iterations."""
        element = self.places.element[loop]
        assert element.kind == LOOP
        return element.apart
