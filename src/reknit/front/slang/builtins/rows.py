"""Rows of the tables: a signature as text, and what makes the instructions.

    "max": ("n T(T, T)", maker)      "InterlockedAdd": ("i void(ref T, T, out T?)", maker)

Several signatures stand in one text, split by " | "; they share the maker. A Builtin is made when it is asked for.
"""

from collections.abc import Mapping

from reknit.front.slang.builtins.builtin import Builtin, Maker, Resolver, Signature
from reknit.front.slang.builtins.matching import Pattern
from reknit.front.slang.types import Type

Row = tuple[str, Maker]
Rows = Mapping[str, Row]


def patterns(name: str, text: str, receiver: str = "") -> list[Pattern]:
    parsed: list[Pattern] = []
    for pattern in text.split(" | "):
        head, _, rest = pattern.partition("(")
        kinds, result = head.split()
        parsed.append(Pattern(name, kinds, result, rest.rstrip(")"), receiver))
    return parsed


def builtin(name: str, row: Row) -> Builtin:
    text, make = row
    return Builtin(name, first_of(patterns(name, text)), make)


def first_of(candidates: list[Pattern]) -> Resolver:
    """The first that fits."""

    def resolve(arguments: list[Type], type_arguments: list[Type], receiver: Type | None) -> Signature | None:
        for candidate in candidates:
            match = candidate.match(arguments, type_arguments)
            if match is not None:
                return match
        return None

    return resolve
