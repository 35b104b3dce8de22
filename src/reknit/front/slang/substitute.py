"""Arguments for generic parameters, in types and witnesses.

    List<T>[T := int]  ->  List<int>              T.D[T := A, (T : IFoo) := (A : IFoo)]  ->  A's D

A witness that becomes concrete is resolved at once: its associated types and bases are looked up in the conformance.
"""

from typing import final

from reknit.front.slang.symbols import Constraint, GenericParam
from reknit.front.slang.types import Type
from reknit.front.slang.witnesses import Witness


@final
class Substitution:
    """`types` by parameter, `witnesses` by constraint; `this_type` and `this_witness` are for the bodies of
    interfaces."""

    __slots__ = ("types", "witnesses", "this_type", "this_witness")

    def __init__(self) -> None:
        self.types: dict[GenericParam, Type] = {}
        self.witnesses: dict[Constraint, Witness] = {}
        self.this_type: Type | None = None
        self.this_witness: Witness | None = None
