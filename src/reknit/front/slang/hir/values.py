"""Constants, and values made of others.

float2(1, 2)     Construct(float2, [Const 1, Const 2])            int(x)    Convert(x, INT)
"""

from typing import final

from reknit.front.slang.hir.node import Expr
from reknit.front.slang.types import Type


@final
class Const(Expr):
    """A scalar (or enum) constant: `value` is an int for integers, bools and enums, a float for floats."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: int | float) -> None:
        super().__init__(at, type)
        self.value = value


@final
class GenericValue(Expr):
    """A generic value parameter: `value` is its ParamType (a ConstType after substitution)."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: Type) -> None:
        super().__init__(at, type)
        self.value = value


@final
class Zero(Expr):
    """`{}`: every component 0; fields of structs with defaults are Construct instead. Also the value of `T()`."""

    __slots__ = ()


@final
class Undefined(Expr):
    """A variable without an initial value."""

    __slots__ = ()


@final
class Text(Expr):
    """A string, for printf and asserts."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: str) -> None:
        super().__init__(at, type)
        self.value = value


@final
class Construct(Expr):
    """A vector, matrix (rows), struct, array or tuple of its parts, in order and of the right types. A vector's parts
    may be vectors that are laid end to end."""

    __slots__ = ("parts",)

    def __init__(self, at: int, type: Type, parts: list[Expr]) -> None:
        super().__init__(at, type)
        self.parts = parts


@final
class Splat(Expr):
    """A scalar in every component of a vector or matrix, or an element in every element of an array."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: Expr) -> None:
        super().__init__(at, type)
        self.value = value


@final
class Convert(Expr):
    """Between scalars, vectors or matrices of one shape, component by component (float to int toward zero, to bool by
    != 0); between enums and their underlying type; a longer vector or larger matrix is cut off."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: Expr) -> None:
        super().__init__(at, type)
        self.value = value


@final
class Reinterpret(Expr):
    """The same bits as another type: `asuint`, `bit_cast<T>`, `reinterpret<T>`."""

    __slots__ = ("value",)

    def __init__(self, at: int, type: Type, value: Expr) -> None:
        super().__init__(at, type)
        self.value = value
