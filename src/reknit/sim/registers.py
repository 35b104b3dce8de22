"""Columns of machine words: what values of at most 32 bits are in each lane.

    compiled            flat     vec[i64], a C array: what kernels compute on
                        listed   a list that others read, made when it is asked for; kernels write it after `flat`
    plain Python        flat is listed: one list, which is faster there than a vec

Lanes of a tangle are given to kernels as a column of their numbers, ascending: a vec, or a list where nothing is
compiled.
"""

from types import FunctionType
from typing import Any, Final, cast, final

from reknit.source.columns import append, i64, vec


def no_lanes() -> vec[i64]:
    if not COMPILED:
        return cast("vec[i64]", [])
    return vec[i64]()


COMPILED: Final[bool] = not isinstance(cast(object, no_lanes), FunctionType)


@final
class Register:
    """A value of at most 32 bits in each lane."""

    __slots__ = ("flat", "_listed")

    def __init__(self, values: list[int]) -> None:
        self._listed: list[Any] | None = None
        if COMPILED:
            self.flat = as_column(values)
        else:
            self.flat = cast(Any, values)

    def listed(self) -> list[Any]:
        """The list that is kept as `flat` is."""
        if not COMPILED:
            return cast("list[Any]", self.flat)
        if self._listed is None:
            self._listed = as_list(self.flat)
        return self._listed

    def is_listed(self) -> bool:
        return self._listed is not None

    def fill(self, word: int) -> None:
        """One word for all lanes."""
        flat = self.flat
        listed = self._listed
        for lane in range(i64(len(flat))):
            flat[lane] = word
            if listed is not None:
                listed[lane] = word

    def publish(self, lanes: vec[i64]) -> None:
        """After a kernel wrote `flat`."""
        listed = self._listed
        if listed is not None:
            flat = self.flat
            for lane in lanes:
                listed[lane] = flat[lane]

    def take(self, lanes: vec[i64]) -> None:
        """After others wrote the list."""
        listed = self._listed
        if listed is not None:
            flat = self.flat
            for lane in lanes:
                word: int = listed[lane]
                flat[lane] = word


@final
class Index:
    """What an access is indexed by: words of a register, or a list of larger numbers. `constant` is -1 where it is not
    one number for all lanes."""

    __slots__ = ("register", "listed", "constant")

    def __init__(self, register: Register | None, listed: list[int], constant: int) -> None:
        self.register = register
        self.listed = listed
        self.constant = constant

    def at(self, lane: int) -> int:
        register = self.register
        return register.flat[lane] if register is not None else self.listed[lane]


def as_column(numbers: list[int]) -> vec[i64]:
    if not COMPILED:
        return cast("vec[i64]", numbers)
    column = vec[i64](capacity=len(numbers))
    for number in numbers:
        column = append(column, i64(number))
    return column


def as_list(column: vec[i64]) -> list[int]:
    if not COMPILED:
        return cast("list[int]", column)
    return [int(number) for number in column]


COLUMN: Final[type] = type(cast(object, as_column([])))
"""What a column is where any value may be, as in a variable: a list in plain Python."""
