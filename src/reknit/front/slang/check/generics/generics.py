"""Generic parameters and their bounds, and generic types with arguments.

struct Box<T : IFoo, let N : int>    Environment([T, N], [T : IFoo]);  T and N are names of the scope inside
Box<A, 4>                            StructType(Box, [A, 4]); that A : IFoo is checked when all bases are known
"""

from reknit.front.slang import syntax
from reknit.front.slang.check.calls.lengths import is_pack, is_variadic_type
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import (
    AliasEntry,
    Container,
    LookupItem,
    PackEntry,
    Scope,
    TypeEntry,
    ValueEntry,
)
from reknit.front.slang.check.declare.instances import alias_instance, container_instance, length_applied
from reknit.front.slang.check.expressions.pseudo_expressions import ConjunctionType
from reknit.front.slang.check.generics.infer import mentions
from reknit.front.slang.check.templates.structs import struct_instance
from reknit.front.slang.conformances import unequal
from reknit.front.slang.hir import GenericValue
from reknit.front.slang.substitute import Substitution, substitute, substitute_interface
from reknit.front.slang.symbols import Constraint, Environment, GenericParam, Requirement
from reknit.front.slang.types import (
    ERROR,
    INT,
    AssocType,
    ConstType,
    EnumType,
    ErrorType,
    InterfaceType,
    ParamType,
    ScalarType,
    StructType,
    Type,
    same,
)


def declare(ctx: Context, generics: syntax.Generics | None, scope: Scope, length: int = -1) -> Environment:
    """Give `scope` the parameters of `generics` beyond those of what it stands in. Packs are of this length; -1: none
    may be there."""
    if generics is None:
        return scope.environment
    environment = scope.environment.inner()
    scope.environment = environment
    declared: list[tuple[GenericParam, syntax.Decl]] = []
    packs = 0
    for written in generics.params:
        if packs and not is_pack(written):
            message = "generic parameter after a variadic pack parameter is not allowed"
            ctx.error("E30522", written.at, message, len(written.name))
        if is_pack(written):
            packs += 1
            if length < 0:
                ctx.unsupported(written.at, f"a parameter pack here (`each {written.name}`)")
            declared += _pack(ctx, written, scope, environment, max(length, 0))
        elif isinstance(written, syntax.TypeParam):
            declared.append((_type_param(ctx, written, scope, environment), written))
        elif isinstance(written, syntax.ValueParam):
            declared.append((_value_param(ctx, written, scope, environment), written))
    for param, written in declared:
        if isinstance(written, syntax.TypeParam):
            for bound in written.constraints:
                constrain(ctx, environment, scope, ParamType(param), bound)
    for where in generics.wheres:
        _where(ctx, environment, scope, where)
    return environment


def _pack(
    ctx: Context, written: syntax.Decl, scope: Scope, environment: Environment, length: int
) -> list[tuple[GenericParam, syntax.Decl]]:
    """A pack is as many parameters, under one name."""
    ctx.has_packs = True
    inner = Scope(scope)
    declared: list[tuple[GenericParam, syntax.Decl]] = []
    for _ in range(length):
        if isinstance(written, syntax.TypeParam):
            declared.append((_type_param(ctx, written, inner, environment), written))
        elif isinstance(written, syntax.ValueParam):
            declared.append((_value_param(ctx, written, inner, environment), written))
    scope.add(PackEntry(written.name, written.at, inner.names.get(written.name, [])))
    if isinstance(written, (syntax.TypeParam, syntax.ValueParam)) and written.default is not None:
        ctx.unsupported(written.default.at, f"a default for a parameter pack (`each {written.name}`)")
    return declared


def _type_param(ctx: Context, written: syntax.TypeParam, scope: Scope, environment: Environment) -> GenericParam:
    param = GenericParam(written.name, ctx.number(), written.at)
    environment.params.append(param)
    scope.add(TypeEntry(written.name, written.at, ParamType(param)))
    if written.default is not None:
        ctx.defaults[param] = (scope, written.default)
    return param


def _value_param(ctx: Context, written: syntax.ValueParam, scope: Scope, environment: Environment) -> GenericParam:
    type = ctx.types.type_of(scope, written.type)
    if not isinstance(type, (ScalarType, EnumType, ErrorType)) or (
        isinstance(type, ScalarType) and type.kind not in ("int", "uint", "bool")
    ):
        ctx.error(
            "E30624", written.at,
            f"generic value parameter type '{type}' is not supported; only integer and enum types are allowed",
            len(written.name),
        )  # fmt: skip
        type = INT
    param = GenericParam(written.name, ctx.number(), written.at)
    environment.params.append(param)
    scope.add(ValueEntry(written.name, written.at, GenericValue(written.at, type, ParamType(param))))
    if written.default is not None:
        ctx.defaults[param] = (scope, written.default)
    return param


def constrain(
    ctx: Context, environment: Environment, scope: Scope, subject: Type, bound: syntax.Expr, optional: bool = False
) -> None:
    """`subject : bound`, where `bound` may be several joined by &."""
    type = ctx.types.type_of(scope, bound)
    for bound_type in type.parts if isinstance(type, ConjunctionType) else [type]:
        if isinstance(bound_type, InterfaceType):
            constraint = Constraint(ctx.number(), subject, bound_type, optional)
            environment.constraints.append(constraint)
            ctx.evidence.constrain(constraint)
        elif not isinstance(bound_type, ErrorType):
            ctx.error("E30401", bound.at, f"type '{bound_type}' cannot be used as a constraint")


def conjuncts(bound: syntax.Expr) -> list[syntax.Expr]:
    """The bounds of `A & B`, in order."""
    exprs: list[syntax.Expr] = []
    while isinstance(bound, syntax.Binary) and bound.op == "&":
        exprs.append(bound.right)
        bound = bound.left
    exprs.append(bound)
    exprs.reverse()
    return exprs


def _where(ctx: Context, environment: Environment, scope: Scope, where: syntax.Where) -> None:
    if isinstance(where.subject, syntax.Call):
        _where_count(ctx, environment, scope, where, where.subject.arguments)
        return
    pack = own_pack(scope, where.subject)
    if pack is not None:
        _where_pack(ctx, environment, scope, where, pack)
        return
    subject = ctx.types.type_of(scope, where.subject)
    if isinstance(subject, ErrorType):
        return
    if where.equal is not None:
        _equate(ctx, environment, scope, where, subject, ctx.types.type_of(scope, where.equal))
        return
    if where.conversion:
        environment.conversions.append((subject, ctx.types.type_of(scope, where.bounds[0])))
        return
    if not isinstance(subject, (ParamType, AssocType)) and not mentions(subject, environment.params):
        ctx.error("E30402", where.subject.at, f"type '{subject}' is not a valid left hand side of a type constraint")
        return
    for bound in where.bounds:
        constrain(ctx, environment, scope, subject, bound, where.optional)


def _where_count(
    ctx: Context, environment: Environment, scope: Scope, where: syntax.Where, arguments: list[syntax.Expr]
) -> None:
    """`nonempty(T)` or `countof(T) == N`."""
    pack = own_pack(scope, arguments[0]) if len(arguments) == 1 else None
    if pack is None:
        ctx.unsupported(where.at, "a `where` that counts anything but a parameter pack of this declaration")
        return
    wanted = None if where.equal is None else ctx.types.constant(scope, where.equal)
    environment.counts.append((pack.name, len(pack.elements), wanted))


def miscounted(environment: Environment, substitution: Substitution) -> tuple[str, str] | None:
    """The code and message of a pack that has not as many elements as a `where` says, None if there is none."""
    for name, length, wanted in environment.counts:
        if wanted is None:
            if length == 0:
                return "E30440", f"could not satisfy the generic constraint 'nonempty({name})'"
            continue
        count = substitute(wanted, substitution)
        if isinstance(count, ConstType) and count.value != length:
            return "E30433", f"expected {count} elements, but pack argument has {length}"
    return None


def own_pack(scope: Scope, written: syntax.Expr) -> PackEntry | None:
    """The pack that this scope itself has under the name."""
    entries = scope.names.get(written.text, []) if isinstance(written, syntax.Name) else []
    return entries[0] if entries and isinstance(entries[0], PackEntry) else None


def _where_pack(
    ctx: Context, environment: Environment, scope: Scope, where: syntax.Where, pack: PackEntry
) -> None:
    """What is asked of a pack is asked of each of its elements."""
    for index, entry in enumerate(pack.elements):
        if not isinstance(entry, TypeEntry):
            ctx.unsupported(where.at, f"a `where` about a pack of values (`{pack.name}`)")
        elif where.equal is not None:
            equal = ctx.types.type_of(scope, where.equal)
            environment.equalities.append((entry.type, equal))
            pack.elements[index] = TypeEntry(entry.name, entry.at, equal)
        elif where.conversion:
            environment.conversions.append((entry.type, ctx.types.type_of(scope, where.bounds[0])))
        else:
            for bound in where.bounds:
                constrain(ctx, environment, scope, entry.type, bound, where.optional)


def _equate(
    ctx: Context, environment: Environment, scope: Scope, where: syntax.Where, left: Type, right: Type
) -> None:
    """`left == right`: one of them, a parameter or an associated type, stands for the other from here on."""
    if isinstance(right, ErrorType) or same(left, right):
        return
    if not _replaceable(left, scope) and _replaceable(right, scope):
        left, right = right, left
    if isinstance(left, ParamType) and _replaceable(left, scope):
        for name, entries in scope.names.items():
            if any(isinstance(entry, TypeEntry) and same(entry.type, left) for entry in entries):
                scope.names[name] = [TypeEntry(name, where.at, right)]
    elif isinstance(left, AssocType):
        left.requirement.equal[left.witness.key] = right
    else:
        ctx.unsupported(where.at, f"that '{left}' equals '{right}': neither is a parameter of this declaration")
        return
    environment.equalities.append((left, right))


def _replaceable(type: Type, scope: Scope) -> bool:
    """An associated type, or a parameter that this scope declares."""
    if isinstance(type, AssocType):
        return True
    return isinstance(type, ParamType) and any(
        isinstance(entry, TypeEntry) and same(entry.type, type) for entry in scope.names.get(type.param.name, [])
    )


# ---- arguments


def apply(
    ctx: Context, item: LookupItem, arguments: list[Type], at: int, environment: Environment, outer: int
) -> Substitution | None:
    """What a generic's arguments are, defaults included; None if they don't fit, which is said."""
    own = environment.params[outer:]
    copy = item.substitution.copy()
    for param in environment.params[:outer]:
        copy.types.setdefault(param, ParamType(param))
    if len(arguments) > len(own):
        _wrong_count(ctx, item, arguments, at, len(own))
        return None
    for param, argument in zip(own, arguments, strict=False):
        copy.types[param] = argument
    for param in own[len(arguments) :]:
        default = ctx.defaults.get(param)
        if default is None:
            _wrong_count(ctx, item, arguments, at, len(own))
            return None
        copy.types[param] = substitute(ctx.types.argument_of(*default), copy)
    return copy


def _wrong_count(ctx: Context, item: LookupItem, arguments: list[Type], at: int, expected: int) -> None:
    name = item.entry.name
    if not arguments:
        ctx.error("E30408", at, f"generic type '{name}' used without argument", len(name))
        return
    word = "many" if len(arguments) > expected else "few"
    ctx.error("E39999", at, f"too {word} arguments to call (got {len(arguments)}, expected {expected})", len(name))


def check_constraints(ctx: Context, environment: Environment, substitution: Substitution, at: int) -> bool:
    """Say which argument doesn't conform to what its parameter asks for."""
    missing = ctx.evidence.witness_all(environment, substitution)
    if missing is None:
        return _check_equalities(ctx, environment, substitution, at)
    subject = substitute(missing.subject, substitution)
    bound = substitute_interface(missing.bound, substitution)
    if isinstance(subject, ErrorType) or any(isinstance(type, ErrorType) for type in substitution.types.values()):
        return False
    ctx.error(
        "E38029", at,
        f"type argument '{subject}' for '{missing.subject}' does not conform to the required interface '{bound}'",
    )  # fmt: skip
    return False


def _check_equalities(ctx: Context, environment: Environment, substitution: Substitution, at: int) -> bool:
    wrong = miscounted(environment, substitution)
    if wrong is not None:
        ctx.error(wrong[0], at, wrong[1])
        return False
    differ = unequal(environment, substitution)
    if differ is not None and not any(isinstance(type, ErrorType) for type in differ):
        ctx.error("E38029", at, different(differ))
    return differ is None


def different(types: tuple[Type, Type]) -> str:
    return f"type argument '{types[0]}' is not '{types[1]}', which a constraint says it equals"


def _check_later(ctx: Context, environment: Environment, substitution: Substitution, at: int) -> None:
    """Check that arguments conform, once all bases are known."""
    if not environment.constraints and not environment.equalities and not environment.counts:
        return
    if ctx.headers_done:
        check_constraints(ctx, environment, substitution.copy(), at)
    else:
        ctx.later.append((environment, substitution.copy(), at))


def applied(ctx: Context, item: LookupItem, arguments: list[Type], at: int) -> Type:
    """The type that a struct, interface, enum or alias is with these arguments."""
    entry = item.entry
    if isinstance(entry, Container) and entry.template is not None:
        return struct_instance(ctx, entry, arguments, at)
    if is_variadic_type(entry):
        if isinstance(entry, Container) and isinstance(entry.decl, syntax.AggregateDecl):
            length = length_applied(ctx, entry.decl.generics, len(arguments), entry.name, at)
            entry = entry if length < 0 else container_instance(ctx, entry, length)
        elif isinstance(entry, AliasEntry):
            length = length_applied(ctx, entry.decl.generics, len(arguments), entry.name, at)
            entry = entry if length < 0 else alias_instance(entry, length)
        if is_variadic_type(entry):
            return ERROR
    if isinstance(entry, Container):
        environment = ctx.lazy.environment(entry)
        arguments_by_param = apply(ctx, item, arguments, at, environment, entry.outer)
        if arguments_by_param is None:
            return ERROR
        _check_later(ctx, environment, arguments_by_param, at)
        types = [arguments_by_param.types[param] for param in environment.params]
        if entry.struct is not None:
            return StructType(entry.struct, types)
        if entry.interface is not None:
            return InterfaceType(entry.interface, types)
        return entry.self_type
    if isinstance(entry, AliasEntry):
        type = ctx.lazy.alias(entry)
        if entry.environment is None:
            return ERROR
        arguments_by_param = apply(ctx, item, arguments, at, entry.environment, entry.outer)
        if arguments_by_param is None:
            return ERROR
        _check_later(ctx, entry.environment, arguments_by_param, at)
        return substitute(type, arguments_by_param)
    return ERROR


def own_part(environment: Environment, requirement: Requirement, all: Substitution) -> Substitution:
    """The part of a substitution that is for a requirement's own parameters."""
    outer = requirement.interface.environment
    substitution = Substitution()
    substitution.types = {param: all.types[param] for param in environment.params if param not in outer.params}
    substitution.witnesses = {
        constraint: all.witnesses[constraint]
        for constraint in environment.constraints
        if constraint not in outer.constraints and constraint in all.witnesses
    }
    return substitution
