"""Some bits of an unsigned number: the place that a bit field is.

    load      first 8, width 24, of 32 bits:  int(word) << 0 >> 8, with copies of the sign if the type has one
    store     (word & ~(mask << 8)) | ((value & mask) << 8)
"""

from typing import final

from reknit.front.slang.builtins.constants import scalar_constant
from reknit.front.slang.lower.lvalues import Place
from reknit.front.slang.lower.operators import convert, operate
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.types import INT, INT8, INT16, INT64, ScalarType, Type
from reknit.ir.value import Value

_SIGNED = {8: INT8, 16: INT16, 32: INT, 64: INT64}


@final
class Bits(Place):
    """`width` of 0: it is 0 and keeps nothing."""

    __slots__ = ("word", "first", "width")

    def __init__(self, type: Type, word: Place, first: int, width: int) -> None:
        super().__init__(type)
        self.word = word
        self.first = first
        self.width = width

    def load(self, low: Lowering) -> Value:
        if self.width == 0:
            return scalar_constant(low, self.type, 0)
        word, own = self.word.type, self.type
        assert isinstance(word, ScalarType) and isinstance(own, ScalarType)
        shifted = _SIGNED[word.width] if own.kind == "int" else word
        value = convert(low, word, shifted, self.word.load(low))
        value = operate(low, "<<", shifted, value, _number(low, shifted, word.width - self.first - self.width))
        value = operate(low, ">>", shifted, value, _number(low, shifted, word.width - self.width))
        return convert(low, shifted, own, value)

    def store(self, low: Lowering, value: Value) -> None:
        if self.width == 0:
            return
        word = self.word.type
        assert isinstance(word, ScalarType)
        mask = (1 << self.width) - 1
        bits = operate(low, "&", word, convert(low, self.type, word, value), _number(low, word, mask))
        bits = operate(low, "<<", word, bits, _number(low, word, self.first))
        others = ~(mask << self.first) & ((1 << word.width) - 1)
        kept = operate(low, "&", word, self.word.load(low), _number(low, word, others))
        self.word.store(low, operate(low, "|", word, kept, bits))


def _number(low: Lowering, type: Type, value: int) -> Value:
    return scalar_constant(low, type, value)
