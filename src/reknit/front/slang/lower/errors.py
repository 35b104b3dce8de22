"""Calls of functions that throw.

    x = try f(1)        %t = a variable; %x = FunctionCall @f 1 %t; if (has %t a value) { the handler, a jump }
"""

from reknit.front.slang import hir
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Handlers
from reknit.front.slang.lower.copies import fresh
from reknit.ir.value import Value


def try_(body: Body, expr: Expr) -> Value | None:
    assert isinstance(expr, hir.Try)
    assert expr.handler is not None, "a call without `try` that the checker let through"
    low = body.low
    builder = low.builder
    thrown = expr.thrown
    body.frame.places[thrown] = fresh(low, body.type(thrown.type), thrown.name)
    effect = body.effect(expr.call)
    choice = builder.open_if(body.value(hir.HasValue(expr.at, hir.Place(expr.at, thrown.type, thrown))))
    low.places.starts[choice] = low.at
    builder.at(choice.then.entry())
    body.statement(expr.handler)
    builder.at(choice.after())
    return effect


def register(handlers: Handlers) -> None:
    handlers.values[hir.Try] = try_
