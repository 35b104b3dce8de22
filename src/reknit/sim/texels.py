"""Formats of texels: bits in memory to the four components that a shader reads, and back.

    rgba8        0xff0080ff    --decode-->   (1.0, 0.501960814, 0.0, 1.0)       integers over 2^8 - 1
    r32ui        7             --decode-->   (7, 0, 0, 1)                       components that are not there
    (2.0, ...)                 --encode-->   0x..ff                             clamped, to the nearest, ties to even

A texel is an integer of as many bits as its format has, red in the lowest ones. Source: Vulkan 1.4, "Conversion from
Normalized Fixed-Point to Floating-Point", "Conversion from Floating-Point to Normalized Fixed-Point", "Unsigned 11-Bit
Floating-Point Numbers", "Component Substitution"; SPIR-V 1.6, Image Format; the Vulkan registry for the numbers.
"""

import math
import re
from typing import Final, final

from reknit.sim.ops.ieee import FORMAT16, FORMAT32, Format
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import to_signed

Texel = tuple[int, int, int, int]

UNORM: Final = 0
SNORM: Final = 1
FLOAT: Final = 2
SINT: Final = 3
UINT: Final = 4
KINDS: Final = {"": UNORM, "_snorm": SNORM, "f": FLOAT, "i": SINT, "ui": UINT}

_TABLE: Final = """
    rgba32f 109  rgba16f 97  r32f 100  rgba8 37  rgba8_snorm 38  rg32f 103  rg16f 83  r11f_g11f_b10f 122  r16f 76
    rgba16 91  rgb10_a2 64  rg16 77  rg8 16  r16 70  r8 9  rgba16_snorm 92  rg16_snorm 78  rg8_snorm 17  r16_snorm 71
    r8_snorm 10  rgba32i 108  rgba16i 96  rgba8i 42  r32i 99  rg32i 102  rg16i 82  rg8i 21  r16i 75  r8i 14
    rgba32ui 107  rgba16ui 95  rgba8ui 41  r32ui 98  rgb10_a2ui 68  rg32ui 101  rg16ui 81  rg8ui 20  r16ui 74  r8ui 13
    r64ui 110  r64i 111
"""
"""GLSL's names in the order of SPIR-V's Image Format, which counts from 1, each with its VkFormat."""

_PACKED: Final = {
    "r11f_g11f_b10f": ([11, 11, 10], FLOAT),
    "rgb10_a2": ([10, 10, 10, 2], UNORM),
    "rgb10_a2ui": ([10, 10, 10, 2], UINT),
}
_SMALL: Final = {11: Format(12, 6), 10: Format(11, 5)}  # with a sign bit above, which is never set


@final
class TexelFormat:
    """`widths` are those of the components there are; `width` is the texel's, all in bits. `number` is SPIR-V's and
    `vulkan` Vulkan's."""

    __slots__ = ("name", "kind", "widths", "shifts", "width", "number", "vulkan", "one")

    def __init__(self, name: str, kind: int, widths: list[int], number: int, vulkan: int) -> None:
        self.name = name
        self.kind = kind
        self.widths = widths
        self.shifts = [sum(widths[:at]) for at in range(len(widths))]
        self.width = sum(widths)
        self.number = number
        self.vulkan = vulkan
        self.one = 1 if kind in (SINT, UINT) else FORMAT32.one

    def size(self) -> int:
        """In bytes."""
        return self.width // 8

    def component_width(self) -> int:
        """Of a component that a shader reads."""
        return max(32, self.widths[0])

    def decode(self, bits: int) -> Texel:
        components = [0, 0, 0, self.one]
        for at, width in enumerate(self.widths):
            components[at] = self.decode_part(bits >> self.shifts[at] & ((1 << width) - 1), width)
        return components[0], components[1], components[2], components[3]

    def decode_part(self, part: int, width: int) -> int:
        if self.kind == UINT or width == self.component_width():
            return part
        if self.kind == SINT:
            return to_signed(part, width) & 0xFFFFFFFF
        return FORMAT32.encode(self.number_of(part, width))

    def encode(self, texel: Texel, undefined: Undefined) -> int:
        """`undefined` hears of integers that the format can't hold."""
        bits = 0
        for at, width in enumerate(self.widths):
            bits |= self.encode_part(texel[at], width, undefined) << self.shifts[at]
        return bits

    def encode_part(self, part: int, width: int, undefined: Undefined) -> int:
        if width == self.component_width():
            return part
        if self.kind == UINT or self.kind == SINT:
            kept = part & ((1 << width) - 1)
            back = to_signed(kept, width) & 0xFFFFFFFF if self.kind == SINT else kept
            if back != part:
                shown = to_signed(part, 32) if self.kind == SINT else part
                undefined.say(f"{shown} is stored as {width} bits of {self.name}")
            return kept
        return self.part_of(FORMAT32.decode(part), width)

    # --- as numbers ---------------------------------------------------------------------------------------------------

    def number_of(self, part: int, width: int) -> int | float:
        """What a component's bits mean, exactly."""
        if self.kind == UINT:
            return part
        if self.kind == SINT:
            return to_signed(part, width)
        if self.kind == UNORM:
            return part / ((1 << width) - 1)
        if self.kind == SNORM:
            return max(to_signed(part, width) / ((1 << (width - 1)) - 1), -1.0)
        return float_format(width).decode(part)

    def part_of(self, number: int | float, width: int) -> int:
        """The bits of the nearest number that a component holds."""
        if self.kind in (UINT, SINT):
            return int(number) & ((1 << width) - 1)
        if self.kind == UNORM:
            return 0 if number != number else round(min(max(number, 0.0), 1.0) * ((1 << width) - 1))
        if self.kind == SNORM:
            scaled = 0 if number != number else round(min(max(number, -1.0), 1.0) * ((1 << (width - 1)) - 1))
            return scaled & ((1 << width) - 1)
        return unsigned_float(number, width) if width in _SMALL else float_format(width).encode(number)

    def numbers(self, bits: int) -> list[int | float]:
        """The components there are."""
        numbers: list[int | float] = []
        for at, width in enumerate(self.widths):
            numbers.append(self.number_of(bits >> self.shifts[at] & ((1 << width) - 1), width))
        return numbers

    def bits(self, numbers: list[int | float]) -> int:
        """The texel of components given as numbers."""
        bits = 0
        for at, width in enumerate(self.widths):
            bits |= self.part_of(numbers[at], width) << self.shifts[at]
        return bits

    def holds(self, number: int | float) -> bool:
        """Whether a component can be given as this number: integers have to fit."""
        if self.kind not in (UINT, SINT):
            return True
        low = 0 if self.kind == UINT else -(1 << (self.widths[0] - 1))
        high = (1 << (self.widths[0] - (1 if self.kind == SINT else 0))) - 1
        return number == number and not math.isinf(number) and number == int(number) and low <= number <= high


def float_format(width: int) -> Format:
    if width in _SMALL:
        return _SMALL[width]
    return FORMAT16 if width == 16 else FORMAT32


def unsigned_float(number: float, width: int) -> int:
    """Negative numbers are 0; finite ones that are too large become the largest."""
    form = _SMALL[width]
    if number != number:
        return form.nan
    if number <= 0.0:
        return 0
    return form.inf if math.isinf(number) else min(form.encode(number), form.inf - 1)


def _formats() -> list[TexelFormat]:
    words = _TABLE.split()
    formats: list[TexelFormat] = []
    for at in range(0, len(words), 2):
        name = words[at]
        if name in _PACKED:
            widths, kind = _PACKED[name]
        else:
            match = re.fullmatch(r"([rgba]+)(\d+)(\w*)", name)
            assert match is not None
            widths, kind = [int(match[2])] * len(match[1]), KINDS[match[3]]
        formats.append(TexelFormat(name, kind, widths, at // 2 + 1, int(words[at + 1])))
    return formats


FORMATS: Final = _formats()
BY_NAME: Final = {format.name: format for format in FORMATS}
BY_NUMBER: Final = {format.number: format for format in FORMATS}


# --- texels in words --------------------------------------------------------------------------------------------------


def get_bits(words: list[int], format: TexelFormat, index: int) -> int:
    """Texel `index` of an image that is a list of 32-bit words."""
    width = format.width
    if width == 32:
        return words[index]
    if width < 32:
        at = index * width
        return words[at >> 5] >> (at & 31) & ((1 << width) - 1)
    count = width >> 5
    bits = 0
    for word in range(count):
        bits |= words[index * count + word] << (32 * word)
    return bits


def put_bits(words: list[int], format: TexelFormat, index: int, bits: int) -> None:
    width = format.width
    if width == 32:
        words[index] = bits
    elif width < 32:
        at = index * width
        mask = ((1 << width) - 1) << (at & 31)
        words[at >> 5] = words[at >> 5] & ~mask | bits << (at & 31)
    else:
        count = width >> 5
        for word in range(count):
            words[index * count + word] = bits >> (32 * word) & 0xFFFFFFFF
