"""What an undefined value is taken to be: zeros, all bits set, or bits that differ at each use and in each lane.

    fill 0    OpUndef, unwritten variables, shifts by too much ...    0
    fill 1                                                            all bits set, so that a float is a NaN
    fill 2                                                            random bits

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
FILLS: Final = (ZEROS, ONES, RANDOM)


@final
class Fill:
    """Gives values, the same ones in every run that asks in the same order."""

    __slots__ = ("kind", "_source")

    def __init__(self, kind: int) -> None:
        self.kind = kind
        self._source = random.Random(kind)

    def begin(self) -> None:
        """A run begins: a list of choices means the same in each."""
        self._source = random.Random(self.kind)

    def value(self, shape: Shape) -> Any:
        """An undefined value of a type; of pointers and what holds other types always the null. Types nest a few
        levels."""
        if self.kind == ZEROS:
            return null_value(shape)
        if shape.kind in (INT_KIND, FLOAT_KIND, BOOL_KIND):
            width = max(shape.width, 1)
            return (1 << width) - 1 if self.kind == ONES else self._source.getrandbits(width)
        if shape.kind == STRUCT_KIND:
            return tuple([self.value(member) for member in shape.members])
        if shape.kind in (VECTOR_KIND, MATRIX_KIND, ARRAY_KIND) and shape.element is not None:
            return tuple([self.value(shape.element) for _ in range(shape.count)])
        return null_value(shape)
