"""Expressions and types, which share one grammar.

Box<int>(x).value        Member(Call(Apply(Name Box, [Name int]), [Name x]), "value")
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang.syntax.node import Expr, Stmt

if TYPE_CHECKING:
    from reknit.front.slang.syntax.declarations import VarDecl


@final
class Name(Expr):
    """`x`, `int`, `float4`, `MyType`; `::x` has `from_global`."""

    __slots__ = ("text", "from_global")

    def __init__(self, at: int, text: str, from_global: bool = False) -> None:
        super().__init__(at)
        self.text = text
        self.from_global = from_global


@final
class IntLiteral(Expr):
    """`suffix` is lower case and sorted out: "", "u", "l", "ul", "ll", "ull", "z", "uz". A character's value too.
    `decimal`: not written in another base, whose literals may be unsigned without saying so. `negative`: a minus sign
    stands right before it, which belongs to the literal: -2147483648 is an int."""

    __slots__ = ("value", "suffix", "decimal", "negative")

    def __init__(self, at: int, value: int, suffix: str = "", decimal: bool = True, negative: bool = False) -> None:
        super().__init__(at)
        self.value = value
        self.suffix = suffix
        self.decimal = decimal
        self.negative = negative


@final
class FloatLiteral(Expr):
    """`suffix`: "" or "f" (float), "h" (half), "l" or "lf" (double)."""

    __slots__ = ("value", "suffix")

    def __init__(self, at: int, value: float, suffix: str = "") -> None:
        super().__init__(at)
        self.value = value
        self.suffix = suffix


@final
class BoolLiteral(Expr):
    __slots__ = ("value",)

    def __init__(self, at: int, value: bool) -> None:
        super().__init__(at)
        self.value = value


@final
class StringLiteral(Expr):
    __slots__ = ("value",)

    def __init__(self, at: int, value: str) -> None:
        super().__init__(at)
        self.value = value


@final
class Keyword(Expr):
    """`this`, `This`, `none`, `nullptr`."""

    __slots__ = ("text",)

    def __init__(self, at: int, text: str) -> None:
        super().__init__(at)
        self.text = text


@final
class Member(Expr):
    """`base.name`, `base->name` (`arrow`), `base::name` (`static`). `at` is the name's."""

    __slots__ = ("base", "name", "arrow", "static")

    def __init__(self, at: int, base: Expr, name: str, arrow: bool = False, static: bool = False) -> None:
        super().__init__(at)
        self.base = base
        self.name = name
        self.arrow = arrow
        self.static = static


@final
class Index(Expr):
    """`base[a, b]`; `base[]` in types. Array types too: `int[3]` and a declarator's `x[3]` become this."""

    __slots__ = ("base", "arguments")

    def __init__(self, at: int, base: Expr, arguments: list[Expr]) -> None:
        super().__init__(at)
        self.base = base
        self.arguments = arguments


@final
class Apply(Expr):
    """`base<arguments>`: a generic with its arguments."""

    __slots__ = ("base", "arguments")

    def __init__(self, at: int, base: Expr, arguments: list[Expr]) -> None:
        super().__init__(at)
        self.base = base
        self.arguments = arguments


@final
class Call(Expr):
    """`callee(arguments)`, constructors among them."""

    __slots__ = ("callee", "arguments")

    def __init__(self, at: int, callee: Expr, arguments: list[Expr]) -> None:
        super().__init__(at)
        self.callee = callee
        self.arguments = arguments


@final
class Unary(Expr):
    """Prefix: - + ! ~ ++ -- & *; postfix ("x++", "x--") have `postfix`. `op` is the operator's text."""

    __slots__ = ("op", "operand", "postfix")

    def __init__(self, at: int, op: str, operand: Expr, postfix: bool = False) -> None:
        super().__init__(at)
        self.op = op
        self.operand = operand
        self.postfix = postfix


@final
class Binary(Expr):
    """`left op right`, && and || and the comma among them. `at` is the operator's."""

    __slots__ = ("op", "left", "right")

    def __init__(self, at: int, op: str, left: Expr, right: Expr) -> None:
        super().__init__(at)
        self.op = op
        self.left = left
        self.right = right


@final
class Assign(Expr):
    """`target op value`: op is "=", "+=", ..."""

    __slots__ = ("op", "target", "value")

    def __init__(self, at: int, op: str, target: Expr, value: Expr) -> None:
        super().__init__(at)
        self.op = op
        self.target = target
        self.value = value


@final
class Conditional(Expr):
    """`condition ? then : otherwise`."""

    __slots__ = ("condition", "then", "otherwise")

    def __init__(self, at: int, condition: Expr, then: Expr, otherwise: Expr) -> None:
        super().__init__(at)
        self.condition = condition
        self.then = then
        self.otherwise = otherwise


@final
class Cast(Expr):
    """`(type)value`."""

    __slots__ = ("type", "value")

    def __init__(self, at: int, type: Expr, value: Expr) -> None:
        super().__init__(at)
        self.type = type
        self.value = value


@final
class InitList(Expr):
    """`{ a, b }`."""

    __slots__ = ("arguments",)

    def __init__(self, at: int, arguments: list[Expr]) -> None:
        super().__init__(at)
        self.arguments = arguments


@final
class Is(Expr):
    """`value is type`."""

    __slots__ = ("value", "type")

    def __init__(self, at: int, value: Expr, type: Expr) -> None:
        super().__init__(at)
        self.value = value
        self.type = type


@final
class As(Expr):
    """`value as type`."""

    __slots__ = ("value", "type")

    def __init__(self, at: int, value: Expr, type: Expr) -> None:
        super().__init__(at)
        self.value = value
        self.type = type


@final
class ModifiedType(Expr):
    """`dyn IFoo`, `some IFoo`, `const T`, `T*` ("*"), `T?` ("?"), `no_diff T`: `modifier` is the word."""

    __slots__ = ("modifier", "base")

    def __init__(self, at: int, modifier: str, base: Expr) -> None:
        super().__init__(at)
        self.modifier = modifier
        self.base = base


@final
class Lambda(Expr):
    """`(int x) => x + 1` (body is an Expr) or `(int x) => { ... }` (a Block)."""

    __slots__ = ("params", "body")

    def __init__(self, at: int, params: "list[VarDecl]", body: Expr | Stmt) -> None:
        super().__init__(at)
        self.params = params
        self.body = body


@final
class Try(Expr):
    """`try f(x)`."""

    __slots__ = ("value",)

    def __init__(self, at: int, value: Expr) -> None:
        super().__init__(at)
        self.value = value


@final
class Unsupported(Expr):
    """Something of Slang that parses and that this front-end does not take further; `what` names it for the message."""

    __slots__ = ("what",)

    def __init__(self, at: int, what: str) -> None:
        super().__init__(at)
        self.what = what
