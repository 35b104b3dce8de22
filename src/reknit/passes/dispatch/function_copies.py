"""One function for each context in which a function is called, where that makes a difference.

    run in contexts {WA, WB}, {WB} and {WB} again      @run for {WA, WB}, @run_1 for {WB}

Contexts in which everything known is the same share a body; so do those that differ in constants alone.
"""

from typing import final

from reknit.analysis.typeflow.context import Context
from reknit.analysis.typeflow.solve import TypeFlow
from reknit.ir.clone import clone_function
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.passes.dispatch.contents import contents
from reknit.passes.dispatch.shapes import Shapes
from reknit.source.meter import spend


@final
class Body:
    """`old` leads from what is in `function` to what the analysis knew it as. `params` and `result` are types."""

    __slots__ = ("context", "function", "old", "params", "result")

    def __init__(self, context: Context, shapes: Shapes) -> None:
        self.context = context
        self.function = context.function
        self.old: dict[Value, Value] = {}
        forms = shapes.flow.forms
        self.params: list[Instr] = []
        for param in context.function.params:
            assert param.type is not None
            info = context.infos.get(param) if forms.of(param.type) is not None else None
            self.params.append(shapes.of_value(param.type, info) if info else shapes.lift(param.type))
        result = context.function.result
        self.result = shapes.of_value(result, context.result) if context.result else shapes.lift(result)

    def original(self, value: Value) -> Value:
        return self.old.get(value, value)


@final
class Bodies:
    """The body of each context."""

    __slots__ = ("flow", "of", "all")

    def __init__(self, module: Module, flow: TypeFlow, shapes: Shapes) -> None:
        self.flow = flow
        self.of: dict[Context, Body] = {}
        self.all: list[Body] = []
        known: dict[tuple[object, ...], Body] = {}
        for context in callees_first(flow.contexts):
            signature = self._signature(context)
            body = known.get(signature)
            if body is None:
                body = Body(context, shapes)
                known[signature] = body
                self.all.append(body)
            self.of[context] = body
        self._clone(module)

    def _signature(self, context: Context) -> tuple[object, ...]:
        """What a body is made from: the same means the same code."""
        calls: list[object] = []
        for call, callees in context.calls.items():
            calls.append((call, *[(table, self.of.get(callee)) for table, callee in callees.items()]))
        return (
            context.function,
            tuple(sorted_items(context)),
            tuple(context.envs),
            frozenset(context.sites.items()),
            frozenset(context.edges),
            frozenset(calls),
            context.result,
            tuple([contents(self.flow, context, root) for root in self.flow.facts.of(context.function).roots]),
        )

    def _clone(self, module: Module) -> None:
        """A function of its own for every body but the last of each function, which takes the function itself."""
        by_function: dict[Function, list[Body]] = {}
        for body in self.all:
            by_function.setdefault(body.context.function, []).append(body)
        for function, several in by_function.items():
            for number, body in enumerate(several[:-1], 1):
                body.function = clone_function(module, function, f"{function.name}_{number}" if function.name else "")
                body.old = pair_up(body.function, function)


def sorted_items(context: Context) -> list[tuple[int, object]]:
    """Infos in an order that doesn't depend on when they were found."""
    place: dict[Value, int] = {param: index for index, param in enumerate(context.function.params)}
    for block in blocks(context.function):
        for instr in block:
            place[instr] = len(place)
    return sorted([(place[value], info) for value, info in context.infos.items()], key=lambda item: item[0])


def pair_up(copy: Function, function: Function) -> dict[Value, Value]:
    """What is in a clone -> what it is a clone of."""
    pairs: dict[Value, Value] = dict(zip(copy.params, function.params, strict=True))
    for new, old in zip(blocks(copy), blocks(function), strict=True):
        pairs[new] = old
        pairs.update(zip(new, old, strict=True))
    return pairs


def callees_first(contexts: list[Context]) -> list[Context]:
    """Contexts so that each comes after those it calls."""
    done: dict[Context, None] = {}
    for start in contexts:
        work: list[tuple[Context, bool]] = [(start, False)]
        while work:
            spend(1)
            context, expanded = work.pop()
            if context in done:
                continue
            if expanded:
                done[context] = None
                continue
            work.append((context, True))
            for callees in context.calls.values():
                work.extend([(callee, False) for callee in callees.values() if callee not in done])
    return list(done)
