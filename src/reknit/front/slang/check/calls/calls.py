"""Calls: which of the functions of a name is meant, and what the call is.

    foo(a, b)     candidates -> arguments inferred -> costs -> the cheapest -> Call(foo, [a converted, b converted])
    e.foo(a)      e : IFoo   -> Opened(opening of e, WitnessCall(OpenedWitness, foo, [OpenedValue, a]))

Among equally cheap ones the one without generic parameters wins, then the one of the inner scope; what is left is
ambiguous.
"""

from typing import final

from reknit.front.slang import hir
from reknit.front.slang.check.calls.openings import mentioned, wrap_opened
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Found, FunctionEntry
from reknit.front.slang.check.expressions.assignable import is_mutable, is_place
from reknit.front.slang.check.expressions.convert import convert, cost, type_cost, upcast
from reknit.front.slang.check.expressions.pseudo_expressions import BuiltinExpr, GroupExpr, ListExpr, is_value
from reknit.front.slang.check.generics import infer
from reknit.front.slang.check.generics.generics import own_part
from reknit.front.slang.substitute import substitute, substitute_interface
from reknit.front.slang.symbols import Environment, Function, Variable
from reknit.front.slang.types import ErrorType, InterfaceType, OpenedType, ParamType, PointerType, Type, same
from reknit.source.diagnostic import Note


@final
class Attempt:
    """A candidate with the arguments of one call. `cost` -1: not applicable, `why` says why."""

    __slots__ = ("found", "entry", "function", "substitution", "cost", "why", "code", "openings", "generic", "at")

    def __init__(self, found: Found, entry: FunctionEntry, function: Function) -> None:
        self.found = found
        self.entry = entry
        self.function = function
        self.substitution = found.substitution
        self.cost = 0
        self.why = ""
        self.code = "E39999"
        self.openings: dict[int, hir.Opening] = {}
        self.generic = False
        self.at = -1

    def fail(self, why: str, code: str = "E39999", at: int = -1) -> "Attempt":
        self.cost = -1
        self.why = why
        self.code = code
        self.at = at
        return self


def own_params(environment: Environment, found: Found) -> Environment:
    """What a call has to find: the parameters that the way to the function doesn't give already."""
    return Environment([param for param in environment.params if param not in found.substitution.types], [])


def attempt(ctx: Context, found: Found, entry: FunctionEntry, group: list[Type], arguments: list[hir.Expr]) -> Attempt:
    """Try one function; `group` are generic arguments that were written."""
    function = ctx.signatures.function(entry)
    made = Attempt(found, entry, function)
    params = function.params
    if len(arguments) > len(params):
        return made.fail(f"too many arguments to call (got {len(arguments)}, expected {len(params)})")
    least = len([param for param in params if param.init is None])
    if len(arguments) < least:
        return made.fail(f"not enough arguments to call (got {len(arguments)}, expected {least})")
    if not _infer(ctx, made, group, arguments):
        return made
    for index, (param, argument) in enumerate(zip(params, arguments, strict=False)):
        target = substitute(param.type, made.substitution)
        one = _argument_cost(ctx, param, argument, target, made.openings.get(index))
        if one < 0:
            got = argument.type if is_value(argument) else "an overloaded name"
            return made.fail(f"expected an expression of type '{target}', got '{got}'", "E30019", argument.at)
        made.cost += one
    return made


def _infer(ctx: Context, made: Attempt, written: list[Type], arguments: list[hir.Expr]) -> bool:
    environment = made.function.environment
    wanted = [param for param in environment.params if param not in made.found.substitution.types]
    if not wanted and not environment.constraints:
        if written:
            made.fail("expected a generic when using '<...>'")
        return not written
    made.substitution = made.found.substitution.copy()
    made.generic = bool(wanted)
    if len(written) > len(wanted):
        made.fail(f"wrong number of generic arguments (got {len(written)}, expected {len(wanted)})")
        return False
    types = made.substitution.types
    for generic, type in zip(wanted, written, strict=False):
        types[generic] = type
    left = wanted[len(written) :]
    for index, (param, argument) in enumerate(zip(made.function.params, arguments, strict=False)):
        if not left or isinstance(argument, ListExpr) or not is_value(argument):
            continue
        type = argument.type
        if isinstance(type, InterfaceType) and infer.is_open(param.type, left) and _constrained(made, param.type):
            if param.direction not in ("in", "constref"):
                made.fail(f"expected an expression of type '{param.type}', got '{type}'", "E30019", argument.at)
                return False
            made.openings[index] = ctx.opening(argument)
            type = OpenedType(made.openings[index])
        infer.unify(ctx, param.type, type, types, left)
    if left:
        infer.from_constraints(ctx, environment, made.substitution, left)
    for one in left:
        if one not in types:
            default = ctx.defaults.get(one)
            if default is None:
                made.fail(f"could not infer generic argument for parameter '{one.name}'", "E30439")
                return False
            types[one] = substitute(ctx.types.argument_of(*default), made.substitution)
    missing = ctx.evidence.witness_all(environment, made.substitution)
    if missing is not None:
        subject = substitute(missing.subject, made.substitution)
        bound = substitute_interface(missing.bound, made.substitution)
        if isinstance(subject, InterfaceType):
            made.fail(
                f"specializing '{made.entry.name}' with an existential type is not allowed. All generic arguments must "
                "be statically resolvable at compile time.", "E33180",
            )  # fmt: skip
            return False
        made.fail(
            f"type argument '{subject}' for '{missing.subject}' does not conform to the required interface '{bound}'",
            "E38029",
        )
        return False
    return True


def _constrained(made: Attempt, type: Type) -> bool:
    """Existentials are opened for parameters that ask for something."""
    return any(same(constraint.subject, type) for constraint in made.function.environment.constraints)


def _argument_cost(ctx: Context, param: Variable, argument: hir.Expr, target: Type, opening: hir.Opening | None) -> int:
    if opening is not None:
        return 0 if same(target, OpenedType(opening)) else type_cost(ctx, OpenedType(opening), target)
    if param.direction in ("in", "constref"):
        return cost(ctx, argument, target)
    if not is_value(argument) or isinstance(argument, ListExpr):
        return -1
    if same(argument.type, target):
        return 0
    if param.direction == "ref":
        return -1
    back = type_cost(ctx, target, argument.type)
    if back < 0:
        if isinstance(target, InterfaceType) and type_cost(ctx, argument.type, target) >= 0:
            return 5000  # said when it is called
        return -1
    if param.direction == "inout":
        there = type_cost(ctx, argument.type, target)
        return -1 if there < 0 else there + back + 800
    return back + 800


def choose(attempts: list[Attempt]) -> list[Attempt]:
    """The best of the applicable ones: more than one if they are equally good."""
    fitting = [one for one in attempts if one.cost >= 0]
    if not fitting:
        return []
    lowest = min(one.cost for one in fitting)
    best = [one for one in fitting if one.cost == lowest]
    if len(best) > 1:
        plain = [one for one in best if not one.generic]
        best = plain if plain else _most_special(best)
    if len(best) > 1:
        near = min(one.found.depth for one in best)
        best = [one for one in best if one.found.depth == near]
    if len(best) > 1:
        outer = min(_nesting(one) for one in best)
        best = [one for one in best if _nesting(one) == outer]
    if len(best) > 1:
        own = [one for one in best if one.found.witness is None]
        best = own if own else best[:1]
    if len(best) > 1:
        fewest = min(len(one.function.params) for one in best)
        best = [one for one in best if len(one.function.params) == fewest]
    if len(best) > 1:
        bodies = [one for one in best if one.entry.decl.body is not None]
        best = bodies if bodies else best[:1]
    return best


def _most_special(best: list[Attempt]) -> list[Attempt]:
    """Fewer parameters that are a bare T, then more constraints."""
    bare = min(_bare(one) for one in best)
    best = [one for one in best if _bare(one) == bare]
    most = max(len(one.function.environment.constraints) for one in best)
    return [one for one in best if len(one.function.environment.constraints) == most]


def _nesting(one: Attempt) -> int:
    """In how many namespaces it stands."""
    container = one.entry.container
    return 0 if container is None or container.kind != "namespace" else container.path.count("::") + 1


def _bare(one: Attempt) -> int:
    return len([param for param in one.function.params if isinstance(param.type, ParamType)])


# ---- the call


def call_group(ctx: Context, group: GroupExpr, arguments: list[hir.Expr], at: int) -> hir.Expr:
    """A call of whatever `group` has for these arguments."""
    if any(isinstance(argument.type, ErrorType) for argument in arguments):
        return error_value(ctx, group, at)
    attempts = [
        attempt(ctx, found, found.entry, group.arguments, arguments)
        for found in group.found
        if isinstance(found.entry, FunctionEntry)
    ]
    best = choose(attempts)
    if len(best) == 1:
        return build(ctx, best[0], group.base, arguments, at)
    if not best and group.builtin is not None:
        made = BuiltinExpr(group.at, group.name, group.builtin, None)
        made.arguments = group.arguments
        return call_builtin(ctx, made, arguments, at)
    if best:
        _ambiguous(ctx, group, best, arguments, at)
    else:
        _none(ctx, group, attempts, arguments, at)
    return error_value(ctx, group, at)


def error_value(ctx: Context, group: GroupExpr, at: int) -> hir.Expr:
    return hir.Undefined(at, ERROR_TYPE)


ERROR_TYPE = ErrorType()


def shown_types(arguments: list[hir.Expr]) -> str:
    return "(" + ", ".join([str(argument.type) for argument in arguments]) + ")"


def shown(function: Function) -> str:
    params = ", ".join([str(param.type) for param in function.params])
    return f"{function.path}({params}) -> {function.result}"


def _candidates(ctx: Context, attempts: list[Attempt]) -> list[Note]:
    return [ctx.reports.note(one.entry.at, f"candidate: {shown(one.function)}") for one in attempts[:10]]


def _ambiguous(ctx: Context, group: GroupExpr, best: list[Attempt], arguments: list[hir.Expr], at: int) -> None:
    ctx.reports.error(
        "E39999", group.at, f"ambiguous call to '{group.name}' with arguments of type {shown_types(arguments)}",
        _candidates(ctx, best), len(group.name),
    )  # fmt: skip


def _none(ctx: Context, group: GroupExpr, attempts: list[Attempt], arguments: list[hir.Expr], at: int) -> None:
    if len(attempts) == 1:
        one = attempts[0]
        where = one.at if one.at >= 0 else at
        ctx.reports.error(one.code, where, one.why, [ctx.reports.note(one.entry.at, f"in a call of '{group.name}'")])
        return
    ctx.reports.error(
        "E39999", group.at, f"no overload for '{group.name}' applicable to arguments of type {shown_types(arguments)}",
        _candidates(ctx, attempts), len(group.name),
    )  # fmt: skip


def build(ctx: Context, chosen: Attempt, base: hir.Expr | None, arguments: list[hir.Expr], at: int) -> hir.Expr:
    """The call itself."""
    function = chosen.function
    made: list[hir.Expr] = []
    if function.this is not None:
        this = receiver(ctx, chosen.found, function, base, chosen.entry.name, at)
        if this is None:
            return hir.Undefined(at, substitute(function.result, chosen.substitution))
        made.append(this)
    for index, param in enumerate(function.params):
        target = substitute(param.type, chosen.substitution)
        if index >= len(arguments):
            made.append(param.init if param.init is not None else hir.Undefined(at, target))
        elif index in chosen.openings:
            made.append(_opened_argument(ctx, param, arguments[index], target, chosen.openings[index]))
        else:
            made.append(passed(ctx, param.name, param.direction, arguments[index], target, at))
    result = substitute(function.result, chosen.substitution)
    thrown = None
    if function.thrown is not None:
        type = substitute(function.thrown.type, chosen.substitution)
        thrown = Variable("thrown", ctx.number(), at, "local", type)
        made.append(hir.Place(at, type, thrown))
    call: hir.Expr
    if chosen.entry.requirement is not None and chosen.found.witness is not None:
        own = own_part(function.environment, chosen.entry.requirement, chosen.substitution)
        call = hir.WitnessCall(at, result, chosen.found.witness, chosen.entry.requirement, own, made)
    else:
        call = hir.Call(at, result, function, chosen.substitution, made)
    for opening in chosen.openings.values():
        call = hir.Opened(at, opening, call)
    evidence = list(chosen.substitution.witnesses.values())
    if chosen.found.witness is not None:
        evidence.insert(0, chosen.found.witness)
    for opening in mentioned(evidence, chosen.openings, base):
        call = hir.Opened(at, opening, call)
    call = wrap_opened(base, call)
    if thrown is None and function.reference and isinstance(result, PointerType):
        return hir.Deref(at, result.element, call)
    if thrown is None:
        return call
    tried = hir.Try(at, call, thrown)
    ctx.tried.append(tried)
    return tried


def receiver(
    ctx: Context, found: Found, function: Function, base: hir.Expr | None, name: str, at: int
) -> hir.Expr | None:
    """`this` of a call: the base struct's part for an inherited method."""
    if base is None:
        owner = function.owner
        ctx.error("E30100", at, f"type '{owner}' cannot be used to refer to non-static member '{name}'", len(name))
        return None
    this = upcast(ctx, base, found.path)
    if function.mutating and not is_mutable(this):
        ctx.error("E30050", at, f"mutating method '{name}' cannot be called on an immutable value", len(name))
    return this


def _opened_argument(ctx: Context, param: Variable, argument: hir.Expr, target: Type, opening: hir.Opening) -> hir.Expr:
    if param.direction not in ("in", "constref") and not is_mutable(argument):
        no_place(ctx, param.name, argument)
    return convert(ctx, hir.OpenedValue(argument.at, OpenedType(opening), opening), target)


def passed(ctx: Context, name: str, direction: str, argument: hir.Expr, target: Type, at: int = -1) -> hir.Expr:
    """An argument as its parameter takes it; `at` is the call's place."""
    if direction in ("in", "constref"):
        return convert(ctx, argument, target)
    if not is_place(argument) or not is_mutable(argument):
        no_place(ctx, name, argument)
        return argument
    if same(argument.type, target):
        return argument
    if isinstance(target, InterfaceType) and isinstance(argument.type, InterfaceType):
        no_place(ctx, name, argument)
        return argument
    if isinstance(target, InterfaceType) and not isinstance(argument.type, InterfaceType):
        ctx.error(
            "E30077", argument.at if at < 0 else at,
            f"argument passed to parameter '{name}' is of concrete type '{argument.type}', but interface-typed output "
            f"parameters require interface-typed arguments. To allow passing a concrete type to this function, you can "
            f"replace '{target} {name}' with a generic 'T {name}' and a 'where T : {target}' constraint.",
        )  # fmt: skip
        return argument
    return hir.CopyBack(argument.at, target, argument)


def no_place(ctx: Context, name: str, argument: hir.Expr) -> None:
    """E30047, of an argument that is to be written to."""
    if not isinstance(argument.type, ErrorType):
        ctx.error("E30047", argument.at, f"argument passed to parameter '{name}' must be l-value.")


# ---- the language's own


def call_builtin(ctx: Context, callee: BuiltinExpr, arguments: list[hir.Expr], at: int) -> hir.Expr:
    receiver = callee.receiver
    if any(isinstance(argument.type, ErrorType) for argument in arguments):
        return hir.Undefined(at, ERROR_TYPE)
    types = [argument.type for argument in arguments]
    builtin = callee.builtin
    of = None if receiver is None else receiver.type
    found = None if builtin is None else builtin.resolve(types, callee.arguments, of)
    if found is None or len(found.params) != len(arguments):
        ctx.error(
            "E39999", callee.at,
            f"no overload for '{callee.name}' applicable to arguments of type {shown_types(arguments)}",
            len(callee.name),
        )  # fmt: skip
        return hir.Undefined(at, ERROR_TYPE)
    made: list[hir.Expr] = []
    if receiver is not None:
        made.append(receiver)
    for argument, type, direction in zip(arguments, found.params, found.directions, strict=False):
        made.append(passed(ctx, callee.name, direction, argument, type))
    call = hir.Intrinsic(at, found.result, found.name, found.type_arguments, made)
    return wrap_opened(receiver, call)
