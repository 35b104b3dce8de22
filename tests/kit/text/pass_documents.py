"""Tests of passes as Markdown documents: what is before a pass, and what is after it, each section a test.

    # merge-ifs                    the pipeline of the document, where a block names none
    ```rk ODD                      a piece: a line `ODD` of a later text stands for these lines
    ## Both arms                   a section; sentences say what it shows and where what is expected comes from
    ```rk before                   a text
    ```rk after [PIPELINE]         what the pipeline makes of it, or the word `unchanged`
    ```rk unchanged [PIPELINE]     both at once
    ```rk wrong                    what no pass may make of it: that it may do more is shown by running it
    ```notes                       what the pipeline above reports, a note a line: `CODE` or `CODE: message`
    ```refused [PIPELINE]          how the pipeline is refused: lines as in `notes`
    ```run                         of the section, or before the first one of all: `again: changes`, where a second run
                                   of the pipeline goes on; `spirv-val: WORDS`, where that is what it has against it;
                                   `ends: never`, where nothing can be proved by running it; `names: any`, where
                                   copies are named as what they are copies of; `rules: declared`, where the pass is
                                   proved by what each declares, and not as if both declared maximal reconvergence;
                                   `open: WORDS`, where that is why it is not proved for every input, but run
    | lane | 0 | 1 |               what `out` holds for the first lanes after the text above (after `before`: and after
    | out | 1 | 0b11 |             every pipeline), at all subgroup sizes; in a row `out 4` at size 4

A text is what main holds, in the shader of `pass_texts`; lines of a module (`Capability`, `Decorate`, types) may come
before it, an entry point of @main in place of the shader's, and other functions behind it. With a function @main of its
own it is a whole module; with branches (`Branch`, `Switch` ..) it is what an unstructured main holds.
`kit.oracles.pass_document_runs` runs a section.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NoReturn, final

from kit import TESTS
from kit.random.trees import shell
from kit.text.pass_texts import see

from reknit.ir.text.printer import print_module

FOLDER: Final = TESTS / "unit" / "passes" / "documents"
UNCHANGED: Final = "unchanged"
TEXTS: Final = ("before", "after", UNCHANGED, "wrong")
WORDS: Final = r".+"
KEYS: Final = {
    "again": "changes", "spirv-val": WORDS, "ends": "never", "names": "any", "rules": "declared", "open": WORDS,
}  # fmt: skip
HEAD: Final = re.compile(
    r"(module|Capability|Extension|EntryPoint|ExecutionMode|Decorate\w*|MemberDecorate\w*) |"
    r"%\w+ = (Type\w+|SpecConstant\w*|Constant\w*|String|Requirement|Witness\w+|Variable (?!Function)\w+)\b"
)
ENTRY: Final = re.compile(r"^EntryPoint \w+ @main .*\n", re.M)
LOCAL: Final = re.compile(r"\s*%\w+ = Variable Function\b")
BRANCHES: Final = re.compile(r"^\s*(Branch|BranchConditional|Switch) ", re.M)
CALCULATED: Final = re.compile(r"[\s0-9a-fx+*-]+")


class DocumentFault(AssertionError):
    """What is wrong with a document, or with what a pass makes of its text: `file:line: message`."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f"{path.relative_to(TESTS.parent) if path.is_relative_to(TESTS) else path}:{line}: {message}")


@final
class Table:
    """What `out` holds: the words of the first lanes, at the subgroup sizes."""

    def __init__(self, line: int, sizes: tuple[int, ...], words: list[int]) -> None:
        self.line = line
        self.sizes = sizes
        self.words = words


@final
class Block:
    """A fenced block: its kind, its pipeline, the line of its first text line, and what belongs to it."""

    def __init__(self, kind: str, pipeline: str, line: int, text: str) -> None:
        self.kind = kind
        self.pipeline = pipeline
        self.line = line
        self.text = text
        self.notes: list[str] = []
        self.tables: list[Table] = []


@final
class Section:
    """A test. `pieces` are the document's; `keys` what `run` blocks say."""

    def __init__(self, path: Path, title: str, line: int, pieces: dict[str, str], keys: dict[str, str]) -> None:
        self.path = path
        self.title = title
        self.line = line
        self.pieces = pieces
        self.keys = dict(keys)
        self.before: Block | None = None
        self.blocks: list[Block] = []
        self.latest: Block | None = None

    def __str__(self) -> str:
        return f"{self.path.stem}: {self.title}"

    def fault(self, line: int, message: str) -> DocumentFault:
        return DocumentFault(self.path, line, message)

    def module_text(self, block: Block) -> str:
        """The whole module that the text of a block is."""
        return whole(block.text, self.pieces)


@cache
def frame() -> str:
    """The shader up to the end of main's first instructions, with what any subgroup operation needs."""
    more = "".join(f"Capability GroupNonUniform{kind}\n" for kind in ("Vote", "Arithmetic"))
    return print_module(shell()[0]).replace("MemoryModel", f"{more}MemoryModel", 1).rstrip().rstrip("}")


def expanded(text: str, pieces: dict[str, str]) -> str:
    """With what pieces stand for; none of them mentions another."""
    for name, piece in pieces.items():
        text = re.sub(rf"(?<![\w%@\"]){name}\b\n?", piece.replace("\\", "\\\\"), text)
    return text


def whole(text: str, pieces: dict[str, str]) -> str:
    """The module that a text of a document stands for."""
    text = see(expanded(text, pieces))
    if re.search(r"^func @main\b", text, re.M):
        return text
    lines = text.splitlines(keepends=True)
    behind = next((at for at, line in enumerate(lines) if line.startswith("func ")), len(lines))
    mine, functions = lines[:behind], "".join(lines[behind:])
    first = next((at for at, line in enumerate(mine) if line.strip() and not HEAD.match(line)), len(mine))
    header = "".join(line for line in mine[:first] if line.startswith("module "))
    head = "".join(line for line in mine[:first] if not line.startswith("module "))
    last = next((at for at in range(first, len(mine)) if not LOCAL.match(mine[at])), len(mine))
    locals, body = "".join(mine[first:last]), "".join(mine[last:])
    start, opening, entry = frame().partition("func @main() -> void {\n")
    if ENTRY.search(head):
        start = ENTRY.sub("", start)
    if BRANCHES.search(body):
        opening, locals = opening.replace("{", "flat {"), "b999:\n" + locals
    return f"{header}{start.rstrip()}\n{head}\n{opening}{locals}{entry}{body}\n}}\n{functions}"


def documents() -> list[Path]:
    return sorted(FOLDER.glob("*.md"))


@cache
def sections(path: Path) -> list[Section]:
    """The sections of a document; what is not well formed is a DocumentFault."""
    return _Reader(path).read()


@final
class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.pieces: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self.pipeline = ""
        self.sections: list[Section] = []
        self.line = 0
        self.lanes = 0

    def fail(self, message: str) -> NoReturn:
        raise DocumentFault(self.path, self.line, message)

    def read(self) -> list[Section]:
        lines = iter(self.path.read_text(encoding="utf-8").splitlines())
        for line in lines:
            self.line += 1
            if line.startswith("# "):
                self.pipeline = line[2:].strip()
            elif line.startswith("## "):
                self.finish()
                title = line[3:].strip()
                if title in [section.title for section in self.sections]:
                    self.fail(f"there are two sections '{title}'")
                self.sections.append(Section(self.path, title, self.line, self.pieces, self.keys))
                self.lanes = 0
            elif line.startswith("```"):
                self.block(line[3:].strip(), lines)
            elif line.startswith("|"):
                self.row([cell.strip() for cell in line.strip("| ").split("|")])
        self.finish()
        if not self.sections:
            self.fail("a document has a section for each test, which starts with '## '")
        return self.sections

    def finish(self) -> None:
        if self.sections and not self.sections[-1].blocks:
            section = self.sections[-1]
            raise section.fault(
                section.line, f"section '{section.title}' has no block `after`, `unchanged` or `refused`"
            )

    def block(self, info: str, lines: Iterator[str]) -> None:
        """The lines up to the closing fence."""
        opened = self.line
        held: list[str] = []
        for line in lines:
            self.line += 1
            if line.startswith("```"):
                break
            held.append(line)
        else:
            self.line = opened
            self.fail("this block has no closing fence")
        end, self.line = self.line, opened
        self.named(info, held)
        self.line = end

    def named(self, info: str, held: list[str]) -> None:
        language, _, rest = info.partition(" ")
        kind, _, pipeline = rest.strip().partition(" ")
        pipeline = pipeline.strip() or self.pipeline
        text = "".join(f"{line}\n" for line in held)
        section = self.sections[-1] if self.sections else None
        if language == "rk" and kind.isupper() and kind.isalnum():
            self.pieces[kind] = expanded(text, self.pieces)
        elif language == "run":
            self.settings(held, section)
        elif section is None:
            self.fail(f"a block `{info}` belongs into a section, which starts with '## '")
        elif language == "rk" and kind in TEXTS:
            self.text(section, Block(kind, pipeline, self.line + 1, text))
        elif language == "notes":
            if section.latest is None or section.latest.kind not in ("after", UNCHANGED):
                self.fail("notes belong to a block `after` or `unchanged` above them")
            section.latest.notes = held
        elif language == "refused":
            if section.before is None:
                self.fail("there is no block `before` above")
            block = Block("refused", rest.strip() or self.pipeline, self.line + 1, text)
            block.notes = held
            section.blocks.append(block)
        else:
            self.fail(f"there is no block `{info}`; there are rk {', rk '.join(TEXTS)}, notes, refused, run and pieces")

    def text(self, section: Section, block: Block) -> None:
        if block.kind == "before":
            if section.before is not None:
                self.fail("the section has a block `before` already")
            section.before = block
        elif block.kind == UNCHANGED:
            if section.before is not None:
                self.fail("write `unchanged` as the text of a block `after`: there is a block `before` above")
            section.blocks.append(block)
            section.before = block
        elif section.before is None:
            self.fail("there is no block `before` above")
        else:
            section.blocks.append(block)
        section.latest = block

    def settings(self, held: list[str], section: Section | None) -> None:
        for line in held:
            key, _, value = line.partition(":")
            if key not in KEYS:
                self.fail(f"there is no key '{key}'; there are {', '.join(KEYS)}")
            if re.fullmatch(KEYS[key], value.strip()) is None:
                self.fail(f"'{key}' can be {KEYS[key]}, not '{value.strip()}'")
            (section.keys if section is not None else self.keys)[key] = value.strip()

    def row(self, cells: list[str]) -> None:
        name, *rest = cells
        if set(name) <= set("-: "):
            return
        section = self.sections[-1] if self.sections else None
        if section is None or section.latest is None:
            self.fail("a table belongs to a text above it")
        if name == "lane":
            if rest != [str(at) for at in range(len(rest))]:
                self.fail("lanes are counted from 0")
            self.lanes = len(rest)
            return
        if re.fullmatch(r"out( \d+)?", name) is None or len(rest) != self.lanes:
            self.fail(f"a row is `out` or `out SIZE`, with a word for each of {self.lanes} lanes")
        sizes = (int(name[4:]),) if name != "out" else ()
        section.latest.tables.append(Table(self.line, sizes, [self.word(cell) for cell in rest]))

    def word(self, cell: str) -> int:
        try:
            return int(eval(cell if CALCULATED.fullmatch(cell) else "", {})) & 0xFFFFFFFF
        except (NameError, SyntaxError):
            self.fail(f"'{cell}' is no number")
