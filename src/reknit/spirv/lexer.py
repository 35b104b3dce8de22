"""SPIR-V assembly text as statements: the words of one instruction, and where each began.

    %sum = OpFAdd %float %a %b  ; why        ->   ["%sum", "=", "OpFAdd", "%float", "%a", "%b"]

A word ends at white space, at a comment, or before "(", ")" and ",". Strings are one word with their quotes; after a
backslash any character is a plain one. A new instruction starts at a word `Op` and a capital letter, or at the `%id =`
before one; line ends mean nothing. These are the rules of SPIRV-Tools' assembler.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import final

from reknit.source.meter import spend
from reknit.source.place import Place

_WORD = re.compile(
    r"""(?: [ \t\r\n]++ | ;[^\n]* )*+          # between words
        ( (?: [^ \t\r\n;,()"\\\0]+
            | " (?: [^"\\]+ | \\. )*+ (?: " | \Z )
            | \\.
          )++
        | [,()]
        | \\\Z
        )?
    """,
    re.VERBOSE | re.DOTALL,
)


@final
class Statement:
    """The words of one instruction, and the offset of each in the text."""

    __slots__ = ("words", "starts")

    def __init__(self) -> None:
        self.words: list[str] = []
        self.starts: list[int] = []


@final
class Lines:
    """Offsets of a text to lines and columns."""

    __slots__ = ("file", "starts")

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.starts = [0]
        self.starts.extend(newline.end() for newline in re.finditer("\n", text))

    def place(self, at: int, length: int = 1) -> Place:
        """The place of the character at this offset, counted from 0."""
        line = bisect_right(self.starts, at)
        return Place(self.file, line, at - self.starts[line - 1] + 1, max(length, 1))


def starts_instruction(word: str) -> bool:
    """Whether a word is an opcode's name: `Op` and a capital letter, whatever follows."""
    return word.startswith("Op") and "A" <= word[2:3] <= "Z"


def statements(text: str) -> Iterator[Statement]:
    """The statements of a text in order. The text ends at a zero character, if it has one."""
    end = text.find("\0")
    current = Statement()
    for match in _WORD.finditer(text, 0, end if end >= 0 else len(text)):
        word = match[1]
        if word is None:
            continue
        if word[0] == "O" and starts_instruction(word):
            words = current.words
            head = 2 if len(words) >= 2 and words[-1] == "=" and words[-2][0] == "%" else 0
            spend(1)
            if len(words) > head:
                following = Statement()
                if head:
                    following.words = words[-2:]
                    following.starts = current.starts[-2:]
                    del words[-2:]
                    del current.starts[-2:]
                yield current
                current = following
        current.words.append(word)
        current.starts.append(match.start(1))
    if current.words:
        yield current
