"""One function that dispatches, for all sites that dispatch alike.

    128 sites of IFoo.foo over {WA, WB}   =>   func @dispatch_foo(tag, payload, v) {
                                                 switch tag { case 0: A_foo(unpack payload, v)
                                                              default: B_foo(unpack payload, v) } }

It is known by requirement, set of tables, functions and types. All lanes of one tag call together and all meet after
the switch, so that a call of it has the tangles of the dynamic call. The set is closed: its last case is the default.
"""

from typing import final

from reknit.analysis.typeflow.lattice import Info, join
from reknit.ir import op
from reknit.ir.build import Builder, new_function
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import pointer_type
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.function_copies import Body
from reknit.passes.dispatch.results import return_results
from reknit.passes.dispatch.shapes import Shapes
from reknit.passes.dispatch.unbounded import call_unbounded
from reknit.passes.variables import local_variable


@final
class Callee:
    """A function to call, and the types that it takes and gives. `body` is None for one with nothing dynamic in it."""

    __slots__ = ("function", "params", "result", "body")

    def __init__(self, function: Function, body: Body | None) -> None:
        self.function = function if body is None else body.function
        self.params: list[Instr] = []
        for param in function.params:
            assert param.type is not None
            self.params.append(param.type)
        self.result = function.result
        if body is not None:
            self.params = body.params
            self.result = body.result
        self.body = body

    def given(self, index: int) -> Info:
        """What parameter `index` may be."""
        return self.body.context.infos.get(self.body.context.function.params[index]) if self.body is not None else None


@final
class Dispatchers:
    __slots__ = ("shapes", "known", "functions")

    def __init__(self, shapes: Shapes) -> None:
        self.shapes = shapes
        self.known: dict[tuple[object, ...], Callee] = {}
        self.functions: list[Function] = []

    def of(
        self, key: Instr, tag: Instr, callees: list[Callee], declared: list[Instr], unknown: Instr | None = None
    ) -> Callee:
        """The dispatcher over the elements of `tag`'s set. `declared` are the requirement's result and parameters,
        `unknown` is its type if a table may come that the program doesn't know."""
        signature = (key, tag, tuple([callee.function for callee in callees]), tuple(declared))
        dispatcher = self.known.get(signature)
        if dispatcher is None:
            dispatcher = self._make(key, tag, callees, declared, unknown)
            self.known[signature] = dispatcher
        return dispatcher

    def _make(
        self, key: Instr, tag: Instr, callees: list[Callee], declared: list[Instr], unknown: Instr | None
    ) -> Callee:
        shapes = self.shapes
        module = shapes.module
        params = [tag]
        for index in range(len(declared) - 1):
            types = [callee.params[index] for callee in callees]
            infos = [callee.given(index) for callee in callees]
            params.append(self.common(declared[index + 1], types, infos))
        results = [callee.body.context.result if callee.body is not None else None for callee in callees]
        result = self.common(declared[0], [callee.result for callee in callees], results)
        names = ["tag", *[f"p{index}" for index in range(len(declared) - 1)]]
        function = new_function(
            module, f"dispatch_{key.name or key.text(0)}", result, list(zip(names, params, strict=True))
        )
        self.functions.append(function)
        builder = Builder(module, function.entry())
        switch = builder.open_switch(function.params[0])
        ends: list[Operand] = []
        for place, callee in enumerate(callees):
            last = place == len(callees) - 1 and unknown is None
            case = builder.add_case(switch, [] if last else [place], last)
            block = case.region.entry()
            value = call(Caster(module, block, None), function, callee, function.params[1:])
            if result.op != op.TypeVoid:
                ends.extend([Caster(module, block, None).cast(value, result), block])
        if unknown is not None:
            block = builder.add_case(switch, [], True).region.entry()
            caster = Caster(module, block, None)
            ends.extend([call_unbounded(caster, function.params[0], unknown, key, function.params[1:], result), block])
        return_results(module, function, switch, ends)
        survey = Callee(function, None)
        return survey

    def common(self, declared: Instr, types: list[Instr], infos: list[Info]) -> Instr:
        """A type that all of `types` can be cast to and from. What a union holds has the form that it has in places,
        also where a callee takes it in a narrower one: payloads are reinterpreted, not converted."""
        shapes = self.shapes
        if declared.op == op.TypePointer:
            inner = self.common(declared.instr(1), [type.instr(1) for type in types], infos)
            return pointer_type(shapes.module, declared.word(0), inner)
        if declared.op in (op.TypeThis, op.TypeAssociated):
            universe = shapes.flow.forms.universe
            mask = 0
            for type in types:
                inside = type.operands if type.op == op.TypeUntaggedUnion else [type]
                for part in inside:
                    assert isinstance(part, Instr)
                    mask |= universe.type_bit(shapes.bases.get(part, part))
            return shapes.union(mask)
        known: Info = None
        for info in infos:
            known = join(known, info)
        return shapes.of_value(declared, known) if known else shapes.lift(declared)


def call(caster: Caster, function: Function, callee: Callee, arguments: list[Instr]) -> Instr:
    """A call with each argument as the callee takes it. What it is given by pointer in another form is copied in and
    out."""
    module = caster.module
    operands: list[Operand] = [callee.function]
    back: list[tuple[Instr, Instr]] = []
    for argument, wanted in zip(arguments, callee.params, strict=True):
        given = argument.type
        assert given is not None
        if wanted.op != op.TypePointer:
            operands.append(caster.cast(argument, wanted))
        elif given is wanted:
            operands.append(argument)
        else:
            place = local_variable(function, module, wanted.instr(1), "")
            value = caster.emit(op.Load, given.instr(1), [argument])
            caster.emit(op.Store, None, [place, caster.cast(value, wanted.instr(1))])
            operands.append(place)
            back.append((place, argument))
    result = caster.emit(op.FunctionCall, callee.result, operands)
    for place, argument in back:
        assert place.type is not None and argument.type is not None
        value = caster.emit(op.Load, place.type.instr(1), [place])
        caster.emit(op.Store, None, [argument, caster.cast(value, argument.type.instr(1))])
    return result
