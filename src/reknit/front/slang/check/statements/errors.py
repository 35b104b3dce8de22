"""Errors: functions that throw, `try`, `throw` and `do ... catch`.

    int f(int n) throws E { throw e; }     f(n, out Optional<E> thrown)    thrown = none; ... thrown = e; return
    x = try f(1);                          x = Try(f(1, out t), handler)   where t has an error the handler runs:
                                             e = t.value; break catch      a `catch` around it has that type
                                             thrown = t; return            the function itself throws that type
    do A catch (e : E) B                   done: { E e; catch: { A; break done }  B }

Source: Slang's language reference, "Error handling"; messages as its compiler's.
"""

from typing import final

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Body, Jumpable, Scope
from reknit.front.slang.check.expressions.convert import convert
from reknit.front.slang.check.statements.locals import local_variable
from reknit.front.slang.symbols import Function, Variable
from reknit.front.slang.types import ERROR, VOID, ErrorType, OptionalType, Type, same
from reknit.source.diagnostic import InternalError


@final
class Catching:
    """A `catch` that is open: its scope has the variable, which comes to life in `before`."""

    __slots__ = ("written", "scope", "target", "caught", "before")

    def __init__(self, ctx: Context, scope: Scope, written: syntax.Catch) -> None:
        self.written = written
        self.scope = Scope(scope)
        self.target = hir.Target("catch")
        self.caught: Variable | None = None
        self.before: list[hir.Stmt] = []
        param = written.param
        if param is not None:
            type = ERROR if param.type is None else ctx.types.type_of(scope, param.type)
            self.caught = local_variable(ctx, self.scope, param, type)
            self.before.append(hir.Let(param.at, self.caught, hir.Undefined(param.at, type)))


def started(function: Function, body: hir.Block, at: int) -> hir.Block:
    """A function that throws begins without an error."""
    none = hir.Assign(at, _thrown(function, at), hir.MakeNone(at, _thrown(function, at).type))
    return hir.Block(at, [hir.Eval(at, none), body])


def passed_on(function: Function, tried: hir.Try) -> hir.Block:
    """The handler that throws the error once more."""
    return _leave(function, hir.Place(tried.at, tried.thrown.type, tried.thrown), tried.at)


def _thrown(function: Function, at: int) -> hir.Expr:
    if function.thrown is None:
        raise InternalError(f"{function.path} throws nothing")
    return hir.Place(at, function.thrown.type, function.thrown)


def _leave(function: Function, thrown: hir.Expr, at: int) -> hir.Block:
    value = None if same(function.result, VOID) else hir.Undefined(at, function.result)
    return hir.Block(at, [hir.Eval(at, hir.Assign(at, _thrown(function, at), thrown)), hir.Return(at, value)])


def _error_type(function: Function) -> Type | None:
    type = None if function.thrown is None else function.thrown.type
    return type.element if isinstance(type, OptionalType) else None


def _catch_of(body: Body, type: Type) -> Jumpable | None:
    """The innermost `catch` of that type, or the `defer` that errors don't leave."""
    for target in reversed(body.targets):
        if (
            target.kind == "defer"
            or target.kind == "catch"
            and (target.caught is None or same(target.caught.type, type))
        ):
            return target
    return None


def _caught(jumpable: Jumpable, error: hir.Expr, at: int) -> hir.Block:
    block = hir.Block(at, [])
    if jumpable.caught is None:
        block.statements.append(hir.Eval(at, error))
    else:
        block.statements.append(
            hir.Eval(at, hir.Assign(at, hir.Place(at, jumpable.caught.type, jumpable.caught), error))
        )
    block.statements.append(hir.Break(at, jumpable.target))
    return block


def _body(scope: Scope) -> Body:
    if scope.body is None:
        raise InternalError("an error outside of a function")
    return scope.body


def throw(ctx: Context, scope: Scope, written: syntax.Throw, out: list[hir.Stmt]) -> None:
    value = ctx.expressions.value(scope, written.value)
    at = written.at
    if isinstance(value.type, ErrorType):
        return
    body = _body(scope)
    catching = _catch_of(body, value.type)
    type = _error_type(body.function)
    if catching is not None and catching.kind == "defer":
        ctx.error("E30113", at, "'throw' expressions require a matching 'catch' inside a defer statement.", 5)
    elif catching is not None:
        out.append(_caught(catching, value, at))
    elif type is None:
        message = (
            "the current function or environment is not declared to throw any errors, but contains an uncaught "
            "'throw' statement."
        )
        ctx.error("E30115", at, message, 5)
    elif same(type, value.type):
        some = hir.MakeSome(at, OptionalType(type), convert(ctx, value, type))
        out.append(_leave(body.function, some, at))
    elif not isinstance(type, ErrorType):
        message = f"the type `{value.type}` of `throw` is not compatible with function's error type `{type}`."
        ctx.error("E30116", value.at, message)


def try_(ctx: Context, scope: Scope, tried: hir.Expr, at: int) -> hir.Expr:
    if isinstance(tried.type, ErrorType):
        return tried
    if not isinstance(tried, hir.Try):
        message = "the callee of a 'try' clause does not throw an error, make sure it is marked as 'throws'"
        ctx.error("E30091", at, message, 3)
        return tried
    body = scope.body
    optional = tried.thrown.type
    type = optional.element if isinstance(optional, OptionalType) else ERROR
    catch = None if body is None else _catch_of(body, type)
    own = None if body is None else _error_type(body.function)
    tried.handler = hir.Block(at, [])
    if catch is not None and catch.kind == "defer":
        ctx.error("E30114", at, "'try' expressions require a matching 'catch' inside a defer statement.", 3)
    elif catch is not None:
        error = hir.GetValue(at, type, hir.Place(at, optional, tried.thrown))
        tried.handler = _caught(catch, error, at)
    elif body is None or own is None:
        message = (
            "the current function or environment is not declared to throw any errors, but the 'try' clause is not "
            "caught"
        )
        ctx.error("E30093", at, message, 3)
    elif same(own, type):
        tried.handler = passed_on(body.function, tried)
    elif not isinstance(own, ErrorType) and not isinstance(type, ErrorType):
        message = f"the error type `{type}` of the callee is not compatible with the caller's error type `{own}`."
        ctx.error("E30095", at, message, 3)
    return tried


def check_tried(ctx: Context) -> None:
    """Each call of a function that throws stands under a `try`."""
    for call in ctx.tried:
        if call.handler is None:
            message = "the callee may throw an error, and therefore must be called within a 'try' clause"
            ctx.error("E30094", call.at, message)
