"""SPIR-V assembly as a binary, word for word what spirv-as makes.

    %void = OpTypeVoid        names get numbers as they are met, from 1
    OpDecorate %x 44 4        enumerants by name, alias or number; masks as A|B
    %c = OpConstant %half 0x1.8p+1
    OpSource !7 450           !n puts a word as it is; after it, numbers, strings and ids are taken as they come
    OpUnknown(5999, 2) 4      an instruction that the grammar lacks

The version is that of `; Version: 1.x` in a comment on top, unless given. Every faulty instruction is reported (to a
limit), each at the word that is wrong.
"""

import re
import sys
from array import array
from typing import Final, final

from reknit.ir.opcodes import ID, OpInfo, by_name
from reknit.ir.version import unknown_version
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.place import Place
from reknit.spirv.asm_context import MAX_WORDS, Context, Fault
from reknit.spirv.asm_operands import Encoder
from reknit.spirv.lexer import Lines, Statement, statements
from reknit.spirv.numbers import read_integer
from reknit.spirv.words import HEADER_WORDS, header

MAX_FAULTS: Final = 50

_VERSION = re.compile(r"(?:[ \t\r\n]*;[^\n]*\n)*?[ \t]*; *Version: *([0-9]{1,3})\.([0-9]{1,3})[ \t\r]*(?:\n|\Z)")
_OP_UNKNOWN: Final = "OpUnknown"


def assemble(
    text: str,
    file: str = "<text>",
    *,
    version: tuple[int, int] | None = None,
    preserve_numeric_ids: bool = False,
    big_endian: bool = False,
) -> bytes:
    """The binary of an assembly text. Raises InputError, a diagnostic for each faulty instruction (RK02xx), or one for
    a version that is not known (RK0109).

    `version` is (1, 6) and the like; without it the text's own `; Version:` comment, or 1.6. With
    `preserve_numeric_ids`, %12 is id 12, and names get the numbers that are left.
    """
    said = Place(file)
    if version is None:
        match = _VERSION.match(text)
        version = (int(match[1]), int(match[2])) if match is not None else (1, 6)
        if match is not None:
            said = Lines(text, file).place(match.start(1), match.end(2) - match.start(1))
    wrong = unknown_version(*version)
    if wrong:
        raise InputError([Diagnostic("RK0109", wrong, said)])
    assembler = _Assembler(text, file)
    if preserve_numeric_ids:
        for statement in statements(text):
            assembler.context.keep(statement.words)
    for statement in statements(text):
        assembler.statement(statement)
    if assembler.faults:
        raise InputError(assembler.faults)
    out = assembler.context.out
    out[:HEADER_WORDS] = array(
        "I", header(version[0] << 16 | version[1] << 8, 0, assembler.context.bound)
    )
    if big_endian != (sys.byteorder == "big"):
        out.byteswap()
    return out.tobytes()


@final
class _Assembler:
    """One run over a text, statement for statement."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.lines: Lines | None = None
        self.faults: list[Diagnostic] = []
        self.context = Context()
        self.plain: dict[str, _Plain | None] = {}

    def statement(self, statement: Statement) -> None:
        """Encode one statement, or note what is wrong with it. Nothing of a faulty statement is written."""
        if len(self.faults) >= MAX_FAULTS:
            return
        try:
            self.instructions(statement.words)
        except Fault as fault:
            if self.lines is None:
                self.lines = Lines(self.text, self.file)
            words, starts = statement.words, statement.starts
            if fault.word < len(words):
                place = self.lines.place(starts[fault.word], len(words[fault.word].split("\n")[0]))
            else:
                place = self.lines.place(starts[-1] + len(words[-1]))
            self.faults.append(Diagnostic(fault.code, fault.message, place, help=fault.help))

    def instructions(self, words: list[str]) -> None:
        """One statement: an instruction, and what `!` instructions follow it."""
        at = 0
        if words[0][0] != "!":
            head = 2 if len(words) > 2 and words[1] == "=" else 0
            name = words[head]
            if not name.startswith("Op") or (head and words[0][0] != "%"):
                wrong = 1 if words[0][0] == "%" and len(words) > 1 and words[1] != "=" else head
                expected = "=" if wrong == 1 else "an opcode" if head else "an opcode or %result ="
                raise Fault("RK0201", f"expected {expected}, found {words[wrong]}", wrong)
            if name == _OP_UNKNOWN:
                at = self.unknown(words, head)
            else:
                about = by_name(name[2:])
                if about is None:
                    raise Fault("RK0202", f"no instruction is called {name}", head)
                if not self.quick(about, words, head):
                    at = Encoder(self.context, about, words, head).run()
                else:
                    at = len(words)
        while at < len(words):
            if words[at][0] != "!":
                raise Fault("RK0201", f"expected the next instruction, found {words[at]}", at)
            at = self.immediate(words, at)

    def quick(self, about: OpInfo, words: list[str], head: int) -> bool:
        """The common case: every operand is an id. False where it is another, with nothing done."""
        if about.name in self.plain:
            plain = self.plain[about.name]
        else:
            plain = self.plain[about.name] = _plain(about)
        if plain is None or (head == 2) != about.has_result:
            return False
        first = head + 1
        if not plain.least <= len(words) - first <= plain.most:
            return False
        for at in range(first, len(words)):
            if words[at][0] != "%":
                return False
        context = self.context
        ids = context.ids
        out = [0]
        if about.has_type:
            out.append(ids.get(words[first]) or context.id(words, first))
            first += 1
        if head:
            out.append(ids.get(words[0]) or context.id(words, 0))
        for at in range(first, len(words)):
            out.append(ids.get(words[at]) or context.id(words, at))
        context.finish(about, out, words)
        return True

    def immediate(self, words: list[str], at: int) -> int:
        """An instruction that `!n` starts: words as they come, to the end of the statement."""
        out: list[int] = []
        while at < len(words):
            self.context.any_word(out, words, at)
            at += 1
        self.context.out.extend(out)
        return at

    def unknown(self, words: list[str], head: int) -> int:
        """OpUnknown(opcode, word count) and its words."""
        if head:
            raise Fault("RK0203", "OpUnknown has its result among its words, not before it", 0)
        numbers: list[int] = []
        for at, expected in enumerate(("(", "", ",", "", ")"), 1):
            if at >= len(words):
                raise Fault("RK0204", f"expected {expected or 'a number'} after {words[-1]}", at)
            if expected == "":
                value = read_integer(words[at])
                if value is None or not 0 <= value <= 0xFFFF:
                    raise Fault("RK0207", f"expected a number of 16 bits, found {words[at]}", at)
                numbers.append(value)
            elif words[at] != expected:
                raise Fault("RK0201", f"expected {expected}, found {words[at]}", at)
        code, size = numbers
        if size == 0:
            raise Fault("RK0207", "an instruction has at least one word", 4)
        out = [size << 16 | code]
        at = head + 6
        while at < head + 5 + size:
            if at >= len(words):
                raise Fault("RK0204", f"expected {size - 1} words after OpUnknown, found {at - head - 6}", at)
            self.context.any_word(out, words, at)
            at += 1
        self.context.out.extend(out)
        return at


@final
class _Plain:
    """How many words may follow the opcode of an instruction whose operands are all ids."""

    __slots__ = ("least", "most")

    def __init__(self, least: int, most: int) -> None:
        self.least = least
        self.most = most


def _plain(about: OpInfo) -> _Plain | None:
    least = most = 1 if about.has_type else 0
    if about.group == "Type-Declaration":
        return None
    for spec in about.operands:
        if spec.form != ID:
            return None
        most = MAX_WORDS if spec.quantifier == "*" else most + 1
        least += spec.quantifier == ""
    return _Plain(least, most)
