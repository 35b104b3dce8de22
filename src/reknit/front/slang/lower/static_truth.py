"""What conditions on types are in one instance of a generic: `T is IFoo`, `a is float`; literals; what is made of them.

What such a condition leaves out isn't lowered: only where `T is IFoo` is there an IFoo's method of T, and a variable
that is given another resource only where a macro says `true` stands for one.
"""

from reknit.front.slang import hir
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Handlers
from reknit.front.slang.lower.lvalues import truth
from reknit.front.slang.types import BOOL, InterfaceType, OpenedType, same
from reknit.ir.value import Value


def static_truth(body: Body, condition: Expr) -> bool | None:
    """None for what depends on values. A left spine may be long."""
    spine: list[hir.ShortCircuit] = []
    while isinstance(condition, hir.ShortCircuit):
        spine.append(condition)
        condition = condition.left
    known = _of_one(body, condition)
    while spine and known is not None:
        operation = spine.pop()
        if known is not (operation.op == "||"):
            known = static_truth(body, operation.right)
    return known


def _of_one(body: Body, condition: Expr) -> bool | None:
    if isinstance(condition, hir.Const) and condition.type is BOOL:
        return bool(condition.value)
    if isinstance(condition, hir.SameType):
        return _is_same(body, condition)
    if isinstance(condition, hir.IsType):
        type = body.type_of(condition.value)
        known = condition.witness is None and not isinstance(type, (OpenedType, InterfaceType))
        return same(type, body.type(condition.tested)) if known else None
    if isinstance(condition, hir.Unary) and condition.op == "!":
        inner = static_truth(body, condition.operand)
        return None if inner is None else not inner
    return None


def _is_same(body: Body, expr: hir.SameType) -> bool:
    subject, tested = body.type(expr.subject), body.type(expr.tested)
    if isinstance(subject, OpenedType):
        body.low.refuse(expr.at, f"which type '{expr.subject}' is, is only known while the shader runs")
    if isinstance(tested, InterfaceType):
        return body.low.evidence.find(subject, tested) is not None
    return same(subject, tested)


def same_type(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.SameType)
    return truth(body.low, _is_same(body, expr))


def register(handlers: Handlers) -> None:
    handlers.values[hir.SameType] = same_type
