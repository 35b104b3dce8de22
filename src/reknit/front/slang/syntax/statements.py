"""Statements.

outer: while (c) { break outer; }         Labelled("outer", While(c, Block [Jump("break", "outer")]))
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang.syntax.modifiers import Attribute
from reknit.front.slang.syntax.node import Expr, Node, Stmt

if TYPE_CHECKING:
    from reknit.front.slang.syntax.declarations import Decl, VarDecl


@final
class Block(Stmt):
    __slots__ = ("statements", "end")

    def __init__(self, at: int, statements: list[Stmt], end: int) -> None:
        super().__init__(at)
        self.statements = statements
        self.end = end  # the closing brace


@final
class DeclStmt(Stmt):
    """Variables, or a type declared inside a function."""

    __slots__ = ("declarations",)

    def __init__(self, at: int, declarations: "list[Decl]") -> None:
        super().__init__(at)
        self.declarations = declarations


@final
class ExprStmt(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr) -> None:
        super().__init__(at)
        self.value = value


@final
class If(Stmt):
    """`if (condition)`, or `if (let x = value)` (`binding` is the variable; condition is then its value)."""

    __slots__ = ("condition", "binding", "then", "otherwise", "attributes")

    def __init__(
        self,
        at: int,
        condition: Expr,
        binding: "VarDecl | None",
        then: Stmt,
        otherwise: Stmt | None,
        attributes: list[Attribute],
    ) -> None:
        super().__init__(at)
        self.condition = condition
        self.binding = binding
        self.then = then
        self.otherwise = otherwise
        self.attributes = attributes


@final
class For(Stmt):
    __slots__ = ("first", "condition", "step", "body", "attributes")

    def __init__(
        self,
        at: int,
        first: Stmt | None,
        condition: Expr | None,
        step: Expr | None,
        body: Stmt,
        attributes: list[Attribute],
    ) -> None:
        super().__init__(at)
        self.first = first
        self.condition = condition
        self.step = step
        self.body = body
        self.attributes = attributes


@final
class While(Stmt):
    __slots__ = ("condition", "body", "attributes")

    def __init__(self, at: int, condition: Expr, body: Stmt, attributes: list[Attribute]) -> None:
        super().__init__(at)
        self.condition = condition
        self.body = body
        self.attributes = attributes


@final
class DoWhile(Stmt):
    __slots__ = ("body", "condition", "attributes")

    def __init__(self, at: int, body: Stmt, condition: Expr, attributes: list[Attribute]) -> None:
        super().__init__(at)
        self.body = body
        self.condition = condition
        self.attributes = attributes


@final
class CaseLabel(Node):
    """`case value:`; None is `default:`."""

    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr | None) -> None:
        super().__init__(at)
        self.value = value


@final
class CaseGroup(Node):
    """Labels that stand together and the statements after them, up to the next label."""

    __slots__ = ("labels", "statements")

    def __init__(self, at: int, labels: list[CaseLabel], statements: list[Stmt]) -> None:
        super().__init__(at)
        self.labels = labels
        self.statements = statements


@final
class Switch(Stmt):
    __slots__ = ("value", "groups", "attributes")

    def __init__(self, at: int, value: Expr, groups: list[CaseGroup], attributes: list[Attribute]) -> None:
        super().__init__(at)
        self.value = value
        self.groups = groups
        self.attributes = attributes


@final
class Jump(Stmt):
    """`break`, `break label`, `continue`, `discard`: `kind` is the word, `label` may be ""."""

    __slots__ = ("kind", "label")

    def __init__(self, at: int, kind: str, label: str = "") -> None:
        super().__init__(at)
        self.kind = kind
        self.label = label


@final
class Return(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr | None) -> None:
        super().__init__(at)
        self.value = value


@final
class Defer(Stmt):
    __slots__ = ("body",)

    def __init__(self, at: int, body: Stmt) -> None:
        super().__init__(at)
        self.body = body


@final
class Labelled(Stmt):
    """`name: statement`."""

    __slots__ = ("name", "body")

    def __init__(self, at: int, name: str, body: Stmt) -> None:
        super().__init__(at)
        self.name = name
        self.body = body


@final
class Throw(Stmt):
    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr) -> None:
        super().__init__(at)
        self.value = value


@final
class Catch(Node):
    """`catch (name : type) body`; `param` None catches whatever is thrown."""

    __slots__ = ("param", "body")

    def __init__(self, at: int, param: "VarDecl | None", body: Stmt) -> None:
        super().__init__(at)
        self.param = param
        self.body = body


@final
class DoCatch(Stmt):
    """`do body catch ...`, with at least one catch."""

    __slots__ = ("body", "catches")

    def __init__(self, at: int, body: Stmt, catches: list[Catch]) -> None:
        super().__init__(at)
        self.body = body
        self.catches = catches


@final
class UnsupportedStmt(Stmt):
    __slots__ = ("what",)

    def __init__(self, at: int, what: str) -> None:
        super().__init__(at)
        self.what = what
