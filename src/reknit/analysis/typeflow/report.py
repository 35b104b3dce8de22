"""Each dynamic call of a program: the types it can go to, why each can come, and what the call costs.

    shade.slang:12:9  IFoo.foo in run: A, B                        switch of 2, payload 8 bytes
      A   made in main (10:5) -> argument of run -> dispatched on
      B   made in main (11:5) -> ...

Types are followed back from the call to where a value of them is made, by the shortest way.
"""

from collections import deque
from typing import final

from reknit.analysis.typeflow.context import Context, info_at
from reknit.analysis.typeflow.forms import Forms, Info, part_of
from reknit.analysis.typeflow.places import CELL, LOCAL, spot_of
from reknit.analysis.typeflow.solve import TypeFlow, type_flow
from reknit.ir import op
from reknit.ir.any_value import any_layout, interface_sizes
from reknit.ir.dispatch import conforming_type, key_of_callable
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.text.line import Writer
from reknit.ir.value import Value
from reknit.ir.walk import blocks, instructions
from reknit.source.place import Place


@final
class Step:
    """One stage of the way of a value: what happens, and where."""

    __slots__ = ("what", "place")

    def __init__(self, what: str, place: Place | None) -> None:
        self.what = what
        self.place = place


@final
class Site:
    """A dynamic call in one context. `types` are by name, `why` a way for each; `bytes` is what a payload takes."""

    __slots__ = ("context", "call", "interface", "requirement", "types", "why", "bytes")

    def __init__(self, context: Context, call: Instr, interface: str, requirement: str) -> None:
        self.context = context
        self.call = call
        self.interface = interface
        self.requirement = requirement
        self.types: list[str] = []
        self.why: dict[str, list[Step]] = {}
        self.bytes = 0

    def cost(self) -> str:
        if not self.types:
            return "never called"
        if len(self.types) == 1:
            return "direct call"
        return f"switch of {len(self.types)}, payload {self.bytes} bytes"


def dispatch_sites(module: Module, flow: TypeFlow | None = None) -> list[Site]:
    """The sites of a program in order of contexts. `module` must not have been specialized yet."""
    known = flow if flow is not None else type_flow(module)
    tracer = _Tracer(known)
    found: list[Site] = []
    for context in known.contexts:
        for block in blocks(context.function):
            for instr in block:
                if instr in context.sites:
                    found.append(_site(known, tracer, context, instr))
    return found


def _site(flow: TypeFlow, tracer: "_Tracer", context: Context, call: Instr) -> Site:
    key = key_of_callable(call.value(0))
    assert key is not None and key.type is not None
    interface = flow.forms.universe.of(key.type)
    site = Site(context, call, key.type.text(0), key.text(0))
    table = table_of(call)
    typed = {known: each.tables for known, each in flow.forms.universe.interfaces.items() if isinstance(known, Instr)}
    sizes, _ = interface_sizes(typed)
    for member in interface.members(context.sites[call]):
        name = type_name(conforming_type(member))
        site.types.append(name)
        site.bytes = max(site.bytes, any_layout(conforming_type(member), sizes).size)
        site.why[name] = tracer.way(context, table, interface.bits[member])
    return site


def table_of(call: Instr) -> Instr:
    """The table that a dynamic call looks its function up in."""
    callable = call.value(0)
    while isinstance(callable, Instr) and callable.op == op.Specialize:
        callable = callable.value(0)
    assert isinstance(callable, Instr)
    return callable.instr(0)


def type_name(type: Instr) -> str:
    return type.name or Writer(None).value(type)


@final
class _Tracer:
    """Ways back from a value to where it is made, across the contexts of a program."""

    __slots__ = ("flow", "forms", "callers", "stores", "given")

    def __init__(self, flow: TypeFlow) -> None:
        self.flow = flow
        self.forms: Forms = flow.forms
        self.callers: dict[Context, list[tuple[Context, Instr]]] = {}
        self.stores: dict[tuple[Context, Value], list[Instr]] = {}
        self.given: dict[tuple[Context, Value], list[tuple[Instr, Context, Instr]]] = {}
        for context in flow.contexts:
            for call, callees in context.calls.items():
                for callee in callees.values():
                    self.callers.setdefault(callee, []).append((context, call))
                    self._note_given(context, call, callee)
            for instr in instructions(context.function):
                if instr.op == op.Store and isinstance(instr.operands[0], Instr):
                    root = spot_of(instr.value(0)).root
                    self.stores.setdefault((context, root), []).append(instr)

    def _note_given(self, context: Context, call: Instr, callee: Context) -> None:
        """Pointers that a call passes on."""
        for param in callee.function.params:
            argument = argument_of(callee.function, param, call)
            if param.type is not None and param.type.op == op.TypePointer and isinstance(argument, Instr):
                self.given.setdefault((context, spot_of(argument).root), []).append((call, callee, param))

    def way(self, context: Context, value: Value, bit: int) -> list[Step]:
        """The steps from where it is made to `value`, in order."""
        start = (context, value)
        before: dict[tuple[Context, Value], tuple[tuple[Context, Value], Step]] = {}
        work = deque([start])
        seen = {start}
        while work:
            here = work.popleft()
            made = self._made(here[0], here[1])
            if made is not None:
                steps = [made]
                while here != start:
                    here, step = before[here]
                    steps.append(step)
                return steps
            for source, step in self._sources(here[0], here[1]):
                if source not in seen and self._may_be(source[0], source[1], bit):
                    seen.add(source)
                    before[source] = (here, step)
                    work.append(source)
        return [Step("comes from outside of the program", None)]

    def _contents(self, context: Context, root: Instr, place: Place | None) -> list[tuple[tuple[Context, Value], Step]]:
        """What is stored to a variable: here, by functions that it is given to, by the callers that gave it."""
        kept = f"kept in {root.name or 'a variable'}"
        found: list[tuple[tuple[Context, Value], Step]] = []
        for store in self.stores.get((context, root), []):
            found.append(((context, store.value(1)), Step(kept, place)))
        for call, callee, param in self.given.get((context, root), []):
            step = Step(f"put there by {callee.function.name}", place_of(call, self.flow.module))
            found.append(((callee, param), step))
        for caller, call in self.callers.get(context, []) if root.op == op.FunctionParameter else []:
            argument = argument_of(context.function, root, call)
            if isinstance(argument, Instr):
                found.append(((caller, spot_of(argument).root), Step(kept, place)))
        return found

    def _may_be(self, context: Context, value: Value, bit: int) -> bool:
        if isinstance(value, Instr) and value.type is not None and value.type.op == op.TypePointer:
            return True  # what is stored there is asked
        return has_bit(info_at(context, self.forms, value, None), bit)

    def _made(self, context: Context, value: Value) -> Step | None:
        if not isinstance(value, Instr):
            return None
        place = place_of(value, self.flow.module)
        if value.op == op.MakeExistential and isinstance(value.operands[1], Instr):
            return Step(f"made in {context.function.name}", place) if value.instr(1).op == op.WitnessTable else None
        if value.op == op.WitnessTable:
            return Step("given as a table", place)
        if value.op == op.CreateExistentialObject:
            return Step(f"made from an id in {context.function.name}", place)
        if value.op == op.Load:
            spot = spot_of(value.value(0))
            if spot.kind not in (LOCAL, CELL):
                return Step("read from storage that others can reach", place)
        return None

    def _sources(self, context: Context, value: Value) -> list[tuple[tuple[Context, Value], Step]]:
        found: list[tuple[tuple[Context, Value], Step]] = []
        if not isinstance(value, Instr):
            return found
        place = place_of(value, self.flow.module)
        if value.type is not None and value.type.op == op.TypePointer:
            return self._contents(context, value, place)
        if value.op == op.FunctionParameter:
            for caller, call in self.callers.get(context, []):
                argument = argument_of(context.function, value, call)
                if argument is not None:
                    step = Step(f"argument of {context.function.name}", place_of(call, self.flow.module))
                    found.append(((caller, argument), step))
        elif value.op in (op.FunctionCall, op.CallDynamic):
            for callee in context.calls.get(value, {}).values():
                for result in results_of(callee.function):
                    found.append(((callee, result), Step(f"result of {callee.function.name}", place)))
        elif value.op == op.Load:
            spot = spot_of(value.value(0))
            for owner in self.flow.contexts if spot.kind == CELL else [context]:
                found.extend(self._contents(owner, spot.root, place))
        else:
            word = "chosen" if value.op in (op.Phi, op.Select) else "taken out"
            for operand in value.operands:
                if isinstance(operand, Instr):
                    found.append(((context, operand), Step(word, place)))
        return found


def has_bit(info: Info, bit: int) -> bool:
    """Whether a set, or one in a composite, has a bit. Types nest a few levels."""
    if isinstance(info, int):
        return bool(info & bit)
    return info is not None and any(has_bit(part_of(info, index), bit) for index in range(len(info)))


def argument_of(function: Function, param: Instr, call: Instr) -> Value | None:
    """What a call gives for a parameter: bound tables come before the arguments."""
    bound: list[Value] = []
    callable = call.value(0)
    while isinstance(callable, Instr) and callable.op == op.Specialize:
        bound[:0] = [callable.value(index) for index in range(1, len(callable.operands))]
        callable = callable.value(0)
    arguments = [*bound, *[call.value(index) for index in range(1, len(call.operands))]]
    index = function.params.index(param)
    return arguments[index] if index < len(arguments) else None


def results_of(function: Function) -> list[Value]:
    found: list[Value] = []
    for block in blocks(function):
        if isinstance(block.jump, Exit) and block.jump.instr.op == op.ReturnValue:
            found.append(block.jump.instr.value(0))
    return found


# --- showing ----------------------------------------------------------------------------------------------------------


def as_text(module: Module, sites: list[Site]) -> str:
    """A paragraph a site."""
    lines: list[str] = []
    for site in sites:
        where = shown(place_of(site.call, module))
        name = site.context.function.name or str(site.context.function.id)
        types = ", ".join(site.types) or "nothing"
        lines.append(f"{where}{site.interface}.{site.requirement} in {name}: {types}   ({site.cost()})")
        for type in site.types:
            steps = [f"{step.what}{at(step.place)}" for step in site.why[type]]
            lines.append(f"  {type}: {' -> '.join(steps)}")
    return "".join([line + "\n" for line in lines])


def shown(place: Place | None) -> str:
    return f"{place}: " if place is not None and place.line > 0 else ""


def at(place: Place | None) -> str:
    return f" ({place.line}:{place.column})" if place is not None and place.line > 0 else ""


def as_json(module: Module, sites: list[Site]) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for site in sites:
        why = {
            type: [{"what": step.what, "line": step.place.line if step.place is not None else 0} for step in steps]
            for type, steps in site.why.items()
        }
        place = place_of(site.call, module)
        found.append(
            {
                "function": site.context.function.name,
                "context": site.context.number,
                "line": place.line if place is not None else 0,
                "interface": site.interface,
                "requirement": site.requirement,
                "types": site.types,
                "why": why,
                "cost": site.cost(),
                "payload_bytes": site.bytes,
            }
        )
    return found
