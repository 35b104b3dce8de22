"""`no_diff` before a value: no derivative passes through it, and without derivatives it is that value.

    let y = no_diff f(x);        the call, in a function that is differentiable

Source: slangc, which takes it before calls and subscripts alone (E38031) and in differentiable functions (E38033).
"""

from reknit.front.slang import hir, syntax
from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import Scope
from reknit.front.slang.check.expressions.pseudo_expressions import TypeExpr


def no_diff(ctx: Context, scope: Scope, written: syntax.ModifiedType) -> hir.Expr:
    """What is after the word: a value, or a type."""
    meant = ctx.expressions.expression(scope, written.base)
    if isinstance(meant, TypeExpr):
        return meant
    if not isinstance(written.base, (syntax.Call, syntax.Index, syntax.Cast, syntax.Conditional)):
        message = "'no_diff' can only be used to decorate a call or a subscript operation"
        ctx.error("E38031", written.at, message, len("no_diff"))
    elif scope.body is None or not scope.body.differentiable:
        message = "cannot use 'no_diff' in a non-differentiable function."
        ctx.error("E38033", written.at, message, len("no_diff"))
    return meant
