"""The values of one function: which may differ between lanes of a tangle that are in one group.

    all values are the same ──▶ go over control ──▶ go over instructions ──▶ something differs now? ── again
                                                                          └─ no: what is left is the same

A value that is the same where it is defined may differ where it is used: lanes that left a loop in different iterations
bring different ones (*temporal divergence*), and so do tangles that met only after each had its own. `same_in` decides
this for each use, from where the two blocks stand; nothing has to be in loop-closed form.
What objects in memory hold goes by versions (`contents`), which are values like others: a load is the same if its
pointer and the version are.
Source: D. Sampaio et al., Divergence Analysis, 2013; Mesa's `src_is_divergent` for deciding it per use.
"""

from typing import final

from reknit.analysis.uniformity.alike import are_alike
from reknit.analysis.uniformity.comparisons import Comparisons, orders_integers
from reknit.analysis.uniformity.contents import CALLED, GIVEN, JOINED, Contents, Handed, Version
from reknit.analysis.uniformity.control import Control
from reknit.analysis.uniformity.element_tree import AFTER, ANYHOW, CASE, CONTINUED, NONE, Element, Entry, Places
from reknit.analysis.uniformity.known import Known, Needs, Summary
from reknit.analysis.uniformity.operations import same_operands, same_result
from reknit.analysis.uniformity.parts import Part, Parts, has_undefined
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.tree import If, Loop, Switch
from reknit.ir.value import Value
from reknit.source.meter import spend


@final
class Values:
    """`differing` holds the instructions and parameters that may differ where they are defined. Blocks go by their
    number in the order."""

    __slots__ = (
        "function", "known", "order", "places", "control", "contents", "differing", "whole", "_comparisons",
        "_parts", "_waiting", "_homes", "_versions",
    )  # fmt: skip

    def __init__(
        self,
        function: Function,
        places: Places,
        known: Known,
        differing_parameters: list[Instr],
        holding: dict[Value, None] | None,
        whole: bool,
    ) -> None:
        """`holding`: the objects of the caller that hold what differs; None: all of them do. `whole`: whether all lanes
        of a group come to the function together, if any does."""
        self.function = function
        self.whole = whole
        self.known = known
        self.order = places.order
        self.places = places
        self.differing: dict[Value, None] = {}
        for parameter in differing_parameters:
            if parameter not in known.objects.own[function]:  # one that is an object is nothing but what it holds
                self.differing[parameter] = None
        self._waiting: list[Instr] = []  # what is the same so far, and the blocks where it is
        self._homes: list[int] = []
        self._versions: list[Version] = []
        self.contents: Contents | None = known.contents.of.get(function)
        if self.contents is not None:
            for version in self.contents.versions:
                if self._differs_at_first(version, self.contents, holding):
                    self.differing[version] = None
                elif version.kind != GIVEN:
                    self._versions.append(version)
        ends = [False] * len(self.order.blocks)
        for number, block in enumerate(self.order.blocks):
            if self.order.reached[number]:
                ends[number] = self._look_at(number, block)
        self._parts = Parts(places.order, self.same_in, self._same_join)
        self._comparisons = Comparisons(places, known.ranges.of(function), self.same_in, self._come_alike)
        self.control = Control(places, ends, self.same_in)
        while True:
            spend(1)
            grown = self.control.go_over()
            if not self._go_over() and not grown:
                break

    def _differs_at_first(self, version: Version, contents: Contents, holding: dict[Value, None] | None) -> bool:
        root = version.root
        if root in contents.unknown:
            return True
        if version.kind != GIVEN:
            return False
        if isinstance(root, Instr) and root.block is not None:  # the function's own
            return len(root.operands) < 2 or root.operands[1] in self.known.undefined
        return holding is None or root in holding

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
        same: list[Version] = []
        for version in self._versions:
            if self._same_version(version):
                same.append(version)
            else:
                self.differing[version] = None
        grown = kept < count or len(same) < len(self._versions)
        self._versions = same
        return self._parts.go_over(self.differing) or grown

    # --- one use ------------------------------------------------------------------------------------------------------

    def same_in(self, value: Value, number: int) -> bool:
        """Whether the lanes of a tangle in a block that are in one group hold the same `value`."""
        if not isinstance(value, Instr):
            if value in self.differing or value in self.known.undefined:
                return False
            home_of = self._home(value)
            return home_of < 0 or home_of == number or self._same_at(value, self.places.of[number])
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
        origin = self._home(value)
        return origin < 0 or self._comes_alike(origin, place)

    def _comes_alike(self, origin: int, place: Element | None) -> bool:
        """Whether lanes together at `place` executed a block together the last time."""
        current: Element | None = self.places.of[origin]
        met = -1  # the outermost element that was left by lanes meeting after it
        while current is not None and not (place is not None and current.holds(place)):
            if self.control.apart[current.number]:
                return False
            if current.merged:
                met = current.index
            current = current.parent
        return met < 0 or self.control.several[origin] <= met

    def _come_alike(self, origin: int, number: int) -> bool:
        return origin == number or self._comes_alike(origin, self.places.of[number])

    def _home(self, value: Value) -> int:
        """The number of the block that a value comes from, NONE for what is there from the start."""
        if isinstance(value, Instr):
            return NONE if value.block is None else self.order.number[value.block]
        if isinstance(value, Version):
            return value.home
        return value.home if isinstance(value, Part) else NONE

    def is_whole(self, number: int) -> bool:
        """Whether all lanes of a group execute all of a block together, if any does."""
        control = self.control
        return self.whole and control.several[number] == 0 and control.partial[number] == 0 == control.after(number)

    # --- one instruction ----------------------------------------------------------------------------------------------

    def _same(self, instr: Instr, number: int) -> bool:
        code = instr.op
        if code in traits.SAME:  # most are: `same_result` would say so
            for operand in instr.operands:
                if not isinstance(operand, (int, str)) and not self.same_in(operand, number):
                    if code == op.CompositeExtract:
                        return self._same_part(instr, number)
                    if code == op.CompositeInsert or code == op.VectorShuffle:
                        return self._parts.are_all_same(instr)
                    return orders_integers(code) and self._comparisons.come_out_the_same(instr, number)
            return code != op.VectorShuffle or not has_undefined(instr)
        if code in traits.READS and code in traits.TANGLED:  # by implicit derivatives: those of what is the same are 0
            return self.is_whole(number) and same_operands(instr, 0, lambda value: self.same_in(value, number))
        if code == op.Phi:
            return self._same_phi(instr, number)
        if code == op.FunctionCall:
            summary = self._summary(instr, number)
            if summary is None:
                return False
            return any(self._is_given(instr, number, needs) for needs in summary.result)
        if code == op.Load and self.contents is not None:
            version = self.contents.read.get(instr)
            if version is not None:
                return self.same_in(instr.value(0), number) and self.same_in(version, number)
        if code == op.Load and instr in self.known.shared.loads:
            return self._same_shared(instr, number)
        return same_result(instr, self.known.memory, lambda value: self.same_in(value, number))

    def _same_part(self, extract: Instr, number: int) -> bool:
        """Of a composite that differs: the part that is taken may not."""
        if self.known.memory.same_part(extract):
            return True
        whole = extract.value(0)
        if isinstance(whole, Instr) and whole.type is not None and whole.type.op == op.TypeVector:
            part = self._parts.of(whole, extract.word(1))
            return part is not whole and self.same_in(part, number)
        for at in range(1, len(extract.operands)):
            if not isinstance(whole, Instr) or whole.op != op.CompositeConstruct or whole.block is None:
                return False
            if whole.type is None or whole.type.op == op.TypeVector:
                return False
            home = self.order.number[whole.block]
            whole = whole.value(extract.word(at))
            if self.same_in(whole, home):
                return home == number or self._comes_alike(home, self.places.of[number])
        return False

    def _same_shared(self, load: Instr, number: int) -> bool:
        if not self.same_in(load.value(0), number):
            return False
        if self.known.wide is not None:
            return self.known.wide.holds(load)
        choices = self.known.shared.choices(load)
        for choice in choices if choices is not None else ():
            construct = self.order.blocks[choice].next
            if isinstance(construct, If):
                condition = construct.condition
            elif isinstance(construct, Switch):
                condition = construct.selector
            else:
                return False
            if not self.same_in(condition, choice):
                return False
        return choices is not None

    def _summary(self, call: Instr, number: int) -> Summary | None:
        callee = call.operands[0]
        summary = self.known.summaries.get(callee) if isinstance(callee, Function) else None
        if summary is not None and summary.of_whole is not None and self.is_whole(number):
            return summary.of_whole
        return summary

    def _is_given(self, call: Instr, number: int, needs: Needs) -> bool:
        """Whether a call is given the same by all, as far as it has to be."""
        for index in needs.arguments:
            if not self.same_in(call.value(index + 1), number):
                return False
        for each in self.contents.handed.get(call, ()) if self.contents is not None else ():
            needed = needs.private if each.pointer is None else each.argument in needs.arguments
            if needed and not self.same_handed(each, number):
                return False
        return True

    def same_handed(self, handed: Handed, number: int) -> bool:
        """Whether an object holds the same for all when the callee is entered."""
        if handed.version is None or not self.same_in(handed.version, number):
            return False
        return handed.pointer is None or self.same_in(handed.pointer, number)

    def _same_version(self, version: Version) -> bool:
        """Whether lanes that make a version together hold the same in the object afterwards."""
        number = version.home
        if version.kind == JOINED:
            return self._same_join(list(version.values), version.sources, number)
        instr = version.instr
        assert instr is not None and version.before is not None
        if version.kind == CALLED:
            summary = self._summary(instr, number)
            target = version.target
            if summary is None or target is None:
                return False
            needs = summary.left.get(target)
            if needs is None or not self._is_given(instr, number, needs):
                return False
            pointer = self._pointer_to(instr, target) or version.root
        else:
            if not self.same_in(instr.value(1), number):
                return False
            pointer = instr.value(0)
        if pointer is version.root:
            return True
        return self.same_in(pointer, number) and self.same_in(version.before, number)  # a part of it

    def _pointer_to(self, call: Instr, target: Value) -> Value | None:
        """The argument for a parameter; None where the callee knows the object by name."""
        callee = call.operands[0]
        assert isinstance(callee, Function)
        for index, parameter in enumerate(callee.params):
            if parameter is target:
                return call.value(index + 1)
        return None

    def _same_phi(self, phi: Instr, number: int) -> bool:
        """By how lanes come together at the block: after a join from several sides, otherwise from one at a time."""
        values: list[Value] = []
        sources: list[int] = []
        for index in range(0, len(phi.operands) - 1, 2):
            label = phi.operands[index + 1]
            place = self.order.number[label] if isinstance(label, Block) else NONE
            if place >= 0 and self.order.reached[place]:
                values.append(phi.value(index))
                sources.append(place)
        return self._same_join(values, sources, number)

    def _same_join(self, values: list[Value], sources: list[int], number: int) -> bool:
        """The same of what is brought to a block, each value from one of the sources."""
        control = self.control
        several_values = False
        for value in values:
            if value is not values[0] and not are_alike(values[0], value, self.known.memory.decorations):
                several_values = True
                break
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
            home = self._home(value)
            if home >= 0 and around.holds(self.places.of[home]):
                if self.control.several[home] > around.index:
                    return False
                if not self._same_at(value, around.parent):
                    return False
        return True

    # --- results ------------------------------------------------------------------------------------------------------

    def same_result(self) -> bool:
        """Whether lanes that called together get the same value back."""
        values: list[Value] = []
        sources: list[int] = []
        for number, block in enumerate(self.order.blocks):
            jump = block.jump
            if self.order.reached[number] and isinstance(jump, Exit) and jump.instr.op == op.ReturnValue:
                values.append(jump.instr.value(0))
                sources.append(number)
        return self._same_behind(values, sources)

    def same_left(self) -> dict[Value, None]:
        """The objects of the caller that lanes which called together find with the same in them."""
        same: dict[Value, None] = {}
        for root, rows in self.contents.left.items() if self.contents is not None else ():
            versions: list[Value] = [version for _, version in rows]
            if self._same_behind(versions, [number for number, _ in rows]):
                same[root] = None
        return same

    def _same_behind(self, values: list[Value], sources: list[int]) -> bool:
        """Whether lanes that called together hold the same after it, each value from a block that returns."""
        partial = any(self.control.after(number) > 0 for number in sources)
        if partial and any(value is not values[0] for value in values):
            return False
        return all(self._same_at(value, None) for value in values)

    def exits_apart(self, loop: Loop) -> bool:
        """Whether lanes that enter a loop together may leave it in different iterations."""
        return self.control.apart[self.places.element[loop].number]
