"""Expressions that are no values: they live inside the checker only.

float3            TypeExpr                 f, a.f         GroupExpr (whatever overloads there are)
ns                NamespaceExpr            { 1, 2 }       ListExpr
Box               GenericExpr              max, buf.Load  BuiltinExpr
"""

from typing import final

from reknit.front.slang.builtins.builtin import Builtin
from reknit.front.slang.check.declare.declarations import AliasEntry, Container, LookupItem
from reknit.front.slang.hir import Expr
from reknit.front.slang.types import Type, WordType

OVERLOADED = WordType("overload group")
NAMESPACE = WordType("namespace")
GENERIC = WordType("generic")
LIST = WordType("initializer list")
LEVELS = WordType("levels of a texture")


@final
class TypeExpr(Expr):
    """A type: `type` is the one that is meant. `generic` is what was named, where defaults gave all its arguments:
    others may still follow."""

    __slots__ = ("generic",)

    def __init__(self, at: int, type: Type, generic: LookupItem | None = None) -> None:
        super().__init__(at, type)
        self.generic = generic


@final
class NamespaceExpr(Expr):
    __slots__ = ("container",)

    def __init__(self, at: int, container: Container) -> None:
        super().__init__(at, NAMESPACE)
        self.container = container


@final
class GenericExpr(Expr):
    """A generic type without its arguments; `builtin` is the name of one of the language's own."""

    __slots__ = ("item", "builtin")

    def __init__(self, at: int, item: LookupItem | None, builtin: str = "") -> None:
        super().__init__(at, GENERIC)
        self.item = item
        self.builtin = builtin

    @property
    def name(self) -> str:
        return self.builtin if self.item is None else self.item.entry.name

    def alias(self) -> AliasEntry | None:
        if self.item is not None and isinstance(self.item.entry, AliasEntry):
            return self.item.entry
        return None


@final
class GroupExpr(Expr):
    """Functions of one name. `base` is `this` of methods (None: named by a type or free), `arguments` generic ones that
    were written; `opened` says that base's existential is opened around the call. `builtin`: tried if none fits."""

    __slots__ = ("name", "items", "base", "arguments", "builtin")

    def __init__(self, at: int, name: str, items: list[LookupItem], base: Expr | None) -> None:
        super().__init__(at, OVERLOADED)
        self.name = name
        self.items = items
        self.base = base
        self.arguments: list[Type] = []
        self.builtin: Builtin | None = None


@final
class BuiltinExpr(Expr):
    """One of the language's own functions, or a method with its `receiver`. `builtin` None: one of `special`."""

    __slots__ = ("name", "builtin", "receiver", "arguments")

    def __init__(self, at: int, name: str, builtin: Builtin | None, receiver: Expr | None) -> None:
        super().__init__(at, OVERLOADED)
        self.name = name
        self.builtin = builtin
        self.receiver = receiver
        self.arguments: list[Type] = []


@final
class LevelsExpr(Expr):
    """`texture.mips`, `texture.mips[level]`; of a multisampled one `sample`. What is inside are texels by place."""

    __slots__ = ("texture", "level")

    def __init__(self, at: int, texture: Expr, level: Expr | None) -> None:
        super().__init__(at, LEVELS)
        self.texture = texture
        self.level = level


@final
class ConjunctionType(Type):
    """`IFirst & ISecond`, as the bound of a parameter."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Type]) -> None:
        super().__init__(" & ".join([part.key for part in parts]))
        self.parts = parts


@final
class ListExpr(Expr):
    """`{ ... }` before its type is known."""

    __slots__ = ("parts",)

    def __init__(self, at: int, parts: list[Expr]) -> None:
        super().__init__(at, LIST)
        self.parts = parts


def is_value(expr: Expr) -> bool:
    """Not a type, a function or the like; an initializer list is one."""
    return not isinstance(expr, (TypeExpr, NamespaceExpr, GenericExpr, GroupExpr, BuiltinExpr, LevelsExpr))


def what_it_is(expr: Expr) -> str:
    if isinstance(expr, TypeExpr):
        return f"type '{expr.type}'"
    if isinstance(expr, NamespaceExpr):
        return f"namespace '{expr.container.name}'"
    if isinstance(expr, GenericExpr):
        return f"generic '{expr.name}'"
    if isinstance(expr, (GroupExpr, BuiltinExpr)):
        return f"function '{expr.name}'"
    if isinstance(expr, LevelsExpr):
        return "the levels or samples of a texture"
    return f"a value of type '{expr.type}'"
