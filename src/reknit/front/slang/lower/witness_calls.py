"""Calls and constants of an interface's requirements, through witnesses.

    w.foo(x)      the conformance is known: as a call of its function
                  else: LookupWitness %w %foo, CallDynamic
    T.limit       the conformance's constant; else LookupWitness of a function that gives it
"""

from reknit.front.slang import hir
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Frame, Handlers
from reknit.front.slang.lower.calls import CopyOut, invoke, nothing, passed_all
from reknit.front.slang.lower.lvalues import Computed, Place
from reknit.front.slang.lower.program import by_pointer, is_inlined, is_void, variables_of
from reknit.front.slang.lower.resolve import Resolver, joined, openings_of
from reknit.front.slang.lower.tables import BASE, BOUND, CONSTANT, METHOD, method_of
from reknit.front.slang.substitute import Substitution, filled
from reknit.front.slang.symbols import Requirement
from reknit.front.slang.witnesses import AssocWitness, BaseWitness, ConformanceWitness, OpenedWitness, Witness
from reknit.ir import enums, op
from reknit.ir.dispatch import witness_table_type
from reknit.ir.instr import Operand
from reknit.ir.types import function_type, void_type
from reknit.ir.value import Value


def witness_call(body: Body, expr: Expr) -> Value | None:
    place = witness_call_place(body, expr)
    return None if is_void(place.type) else place.load(body.low)


def witness_call_place(body: Body, expr: Expr) -> Place:
    assert isinstance(expr, hir.WitnessCall)
    witness = body.frame.resolver.witness(expr.witness)
    own = body.frame.resolver.arguments(expr.substitution)
    return require(body, witness, expr.requirement, own, expr.arguments)


def require(body: Body, witness: Witness, requirement: Requirement, own: Substitution, arguments: list[Expr]) -> Place:
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


def dynamic(body: Body, witness: Witness, requirement: Requirement, own: Substitution, arguments: list[Expr]) -> Place:
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


def register(handlers: Handlers) -> None:
    handlers.values.update({hir.WitnessCall: witness_call, hir.WitnessConstant: witness_constant})
    handlers.places[hir.WitnessCall] = witness_call_place
