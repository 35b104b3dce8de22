"""Numbers of a script as bytes: buffers that are filled, shaders in hexadecimal, tolerances.

    DATA 1 2 3 END  (vec2<uint32>)   ->   01000000 02000000 03000000 00000000
    TOLERANCE 1% 0.5                 ->   1 percent of the expected value for the first component, 0.5 for the second

What does not fit its type is reported where it is.
"""

from reknit.front.amber.lexer import Line, number_of, syntax
from reknit.front.amber.script import Tolerance
from reknit.front.amber.types import FLOAT, DataType
from reknit.source.digits import integer


def tolerances_of(line: Line) -> list[Tolerance]:
    """One to four numbers, each with a % behind it where it is one of the expected value."""
    tolerances: list[Tolerance] = []
    while line.peek()[:1].isdigit() or line.peek()[:1] in ("-", "."):
        token = line.next("a tolerance")
        percent = token.text.endswith("%")
        token.text = token.text.rstrip("%")
        tolerances.append(Tolerance(number_of(token, "a tolerance"), percent or line.take("%")))
    if not 1 <= len(tolerances) <= 4:
        raise syntax("a tolerance has one to four numbers", line.place)
    return tolerances


def suited(type: DataType, values: list[float], line: Line) -> list[float]:
    """The values. Raises InputError (RK0701) where a number with a fraction, or none at all, is to be an integer."""
    for number, value in enumerate(values):
        component, _ = type.place(number)
        if component.kind != FLOAT and isinstance(value, float) and not value.is_integer():
            raise syntax(f"{value!r} is no integer", line.place)
        if component.kind == FLOAT and isinstance(value, int) and abs(value) >> 1023:
            raise syntax(f"{value} is no floating point number", line.place)
    return values


def filled(type: DataType, values: list[float], count: int) -> bytes:
    """A buffer of `count` elements (-1: as many as the values begin) that starts with the values."""
    size = count * type.size if count >= 0 else type.bytes_for(values)
    data = bytearray(size)
    for at, raw in type.encode(values):
        if at + len(raw) <= size:
            data[at : at + len(raw)] = raw
    return bytes(data)


def hex_bytes(source: bytes, line: Line) -> bytes:
    """Words or bytes in hexadecimal, in the order that they have in the module."""
    words = source.decode("ascii", "replace").replace(",", " ").split()
    data = b""
    try:
        for word in words:
            digits = word.lower().removeprefix("0x")
            value = integer(digits, 16)
            data += value.to_bytes(4, "little") if len(digits) > 2 else value.to_bytes(1, "little")
    except (ValueError, OverflowError):
        raise syntax(f"{word!r} is no hexadecimal word", line.place) from None
    return data


def of_version(source: bytes, version: str) -> bytes:
    """Assembly with a first line that tells the version; what the text says of it is a comment to Amber."""
    return f"; Version: {version}\n".encode() + source
