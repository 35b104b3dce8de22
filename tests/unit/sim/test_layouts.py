"""Values in memory: where each scalar of a type lies and which bytes a write leaves alone, against a model of bytes."""

import random
from typing import Any

import pytest

from reknit.sim.layout import Layout, alignment_of, is_words, reader, writer
from reknit.sim.values import F16, F32, F64, I8, STRUCT_KIND, U8, U16, U32, U64, Shape, array, vector

Scalar = tuple[int, int]
"""Byte offset and size."""


def scalar(shape: Shape) -> Layout:
    return Layout(shape, shape.width // 8, 0, [], [])


def drawn(draws: random.Random, depth: int) -> tuple[Layout, list[Scalar], Any, int]:
    """A layout, its scalars in order, a value, and its alignment."""
    kind = draws.choice(["scalar", "vector", "array", "struct"]) if depth else "scalar"
    if kind == "scalar":
        shape = draws.choice([U8, I8, U16, F16, U32, F32, U64, F64])
        size = shape.width // 8
        return scalar(shape), [(0, size)], draws.getrandbits(shape.width), size
    if kind in ("vector", "array"):
        count = draws.randint(2, 4)
        part, inner, _, alignment = drawn(draws, 0 if kind == "vector" else depth - 1)
        stride = -(-part.size // alignment) * alignment + (alignment * draws.randint(0, 1) if kind == "array" else 0)
        shape = vector(part.shape, count) if kind == "vector" else array(part.shape, count)
        layout = Layout(shape, (count - 1) * stride + part.size, stride, [], [part])
        places = [(at * stride + offset, size) for at in range(count) for offset, size in inner]
        return layout, places, tuple(filled(draws, part) for _ in range(count)), alignment
    offsets: list[int] = []
    parts: list[Layout] = []
    places = []
    values: list[Any] = []
    end = 0
    widest = 1
    for _ in range(draws.randint(1, 3)):
        part, inner, value, alignment = drawn(draws, depth - 1)
        offset = -(-end // alignment) * alignment + alignment * draws.randint(0, 2)
        offsets.append(offset)
        parts.append(part)
        places += [(offset + at, size) for at, size in inner]
        values.append(value)
        end = offset + part.size
        widest = max(widest, alignment)
    whole = Shape(STRUCT_KIND, members=[part.shape for part in parts])
    return Layout(whole, end, 0, offsets, parts), places, tuple(values), widest


def filled(draws: random.Random, layout: Layout) -> Any:
    if layout.shape.kind == STRUCT_KIND:
        return tuple(filled(draws, part) for part in layout.parts)
    if layout.parts:
        return tuple(filled(draws, layout.parts[0]) for _ in range(layout.shape.count))
    return draws.getrandbits(layout.shape.width)


def scalars(value: Any) -> list[int]:
    return [each for part in value for each in scalars(part)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("seed", range(4))
def test_what_is_written_is_there_and_nothing_else_changes(seed: int) -> None:
    draws = random.Random(seed)
    for _ in range(60):
        layout, places, value, alignment = drawn(draws, 3)
        assert alignment_of(layout) == alignment
        base = 8 * draws.randint(0, 2)
        words = [draws.getrandbits(32) for _ in range((base + layout.size) // 4 + 3)]
        expected = bytearray(b"".join(word.to_bytes(4, "little") for word in words))
        for (offset, size), each in zip(places, scalars(value), strict=True):
            expected[base + offset : base + offset + size] = each.to_bytes(size, "little")
        writer(layout)(words, base, value)
        assert b"".join(word.to_bytes(4, "little") for word in words) == expected
        assert reader(layout)(words, base) == value


def test_arrays_without_gaps_are_words() -> None:
    word = scalar(U32)
    assert is_words(Layout(array(U32, 3), 12, 4, [], [word])) and is_words(
        Layout(vector(F32, 2), 8, 4, [], [scalar(F32)])
    )
    assert not is_words(Layout(array(U32, 3), 20, 8, [], [word])) and not is_words(
        Layout(array(U32, 0), 0, 4, [], [word])
    )
    assert not is_words(Layout(array(U16, 3), 10, 4, [], [scalar(U16)])) and not is_words(word)
    empty = Layout(Shape(STRUCT_KIND), 0, 0, [], [])
    words = [7]
    writer(empty)(words, 0, ())
    assert words == [7] and reader(empty)(words, 0) == () and alignment_of(empty) == 1
