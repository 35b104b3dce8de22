"""Whether a type has what an interface asks for, and with what.

    struct A : IFoo { int foo(int x) }     methods[IFoo.foo] = A.foo          the signatures are the same
                                           methods[IFoo.foo] = a new function that calls A.foo, where it could be called
                                           methods[IFoo.bar] = IFoo.bar       a default body

Methods are looked for after all signatures are known; types and constants were found before (`check.completer`).
"""

from typing import final

from reknit.front.slang import hir
from reknit.front.slang.check.calls.calls import build
from reknit.front.slang.check.calls.overloads import attempt, choose
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare import memberwise
from reknit.front.slang.check.declare.declarations import (
    FieldEntry,
    FunctionEntry,
    LookupItem,
    PropertyEntry,
)
from reknit.front.slang.check.expressions.access import property_place
from reknit.front.slang.check.expressions.construct import construct
from reknit.front.slang.check.expressions.convert import converted, type_cost
from reknit.front.slang.check.statements import errors
from reknit.front.slang.check.types.completer import self_witness
from reknit.front.slang.check.types.members import lookup
from reknit.front.slang.substitute import Substitution, substitute, substitute_interface
from reknit.front.slang.symbols import Conformance, Environment, Function, Requirement, Variable
from reknit.front.slang.types import VOID, ErrorType, ParamType, StructType, Type, same
from reknit.front.slang.witnesses import ConformanceWitness


def check(ctx: Context, conformance: Conformance) -> None:
    """All of a conformance: says what is missing."""
    if conformance.completer is not None:
        conformance.completer.complete(conformance)
    for requirement in conformance.interface.interface.requirements:
        if requirement.kind == "associated":
            _check_type(ctx, conformance, requirement)
        elif requirement.kind == "constant":
            _check_constant(ctx, conformance, requirement)
        else:
            _check_method(ctx, conformance, requirement)


def _check_constant(ctx: Context, conformance: Conformance, requirement: Requirement) -> None:
    value = conformance.constants.get(requirement)
    if value is None:
        missing(ctx, conformance, requirement)
        return
    wanted = substitute(requirement.type, ctx.evidence.inside(self_witness(conformance)))
    if isinstance(wanted, ErrorType) or isinstance(value.type, ErrorType) or same(wanted, value.type):
        return
    at = next((candidate.entry.at for candidate in lookup(ctx, conformance.subject, requirement.name)), conformance.at)
    _no_match(ctx, requirement, at)


def missing(ctx: Context, conformance: Conformance, requirement: Requirement) -> None:
    ctx.reports.error(
        "E38100", conformance.at,
        f"type '{conformance.subject}' does not provide required interface member '{requirement.name}'",
        [ctx.reports.note(requirement.at, f"'{requirement.name}' is required here", len(requirement.name))],
    )  # fmt: skip


def _check_type(ctx: Context, conformance: Conformance, requirement: Requirement) -> None:
    type = conformance.types.get(requirement)
    if type is None:
        missing(ctx, conformance, requirement)
        return
    inside = ctx.evidence.inside(self_witness(conformance))
    have = {witness.interface.key for witness in conformance.type_witnesses.get(requirement, [])}
    for bound in requirement.bounds:
        wanted = substitute_interface(bound, inside)
        if wanted.key not in have and not isinstance(type, ErrorType):
            ctx.error(
                "E38029", conformance.at,
                f"type argument '{type}' for '{requirement.name}' does not conform to the required interface "
                f"'{wanted}'",
            )  # fmt: skip


@final
class Wanted:
    """A requirement as one conformance has to fulfil it."""

    __slots__ = ("conformance", "requirement", "function", "inside", "own", "environment")

    def __init__(self, ctx: Context, conformance: Conformance, requirement: Requirement, function: Function) -> None:
        self.conformance = conformance
        self.requirement = requirement
        self.function = function
        self.inside = ctx.evidence.inside(self_witness(conformance))
        outer = requirement.interface.environment
        self.own = [param for param in function.environment.params if param not in outer.params]
        constraints = [
            constraint for constraint in function.environment.constraints if constraint not in outer.constraints
        ]
        mine = conformance.environment
        self.environment = Environment([*mine.params, *self.own], [*mine.constraints, *constraints])

    def type(self, type: Type) -> Type:
        return substitute(type, self.inside)


def _check_method(ctx: Context, conformance: Conformance, requirement: Requirement) -> None:
    function = requirement.function
    if function is None:
        return
    wanted = Wanted(ctx, conformance, requirement, function)
    if requirement.name.startswith(("get ", "set ", "ref ")):
        if _accessor(ctx, wanted):
            return
    else:
        candidates = [
            candidate
            for candidate in lookup(ctx, conformance.subject, requirement.name)
            if isinstance(candidate.entry, FunctionEntry)
            and candidate.entry.requirement is not requirement
            and not isinstance(candidate.witness, ConformanceWitness)
        ]
        if _method(ctx, wanted, candidates):
            return
        if candidates and not _has_default(ctx, requirement):
            _mismatch(ctx, wanted, candidates)
            return
    if _has_default(ctx, requirement):
        conformance.methods[requirement] = (function, wanted.inside)
    elif not (requirement.kind == "init" and _initializer(ctx, wanted)):
        missing(ctx, conformance, requirement)


def _has_default(ctx: Context, requirement: Requirement) -> bool:
    owner = ctx.containers.get(requirement.interface.number)
    if owner is None:
        return False
    for entry in ctx.functions:
        if entry.requirement is requirement:
            return entry.decl.body is not None
    return False


def _mismatch(ctx: Context, wanted: Wanted, candidates: list[LookupItem]) -> None:
    entry = candidates[0].entry
    if isinstance(entry, FunctionEntry) and entry.function is not None and len(candidates) == 1:
        result = wanted.type(wanted.function.result)
        have = substitute(entry.function.result, candidates[0].substitution)
        if isinstance(result, ErrorType) or isinstance(have, ErrorType):
            return
    _no_match(ctx, wanted.requirement, entry.at)


def _no_match(ctx: Context, requirement: Requirement, at: int) -> None:
    ctx.reports.error(
        "E38105", at, f"member '{requirement.name}' does not match interface requirement.",
        [ctx.reports.note(requirement.at, "the requirement is here", len(requirement.name))],
        len(requirement.name),
    )  # fmt: skip


def _method(ctx: Context, wanted: Wanted, candidates: list[LookupItem]) -> bool:
    for candidate in candidates:
        if isinstance(candidate.entry, FunctionEntry):
            match = exact(ctx, wanted, candidate, ctx.signatures.function(candidate.entry))
            if match is not None and not candidate.path:
                wanted.conformance.methods[wanted.requirement] = match
                return True
    for candidate in candidates:
        if isinstance(candidate.entry, FunctionEntry) and synthesized(ctx, wanted, candidate, candidate.entry):
            return True
    return False


def exact(ctx: Context, wanted: Wanted, item: LookupItem, function: Function) -> tuple[Function, Substitution] | None:
    """`function` as it stands, if its type is the one that is asked for."""
    asked = wanted.function
    own = [param for param in function.environment.params if param not in item.substitution.types]
    if len(function.params) != len(asked.params) or len(own) != len(wanted.own):
        return None
    if (function.this is None) != (asked.this is None) or function.mutating != asked.mutating:
        return None
    copy = item.substitution.copy()
    for mine, theirs in zip(own, wanted.own, strict=False):
        copy.types[mine] = ParamType(theirs)
    if ctx.evidence.witness_all(function.environment, copy) is not None:
        return None
    for param, other in zip(function.params, asked.params, strict=False):
        if _kind(param) != _kind(other):
            return None
        if not same(substitute(param.type, copy), wanted.type(other.type)):
            return None
    if not same(substitute(function.result, copy), wanted.type(asked.result)):
        return None
    if (function.thrown is None) != (asked.thrown is None) or not _throws_as(wanted, function, copy):
        return None
    return function, copy


def _throws_as(wanted: Wanted, function: Function, substitution: Substitution) -> bool:
    """Whether what `function` throws, if anything, is what may be thrown."""
    if function.thrown is None:
        return True
    asked = wanted.function.thrown
    return asked is not None and same(substitute(function.thrown.type, substitution), wanted.type(asked.type))


def _kind(param: Variable) -> str:
    return "in" if param.direction == "constref" else param.direction


# ---- functions made for a requirement


def _new(ctx: Context, wanted: Wanted) -> Function:
    """A function with the requirement's type."""
    asked = wanted.function
    function = Function(asked.name, ctx.number(), wanted.conformance.at, _path(wanted), wanted.environment)
    function.owner = wanted.conformance.subject
    function.mutating = asked.mutating
    function.result = wanted.type(asked.result)
    if asked.this is not None:
        function.this = Variable(
            "this", ctx.number(), function.at, "this", wanted.conformance.subject, asked.this.direction
        )
        function.this.mutable = asked.mutating
    for param in asked.params:
        copy = Variable(param.name, ctx.number(), function.at, "param", wanted.type(param.type), param.direction)
        function.params.append(copy)
    if asked.thrown is not None:
        function.thrown = Variable("thrown", ctx.number(), function.at, "param", wanted.type(asked.thrown.type), "out")
    return function


def _path(wanted: Wanted) -> str:
    return f"{wanted.conformance.subject}.{wanted.requirement.name}"


def _keep(ctx: Context, wanted: Wanted, function: Function, value: hir.Expr) -> bool:
    """Give `function` the body `return value`, if value is what it returns."""
    at = function.at
    body: list[hir.Stmt] = []
    if isinstance(value, hir.Try):
        value.handler = errors.passed_on(function, value)
    if same(function.result, VOID):
        body = [hir.Eval(at, value)]
    else:
        if type_cost(ctx, value.type, function.result) < 0 or isinstance(value.type, ErrorType):
            return False
        body = [hir.Return(at, converted(ctx, value, function.result))]
    function.body = hir.Block(at, body)
    if function.thrown is not None:
        function.body = errors.started(function, function.body, at)
    identity = Substitution()
    identity.types = {param: ParamType(param) for param in wanted.environment.params}
    ctx.evidence.witness_all(wanted.environment, identity)
    wanted.conformance.methods[wanted.requirement] = (function, identity)
    ctx.synthesized.append(function)
    return True


def synthesized(ctx: Context, wanted: Wanted, item: LookupItem, entry: FunctionEntry) -> bool:
    """A function that calls `entry`, if it takes what the requirement is given."""
    new = _new(ctx, wanted)
    function = ctx.signatures.function(entry)
    if new.this is None and function.this is not None or function.mutating and not new.mutating:
        return False
    if len(function.params) < len(new.params):
        return False
    arguments: list[hir.Expr] = [hir.Place(new.at, param.type, param) for param in new.params]
    own = [param for param in function.environment.params if param not in item.substitution.types]
    generic: list[Type] = [ParamType(param) for param in wanted.own] if len(own) == len(wanted.own) else []
    best = choose([attempt(ctx, item, entry, generic, arguments)])
    if not best or not _throws_as(wanted, function, best[0].substitution):
        return False
    base = None if new.this is None else hir.Place(new.at, new.this.type, new.this)
    for param, mine in zip(function.params, new.params, strict=False):
        if param.direction != mine.direction and not (param.direction == "in" or mine.direction == "inout"):
            return False
    return _keep(ctx, wanted, new, build(ctx, best[0], base, arguments, new.at))


def _initializer(ctx: Context, wanted: Wanted) -> bool:
    """A struct without the `__init` that is asked for may be made of its fields."""
    new = _new(ctx, wanted)
    subject = wanted.conformance.subject
    arguments: list[hir.Expr] = [hir.Place(new.at, param.type, param) for param in new.params]
    if isinstance(subject, StructType) and (not arguments or memberwise.takes(ctx, subject, arguments)):
        return _keep(ctx, wanted, new, construct(ctx, subject, arguments, new.at))
    return False


def _accessor(ctx: Context, wanted: Wanted) -> bool:
    """A property's or subscript's accessor: the type's own, or one made for a field."""
    kind, name = wanted.requirement.name.split(" ", 1)
    for candidate in lookup(ctx, wanted.conformance.subject, name):
        entry = candidate.entry
        if isinstance(entry, PropertyEntry) and not isinstance(candidate.witness, ConformanceWitness):
            if _property(ctx, wanted, candidate, entry, kind):
                return True
        elif isinstance(entry, FieldEntry):
            new = _new(ctx, wanted)
            if new.this is None:
                continue
            type = substitute(ctx.lazy.field(entry).type, candidate.substitution)
            place = hir.Field(new.at, type, hir.Place(new.at, new.this.type, new.this), entry.field)
            if _keep(ctx, wanted, new, _read_or_write(ctx, new, kind, place)):
                return True
    return False


def _property(ctx: Context, wanted: Wanted, item: LookupItem, entry: PropertyEntry, kind: str) -> bool:
    accessor = {"get": entry.getter, "set": entry.setter, "ref": entry.reference}.get(kind)
    if accessor is not None:
        match = exact(ctx, wanted, item, ctx.signatures.function(accessor))
        if match is not None and not item.path:
            wanted.conformance.methods[wanted.requirement] = match
            return True
        if synthesized(ctx, wanted, item, accessor):
            return True
    if entry.reference is None or wanted.function.this is None:
        return False
    function = _new(ctx, wanted)
    if function.this is None:
        return False
    this = hir.Place(function.at, function.this.type, function.this)
    params = function.params[:-1] if kind == "set" else function.params
    arguments: list[hir.Expr] = [hir.Place(function.at, param.type, param) for param in params]
    place = property_place(ctx, item, entry, this, arguments, function.at)
    return _keep(ctx, wanted, function, _read_or_write(ctx, function, kind, place))


def _read_or_write(ctx: Context, function: Function, kind: str, place: hir.Expr) -> hir.Expr:
    if kind != "set":
        return place
    param = function.params[-1]
    value: hir.Expr = hir.Place(function.at, param.type, param)
    if type_cost(ctx, value.type, place.type) < 0:
        return hir.Undefined(function.at, ErrorType())
    return hir.Assign(function.at, place, converted(ctx, value, place.type))
