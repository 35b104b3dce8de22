"""Which types a function takes, as short text, and what given arguments make of it.

    "n T(T, T)"               max          max(int, float3): T is float3
    "f void(T, out T, out T)" sincos       T is decided by the `in` arguments that are T alone
    "f E(V, V)"               dot          V: a T that is no matrix (V3: of 3); E: T's element
    "f T:bool(T)"             isnan        bools in the shape of T
    "i void(ref T, T, out T?)"             a ref T alone decides; parameters with ? may be absent

Other words are types ("uint", "uint4", "bool"). "X" takes anything, as it is; "I" an integer in the
shape of T, of its own type.
"""

import re
from typing import Final, final

from reknit.front.slang.builtins.builtin import Signature
from reknit.front.slang.builtins.names import numeric
from reknit.front.slang.builtins.shapes import accept, element, join, shape
from reknit.front.slang.types import BOOL, INT, VOID, MatrixType, ResourceType, ScalarType, Type, VectorType, same

_DIRECTIONS: Final = ("out", "inout", "ref")


@final
class Param:
    __slots__ = ("direction", "word", "optional")

    def __init__(self, text: str) -> None:
        self.optional = text.endswith("?")
        words = text.rstrip("?").split()
        self.direction = words[0] if words[0] in _DIRECTIONS else "in"
        self.word = words[-1]


@final
class Pattern:
    """`name` is the Intrinsic's."""

    __slots__ = ("name", "kinds", "result", "params", "least", "receiver")

    def __init__(self, name: str, kinds: str, result: str, params: str, receiver: str = "") -> None:
        self.name = name
        self.kinds = kinds
        self.result = result
        self.params = [Param(text) for text in re.split(r",\s*", params)] if params else []
        self.least = len([param for param in self.params if not param.optional])
        self.receiver = receiver

    def match(self, arguments: list[Type], type_arguments: list[Type]) -> Signature | None:
        if not self.least <= len(arguments) <= len(self.params):
            return None
        params = self.params[: len(arguments)]
        main = self._main(params, arguments, type_arguments)
        if main is None:
            return None
        types: list[Type] = []
        for param, argument in zip(params, arguments, strict=True):
            if param.direction == "ref":
                type: Type | None = argument if same(held(argument), main) else None
            else:
                type = given_type(param.word, argument, main)
            if type is None or not _convertible(held(argument), held(type)):
                return None
            types.append(type)
        result = word_type(self.result, main)
        if result is None:
            return None
        return Signature(types, [param.direction for param in params], result, self.name, [main], self.receiver)

    def _main(self, params: list[Param], arguments: list[Type], type_arguments: list[Type]) -> Type | None:
        """What T is; INT where nothing asks."""
        places: list[Type] = []
        values: list[Type] = []
        for param, argument in zip(params, arguments, strict=True):
            if param.word[0] in "TVE":
                if param.direction == "ref":
                    places.append(held(argument))
                elif param.direction == "in":
                    values.append(argument)
        if any(
            param.word == "V" and isinstance(type, MatrixType) for param, type in zip(params, arguments, strict=True)
        ):
            return None
        deciding = places if places else values
        if type_arguments:
            own = element(type_arguments[0])
            accepted = None if own is None else accept(own, self.kinds)
            if accepted is None:
                return None
            joined = join(deciding, "a") if deciding else type_arguments[0]
            whole = type_arguments[0] if not shape(type_arguments[0]).is_scalar() else joined
            return None if whole is None else shape(whole).of(accepted)
        if not deciding:
            return INT
        return join(deciding, self.kinds)


def held(type: Type) -> Type:
    """What a place of the type holds: an Atomic<T> a T."""
    return type.element if isinstance(type, ResourceType) and type.element is not None else type


def given_type(word: str, argument: Type, main: Type) -> Type | None:
    """What an argument of a parameter is converted to."""
    if word == "X":
        return argument
    if word == "I":
        own = element(argument)
        accepted = None if own is None or own is BOOL else accept(own, "i")
        return None if accepted is None else shape(main).of(accepted)
    return word_type(word, main)


def word_type(word: str, main: Type) -> Type | None:
    if word == "T" or word == "V":
        return main
    if word == "V3" or word == "V4":
        return main if isinstance(main, VectorType) and main.count.key == word[1] else None
    if word == "E":
        return element(main)
    if word == "void":
        return VOID
    if word.startswith("T:"):
        numeric_type = numeric(word[2:])
        return None if numeric_type is None else shape(main).of(numeric_type)
    return numeric(word)


def _convertible(argument: Type, target: Type) -> bool:
    """Roughly: whether a number of one shape is the other, or splats to it. The checker converts and has the last
    word."""
    if isinstance(target, ScalarType) and target.kind == "void":
        return False
    own = element(argument)
    if own is None or element(target) is None:
        return False
    given = shape(argument)
    return given.is_scalar() or given.fits(shape(target))
