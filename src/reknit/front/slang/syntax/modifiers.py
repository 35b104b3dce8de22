"""What stands around a declaration.

[numthreads(8, 1, 1)] static void f(float4 p : POSITION)      Attribute, words, semantic
"""

from typing import final

from reknit.front.slang.syntax.node import Expr, Node


@final
class Attribute(Node):
    """`[name(arguments)]`, `[[vk::binding(0, 1)]]` (name "vk::binding")."""

    __slots__ = ("name", "arguments")

    def __init__(self, at: int, name: str, arguments: list[Expr]) -> None:
        super().__init__(at)
        self.name = name
        self.arguments = arguments


@final
class Register(Node):
    """`: register(u0, space1)` and `: packoffset(c0.x)`: `kind` is the word, `arguments` are as written."""

    __slots__ = ("kind", "arguments")

    def __init__(self, at: int, kind: str, arguments: list[str]) -> None:
        super().__init__(at)
        self.kind = kind
        self.arguments = arguments


@final
class Modifiers:
    """What stands before a declaration and after its name. `words` has static, const, in, out, inout, uniform,
    groupshared, public, private, internal, override, extern, export, throws..., each with its position. `throws` is
    the type of a function's errors."""

    __slots__ = ("words", "attributes", "semantic", "registers", "throws")

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.attributes: list[Attribute] = []
        self.semantic = ""
        self.registers: list[Register] = []
        self.throws: Expr | None = None

    def attribute(self, name: str) -> Attribute | None:
        """The first attribute of that name, whatever its case (HLSL's are case-insensitive)."""
        lower = name.lower()
        for attribute in self.attributes:
            if attribute.name.lower() == lower:
                return attribute
        return None
