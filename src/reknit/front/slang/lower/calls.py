"""Calls: of functions, through witnesses, of the language's own; and properties, which are calls.

    f(a, out b)      %t = a variable; FunctionCall @f %a %t; b = Load %t
    w.foo(x)         the witness is known: as f. Else LookupWitness %w %foo, CallDynamic
    f(buffer)        the statements of f, right here

What `out` and `inout` parameters point to is a variable of the caller: its own if it is a whole one, else one that is
copied from and back.
"""

from typing import final

from reknit.front.slang import hir
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower import pointers
from reknit.front.slang.lower.body import DEEPEST, Body, Frame, Handlers, Ready
from reknit.front.slang.lower.copies import copy, fresh
from reknit.front.slang.lower.lvalues import Computed, Memory, Place, settled, variable
from reknit.front.slang.lower.operators import convert
from reknit.front.slang.lower.program import by_pointer, is_inlined, is_void, refuse_references, variables_of
from reknit.front.slang.lower.resolve import Resolver, joined, key_of, openings_of
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.lower.statements import returns_early
from reknit.front.slang.lower.tables import BASE, BOUND, CONSTANT, METHOD, method_of
from reknit.front.slang.substitute import Substitution, filled
from reknit.front.slang.symbols import Function as FunctionSymbol
from reknit.front.slang.symbols import Requirement, Variable
from reknit.front.slang.types import Type, same
from reknit.front.slang.witnesses import (
    AssocWitness,
    BaseWitness,
    ConformanceWitness,
    OpenedWitness,
    Witness,
)
from reknit.ir import enums, op
from reknit.ir.dispatch import witness_table_type
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import function_type, void_type
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
    if is_open(body, symbol, resolver) or body.frame.depth >= DEEPEST:
        body.program.report_recursion(symbol, low.at)
        return nothing(body, resolver.type(symbol.result))
    frame = Frame(symbol, resolver, body.frame)
    back: list[CopyOut] = []
    for parameter, argument in zip(variables_of(symbol), arguments, strict=True):
        type = resolver.type(parameter.type)
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
    if parameter.direction == "ref":
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


# ---- through witnesses


def witness_call(body: Body, expr: Expr) -> Value | None:
    place = witness_call_place(body, expr)
    return None if is_void(place.type) else place.load(body.low)


def witness_call_place(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.WitnessCall)
    witness = body.frame.resolver.witness(expr.witness)
    own = body.frame.resolver.arguments(expr.substitution)
    return require(body, witness, expr.requirement, own, expr.arguments)


def require(
    body: Body, witness: Witness, requirement: Requirement, own: Substitution, arguments: list[Expr]
) -> Place:
    """A call of what `witness` has for `requirement`."""
    assert requirement.function is not None
    own = own_part(requirement, own)
    if isinstance(witness, ConformanceWitness):
        method = method_of(witness, requirement, own)
        if method is not None:
            return invoke(body, method[0], method[1], arguments)
    elif isinstance(witness, (OpenedWitness, BaseWitness, AssocWitness)):
        return dynamic(body, witness, requirement, own, arguments)
    inside = joined(body.low.evidence.inside(witness), own)
    body.low.refuse(0, f"'{witness.subject}' has nothing for '{requirement.name}' of '{witness.interface}'")
    return nothing(body, Resolver(inside).type(requirement.function.result))


def own_part(requirement: Requirement, given: Substitution) -> Substitution:
    """Arguments of the requirement's own generics; those of its interface are the witness's."""
    assert requirement.function is not None
    outer = requirement.interface.environment
    substitution = Substitution()
    substitution.types = {
        param: given.types[param]
        for param in requirement.function.environment.params
        if param in given.types and param not in outer.params
    }
    substitution.witnesses = {
        constraint: given.witnesses[constraint]
        for constraint in requirement.function.environment.constraints
        if constraint in given.witnesses and constraint not in outer.constraints
    }
    return substitution


def dynamic(
    body: Body, witness: Witness, requirement: Requirement, own: Substitution, arguments: list[Expr]
) -> Place:
    """The table says which function, when the program runs."""
    low = body.low
    symbol = requirement.function
    assert symbol is not None
    resolver = Resolver(joined(low.evidence.inside(witness), own))
    result = resolver.type(symbol.result)
    if is_inlined(low, symbol, resolver):
        low.refuse(0, f"'{symbol.name}' takes or gives resources: which function is called must be known statically")
        return nothing(body, result)
    back: list[CopyOut] = []
    arguments_given = passed_all(body, symbol, resolver, arguments, back)
    table = table_value(body, witness)
    canonical, _, given = body.program.canonical(own)
    key = body.tables.key(METHOD, body.program.seen_interface(witness.interface), requirement, None, canonical)
    if body.program.current is not None:
        body.program.current.calls.setdefault(key.text, low.at)
    types = [witness_table_type(low.module, low.interface(opening.interface)) for opening in given]
    for parameter in variables_of(symbol):
        type = low.ir_type(resolver.type(parameter.type))
        types.append(low.pointer(enums.StorageClassFunction, type) if by_pointer(parameter) else type)
    returned = void_type(low.module) if is_void(result) else low.ir_type(result)
    callee = low.emit(op.LookupWitness, function_type(low.module, returned, types), [table, key.instr])
    operands: list[Operand] = [callee]
    operands.extend([body.opened(opening).table for opening in given])
    operands.extend(arguments_given)
    returned_value = low.emit(op.CallDynamic, returned, operands)
    for copied in back:
        copied.target.store(low, copied.temporary.load(low))
    return Computed(result, returned_value)


def table_value(body: Body, witness: Witness) -> Value:
    """A witness as a value: a table, or what is looked up in one."""
    low = body.low
    if isinstance(witness, OpenedWitness):
        return body.opened(witness.opening).table
    if isinstance(witness, ConformanceWitness):
        if openings_of(witness.arguments):
            message = (
                f"'{witness.subject}' is made of a type that is only known while the shader runs, and a value of "
                f"'{witness.interface}' doesn't say which: generic arguments must be known when the shader is compiled"
            )
            low.reports.error("E33180", low.at, message)
            return low.undefined(witness.interface)
        return body.tables.table(witness)
    seen = body.program.seen_interface(witness.interface)
    if isinstance(witness, BaseWitness):
        outer = witness.derived
        key = body.tables.key(BASE, body.program.seen_interface(outer.interface), None, seen)
    elif isinstance(witness, AssocWitness):
        outer = witness.base
        key = body.tables.key(BOUND, body.program.seen_interface(outer.interface), witness.requirement, seen)
    else:
        low.refuse(0, f"'{witness.subject}' as '{witness.interface}' has no witness table")
        return low.undefined(witness.interface)
    type = witness_table_type(low.module, low.interface(seen))
    return low.emit(op.LookupWitness, type, [table_value(body, outer), key.instr])


def witness_constant(body: Body, expr: Expr) -> Value:
    """A constant of a known type is evaluated here, in terms of the type's own arguments."""
    assert isinstance(expr, hir.WitnessConstant)
    low = body.low
    type = body.type_of(expr)
    witness = body.frame.resolver.witness(expr.witness)
    if isinstance(witness, ConformanceWitness):
        constant = filled(witness.conformance).constants.get(expr.requirement)
        if constant is not None:
            return constant_value(body, constant, witness.arguments)
    elif isinstance(witness, (OpenedWitness, BaseWitness, AssocWitness)):
        key = body.tables.key(CONSTANT, body.program.seen_interface(witness.interface), expr.requirement)
        ir_type = low.ir_type(type)
        callee = low.emit(
            op.LookupWitness, function_type(low.module, ir_type, []), [table_value(body, witness), key.instr]
        )
        return low.emit(op.CallDynamic, ir_type, [callee])
    low.refuse(expr.at, f"'{witness.subject}' has no constant '{expr.requirement.name}'")
    return low.undefined(type)


def constant_value(body: Body, expr: Expr, arguments: Substitution) -> Value:
    """An expression of somewhere else, in a frame of its own."""
    caller = body.frame
    body.frame = Frame(None, Resolver(arguments), caller)
    value = body.value(expr)
    body.frame = caller
    return value


def ready(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, Ready)
    return expr.place


def register(handlers: Handlers) -> None:
    handlers.values.update(
        {
            hir.Call: call,
            hir.WitnessCall: witness_call,
            hir.WitnessConstant: witness_constant,
        }
    )
    handlers.places.update(
        {
            hir.Call: call_place,
            hir.WitnessCall: witness_call_place,
            hir.CopyBack: copy_back,
            Ready: ready,
        }
    )
