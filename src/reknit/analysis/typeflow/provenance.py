"""Why a type can come to a value: the path from where it is made, across functions and their contexts.

    func @main:  %e = MakeExistential %a, %WA         made in main
                 Store %f, %e ... %1 = Load %f        read from f
                 FunctionCall @run, %1                argument of run
    func @run:   CallDynamic by %obj's table          <- asked from here, back to where it is made, by the shortest path

What is followed are tables, as bits of their interface, all at once; where one is looked up in another (an associated
type, a base interface) the bit becomes one of that other's.
"""

from collections import deque
from typing import final

from reknit.analysis.typeflow.access_paths import CELL, LOCAL, spot_of
from reknit.analysis.typeflow.context import Context, info_at
from reknit.analysis.typeflow.lattice import Forms, Info, part_of
from reknit.analysis.typeflow.solve import TypeFlow
from reknit.ir import op
from reknit.ir.callables import base_and_bound, is_direct
from reknit.ir.dispatch import conforming_type, entry_of, is_payload
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.locate import place_of
from reknit.ir.text.line import Writer
from reknit.ir.value import Value
from reknit.ir.walk import blocks, instructions
from reknit.source.meter import spend
from reknit.source.place import Place

Node = tuple[Context, Value]
Spot = tuple[Context, Value, int]
"""A value in a context, and the tables that are asked for."""

INNER = ""
"""What is said of a step that is not in the source: a table is taken out of its existential."""


@final
class Step:
    """One stage of the path of a value: what happens, and where."""

    __slots__ = ("what", "place")

    def __init__(self, what: str, place: Place | None) -> None:
        self.what = what
        self.place = place

    def __str__(self) -> str:
        if self.place is None or self.place.line <= 0:
            return self.what
        return f"{self.what} ({self.place.line}:{self.place.column})"


@final
class Provenance:
    """The paths on which values come to be, in one program."""

    __slots__ = ("flow", "forms", "callers", "stores", "given", "boxed", "bound")

    def __init__(self, flow: TypeFlow) -> None:
        self.flow = flow
        self.forms: Forms = flow.forms
        self.callers: dict[Context, list[tuple[Context, Instr]]] = {}
        self.stores: dict[tuple[Context, Value], list[Instr]] = {}
        self.given: dict[tuple[Context, Value], list[tuple[Instr, Context, Instr]]] = {}
        self.boxed: dict[Value, list[tuple[Context, Value, Instr]]] = {}  # by type, what objects are made of
        self.bound: dict[Function, list[tuple[Context, Instr]]] = {}  # where tables are bound to generics
        for context in flow.contexts:
            for call, callees in context.calls.items():
                for callee in callees.values():
                    self.callers.setdefault(callee, []).append((context, call))
                    self._note_given(context, call, callee)
            for instr in instructions(context.function):
                if instr.op == op.Store and isinstance(instr.operands[0], Instr):
                    root = spot_of(instr.value(0)).root
                    self.stores.setdefault((context, root), []).append(instr)
                elif instr.op == op.Specialize and isinstance(instr.operands[0], Function):
                    self.bound.setdefault(instr.operands[0], []).append((context, instr))
                elif instr.op == op.MakeExistential and isinstance(instr.operands[0], Instr):
                    value = instr.instr(0)
                    if value.type is not None:
                        self.boxed.setdefault(value.type, []).append((context, value, instr))

    def _note_given(self, context: Context, call: Instr, callee: Context) -> None:
        """Pointers that a call passes on."""
        for param in callee.function.params:
            argument = argument_of(callee.function, param, call)
            if param.type is not None and param.type.op == op.TypePointer and isinstance(argument, Instr):
                self.given.setdefault((context, spot_of(argument).root), []).append((call, callee, param))

    def paths(self, context: Context, value: Value, mask: int) -> dict[int, list[Step]]:
        """For each bit of `mask` the steps from where it is made to `value`, in order. Costs about what is passed once,
        however many bits there are."""
        steps_by_bit = _Search(self, context, value, mask).steps
        for bit in bits_of(mask):
            if bit not in steps_by_bit:  # two of them may go through one table
                alone = _Search(self, context, value, bit)
                steps_by_bit[bit] = alone.steps.get(bit) or [self._outside(list(alone.arrived))]
        return steps_by_bit

    def _outside(self, passed: list[Node]) -> Step:
        """What is said where no path leads to where something is made."""
        for _, value in passed:
            if isinstance(value, Instr) and value.op == op.FunctionParameter and value.type is not None:
                type = value.type.instr(1) if value.type.op == op.TypePointer else value.type
                if type in self.flow.public:
                    return Step(f"inside of {type_name(type)}, values of which come from outside", None)
        return Step("on a path that isn't followed", None)

    def _contents(self, context: Context, root: Instr, mask: int, load: Instr | None) -> list[tuple[Spot, Step]]:
        """What is stored to a variable that `load` reads, or a callee or caller that has it: here, by functions that it
        is given to, by the callers that gave it."""
        name = root.name or "a variable"
        read = INNER if load is None else f"read from {name}"
        place = None if load is None else place_of(load, self.flow.module)
        stored: list[tuple[Spot, Step]] = []
        for store in self.stores.get((context, root), []):
            stored.append(((context, store.value(1), mask), Step(read, place)))
        for call, callee, param in self.given.get((context, root), []):
            step = Step(f"stored to {name} by {name_of(callee.function)}", place_of(call, self.flow.module))
            stored.append(((callee, param, mask), step))
        for caller, call in self.callers.get(context, []) if root.op == op.FunctionParameter else []:
            argument = argument_of(context.function, root, call)
            if opens(root, argument):
                assert root.type is not None
                stored.extend(self._inside(root.type.instr(1), mask))
            elif isinstance(argument, Instr):
                stored.append(((caller, spot_of(argument).root, mask), Step(read, place)))
        return stored

    def _bound(self, function: Function, param: Instr, mask: int) -> list[tuple[Spot, Step]]:
        """The tables that a generic which comes as a value is bound to, wherever that is done."""
        index = function.params.index(param) + 1
        what = f"bound to {name_of(function)}"
        return [
            ((context, specialization.value(index), mask), Step(what, place_of(specialization, self.flow.module)))
            for context, specialization in self.bound.get(function, [])
            if index < len(specialization.operands)
        ]

    def _inside(self, type: Instr, mask: int) -> list[tuple[Spot, Step]]:
        """What is inside of objects of a type, wherever they are made."""
        return [
            ((context, value, mask), Step(f"kept in {type_name(type)}", place_of(boxing, self.flow.module)))
            for context, value, boxing in self.boxed.get(type, [])
        ]

    def possible(self, spot: Spot) -> int:
        """Which of the tables it may be."""
        context, value, mask = spot
        if isinstance(value, Instr) and value.type is not None and value.type.op == op.TypePointer:
            return mask  # what is stored there is asked
        return mask & all_bits(info_at(context, self.forms, value, None))

    def origin(self, context: Context, value: Value) -> Step | None:
        if isinstance(value, Function):
            return Step("the function that is named", None)
        if not isinstance(value, Instr):
            return None
        place = place_of(value, self.flow.module)
        if value.op == op.MakeExistential and isinstance(value.operands[1], Instr):
            return Step(f"made in {name_of(context.function)}", place) if value.instr(1).op == op.WitnessTable else None
        if value.op == op.WitnessTable:
            return Step("the type that is named", None)
        is_callable = value.type is not None and value.type.op == op.TypeFunction
        if is_callable and value.op in (op.LookupWitness, op.Specialize):
            return Step(f"looked up in {name_of(context.function)}", place)
        if value.op == op.FunctionParameter and context not in self.callers:
            return Step(f"given to {name_of(context.function)} from outside", None)
        if value.op == op.CreateExistentialObject:
            return Step(f"made from an id in {name_of(context.function)}", place)
        if value.op == op.Load:
            spot = spot_of(value.value(0))
            if spot.kind not in (LOCAL, CELL):
                return Step(f"read from {spot.root.name or 'storage'}, which others can write to", place)
        return None

    def sources(self, context: Context, value: Value, mask: int) -> list[tuple[Spot, Step]]:
        spots: list[tuple[Spot, Step]] = []
        if not isinstance(value, Instr):
            return spots
        place = place_of(value, self.flow.module)
        if value.type is not None and value.type.op == op.TypePointer:
            return self._contents(context, value, mask, None)
        if value.op == op.FunctionParameter:
            spots.extend(self._bound(context.function, value, mask))
            for caller, call in self.callers.get(context, []):
                argument = argument_of(context.function, value, call)
                if opens(value, argument):
                    assert value.type is not None
                    spots.extend(self._inside(value.type, mask))
                elif argument is not None:
                    step = Step(f"argument of {name_of(context.function)}", place_of(call, self.flow.module))
                    spots.append(((caller, argument, mask), step))
        elif value.op in (op.FunctionCall, op.CallDynamic):
            for callee in context.calls.get(value, {}).values():
                for result in results_of(callee.function):
                    spots.append(((callee, result, mask), Step(f"result of {name_of(callee.function)}", place)))
        elif value.op == op.Load:
            spot = spot_of(value.value(0))
            for owner in self.flow.contexts if spot.kind == CELL else [context]:
                spots.extend(self._contents(owner, spot.root, mask, value))
        elif value.op == op.LookupWitness:
            spots.extend(self._outer(value, context, mask))
        elif value.op == op.MakeExistential:
            spots.append(((context, value.value(1), mask), Step(f"made in {name_of(context.function)}", place)))
        else:
            what = "chosen" if value.op in (op.Phi, op.Select) else INNER
            for operand in value.operands:
                if isinstance(operand, (Instr, Function)):
                    spots.append(((context, operand, mask), Step(what, place)))
        return spots

    def _outer(self, lookup: Instr, context: Context, mask: int) -> list[tuple[Spot, Step]]:
        """The tables in which one looks the asked ones up, each by itself: `inner_bit` tells what it has."""
        source = lookup.instr(0)
        if lookup.type is None or source.type is None:
            return []
        outer = self.forms.universe.of(source.type)
        known = info_at(context, self.forms, source, None)
        name, _, _ = lookup.instr(1).text(0).partition(":")
        spots: list[tuple[Spot, Step]] = []
        for table in outer.members(known if isinstance(known, int) else 0):
            if self.inner_bit(lookup, outer.bits[table]) & mask:
                what = INNER if name == "base" else f"{name} of {type_name(conforming_type(table))}"
                spots.append(((context, source, outer.bits[table]), Step(what, None)))
        return spots

    def inner_bit(self, lookup: Instr, bit: int) -> int:
        """The bit of the table that is looked up in another; 0 for none."""
        source = lookup.instr(0)
        assert lookup.type is not None and source.type is not None
        for table in self.forms.universe.of(source.type).members(bit):
            entry = entry_of(table, lookup.value(1))
            return self.forms.universe.of(lookup.type).bits.get(entry, 0) if entry is not None else 0
        return 0


@final
class _Search:
    """One search, nearest first. `arrived` are the bits that came to each value, `origins` from where, and as which bit
    where that is another."""

    __slots__ = ("provenance", "start", "mask", "arrived", "origins", "steps")

    def __init__(self, provenance: Provenance, context: Context, value: Value, mask: int) -> None:
        self.provenance = provenance
        self.start: Node = (context, value)
        self.mask = mask
        self.arrived: dict[Node, int] = {self.start: mask}
        self.origins: dict[Node, list[tuple[int, Node, Step]]] = {}
        self.steps: dict[int, list[Step]] = {}
        work = deque([(context, value, mask)])
        while work:
            spend(1)
            here = work.popleft()
            origin = provenance.origin(here[0], here[1])
            if origin is not None:
                self._end(origin, here)
                continue
            for source, step in provenance.sources(here[0], here[1], here[2]):
                node = (source[0], source[1])
                bits = provenance.possible(source) & ~self.arrived.get(node, 0)
                if bits:
                    self.arrived[node] = self.arrived.get(node, 0) | bits
                    self.origins.setdefault(node, []).append((bits, (here[0], here[1]), step))
                    work.append((source[0], source[1], bits))

    def _end(self, first_step: Step, spot: Spot) -> None:
        """Each bit that is made here: the path back to where it was asked for."""
        for first in bits_of(spot[2]):
            bit = first
            node: Node = (spot[0], spot[1])
            steps = [first_step]
            while node != self.start or not bit & self.mask:
                _, after, step = next(origin for origin in self.origins[node] if origin[0] & bit)
                if isinstance(after[1], Instr) and after[1].op == op.LookupWitness:
                    bit = self.provenance.inner_bit(after[1], bit)
                if step.what != INNER:
                    steps.append(step)
                node = after
            self.steps.setdefault(bit, steps)


def type_name(type: Instr) -> str:
    return type.name or Writer(None).value(type)


def name_of(function: Function) -> str:
    return function.name or f"%{function.id}"


def has_bit(info: Info, bit: int) -> bool:
    """Whether a set, or one in a composite, has a bit."""
    return bool(all_bits(info) & bit)


def all_bits(info: Info) -> int:
    """The bits of a set, or of those in a composite. Types nest a few levels."""
    if isinstance(info, int) or info is None:
        return info or 0
    bits = 0
    for index in range(len(info)):
        bits |= all_bits(part_of(info, index))
    return bits


def bits_of(mask: int) -> list[int]:
    """Each bit of a mask, the lowest first."""
    bits: list[int] = []
    while mask:
        lowest = mask & -mask
        bits.append(lowest)
        mask ^= lowest
    return bits


def opens(param: Instr, argument: Value | None) -> bool:
    """Whether a parameter has what is inside of an existential: its function knows the type, the caller doesn't."""
    if not isinstance(argument, Instr) or argument.type is None or param.type is None:
        return False
    given, wanted = argument.type, param.type
    if given.op == op.TypePointer and wanted.op == op.TypePointer:
        given, wanted = given.instr(1), wanted.instr(1)
    return is_payload(given) and not is_payload(wanted)


def argument_of(function: Function, param: Instr, call: Instr) -> Value | None:
    """What a call gives for a parameter: bound tables come before the arguments. None for what was bound to a function
    that came as a value."""
    callable = call.value(0)
    if not is_direct(callable):
        index = function.params.index(param) - (len(function.params) - len(call.operands) + 1)
        return call.value(index + 1) if index >= 0 else None
    _, bound = base_and_bound(callable)
    arguments = [*bound, *[call.value(index) for index in range(1, len(call.operands))]]
    index = function.params.index(param)
    return arguments[index] if index < len(arguments) else None


def results_of(function: Function) -> list[Value]:
    results: list[Value] = []
    for block in blocks(function):
        if isinstance(block.jump, Exit) and block.jump.instr.op == op.ReturnValue:
            results.append(block.jump.instr.value(0))
    return results
