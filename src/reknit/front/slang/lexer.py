r"""Text -> tokens, with one regular expression.

    x+=1.5f; // c     NAME x, PUNCT +=, FLOAT 1.5f, PUNCT ;

Comments and white space only leave SPACE at the token after them; a line's first token has LINE_START. A backslash at a
line's end joins it with the next. `1.xx` is an integer with a swizzle, as in Slang.
Source: Slang's language reference, "Lexical structure".
"""

import re
from typing import Final

from reknit.front.slang.report import UNSUPPORTED, Reports
from reknit.front.slang.sources import COLUMNS, position
from reknit.front.slang.tokens import BAD, CHAR, END, FLOAT, INT, LINE_START, NAME, PUNCT, SPACE, STRING, Tokens
from reknit.source.meter import spend

_PARTS: Final = (
    r"([^\W\d]\w*)",  # 1 name
    r"([ \t\f\v\xa0\ufeff]+|\\\n)",  # 2 blank
    r"(\n)",  # 3 line end
    r"(//(?:[^\\\n]|\\\n|\\)*)",  # 4 comment to the line's end
    r"(/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?)",  # 5 comment in brackets
    # 6 floating point
    r"(0[xX](?:[0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+|#INF)\w*"
    r"|[0-9]+(?:\.[0-9]*)?#INF\w*"
    r"|(?:[0-9]+\.(?![xr])[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\w*"
    r"|(?!0[xXbB])[0-9]+[eE][+-]?[0-9]+\w*"
    r"|[0-9]+(?:[fF][hHlL]?|[hH][fF]?|[lL][fF])(?!\w))",
    r"([0-9]\w*)",  # 7 integer
    r'("(?:[^"\\\n]|\\[^\n]|\\\n)*"?)',  # 8 string
    r"('(?:[^'\\\n]|\\[^\n])*'?)",  # 9 character
    # 10 punctuation
    r"(<<=|>>=|\.\.\.|->|=>|<<|>>|==|!=|>=|<=|&&|\|\||\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\.\.|\$\$|##|::"
    r"|[-;,.{}\[\]()=+*/%!~><&|^?:@$#])",
    r"(.)",  # 11 anything else
)
_TOKEN: Final = re.compile("|".join(_PARTS))
_RAW: Final = re.compile(r'R"([^"()\\ \n]*)\((.*?)\)\1"', re.S)
NO_TEXT: Final = "\ufffd"
"""What stands for a byte that is not UTF-8."""
_KIND_OF_GROUP: Final = (BAD, NAME, BAD, BAD, BAD, BAD, FLOAT, INT, STRING, CHAR, PUNCT, BAD)


def lex(text: str, file: int, reports: Reports) -> Tokens:
    """The tokens of one file, with an END. Line ends are `\\n` only (see `with_plain_line_ends`)."""
    out = Tokens()
    kinds, texts, ats = out.kinds, out.texts, out.ats
    match = _TOKEN.match
    base = position(file, 1, 0)  # the line's position with column 0
    newline = position(0, 1, 0)
    line_start = 0  # offset of the line's first character
    flags = LINE_START
    offset = 0
    end = len(text)
    while offset < end:
        spend(1)
        token = match(text, offset)
        assert token is not None  # the last part takes any character
        group = token.lastindex
        stop = token.end()
        if group == 1 and text[offset] == "R" and text.startswith('"', stop) and stop == offset + 1:
            raw = _RAW.match(text, offset)
            if raw is not None:
                group = 8
                stop = raw.end()
        if group == 2 or group == 4:
            flags |= SPACE
            breaks = text.count("\n", offset, stop)
            if breaks:
                base += breaks * newline
                line_start = text.rindex("\n", offset, stop) + 1
        elif group == 3:
            base += newline
            line_start = stop
            flags = LINE_START | SPACE
        elif group == 5:
            flags |= SPACE
            if not text.endswith("*/", offset + 2, stop):
                message = "unexpected end of input: a comment is not closed"
                reports.error("E10011", base + min(offset - line_start + 1, COLUMNS), message, length=2)
            breaks = text.count("\n", offset, stop)
            if breaks:
                base += breaks * newline
                line_start = text.rindex("\n", offset, stop) + 1
        else:
            piece = text[offset:stop]
            column = offset - line_start + 1
            at = base + (column if column < COLUMNS else COLUMNS)
            if column >= COLUMNS:
                reports.error(UNSUPPORTED, at, f"not supported: a line with more than {COLUMNS - 1} characters")
            kind = _KIND_OF_GROUP[group or 0]
            if kind >= STRING and kind != PUNCT:
                fault = _fault(kind, piece, stop == end)
                if fault is not None:
                    kind = BAD
                    out.faults[len(kinds)] = fault
                breaks = piece.count("\n")
                if breaks:
                    base += breaks * newline
                    line_start = text.rindex("\n", offset, stop) + 1
            kinds.append(kind | flags)
            texts.append(piece)
            ats.append(at)
            flags = 0
        offset = stop
    out.add(END | LINE_START, "", base + max(1, min(end - line_start + 1, COLUMNS)))
    return out


def _fault(kind: int, piece: str, at_end: bool) -> tuple[str, str] | None:
    """The code and the message of what is no token."""
    if NO_TEXT in piece:
        return "E10000", "illegal character: it is not UTF-8"
    if kind == BAD:
        shown = f"'{piece}'" if piece.isprintable() else f"(0x{ord(piece[0]):x})"
        return "E10000", f"illegal character {shown}"
    if len(piece) < 2 or not piece.endswith('"' if kind == STRING else "'"):
        return ("E10004", "end of file in literal") if at_end else ("E10005", "newline in literal")
    if kind == CHAR and piece == "''":
        return "E10001", "illegal character literal"
    return None


def kind_of(text: str) -> int:
    """The kind of a text that is one token; BAD when it is none or several."""
    match = _TOKEN.fullmatch(text)
    if match is None:
        return BAD
    return _KIND_OF_GROUP[match.lastindex or 0]


def with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
