"""A diagnostic as a terminal shows it: what, where, the line itself with carets, why, what to do.

    Diagnostic + the source's lines  ->  error[RK0102]: merge block %m is not declared
                                           --> blur.spvasm:41:20
                                            |
                                         41 |   OpSelectionMerge %m None
                                            |                    ^^
                                         note: the block before it ends here
                                         help: declare %m, or name another block
                                         (explain: reknit explain RK0102)

The layout is rustc's. A place without a line (a binary's word, a whole file) is named without a quotation, and so is
one whose source can't be read any more. Colour is added only when asked for; the text is the same without it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from reknit.source.diagnostic import ERROR, NOTE, WARNING, Diagnostic
from reknit.source.explain import has_page
from reknit.source.place import Place
from reknit.source.visible import visible, visible_line

Lines = Mapping[str, Sequence[str]] | Callable[[str], Sequence[str]]
"""The lines of each file by its name, without line ends; a file that is not in it, or has no lines, is not quoted."""
LinesOf = Callable[[str], Sequence[str]]

TAB: Final = 4
LONGEST_PLACE: Final = 1000
WIDEST: Final = 160
"""Columns of a line that are quoted: of a longer one, those around the carets."""

RESET: Final = "\x1b[0m"
BOLD: Final = "\x1b[1m"
BLUE: Final = "\x1b[1;34m"
COLOURS: Final = {ERROR: "\x1b[1;31m", WARNING: "\x1b[1;33m", NOTE: "\x1b[1;36m", "help": "\x1b[1;32m"}


def remembering(lines: Lines) -> LinesOf:
    """The same lines, of which each file's are asked for once: for a list of diagnostics about a few files."""
    known: dict[str, Sequence[str]] = {}

    def of(file: str) -> Sequence[str]:
        source = known.get(file)
        if source is None:
            source = known[file] = lines(file) if callable(lines) else lines.get(file, ())
        return source

    return of


def render(diagnostic: Diagnostic, lines: Lines, colour: bool = False) -> str:
    """The whole message, without a line end after it. `lines` gives the source to quote."""
    paint = _painted if colour else _plain
    kind = COLOURS.get(diagnostic.severity, BOLD)
    title = paint(f"{diagnostic.severity}[{diagnostic.code}]", kind) + paint(f": {visible(diagnostic.message)}", BOLD)
    width = _gutter(diagnostic)
    out = [title]
    if diagnostic.place is not None:
        out += _quotation(diagnostic.place, lines, width, kind, paint)
    for note in diagnostic.notes:
        out.append(f"{paint('note', COLOURS[NOTE])}: {visible(note.message)}")
        if note.place is not None:
            out += _quotation(note.place, lines, width, COLOURS[NOTE], paint)
    if diagnostic.help:
        out.append(f"{paint('help', COLOURS['help'])}: {visible(diagnostic.help)}")
    if has_page(diagnostic.code):
        out.append(f"(explain: reknit explain {diagnostic.code})")
    return "\n".join(out)


def _ends(place: str) -> str:
    """Both ends of a name that is longer than a file's can be."""
    return place if len(place) <= LONGEST_PLACE else f"{place[:100]}...{place[-100:]}"


def concise(diagnostic: Diagnostic, colour: bool = False) -> str:
    """`blur.spvasm:41:20: error[RK0102]: merge block %m is not declared`."""
    text = str(diagnostic)
    if not colour:
        return text
    head = f"{diagnostic.severity}[{diagnostic.code}]"
    before, _, message = text.partition(head)  # a place may hold the words too, but stands before them
    return _painted(before, BOLD) + _painted(head, COLOURS.get(diagnostic.severity, BOLD)) + message


def render_all(diagnostics: Sequence[Diagnostic], lines: Lines, colour: bool = False) -> str:
    """Each diagnostic with an empty line after it, then a line that counts them; nothing for none."""
    if not diagnostics:
        return ""
    counts = Counter(finding.severity for finding in diagnostics)
    once = remembering(lines)
    return "".join(render(finding, once, colour) + "\n\n" for finding in diagnostics) + summary(counts) + "\n"


def summary(counts: Mapping[str, int]) -> str:
    """"2 errors, 1 warning": how many there are of each severity, gravest first; "no findings" for none."""
    parts: list[str] = []
    for severity in (ERROR, WARNING, NOTE):
        count = counts.get(severity, 0)
        if count:
            parts.append(f"{count} {severity}{'' if count == 1 else 's'}")
    return ", ".join(parts) if parts else "no findings"


def _quotation(place: Place, lines: Lines, width: int, kind: str, paint: Callable[[str, str], str]) -> list[str]:
    out = [f"{' ' * width}{paint('-->', BLUE)} {visible_line(_ends(str(place)))}"]
    text = _line(place, lines)
    if text is None:
        return out
    bar = paint("|", BLUE)
    number = paint(str(place.line).rjust(width), BLUE)
    quoted, start, length = _caret(text, place)
    carets = paint("^" * length, kind)
    return [*out, f"{' ' * width} {bar}", f"{number} {bar} {quoted}", f"{' ' * width} {bar} {' ' * start}{carets}"]


def _line(place: Place, lines: Lines) -> str | None:
    if place.word >= 0 or place.line <= 0:
        return None
    source = lines(place.file) if callable(lines) else lines.get(place.file, ())
    return source[place.line - 1] if place.line <= len(source) else None


def _caret(text: str, place: Place) -> tuple[str, int, int]:
    """(the line as a terminal shows it, how many columns stand before the carets, how many carets). Where no column is
    known it is the whole line. What is cut off of a long line is shown as dots."""
    if place.column == 0:
        place = Place(place.file, place.line, len(text) - len(text.lstrip()) + 1, len(text.strip()))
    first = min(max(place.column, 1) - 1, len(text))
    last = min(first + max(place.length, 1), len(text))
    if len(text) > WIDEST:
        text, first, last = _cut(text, first, last)
    start = len(_shown(text[:first]))
    end = len(_shown(text[:last]))
    return _shown(text), start, max(1, end - start)


def _cut(text: str, first: int, last: int) -> tuple[str, int, int]:
    """The part of a long line around text[first:last], and where that is in it."""
    begin = max(0, min(first - WIDEST // 4, len(text) - WIDEST))
    end = min(len(text), begin + WIDEST)
    before, behind = "..." if begin else "", "..." if end < len(text) else ""
    moved = len(before) - begin
    return before + text[begin:end] + behind, first + moved, min(last, end) + moved


def _shown(text: str) -> str:
    """What a terminal shows: a tab as spaces to the next stop, what would steer it as a number."""
    out: list[str] = []
    column = 0
    for sign in text:
        if sign == "\t":
            piece = " " * (TAB - column % TAB)
        else:
            piece = visible_line(sign)
        out.append(piece)
        column += len(piece)
    return "".join(out)


def _gutter(diagnostic: Diagnostic) -> int:
    places = [diagnostic.place, *[note.place for note in diagnostic.notes]]
    return max((len(str(place.line)) for place in places if place is not None and place.line > 0), default=1)


def _painted(text: str, colour: str) -> str:
    return f"{colour}{text}{RESET}"


def _plain(text: str, colour: str) -> str:
    return text
