"""What `columns` offers where librt is not there: the same names over array.array.

    vec[i32](capacity=8)  ->  array("i")        vec[i64]([1, 2])  ->  array("q", [1, 2])       others  ->  list

Everything here behaves as librt does when it is called from plain Python, errors included.
"""

from array import array
from collections.abc import Iterable, MutableSequence
from struct import Struct
from typing import Any, final

# Checked types, so that int is all that is left of them without a compiler.
i32 = type("i32", (int,), {"__new__": lambda _cls, value=0: int(value)})
i64 = type("i64", (int,), {"__new__": lambda _cls, value=0: int(value)})

_WORD = Struct("<i")


@final
class _Maker:
    """What `vec[i32]` is: calling it makes a column."""

    __slots__ = ("code",)

    def __init__(self, code: str) -> None:
        self.code = code

    def __call__(self, items: Iterable[Any] = (), /, *, capacity: int = 0) -> MutableSequence[Any]:
        if capacity < 0:
            raise ValueError("capacity must not be negative")
        return array(self.code, items) if self.code else list(items)


_MAKERS = {i32: _Maker("i"), i64: _Maker("q"), float: _Maker("d")}
_OTHERS = _Maker("")


class vec:
    """`vec[T]` names the type of a column and makes one when called."""

    def __class_getitem__(cls, item: Any) -> _Maker:
        return _MAKERS.get(item, _OTHERS)


def append(column: MutableSequence[Any], item: Any, /) -> MutableSequence[Any]:
    """The column with the item at its end."""
    column.append(item)
    return column


def extend(column: MutableSequence[Any], items: Iterable[Any], /) -> MutableSequence[Any]:
    """The column with the items at its end."""
    column.extend(items)
    return column


def remove(column: MutableSequence[Any], item: Any, /) -> MutableSequence[Any]:
    """The column without the first such item; ValueError where there is none."""
    column.remove(item)
    return column


def pop(column: MutableSequence[Any], at: int = -1, /) -> tuple[MutableSequence[Any], Any]:
    """The column without the item at `at`, and that item; IndexError where there is none."""
    item = column.pop(at)
    return column, item


def read_i32_le(data: bytes, at: int, /) -> int:
    """The signed little-endian word at a byte offset; ValueError below the data, IndexError past it."""
    if at < 0:
        raise ValueError("index must be non-negative")
    if at + 4 > len(data):
        raise IndexError("index out of range")
    word: int = _WORD.unpack_from(data, at)[0]
    return word
