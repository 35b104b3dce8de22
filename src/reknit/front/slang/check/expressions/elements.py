"""Elements: `base[i]`.

array, vector, matrix, pointer    Element          buffer[i], texture[xy]    Element, its index of the right type
a type with `__subscript`         PropertyPlace    an existential            opened, then its `__subscript`
a struct with `operator[]`        Call, in HLSL
"""

from reknit.front.slang import hir
from reknit.front.slang.builtins import element_of, find_method
from reknit.front.slang.builtins.kinds import TEXTURES, texture_shape
from reknit.front.slang.check.calls.calls import call_builtin, call_group, passed
from reknit.front.slang.check.calls.overloads import Attempt, attempt, choose, shown_types
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import (
    LookupItem,
    PropertyEntry,
    Scope,
)
from reknit.front.slang.check.expressions.access import property_place
from reknit.front.slang.check.expressions.convert import convert, held_by
from reknit.front.slang.check.expressions.pseudo_expressions import (
    BuiltinExpr,
    GroupExpr,
    LevelsExpr,
    is_value,
    what_it_is,
)
from reknit.front.slang.check.types.members import lookup
from reknit.front.slang.check.types.visibility import accessible
from reknit.front.slang.substitute import substitute
from reknit.front.slang.types import (
    ERROR,
    INT,
    UINT,
    ArrayType,
    ConstType,
    ErrorType,
    InterfaceType,
    MatrixType,
    OpenedType,
    PointerType,
    ResourceType,
    ScalarType,
    Type,
    VectorType,
)


def subscript(ctx: Context, scope: Scope, base: hir.Expr, arguments: list[hir.Expr], at: int) -> hir.Expr:
    """`base[arguments]`."""
    if isinstance(base.type, ErrorType) or any(isinstance(argument.type, ErrorType) for argument in arguments):
        return hir.Undefined(at, ERROR)
    if isinstance(base, LevelsExpr):
        return _texel_of_level(ctx, base, arguments, at)
    if not is_value(base):
        ctx.error("E30013", at, f"no subscript declarations found for {what_it_is(base)}")
        return hir.Undefined(at, ERROR)
    type = base.type
    held = held_by(type)
    if held is not None:
        return subscript(ctx, scope, hir.Deref(base.at, held, base), arguments, at)
    element = _element_type(type)
    if element is not None and len(arguments) == 1:
        return _element(ctx, base, element, arguments[0], at)
    indexed = element_of(type)
    if indexed is not None and isinstance(type, ResourceType) and "MS" in type.kind and len(arguments) <= 2:
        return _sample(ctx, base, indexed[0], indexed[1], arguments, at)
    if indexed is not None and len(arguments) == 1:
        return hir.Element(at, indexed[1], base, convert(ctx, arguments[0], indexed[0]))
    if isinstance(type, InterfaceType):
        opening = ctx.opening(base)
        base = hir.OpenedValue(base.at, OpenedType(opening), opening)
    operators = lookup(ctx, type, "operator[]") if ctx.hlsl else []
    if operators:
        return call_group(ctx, GroupExpr(at, "operator[]", operators, base), arguments, at)
    call = _user_subscript(ctx, scope, base, arguments, at)
    if call is not None:
        return call
    ctx.error("E30013", at, f"no subscript declarations found for type '{type}'")
    return hir.Undefined(at, ERROR)


def _texel_of_level(ctx: Context, base: LevelsExpr, arguments: list[hir.Expr], at: int) -> hir.Expr:
    """`texture.mips[level][place]`: Load(place and level); `texture.sample[index][place]`: Load(place, index)."""
    if len(arguments) != 1:
        ctx.error("E39999", at, "levels and samples of a texture are named by one number, their texels by one place")
        return hir.Undefined(at, ERROR)
    if base.level is None:
        return LevelsExpr(at, base.texture, convert(ctx, arguments[0], INT))
    type = base.texture.type
    assert isinstance(type, ResourceType)
    shape = texture_shape(type.kind)
    assert shape is not None
    count = TEXTURES[shape]
    place = convert(ctx, arguments[0], INT if count == 1 else VectorType(INT, ConstType(count)))
    given = [place, base.level]
    if "MS" not in shape:
        given = [hir.Construct(at, VectorType(INT, ConstType(count + 1)), given)]
    return call_builtin(ctx, BuiltinExpr(at, "Load", find_method(type, "Load"), base.texture), given, at)


def _sample(ctx: Context, base: hir.Expr, at_type: Type, element: Type, given: list[hir.Expr], at: int) -> hir.Expr:
    """`texture[place, sample]` of a multisampled one: sample 0 where none is named."""
    assert isinstance(at_type, VectorType) and isinstance(at_type.count, ConstType)
    place = convert(ctx, given[0], VectorType(UINT, ConstType(at_type.count.value - 1)))
    sample = convert(ctx, given[1], UINT) if len(given) > 1 else hir.Const(at, UINT, 0)
    return hir.Element(at, element, base, hir.Construct(at, at_type, [place, sample]))


def _element_type(type: Type) -> Type | None:
    if isinstance(type, (ArrayType, PointerType)):
        return type.element
    if isinstance(type, VectorType):
        return type.element
    if isinstance(type, MatrixType):
        return VectorType(type.element, type.columns)
    return None


def _element(ctx: Context, base: hir.Expr, element: Type, index: hir.Expr, at: int) -> hir.Expr:
    type = index.type
    if not (isinstance(type, ScalarType) and type.kind in ("int", "uint")):
        index = convert(ctx, index, INT)
    size = _size(base.type)
    if size is not None and isinstance(index, hir.Const) and not 0 <= index.value < size:
        ctx.error("E30029", at, f"array index '{index.value}' is out of bounds for array of size '{size}'.")
        return hir.Undefined(at, element)
    return hir.Element(at, element, base, index)


def _size(type: Type) -> int | None:
    if isinstance(type, ArrayType) and isinstance(type.count, ConstType):
        return type.count.value
    if isinstance(type, VectorType) and isinstance(type.count, ConstType):
        return type.count.value
    if isinstance(type, MatrixType) and isinstance(type.rows, ConstType):
        return type.rows.value
    return None


def _with_most_accessors(attempts: list[Attempt], owners: list[PropertyEntry], chosen: Attempt) -> Attempt:
    """Of those that fit as well, one that can do all that the chosen one can and more: one with a setter before one
    without."""
    for other, owner in zip(attempts, owners, strict=True):
        have = [accessor.decl.kind for accessor in owners[attempts.index(chosen)].accessors()]
        more = [accessor.decl.kind for accessor in owner.accessors()]
        if other.cost == chosen.cost and len(more) > len(have) and all(kind in more for kind in have):
            chosen = other
    return chosen


def _user_subscript(ctx: Context, scope: Scope, base: hir.Expr, arguments: list[hir.Expr], at: int) -> hir.Expr | None:
    """The `__subscript` that takes these arguments."""
    attempts = []
    owners: list[PropertyEntry] = []
    declared = lookup(ctx, base.type, "subscript")
    seen = accessible(ctx, scope, declared, at)
    if declared and not seen:
        return hir.Undefined(at, ERROR)
    for item in seen:
        entry = item.entry
        if not isinstance(entry, PropertyEntry) or not entry.accessors():
            continue
        accessor = entry.getter or entry.reference or entry.setter
        if accessor is None:
            continue
        given = arguments
        if accessor is entry.setter:
            function = ctx.signatures.function(accessor)
            given = [*arguments, hir.Undefined(at, substitute(function.params[-1].type, item.substitution))]
        attempts.append(attempt(ctx, item, accessor, [], given))
        owners.append(entry)
    if not attempts:
        return None
    best = choose(attempts)
    if not best:
        ctx.error(
            "E39999", at, f"no overload for '__subscript' applicable to arguments of type {shown_types(arguments)}"
        )
        return hir.Undefined(at, ERROR)
    chosen = _with_most_accessors(attempts, owners, best[0])
    entry = owners[attempts.index(chosen)]
    given = [
        passed(ctx, param.name, "in", argument, substitute(param.type, chosen.substitution))
        for param, argument in zip(chosen.function.params, arguments, strict=False)
    ]
    item = LookupItem(entry, chosen.substitution, chosen.item.witness, chosen.item.path)
    return property_place(ctx, item, entry, base, given, at)
