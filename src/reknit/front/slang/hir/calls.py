"""Calls: of functions with a body, through witnesses, of the language's own.

foo(a)           Call(foo, [a])            t.foo(a)  (t : T : IFoo)     WitnessCall(T : IFoo, IFoo.foo, [t, a])
"""

from typing import TYPE_CHECKING, final

from reknit.front.slang.hir.node import Expr
from reknit.front.slang.hir.statements import Block
from reknit.front.slang.types import Type

if TYPE_CHECKING:
    from reknit.front.slang.substitute import Substitution
    from reknit.front.slang.symbols import Function, Requirement, Variable
    from reknit.front.slang.witnesses import Witness


@final
class Call(Expr):
    """A function with a body; `this` is the first argument of a method. Arguments of out, inout and ref parameters are
    places of the parameter's type, or CopyBack. `substitution` is for the function's whole environment."""

    __slots__ = ("function", "substitution", "arguments")

    def __init__(
        self, at: int, type: Type, function: "Function", substitution: "Substitution", arguments: list[Expr]
    ) -> None:
        super().__init__(at, type)
        self.function = function
        self.substitution = substitution
        self.arguments = arguments


@final
class Try(Expr):
    """A call of a function that throws; `thrown` is a new Optional, the call's last argument. `handler` runs where it
    has an error then, and ends in a jump; None: nobody wrote `try`, which is an error."""

    __slots__ = ("call", "thrown", "handler")

    def __init__(self, at: int, call: Expr, thrown: "Variable") -> None:
        super().__init__(at, call.type)
        self.call = call
        self.thrown = thrown
        self.handler: Block | None = None


@final
class WitnessCall(Expr):
    """A requirement, through a witness; `substitution` is for the requirement's own generics."""

    __slots__ = ("witness", "requirement", "substitution", "arguments")

    def __init__(
        self,
        at: int,
        type: Type,
        witness: "Witness",
        requirement: "Requirement",
        substitution: "Substitution",
        arguments: list[Expr],
    ) -> None:
        super().__init__(at, type)
        self.witness = witness
        self.requirement = requirement
        self.substitution = substitution
        self.arguments = arguments


@final
class WitnessConstant(Expr):
    """A `static const` requirement's value, through a witness."""

    __slots__ = ("witness", "requirement")

    def __init__(self, at: int, type: Type, witness: "Witness", requirement: "Requirement") -> None:
        super().__init__(at, type)
        self.witness = witness
        self.requirement = requirement


@final
class CopyBack(Expr):
    """An argument of an out or inout parameter whose type differs from the place's: converted in, converted back."""

    __slots__ = ("place",)

    def __init__(self, at: int, type: Type, place: Expr) -> None:
        super().__init__(at, type)
        self.place = place


@final
class Intrinsic(Expr):
    """One of the language's own functions and methods (`builtins`): `name` is as written ("WaveActiveSum",
    "RWByteAddressBuffer.Store2"), `type_arguments` its generic ones; a method's receiver is the first argument.
    Arguments are converted to what `builtins` said; out ones are places."""

    __slots__ = ("name", "type_arguments", "arguments")

    def __init__(self, at: int, type: Type, name: str, type_arguments: list[Type], arguments: list[Expr]) -> None:
        super().__init__(at, type)
        self.name = name
        self.type_arguments = type_arguments
        self.arguments = arguments
