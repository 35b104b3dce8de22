"""What may be assigned, and how it is reached.

a.b[i].x         Swizzle(Element(Field(Place a, b), i), [0])      *p        Deref(p)
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang.hir.node import Expr
from reknit.front.slang.types import Type

if TYPE_CHECKING:
    from reknit.front.slang.substitute import Substitution
    from reknit.front.slang.symbols import Field as FieldSymbol
    from reknit.front.slang.symbols import Function, Requirement, Variable
    from reknit.front.slang.witnesses import Witness


@final
class Place(Expr):
    """A variable, `this` among them."""

    __slots__ = ("variable",)

    def __init__(self, at: int, type: Type, variable: "Variable") -> None:
        super().__init__(at, type)
        self.variable = variable


@final
class Field(Expr):
    """`base.field` of a struct; of a ConstantBuffer<S> or ParameterBlock<S> the base is a Deref."""

    __slots__ = ("base", "field")

    def __init__(self, at: int, type: Type, base: Expr, field: "FieldSymbol") -> None:
        super().__init__(at, type)
        self.base = base
        self.field = field


@final
class Element(Expr):
    """`base[index]`: of an array, vector, matrix (a row), pointer or tuple (constant index), of a
    (RW)StructuredBuffer, a (RW)Buffer or (RW)Texture (index is then a vector of the coordinates)."""

    __slots__ = ("base", "index")

    def __init__(self, at: int, type: Type, base: Expr, index: Expr) -> None:
        super().__init__(at, type)
        self.base = base
        self.index = index


@final
class Swizzle(Expr):
    """`v.zyx`, `s.xxx` of a scalar. `indices` may repeat in a value, not in a place. A matrix's `_m00_m11` has row *
    4 + column."""

    __slots__ = ("base", "indices")

    def __init__(self, at: int, type: Type, base: Expr, indices: list[int]) -> None:
        super().__init__(at, type)
        self.base = base
        self.indices = indices


@final
class Deref(Expr):
    """What a ConstantBuffer, a ParameterBlock or a pointer holds."""

    __slots__ = ("base",)

    def __init__(self, at: int, type: Type, base: Expr) -> None:
        super().__init__(at, type)
        self.base = base


@final
class AddressOf(Expr):
    """`__getAddress(place)`."""

    __slots__ = ("place",)

    def __init__(self, at: int, type: Type, place: Expr) -> None:
        super().__init__(at, type)
        self.place = place


@final
class PropertyPlace(Expr):
    """A property or subscript: read by `getter`, written by `setter` (value last); `reference` when it is a `ref`
    accessor. Each is a call without its last argument yet: `base` is `this`, `arguments` the subscript's. Through an
    interface, `witness` is given and the accessors are requirements' functions."""

    __slots__ = ("base", "arguments", "getter", "setter", "reference", "substitution", "witness")

    def __init__(
        self,
        at: int,
        type: Type,
        base: Expr | None,
        arguments: list[Expr],
        getter: "Function | Requirement | None",
        setter: "Function | Requirement | None",
        reference: "Function | None",
        substitution: "Substitution",
        witness: "Witness | None",
    ) -> None:
        super().__init__(at, type)
        self.base = base
        self.arguments = arguments
        self.getter = getter
        self.setter = setter
        self.reference = reference
        self.substitution = substitution
        self.witness = witness
