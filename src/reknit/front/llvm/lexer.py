"""LLVM's printed text as tokens, each with its line.

    %5 = add nuw i32 %"a b", -1, !tbaa !3     local 5 | punct = | word add | word nuw | word i32 | local a b | ...

Names in quotes lose them and their escapes; a comment ends its line.
"""

import re
from typing import Final, final

LOCAL: Final = "local"
GLOBAL: Final = "global"
LABEL: Final = "label"
META: Final = "meta"
STRING: Final = "string"
NUMBER: Final = "number"
WORD: Final = "word"
PUNCT: Final = "punct"
END: Final = "end"

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r]+|;[^\n]*)|(?P<line>\n)"""
    r"""|(?P<label>(?:[-\w$.]+|"[^"\n]*"):(?=[ \t]*(?:;|\n|$)))"""
    r"""|(?P<local>%(?:"[^"]*"|[-\w$.]+))|(?P<global>@(?:"[^"]*"|[-\w$.]+))"""
    r"""|(?P<meta>!(?:\d+|[A-Za-z_$.\\][-\w$.\\]*))|(?P<string>c?"[^"]*")"""
    r"""|(?P<number>f?0x[KMLHR]?[0-9A-Fa-f]+|[-+]?\d+(?:\.\d*(?:[eE][-+]?\d+)?)?(?![-\w$.])|[-+]?(?:nan|inf)\b)"""
    r"""|(?P<word>[A-Za-z_$.#][-\w$.]*)|(?P<punct>\.\.\.|[()\[\]{}<>,=*:|!^&+-])|(?P<wrong>.)""",
    re.VERBOSE,
)
_ESCAPE: Final = re.compile(r"\\([0-9A-Fa-f]{2}|\\)")


@final
class Token:
    """`text` is without sigil and quotes."""

    __slots__ = ("kind", "text", "line")

    def __init__(self, kind: str, text: str, line: int) -> None:
        self.kind = kind
        self.text = text
        self.line = line


def tokens_of(text: str) -> list[Token]:
    """All tokens, and one of kind END. What no LLVM prints is a WORD of its own, which nothing expects."""
    tokens: list[Token] = []
    line = 1
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        word = match[0]
        if kind == "space":
            continue
        if kind == "line":
            line += 1
            continue
        if kind == "local" or kind == "global":
            tokens.append(Token(kind, _unquoted(word[1:]), line))
        elif kind == "label":
            tokens.append(Token(LABEL, _unquoted(word[:-1]), line))
        elif kind == "meta":
            tokens.append(Token(META, word[1:], line))
        elif kind == "string":
            body = word[1:] if word[0] == "c" else word
            tokens.append(Token(STRING, _unquoted(body), line))
            line += word.count("\n")
        elif kind == "wrong" or kind is None:
            tokens.append(Token(WORD, word, line))
        else:
            tokens.append(Token(kind, word, line))
    tokens.append(Token(END, "", line))
    return tokens


def _unquoted(text: str) -> str:
    if not text.startswith('"'):
        return text
    return _ESCAPE.sub(lambda escape: "\\" if escape[1] == "\\" else chr(int(escape[1], 16)), text[1:-1])
