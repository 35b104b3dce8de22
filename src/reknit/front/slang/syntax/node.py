"""What all of the syntax tree is made of."""


class Node:
    __slots__ = ("at",)

    def __init__(self, at: int) -> None:
        self.at = at


class Expr(Node):
    __slots__ = ()


class Stmt(Node):
    __slots__ = ()
