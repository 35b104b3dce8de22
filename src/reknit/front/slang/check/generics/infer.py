"""Generic arguments that a call doesn't write, found from the types of its arguments.

    T max3<T>(T a, vector<T,N> b)    max3(1, float3(0))    ->  T := float, N := 3

What two arguments disagree about is joined where both are numbers (the one that HLSL computes with); else the first
stands and converting the second fails later.
"""

from reknit.front.slang.check.context import Context
from reknit.front.slang.check.expressions.convert import base_steps, held_by, scalar_cost
from reknit.front.slang.conformances import parts
from reknit.front.slang.substitute import Substitution, substitute
from reknit.front.slang.symbols import Environment, GenericParam
from reknit.front.slang.types import (
    ArrayType,
    AssocType,
    ConstType,
    InterfaceType,
    MatrixType,
    OptionalType,
    ParamType,
    ResourceType,
    ScalarType,
    StructType,
    Type,
    VectorType,
    WordType,
    same,
)


def unify(ctx: Context, pattern: Type, type: Type, into: dict[GenericParam, Type], wanted: list[GenericParam]) -> None:
    """Learn `wanted` parameters from an argument of `type` for a parameter of type `pattern`."""
    if isinstance(pattern, ParamType):
        if pattern.param in wanted and not isinstance(type, WordType):
            have = into.get(pattern.param)
            into[pattern.param] = type if have is None else join(ctx, have, type)
        return
    if isinstance(pattern, OptionalType) and not isinstance(type, OptionalType):
        unify(ctx, pattern.element, type, into, wanted)
        return
    held = held_by(type)
    if held is not None and held_by(pattern) is None:
        unify(ctx, pattern, held, into, wanted)
        return
    if isinstance(pattern, StructType):
        _struct(ctx, pattern, type, into, wanted)
    elif isinstance(pattern, InterfaceType):
        _interface(ctx, pattern, type, into, wanted)
    elif isinstance(pattern, (VectorType, MatrixType)) and isinstance(type, ScalarType):
        unify(ctx, pattern.element, type, into, wanted)
        if isinstance(pattern, VectorType) and is_open(pattern.count, wanted):
            unify(ctx, pattern.count, into.get(_param(pattern.count), ConstType(1)), into, wanted)
    elif isinstance(pattern, ArrayType) and isinstance(type, ArrayType):
        unify(ctx, pattern.element, type.element, into, wanted)
        if pattern.count is not None and type.count is not None:
            unify(ctx, pattern.count, type.count, into, wanted)
    elif pattern.__class__ is type.__class__:
        if isinstance(pattern, ResourceType) and isinstance(type, ResourceType) and pattern.kind != type.kind:
            return
        for inner, given in zip(parts(pattern), parts(type), strict=False):
            unify(ctx, inner, given, into, wanted)


def _struct(
    ctx: Context, pattern: StructType, type: Type, into: dict[GenericParam, Type], wanted: list[GenericParam]
) -> None:
    now: Type | None = type
    while isinstance(now, StructType):
        if now.struct is pattern.struct:
            for inner, given in zip(pattern.arguments, now.arguments, strict=False):
                unify(ctx, inner, given, into, wanted)
            return
        container = ctx.containers.get(now.struct.number)
        if container is None:
            return
        ctx.lazy.bases(container)
        if container.base is None:
            return
        now = substitute(container.base, ctx.evidence.struct_arguments(now))


def _interface(
    ctx: Context, pattern: InterfaceType, type: Type, into: dict[GenericParam, Type], wanted: list[GenericParam]
) -> None:
    if not pattern.arguments:
        return
    if isinstance(type, InterfaceType) and type.interface is pattern.interface:
        for inner, given in zip(pattern.arguments, type.arguments, strict=False):
            unify(ctx, inner, given, into, wanted)
        return
    witnesses = ctx.evidence.find_all(type, pattern.interface)
    if witnesses:
        for inner, given in zip(pattern.arguments, witnesses[0].interface.arguments, strict=False):
            unify(ctx, inner, given, into, wanted)


def join(ctx: Context, have: Type, type: Type) -> Type:
    if same(have, type):
        return have
    if isinstance(have, ScalarType) and isinstance(type, ScalarType):
        return type if scalar_cost(have, type) < scalar_cost(type, have) else have
    if isinstance(have, VectorType) and isinstance(type, VectorType) and same(have.count, type.count):
        return VectorType(join(ctx, have.element, type.element), have.count)
    if isinstance(have, VectorType) and isinstance(type, ScalarType):
        return VectorType(join(ctx, have.element, type), have.count)
    if isinstance(have, ScalarType) and isinstance(type, VectorType):
        return VectorType(join(ctx, have, type.element), type.count)
    if isinstance(have, StructType) and isinstance(type, StructType) and base_steps(ctx, have, type) is not None:
        return type
    return have


def from_constraints(
    ctx: Context, environment: Environment, substitution: Substitution, wanted: list[GenericParam]
) -> None:
    """Learn what is left from bounds: T : IBox<U>, where T is known and conforms to IBox of something."""
    for constraint in environment.constraints:
        bound = constraint.bound
        if not bound.arguments or all(param in substitution.types for param in wanted):
            continue
        subject = substitute(constraint.subject, substitution)
        if isinstance(subject, ParamType) and subject.param in wanted:
            continue
        _interface(ctx, bound, subject, substitution.types, wanted)


def is_open(type: Type, wanted: list[GenericParam]) -> bool:
    """Whether `type` is one of the parameters itself."""
    return isinstance(type, ParamType) and type.param in wanted


def _param(type: Type) -> GenericParam:
    assert isinstance(type, ParamType)
    return type.param


def mentions(type: Type, wanted: list[GenericParam]) -> bool:
    if isinstance(type, ParamType):
        return type.param in wanted
    if isinstance(type, (StructType, InterfaceType)):
        return any(mentions(argument, wanted) for argument in type.arguments)
    if isinstance(type, AssocType):
        return mentions(type.witness.subject, wanted)
    return any(mentions(part, wanted) for part in parts(type) if not isinstance(part, ConstType))
