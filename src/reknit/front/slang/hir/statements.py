"""Statements: what is left of control flow once jumps know their targets.

outer: for (;;) { break outer; }     Loop(target, Block [Break(target)])
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang.hir.node import Expr, Stmt

if TYPE_CHECKING:
    from reknit.front.slang.symbols import Variable


@final
class Block(Stmt):
    """A scope: what `Defer` put off runs where it is left, last first."""

    __slots__ = ("statements",)

    def __init__(self, at: int, statements: list[Stmt]) -> None:
        super().__init__(at)
        self.statements = statements


@final
class Let(Stmt):
    """A local comes to life; `value` is an Undefined where none was given."""

    __slots__ = ("variable", "value")

    def __init__(self, at: int, variable: "Variable", value: Expr) -> None:
        super().__init__(at)
        self.variable = variable
        self.value = value


@final
class Eval(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr) -> None:
        super().__init__(at)
        self.value = value


@final
class If(Stmt):
    """`hint`: "", "branch" or "flatten". `else if` is an If in `otherwise`: a chain may be long, walk it with a
    loop."""

    __slots__ = ("condition", "then", "otherwise", "hint")

    def __init__(self, at: int, condition: Expr, then: Block, otherwise: Stmt | None, hint: str = "") -> None:
        super().__init__(at)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise
        self.hint = hint


@final
class Target:
    """What `break` and `continue` name: a loop, a switch or a labelled block."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name


@final
class Loop(Stmt):
    """for, while (`tested_first`) and do. `condition` None: always. `hint`: "", "unroll" or "loop"; `count` of
    [unroll(n)] or 0."""

    __slots__ = ("target", "condition", "step", "body", "tested_first", "hint", "count")

    def __init__(
        self, at: int, target: Target, condition: Expr | None, step: Expr | None, body: Block, tested_first: bool
    ) -> None:
        super().__init__(at)
        self.target = target
        self.condition = condition
        self.step = step
        self.body = body
        self.tested_first = tested_first
        self.hint = ""
        self.count = 0


@final
class Case:
    """Labels that share a body: `values` are the selector's bits as unsigned numbers, `default` if it is among them.
    One whose end is reached falls through to the next."""

    __slots__ = ("at", "values", "default", "body")

    def __init__(self, at: int, values: list[int], default: bool, body: Block) -> None:
        self.at = at
        self.values = values
        self.default = default
        self.body = body


@final
class Switch(Stmt):
    """`value` is an integer. There may be no default."""

    __slots__ = ("target", "value", "cases", "hint")

    def __init__(self, at: int, target: Target, value: Expr, cases: list[Case], hint: str = "") -> None:
        super().__init__(at)
        self.target = target
        self.value = value
        self.cases = cases
        self.hint = hint


@final
class Labelled(Stmt):
    """A block with a label, left by `break label`. (A labelled loop or switch has the label's Target itself.)"""

    __slots__ = ("target", "body")

    def __init__(self, at: int, target: Target, body: Block) -> None:
        super().__init__(at)
        self.target = target
        self.body = body


@final
class Break(Stmt):
    __slots__ = ("target",)

    def __init__(self, at: int, target: Target) -> None:
        super().__init__(at)
        self.target = target


@final
class Continue(Stmt):
    __slots__ = ("target",)

    def __init__(self, at: int, target: Target) -> None:
        super().__init__(at)
        self.target = target


@final
class Return(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr | None) -> None:
        super().__init__(at)
        self.value = value


@final
class Discard(Stmt):
    __slots__ = ()


@final
class Defer(Stmt):
    """Put off to where the enclosing block is left."""

    __slots__ = ("body",)

    def __init__(self, at: int, body: Block) -> None:
        super().__init__(at)
        self.body = body
