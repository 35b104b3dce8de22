"""Types as they are written.

    float3   vector<T, N>   int[4]   Foo<int>   ns::Foo   T.D   This   Optional<T>   T*   dyn IFoo   Tuple<int, float>

`named` makes what a found entry means where a type is wanted; the rest builds on `Context.expression`, for types and
values are written alike.
"""

from typing import Final, final

from reknit.front.slang import hir, syntax
from reknit.front.slang.builtins.kinds import find_type
from reknit.front.slang.builtins.names import glsl_type, numeric
from reknit.front.slang.check.calls.lengths import is_variadic_type
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import (
    AliasEntry,
    AssocEntry,
    Container,
    LookupItem,
    Scope,
    TypeEntry,
    VariableEntry,
)
from reknit.front.slang.check.expressions.constants import generic_value, is_specialized
from reknit.front.slang.check.expressions.pseudo_expressions import (
    GenericExpr,
    NamespaceExpr,
    TypeExpr,
    is_value,
    what_it_is,
)
from reknit.front.slang.check.generics.generics import applied
from reknit.front.slang.check.types.function_interfaces import FUNCTION, IMMUTABLE, MUTATING, function_interface
from reknit.front.slang.check.types.members import find
from reknit.front.slang.hlsl import OLD_TYPES
from reknit.front.slang.substitute import associated, substitute
from reknit.front.slang.types import (
    DATA_LAYOUTS,
    ERROR,
    FLOAT,
    STRING,
    VOID,
    ArrayType,
    AssocType,
    ConstType,
    ErrorType,
    InterfaceType,
    MatrixType,
    OperationType,
    OptionalType,
    ParamType,
    PointerType,
    ResourceType,
    ScalarType,
    TupleType,
    Type,
    VectorType,
    matrix,
)

_GENERIC: Final = {
    "vector": (2, 2), "matrix": (3, 4), "Optional": (1, 1), "Tuple": (0, 64), "Ptr": (1, 3),
    "Array": (2, 2), IMMUTABLE: (1, 64), MUTATING: (1, 64),
    FUNCTION: (1, 64),
}  # fmt: skip
_TRANSPARENT: Final = (
    "const", "dyn", "some", "no_diff", "uniform", "precise", "row_major", "in", "volatile", "unorm",
    "snorm",
)  # fmt: skip


def named(ctx: Context, item: LookupItem, at: int) -> hir.Expr | None:
    """What an entry means as a type; None if it is none."""
    entry = item.entry
    if isinstance(entry, TypeEntry):
        return TypeExpr(at, substitute(entry.type, item.substitution))
    if isinstance(entry, AssocEntry):
        requirement = ctx.lazy.associated(entry)
        if item.witness is None:
            return TypeExpr(at, ERROR)
        return TypeExpr(at, associated(item.witness, requirement))
    if is_variadic_type(entry):
        return GenericExpr(at, item)
    if isinstance(entry, Container):
        if entry.kind == "namespace":
            return NamespaceExpr(at, entry)
        if entry.template is not None:
            return GenericExpr(at, item)
        if entry.made_of is not None:
            return TypeExpr(at, applied(ctx, item, [], at), LookupItem(entry.made_of.entry, item.substitution))
        environment = ctx.lazy.environment(entry)
        if len(environment.params) > entry.outer and not all(
            param in ctx.defaults for param in environment.params[entry.outer :]
        ):
            return GenericExpr(at, item)
        return TypeExpr(at, applied(ctx, item, [], at), item if len(environment.params) > entry.outer else None)
    if isinstance(entry, AliasEntry):
        type = ctx.lazy.alias(entry)
        if entry.environment is not None and len(entry.environment.params) > entry.outer:
            return GenericExpr(at, item)
        return TypeExpr(at, substitute(type, item.substitution))
    return None


def builtin(ctx: Context, name: str, at: int) -> hir.Expr | None:
    """One of the language's own types by name."""
    number_type = numeric(name) or (glsl_type(name) if ctx.glsl else None)
    if number_type is not None:
        return TypeExpr(at, packed(number_type, not ctx.column_major))
    if name in ("void", "String", "NativeString", "string"):
        return TypeExpr(at, VOID if name == "void" else STRING)
    if name in _GENERIC:
        return GenericExpr(at, None, name)
    if ctx.hlsl:
        name = OLD_TYPES.get(name, name)
    template = find_type(name)
    if template is not None:
        type = template.make([])
        return GenericExpr(at, None, name) if type is None or template.most > 0 else TypeExpr(at, type)
    layout = DATA_LAYOUTS.get(name)
    if layout is not None:
        return TypeExpr(at, layout)
    interface = ctx.builtin_interfaces.get(name)
    if interface is not None:
        return TypeExpr(at, InterfaceType(interface, []))
    return None


def packed(type: Type, row_major: bool) -> Type:
    """A matrix, or an array of them, that lies in memory by rows or by columns; any other type is itself."""
    if isinstance(type, MatrixType):
        return MatrixType(type.element, type.rows, type.columns, row_major)
    if isinstance(type, ArrayType):
        return ArrayType(packed(type.element, row_major), type.count)
    return type


@final
class TypeNames:
    __slots__ = ("ctx",)

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

    def type_of(self, scope: Scope, written: syntax.Expr) -> Type:
        ctx = self.ctx
        hidden = self._hidden(scope, written)
        return as_type(ctx, ctx.expressions.expression(scope, written) if hidden is None else hidden)

    def argument_of(self, scope: Scope, written: syntax.Expr) -> Type:
        """A generic argument, a type or a value."""
        hidden = self._hidden(scope, written)
        return argument(self.ctx, self.ctx.expressions.expression(scope, written) if hidden is None else hidden)

    def _hidden(self, scope: Scope, written: syntax.Expr) -> hir.Expr | None:
        """The type that a variable of the same name hides, where a type is wanted: HLSL has both."""
        if not self.ctx.hlsl or not isinstance(written, syntax.Name):
            return None
        items, _ = find(self.ctx, scope, written.text, written.from_global)
        if len(items) != 2 or not isinstance(items[0].entry, VariableEntry):
            return None
        return named(self.ctx, items[1], written.at) if isinstance(items[1].entry, Container) else None

    def constant(self, scope: Scope, written: syntax.Expr) -> Type:
        ctx = self.ctx
        return as_constant(ctx, ctx.expressions.expression(scope, written), True)


def argument(ctx: Context, expr: hir.Expr) -> Type:
    """A generic argument of what an expression means."""
    if isinstance(expr, (TypeExpr, GenericExpr)):
        return as_type(ctx, expr)
    return as_constant(ctx, expr)


def as_type(ctx: Context, expr: hir.Expr) -> Type:
    """The type that an expression names, said if it names none."""
    if isinstance(expr, TypeExpr):
        return expr.type
    if isinstance(expr, GenericExpr):
        return _without_arguments(ctx, expr)
    if not isinstance(expr.type, ErrorType):
        ctx.error("E30060", expr.at, f"expected a type, got {what_it_is(expr)}")
    return ERROR


def _without_arguments(ctx: Context, expr: GenericExpr) -> Type:
    if expr.item is not None and not is_variadic_type(expr.item.entry):
        return applied(ctx, expr.item, [], expr.at)
    template = find_type(expr.builtin)
    if template is not None and template.least == 0:
        type = template.make([])
        if type is not None:
            return type
    if expr.builtin == "vector":
        return VectorType(FLOAT, ConstType(4))
    if expr.builtin == "matrix":
        return MatrixType(FLOAT, ConstType(4), ConstType(4), not ctx.column_major)
    ctx.error("E30408", expr.at, f"generic type '{expr.name}' used without argument", len(expr.name))
    return ERROR


def as_constant(ctx: Context, expr: hir.Expr, specialized: bool = False) -> Type:
    """`specialized`: specialization constants may be part of it."""
    if isinstance(expr.type, ErrorType):
        return ERROR
    value = generic_value(expr, specialized) if is_value(expr) else None
    if value is not None:
        return value
    if is_specialized(expr):
        ctx.unsupported(expr.at, "a generic argument that is a specialization constant")
    else:
        ctx.error("E39999", expr.at, "expression does not evaluate to a compile-time constant")
    return ERROR


# ---- with arguments


def apply(ctx: Context, base: GenericExpr, arguments: list[Type], at: int) -> Type:
    """A generic type with its arguments."""
    if any(isinstance(argument, ErrorType) for argument in arguments):
        return ERROR
    if base.item is not None:
        return applied(ctx, base.item, arguments, at)
    name = base.builtin
    bounds = _GENERIC.get(name)
    if bounds is not None:
        if not bounds[0] <= len(arguments) <= bounds[1]:
            ctx.error("E39999", at, f"wrong number of generic arguments for '{name}' (got {len(arguments)})")
            return ERROR
        return _generic_type(ctx, name, arguments, at)
    template = find_type(name)
    type = None if template is None else template.make(arguments)
    if type is None:
        ctx.error("E39999", at, f"wrong number of generic arguments for '{name}' (got {len(arguments)})")
        return ERROR
    return type


def _generic_type(ctx: Context, name: str, arguments: list[Type], at: int) -> Type:
    if name == "vector":
        return vector(ctx, arguments[0], arguments[1], at)
    if name == "matrix":
        layout = arguments[3] if len(arguments) == 4 else None
        return matrix(arguments[0], arguments[1], arguments[2], not ctx.column_major, layout)
    if name == "Optional":
        if isinstance(arguments[0], ResourceType):
            ctx.error(
                "E30902", at,
                f"'{arguments[0]}' is a resource or opaque type and cannot be used as the value type of 'Optional<T>'.",
            )  # fmt: skip
            return ERROR
        return OptionalType(arguments[0])
    if name == "Tuple":
        return TupleType(arguments)
    if name == "Array":
        return ArrayType(arguments[0], arguments[1])
    if name in (IMMUTABLE, MUTATING, FUNCTION):
        return function_interface(ctx, name, arguments, at)
    return PointerType(arguments[0])


def vector(ctx: Context, element: Type, count: Type, at: int) -> Type:
    if isinstance(count, ConstType) and not 1 <= count.value <= 4:
        ctx.error(
            "E38206", at, f"vector has invalid element count '{count}', valid values are between '1' and '4' inclusive"
        )
        return ERROR
    if not isinstance(count, (ConstType, ParamType, AssocType, OperationType)):
        ctx.error("E39999", at, "expression does not evaluate to a compile-time constant")
        return ERROR
    return VectorType(element, count)


def array(ctx: Context, element: Type, sizes: list[Type], at: int) -> Type:
    if isinstance(element, ErrorType):
        return ERROR
    if not sizes:
        return ArrayType(element, None)
    size = sizes[0]
    if isinstance(size, ErrorType):
        return ERROR
    if isinstance(size, ConstType) and size.value < 0:
        ctx.error("E30025", at, "array size must be non-negative.")
        return ERROR
    if isinstance(element, ScalarType) and element is VOID:
        ctx.error("E30009", at, "invalid type 'void'.")
        return ERROR
    return ArrayType(element, size)


def modified(ctx: Context, scope: Scope, written: syntax.ModifiedType) -> Type:
    """A type with a word before it or a sign after it."""
    if written.modifier == "*":
        return PointerType(ctx.types.type_of(scope, written.base))
    if written.modifier == "?":
        return OptionalType(ctx.types.type_of(scope, written.base))
    type = ctx.types.type_of(scope, written.base)
    if written.modifier in ("column_major", "row_major"):
        return packed(type, written.modifier == "row_major")
    if written.modifier not in _TRANSPARENT and not isinstance(type, ErrorType):
        ctx.unsupported(written.at, f"`{written.modifier}` types")
        return ERROR
    return type
