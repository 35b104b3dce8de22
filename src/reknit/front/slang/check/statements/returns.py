"""`return`: of functions, of initializers, whose result is `this`, and of lambdas, which it says the type of.

    return x;     Return(x converted)      (__init)  return;     Return(this)       defer { return; }     E30110
"""

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.calls.special import address
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Body, Scope
from reknit.front.slang.check.expressions.convert import convert
from reknit.front.slang.types import ERROR, VOID, ErrorType, WordType, same
from reknit.source.diagnostic import InternalError


def return_(ctx: Context, scope: Scope, written: syntax.Return, out: list[hir.Stmt]) -> None:
    body = scope.body
    if body is None:
        raise InternalError("a return outside of a function")
    if any(target.kind == "defer" for target in body.targets):
        ctx.error("E30110", written.at, "'return' must not appear inside a defer statement.")
        return
    if body.infers:
        _lambda_return(ctx, scope, written, body, out)
        return
    if body.initializer:
        if written.value is not None:
            value = ctx.expressions.value_or_list(scope, written.value)
            out.append(hir.Return(written.at, convert(ctx, value, body.result)))
        elif body.this is not None:
            out.append(hir.Return(written.at, hir.Place(written.at, body.this.type, body.this)))
        return
    if written.value is None:
        if not same(body.result, VOID) and not isinstance(body.result, ErrorType):
            ctx.error("E30006", written.at, "'return' should have an expression.")
        out.append(hir.Return(written.at, None))
        return
    value = ctx.expressions.value_or_list(scope, written.value)
    if body.function.reference:
        out.append(hir.Return(written.at, convert(ctx, address(ctx, value, value.at), body.result)))
        return
    if same(body.result, VOID):
        if same(value.type, VOID):
            out.append(hir.Eval(written.at, value))
            out.append(hir.Return(written.at, None))
        elif not isinstance(value.type, ErrorType):
            ctx.error("E30019", value.at, f"expected an expression of type 'void', got '{value.type}'")
        return
    out.append(hir.Return(written.at, convert(ctx, value, body.result)))


def _lambda_return(ctx: Context, scope: Scope, written: syntax.Return, body: Body, out: list[hir.Stmt]) -> None:
    """The first one says what type the result has."""
    value = None if written.value is None else ctx.expressions.value(scope, written.value)
    type = VOID if value is None else value.type
    if isinstance(type, WordType):
        ctx.error("E30019", written.at, f"the type of what a lambda returns can't be inferred from {type}")
        type = ERROR
    if not body.returned:
        body.returned = True
        body.result = type
    elif not same(type, body.result) and not isinstance(type, ErrorType) and not isinstance(body.result, ErrorType):
        ctx.error(
            "E30111", written.at,
            "returned values must have the same type among all 'return' statements inside a lambda expression: "
            f"returned '{type}' here, but '{body.result}' previously.",
        )  # fmt: skip
        return
    if value is not None and same(type, VOID):
        out.append(hir.Eval(written.at, value))
        value = None
    out.append(hir.Return(written.at, value))
