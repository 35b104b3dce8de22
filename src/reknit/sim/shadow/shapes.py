"""Shadows: which components of a value may be anything, and where that comes from.

    0               all of the value is defined
    n > 0           all of it is undefined; n is the number of the source
    (0, n, 0)       a vector, array, matrix or struct of which some parts are undefined

A shadow is kept in its shortest form: a tuple has two parts that differ.
"""

from typing import Any, Final

from reknit.sim.values import ARRAY_KIND, MATRIX_KIND, STRUCT_KIND, VECTOR_KIND, Shape

UNKNOWN: Final = "?"
"""What is shown of a value that may be anything."""


def part_of(shadow: Any, index: int) -> Any:
    """The shadow of a component, element or member."""
    return shadow[index] if isinstance(shadow, tuple) else shadow


def joined(parts: list[Any]) -> Any:
    """The shadow of what is made of parts with these shadows."""
    if not parts:
        return 0
    first = parts[0]
    if isinstance(first, tuple):
        return tuple(parts)
    for part in parts:
        if part != first:
            return tuple(parts)
    return first


def source_in(shadow: Any) -> int:
    """The first source, 0 where all is defined."""
    work = [shadow]
    while work:
        part = work.pop()
        if isinstance(part, tuple):
            work.extend(reversed(part))
        elif part:
            number: int = part
            return number
    return 0


def first_source(shadows: list[Any]) -> int:
    """The first source among several shadows."""
    for shadow in shadows:
        number = source_in(shadow)
        if number:
            return number
    return 0


def opened(value: Any, shadow: Any) -> Any:
    """A value with UNKNOWN for its parts that may be anything. Values nest a few levels."""
    if shadow == 0:
        return value
    if isinstance(value, tuple):
        return tuple([opened(value[index], part_of(shadow, index)) for index in range(len(value))])
    return UNKNOWN


def count_of(shape: Shape) -> int:
    """Of how many parts a value is made; 0: it is one scalar, or what is not looked into."""
    if shape.kind == STRUCT_KIND:
        return len(shape.members)
    if shape.kind == VECTOR_KIND or shape.kind == MATRIX_KIND or shape.kind == ARRAY_KIND:
        return shape.count
    return 0


def shape_at(shape: Shape, index: int) -> Shape:
    """Of a part."""
    if shape.kind == STRUCT_KIND:
        return shape.members[index]
    assert shape.element is not None
    return shape.element


def leaves_of(shape: Shape) -> int:
    """How many scalars a value has; what is not looked into counts as one. Shapes nest a few levels."""
    if shape.kind == STRUCT_KIND:
        return starts_of(shape)[-1]
    count = count_of(shape)
    if shape.kind == VECTOR_KIND or shape.kind == MATRIX_KIND or shape.kind == ARRAY_KIND:
        assert shape.element is not None
        return count * leaves_of(shape.element)
    return 1


def starts_of(shape: Shape) -> list[int]:
    """How many scalars lie before each member of a struct, and in all of it."""
    if not shape.starts:
        starts = [0]
        for member in shape.members:
            starts.append(starts[-1] + leaves_of(member))
        shape.starts = starts
    return shape.starts


def spread(shadow: Any, shape: Shape, out: list[int]) -> None:
    """The shadow of each scalar in turn, added to `out`. Shapes nest a few levels."""
    if not isinstance(shadow, tuple):
        out.extend([shadow] * leaves_of(shape))
        return
    for index in range(len(shadow)):
        spread(shadow[index], shape_at(shape, index), out)


def gathered(flat: list[int], start: int, shape: Shape) -> Any:
    """The shadow of a value, from those of its scalars. Shapes nest a few levels."""
    count = count_of(shape)
    if count == 0:
        return flat[start] if leaves_of(shape) else 0
    parts: list[Any] = []
    for index in range(count):
        inner = shape_at(shape, index)
        parts.append(gathered(flat, start, inner))
        start += leaves_of(inner)
    return joined(parts)
