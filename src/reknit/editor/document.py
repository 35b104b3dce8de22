"""A text that is open in an editor, and what is known of it.

    document = Document("/a/blur.slang", text)
    document.diagnostics           what `check` and `lint` say
    document.hover(14, 9)          Markdown: the name, its type, where it is uniform, which lanes run it together
    document.definition(14, 9)     a place, in this file or another
    document.names, .outline       names by kind, symbols
    document.fixes(12, 14)         edits for the findings in some lines

Each answer is made when it is first asked for. Lines and columns count from 1, columns in characters.
"""

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Final, final

from reknit.checks.lint.config import Config, read_config
from reknit.editor.mentions import Mention, Outline, mention_at
from reknit.files.config import find_config
from reknit.files.formats import ASSEMBLY, HLSL, SLANG, TEXT, ending
from reknit.front.slang.compile import NO_ENTRY
from reknit.source.diagnostic import ERROR, NOTE, Diagnostic, InputError
from reknit.source.explain import title
from reknit.source.place import Place

if TYPE_CHECKING:
    from reknit.editor.facts import Fact, Facts
    from reknit.editor.fixes import Fix
    from reknit.front.slang.compile import Settings
    from reknit.ir.module import Module

FORMATS: Final = (SLANG, HLSL, TEXT, ASSEMBLY)
NO_VALIDATOR: Final = "RK0006"
"""What `check` says where there is no spirv-val: nothing about the text."""
NO_COMPUTE: Final = "RK0911"
"""A shader of a stage that is not read: true, and no fault of the text."""
MAX_CHARACTERS: Final = 1_000_000
"""Characters of a text that is looked into between two keys. Of a longer one, its faults are said."""


@final
class Document:
    """`settings` are for Slang and HLSL, `target` for lint; `format` is one of FORMATS, by default by the path."""

    def __init__(
        self,
        path: str,
        text: str,
        settings: "Settings | None" = None,
        target: str | None = None,
        format: str = "",
    ) -> None:
        self.path = path
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")  # an editor may send halves
        self.text = whole.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = self.text.split("\n")
        self.format = next((each for each in (format, ending(path)) if each in FORMATS), TEXT)
        self.settings = settings
        self.target = target
        self._diagnostics: list[Diagnostic] | None = None
        self._module: Module | None = None
        self._mentions: list[Mention] | None = None
        self._outline: list[Outline] = []
        self._calls: dict[tuple[int, int], tuple[int, int]] = {}
        self._fixes: dict[tuple[str, ...], list[Fix]] = {}
        self._facts: Facts | None = None
        self._has_facts = False

    # --- faults ----------------------------------------------------------------------------------------------------

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """What `reknit check` and `reknit lint` say, by the configuration that lies above the file."""
        if self._diagnostics is None:
            faults = self._checked()
            if len(self.text) <= MAX_CHARACTERS and not any(each.severity == ERROR for each in faults):
                try:
                    faults = [*faults, *self._linted()]
                except InputError as error:
                    faults = [*faults, *_of_a_text(error.diagnostics)]
            self._diagnostics = list({(each.code, str(each.place), each.message): each for each in faults}.values())
        return self._diagnostics

    def _checked(self) -> list[Diagnostic]:
        from reknit.checks.check import check_input

        data = self.text.encode()
        checked = check_input(data, self.format, self.path, self.path, settings=self.settings)
        return _of_a_text(checked.diagnostics)

    def _linted(self) -> list[Diagnostic]:
        from reknit.checks.lint.lint import lint_module
        from reknit.ir.verify.trusting import trusting

        config = self._config()
        module = self._loaded()
        with trusting(module):
            return lint_module(module, self.target or config.target or None, config)

    def _config(self) -> Config:
        path = find_config(os.path.dirname(self.path) or ".")
        return read_config(path) if path else Config()

    def _loaded(self) -> "Module":
        from reknit.front.load import load_bytes

        if self._module is None:
            data = self.text.encode()
            self._module = load_bytes(data, self.format, self.path, self.path, placed=True, settings=self.settings)
        return self._module

    def fixes(self, first: int, last: int) -> "list[Fix]":
        """For the findings in these lines."""
        from reknit.editor.fixes import fixes

        there = [each for each in self.diagnostics if each.place is not None and first <= each.place.line <= last]
        codes = tuple(sorted({each.code for each in there}))
        if codes not in self._fixes:  # an editor asks at each move of the cursor
            self._fixes[codes] = fixes(self.text, self.path, self.format, set(codes), self.target, self._config())
        return self._fixes[codes]

    # --- names -----------------------------------------------------------------------------------------------------

    @property
    def names(self) -> list[Mention]:
        """The names in the text, in order, with what is known of their values."""
        if self._mentions is None:
            self._mentions = self._read_names()
        return self._mentions

    @property
    def outline(self) -> list[Outline]:
        """What the text declares."""
        if self._mentions is None:
            self._mentions = self._read_names()
        return self._outline

    def _read_names(self) -> list[Mention]:
        if len(self.text) > MAX_CHARACTERS:
            return []
        if self.format in (SLANG, HLSL):
            from reknit.editor.slang_names import names_of_slang

            try:
                of_slang = names_of_slang(self.text, self.path, self.settings, self.format == HLSL)
            except InputError:
                return []  # it is too much for the checker, as the diagnostics say
            self._outline = of_slang.outline
            self._calls = of_slang.calls
            mentions = of_slang.mentions
        else:
            from reknit.editor.text_names import names_of_assembly, names_of_rk

            names = (names_of_assembly if self.format == ASSEMBLY else names_of_rk)(self.text, self.path)
            self._outline = names.outline
            mentions = names.mentions
        facts = self.facts
        if facts is not None:
            marks = {"divergent": set(facts.differing()), "tangled": set(facts.tangled())}
            for mention in mentions:
                spots = self._spots(mention)
                more = [each for each in marks if each not in mention.modifiers and not marks[each].isdisjoint(spots)]
                mention.modifiers = (*mention.modifiers, *more)
        return mentions

    def _spots(self, mention: Mention) -> list[tuple[int, int]]:
        """Where the instructions that a name leads to say they are: where it is written, or its definition."""
        if self.format in (SLANG, HLSL):
            here = (mention.line, mention.column)
            return [self._calls.get(here, here)]
        if mention.kind == "variable" and mention.declared is not None:
            return [(mention.declared.line, mention.declared.column)]
        return []

    def definition(self, line: int, column: int) -> Place | None:
        """Where what is named there is declared."""
        mention = mention_at(self.names, line, column)
        return mention.declared if mention is not None else None

    # --- what is known ---------------------------------------------------------------------------------------------

    @property
    def facts(self) -> "Facts | None":
        """Of the module that the text is; None while it has errors."""
        if not self._has_facts:
            self._has_facts = True
            if len(self.text) <= MAX_CHARACTERS:
                from reknit.editor.facts import Facts

                with suppress(InputError):  # `diagnostics` has it
                    self._facts = Facts(self._loaded())
        return self._facts

    def hover(self, line: int, column: int) -> tuple[str, int, int] | None:
        """(Markdown, first column, length) of what stands there; None for nothing."""
        mention = mention_at(self.names, line, column)
        start, length = (mention.column, mention.length) if mention is not None else (column, 1)
        spots = self._spots(mention) if mention is not None else [(line, start)]
        if mention is not None and mention.kind == "keyword":
            spots = [(line, first) for first in range(1, mention.column + 1)]  # an opcode: its statement begins before
        facts = self.facts
        instrs = [instr for spot in spots for instr in facts.at(*spot)] if facts is not None else []
        known = [facts.about(instr) for instr in instrs] if facts is not None else []
        parts: list[str] = []
        if mention is not None and mention.label:
            parts.append(self._code(mention.label))
        parts += _sentences(known)
        findings = [each for each in self.diagnostics if each.place is not None and each.place.line == line]
        around = [(each, spot) for each in findings for spot in [*spots, (line, start)]]
        for finding, spot in around:
            if finding.place is not None and (finding.place.line, finding.place.column) == spot:
                text = finding_text(finding)
                if text not in parts:
                    parts.append(text)
        return ("\n\n".join(parts), start, length) if parts else None

    def _code(self, text: str) -> str:
        language = "slang" if self.format in (SLANG, HLSL) else self.format
        return f"```{language}\n{text.replace('```', '')}\n```"


def _of_a_text(faults: list[Diagnostic]) -> list[Diagnostic]:
    """Without what matters to a command alone: a source of declarations, which others import, has no entry point."""
    for each in faults:
        if each.code == NO_COMPUTE:
            each.severity = NOTE
    return [each for each in faults if each.code not in (NO_VALIDATOR, NO_ENTRY)]


def _sentences(known: "list[Fact]") -> list[str]:
    """What is known of the instructions at a place: a source's operation may be several, of which the last has its
    value."""
    from reknit.editor.facts import SCOPES

    parts: list[str] = []
    values = [fact for fact in known if fact.uniform is not None]
    if values and values[-1].uniform is not None:
        uniform = values[-1].uniform
        differs = [scope for scope in SCOPES if scope not in uniform]
        said = ["uniform among the lanes of a " + " or ".join(uniform)] if uniform else []
        said += ["may differ in a " + " or ".join(differs)] if differs else []
        parts.append(f"`{values[-1].type}`: {'; '.join(said)}")
    for fact in known:
        if fact.tangle:
            text = " ".join(fact.tangle)
            if text not in parts:
                parts.append(text)
    return parts


def finding_text(finding: Diagnostic) -> str:
    """A finding with its reasons, as Markdown."""
    lines = [f"**{finding.code}** ({title(finding.code) or finding.severity}): {finding.message}"]
    lines += [
        f"- {note.message}" + (f" (line {note.place.line})" if note.place is not None and note.place.line > 0 else "")
        for note in finding.notes
    ]
    if finding.help:
        lines.append(f"\nhelp: {finding.help}")
    return "\n".join(lines)
