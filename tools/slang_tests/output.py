"""A buffer's bytes as the text that tests expect.

3F800000           words in hexadecimal, or
type: float        with its element's type, a number a line
1.000000
"""

import struct
from collections.abc import Callable

_FORMATS = {
    "uint8_t": "B", "int8_t": "b", "uint16_t": "H", "int16_t": "h", "uint32_t": "I", "int32_t": "i",
    "uint64_t": "Q", "int64_t": "q", "half": "e", "float": "f", "double": "d",
}  # fmt: skip
REAL = ("half", "float", "double", "bfloat16", "float_e4m3", "float_e5m2")


def shown(words: list[int], type: str) -> list[str]:
    """Lines; `type` is "" for words as they are."""
    lines = [f"type: {type}"] if type else []
    if type not in _FORMATS:
        return lines + [f"{word:X}" for word in words]
    data = struct.pack(f"<{len(words)}I", *words)
    letter = _FORMATS[type]
    size = struct.calcsize(letter)
    numbers = struct.unpack(f"<{len(data) // size}{letter}", data[: len(data) // size * size])
    show: Callable[[float], str] = real if type in REAL else str
    return lines + [show(number) for number in numbers]


def real(value: float) -> str:
    """As C's %f says it."""
    if value != value:
        negative = struct.pack(">d", value)[0] >= 0x80
        return "-nan" if negative else "nan"
    return f"{value:f}"
