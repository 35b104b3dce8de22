"""Calls of functions, as a call or with the callee's statements in place.

    f(a, out b)      %t = a variable; FunctionCall @f %a %t; b = Load %t
    f(buffer)        the statements of f, right here

What `out` and `inout` parameters point to is a variable of the caller: its own if it is a whole one, else one that is
copied from and back.
"""

from typing import final

from reknit.front.slang import hir
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower import pointers
from reknit.front.slang.lower.body import MAX_DEPTH, Body, Frame, Handlers, Ready
from reknit.front.slang.lower.copies import copy, fresh
from reknit.front.slang.lower.lvalues import Computed, Memory, Place, variable
from reknit.front.slang.lower.operators import convert
from reknit.front.slang.lower.program import (
    by_pointer,
    is_in_place,
    is_inlined,
    is_void,
    refuse_references,
    variables_of,
)
from reknit.front.slang.lower.resolve import Resolver, key_of
from reknit.front.slang.lower.resource_places import settled
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.lower.statements import returns_early
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import Function as FunctionSymbol
from reknit.front.slang.symbols import Variable
from reknit.front.slang.types import Type, same
from reknit.ir import enums, op
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value


@final
class CopyOut:
    """After a call: `temporary` goes to `target`."""

    __slots__ = ("target", "temporary")

    def __init__(self, target: Place, temporary: Memory) -> None:
        self.target = target
        self.temporary = temporary


def call(body: Body, expr: Expr) -> Value | None:
    place = call_place(body, expr)
    return None if is_void(place.type) else place.load(body.low)


def call_place(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Call)
    substitution = body.frame.resolver.arguments(expr.substitution)
    return invoke(body, expr.function, substitution, expr.arguments)


def invoke(body: Body, symbol: FunctionSymbol, substitution: Substitution, arguments: list[Expr]) -> Place:
    """A call of a known function; the result's place. `arguments` are in terms of the caller's frame."""
    low = body.low
    resolver = Resolver(substitution)
    low.reports.release(symbol.at)
    if symbol.body is None:
        low.refuse(0, f"'{symbol.name}' has no body here")
        return nothing(body, resolver.type(symbol.result))
    if is_inlined(low, symbol, resolver):
        refuse_references(low, symbol, resolver)
        return inline(body, symbol, resolver, arguments, False)
    instance, openings = body.program.instance(symbol, substitution)
    back: list[CopyOut] = []
    given = passed_all(body, symbol, resolver, arguments, back)  # what it opens is asked for its table afterwards
    operands: list[Operand] = [instance.function]
    operands.extend([body.opened(opening).table for opening in openings])
    operands.extend(given)
    result = low.emit(op.FunctionCall, instance.function.result, operands)
    for copied in back:
        copied.target.store(low, copied.temporary.load(low))
    return Computed(resolver.type(symbol.result), result)


def nothing(body: Body, type: Type) -> Place:
    """What stands for the result of a call that was refused."""
    if body.low.has_resources(type):
        return fresh(body.low, type, "")
    return Computed(type, body.low.undefined(type) if not is_void(type) else body.low.zero(body.low.u32))


def passed_all(
    body: Body, symbol: FunctionSymbol, resolver: Resolver, arguments: list[Expr], back: list[CopyOut]
) -> list[Value]:
    """The operands for all parameters, evaluated in order."""
    values: list[Value] = []
    for parameter, argument in zip(variables_of(symbol), arguments, strict=True):
        values.append(passed(body, parameter, resolver.type(parameter.type), argument, back, values))
    return values


def passed(
    body: Body, parameter: Variable, type: Type, argument: Expr, back: list[CopyOut], before: list[Value]
) -> Value:
    """The operand for a parameter: a value, or a pointer to a variable of the function."""
    if not by_pointer(parameter):
        return body.value(argument)
    target = target_of(body, argument)
    if isinstance(target, Memory) and is_whole_variable(target) and target.base not in before:
        return target.base
    temporary = Memory(type, variable(body.low, body.low.ir_type(type), parameter.name), [])
    if parameter.direction != "out":
        temporary.store(body.low, target.load(body.low))
    back.append(CopyOut(target, temporary))
    return temporary.base


def is_whole_variable(place: Memory) -> bool:
    base = place.base
    return (
        not place.indices
        and isinstance(base, Instr)
        and base.op == op.Variable
        and place.storage() == enums.StorageClassFunction
    )


class Converted(Place):
    """A place of another type: what is read and written is converted."""

    __slots__ = ("place",)

    def __init__(self, type: Type, place: Place) -> None:
        super().__init__(type)
        self.place = place

    def load(self, low: Lowering) -> Value:
        return convert(low, self.place.type, self.type, self.place.load(low))

    def store(self, low: Lowering, value: Value) -> None:
        self.place.store(low, convert(low, self.type, self.place.type, value))


def target_of(body: Body, argument: Expr) -> Place:
    if isinstance(argument, hir.CopyBack):
        place = body.place(argument.place)
        type = body.type_of(argument)
        return place if same(type, place.type) else Converted(type, place)
    return body.place(argument)


def copy_back(body: Body, expr: Expr) -> Place:
    return target_of(body, expr)


# ---- in place


def inline(
    body: Body, symbol: FunctionSymbol, resolver: Resolver, arguments: list[Expr], gives_place: bool
) -> Place:
    """The callee's statements, in a frame of their own."""
    low = body.low
    low.reports.release(symbol.at)
    if is_open(body, symbol, resolver) or body.frame.depth >= MAX_DEPTH:
        body.program.report_recursion(symbol, low.at)
        return nothing(body, resolver.type(symbol.result))
    frame = Frame(symbol, resolver, body.frame)
    back: list[CopyOut] = []
    for parameter, argument in zip(variables_of(symbol), arguments, strict=True):
        type = resolver.type(parameter.type)
        if gives_place and parameter is symbol.this:  # a place in a copy of it would be no place of the caller's
            frame.places[parameter] = target_of(body, argument)
        else:
            frame.places[parameter] = bound(body, parameter, type, argument, back)
    caller = body.frame
    result = resolver.type(symbol.result)
    body.frame = frame
    frame.gives_place = gives_place
    if not is_void(result) and not gives_place:
        frame.result = fresh(low, result, symbol.name)
    run_inline(body, symbol)
    body.frame = caller
    for copied in back:
        copied.target.store(low, copied.temporary.load(low))
    if frame.result is None:
        return nothing(body, result)
    result_place = settled(frame.result)
    return result_place if gives_place or low.has_resources(result) else Computed(result, result_place.load(low))


def run_inline(body: Body, symbol: FunctionSymbol) -> None:
    builder = body.low.builder
    assert symbol.body is not None
    if symbol.thrown is None and not returns_early(symbol.body):
        body.statement(symbol.body)
        return
    scope = builder.open_scope()
    body.low.places.starts[scope] = body.low.at
    body.frame.way_out = scope
    builder.at(scope.body.entry())
    body.statement(symbol.body)
    builder.at(scope.after())


def is_open(body: Body, symbol: FunctionSymbol, resolver: Resolver) -> bool:
    key = key_of(resolver.substitution)
    frame: Frame | None = body.frame
    while frame is not None:
        if frame.function is symbol and key_of(frame.resolver.substitution) == key:
            return True
        frame = frame.caller
    return False


def bound(body: Body, parameter: Variable, type: Type, argument: Expr, back: list[CopyOut]) -> Place:
    """The place that a parameter of a callee in place has."""
    low = body.low
    if is_in_place(low, parameter):
        return body.place(argument)
    if low.has_resources(type):
        source = body.place(argument)
        if by_pointer(parameter):
            return source
        place = fresh(low, type, parameter.name)
        copy(low, place, source)
        return place
    if not by_pointer(parameter):
        given = body.value(argument)
        place = pointers.local(body, parameter, type)
        place.store(low, given)
        return place
    local = Memory(type, variable(low, low.ir_type(type), parameter.name), [])
    target = target_of(body, argument)
    if parameter.direction != "out":
        local.store(low, target.load(low))
    back.append(CopyOut(target, local))
    return local


def temporary(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Temporary)
    place = fresh(body.low, body.type_of(expr), "")
    if body.low.has_resources(place.type):
        copy(body.low, place, body.place(expr.value))
    else:
        place.store(body.low, body.value(expr.value))
    return place


def ready(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, Ready)
    return expr.place


def register(handlers: Handlers) -> None:
    handlers.values[hir.Call] = call
    handlers.places.update({hir.Call: call_place, hir.CopyBack: copy_back, hir.Temporary: temporary, Ready: ready})
