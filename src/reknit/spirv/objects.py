"""Ids of a binary as values: an object for every result id, and operands along the grammar.

    %7 = OpLoad %f32 %p      row -> type(row): the value of %f32;  operands(row, code): [the value of %p]

Ids may be used before they are defined, so objects come first. What an operand may not be is a fault with the word's
offset; a reader goes on until there are MOST_FAULTS.
"""

from typing import Final, final

from reknit.ir import op, opcodes
from reknit.ir.block import Block
from reknit.ir.debug import EXT_INSTS
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.operands import RAW, decode, is_id, string_at
from reknit.ir.value import Value
from reknit.source.diagnostic import Diagnostic
from reknit.source.place import Place
from reknit.spirv.operand_patterns import Pattern, carries_extra
from reknit.spirv.words import Columns, words_of

MOST_FAULTS: Final = 20


@final
class Objects:
    __slots__ = ("columns", "path", "values", "faults", "patterns")

    def __init__(self, columns: Columns, path: str) -> None:
        self.columns = columns
        self.path = path
        self.values: list[Value | None] = [None] * columns.bound
        self.faults: list[Diagnostic] = []
        self.patterns: dict[int, Pattern] = {}
        self._create()

    def fault(self, code: str, message: str, row: int, word: int = 0) -> None:
        """`word` counts from the start of the instruction in `row`."""
        at = int(self.columns.at[row]) + word
        about = opcodes.info(self.columns.op[row])
        name = f"Op{about.name}" if about is not None else f"opcode {self.columns.op[row]}"
        self.faults.append(Diagnostic(code, f"{name}: {message}", Place(self.path, word=at)))

    def full(self) -> bool:
        return len(self.faults) >= MOST_FAULTS

    def _create(self) -> None:
        """An object for every result id, so that operands can refer forward."""
        columns = self.columns
        values = self.values
        void = Instr(op.TypeVoid, None, [])  # stands in until the function's own types are read
        for row in range(len(columns.op)):
            result = int(columns.result[row])
            if result == 0:
                continue
            code = int(columns.op[row])
            value: Value
            if code == op.Label:
                value = Block()
            elif code == op.Function:
                value = Function(void, void)
            else:
                value = Instr(code, None, [])
            value.id = result
            values[result] = value

    def value(self, word: int, row: int, at: int) -> Value | None:
        value = self.values[word] if 0 < word < len(self.values) else None
        if value is None:
            limit = len(self.values)
            why = "is not defined" if 0 < word < limit else f"is not between 1 and the bound {limit}"
            self.fault("RK0110", f"id %{word} {why}", row, at)
        return value

    def type(self, row: int) -> Instr | None:
        word = int(self.columns.type[row])
        if word == 0:
            return None
        declared = self.value(word, row, 1)
        if isinstance(declared, Instr) and declared.type is None and int(self.columns.definition[word]) < row:
            return declared
        if declared is not None:
            self.fault("RK0112", f"%{word} is not a type defined before it", row, 1)
        return None

    def operands(self, row: int, code: int) -> list[Operand]:
        pattern = self.patterns.get(code)
        if pattern is None:
            pattern = Pattern(opcodes.info(code))
            self.patterns[code] = pattern
        columns = self.columns
        words = words_of(columns, row)
        count = len(words)
        simple = pattern.simple
        if count < pattern.least or (count > len(simple) and not pattern.repeats):
            return self._decoded(row, code, words)
        first = int(columns.size[row]) - count
        operands: list[Operand] = [0] * count  # a list that grows would keep room to grow
        known = 0
        last = len(simple) - 1
        for index in range(count):
            word = words[index]
            if simple[index if index < last else last]:
                value = self.value(word, row, first + index)
                if value is None:
                    continue
                operands[known] = value
            else:
                operands[known] = word
            known += 1
        if known < count:
            del operands[known:]
        return operands

    def _decoded(self, row: int, code: int, words: list[int]) -> list[Operand]:
        """Operands by the grammar: strings, enumerants with operands of their own, literals of several words."""
        about = opcodes.info(code)
        operands: list[Operand] = []
        first = int(self.columns.size[row]) - len(words)
        for item in decode(about, words, self.literal_words(row, code, words), self._set_name(code, words)):
            if item.count == 0:
                self.fault("RK0111", f"it ends before its {item.kind}", row)
            elif is_id(item.kind):
                value = self.value(words[item.start], row, first + item.start)
                if value is not None:
                    operands.append(value)
            elif item.kind == "LiteralString":
                operands.append(string_at(words, item.start, item.count))
            else:
                if item.kind == RAW and about is not None and not carries_extra(about):
                    self.fault("RK0111", "it has more words than its operands take", row, first + item.start)
                    break
                operands.extend(words[item.start : item.start + item.count])
        return operands

    def literal_words(self, row: int, code: int, words: list[int]) -> int:
        """How many words a literal of context-dependent width takes in this instruction."""
        columns = self.columns
        word = 0
        if code == op.Constant or code == op.SpecConstant:
            word = int(columns.type[row])
        elif code == op.Switch and words and 0 < words[0] < len(self.values):
            definition = int(columns.definition[words[0]])
            word = int(columns.type[definition]) if definition >= 0 else 0
        number = self.values[word]
        if isinstance(number, Instr) and number.op in (op.TypeInt, op.TypeFloat) and number.operands:
            return 2 if number.word(0) > 32 else 1
        return 1

    def _set_name(self, code: int, words: list[int]) -> str:
        if code not in EXT_INSTS or not words or not 0 < words[0] < len(self.values):
            return ""
        imported = self.values[words[0]]
        if isinstance(imported, Instr) and imported.op == op.ExtInstImport and imported.operands:
            return imported.text(0)
        return ""
