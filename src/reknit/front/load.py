"""A module from a file, or from its contents, in any format that is read.

    path ── read_input ──▶ bytes ── by format ──▶ spirv.read, spirv.asm + read, ir.text.parser, front.llvm,
                                                  front.slang, outside compiler + read

What is wrong in assembly is reported by line, also where only reading the assembled binary finds it.
"""

from bisect import bisect_right
from typing import TYPE_CHECKING, Final, final

from reknit.files.formats import (
    ASSEMBLY,
    BINARY,
    FROM_LLVM,
    FROM_SLANG,
    GRAPH,
    HLSL,
    LANGUAGES,
    STANDARD,
    TEXT,
    format_of,
    read_format,
)
from reknit.files.streams import as_text, read_input, shown_name
from reknit.ir.module import Module
from reknit.ir.source_places import Places
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place

NO_INSTRUCTION: Final = "RK0302"

if TYPE_CHECKING:
    from reknit.front.slang.compile import Settings
    from reknit.spirv.lexer import Lines
    from reknit.spirv.words import Columns


def load_file(
    path: str, format: str | None = None, placed: bool = False, settings: "Settings | None" = None
) -> Module:
    """The module in a file; `-` is standard input. `format` overrules the ending, the others are as for `load_bytes`.

    `module.notes` has what reading it had to say. Raises InputError (RK00xx, and those of the format).
    """
    read_as = read_format(path, format)
    return load_bytes(read_input(path), read_as, shown_name(path), "" if path == STANDARD else path, placed, settings)


def load_bytes(
    data: bytes,
    format: str | None,
    name: str,
    path: str = "",
    placed: bool = False,
    settings: "Settings | None" = None,
) -> Module:
    """The module that `data` is; None as a format tells it by the contents.

    `name` is what diagnostics call it; `path` is where it lies, for a compiler that looks for includes beside it.
    `placed` has messages point into it: a GLSL file is compiled with its line numbers, the parts of a binary know their
    words. What assembly, .rk and Slang are made of knows its lines without that. `settings` are for Slang and HLSL.
    """
    if format is None and not data:
        what = "it is empty, so that nothing tells its format"
        help = "did the program that writes it fail? Where nothing is meant, name the format with --from"
        raise InputError([Diagnostic("RK0002", what, Place(name), help=help)])
    read_as = read_format(name, format) if format is not None else format_of(data)
    assert read_as is not None
    if read_as == BINARY:
        from reknit.spirv.read import read_module

        return read_module(data, name, Places(lambda at: Place(name, word=at)) if placed else None)
    if read_as == ASSEMBLY:
        return _assembled(as_text(data, name), name)
    if read_as == TEXT:
        from reknit.ir.text.parser import parse

        try:
            module = parse(as_text(data, name), name)
        except InputError as error:
            if format is None and error.diagnostics[0].code == NO_INSTRUCTION and not error.diagnostics[0].help:
                help = "nothing in it tells its format, so it was read as .rk: --from names another"
                error.diagnostics[0].help = help
            raise
        module.path = name
        return module
    if read_as == GRAPH:
        from reknit.front.cfg import load_cfg

        return load_cfg(as_text(data, name), name)
    if read_as in FROM_LLVM:
        from reknit.front.llvm.load import read_llvm

        return read_llvm(data, name)
    if read_as in FROM_SLANG:
        from reknit.front.slang.compile import compile_slang
        from reknit.front.slang.hlsl import decoding

        text = as_text(data, name, decoding(read_as == HLSL))
        module = compile_slang(text, path or name, settings, read_as == HLSL)
        module.language = LANGUAGES[read_as]
        return module
    from reknit.front.shaders import compile_shader
    from reknit.spirv.read import read_module

    module = read_module(compile_shader(data, read_as, name, path, placed, settings), name)
    module.language = LANGUAGES.get(read_as, "")
    return module


def _assembled(text: str, name: str) -> Module:
    from reknit.spirv.asm import assemble
    from reknit.spirv.read import read_module

    binary = assemble(text, name)
    origins = Origins(text, binary, name)
    try:
        module = read_module(binary, name, Places(origins.place))
    except InputError as error:
        origins.move(error.diagnostics)
        raise InputError(error.diagnostics) from None
    origins.move(module.notes)
    return module


@final
class Origins:
    """Which line of an assembly text a word of its binary came from. The text is gone through again at the first
    question."""

    def __init__(self, text: str, binary: bytes, name: str) -> None:
        self.text = text
        self.binary = binary
        self.name = name
        self.ends: list[int] = []  # of each statement, the word after it
        self.spans: list[tuple[int, int]] = []  # of each statement, (offset, length) in the text
        self.lines: Lines | None = None

    def place(self, word: int) -> Place:
        """The place of the statement that gave this word."""
        if self.lines is None:
            self.lines = self._read()
        index = bisect_right(self.ends, word)
        return self.lines.place(*self.spans[index]) if index < len(self.spans) else Place(self.name)

    def names(self, columns: "Columns") -> dict[int, str]:
        """What the text calls each id, of those that are results."""
        from reknit.spirv.lexer import statements

        rows = [statement.words for statement in statements(self.text)]
        if len(rows) != len(columns.op):
            return {}  # words given as !n made more instructions
        named = [(int(columns.result[row]), words) for row, words in enumerate(rows) if words[1:2] == ["="]]
        return {number: words[0][1:] for number, words in named}

    def _read(self) -> "Lines":
        from reknit.spirv.lexer import Lines, statements
        from reknit.spirv.words import HEADER_WORDS

        at = HEADER_WORDS
        for statement in statements(self.text):  # one instruction each, in the same order
            at += int.from_bytes(self.binary[4 * at + 2 : 4 * at + 4], "little")
            self.ends.append(at)
            start = statement.starts[0]
            self.spans.append((start, statement.starts[-1] + len(statement.words[-1]) - start))
        return Lines(self.text, self.name)

    def move(self, diagnostics: list[Diagnostic]) -> None:
        """Give each diagnostic that names a word of the binary the line of the text that the word came from."""
        for marked in [place for each in diagnostics for place in (each.place, *[note.place for note in each.notes])]:
            if marked is not None and marked.word >= 0:
                to = self.place(marked.word)
                marked.line = to.line
                marked.column = to.column
                marked.length = to.length
                marked.word = -1
