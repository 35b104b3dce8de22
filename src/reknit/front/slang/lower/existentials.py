"""Existentials and optionals.

    IFoo f = a           MakeExistential %a %WA          f is A       IsType %f %WA
    f.foo(1)             %w = ExtractExistentialWitnessTable %f; %x = ExtractExistentialValue %f; ...
    f as A               {ExtractExistentialValue %f : %A where it is one, IsType}
    Optional<IFoo>       an existential that may be none         Optional<T>     {T, bool}
"""

from reknit.front.slang import hir
from reknit.front.slang.hir import Expr, Opening
from reknit.front.slang.lower.body import Body, Handlers
from reknit.front.slang.lower.lvalues import Computed, Payload, Place, truth
from reknit.front.slang.lower.witness_calls import table_value
from reknit.front.slang.lower.zeros import zero_of
from reknit.front.slang.types import BOOL, InterfaceType, OpenedType, OptionalType, StructType, Type, same
from reknit.front.slang.witnesses import ConformanceWitness, Witness
from reknit.ir import op
from reknit.ir.value import Value

# ---- opening


def open_(body: Body, opening: Opening) -> None:
    """Evaluate what is opened; its payload and its table are known from here on."""
    low = body.low
    resolver = body.frame.resolver
    interface = resolver.type(opening.interface)
    assert isinstance(interface, InterfaceType)
    if interface.arguments:
        resolver.opened(opening, body.program.opening_here(opening, interface))
    existential = body.place(opening.value)
    value = existential.load(low)
    table = body.table_of(value)
    type = OpenedType(resolver.opening(opening))
    extracted = low.emit(op.ExtractExistentialValue, low.ir_type(type), [value])
    body.open(opening, Payload(type, existential, table, extracted), table)


def opened(body: Body, expr: Expr) -> Value | None:
    assert isinstance(expr, hir.Opened)
    open_(body, expr.opening)
    return body.effect(expr.body)


def opened_place(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.Opened)
    open_(body, expr.opening)
    return body.place(expr.body)


def opened_value(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.OpenedValue)
    return body.opened(expr.opening).payload


# ---- making


def make(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.MakeExistential)
    low = body.low
    type = body.type_of(expr.value)
    if low.has_resources(type):
        message = f"type '{type}' contains fields that cannot be packed into ordinary bytes for dynamic dispatch."
        low.reports.error("E41014", type.struct.at if isinstance(type, StructType) else low.at, message)
        return low.undefined(body.type_of(expr))
    value = body.value(expr.value)
    witness = body.frame.resolver.witness(expr.witness)
    table = table_value(body, witness)
    return low.emit(op.MakeExistential, low.ir_type(body.type_of(expr)), [value, table])


def create(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.CreateObject)
    low = body.low
    type = body.type_of(expr)
    body.tables.outside(type, expr.at)
    number = body.value(expr.id)
    payload = body.value(expr.payload)
    return low.emit(op.CreateExistentialObject, low.ir_type(type), [number, payload])


# ---- asking


def is_type(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.IsType)
    value = body.value(expr.value)
    if expr.witness is None:
        held = _held(body, expr.value, body.type(expr.tested), value)
        if held is not None:
            return _is_of(body, *held)
        return truth(body.low, expr.known or same(body.type_of(expr.value), body.type(expr.tested)))
    return _is_of(body, value, body.frame.resolver.witness(expr.witness))


def _held(body: Body, expr: Expr, tested: Type, payload: Value) -> tuple[Value, Witness] | None:
    """A payload of an existential as one again, and how `tested` conforms: a generic that got what an existential holds
    asks which type it is. None where the type is known, or can't be the tested one."""
    type = body.type_of(expr)
    if not isinstance(type, OpenedType):
        return None
    interface = body.frame.resolver.type(type.opening.interface)
    assert isinstance(interface, InterfaceType)
    witness = body.low.evidence.find(tested, interface)
    if witness is None:
        return None
    table = body.opened(type.opening).table
    return body.low.emit(op.MakeExistential, body.low.ir_type(interface), [payload, table]), witness


def _is_of(body: Body, value: Value, witness: Witness) -> Value:
    """Only a table that is known can be compared with."""
    if not isinstance(witness, ConformanceWitness):
        body.low.refuse(0, f"'{witness.subject}' isn't known when the shader is compiled")
        return truth(body.low, False)
    table = body.tables.table(witness)
    return body.low.emit(op.IsType, body.low.boolean, [value, table])


def as_type(body: Body, expr: Expr) -> Value:
    """The payload is taken out by those that have one of the type."""
    assert isinstance(expr, hir.AsType)
    low = body.low
    builder = low.builder
    type = body.type_of(expr)
    assert isinstance(type, OptionalType)
    value = body.value(expr.value)
    if expr.witness is not None:
        witness = body.frame.resolver.witness(expr.witness)
    else:
        held = _held(body, expr.value, body.type(expr.tested), value)
        if held is None:
            known = expr.known or same(body.type_of(expr.value), body.type(expr.tested))
            return some(body, type, value) if known else zero_of(body, type)
        value, witness = held
    holds = _is_of(body, value, witness)
    payload = low.ir_type(type.element)
    choice = builder.open_if(holds)
    low.places.starts[choice] = low.at
    builder.at(choice.then.entry())
    taken = low.emit(op.ExtractExistentialValue, payload, [value])
    block = builder.block
    builder.at(choice.orelse.entry())
    other = zero_of(body, type.element, True)
    builder.at(choice.after())
    merged = low.emit(op.Phi, payload, [taken, block, other, choice.orelse.entry()])
    return low.composite(low.ir_type(type), [merged, holds])


# ---- optionals


def some(body: Body, type: OptionalType, value: Value) -> Value:
    if isinstance(type.element, InterfaceType):
        return value
    return body.low.composite(body.low.ir_type(type), [value, truth(body.low, True)])


def make_some(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.MakeSome)
    type = body.type_of(expr)
    assert isinstance(type, OptionalType)
    return some(body, type, body.value(expr.value))


def make_none(body: Body, expr: Expr) -> Value:
    return zero_of(body, body.type_of(expr))


def has_value(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.HasValue)
    low = body.low
    place = body.place(expr.value)
    if _of_interface(place.type):
        return low.emit(op.ExistentialHasValue, low.boolean, [place.load(low)])
    return place.field(low, 1, BOOL).load(low)


def get_value(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.GetValue)
    low = body.low
    place = body.place(expr.value)
    type = body.type_of(expr)
    if _of_interface(place.type):
        return Computed(type, place.load(low))
    return place.field(low, 0, type)


def _of_interface(type: Type) -> bool:
    return isinstance(type, OptionalType) and isinstance(type.element, InterfaceType)


def register(handlers: Handlers) -> None:
    handlers.values.update(
        {
            hir.Opened: opened,
            hir.MakeExistential: make,
            hir.CreateObject: create,
            hir.IsType: is_type,
            hir.AsType: as_type,
            hir.MakeSome: make_some,
            hir.MakeNone: make_none,
            hir.HasValue: has_value,
        }
    )
    handlers.places.update(
        {hir.Opened: opened_place, hir.OpenedValue: opened_value, hir.GetValue: get_value}
    )
