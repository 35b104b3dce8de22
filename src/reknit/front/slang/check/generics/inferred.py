"""Generic types whose arguments a constructor call leaves out: `Box(1)`, `vector(1, 2)`, `Optional(x)`."""

from reknit.front.slang import hir
from reknit.front.slang.check.calls.overloads import attempts, choose
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container, LookupItem
from reknit.front.slang.check.expressions.pseudo_expressions import GenericExpr, ListExpr
from reknit.front.slang.check.generics.infer import unify
from reknit.front.slang.check.types.members import INITIALIZER
from reknit.front.slang.check.types.type_names import as_type
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.symbols import GenericParam
from reknit.front.slang.types import ConstType, OptionalType, ScalarType, StructType, TupleType, Type, VectorType


def infer_type(ctx: Context, callee: GenericExpr, arguments: list[hir.Expr]) -> Type:
    """The type that is constructed."""
    types = [argument.type for argument in arguments if not isinstance(argument, ListExpr)]
    if callee.builtin == "Optional" and len(types) == 1:
        return OptionalType(types[0])
    if callee.builtin == "Tuple":
        return TupleType(types)
    if callee.builtin == "vector" and types and all(isinstance(type, ScalarType) for type in types):
        return VectorType(types[0], ConstType(len(types)))
    item = callee.item
    if item is not None and isinstance(item.entry, Container) and item.entry.struct is not None:
        type = _of_struct(ctx, item.entry, arguments)
        if type is not None:
            return type
    return as_type(ctx, callee)


def _of_struct(ctx: Context, container: Container, arguments: list[hir.Expr]) -> Type | None:
    environment = ctx.lazy.environment(container)
    if container.struct is None:
        return None
    declared = [LookupItem(entry, Substitution()) for entry in container.members.get(INITIALIZER, [])]
    best = choose(attempts(ctx, declared, [], arguments))
    into: dict[GenericParam, Type] = {}
    if best:
        into = best[0].substitution.types
    else:
        for entry, argument in zip(ctx.lazy.fields(container), arguments, strict=False):
            unify(ctx, entry.field.type, argument.type, into, environment.params)
    if all(param in into for param in environment.params):
        return StructType(container.struct, [into[param] for param in environment.params])
    return None
