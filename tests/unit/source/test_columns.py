"""The columns and their stand-in behave the same from plain Python: every step is done on both."""

from collections.abc import Callable

import pytest

from reknit.source import columns, plain_columns

BOTH = [
    pytest.param(columns, id="columns"),
    pytest.param(plain_columns, id="stand-in"),
]


@pytest.mark.parametrize("module", BOTH)
@pytest.mark.parametrize(("name", "low", "high"), [("i32", -(2**31), 2**31 - 1), ("i64", -(2**63), 2**63 - 1)])
def test_numbers(module, name: str, low: int, high: int) -> None:  # type: ignore[no-untyped-def]
    column = module.vec[getattr(module, name)](capacity=2)
    assert len(column) == 0
    for value in (low, high, 0):
        column = module.append(column, value)
    assert list(column) == [low, high, 0]
    assert column[1] == high
    column[2] = 5
    assert list(column[1:]) == [high, 5]
    assert bytes(memoryview(column)) == b"".join(
        value.to_bytes(4 if name == "i32" else 8, "little", signed=True) for value in (low, high, 5)
    )
    column = module.extend(column, [7, 8])
    column = module.remove(column, 5)
    column, last = module.pop(column)
    assert (list(column), last) == ([low, high, 7], 8)
    column, first = module.pop(column, 0)
    assert (list(column), first) == ([high, 7], low)


FAULTS: list[tuple[type[Exception], Callable[..., object]]] = [
    (OverflowError, lambda m: m.append(m.vec[m.i32](), 2**31)),
    (OverflowError, lambda m: m.append(m.vec[m.i64](), -(2**63) - 1)),
    (IndexError, lambda m: m.vec[m.i32]()[0]),
    (IndexError, lambda m: m.pop(m.vec[m.i32]())),
    (ValueError, lambda m: m.remove(m.vec[m.i32]([1]), 2)),
    (ValueError, lambda m: m.vec[m.i32](capacity=-1)),
    (IndexError, lambda m: m.read_i32_le(b"abc", 0)),
    (ValueError, lambda m: m.read_i32_le(b"abcd", -1)),
]


@pytest.mark.parametrize("module", BOTH)
@pytest.mark.parametrize(("error", "step"), FAULTS)
def test_faults(module, error: type[Exception], step: Callable[..., object]) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(error):
        step(module)


@pytest.mark.parametrize("module", BOTH)
def test_words_are_signed_and_little_endian(module) -> None:  # type: ignore[no-untyped-def]
    assert module.read_i32_le(bytes.fromhex("00 010000ff"), 1) == 1 - 2**24


@pytest.mark.parametrize("module", BOTH)
def test_other_columns(module) -> None:  # type: ignore[no-untyped-def]
    assert list(module.append(module.vec[float]([1.5]), 2.0)) == [1.5, 2.0]
    assert list(module.append(module.vec[str](), "a")) == ["a"]
    assert (module.i32(5), module.i64(-1)) == (5, -1)


def test_everything_is_there_twice() -> None:
    assert [name for name in columns.__all__ if not hasattr(plain_columns, name)] == []
