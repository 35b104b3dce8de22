"""Numbers to numbers: a tag as that of another set, a tag to a sequential id and back.

    0 1 2 -> 0 1 2      the tag itself              0 1 -> 1 2        tag + 1
    0 1   -> 0 3        tag == 1 ? 3 : 0          all others      a function with a switch

The domain is closed, so the last case is the default; sequential ids come from outside, and one that no table has
counts as the largest that is known, unless the set has an element for what the program doesn't know.
"""

from collections.abc import Callable
from typing import Final, final

from reknit.ir import op
from reknit.ir.build import Builder, new_function
from reknit.ir.callables import identity, place_in
from reknit.ir.constants import int_constant
from reknit.ir.dispatch import NO_ID, sequential_id
from reknit.ir.dispatch_sets import elements_of
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import bool_type
from reknit.ir.value import Value
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.layouts import Layouts
from reknit.passes.dispatch.results import return_results


@final
class Tags:
    __slots__ = ("layouts", "functions", "known", "identities")

    def __init__(self, layouts: Layouts) -> None:
        self.layouts = layouts
        self.known: dict[Instr, dict[Instr, int]] = {}
        self.identities: dict[Instr, dict[object, int]] = {}
        self.functions: dict[tuple[tuple[int, int], ...], Function] = {}

    def number(self, value: int) -> Instr:
        return int_constant(self.layouts.module, self.layouts.u32, value)

    def map(self, caster: Caster, value: Instr, pairs: list[tuple[int, int]]) -> Instr:
        """`value`, which is one of the first numbers, as the second one. The last pair is for all others, too."""
        u32 = self.layouts.u32
        results = list(dict.fromkeys([result for _, result in pairs]))
        if len(results) == 1:
            return self.number(results[0])
        differences = list(dict.fromkeys([result - number for number, result in pairs]))
        if len(differences) == 1 and pairs[-1][0] != ALL_OTHERS:
            if differences[0] == 0:
                return value
            return caster.emit(op.IAdd, u32, [value, self.number(differences[0])])
        if len(pairs) == 2:
            same = caster.emit(op.IEqual, bool_type(self.layouts.module), [value, self.number(pairs[0][0])])
            return caster.emit(op.Select, u32, [same, self.number(pairs[0][1]), self.number(pairs[1][1])])
        return caster.emit(op.FunctionCall, u32, [self.function(pairs), value])

    def function(self, pairs: list[tuple[int, int]]) -> Function:
        key = tuple(pairs)
        known = self.functions.get(key)
        if known is not None:
            return known
        module = self.layouts.module
        u32 = self.layouts.u32
        function = new_function(module, f"map_tag_{len(self.functions)}", u32, [("tag", u32)])
        self.functions[key] = function
        builder = Builder(module, function.entry())
        switch = builder.open_switch(function.params[0])
        operands: list[Operand] = []
        for place, (number, result) in enumerate(pairs):
            last = place == len(pairs) - 1
            case = builder.add_case(switch, [] if last else [number], last)
            operands.extend([self.number(result), case.region.entry()])
        return_results(module, function, switch, operands)
        return function

    def places(self, members: Instr) -> dict[Instr, int]:
        """The tag of each element of a set."""
        places = self.known.get(members)
        if places is None:
            places = {element: place for place, element in enumerate(elements_of(members))}
            self.known[members] = places
        return places

    # --- what is mapped -----------------------------------------------------------------------------------------------

    def between(self, source: Instr, target: Instr, key: Value | None) -> list[tuple[int, int]]:
        """From the tags of one set to those of another: of the same element, or of its entry for `key`."""
        return self.led(source, target, lambda element: identity(element, key))

    def led(self, source: Instr, target: Instr, wanted: Callable[[Instr], object]) -> list[tuple[int, int]]:
        """From the tags of one set to those of another: of what each element leads to."""
        places = self.identities.get(target)
        if places is None:
            places = {identity(each): at for at, each in enumerate(elements_of(target))}
            self.identities[target] = places
        return self.led_to(source, places, wanted)

    def led_to(
        self, source: Instr, places: dict[object, int], wanted: Callable[[Instr], object]
    ) -> list[tuple[int, int]]:
        """What has no place there can't come."""
        pairs: list[tuple[int, int]] = []
        for place, element in enumerate(elements_of(source)):
            at = place_in(places, wanted(element))
            if at is not None:
                pairs.append((place, at))
        return pairs or [(0, 0)]

    def to_id(self, members: Instr) -> list[tuple[int, int]]:
        return [(place, id_of(element)) for place, element in enumerate(elements_of(members))]

    def from_id(self, members: Instr) -> list[tuple[int, int]]:
        known: dict[int, int] = {}
        others: list[tuple[int, int]] = []
        for place, element in enumerate(elements_of(members)):
            if element.op == op.WitnessUnbounded:
                others = [(ALL_OTHERS, place)]
            else:
                known.setdefault(id_of(element), place)
        pairs = sorted(known.items())
        if others:
            return pairs + others
        largest = [pair for pair in pairs if pair[0] != NO_ID][-1:] or pairs[-1:]
        return [pair for pair in pairs if pair not in largest] + largest


ALL_OTHERS: Final = NO_ID - 1
"""Stands for all ids that no table of the program has."""


def id_of(element: Instr) -> int:
    return sequential_id(element) if element.op == op.WitnessTable else NO_ID
