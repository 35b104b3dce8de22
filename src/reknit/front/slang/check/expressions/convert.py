"""Conversions: which there are, what each costs, and the expression that does it.

    int -> float          Convert           400      A -> IFoo             MakeExistential    50
    float -> float3       Splat               2      T -> Optional<T>      MakeSome          150
    float -> int          Convert, `losses` 900      Derived -> Base       Field $base         1

The cheapest sum of an overload's arguments wins. Costs are Slang's (its `ConversionCost`).
"""

from typing import Final

from reknit.front.slang import hir
from reknit.front.slang.builtins.kinds import BLOCKS
from reknit.front.slang.builtins.shapes import element
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.expressions.flat import are_alike
from reknit.front.slang.check.expressions.losses import is_cut, warn
from reknit.front.slang.check.expressions.pseudo_expressions import ListExpr, is_value, what_it_is
from reknit.front.slang.check.types.function_interfaces import called_by
from reknit.front.slang.core import condition_of, handled_by, is_untyped_handle
from reknit.front.slang.integers import wrap
from reknit.front.slang.substitute import substitute
from reknit.front.slang.types import (
    BOOL,
    INT,
    NONE,
    NULLPTR,
    UINT,
    ArrayType,
    ConstType,
    EnumType,
    ErrorType,
    InterfaceType,
    MatrixType,
    OpenedType,
    OptionalType,
    PointerType,
    ResourceType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
    same,
)
from reknit.source.meter import spend

IMPOSSIBLE: Final = -1
GENERAL: Final = 900


def scalar_cost(source: ScalarType, target: ScalarType) -> int:
    """Between numbers."""
    if source is target:
        return 0
    if source.kind == "void" or target.kind == "void":
        return IMPOSSIBLE
    if _family(source) == _family(target):
        return 150 if target.width > source.width else GENERAL
    if source.kind == "bool" and target.name == "int":
        return 120
    if target.kind == "int" and _family(source) == "uint":
        return 200 if target.width > source.width else 300 if target.width == source.width else GENERAL
    if _family(target) == "uint" and source.kind == "int" and target.width >= source.width:
        return 250
    if target.kind == "float" and source.kind != "bool":
        return 400 if target.width >= 32 else 500
    return GENERAL


def _family(type: ScalarType) -> str:
    return "uint" if type.kind == "bool" else type.kind


def type_cost(ctx: Context, source: Type, target: Type) -> int:
    """Of an implicit conversion; IMPOSSIBLE if there is none."""
    if same(source, target) or isinstance(source, ErrorType) or isinstance(target, ErrorType):
        return 0
    if held_by(source) is not None:
        return _dereferenced(ctx, source, target)
    if ctx.hlsl and is_cut(source, target):
        have, wanted = element(source), element(target)
        inner = IMPOSSIBLE if have is None or wanted is None else type_cost_of_elements(have, wanted)
        return inner if inner < 0 else inner + GENERAL
    if is_untyped_handle(source, target):
        return 10
    if isinstance(target, ScalarType):
        return _to_scalar(source, target)
    if isinstance(target, VectorType):
        return _to_vector(source, target)
    if isinstance(target, MatrixType):
        return _to_matrix(source, target)
    if isinstance(target, InterfaceType):
        return _to_interface(ctx, source, target)
    if isinstance(target, OptionalType):
        if source is NONE:
            return 150
        if isinstance(source, OptionalType):
            return IMPOSSIBLE
        if isinstance(source, StructType) and condition_of(source) is not None:
            source = source.arguments[-2]
        inner = type_cost(ctx, source, target.element)
        return inner if inner < 0 else inner + 150
    if isinstance(target, PointerType):
        return 150 if source is NULLPTR else IMPOSSIBLE
    if isinstance(target, ArrayType) and isinstance(source, ArrayType) and target.count is None:
        return 30 if same(source.element, target.element) else IMPOSSIBLE
    if isinstance(target, StructType) and condition_of(target) is not None:
        inner = type_cost(ctx, source, target.arguments[-2])
        return inner if inner < 0 else inner + 150
    if isinstance(source, StructType) and isinstance(target, StructType):
        steps = base_steps(ctx, source, target)
        return len(steps) if steps is not None else GENERAL if are_alike(ctx, source, target) else IMPOSSIBLE
    if isinstance(source, TupleType) and isinstance(target, TupleType):
        return _tuple_cost(ctx, source, target)
    return IMPOSSIBLE


def _dereferenced(ctx: Context, source: Type, target: Type) -> int:
    held = held_by(source)
    if held is None:
        return IMPOSSIBLE
    inner = type_cost(ctx, held, target)
    return inner if inner < 0 else inner + 10


def is_holder(type: ResourceType) -> bool:
    return type.kind in BLOCKS or type.kind in ("ConstantBuffer", "ParameterBlock", "TextureBuffer")


def held_by(type: Type) -> Type | None:
    """What a ConstantBuffer, a ParameterBlock or a buffer block holds, and what a descriptor handle stands for."""
    return type.element if isinstance(type, ResourceType) and is_holder(type) else handled_by(type)


def _to_scalar(source: Type, target: ScalarType) -> int:
    if isinstance(source, ScalarType):
        return scalar_cost(source, target)
    if isinstance(source, EnumType) and isinstance(source.enum.underlying, ScalarType):
        inner = scalar_cost(source.enum.underlying, target)
        return IMPOSSIBLE if target.kind == "void" else inner + 1
    if isinstance(source, VectorType) and isinstance(source.count, ConstType) and source.count.value == 1:
        inner = type_cost_of_elements(source.element, target)
        return inner if inner < 0 else inner + 1
    if target is BOOL and isinstance(source, PointerType):
        return 400
    return IMPOSSIBLE


def _to_vector(source: Type, target: VectorType) -> int:
    if isinstance(source, VectorType):
        if not same(source.count, target.count):
            return IMPOSSIBLE
        return type_cost_of_elements(source.element, target.element)
    inner = type_cost_of_elements(source, target.element)
    return inner if inner < 0 else inner + 2


def _to_matrix(source: Type, target: MatrixType) -> int:
    if isinstance(source, MatrixType):
        if not same(source.rows, target.rows) or not same(source.columns, target.columns):
            return IMPOSSIBLE
        layout = 0 if source.row_major == target.row_major else 5
        return type_cost_of_elements(source.element, target.element) + layout
    inner = type_cost_of_elements(source, target.element)
    return inner if inner < 0 else inner + 10


def type_cost_of_elements(source: Type, target: Type) -> int:
    if same(source, target):
        return 0
    if isinstance(target, ScalarType) and isinstance(source, (ScalarType, EnumType)):
        return _to_scalar(source, target)
    return IMPOSSIBLE


def _to_interface(ctx: Context, source: Type, target: InterfaceType) -> int:
    if isinstance(source, InterfaceType):
        return 50 if ctx.evidence.find(any_of(source), target) is not None else _dereferenced(ctx, source, target)
    if ctx.evidence.find(source, target) is not None:
        return 50
    return _dereferenced(ctx, source, target)


def any_of(type: InterfaceType) -> OpenedType:
    """Some type that conforms, to ask what conforms with it."""
    return OpenedType(hir.Opening(0, hir.Undefined(0, type), type))


def _tuple_cost(ctx: Context, source: TupleType, target: TupleType) -> int:
    if len(source.elements) != len(target.elements):
        return IMPOSSIBLE
    total = 0
    for have, wanted in zip(source.elements, target.elements, strict=False):
        cost = type_cost(ctx, have, wanted)
        if cost < 0:
            return IMPOSSIBLE
        total += cost
    return total


def base_steps(ctx: Context, source: StructType, target: StructType) -> list[StructType] | None:
    """The bases from `source` to `target`."""
    steps: list[StructType] = []
    now = source
    while True:
        spend(1)
        container = ctx.containers.get(now.struct.number)
        if container is None:
            return None
        ctx.lazy.bases(container)
        if container.base is None:
            return None
        base = substitute(container.base, ctx.evidence.struct_arguments(now))
        if not isinstance(base, StructType) or len(steps) > 64:
            return None
        steps.append(base)
        if same(base, target):
            return steps
        now = base


# ---- of expressions


def cost(ctx: Context, expr: hir.Expr, target: Type) -> int:
    """Of passing `expr` where `target` is wanted."""
    called = called_by(target)
    if called is not None and not same(expr.type, target) and not isinstance(expr.type, ErrorType):
        return 50 if ctx.function_values.fits(expr, called) else IMPOSSIBLE
    if isinstance(expr, ListExpr):
        return 50 if ctx.lists.fits(expr, target) else IMPOSSIBLE
    if not is_value(expr):
        return 0 if isinstance(expr.type, ErrorType) else IMPOSSIBLE
    if isinstance(expr, hir.Const) and isinstance(expr.type, ScalarType) and isinstance(target, ScalarType):
        literal = literal_cost(expr, expr.type, target)
        if literal >= 0:
            return literal
    return type_cost(ctx, expr.type, target)


def literal_cost(expr: hir.Const, source: ScalarType, target: ScalarType) -> int:
    """A literal whose magnitude has no more bits than the other integer type converts more willingly."""
    if source is target or not isinstance(expr.value, int):
        return IMPOSSIBLE
    if source.kind not in ("int", "uint") or target.kind not in ("int", "uint"):
        return IMPOSSIBLE
    if abs(expr.value).bit_length() > target.width:
        return IMPOSSIBLE
    if source.kind == target.kind:
        return 23
    return 32 if source.kind == "int" else 81


def convert(ctx: Context, expr: hir.Expr, target: Type, at: int = -1) -> hir.Expr:
    """`expr` as a `target`, implicitly; what can't be is said at `at` (the expression)."""
    at = expr.at if at < 0 else at
    if same(expr.type, target) and is_value(expr):
        return expr
    if isinstance(expr.type, ErrorType) or isinstance(target, ErrorType):
        return hir.Undefined(at, target)
    if isinstance(expr, ListExpr):
        return ctx.lists.value(expr, target)
    price = cost(ctx, expr, target)
    if price < 0:
        mismatch(ctx, expr, target, at)
        return hir.Undefined(at, target)
    if price >= GENERAL and isinstance(target, (ScalarType, VectorType, MatrixType)):
        warn(ctx, expr.type, target, at)
    return converted(ctx, expr, target)


def mismatch(ctx: Context, expr: hir.Expr, target: Type, at: int) -> None:
    if isinstance(expr.type, ErrorType):
        return
    got = f"'{expr.type}'" if is_value(expr) else what_it_is(expr)
    ctx.error("E30019", at, f"expected an expression of type '{target}', got {got}")


def converted(ctx: Context, expr: hir.Expr, target: Type) -> hir.Expr:
    """The conversion itself, known to exist."""
    source, at = expr.type, expr.at
    if same(source, target):
        return expr
    if isinstance(target, OptionalType):
        if source is NONE:
            return hir.MakeNone(at, target)
        condition = condition_of(source) if isinstance(source, StructType) else None
        if isinstance(source, StructType) and condition is not None:
            return _of_conditional(ctx, expr, source, condition, target)
        return hir.MakeSome(at, target, converted(ctx, expr, target.element))
    held = held_by(source)
    if held is not None:
        return converted(ctx, hir.Deref(at, held, expr), target)
    if is_untyped_handle(source, target):
        return _from_heap(expr, target)
    if isinstance(target, InterfaceType):
        if called_by(target) is not None and called_by(source) is None:
            expr = ctx.function_values.value(expr, target)
        return _existential(ctx, expr, target)
    if isinstance(target, PointerType):
        return hir.Zero(at, target)
    if isinstance(target, VectorType) and not isinstance(source, VectorType):
        return hir.Splat(at, target, converted(ctx, expr, target.element))
    if isinstance(target, MatrixType) and not isinstance(source, MatrixType):
        return hir.Splat(at, target, converted(ctx, expr, target.element))
    if isinstance(target, ScalarType) and isinstance(source, VectorType):
        return converted(ctx, hir.Swizzle(at, source.element, expr, [0]), target)
    if isinstance(target, StructType) and condition_of(target) is not None:
        return hir.Construct(at, target, [converted(ctx, expr, target.arguments[-2])])
    if isinstance(source, StructType) and isinstance(target, StructType):
        steps = base_steps(ctx, source, target)
        return hir.Flat(at, target, expr) if steps is None else upcast(expr, steps)
    if isinstance(source, TupleType) and isinstance(target, TupleType):
        return _tuple(ctx, expr, source, target)
    if isinstance(expr, hir.Const) and isinstance(target, ScalarType) and isinstance(source, ScalarType):
        return _constant(expr, target)
    return hir.Convert(at, target, expr)


def _of_conditional(
    ctx: Context, expr: hir.Expr, source: StructType, condition: Type, target: OptionalType
) -> hir.Expr:
    """What a Conditional has, or none where it has nothing."""
    value = converted(ctx, hir.Field(expr.at, source.arguments[-2], expr, source.struct.fields[0]), target.element)
    some, none = hir.MakeSome(expr.at, target, value), hir.MakeNone(expr.at, target)
    return hir.Conditional(expr.at, target, hir.GenericValue(expr.at, BOOL, condition), some, none)


def _from_heap(expr: hir.Expr, target: Type) -> hir.Expr:
    """What a descriptor heap has at some place, as a descriptor or a handle of one."""
    at, source = expr.at, expr.type
    if not isinstance(target, StructType) or not isinstance(source, StructType):
        return hir.Deref(at, target, expr)
    number = hir.Field(at, UINT, expr, source.struct.fields[0])
    handle = hir.Construct(at, VectorType(UINT, ConstType(2)), [number, hir.Const(at, UINT, 0)])
    return hir.Construct(at, target, [handle])


def _constant(expr: hir.Const, target: ScalarType) -> hir.Expr:
    """A literal that keeps its value is one of the other type."""
    value = expr.value
    if isinstance(value, int) and target.kind in ("int", "uint", "bool"):
        return hir.Const(expr.at, target, wrap(value, target))
    if target.kind == "float" and isinstance(value, int) and abs(value) <= 1 << 24:
        return hir.Const(expr.at, target, float(value))
    return hir.Convert(expr.at, target, expr)


def upcast(expr: hir.Expr, steps: list[StructType]) -> hir.Expr:
    """The base struct inside a derived one."""
    for step in steps:
        if not isinstance(expr.type, StructType):
            return expr
        field = expr.type.struct.fields[0]
        expr = hir.Field(expr.at, step, expr, field)
    return expr


def _existential(ctx: Context, expr: hir.Expr, target: InterfaceType) -> hir.Expr:
    if isinstance(expr.type, InterfaceType):
        opening = ctx.opening(expr)
        subject = OpenedType(opening)
        witness = ctx.evidence.find(subject, target)
        inner = hir.OpenedValue(expr.at, subject, opening)
        if witness is None:
            return hir.Undefined(expr.at, target)
        return hir.Opened(expr.at, opening, hir.MakeExistential(expr.at, target, inner, witness))
    witness = ctx.evidence.find(expr.type, target)
    if witness is None:
        return hir.Undefined(expr.at, target)
    return hir.MakeExistential(expr.at, target, expr, witness)


def _tuple(ctx: Context, expr: hir.Expr, source: TupleType, target: TupleType) -> hir.Expr:
    exprs: list[hir.Expr] = []
    for index, (have, wanted) in enumerate(zip(source.elements, target.elements, strict=False)):
        part = hir.Element(expr.at, have, expr, hir.Const(expr.at, INT, index))
        exprs.append(converted(ctx, part, wanted))
    return hir.Construct(expr.at, target, exprs)
