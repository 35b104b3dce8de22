"""One of the language's own functions or methods: what the checker asks, what the lowering emits.

    find("max")                    Builtin max
      .resolve([INT, FLOAT], ...)  Signature([FLOAT, FLOAT], ["in", "in"], FLOAT, "max")
      .emit(emitter, call, ...)    %m = ExtInst FMax %a, %b

A builtin is a list of candidates (`Overload`); the first that takes the arguments as they are wins, then the first that
takes them converted.
"""

from collections.abc import Callable
from typing import final

from reknit.front.slang.builtins.emitter import Emitter
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import Type
from reknit.ir.value import Value


@final
class Signature:
    """`params` are the types that arguments are converted to (a receiver is not among them), `directions` "in", "out",
    "inout" or "ref" for each. `name` is the Intrinsic's; `type_arguments` likewise (found where not given). `receiver`
    is how the receiver is passed: "" there is none, "in" its value or resource, "ref" its place."""

    __slots__ = ("params", "directions", "result", "name", "type_arguments", "receiver")

    def __init__(
        self,
        params: list[Type],
        directions: list[str],
        result: Type,
        name: str,
        type_arguments: list[Type] | None = None,
        receiver: str = "",
    ) -> None:
        self.params = params
        self.directions = directions
        self.result = result
        self.name = name
        self.type_arguments: list[Type] = type_arguments if type_arguments is not None else []
        self.receiver = receiver


Resolver = Callable[[list[Type], list[Type], Type | None], Signature | None]
"""(arguments, type arguments, receiver) -> what they match."""

Maker = Callable[[Emitter, Intrinsic, list[Type], list[Value]], Value | None]
"""(emitter, call, types of the operands, operands, the receiver first) -> the value; None for void."""


@final
class Builtin:
    """`name` is the Intrinsic's name: "WaveActiveSum", "RWByteAddressBuffer.Store2"."""

    __slots__ = ("name", "_resolve", "emit")

    def __init__(self, name: str, resolve: Resolver, emit: Maker) -> None:
        self.name = name
        self._resolve = resolve
        self.emit = emit

    def resolve(self, arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
        """None: this builtin doesn't take these arguments."""
        return self._resolve(arguments, type_arguments, receiver)
