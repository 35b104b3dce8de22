"""Files -> one list of tokens, with directives obeyed and macros expanded.

    #define N 4          int a[4];
    #if N > 2        ->
    int a[N];
    #endif

Included files are a stack; `#include` looks beside the including file first, then in the search paths. Defined from the
start are __SLANG__, __SLANG_COMPILER__, __HLSL__ and __HLSL_VERSION, as slangc has them, in HLSL what DXC has, too, and
what the options say.
"""

import os
from typing import Final, final

from reknit.front.slang.conditional import condition
from reknit.front.slang.directives import Conditionals, definition
from reknit.front.slang.hlsl import PACKINGS, STAGE, decoding, macros_of_dxc
from reknit.front.slang.lexer import lex, with_plain_line_ends
from reknit.front.slang.literals import string_literal
from reknit.front.slang.macro import NO_NAMES, Expander, Item, Macro, Stream, TooMuch
from reknit.front.slang.options import Options, OutOfReach, Unreadable, out_of_reach
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import moved
from reknit.front.slang.tokens import BAD, END, INT, KIND, LINE_START, NAME, STRING, Tokens
from reknit.source.diagnostic import Note
from reknit.source.digits import is_decimal
from reknit.source.meter import spend

NOT_FOUND: Final = "it is looked for beside the file that includes it, then in the folders of -I: add its folder there"
INCLUDES_DEEP: Final = 100
INCLUDES_MOST: Final = 20_000
_PREDEFINED: Final = (("__HLSL_VERSION", "2018"), ("__SLANG_COMPILER__", "1"), ("__SLANG__", "1"), ("__HLSL__", "0"))


@final
class _File:
    """A file that is being read: `next` is where to go on, `path` where it lies, `written` where its tokens stand
    whatever `#line` says."""

    __slots__ = ("tokens", "next", "path", "conditionals", "written")

    def __init__(self, tokens: Tokens, path: str) -> None:
        self.tokens = tokens
        self.next = 0
        self.path = path
        self.conditionals = Conditionals()
        self.written: list[int] | None = None


@final
class Preprocessor:
    __slots__ = (
        "reports", "options", "hlsl", "expander", "files", "out", "gave_up", "glsl", "year", "packing", "included",
        "_once", "_stage",
    )  # fmt: skip

    def __init__(self, reports: Reports, options: Options, hlsl: bool, stage: str = "") -> None:
        """`stage` is what the source is for, "" where that isn't known."""
        self.reports = reports
        self.options = options
        self.hlsl = hlsl
        self.expander = Expander(reports)
        self.files: list[_File] = []
        self.out = Tokens()
        self.gave_up = False  # the tokens end too early, which was reported
        self.glsl = False  # there is a #version
        self.year = options.year  # the language's version, which `#lang` says
        self.packing = ""  # what `#pragma pack_matrix` says: "row_major" or "column_major"
        self.included = 0
        self._once: set[str] = set()
        self._stage = stage

    def run(self, name: str, text: str) -> Tokens:
        """All tokens of the file and of what it includes, with an END."""
        self._open(name, text)
        self._predefine()
        end = self.files[0].tokens.ats[-1]
        try:
            while self.files:
                self._go_on(self.files[-1])
        except TooMuch:
            self.gave_up = True
        self.out.add(END, "", end)
        return self.out

    def _predefine(self) -> None:
        lines = [f"#define {name} {value}".replace("\n", " ") + "\n" for name, value in self.options.defines.items()]
        own = dict(_PREDEFINED)
        if self.hlsl:
            own.update(macros_of_dxc(self._stage))
            if STAGE not in own and STAGE not in self.options.defines:
                self.expander.builtins.add(STAGE)
        lines += [f"#define {name} {value}\n" for name, value in own.items() if name not in self.options.defines]
        self._open("<command line>", "".join(lines))
        self._go_on(self.files[-1])

    def _open(self, name: str, text: str) -> None:
        plain = with_plain_line_ends(text)
        file = self.reports.sources.add(name, plain)
        self.files.append(_File(lex(plain, file, self.reports), name))

    def _go_on(self, file: _File) -> None:
        """Read the file to its end, or to an `#include`."""
        tokens = file.tokens
        kinds, texts, ats = tokens.kinds, tokens.texts, tokens.ats
        macros, builtins = self.expander.macros, self.expander.builtins
        out_kinds, out_texts, out_ats = self.out.kinds, self.out.texts, self.out.ats
        conditionals = file.conditionals
        i = file.next
        while True:
            kind = kinds[i]
            text = texts[i]
            if text == "#" and kind & LINE_START:
                end = i + 1
                while not kinds[end] & LINE_START:
                    end += 1
                file.next = end
                opened = len(self.files)
                self._directive(file, i, end)
                if len(self.files) != opened:
                    return
                i = end
            elif kind & KIND == END:
                self._close(file)
                return
            elif conditionals.skipping:
                i += 1
            elif kind & KIND == BAD:
                self._tell_faults(tokens, i, i + 1)
                if text[0] in "\"'":  # something stands there, so that its absence is no second error
                    self.out.add(STRING | kind & ~KIND, '""', ats[i])
                i += 1
            elif kind & KIND == NAME and (text in macros or text in builtins):
                stream = Stream([(kind, text, ats[i], NO_NAMES)], tokens, i + 1)
                self.expander.expand(stream, self.out)
                self._tell_faults(tokens, i, stream.next)
                i = stream.next
            else:
                out_kinds.append(kind)
                out_texts.append(text)
                out_ats.append(ats[i])
                i += 1

    def _close(self, file: _File) -> None:
        for at, directive in file.conditionals.still_open():
            here = file.tokens.ats[-1]
            notes = [Note(f"see '#{directive}' directive", self.reports.sources.place(at))]
            self.reports.error("E15000", here, "end of file encountered during preprocessor conditional", notes)
        self.files.pop()

    def _directive(self, file: _File, start: int, end: int) -> None:
        tokens = file.tokens
        if start + 1 == end:
            return
        name = tokens.texts[start + 1]
        at = tokens.ats[start + 1]
        rest = self._items(tokens, start + 2, end, file.conditionals.skipping or name in ("error", "warning"))
        if name in ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"):
            self._conditional(file.conditionals, name, at, rest)
            return
        if file.conditionals.skipping:
            return
        if tokens.kinds[start + 1] & KIND != NAME:
            if tokens.kinds[start + 1] & KIND != INT:  # `# 12 "file"`, which other preprocessors leave, is a #line
                self.reports.error("E15100", at, "expected preprocessor directive name")
        elif name == "define":
            macro = definition(rest, at, self.reports)
            if macro is not None:
                self._define(macro)
        elif name == "undef":
            self._undefine(rest, at)
        elif name == "include":
            self._include(file, rest, at)
        elif name == "error":
            self.reports.error("E15900", at, f"#error: {_line_text(rest)}", length=5)
        elif name == "warning":
            self.reports.warning("E15901", at, f"#warning: {_line_text(rest)}", length=7)
        elif name == "pragma":
            self._pragma(file, rest, at)
        elif name == "line":
            self._line(file, rest, at, end)
        elif name == "version":
            self.glsl = True
        elif name in ("lang", "language"):
            year = rest[-1][1] if rest else ""
            self.year = int(year) if is_decimal(year) and len(year) == 4 else self.year
        elif name != "extension":
            self.reports.error("E15101", at, f"unknown preprocessor directive '{name}'", length=len(name))

    def _items(self, tokens: Tokens, start: int, end: int, faults_too: bool) -> list[Item]:
        """A directive's tokens; those that are none are reported, unless the directive may have them."""
        out: list[Item] = []
        for i in range(start, end):
            if faults_too or tokens.kinds[i] & KIND != BAD:
                out.append((tokens.kinds[i], tokens.texts[i], tokens.ats[i], NO_NAMES))
        if not faults_too:
            self._tell_faults(tokens, start, end)
        return out

    def _tell_faults(self, tokens: Tokens, start: int, end: int) -> None:
        if tokens.faults:
            for i in range(start, end):
                if i in tokens.faults:
                    code, message = tokens.faults[i]
                    self.reports.error(code, tokens.ats[i], message, length=len(tokens.texts[i]))

    def _conditional(self, conditionals: Conditionals, name: str, at: int, rest: list[Item]) -> None:
        if name in ("else", "endif"):
            taken = True
            if rest:
                self._extra(name, rest[0][2])
        elif conditionals.is_dead(name):
            taken = False
        elif name in ("ifdef", "ifndef", "elifdef", "elifndef"):
            taken = False
            if not rest or rest[0][0] & KIND != NAME:
                message = f"expected 'identifier' in '{name}' directive"
                self.reports.error("E15102", rest[0][2] if rest else at, message)
            else:
                taken = self.expander.is_macro(rest[0][1]) != name.endswith("ndef")
                if len(rest) > 1:
                    self._extra(name, rest[1][2])
        else:
            taken = condition(rest, name, at, self.expander, self.reports, self.hlsl)
        conditionals.step(name, at, taken, self.reports)

    def _extra(self, directive: str, at: int) -> None:
        self.reports.error("E15103", at, f"unexpected tokens following '{directive}' directive")

    def _define(self, macro: Macro) -> None:
        old = self.expander.macros.get(macro.name)
        if macro.name in self.expander.builtins:
            self.expander.builtins.discard(macro.name)
            self.reports.warning("E15404", macro.at, f"Redefinition of builtin macro '{macro.name}'")
        elif old is not None and not _same(old, macro):
            notes = [Note(f"see previous definition of '{macro.name}'", self.reports.sources.place(old.at))]
            self.reports.warning("E15400", macro.at, f"redefinition of macro '{macro.name}'", notes, len(macro.name))
        self.expander.macros[macro.name] = macro

    def _undefine(self, rest: list[Item], at: int) -> None:
        if not rest or rest[0][0] & KIND != NAME:
            place = rest[0][2] if rest else at
            self.reports.error("E15102", place, "expected 'identifier' in 'undef' directive")
            return
        name = rest[0][1]
        if name in self.expander.builtins:
            self.expander.builtins.discard(name)
        elif self.expander.macros.pop(name, None) is None:
            self.reports.warning("E15401", rest[0][2], f"macro '{name}' is not defined", length=len(name))
        if len(rest) > 1:
            self._extra("undef", rest[1][2])

    def _include(self, file: _File, rest: list[Item], at: int) -> None:
        items = rest if rest and rest[0][1] == "<" else self.expander.expand_list(rest)
        wanted = ""
        if items and items[0][0] & KIND == STRING:
            wanted = items[0][1][1:-1]
        elif items and items[0][1] == "<" and any(item[1] == ">" for item in items):
            for item in items[1:]:
                if item[1] == ">":
                    break
                wanted += item[1]
        if self.hlsl:
            wanted = wanted.replace("\\", "/")
        if not wanted:
            self.reports.error("E15102", at, "expected 'string literal' in 'include' directive", length=7)
            return
        place = items[0][2]
        try:
            main = self.reports.sources.names[0]
            included = self.options.find(wanted, os.path.dirname(file.path), main, decoding(self.hlsl))
        except OutOfReach:
            self.reports.error("RK0023", place, out_of_reach(wanted), length=len(wanted) + 2)
            return
        except Unreadable as unreadable:
            self.reports.error("E15300", place, str(unreadable), length=len(wanted) + 2)
            return
        if included is None:
            message = f"failed to find include file '{wanted}'"
            self.reports.error("E15300", place, message, length=len(wanted) + 2, help=NOT_FOUND)
            return
        path, text = included
        if path in self._once:
            return
        cyclic = any(other.path == path for other in self.files)
        if cyclic and (not self.hlsl or len(self.files) > INCLUDES_DEEP):
            self.reports.error("E15302", place, f"cyclic `#include` of file '{wanted}'", length=len(wanted) + 2)
            if self.hlsl:
                raise TooMuch
        elif len(self.files) > INCLUDES_DEEP:
            message = f"files include each other more than {INCLUDES_DEEP} deep"
            self.reports.error("RK0903", place, message, length=len(wanted) + 2)
        elif self.included == INCLUDES_MOST:
            message = f"more than {INCLUDES_MOST} files are included"
            self.reports.error("RK0903", place, message, length=len(wanted) + 2)
            raise TooMuch
        else:
            self.included += 1
            spend(64)
            self._open(path, text)

    def _pragma(self, file: _File, rest: list[Item], at: int) -> None:
        """What HLSL has no such pragma for, DXC passes over."""
        if not rest or rest[0][0] & KIND != NAME:
            if not self.hlsl:
                self.reports.error("E15600", at, "expected a name after '#pragma'", length=6)
            return
        name = rest[0][1]
        if name == "once":
            if len(self.files) == 1:
                message = "pragma once was ignored - this is typically because it is not placed in an include"
                self.reports.warning("E15602", rest[0][2], message, length=4)
            self._once.add(file.path)
        elif name == "pack_matrix" and self.hlsl:
            self._pack_matrix([item[1] for item in rest], rest[0][2])
        elif name != "warning" and not self.hlsl:
            message = f"ignoring unknown directive '#pragma {name}'"
            self.reports.warning("E15601", rest[0][2], message, length=len(name))

    def _pack_matrix(self, words: list[str], at: int) -> None:
        """`#pragma pack_matrix(row_major)`."""
        if len(words) != 4 or words[1] != "(" or words[2] not in PACKINGS or words[3] != ")":
            message = "not supported: `#pragma pack_matrix` with anything but (row_major) or (column_major)"
            self.reports.error("RK0910", at, message, length=len(words[0]))
        elif self.out.kinds and words[2] != self.packing:
            message = "not supported: `#pragma pack_matrix` after the first declaration"
            self.reports.error("RK0910", at, message, length=len(words[0]))
        else:
            self.packing = words[2]

    def _line(self, file: _File, rest: list[Item], at: int, end: int) -> None:
        """What follows is said to stand elsewhere: the positions of the file's other tokens move."""
        items = self.expander.expand_list(rest)
        if not items or items[0][1] == "default":
            if file.written is not None:
                file.tokens.ats[end:] = file.written[end:]
            return
        if file.written is None:
            file.written = list(file.tokens.ats)
        if items[0][0] & KIND != INT or not is_decimal(items[0][1]) or len(items[0][1]) > 8:
            self.reports.error("E15102", at, "expected 'integer literal' in 'line' directive", length=4)
            return
        line = int(items[0][1])
        index = -1
        if len(items) > 1 and items[1][0] & KIND == STRING:
            name = string_literal(items[1][1], items[1][2], self.reports)
            index = self.reports.sources.add(name, "") if name else -1
        elif len(items) > 1 and items[1][0] & KIND != INT:
            self.reports.error("E15102", items[1][2], "expected 'string literal' in 'line' directive")
            return
        file.tokens.ats[end:] = moved(file.written[end:], file.written[end - 1], line, index)


def _same(a: Macro, b: Macro) -> bool:
    return a.params == b.params and [item[1] for item in a.body] == [item[1] for item in b.body]


def _line_text(items: list[Item]) -> str:
    out: list[str] = []
    for kind, text, _, _ in items:
        if out and kind & ~KIND:
            out.append(" ")
        out.append(text)
    return "".join(out)
