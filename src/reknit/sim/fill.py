"""What an undefined value is taken to be: zeros, all bits set, or bits that differ at each use and in each lane.

    fill 0    OpUndef, unwritten variables, shifts by too much ...    0
    fill 1                                                            all bits set, so that a float is a NaN
    fill 2                                                            random bits
    fill 3, 4 ...                                                     at each use one of these, or an infinity

A result that is not the same under all of these depends on an undefined value. SPIR-V 1.6, OpUndef: "Each consumption
of Result <id> yields an arbitrary, possibly different bit pattern".
"""

import random
from typing import Any, Final, final

from reknit.sim.values import (
    ARRAY_KIND,
    BOOL_KIND,
    FLOAT_KIND,
    INT_KIND,
    MATRIX_KIND,
    STRUCT_KIND,
    VECTOR_KIND,
    Shape,
    null_value,
)

ZEROS: Final = 0
ONES: Final = 1
RANDOM: Final = 2
_MANTISSAS: Final = {16: 10, 32: 23, 64: 52}
FILLS: Final = (ZEROS, ONES, RANDOM)
MIXED: Final = (3, 4, 5, 6)
"""What is asked, too, before it is said that nothing depends on undefined values."""


@final
class Fill:
    """Gives values, the same ones in every run that asks in the same order."""

    __slots__ = ("kind", "_source", "_is_first")

    def __init__(self, kind: int) -> None:
        self.kind = kind
        self._source = random.Random(kind)
        self._is_first = True

    def begin(self) -> None:
        """A run begins: a list of choices means the same in each."""
        self._source = random.Random(self.kind)
        self._is_first = True

    def value(self, shape: Shape) -> Any:
        """An undefined value of a type; of pointers and what holds other types always the null. Types nest a few
        levels."""
        if self.kind == ZEROS:
            return null_value(shape)
        if shape.kind in (INT_KIND, FLOAT_KIND, BOOL_KIND):
            width = max(shape.width, 1)
            if self.kind == ONES:
                return (1 << width) - 1
            return self._source.getrandbits(width) if self.kind == RANDOM else self._mixed(width, shape.kind)
        if shape.kind == STRUCT_KIND:
            return tuple([self.value(member) for member in shape.members])
        if shape.kind in (VECTOR_KIND, MATRIX_KIND, ARRAY_KIND) and shape.element is not None:
            return tuple([self.value(shape.element) for _ in range(shape.count)])
        return null_value(shape)

    def _mixed(self, width: int, kind: int) -> int:
        """Bits of a scalar: none, all, any, or those of an infinity. The first is another one in each of MIXED."""
        which = self.kind % 4 if self._is_first else self._source.randrange(4)
        self._is_first = False
        if which == 3 and kind == FLOAT_KIND and width in _MANTISSAS:
            return (1 << width - 1) - (1 << _MANTISSAS[width])
        return (0, (1 << width) - 1)[which] if which < 2 else self._source.getrandbits(width)
