"""What all of `hir` is made of: an expression has a type, a statement a place in the source."""

from reknit.front.slang.types import Type


class Expr:
    __slots__ = ("at", "type")

    def __init__(self, at: int, type: Type) -> None:
        self.at = at
        self.type = type


class Stmt:
    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at
