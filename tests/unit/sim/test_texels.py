"""Formats of texels, by the sentences of Vulkan 1.4 on conversions and by hand."""

import math
import struct

import pytest

from reknit.ir.opcodes import enum_name
from reknit.sim.ops.undefined import Undefined
from reknit.sim.texels import BY_NAME, FORMATS, get_bits, put_bits


def f32(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def told(lane: int, message: str) -> None:
    raise AssertionError(message)


SILENT = Undefined(told)


def test_the_formats_are_those_of_spir_v_by_number() -> None:
    """GLSL's names are SPIR-V's in lower case, with an underscore before a suffix or a component."""
    assert [enum_name("ImageFormat", format.number).lower() for format in FORMATS] == [
        format.name.replace("_", "") for format in FORMATS
    ]
    assert [format.number for format in FORMATS] == list(range(1, 42))


def test_unorm_is_the_integer_over_the_largest() -> None:
    """f = c / (2^b - 1): 0x80 is 128/255, 0xff 1; red in the lowest bits; a missing alpha is 1, green and blue 0."""
    assert BY_NAME["rgba8"].decode(0xFF0080FF) == (f32(1.0), f32(128 / 255), f32(0.0), f32(1.0))
    assert BY_NAME["rg8"].decode(0x80FF) == (f32(1.0), f32(128 / 255), 0, f32(1.0))
    assert BY_NAME["r16"].decode(0xFFFF) == (f32(1.0), 0, 0, f32(1.0))
    assert BY_NAME["rgb10_a2"].decode(1 << 30 | 1023 << 20 | 1) == (f32(1 / 1023), 0, f32(1.0), f32(1 / 3))


def test_snorm_has_two_bit_patterns_for_minus_one() -> None:
    """f = max(c / (2^(b-1) - 1), -1): -128 and -127 of 8 bits are both -1."""
    assert BY_NAME["rgba8_snorm"].decode(0x7F40_8180) == (f32(-1.0), f32(-1.0), f32(64 / 127), f32(1.0))


def test_writing_clamps_and_rounds_to_the_nearest() -> None:
    """0.5 * 255 = 127.5, which is as near to 127 as to 128; 0.25 * 255 = 63.75 -> 64; below 0, above 1 and NaN."""
    rgba8 = BY_NAME["rgba8"]
    assert rgba8.encode((f32(0.25), f32(-3.0), f32(7.0), f32(math.nan)), SILENT) == 0x00FF0040
    assert rgba8.encode((f32(0.5), 0, 0, 0), SILENT) in (127, 128)
    snorm = BY_NAME["r8_snorm"]
    assert [snorm.encode((f32(x), 0, 0, 0), SILENT) for x in (-1.0, -9.0, 1.0, 0.25)] == [0x81, 0x81, 0x7F, 32]


def test_integers_are_extended_by_their_sign() -> None:
    assert BY_NAME["rg8i"].decode(0x7FFF) == (0xFFFFFFFF, 0x7F, 0, 1)
    assert BY_NAME["rg8ui"].decode(0x7FFF) == (0xFF, 0x7F, 0, 1)
    assert BY_NAME["r64ui"].decode(1 << 63) == (1 << 63, 0, 0, 1)


def test_an_integer_that_does_not_fit_is_reported() -> None:
    """\"The converted value of any integer that cannot be represented in the target format is undefined": -129 and 128
    of 8 bits, not -128 and 127."""
    said: list[str] = []
    undefined = Undefined(lambda lane, message: said.append(message))
    r8i = BY_NAME["r8i"]
    assert [r8i.encode((value & 0xFFFFFFFF, 0, 0, 0), undefined) for value in (-128, 127)] == [0x80, 0x7F]
    assert said == []
    r8i.encode((128, 0, 0, 0), undefined)
    r8i.encode(((-129) & 0xFFFFFFFF, 0, 0, 0), undefined)
    assert said == ["128 is stored as 8 bits of r8i", "-129 is stored as 8 bits of r8i"]


def test_unsigned_floats_of_11_and_10_bits() -> None:
    """5 bits of exponent with bias 15, 6 and 5 of fraction, no sign: 1.0 is 15 << 6 and 15 << 5; the largest 11-bit
    number is 65024; negative ones become 0, infinity stays, a finite number that is too large becomes the largest."""
    small = BY_NAME["r11f_g11f_b10f"]
    one = 15 << 6 | (15 << 6) << 11 | (15 << 5) << 22
    assert small.encode((f32(1.0), f32(1.0), f32(1.0), 0), SILENT) == one
    assert small.decode(one) == (f32(1.0), f32(1.0), f32(1.0), f32(1.0))
    largest = 30 << 6 | 63
    assert small.decode(largest)[0] == f32(65024.0)
    assert small.encode((f32(1e9), f32(-1.0), f32(math.inf), 0), SILENT) == largest | (31 << 5) << 22


@pytest.mark.parametrize("name", [format.name for format in FORMATS])
def test_what_is_read_is_written_back(name: str) -> None:
    """Every bit pattern of a component but a second one for -1 and NaNs is the one that its value is written as."""
    format = BY_NAME[name]
    for step in range(257):
        parts = zip(format.widths, format.shifts, strict=True)
        bits = sum((step * 2654435761 >> 7 & ((1 << width) - 1)) << at for width, at in parts)
        texel = format.decode(bits)
        again = format.decode(format.encode(texel, SILENT))
        if not any(math.isnan(number) for number in format.numbers(bits)):
            assert again == texel


def test_texels_lie_next_to_each_other_in_words() -> None:
    words = [0, 0, 0, 0]
    for index in range(8):
        put_bits(words, BY_NAME["r16ui"], index, index + 1)
    assert words == [0x00020001, 0x00040003, 0x00060005, 0x00080007]
    assert [get_bits(words, BY_NAME["r8ui"], index) for index in range(4)] == [1, 0, 2, 0]
    put_bits(words, BY_NAME["rg32ui"], 1, 0x0123456789ABCDEF)
    assert words[2:] == [0x89ABCDEF, 0x01234567]
