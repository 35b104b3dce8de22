"""What the numbers of a module are made of: the scalar type that says how a context-dependent literal reads.

OpTypeInt 16 1    -> Scalar(signed integer, 16 bits, 1 word)       OpConstant %short 0xffff8000 prints as -32768
OpTypeFloat 64    -> Scalar(float, 64 bits, 2 words)               OpSwitch on a 64-bit selector has cases of 2 words
"""

from typing import final

from reknit.ir import op
from reknit.spirv.numbers import FloatFormat, float_bits, float_format, float_text, integer_bits


@final
class Scalar:
    """One OpTypeInt or OpTypeFloat. `layout` is None for integers, and for floats of no known layout."""

    __slots__ = ("is_float", "signed", "width", "words", "layout")

    def __init__(self, is_float: bool, signed: bool, width: int, layout: FloatFormat | None) -> None:
        self.is_float = is_float
        self.signed = signed
        self.width = width
        self.words = (width + 31) // 32
        self.layout = layout

    @property
    def writable(self) -> bool:
        """Whether assembly has a notation for its numbers: integers to 64 bits and the float layouts that exist."""
        return 0 < self.width <= 64 and (self.layout is not None or not self.is_float)


def scalar_of(code: int, words: list[int]) -> Scalar | None:
    """The scalar that an instruction declares, from its words after the result id; None where it declares none."""
    if code == op.TypeInt and len(words) == 2:
        return Scalar(False, words[1] != 0, words[0], None)
    if code == op.TypeFloat and 1 <= len(words) <= 2:
        return Scalar(True, True, words[0], float_format(words[0], words[1] if len(words) > 1 else -1))
    return None


def constant_text(words: list[int], scalar: Scalar) -> str:
    """A literal's words as text. The scalar is `writable`, the words are as many as it has."""
    value = words[0] if scalar.words == 1 else words[0] | words[1] << 32
    if scalar.layout is not None:
        return float_text(value, scalar.layout)
    top = 1 << (scalar.words * 32 - 1)
    return str(value - 2 * top if scalar.signed and value & top else value)


def constant_words(text: str, scalar: Scalar) -> list[int] | None:
    """A literal's text as words; None where it is no number of this type."""
    if scalar.is_float:
        bits = float_bits(text, scalar.layout) if scalar.layout is not None else None
    else:
        bits = integer_bits(text, scalar.width, scalar.signed)
    if bits is None:
        return None
    return [bits] if scalar.words == 1 else [bits & 0xFFFFFFFF, bits >> 32]
