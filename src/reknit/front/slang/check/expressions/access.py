"""Names, members and elements.

x            local, field of this, global, type, function...        a.b       field, property, method, case, type
v.xzy        Swizzle            t._0       Element                  o.value   GetValue
e.foo        e : IFoo: the opened payload's requirement             buf.Load  the language's own method
a[i]         Element, or a `__subscript`'s PropertyPlace
"""


from reknit.front.slang import hir, syntax
from reknit.front.slang.builtins import ENUMS, STATIC_CONSTANTS, find_method, find_static
from reknit.front.slang.builtins import find as find_builtin
from reknit.front.slang.builtins.builtin import Builtin
from reknit.front.slang.builtins.inputs import INPUTS
from reknit.front.slang.builtins.kinds import NOT_READ, texture_shape, writable
from reknit.front.slang.builtins.number_members import declared_by
from reknit.front.slang.check.calls.openings import wrap_opened
from reknit.front.slang.check.calls.special import SPECIAL
from reknit.front.slang.check.calls.suggest import nearest
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import (
    CbufferEntry,
    Container,
    Entry,
    FieldEntry,
    FunctionEntry,
    LookupItem,
    PackEntry,
    PropertyEntry,
    Scope,
    ValueEntry,
    VariableEntry,
)
from reknit.front.slang.check.expressions.assignable import pass_on
from reknit.front.slang.check.expressions.captures import seen_from, this_of
from reknit.front.slang.check.expressions.components import builtin_member
from reknit.front.slang.check.expressions.constants import generic_value
from reknit.front.slang.check.expressions.convert import held_by, upcast
from reknit.front.slang.check.expressions.pseudo_expressions import (
    BuiltinExpr,
    GenericExpr,
    GroupExpr,
    LevelsExpr,
    NamespaceExpr,
    TypeExpr,
    is_value,
    what_it_is,
)
from reknit.front.slang.check.generics.generics import own_part
from reknit.front.slang.check.types.members import find, lookup, of_namespace
from reknit.front.slang.check.types.type_names import as_type, builtin, named
from reknit.front.slang.check.types.visibility import accessible
from reknit.front.slang.hlsl import OWN
from reknit.front.slang.substitute import Substitution, substitute
from reknit.front.slang.symbols import Function, Requirement
from reknit.front.slang.types import (
    ERROR,
    INT,
    ConstType,
    ErrorType,
    InterfaceType,
    OpenedType,
    PointerType,
    ResourceType,
    StructType,
    Type,
)
from reknit.source.diagnostic import InternalError
from reknit.source.meter import spend


def name(ctx: Context, scope: Scope, written: syntax.Name) -> hir.Expr:
    text, at = written.text, written.at
    own = OWN.get(text) if ctx.hlsl else None
    items, inside = find(ctx, scope, text, written.from_global)
    if items:
        items = accessible(ctx, scope, items, at)
        if not items:
            return hir.Undefined(at, ERROR)
        base = None if inside is None else implicit_this(ctx, scope, inside)
        expr = captured(ctx, scope, items[0].entry, meaning(ctx, items, base, text, at))
        if isinstance(expr, GroupExpr):
            expr.builtin = find_builtin(text)
        return expr
    type = builtin(ctx, text, at)
    if type is not None:
        return type
    if text in SPECIAL:
        return BuiltinExpr(at, text, find_builtin(text), None)
    made_builtin = find_builtin(text if own is None else own)
    if made_builtin is not None and text in INPUTS:
        if ctx.glsl:
            return input_value(made_builtin, at)
    elif made_builtin is not None:
        return BuiltinExpr(at, text, made_builtin, None)
    if text in ENUMS:
        return TypeExpr(at, INT)
    if text in NOT_READ:
        ctx.unsupported(at, f"{NOT_READ[text]} (`{text}`)")
        return hir.Undefined(at, ERROR)
    notes = []
    close = nearest(scope, text)
    if close is not None:
        notes.append(ctx.reports.note(close.at, f"did you mean '{close.name}'?", len(close.name)))
    ctx.reports.error("E30015", at, f"undefined identifier '{text}'.", notes, len(text))
    return hir.Undefined(at, ERROR)


def input_value(input: Builtin, at: int) -> hir.Expr:
    resolved = input.resolve([], [], None)
    if resolved is None:
        raise InternalError(f"{input.name} takes arguments")
    return hir.Intrinsic(at, resolved.result, resolved.name, [], [])


def implicit_this(ctx: Context, scope: Scope, inside: Container) -> hir.Expr | None:
    """`this`, if a function's own type is the one whose member was found."""
    return this_of(ctx, scope.body, 0) if scope.enclosing() is inside else None


def captured(ctx: Context, scope: Scope, entry: Entry, meant: hir.Expr) -> hir.Expr:
    """A variable of the function around a lambda, as the lambda has it; constants need not be taken along."""
    if not isinstance(meant, hir.Place) or not isinstance(entry, VariableEntry) or entry.scope is None:
        return meant
    owner = entry.scope.body
    if meant.variable.kind not in ("local", "param", "entry") or owner is scope.body:
        return meant
    constant = generic_value(meant)
    if constant is not None:
        return generic_constant(constant, meant.type, meant.at)
    return seen_from(ctx, scope.body, owner, meant)


def meaning(ctx: Context, items: list[LookupItem], base: hir.Expr | None, text: str, at: int) -> hir.Expr:
    """What entries mean as an expression; `base` is what they are members of."""
    first = items[0]
    entry = first.entry
    if isinstance(entry, FunctionEntry):
        if id(items) not in ctx.overloads:
            items = [item for item in items if isinstance(item.entry, FunctionEntry)]
        return GroupExpr(at, text, items, base)
    if isinstance(entry, VariableEntry):
        return variable(ctx, first, entry, at)
    if isinstance(entry, FieldEntry):
        return field(ctx, first, entry, base, at)
    if isinstance(entry, PropertyEntry):
        return property_place(ctx, first, entry, base, [], at)
    if isinstance(entry, ValueEntry):
        return _constant_of(entry, first.substitution, at)
    if isinstance(entry, CbufferEntry):
        return _cbuffer(ctx, entry, at)
    if isinstance(entry, PackEntry):
        ctx.unsupported(at, f"a parameter pack as one value (`{text}`)")
        return hir.Undefined(at, ERROR)
    type = named(ctx, first, at)
    if type is not None:
        return type
    return hir.Undefined(at, ERROR)


def _constant_of(entry: ValueEntry, by: Substitution, at: int) -> hir.Expr:
    value = entry.value
    if isinstance(value, hir.Const):
        return hir.Const(at, value.type, value.value)
    if isinstance(value, hir.GenericValue):
        return generic_constant(substitute(value.value, by), value.type, at)
    return value


def generic_constant(value: Type, type: Type, at: int) -> hir.Expr:
    """A generic value as an expression."""
    if isinstance(value, ConstType):
        return hir.Const(at, type, value.value)
    return hir.GenericValue(at, type, value)


def _cbuffer(ctx: Context, entry: CbufferEntry, at: int) -> hir.Expr:
    holder = entry.container.variable
    if holder is None or not isinstance(holder.type, ResourceType) or holder.type.element is None:
        return hir.Undefined(at, ERROR)
    symbol = ctx.lazy.field(entry.field)
    place = hir.Deref(at, holder.type.element, hir.Place(at, holder.type, holder))
    return hir.Field(at, symbol.type, place, symbol)


def variable(ctx: Context, item: LookupItem, entry: VariableEntry, at: int) -> hir.Expr:
    if entry.decl is not None and entry.container is not None and entry.container.kind == "interface":
        requirement = ctx.signatures.constant_requirement(entry)
        if item.witness is None:
            return hir.Undefined(at, ERROR)
        type = substitute(requirement.type, item.substitution)
        return hir.WitnessConstant(at, type, item.witness, requirement)
    symbol = ctx.signatures.variable(entry)
    type = substitute(symbol.type, item.substitution)
    if symbol.kind == "constant" and symbol.init is not None:
        value = generic_value(symbol.init)
        if value is not None:
            return generic_constant(substitute(value, item.substitution), type, at)
    return hir.Place(at, type, symbol, item.substitution if item.substitution.types else None)


def field(ctx: Context, item: LookupItem, entry: FieldEntry, base: hir.Expr | None, at: int) -> hir.Expr:
    symbol = ctx.lazy.field(entry)
    ctx.lazy.fields(entry.container)  # which bits a bit field has depends on those before it
    if base is None:
        owner = entry.container.self_type
        message = f"type '{owner}' cannot be used to refer to non-static member '{entry.name}'"
        ctx.error("E30100", at, message, len(entry.name))
        return hir.Undefined(at, ERROR)
    return hir.Field(at, substitute(symbol.type, item.substitution), upcast(base, item.path), symbol)


def property_place(
    ctx: Context, item: LookupItem, entry: PropertyEntry, base: hir.Expr | None, arguments: list[hir.Expr], at: int
) -> hir.Expr:
    """A property, or a subscript with its arguments converted."""
    for accessor in entry.accessors():
        ctx.signatures.function(accessor)
    any_of = ctx.signatures.accessor(entry)
    if any_of is None:
        return hir.Undefined(at, ERROR)
    static = entry.accessors()[0].is_static()
    if base is None and not static:
        ctx.error("E30100", at, f"type cannot be used to refer to non-static member '{entry.name}'", len(entry.name))
        return hir.Undefined(at, ERROR)
    this = None if static or base is None else upcast(base, item.path)
    for accessor in entry.accessors():
        if this is not None and accessor.function is not None and accessor.function.this is not None:
            pass_on(accessor.function.this, this)
    getter, setter = _as_called(entry.getter, item), _as_called(entry.setter, item)
    reference = entry.reference.function if entry.reference is not None else None
    type = substitute(property_type(any_of, entry), item.substitution)
    by = item.substitution
    if isinstance(getter, Requirement):
        by = own_part(any_of.environment, getter, by)
    elif isinstance(setter, Requirement):
        by = own_part(any_of.environment, setter, by)
    place = hir.PropertyPlace(at, type, this, arguments, getter, setter, reference, by, item.witness)
    return wrap_opened(base, place)


def property_type(function: Function, entry: PropertyEntry) -> Type:
    """The type of the property, from one of its accessors."""
    if entry.getter is not None and entry.getter.function is function:
        return function.result
    if entry.reference is not None and entry.reference.function is function:
        return function.result
    return function.params[-1].type


def _as_called(accessor: FunctionEntry | None, item: LookupItem) -> "Function | Requirement | None":
    if accessor is None:
        return None
    return accessor.requirement if accessor.requirement is not None and item.witness is not None else accessor.function


# ---- members


def member(ctx: Context, scope: Scope, base: hir.Expr, text: str, at: int, quiet: bool = False) -> hir.Expr:
    """`base.text`; `quiet`: an absent one is no error."""
    if isinstance(base.type, ErrorType):
        return hir.Undefined(at, ERROR)
    if isinstance(base, NamespaceExpr):
        entries = of_namespace(base.container, text)
        if entries:
            return meaning(ctx, [LookupItem(entry, Substitution()) for entry in entries], None, text, at)
        ctx.error("E30015", at, f"undefined identifier '{text}'.", len(text))
        return hir.Undefined(at, ERROR)
    if isinstance(base, (TypeExpr, GenericExpr)):
        return static_member(ctx, scope, as_type(ctx, base), text, at)
    if not is_value(base):
        ctx.error("E30027", at, f"'{text}' is not a member of {what_it_is(base)}.", len(text))
        return hir.Undefined(at, ERROR)
    base = looked_into(ctx, base, text)
    builtin_result = builtin_member(ctx, base, text, at)
    if builtin_result is not None:
        return builtin_result
    if has_levels(base.type, text):
        return LevelsExpr(at, base, None)
    items = lookup(ctx, base.type, text)
    if items:
        items = accessible(ctx, scope, items, at)
        return _of_value(ctx, items, base, text, at) if items else hir.Undefined(at, ERROR)
    method = find_method(base.type, text)
    if method is not None and _has_declared(ctx, base.type, text):
        return BuiltinExpr(at, text, method, base)
    if not quiet and not isinstance(base.type, ErrorType):
        _no_member(ctx, base.type, text, at)
    return hir.Undefined(at, ERROR)


def _has_declared(ctx: Context, type: Type, text: str) -> bool:
    """Whether a number conforms to the interface that declares its method; what is no number isn't asked."""
    name = declared_by(text)
    if name is None or isinstance(type, ResourceType):
        return True
    return ctx.evidence.find(type, InterfaceType(ctx.builtin_interfaces[name], [])) is not None


def _no_member(ctx: Context, type: Type, text: str, at: int) -> None:
    if text in NOT_READ:
        ctx.unsupported(at, f"{NOT_READ[text]} (`{text}`)")
    else:
        ctx.error("E30027", at, f"'{text}' is not a member of '{type}'.", len(text))


def has_levels(type: Type, text: str) -> bool:
    """Whether it is a texture with `mips`, or a multisampled one with `sample`."""
    if not isinstance(type, ResourceType) or texture_shape(type.kind) is None or writable(type.kind):
        return False
    return text == ("sample" if "MS" in type.kind else "mips")


def _of_value(ctx: Context, items: list[LookupItem], base: hir.Expr, text: str, at: int) -> hir.Expr:
    expr = meaning(ctx, items, base, text, at)
    if isinstance(expr, hir.WitnessConstant):
        return wrap_opened(base, expr)
    return expr


def looked_into(ctx: Context, base: hir.Expr, text: str) -> hir.Expr:
    """What a member is looked up in: what a holder or pointer holds, an existential's payload."""
    while True:
        spend(1)
        type = base.type
        held = type.element if isinstance(type, PointerType) else held_by(type)
        if held is not None and isinstance(type, StructType) and lookup(ctx, type, text):
            return base  # a handle's own
        if held is not None:
            base = hir.Deref(base.at, held, base)
        elif isinstance(type, InterfaceType):
            opening = ctx.opening(base)
            return hir.OpenedValue(base.at, OpenedType(opening), opening)
        else:
            return base


def static_member(ctx: Context, scope: Scope, type: Type, text: str, at: int) -> hir.Expr:
    if isinstance(type, ErrorType):
        return hir.Undefined(at, ERROR)
    items = lookup(ctx, type, text)
    if items:
        items = accessible(ctx, scope, items, at)
        return meaning(ctx, items, None, text, at) if items else hir.Undefined(at, ERROR)
    for cases in ENUMS.values():
        if text in cases and type is INT:
            return hir.Const(at, INT, cases[text])
    constant = find_static(text)
    if constant is not None and constant.resolve([], [type], None) is not None:
        if text in STATIC_CONSTANTS:
            return hir.Intrinsic(at, type, constant.name, [type], [])
        expr = BuiltinExpr(at, text, constant, None)
        expr.arguments = [type]
        return expr
    _no_member(ctx, type, text, at)
    return hir.Undefined(at, ERROR)
