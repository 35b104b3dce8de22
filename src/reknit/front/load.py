"""A module from a file, or from its contents, in any format that is read.

    path ── read_bytes ──▶ bytes ── by format ──▶ spirv.read, spirv.asm + read, ir.text.parser, outside compiler + read

What is wrong in assembly is told by line, also where only reading the assembled binary finds it.
"""

from reknit.front.files import as_text, read_bytes, shown_name
from reknit.front.formats import ASSEMBLY, BINARY, STANDARD, TEXT, read_format, told_by
from reknit.ir.module import Module
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place


def load_file(path: str, format: str | None = None) -> Module:
    """The module in a file; `-` is standard input. `format` overrules the ending.

    `module.notes` has what reading it had to say. Raises InputError (RK00xx, and those of the format).
    """
    found = read_format(path, format)
    return load_bytes(read_bytes(path), found, shown_name(path), "" if path == STANDARD else path)


def load_bytes(data: bytes, format: str | None, name: str, path: str = "") -> Module:
    """The module that `data` is; None as a format tells it by the contents.

    `name` is what diagnostics call it; `path` is where it lies, for a compiler that looks for includes beside it.
    """
    found = read_format(name, format) if format is not None else told_by(data)
    assert found is not None
    if found == BINARY:
        from reknit.spirv.read import read_module

        return read_module(data, name)
    if found == ASSEMBLY:
        return _assembled(as_text(data, name), name)
    if found == TEXT:
        from reknit.ir.text.parser import parse

        module = parse(as_text(data, name), name)
        module.path = name
        return module
    from reknit.front.shaders import compile_shader
    from reknit.spirv.read import read_module

    return read_module(compile_shader(data, found, name, path), name)


def _assembled(text: str, name: str) -> Module:
    from reknit.spirv.asm import assemble
    from reknit.spirv.read import read_module

    binary = assemble(text, name)
    try:
        module = read_module(binary, name)
    except InputError as error:
        _to_lines(error.diagnostics, text, binary, name)
        raise InputError(error.diagnostics) from None
    _to_lines(module.notes, text, binary, name)
    return module


def _to_lines(diagnostics: list[Diagnostic], text: str, binary: bytes, name: str) -> None:
    """Give each diagnostic that names a word of the binary the line of the text that the word came from."""
    places = [one.place for one in diagnostics] + [note.place for one in diagnostics for note in one.notes]
    wanted = [place for place in places if place is not None and place.word >= 0]
    if not wanted:
        return
    from reknit.spirv.lexer import Lines, statements
    from reknit.spirv.words import HEADER_WORDS

    lines = Lines(text, name)
    at = HEADER_WORDS
    ends: list[int] = []
    spans: list[tuple[int, int]] = []
    for statement in statements(text):  # one instruction each, in the same order
        at += int.from_bytes(binary[4 * at + 2 : 4 * at + 4], "little")
        ends.append(at)
        spans.append((statement.starts[0], statement.starts[-1] + len(statement.words[-1]) - statement.starts[0]))
    from bisect import bisect_right

    for place in wanted:
        index = bisect_right(ends, place.word)
        if index < len(spans):
            _move(place, lines.place(*spans[index]))


def _move(place: Place, to: Place) -> None:
    place.line = to.line
    place.column = to.column
    place.length = to.length
    place.word = -1
