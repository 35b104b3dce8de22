"""What a run of the assembler knows: the ids given so far, what types say about numbers, and the words written.

"%x" -> 7        7 -> type 3        3 -> 32-bit float        1 -> "GLSL.std.450"
"""

import re
from array import array
from collections.abc import Iterable
from typing import Final, final

from reknit.ir.opcodes import OpInfo
from reknit.ir.operands import string_to_words
from reknit.spirv.numbers import SINGLE, float_bits, integer_bits, read_integer
from reknit.spirv.scalars import Scalar, scalar_of
from reknit.spirv.words import HEADER_WORDS

MAX_WORDS: Final = 0xFFFF  # of one instruction

_ID = re.compile(r"%[A-Za-z0-9_]+\Z")
_ESCAPED = re.compile(r"(?s)\\(.)")


class Fault(Exception):
    """What is wrong with a statement, and with which of its words (past the last: with its end)."""

    def __init__(self, code: str, message: str, word: int, help: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.word = word
        self.help = help


def id_number(name: str) -> int | None:
    """The number that an id's name is, without "%", or None."""
    value = read_integer(name)
    return value if value is not None and 0 <= value <= 0xFFFFFFFF else None


def unquoted(words: list[str], at: int) -> str:
    """A string's characters, without quotes and backslashes."""
    word = words[at]
    if len(word) < 2 or word[-1] != '"' or word[0] != '"':
        raise Fault("RK0208", f"expected a string in double quotes, found {word}", at)
    inner = word[1:-1]
    return _ESCAPED.sub(r"\1", inner) if "\\" in inner else inner


@final
class Context:
    """One module being assembled."""

    __slots__ = ("out", "ids", "kept", "next", "bound", "scalars", "types", "sets")

    def __init__(self) -> None:
        self.out = array("I", [0] * HEADER_WORDS)
        self.ids: dict[str, int] = {}  # "%name" -> id
        self.kept: set[int] = set()  # numbers that the text uses as ids and that stay
        self.next = 1
        self.bound = 1
        self.scalars: dict[int, Scalar | None] = {}  # type id -> the number type it is, None for other types
        self.types: dict[int, int] = {}  # value id -> its type id
        self.sets: dict[int, str] = {}  # OpExtInstImport -> set name

    def keep(self, words: Iterable[str]) -> None:
        """Let these ids, as far as they are numbers, keep them."""
        for word in words:
            if word[0] == "%" and (number := id_number(word[1:])) is not None:
                self.kept.add(number)

    def id(self, words: list[str], at: int) -> int:
        """The number of an id, given now if it has none."""
        word = words[at]
        known = self.ids.get(word)
        if known is not None:
            return known
        if _ID.match(word) is None:
            raise Fault("RK0205", f"expected an id (% and letters, digits or _), found {word}", at)
        number = id_number(word[1:]) if self.kept else None
        if number is None or number not in self.kept:
            while self.next in self.kept:
                self.next += 1
            number = self.next
            self.next += 1
        self.ids[word] = number
        self.bound = max(self.bound, number + 1)
        return number

    def finish(self, about: OpInfo, out: list[int], words: list[str]) -> None:
        """Write an instruction whose words are all there, and learn from it."""
        if len(out) > MAX_WORDS:
            raise Fault("RK0211", f"an instruction of {len(out)} words; the most is {MAX_WORDS}", 0)
        out[0] = len(out) << 16 | about.code
        if about.has_type:
            if len(out) > 2:
                self.types.setdefault(out[2], out[1])
        elif about.group == "Type-Declaration" and about.has_result:
            if out[1] in self.scalars:
                raise Fault("RK0212", f"{words[0]} is declared as a type a second time", 0)
            self.scalars[out[1]] = scalar_of(about.code, out[2:])
        self.out.extend(out)

    def any_word(self, out: list[int], words: list[str], at: int) -> None:
        """A `!n`, a number (32 bits, a float if it has a point), a string or an id."""
        word = words[at]
        if word[0] == "!":
            value = read_integer(word[1:])
            if value is None or not 0 <= value <= 0xFFFFFFFF:
                raise Fault("RK0207", f"expected ! and a number of 32 bits, found {word}", at)
            out.append(value)
        elif word[0] == "%":
            out.append(self.id(words, at))
        elif word[0] == '"':
            out.extend(string_to_words(unquoted(words, at)))
        else:
            bits = float_bits(word, SINGLE) if "." in word else integer_bits(word, 32, word[0] == "-")
            if bits is None:
                raise Fault("RK0207", f"expected a number, a string or an id, found {word}", at)
            out.append(bits)
