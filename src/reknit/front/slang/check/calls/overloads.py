"""Which function of a name is meant: the only place where overloads are resolved.

    foo(a, b)     candidates -> arguments inferred -> costs -> the cheapest

Among equally cheap ones the one without generic parameters wins, then the one of the inner scope; what is left is
ambiguous.
"""

from typing import final

from reknit.front.slang import hir
from reknit.front.slang.check.calls.lengths import MAX_PACK_LENGTH, is_variadic, length_of_packs
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import FunctionEntry, LookupItem, Overloads
from reknit.front.slang.check.expressions.convert import cost, type_cost
from reknit.front.slang.check.expressions.pseudo_expressions import ListExpr, is_value
from reknit.front.slang.check.generics import infer
from reknit.front.slang.check.generics.generics import different, miscounted
from reknit.front.slang.check.templates.functions import bare_params, function_instance, unmade
from reknit.front.slang.check.types.function_interfaces import called_by
from reknit.front.slang.check.types.members import MANY, lookup
from reknit.front.slang.conformances import by_equalities, unequal
from reknit.front.slang.substitute import Substitution, substitute, substitute_interface
from reknit.front.slang.symbols import Function, GenericParam, Variable
from reknit.front.slang.types import (
    ERROR,
    EnumType,
    InterfaceType,
    OpenedType,
    ParamType,
    ScalarType,
    StructType,
    Type,
    same,
)
from reknit.source.meter import spend


@final
class Attempt:
    """A candidate with the arguments of one call. `cost` -1: not applicable, `why` says why."""

    __slots__ = ("item", "entry", "function", "substitution", "cost", "why", "code", "openings", "generic", "at")

    def __init__(self, item: LookupItem, entry: FunctionEntry, function: Function) -> None:
        self.item = item
        self.entry = entry
        self.function = function
        self.substitution = item.substitution
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


def attempts(ctx: Context, functions: list[LookupItem], group: list[Type], arguments: list[hir.Expr]) -> list[Attempt]:
    """Each of the functions, tried; `group` are generic arguments that were written. Of many, the one whose parameters
    have the very types of the arguments is tried alone: none is better, and to try all of n in each of n calls takes
    long."""
    many = ctx.overloads.get(id(functions))
    if many is not None:
        exact = [] if group else _exact(ctx, many.items, many, arguments)
        functions = [LookupItem(each.entry, Substitution()) for each in (exact if len(exact) == 1 else functions)]
        spend(len(functions))
    elif len(functions) > MANY and not group:
        exact = _exact(ctx, functions, None, arguments)
        if len(exact) == 1 and exact[0].depth == min(item.depth for item in functions) and exact[0].witness is None:
            functions = exact
        spend(len(functions))
    tried = [
        attempt(ctx, function, function.entry, group, arguments)
        for function in functions
        if isinstance(function.entry, FunctionEntry)
    ]
    for each in tried:
        if _is_unread(each.function):  # whether it is the one that is meant can't be said
            what = f"a call of '{each.entry.name}', for the types of its parameters or result"
            if ctx.checking >= 0:
                ctx.unsupported(ctx.checking, what)
            else:
                ctx.error("RK0911", each.entry.at, f"not supported: {what}")
    return tried


def _exact(
    ctx: Context, functions: list[LookupItem], many: Overloads | None, arguments: list[hir.Expr]
) -> list[LookupItem]:
    """Those of no generics whose parameters are taken in, as many as the arguments and of their types, which say all of
    a value: structs."""
    if not arguments or not all(is_value(each) and type(each.type) is StructType for each in arguments):
        return []
    by_types = None if many is None else many.by_types
    if by_types is None:
        by_types = _by_types(ctx, functions)
        if many is not None:
            many.by_types = by_types
    return by_types.get(tuple([argument.type.key for argument in arguments]), [])


def _by_types(ctx: Context, functions: list[LookupItem]) -> dict[tuple[str, ...], list[LookupItem]]:
    by_types: dict[tuple[str, ...], list[LookupItem]] = {}
    for item in functions:
        entry = item.entry
        if not isinstance(entry, FunctionEntry) or entry.template is not None or is_variadic(entry):
            continue
        function = ctx.signatures.function(entry)
        if function.environment.params or function.environment.constraints or item.substitution.types:
            continue
        if all(param.direction == "in" for param in function.params):
            by_types.setdefault(tuple([param.type.key for param in function.params]), []).append(item)
    return by_types


def _is_unread(function: Function) -> bool:
    return any(ERROR.key in type.key for type in [function.result, *[param.type for param in function.params]])


def attempt(
    ctx: Context, item: LookupItem, entry: FunctionEntry, group: list[Type], arguments: list[hir.Expr]
) -> Attempt:
    """Try one function."""
    if is_variadic(entry):
        length = length_of_packs(entry, group, arguments)
        entry = entry.instance(min(max(length, 0), MAX_PACK_LENGTH))
        if length < 0:
            short = Attempt(item, entry, ctx.signatures.function(entry))
            return short.fail(f"no length of the parameter packs of '{entry.name}' fits {len(arguments)} arguments")
        if length > MAX_PACK_LENGTH:
            long = Attempt(item, entry, ctx.signatures.function(entry))
            return long.fail(f"not supported: a parameter pack of more than {MAX_PACK_LENGTH} elements", "RK0910")
    if entry.template is not None:
        instance = function_instance(ctx, entry, group, arguments)
        if isinstance(instance, str):
            return Attempt(item, entry, unmade(ctx, entry)).fail(instance, "E30439")
        entry, group = instance, []
        ctx.signatures.defaults(entry, len(arguments))
    function = ctx.signatures.function(entry)
    tried = Attempt(item, entry, function)
    tried.generic = entry.made_of is not None
    params = function.params
    if len(arguments) > len(params):
        return tried.fail(f"too many arguments to call (got {len(arguments)}, expected {len(params)})")
    least = len([param for param in params if param.init is None])
    if len(arguments) < least:
        return tried.fail(f"not enough arguments to call (got {len(arguments)}, expected {least})")
    if not _infer(ctx, tried, group, arguments):
        return tried
    for index, (param, argument) in enumerate(zip(params, arguments, strict=False)):
        target = substitute(param.type, tried.substitution)
        argument_cost = _argument_cost(ctx, param, argument, target, tried.openings.get(index))
        if argument_cost < 0:
            got = argument.type if is_value(argument) else "an overloaded name"
            return tried.fail(f"expected an expression of type '{target}', got '{got}'", "E30019", argument.at)
        tried.cost += argument_cost
    return tried


def _infer(ctx: Context, tried: Attempt, written: list[Type], arguments: list[hir.Expr]) -> bool:
    environment = tried.function.environment
    wanted = [param for param in environment.params if param not in tried.item.substitution.types]
    if not wanted and not environment.constraints and not environment.equalities and not environment.counts:
        if written:
            tried.fail("expected a generic when using '<...>'")
        return not written
    tried.substitution = tried.item.substitution.copy()
    tried.generic = bool(wanted)
    if len(written) > len(wanted):
        tried.fail(f"wrong number of generic arguments (got {len(written)}, expected {len(wanted)})")
        return False
    types = tried.substitution.types
    for generic, type in zip(wanted, written, strict=False):
        types[generic] = type
    left = wanted[len(written) :]
    for index, (param, argument) in enumerate(zip(tried.function.params, arguments, strict=False)):
        if not left or isinstance(argument, ListExpr) or not is_value(argument) or called_by(param.type) is not None:
            continue
        type = argument.type
        if isinstance(type, InterfaceType) and infer.is_open(param.type, left) and _constrained(tried, param.type):
            if param.direction not in ("in", "constref"):
                tried.fail(f"expected an expression of type '{param.type}', got '{type}'", "E30019", argument.at)
                return False
            tried.openings[index] = ctx.opening(argument)
            type = OpenedType(tried.openings[index])
        infer.unify(ctx, param.type, type, types, left)
    for param, argument in zip(tried.function.params, arguments, strict=False):
        called = called_by(param.type)
        if called is not None and left:
            _infer_called(ctx, called, argument, tried.substitution, left)
    by_equalities(environment, tried.substitution)
    if left:
        infer.from_constraints(ctx, environment, tried.substitution, left)
        by_equalities(environment, tried.substitution)
    for unknown in left:
        if unknown not in types:
            default = ctx.defaults.get(unknown)
            if default is None:
                tried.fail(f"could not infer generic argument for parameter '{unknown.name}'", "E30439")
                return False
            types[unknown] = substitute(ctx.types.argument_of(*default), tried.substitution)
    missing = ctx.evidence.witness_all(environment, tried.substitution)
    if missing is not None:
        subject = substitute(missing.subject, tried.substitution)
        bound = substitute_interface(missing.bound, tried.substitution)
        if isinstance(subject, InterfaceType):
            tried.fail(
                f"specializing '{tried.entry.name}' with an existential type is not allowed. All generic arguments "
                "must be statically resolvable at compile time.", "E33180",
            )  # fmt: skip
            return False
        tried.fail(
            f"type argument '{subject}' for '{missing.subject}' does not conform to the required interface '{bound}'",
            "E38029",
        )
        return False
    wrong = miscounted(environment, tried.substitution)
    if wrong is not None:
        tried.fail(wrong[1], wrong[0])
        return False
    differ = unequal(environment, tried.substitution)
    if differ is not None:
        tried.fail(different(differ), "E38029")
        return False
    for target, source in environment.conversions:
        wanted_type, given = substitute(target, tried.substitution), substitute(source, tried.substitution)
        if not castable(ctx, given, wanted_type):
            tried.fail(f"'{given}' does not convert to '{wanted_type}', which a constraint asks for", "E38029")
            return False
    return True


def _infer_called(
    ctx: Context, called: list[Type], argument: hir.Expr, known: Substitution, wanted: list[GenericParam]
) -> None:
    """What a function as an argument says of its parameter's type, whose result is the first of `called`. Arguments
    that are known choose among overloads."""
    open_ones = [param for param in wanted if param not in known.types]
    given = None
    if not any(infer.mentions(type, open_ones) for type in called[1:]):
        given = [substitute(type, known) for type in called[1:]]
    signature = ctx.function_values.signature(argument, len(called) - 1, given)
    for pattern, type in zip(called, signature, strict=False):
        infer.unify(ctx, pattern, type, known.types, open_ones)


def castable(ctx: Context, source: Type, target: Type) -> bool:
    """Whether `target(a source)` is a value: by a conversion of numbers, or by an initializer."""
    if same(source, target) or type_cost(ctx, source, target) >= 0:
        return True
    if isinstance(source, (ScalarType, EnumType)) and isinstance(target, (ScalarType, EnumType)):
        return True
    declared = lookup(ctx, target, "__init") if isinstance(target, (StructType, ParamType)) else []
    return bool(choose(attempts(ctx, declared, [], [hir.Undefined(0, source)])))


def _constrained(tried: Attempt, type: Type) -> bool:
    """Existentials are opened for parameters that ask for something."""
    return any(same(constraint.subject, type) for constraint in tried.function.environment.constraints)


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
    fitting = [candidate for candidate in attempts if candidate.cost >= 0]
    if not fitting:
        return []
    fixed = [candidate for candidate in fitting if candidate.entry.length < 0]
    if fixed and len(fixed) < len(fitting):
        near = min(candidate.cost for candidate in fixed)
        if any(candidate.cost < near for candidate in fitting):
            return fitting  # how a conversion weighs against a parameter pack is not specified
        fitting = fixed
    lowest = min(candidate.cost for candidate in fitting)
    best = [candidate for candidate in fitting if candidate.cost == lowest]
    if len(best) > 1:
        plain = [candidate for candidate in best if not candidate.generic]
        best = plain if plain else _most_special(best)
    if len(best) > 1:
        near = min(candidate.item.depth for candidate in best)
        best = [candidate for candidate in best if candidate.item.depth == near]
    if len(best) > 1:
        outer = min(_nesting(candidate) for candidate in best)
        best = [candidate for candidate in best if _nesting(candidate) == outer]
    if len(best) > 1:
        least = min(_open_extension(candidate) for candidate in best)
        best = [candidate for candidate in best if _open_extension(candidate) == least]
    if len(best) > 1:
        own = [candidate for candidate in best if candidate.item.witness is None]
        best = own if own else best[:1]
    if len(best) > 1:
        fewest = min(len(candidate.function.params) for candidate in best)
        best = [candidate for candidate in best if len(candidate.function.params) == fewest]
    if len(best) > 1:
        fewest = min(len(candidate.function.environment.params) for candidate in best)
        best = [candidate for candidate in best if len(candidate.function.environment.params) == fewest]
    if len(best) > 1:
        bodies = [candidate for candidate in best if candidate.entry.decl.body is not None]
        best = bodies if bodies else best[:1]
    return best


def _most_special(best: list[Attempt]) -> list[Attempt]:
    """Fewer parameters that are a bare T, then more constraints."""
    bare = min(_bare(candidate) for candidate in best)
    best = [candidate for candidate in best if _bare(candidate) == bare]
    most = max(len(candidate.function.environment.constraints) for candidate in best)
    best = [candidate for candidate in best if len(candidate.function.environment.constraints) == most]
    return [candidate for candidate in best if not any(_asks_more(other, candidate) for other in best)]


def _asks_more(one: Attempt, other: Attempt) -> bool:
    """Whether a bound of one is inherited by what it is of the other, and none the other way round."""
    return _inherits(one, other) and not _inherits(other, one)


def _inherits(one: Attempt, other: Attempt) -> bool:
    for have, wanted in zip(one.function.environment.constraints, other.function.environment.constraints, strict=False):
        inherited = list(have.bound.interface.bases)
        for base in inherited:
            spend(1)
            if base.interface is wanted.bound.interface:
                return True
            inherited += [further for further in base.interface.bases if further not in inherited]
    return False


def _nesting(candidate: Attempt) -> int:
    """In how many namespaces it stands."""
    container = candidate.entry.container
    return 0 if container is None or container.kind != "namespace" else container.path.count("::") + 1


def _open_extension(candidate: Attempt) -> bool:
    """Whether it is of an extension of whatever type fits."""
    container = candidate.entry.container
    return container is not None and container.kind == "extension" and isinstance(container.self_type, ParamType)


def _bare(candidate: Attempt) -> int:
    made_of = candidate.entry.made_of
    if made_of is not None and isinstance(made_of.entry, FunctionEntry):
        return bare_params(made_of.entry)
    return len([param for param in candidate.function.params if isinstance(param.type, ParamType)])


def shown_types(arguments: list[hir.Expr]) -> str:
    return "(" + ", ".join([str(argument.type) for argument in arguments]) + ")"
