"""Parameter packs and tuples, element by element.

    expand f(each v, 1)     for a pack v of three: f(v's first, 1), f(v's second, 1), f(v's third, 1)
    g(v)   g(expand each v) g of all elements of v                          Tuple<expand S<each T>>  Tuple<S<A>, S<B>>

A function with packs is checked once for each length that it is called with, so a pack is a list of entries here.
Source: Slang's user's guide, "Variadic Generics".
"""

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Entry, LookupItem, PackEntry, Scope, TypeEntry, ValueEntry
from reknit.front.slang.check.declare.defaults import tuple_part
from reknit.front.slang.check.expressions.access import captured, meaning
from reknit.front.slang.check.expressions.assignable import is_place
from reknit.front.slang.check.expressions.pseudo_expressions import TypeExpr, is_value, what_it_is
from reknit.front.slang.check.types.members import find
from reknit.front.slang.check.types.type_names import argument
from reknit.front.slang.substitute import Substitution
from reknit.front.slang.types import ERROR, ErrorType, TupleType, Type
from reknit.source.meter import spend


def pack_of(ctx: Context, scope: Scope, written: syntax.Expr) -> PackEntry | None:
    """The pack that is written, if it is one: by its name, or without its first or last element."""
    if isinstance(written, syntax.Call) and isinstance(written.callee, syntax.Name):
        name = written.callee.text
        if name not in ("__trimFirst", "__trimLast") or len(written.arguments) != 1:
            return None
        whole = _elements_of(ctx, scope, written.arguments[0])
        if whole is None:
            return None
        return PackEntry(name, written.at, whole.elements[1:] if name == "__trimFirst" else whole.elements[:-1])
    if not ctx.has_packs or not isinstance(written, syntax.Name):
        return None
    items, _ = find(ctx, scope, written.text, written.from_global)
    entry = items[0].entry if items else None
    return entry if isinstance(entry, PackEntry) else None


def _elements_of(ctx: Context, scope: Scope, written: syntax.Expr) -> PackEntry | None:
    """Of a pack or a tuple; None if it is neither, which is reported."""
    pack = pack_of(ctx, scope, written)
    if pack is not None:
        return pack
    expr = ctx.expressions.expression(scope, written)
    at = written.at
    if isinstance(expr, TypeExpr) and isinstance(expr.type, TupleType):
        return PackEntry("", at, [TypeEntry("", at, type) for type in expr.type.elements])
    if not _is_tuple(ctx, written, expr) or not isinstance(expr.type, TupleType):
        return None
    parts = [tuple_part(expr, index, at) for index in range(len(expr.type.elements))]
    return PackEntry("", at, [ValueEntry("", at, part) for part in parts])


def end_of(ctx: Context, scope: Scope, written: syntax.Call, last: bool) -> hir.Expr:
    """`__first(p)` or `__last(p)`."""
    whole = _elements_of(ctx, scope, written.arguments[0]) if len(written.arguments) == 1 else None
    if whole is None:
        return hir.Undefined(written.at, ERROR)
    if not whole.elements:
        ctx.error("E30440", written.at, "could not satisfy the generic constraint 'nonempty': the pack is empty")
        return hir.Undefined(written.at, ERROR)
    return _element(ctx, scope, whole.elements[-1 if last else 0], whole.name, written.at)


def spread(ctx: Context, scope: Scope, written: syntax.Expr) -> list[hir.Expr] | None:
    """All that an `expand`, or the name of a pack, stands for; None if what is written is neither."""
    if isinstance(written, syntax.Expand):
        length = _length(ctx, scope, written)
        pattern = written.pattern
    else:
        pack = pack_of(ctx, scope, written)
        if pack is None:
            return None
        length = len(pack.elements)
        pattern = syntax.Each(written.at, written)
    if length < 0:
        return [hir.Undefined(written.at, ERROR)]
    around = ctx.element
    exprs: list[hir.Expr] = []
    for index in range(length):
        spend(1)
        ctx.element = index
        exprs.append(ctx.expressions.expression(scope, pattern))
    ctx.element = around
    return exprs


def spread_all(ctx: Context, scope: Scope, written: list[syntax.Expr]) -> list[hir.Expr]:
    """Arguments, those of packs among them."""
    exprs: list[hir.Expr] = []
    for one in written:
        many = spread(ctx, scope, one)
        if many is None:
            exprs.append(ctx.expressions.expression(scope, one))
        else:
            exprs += many
    return exprs


def list_parts(ctx: Context, scope: Scope, written: list[syntax.Expr]) -> list[hir.Expr]:
    """What stands in an initializer list."""
    parts: list[hir.Expr] = []
    for one in written:
        many = spread(ctx, scope, one)
        parts += [ctx.expressions.value_or_list(scope, one)] if many is None else many
    return parts


def generic_arguments(ctx: Context, scope: Scope, written: list[syntax.Expr]) -> list[Type]:
    types: list[Type] = []
    for one in written:
        many = spread(ctx, scope, one)
        types += [ctx.types.argument_of(scope, one)] if many is None else [argument(ctx, expr) for expr in many]
    return types


def each(ctx: Context, scope: Scope, written: syntax.Each) -> hir.Expr:
    """The element that the `expand` around it is at."""
    pack, at = written.pack, written.at
    whole = pack_of(ctx, scope, pack)
    if whole is not None:
        return _element(ctx, scope, whole.elements[ctx.element], whole.name, pack.at)
    expr = ctx.expressions.expression(scope, pack)
    if isinstance(expr, TypeExpr) and isinstance(expr.type, TupleType):
        return TypeExpr(at, expr.type.elements[ctx.element])
    return tuple_part(expr, ctx.element, at)


def _element(ctx: Context, scope: Scope, entry: Entry, name: str, at: int) -> hir.Expr:
    return captured(ctx, scope, entry, meaning(ctx, [LookupItem(entry, Substitution())], None, name, at))


def _length(ctx: Context, scope: Scope, written: syntax.Expand) -> int:
    """How many elements it goes over; -1 if that can't be said, which is reported."""
    lengths = [_length_of(ctx, scope, each.pack) for each in written.eaches]
    if not lengths:
        ctx.unsupported(written.at, "an `expand` without an `each`")
        return -1
    if min(lengths) != max(lengths) and min(lengths) >= 0:
        ctx.unsupported(written.at, f"an `expand` over packs of {min(lengths)} and of {max(lengths)} elements")
        return -1
    return min(lengths)


def _length_of(ctx: Context, scope: Scope, written: syntax.Expr) -> int:
    pack = pack_of(ctx, scope, written)
    if pack is not None:
        return len(pack.elements)
    expr = ctx.expressions.expression(scope, written)
    if not _is_tuple(ctx, written, expr) or not isinstance(expr.type, TupleType):
        return -1
    return len(expr.type.elements)


def _is_tuple(ctx: Context, written: syntax.Expr, expr: hir.Expr) -> bool:
    """Whether it is a tuple, or the type of one, whose elements can be taken one by one; what it is else is said."""
    if isinstance(expr.type, ErrorType):
        return False
    if not isinstance(expr.type, TupleType):
        named = f"a value of type '{expr.type}'" if is_value(expr) else what_it_is(expr)
        ctx.unsupported(written.at, f"`each` of {named}, which is neither a pack nor a tuple")
        return False
    if not isinstance(expr, TypeExpr) and not (is_place(expr) and _is_plain(written)):
        ctx.unsupported(written.at, "`each` of a tuple that is computed here: a variable can hold it")
        return False
    return True


def _is_plain(written: syntax.Expr) -> bool:
    """Whether it is a variable or a member of one, which is the same each time it is evaluated."""
    while isinstance(written, syntax.Member):
        written = written.base
    return isinstance(written, (syntax.Name, syntax.Keyword))
