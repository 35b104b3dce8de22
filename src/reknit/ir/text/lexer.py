"""Tokens of the text form: a line of text becomes a list of strings.

    %sum = IAdd %a, 7u : u32   ; uniform   ->   %sum  =  IAdd  %a  ,  7u  :  u32  ; uniform

A token tells what it is by its first character; a comment is the last token of its line. Columns are found again only
when a message needs them, so that a line costs one call.
"""

import re
from typing import Final

from reknit.source.visible import STEERS

TOKEN: Final = re.compile(
    r"""(?x)
    (?:;|//).*                                                  # comment
  | "(?:[^"\\]|\\.)*"                                           # string
  | [%@](?:"(?:[^"\\]|\\.)*"|[A-Za-z0-9_.$]+)(?:'[0-9]+)?       # name of a value
  | [A-Za-z_][A-Za-z0-9_]*(?:\|[A-Za-z0-9_]+)*                  # keyword, opcode, enumerant, mask
  | [-+]?0[xX][0-9a-fA-F]+(?:[iu][0-9]*)?                       # hexadecimal number
  | [-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?[A-Za-z]*[0-9]* # number with its suffix; also enumerants such as 2D
  | ![0-9]+                                                     # a word as it is
  | ->
  | \S                                                          # punctuation, or what has no place here
    """
)

_AUTOMATIC: Final = re.compile(r"_[0-9]+\Z")
_NUMBERED: Final = re.compile(r"[0-9]+\Z")
_ESCAPE: Final = re.compile(r"(?s)\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))")


def tokens(line: str) -> list[str]:
    """The tokens of one line."""
    return TOKEN.findall(line)


def span(line: str, index: int) -> tuple[int, int]:
    """Column (from 1) and length of token `index`; the end of the line for one past the last."""
    for count, match in enumerate(TOKEN.finditer(line)):
        if count == index:
            return match.start() + 1, max(match.end() - match.start(), 1)
    return len(line.rstrip()) + 1, 1


def is_plain_name(text: str) -> bool:
    """Whether a name needs no quotes: letters, digits, `_`, `.` and `$`, no digit first, and not what a value without a
    name is given (`_7`). No regular expression: `show` would import those for it."""
    word = text.replace(".", "_").replace("$", "_")
    return word.isascii() and word.isidentifier() and not (text[0] == "_" and text[1:].isdecimal())


def quote(text: str) -> str:
    """A string as a token. `unquote` undoes it."""
    parts: list[str] = ['"']
    for char in text:
        if char == '"' or char == "\\":
            parts.append("\\" + char)
        elif char == "\n":
            parts.append("\\n")
        elif char == "\t":
            parts.append("\\t")
        elif STEERS.match(char) is not None:
            parts.append(f"\\u{{{ord(char):x}}}")
        else:
            parts.append(char)
    parts.append('"')
    return "".join(parts)


def _unescape(match: "re.Match[str]") -> str:
    number = match.group(1)
    if number is not None:
        code = int(number, 16)
        return chr(code) if code <= 0x10FFFF else "\ufffd"
    char: str = match.group(2)
    if char == "n":
        return "\n"
    if char == "t":
        return "\t"
    return char


def unquote(token: str) -> str:
    """What a string token says."""
    inner = token[1:-1]
    return _ESCAPE.sub(_unescape, inner) if "\\" in inner else inner


def name_of(token: str) -> tuple[str, int]:
    """Name and id that a token gives: %x -> ("x", 0), %12 -> ("", 12), %_3 -> ("", 0), %"a b"'2 -> ("a b", 0)."""
    text = token[1:]
    mark = text.rfind("'")
    if mark > 0 and (not text.startswith('"') or text[mark - 1] == '"'):
        text = text[:mark]
    if text.startswith('"'):
        return unquote(text), 0
    if _NUMBERED.match(text):
        number = int(text) if len(text) <= 10 else 0
        return "", number if number <= 0xFFFFFFFF else 0
    if _AUTOMATIC.match(text):
        return "", 0
    return text, 0
