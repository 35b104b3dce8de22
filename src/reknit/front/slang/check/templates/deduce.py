"""Template arguments that a call doesn't write, from the types of what it passes.

    T f(T a, vector<T, N> v)      f(1.5, float3(0, 0, 0))     T: float, N: 3
                                  f(1, float3(0, 0, 0))       none: T would be int and float
    S f(Box<S> b, T a[N])         f(box_of_int, three)        S: int, T and N of the array

What the parameters' types are written as is held against the arguments' types, which have to be the same: nothing is
converted (ISO C++ [temp.deduct.call]; so does DXC, where C++ would take an array's address it takes the array).
"""

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Container, FunctionEntry, Scope
from reknit.front.slang.check.expressions.convert import held_by
from reknit.front.slang.check.expressions.pseudo_expressions import ListExpr, is_value
from reknit.front.slang.check.types.members import find
from reknit.front.slang.types import (
    ArrayType,
    ErrorType,
    MatrixType,
    ResourceType,
    StructType,
    Type,
    VectorType,
    same,
)
from reknit.source.meter import spend


def deduced(ctx: Context, entry: FunctionEntry, arguments: list[hir.Expr], written: int) -> dict[str, Type] | str:
    """By name, of the parameters behind the first `written` ones; why there is none where arguments disagree."""
    template = entry.template
    assert template is not None
    wanted = [param.name for param in template.params[written:]]
    known: dict[str, Type] = {}
    for param, argument in zip(entry.decl.params, arguments, strict=False):
        if param.type is None or isinstance(argument, ListExpr) or not is_value(argument):
            continue
        if isinstance(argument.type, ErrorType) or not is_about(param.type, wanted):
            continue
        if not learn(ctx, entry.scope, param.type, argument.type, wanted, known):
            return f"could not infer template arguments from an argument of type '{argument.type}'"
    return known


def is_about(written: syntax.Expr, names: list[str]) -> bool:
    """Whether a type mentions one of the names where it can be deduced."""
    work = [written]
    while work:
        spend(1)
        part = work.pop()
        if isinstance(part, syntax.Name) and part.text in names:
            return True
        work += _parts(part)
    return False


def is_bare(written: syntax.Expr | None, names: list[str]) -> bool:
    """Whether a type is one of the names, so that it takes anything."""
    while isinstance(written, syntax.ModifiedType):
        written = written.base
    return isinstance(written, syntax.Name) and written.text in names


def _parts(written: syntax.Expr) -> list[syntax.Expr]:
    if isinstance(written, syntax.ModifiedType):
        return [written.base]
    if isinstance(written, syntax.Apply):
        return list(written.arguments)
    if isinstance(written, syntax.Index):
        return [written.base, *written.arguments]
    return []


def learn(
    ctx: Context, scope: Scope, written: syntax.Expr, type: Type, wanted: list[str], known: dict[str, Type]
) -> bool:
    """Whether the type may be what is written, by what is known then."""
    work: list[tuple[syntax.Expr, Type]] = [(written, type)]
    while work:
        spend(1)
        pattern, given = work.pop()
        if not is_about(pattern, wanted):
            continue
        if isinstance(pattern, syntax.Name):
            have = known.setdefault(pattern.text, held_by(given) or given)
            if not same(have, held_by(given) or given):
                return False
            continue
        if isinstance(pattern, syntax.ModifiedType):
            work.append((pattern.base, given))
            continue
        inner = _inside(ctx, scope, pattern, given)
        patterns = _parts(pattern)
        if inner is None or len(patterns) > len(inner):
            return False
        work += list(zip(patterns, inner, strict=False))
    return True


def _inside(ctx: Context, scope: Scope, pattern: syntax.Expr, given: Type) -> list[Type] | None:
    """What a type has where the pattern has its parts; None where it is of another kind."""
    if isinstance(pattern, syntax.Index):
        sized = isinstance(given, ArrayType) and len(pattern.arguments) == 1 and given.count is not None
        return [given.element, given.count] if isinstance(given, ArrayType) and given.count and sized else None
    if not isinstance(pattern, syntax.Apply) or not isinstance(pattern.base, syntax.Name):
        return None
    name = pattern.base.text
    if isinstance(given, VectorType):
        return [given.element, given.count] if name == "vector" else None
    if isinstance(given, MatrixType):
        return [given.element, given.rows, given.columns] if name == "matrix" else None
    if isinstance(given, ResourceType):
        return [given.element] if given.kind == name and given.element is not None else None
    if isinstance(given, StructType):
        container = ctx.containers.get(given.struct.number)
        made_of = None if container is None else container.made_of
        named = [item.entry for item in find(ctx, scope, name)[0] if isinstance(item.entry, Container)]
        return made_of.arguments if made_of is not None and made_of.entry in named else None
    return None
