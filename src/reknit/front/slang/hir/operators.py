"""Operators and assignments.

a + b * c        Binary("+", a, Binary("*", b, c))                x += 1    Update("+", x, 1)
"""

from typing import final

from reknit.front.slang.hir.node import Expr
from reknit.front.slang.types import BOOL, Type


@final
class Unary(Expr):
    """`op`: - ~ ! ; component by component."""

    __slots__ = ("op", "operand")

    def __init__(self, at: int, type: Type, op: str, operand: Expr) -> None:
        super().__init__(at, type)
        self.op = op
        self.operand = operand


@final
class Binary(Expr):
    """`op`: + - * / % << >> & | ^ == != < <= > >= , both operands of one type, and && || on vectors (both are
    evaluated). Comparisons give bools. A shift's right operand has the left's type."""

    __slots__ = ("op", "left", "right")

    def __init__(self, at: int, type: Type, op: str, left: Expr, right: Expr) -> None:
        super().__init__(at, type)
        self.op = op
        self.left = left
        self.right = right


@final
class ShortCircuit(Expr):
    """`&&` and `||` on bools: the right is evaluated by those that need it."""

    __slots__ = ("op", "left", "right")

    def __init__(self, at: int, op: str, left: Expr, right: Expr) -> None:
        super().__init__(at, BOOL)
        self.op = op
        self.left = left
        self.right = right


@final
class Conditional(Expr):
    """`? :` with a scalar condition: one side is evaluated."""

    __slots__ = ("condition", "then", "otherwise")

    def __init__(self, at: int, type: Type, condition: Expr, then: Expr, otherwise: Expr) -> None:
        super().__init__(at, type)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


@final
class Assign(Expr):
    """`target = value`; the value of it is the target's new value."""

    __slots__ = ("target", "value")

    def __init__(self, at: int, target: Expr, value: Expr) -> None:
        super().__init__(at, target.type)
        self.target = target
        self.value = value


@final
class Update(Expr):
    """`target op= value`, `++` and `--` (value 1): the target is evaluated once, converted to `computed` (the type of
    `value`), and the result converted back. `old` gives the value before (postfix). A user.s own operator is a Call
    instead."""

    __slots__ = ("op", "target", "value", "old")

    def __init__(self, at: int, op: str, target: Expr, value: Expr, old: bool = False) -> None:
        super().__init__(at, target.type)
        self.op = op
        self.target = target
        self.value = value
        self.old = old


@final
class Sequence(Expr):
    """The comma: all in order; the last one's value."""

    __slots__ = ("parts",)

    def __init__(self, at: int, type: Type, parts: list[Expr]) -> None:
        super().__init__(at, type)
        self.parts = parts
