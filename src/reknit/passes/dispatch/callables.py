"""Calls of functions that came as values: by the tag of a set of callables.

    %f = Select %c, %f1, %f2                 %f = Select %c, %t1, %t2 : TypeSetTag {WA.foo, WB.foo, @g}
    %r = CallDynamic %f, %x, 7         =>    %r = FunctionCall @dispatch_callable %f, %x, 7

    several tables bound to one function     one case for all of them, for they run together: the dispatcher goes by
    {twice[WA], twice[WB], @g}               GetTagForGenericSet %f, and GetTagOfBoundTable %f says which table

The cases are those of the dynamic call: lanes are parted by the table that a callable was looked up in, and by its
function.
"""

from typing import final

from reknit.analysis.typeflow.callables import NEVER_SET, NOT_KNOWN, Group
from reknit.ir import op
from reknit.ir.build import Builder, new_function
from reknit.ir.callables import Element, callable_set, element_constant, special
from reknit.ir.dispatch_sets import tag_type
from reknit.ir.instr import Instr, Operand
from reknit.ir.locate import place_of
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.dispatchers import Callee, Dispatchers, call
from reknit.passes.dispatch.results import return_results
from reknit.passes.dispatch.shapes import Shapes
from reknit.passes.dispatch.unbounded import call_unbounded, unbounded_only
from reknit.source.diagnostic import Diagnostic, InputError


@final
class ValueCalls:
    """`known` has the dispatchers, by tag, functions and declared types."""

    __slots__ = ("shapes", "dispatchers", "known")

    def __init__(self, shapes: Shapes, dispatchers: Dispatchers) -> None:
        self.shapes = shapes
        self.dispatchers = dispatchers
        self.known: dict[tuple[object, ...], Callee] = {}

    def target(
        self, instr: Instr, caster: Caster, tag: Instr, type: Instr, info: int, callees: dict[Group, Callee]
    ) -> tuple[Callee | None, list[Instr]]:
        """What a call of the callable with a tag calls, and the arguments that it takes before those of the call."""
        module = self.shapes.module
        if info & NEVER_SET:
            message = "the function that is called here may never have been set"
            raise InputError([Diagnostic("RK2621", message, place_of(instr, module))])
        groups = self.shapes.flow.forms.callables.groups(type, info)
        branches = [(callees[group], elements) for group, elements in groups.items() if group in callees]
        if not branches:
            if info & NOT_KNOWN:
                raise unbounded_only(instr, module)
            return None, []
        elements = [element for _, inside in branches for element in inside]
        narrow = caster.cast(tag, self.tag(type, elements, info & NOT_KNOWN != 0))
        if len(branches) == 1 and not info & NOT_KNOWN:
            callee, inside = branches[0]
            return callee, self.bound(caster, narrow, inside)
        first = [narrow]
        if len(elements) > len(branches):
            chosen = self.tag(type, [inside[0] for _, inside in branches], info & NOT_KNOWN != 0)
            first = [caster.emit(op.GetTagForGenericSet, chosen, [narrow]), narrow]
        types = [each.type for each in first if each.type is not None]
        signature = (*types, *[callee.function for callee, _ in branches], type)
        target = self.known.get(signature)
        if target is None:
            target = self._make(types, branches, type, info & NOT_KNOWN != 0)
            self.known[signature] = target
        return target, first

    def tag(self, type: Instr, elements: list[Element], unbounded: bool) -> Instr:
        """The type of a tag over some callables."""
        module = self.shapes.module
        constants = [element_constant(module, type, element) for element in elements]
        if unbounded:
            constants.append(special(module, op.WitnessUnbounded, type))
        return tag_type(module, callable_set(module, type, constants))

    def bound(self, caster: Caster, tag: Instr, elements: list[Element]) -> list[Instr]:
        """The tags of the tables that are bound to a group of callables."""
        instrs: list[Instr] = []
        for index in range(len(elements[0][2])):
            tables = list(dict.fromkeys([element[2][index] for element in elements]))
            assert tables[0].type is not None
            interface = self.shapes.flow.forms.universe.of(tables[0].type)
            mask = 0
            for table in tables:
                mask |= interface.bits[table]
            type = self.shapes.tag(interface, mask)
            if len(tables) == 1:
                instrs.append(caster.emit(op.GetTagOfElementInSet, type, [tables[0]]))
            else:
                instrs.append(caster.emit(op.GetTagOfBoundTable, type, [tag, index]))
        return instrs

    def _make(
        self, first: list[Instr], branches: list[tuple[Callee, list[Element]]], type: Instr, unbounded: bool
    ) -> Callee:
        """The dispatcher; with `first` begin its parameters: the tag that it goes by, and that of the callable."""
        module = self.shapes.module
        callees = [callee for callee, _ in branches]
        params = list(first)
        names = ["tag", "callable"][: len(first)]
        for index in range(1, len(type.operands)):
            places = [index - 1 + len(inside[0][2]) for _, inside in branches]
            types = [callee.params[place] for callee, place in zip(callees, places, strict=True)]
            infos = [callee.given(place) for callee, place in zip(callees, places, strict=True)]
            params.append(self.dispatchers.common(type.instr(index), types, infos))
            names.append(f"p{index - 1}")
        results = [callee.body.context.result if callee.body is not None else None for callee in callees]
        result = self.dispatchers.common(type.instr(0), [callee.result for callee in callees], results)
        function = new_function(module, "dispatch_callable", result, list(zip(names, params, strict=True)))
        builder = Builder(module, function.entry())
        switch = builder.open_switch(function.params[0])
        ends: list[Operand] = []
        arguments = function.params[len(first) :]
        for place, (callee, inside) in enumerate(branches):
            last = place == len(branches) - 1 and not unbounded
            case = builder.add_case(switch, [] if last else [place], last)
            caster = Caster(module, case.region.entry(), None)
            bound = self.bound(caster, function.params[len(first) - 1], inside)
            value = call(caster, function, callee, [*bound, *arguments])
            if result.op != op.TypeVoid:
                ends.extend([caster.cast(value, result), case.region.entry()])
        if unbounded:
            case = builder.add_case(switch, [], True)
            caster = Caster(module, case.region.entry(), None)
            value = call_unbounded(caster, function.params[0], type, None, arguments, result)
            ends.extend([value, case.region.entry()])
        return_results(module, function, switch, ends)
        return Callee(function, None)
