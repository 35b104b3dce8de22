"""Ids of a binary as values: an object for every result id, and operands along the grammar.

    %7 = OpLoad %f32 %p      row -> type(row): the value of %f32;  operands(row, code): [the value of %p]

Ids may be used before they are defined, so objects come first. What an operand may not be is a fault with the word's
offset; a reader goes on until there are MAX_FAULTS.
"""

from typing import Final, final

from reknit.ir import op, opcodes
from reknit.ir.block import Block
from reknit.ir.debug import EXT_INSTS
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.operands import RAW, decode, is_id, string_at
from reknit.ir.value import Value
from reknit.source.columns import i64
from reknit.source.diagnostic import Diagnostic, Note
from reknit.source.place import Place
from reknit.spirv.form.extended_sets import ANY, extended_set
from reknit.spirv.form.patterns import FIRST_ENUM, NOT_ASKED, STRING, STRING_AND_IDS, Patterns, patterns
from reknit.spirv.words import Columns, unknown_row, word_at, words_of

MAX_FAULTS: Final = 20

_BY_GRAMMAR: Final = 0
_WORDS: Final = 1
_TEXT: Final = 2
_ODD_PLACES: Final = 0x2AAAAAAAAAAAAAAA
_NONE_YET: Final[list[Operand]] = []  # of instructions that are still to be read


@final
class Objects:
    __slots__ = ("columns", "path", "values", "faults", "patterns", "ids", "last")

    def __init__(self, columns: Columns, path: str) -> None:
        self.columns = columns
        self.path = path
        self.values: list[Value | None] = [None] * columns.bound
        self.faults: list[Diagnostic] = []
        self.patterns: Patterns = patterns()
        self.ids: i64 = 0  # of the instruction that is being read: which words are ids,
        self.last: i64 = 0  # and the last word that has a bit of its own
        self._create()

    def fault(self, code: str, message: str, row: int, word: int = 0) -> None:
        """`word` counts from the start of the instruction in `row`."""
        at = int(self.columns.at[row]) + word
        about = opcodes.info(self.columns.op[row])
        name = f"Op{about.name}" if about is not None else f"opcode {self.columns.op[row]}"
        self.faults.append(Diagnostic(code, f"{name}: {message}", Place(self.path, word=at)))

    def full(self) -> bool:
        return len(self.faults) >= MAX_FAULTS

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
            if code == op.Label:
                values[result] = _with_id(Block(), result)
            elif code == op.Function:
                values[result] = _with_id(Function(void, void), result)
            else:
                values[result] = _with_id(Instr(code, None, _NONE_YET), result)

    def value(self, word: int, row: int, at: int) -> Value | None:
        value = self.values[word] if 0 < word < len(self.values) else None
        if value is None:
            limit = len(self.values)
            why = "is not defined" if 0 < word < limit else f"is not between 1 and the bound {limit}"
            self.fault("RK0110", f"id %{word} {why}", row, at)
            unknown = unknown_row(self.columns) if len(self.faults) < MAX_FAULTS else -1
            if unknown >= 0:
                place = Place(self.path, word=int(self.columns.at[unknown]))
                said = f"opcode {self.columns.op[unknown]} is not known here: such an instruction may define it"
                self.faults[-1].notes.append(Note(said, place))
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
        columns = self.columns
        at: i64 = i64(columns.at[row])
        first: i64 = 1
        if columns.result[row] != 0:
            first = 3 if columns.type[row] != 0 else 2
        count: i64 = i64(columns.size[row]) - first
        shape = self._shape(row, code, at + first, count)
        if shape == _BY_GRAMMAR:
            return self._decoded(row, code, words_of(columns, row))
        data = columns.data
        values = self.values
        bound: i64 = len(values)
        ids: i64 = self.ids
        last: i64 = self.last
        words: i64 = count if shape == _WORDS else last + 1
        operands: list[Operand] = [0] * int(words if shape == _WORDS else words + 1)  # one that grows would keep room
        known: i64 = 0
        place: i64 = 0
        while place < words:
            word: i64 = word_at(data, at + first + place)
            if (ids >> (place if place < last else last)) & 1 == 0:
                operands[known] = int(word)
                known += 1
            else:
                value = values[word] if 0 < word < bound else None
                if value is None:
                    value = self.value(int(word), row, int(first + place))
                if value is not None:
                    operands[known] = value
                    known += 1
            place += 1
        if shape == _TEXT:
            operands[known] = data[4 * (at + first + words) : 4 * (at + first + count)].split(b"\0", 1)[0].decode(
                "utf-8", "surrogateescape"
            )
            known += 1
        if known < len(operands):
            del operands[known:]
        return operands

    def _shape(self, row: int, code: int, first: i64, count: i64) -> int:
        """Whether the `count` words from `first` on are numbers and ids, by the bits of `ids` up to `last`, which holds
        for the rest; whether a string follows the last; or whether only the grammar tells."""
        known = self.patterns
        if code >= known.codes:
            return _BY_GRAMMAR
        if known.count[code] == NOT_ASKED:
            known.learn(code)
        fixed: i64 = i64(known.count[code])
        if fixed < 0:
            return self._odd_shape(row, code, count)
        tail: i64 = i64(known.tail[code])
        ids: i64 = known.ids[code]
        if count < i64(known.least[code]):
            return _BY_GRAMMAR
        self.ids = ids
        self.last = fixed - 1
        if code == op.ExtInst:
            return _WORDS if self._takes_ids(first, count) else _BY_GRAMMAR
        if count <= fixed:
            return _BY_GRAMMAR if tail in (STRING, STRING_AND_IDS) or known.needed[code] != 0 else _WORDS
        if known.repeats[code] != 0:
            return _WORDS
        if tail == STRING:
            data = self.columns.data
            end = data.find(b"\0", 4 * (first + fixed), 4 * (first + count))
            return _TEXT if end >= 0 and end // 4 == first + count - 1 else _BY_GRAMMAR
        if tail >= FIRST_ENUM and fixed < 8:
            brings: i64 = known.parameters(tail, int(word_at(self.columns.data, first + fixed)))
            if brings >= 0 and fixed + 1 + (brings & 255) == count:
                self.ids = ids | (brings >> 8) << (fixed + 1)
                self.last = count - 1
                return _WORDS
        return _BY_GRAMMAR

    def _odd_shape(self, row: int, code: int, count: i64) -> int:
        """Of opcodes without a pattern, the frequent ones."""
        self.last = 0
        self.ids = 0
        if code == op.Phi:
            self.ids = 1
            return _WORDS if count % 2 == 0 else _BY_GRAMMAR
        if code == op.Constant or code == op.SpecConstant:
            return _WORDS if count == self.literal_words(row, code, []) else _BY_GRAMMAR
        if code == op.Switch and count == 2:
            self.ids = 1
            return _WORDS
        if code == op.Switch and count % 2 == 0 and count < 60:
            self.last = count - 1
            self.ids = 0b11 | _ODD_PLACES
            first = int(word_at(self.columns.data, i64(self.columns.at[row]) + 1))
            return _WORDS if self.literal_words(row, code, [first]) == 1 else _BY_GRAMMAR
        return _BY_GRAMMAR

    def _takes_ids(self, first: i64, count: i64) -> bool:
        """Whether an instruction of an extended set takes as many ids as it has."""
        data = self.columns.data
        imported = self.values[word_at(data, first)] if word_at(data, first) < len(self.values) else None
        if not isinstance(imported, Instr) or imported.op != op.ExtInstImport or not imported.operands:
            return False
        shape = extended_set(imported.text(0)).shape(int(word_at(data, first + 1)))
        given: i64 = count - 2
        return shape >= 0 and given >= (shape & 255) and (shape >> 8 == ANY or given <= shape >> 8)

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
                if item.kind == RAW and about is not None and not _carries_extra(about):
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


def _with_id(value: Value, id: int) -> Value:
    value.id = id
    return value


def _carries_extra(about: opcodes.OpInfo) -> bool:
    """Only instructions with enumerants, which may be newer than the grammar, may have words it can't place."""
    return any(spec.form in (opcodes.VALUE, opcodes.MASK, opcodes.OPCODE) for spec in about.operands)
