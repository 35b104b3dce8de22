"""Values made of parts: constructor calls, initializer lists, default values, explicit casts.

float4(v.xy, 0, 1)       Construct(float4, [v.xy, 0.0, 1.0])
A(1, 2)                  A's __init that takes them, else its memberwise constructor
A a = {1, {2, 3}}        the same, or parts are dealt out to fields as in C
A()   {}                 A's __init(), its fields' defaults, else Zero
(T)x   T(x)              Convert, also where it isn't implicit: int -> enum, float4 -> float3
"""

from reknit.front.slang import hir
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare import memberwise
from reknit.front.slang.check.declare.defaults import (
    by_initializer,
    default_value,
)
from reknit.front.slang.check.expressions.casts import cast
from reknit.front.slang.check.expressions.convert import mismatch
from reknit.front.slang.check.expressions.flat import flat_cast
from reknit.front.slang.check.expressions.lists import from_parts, whole_numbers
from reknit.front.slang.check.expressions.pseudo_expressions import ListExpr, is_value, what_it_is
from reknit.front.slang.types import (
    ArrayType,
    ErrorType,
    MatrixType,
    StructType,
    TupleType,
    Type,
    VectorType,
)


def construct(ctx: Context, type: Type, arguments: list[hir.Expr], at: int) -> hir.Expr:
    """`type(arguments)`."""
    if isinstance(type, ErrorType) or any(isinstance(argument.type, ErrorType) for argument in arguments):
        return hir.Undefined(at, type)
    for argument in arguments:
        if not is_value(argument):
            ctx.error("E30019", argument.at, f"expected a value, got {what_it_is(argument)}")
            return hir.Undefined(at, type)
    initialized = by_initializer(ctx, type, arguments, at)
    if initialized is not None:
        return initialized
    if not arguments:
        return default_value(ctx, type, at)
    if len(arguments) == 1 and not isinstance(arguments[0], ListExpr):
        cast = explicit(ctx, arguments[0], type)
        if cast is not None:
            return cast
    if isinstance(type, StructType):
        if memberwise.takes(ctx, type, arguments):
            return memberwise.call(ctx, type, arguments, at)
        return memberwise.refuse(ctx, type, arguments, at, False)
    if isinstance(type, MatrixType):
        whole = whole_numbers(ctx, type, arguments, at)
        if whole is not None:
            return whole
    if isinstance(type, (VectorType, MatrixType, ArrayType, TupleType)):
        return from_parts(ctx, type, arguments, at, True)
    if len(arguments) == 1 and isinstance(arguments[0], ListExpr):
        return ctx.lists.value(arguments[0], type)
    if len(arguments) == 1:
        mismatch(ctx, arguments[0], type, arguments[0].at)
    else:
        ctx.error("E39999", at, f"too many arguments to call (got {len(arguments)}, expected 1)")
    return hir.Undefined(at, type)


def explicit(ctx: Context, expr: hir.Expr, type: Type) -> hir.Expr | None:
    """`(type)expr`; None if there is no such conversion."""
    if isinstance(expr, ListExpr):
        return ctx.lists.value(expr, type)
    converted = cast(ctx, expr, type)
    if converted is not None:
        return converted
    if isinstance(expr, hir.Const) and expr.value == 0 and isinstance(type, (StructType, ArrayType)):
        return default_value(ctx, type, expr.at)
    return None if isinstance(type, (StructType, ArrayType)) else flat_cast(ctx, expr, type)
