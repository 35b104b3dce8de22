"""Initializers of a type, and the value that a type has without arguments.

A()   {}   A's __init(), its fields' defaults, else Zero        A(1, 2)   the __init that takes them
"""

from reknit.front.slang import hir
from reknit.front.slang.check.calls.calls import build
from reknit.front.slang.check.calls.overloads import Attempt, attempts, choose, shown_types
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import LookupItem
from reknit.front.slang.check.types.members import INITIALIZER, lookup
from reknit.front.slang.substitute import substitute
from reknit.front.slang.types import (
    INT,
    ArrayType,
    AssocType,
    EnumType,
    InterfaceType,
    MatrixType,
    OpenedType,
    OptionalType,
    ParamType,
    ScalarType,
    StructType,
    ThisType,
    TupleType,
    Type,
    VectorType,
)


def initializers(ctx: Context, type: Type) -> list[LookupItem]:
    if isinstance(type, (StructType, ParamType, AssocType, ThisType, OpenedType)):
        return [initializer for initializer in lookup(ctx, type, INITIALIZER) if not initializer.path]
    if isinstance(type, (ScalarType, VectorType, MatrixType, EnumType)) and ctx.extensions:
        return lookup(ctx, type, INITIALIZER)
    return []


def by_initializer(ctx: Context, type: Type, arguments: list[hir.Expr], at: int) -> hir.Expr | None:
    """A call of the `__init` that fits best; None if none does."""
    best = choose(attempts_at(ctx, type, arguments))
    if not best:
        return None
    if len(best) > 1:
        ctx.error("E39999", at, f"ambiguous call to '{type}' with arguments of type {shown_types(arguments)}")
        return hir.Undefined(at, type)
    return build(ctx, best[0], None, arguments, at)


def attempts_at(ctx: Context, type: Type, arguments: list[hir.Expr]) -> list[Attempt]:
    return attempts(ctx, initializers(ctx, type), [], arguments)


def no_initializer(ctx: Context, type: StructType, arguments: list[hir.Expr], at: int) -> hir.Expr:
    notes = [ctx.reports.note(attempt.entry.at, attempt.why) for attempt in attempts_at(ctx, type, arguments)[:10]]
    ctx.reports.error(
        "E39999", at, f"no overload for '{type}' applicable to arguments of type {shown_types(arguments)}", notes
    )
    return hir.Undefined(at, type)


def default_value(ctx: Context, type: Type, at: int) -> hir.Expr:
    """`type()`, `{}`: what an initializer without arguments makes, fields' defaults, else zero."""
    initialized = by_initializer(ctx, type, [], at)
    if initialized is not None:
        return initialized
    if isinstance(type, StructType):
        container = ctx.containers.get(type.struct.number)
        default = None if container is None else ctx.lazy.default(container)
        if default is not None:
            return hir.Call(at, type, default, ctx.evidence.struct_arguments(type), [])
    if isinstance(type, InterfaceType):
        if ctx.options.version >= 2026:
            ctx.error("E30524", at, "cannot initialize an interface variable with defaults")
        else:
            ctx.reports.warning(
                "E30521", at,
                "initializing an interface variable with defaults is deprecated and may cause unexpected behavior",
            )  # fmt: skip
        return hir.Undefined(at, type)
    if isinstance(type, OptionalType):
        return hir.MakeNone(at, type)
    if isinstance(type, ArrayType) and isinstance(type.element, StructType):
        inner = default_value(ctx, type.element, at)
        if not isinstance(inner, hir.Zero):
            return hir.Splat(at, type, inner)
    return hir.Zero(at, type)


def fields_of(ctx: Context, type: StructType) -> list[Type]:
    """The types of a struct's fields, its base first."""
    container = ctx.containers.get(type.struct.number)
    if container is None:
        return []
    inside = ctx.evidence.struct_arguments(type)
    ctx.lazy.bases(container)
    types = [substitute(entry.field.type, inside) for entry in ctx.lazy.fields(container)]
    return types if container.base is None else [substitute(container.base, inside), *types]


def hidden_of(ctx: Context, type: StructType) -> list[bool]:
    """Which of those fields are private: what a struct is made of leaves them out, inside of it too."""
    container = ctx.containers.get(type.struct.number)
    if container is None:
        return []
    hidden = ["private" in entry.decl.modifiers.words for entry in ctx.lazy.fields(container)]
    return hidden if container.base is None else [False, *hidden]


def tuple_part(expr: hir.Expr, index: int, at: int) -> hir.Expr:
    """`t._0`."""
    if not isinstance(expr.type, TupleType):
        return expr
    return hir.Element(at, expr.type.elements[index], expr, hir.Const(at, INT, index))
