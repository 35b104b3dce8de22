"""A SPIR-V binary as assembly, letter for letter what spirv-dis prints.

    ; SPIR-V
    ; Version: 1.6
                   OpCapability Shader
              %3 = OpTypeFunction %void          "=" stands in one column, and so does "Op"

An instruction that does not follow the grammar (an opcode or enumerant that it lacks, too few or too many words) prints
as `OpUnknown(opcode, word count) word ...`, as spirv-dis --handle-unknown-opcodes has it, and assembles to what it was.
"""

import sys
from array import array
from typing import Final, final

from reknit.ir import op
from reknit.ir.debug import EXT_INSTS
from reknit.ir.opcodes import (
    ID,
    WORD,
    OpInfo,
    enum_name,
    ext_set,
    generator_name,
    info,
    is_enum,
    kind,
)
from reknit.ir.operands import RAW, decode, is_id, string_at
from reknit.spirv.extinst import imports
from reknit.spirv.names import NAMING, Names
from reknit.spirv.numbers import SINGLE, float_text
from reknit.spirv.scalars import Scalar, constant_text, scalar_of
from reknit.spirv.words import Columns, parse

INDENT: Final = 15  # columns before "Op"
_UNKNOWN_NOTE: Final = "  ; note: ID bound may be incorrect after reassembly"


def disassemble(
    data: bytes, *, friendly: bool = True, indent: bool = True, header: bool = True, file: str = "<module>"
) -> str:
    """The text of a binary of either endianness. Raises InputError where its words are no instructions (RK01xx).

    `friendly=False` prints ids as numbers, as spirv-dis --raw-id does. Bytes of strings that are not UTF-8 are lone
    surrogates in the text: write it with errors="surrogateescape" to have them back.
    """
    columns = parse(data, file)
    return _Printer(columns, INDENT if indent else 0).print(friendly, header)


def header_lines(columns: Columns) -> list[str]:
    """The comment lines above the instructions."""
    tool = columns.generator >> 16
    return [
        "; SPIR-V",
        f"; Version: {columns.version >> 16 & 0xFF}.{columns.version >> 8 & 0xFF}",
        f"; Generator: {generator_name(tool) or f'Unknown({tool})'}; {columns.generator & 0xFFFF}",
        f"; Bound: {columns.bound}",
        f"; Schema: {columns.schema}",
    ]


@final
class _Ids(dict[int, str]):
    """Id -> "%name"; an id without a name is its number."""

    def __missing__(self, id: int) -> str:
        return f"%{id}"


@final
class _Decimals(dict[int, str]):
    """Every word as a number."""

    def __missing__(self, word: int) -> str:
        return str(word)


@final
class _Plan:
    """How an opcode's operands print when each takes one word: a table for each, and one for all further words.

    `least` and `most` are the word counts that this holds for; others are walked along the grammar.
    """

    __slots__ = ("about", "name", "skip", "tables", "tail", "least", "most")

    def __init__(self, about: OpInfo, ids: dict[int, str]) -> None:
        self.about = about
        self.name = "Op" + about.name
        self.skip = 1 + about.has_type + about.has_result
        self.tables: list[dict[int, str]] = []
        self.tail: dict[int, str] = ids
        self.least = 0
        self.most = 0
        for spec in about.operands:
            if spec.form not in (ID, WORD) or spec.kind == "LiteralFloat":
                if spec.quantifier == "":
                    self.most = -1
                break
            table = ids
            if spec.form == WORD:
                known = kind(spec.kind)
                table = known.values()
                if known.category == "Literal":
                    table = _Decimals()
            if spec.quantifier == "*":
                self.tail = table
                self.most = 0xFFFF
                break
            self.tables.append(table)
            self.most += 1
            if spec.quantifier == "":
                self.least += 1


@final
class _Printer:
    """One run over a module: every instruction is seen twice, once for names and once for text."""

    def __init__(self, columns: Columns, indent: int) -> None:
        self.columns = columns
        self.indent = indent
        self.words = array("I", columns.data)
        if sys.byteorder == "big":
            self.words.byteswap()
        self.sets = imports(columns)
        self.scalars: dict[int, Scalar] = {}  # type id -> what it is, if a number
        self.plans: dict[int, _Plan | None] = {}
        self.ids = _Ids()

    def print(self, friendly: bool, header: bool) -> str:
        rows = list(zip(self.columns.op, self.columns.at, self.columns.size, strict=True))
        self.name_ids(rows, friendly)
        lines = header_lines(self.columns) if header else []
        for code, at, size in rows:
            lines.append(self.line(code, at, size))
        lines.append("")
        return "\n".join(lines)

    def plan(self, code: int) -> _Plan | None:
        if code in self.plans:
            return self.plans[code]
        about = info(code)
        plan = _Plan(about, self.ids) if about is not None else None
        self.plans[code] = plan
        return plan

    def name_ids(self, rows: list[tuple[int, int, int]], friendly: bool) -> None:
        """Learn the number types, and where wanted the names."""
        words = self.words
        names = Names()
        for (code, at, size), result, type in zip(rows, self.columns.result, self.columns.type, strict=True):
            if code in (op.TypeInt, op.TypeFloat):
                scalar = scalar_of(code, words[at + 2 : at + size].tolist())
                if scalar is not None:
                    self.scalars[result] = scalar
            if friendly and code in NAMING:
                plan = self.plan(code)
                if plan is not None and self.operands(plan, code, at, size) is not None:
                    names.learn(code, result, type, words[at + plan.skip : at + size].tolist(), self.scalars.get(type))
            elif friendly and result:
                names.save(result, str(result))
        for id, name in names.by_id.items():
            self.ids[id] = "%" + name

    def line(self, code: int, at: int, size: int) -> str:
        plan = self.plan(code)
        parts = self.operands(plan, code, at, size) if plan is not None else None
        if plan is None or parts is None:
            raw = [f"OpUnknown({code}, {size})", *map(str, self.words[at + 1 : at + size])]
            return " " * self.indent + " ".join(raw) + _UNKNOWN_NOTE
        about = plan.about
        if not about.has_result:
            return " " * self.indent + " ".join([plan.name, *parts])
        if about.has_type:
            parts.insert(0, self.ids[self.words[at + 1]])
        result = self.ids[self.words[at + plan.skip - 1]]
        return result.rjust(self.indent - 3) + " = " + " ".join([plan.name, *parts])

    def operands(self, plan: _Plan, code: int, at: int, size: int) -> list[str] | None:
        """The texts of an instruction's operands; None where they don't follow the grammar."""
        words = self.words[at + plan.skip : at + size].tolist()
        count = len(words)
        if plan.least <= count <= plan.most:
            try:
                parts = [table[word] for table, word in zip(plan.tables, words, strict=False)]
                if count > len(parts):
                    tail = plan.tail
                    parts += [tail[word] for word in words[len(parts) :]]
                return parts
            except KeyError:  # a mask of several bits, or an enumerant that the grammar lacks
                pass
        return self.decoded(plan.about, code, at, words)

    def decoded(self, about: OpInfo, code: int, at: int, words: list[int]) -> list[str] | None:
        """Walk the grammar, word for word."""
        scalar: Scalar | None = None
        set_name = ""
        if code in (op.Constant, op.SpecConstant):
            scalar = self.scalars.get(self.words[at + 1])
        elif code == op.Switch and words:
            scalar = self.scalars.get(self.type_of(words[0]))
        elif code in EXT_INSTS and words:
            set_name = self.sets.get(words[0], "")
        parts: list[str] = []
        for operand in decode(about, words, scalar.words if scalar is not None else 1, set_name):
            text = self.said(operand.kind, words, operand.start, operand.count, scalar, set_name)
            if text is None:
                return None
            parts.append(text)
        return parts

    def type_of(self, id: int) -> int:
        """The type id of a value, 0 where it has none."""
        if id >= self.columns.bound:
            return 0
        row = int(self.columns.definition[id])
        return self.columns.type[row] if row >= 0 else 0

    def said(
        self, name: str, words: list[int], start: int, count: int, scalar: Scalar | None, set_name: str
    ) -> str | None:
        """One operand as text; None where the grammar has no word for it."""
        if count == 0 or name == RAW:
            return None
        word = words[start]
        if is_id(name):
            return self.ids[word]
        if is_enum(name):
            text = enum_name(name, word)
            return None if text[:1].isdigit() and kind(name).of_value(word) is None or "|0x" in text else text
        if name == "LiteralInteger":
            return str(word)
        if name == "LiteralString":
            escaped = string_at(words, start, count).replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        if name == "LiteralContextDependentNumber":
            if scalar is None or not scalar.writable or count != scalar.words:
                return None
            return constant_text(words[start : start + count], scalar)
        if name == "LiteralExtInstInteger":
            return self.ext_inst_name(set_name, word)
        if name == "LiteralSpecConstantOpInteger":
            inner = info(word)
            return inner.name if inner is not None else None
        return float_text(word, SINGLE)  # LiteralFloat, the only kind left

    def ext_inst_name(self, set_name: str, number: int) -> str | None:
        """The instruction's name, or its number in sets that are not known or may grow."""
        imported = ext_set(set_name)
        if imported is None:
            return str(number) if set_name else None
        inst = imported.by_number.get(number)
        if inst is not None:
            return inst.name
        return str(number) if imported.nonsemantic else None
