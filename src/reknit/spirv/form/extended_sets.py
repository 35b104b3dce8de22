"""Extended instructions in columns: how many operands they take, and of which types (`ir.extended`).

    GLSL.std.450    FMix: its signature        NonSemantic.DebugPrintf    DebugPrintf: at least 1        unknown    any
"""

from typing import Final, final

from reknit.ir import extended, op, opcodes
from reknit.ir.extended import (
    DEPTH,
    FLOAT,
    INT,
    MATRIX,
    NOTHING,
    OPEN,
    OPEN_TYPES,
    OTHER,
    POINTER,
    STRUCT,
    VOID,
    Given,
    Shape,
    Surroundings,
)
from reknit.ir.operands import string_at
from reknit.source.columns import i64, read_i32_le
from reknit.spirv.form import kinds
from reknit.spirv.form.types import WIDTHS, Types
from reknit.spirv.words import Columns, word_at, words_of

ODD_OPERANDS: Final = -1
ANY: Final = 255
_MAX_KNOWN: Final = 10_000


@final
class ExtendedSet:
    """An imported set of instructions. `shapes` has for each number the least and the most operands that it takes, all
    of them ids: least, and 256 times the most (ANY for any number); ODD_OPERANDS for what is not so simple."""

    __slots__ = ("name", "judged", "void", "shapes")

    def __init__(self, name: str) -> None:
        self.name = name
        self.judged = extended.is_judged(name)
        self.void = opcodes.floats_by(name)  # what does nothing gives nothing
        self.shapes: dict[int, int] = {}

    def shape(self, number: int) -> int:
        known = self.shapes.get(number)
        if known is None:
            known = self._ask(number)
            if len(self.shapes) < _MAX_KNOWN:
                self.shapes[number] = known
        return known

    def _ask(self, number: int) -> int:
        imported = opcodes.ext_set(self.name)
        inst = imported.by_number.get(number) if imported is not None else None
        if imported is None or inst is None:
            return ANY << 8
        least = 0
        most = ANY if imported.nonsemantic else 0
        for spec in inst.operands:
            if spec.form != opcodes.ID:
                return ODD_OPERANDS
            least += 1 if spec.quantifier == "" else 0
            most = ANY if most == ANY or spec.quantifier == "*" else most + 1
        return least | most << 8


_SETS: Final[dict[str, ExtendedSet]] = {}


def extended_set(name: str) -> ExtendedSet:
    """The set of this name, of which a process remembers what was asked."""
    return _SETS.setdefault(name, ExtendedSet(name)) if len(_SETS) < 100 else ExtendedSet(name)


@final
class Signatures:
    """What the signatures say of a module's instructions. `verdicts` by what they depend on: set and number, types,
    literals."""

    __slots__ = ("types", "around", "shapes", "verdicts")

    def __init__(self, types: Types) -> None:
        self.types = types
        self.around: Surroundings | None = None
        self.shapes: dict[int, Shape] = {}
        self.verdicts: dict[tuple[int, ...], bool] = {}

    def keeps(self, of: ExtendedSet, row: i64, first: i64, end: i64) -> bool:
        """Whether an instruction of a set that is judged, words `first` to `end`, is as its signature has it."""
        data = self.types.data
        inst = extended.instruction(of.name, int(word_at(data, first + 1)))
        if inst is None:
            return False
        literals = 0
        for index, spec in enumerate(inst.operands):
            if spec.form != opcodes.ID:
                literals |= 1 << index
        key = [int(read_i32_le(data, 4 * first)), inst.number, int(self.types.columns.type[row])]
        at: i64 = first + 2
        place = 0
        while at < end:
            if literals >> place & 1:
                key.append(int(word_at(data, at)))
            else:
                value: i64 = i64(read_i32_le(data, 4 * at))
                if not self.types.may_be_named(value):
                    return False
                key.append(int(self.types.type_of[value]))
            at += 1
            place += 1
        known = self.verdicts.get(tuple(key))
        if known is None:
            given: list[Given] = [
                each if literals >> index & 1 else self.shape(each) for index, each in enumerate(key[3:])
            ]
            known = not extended.fault(of.name, inst.number, self.shape(key[2]), given, self._surroundings())
            if len(self.verdicts) < _MAX_KNOWN:
                self.verdicts[tuple(key)] = known
        return known

    def _surroundings(self) -> Surroundings:
        if self.around is None:
            self.around = surroundings(self.types.columns)
        return self.around

    def shape(self, type: int) -> Shape:
        """Of a type's id."""
        known = self.shapes.get(type)
        if known is None:
            known = self._made(i64(type), DEPTH)
            self.shapes[type] = known
        return known

    def _made(self, type: i64, deep: int) -> Shape:
        types = self.types
        kind: i64 = types.shape[type] if 0 < type < types.columns.bound else 0
        if kind > 0:
            return self._numeric(type, kind)
        code = int(-kind)
        row: i64 = i64(types.columns.definition[type]) if kind != 0 else 0
        at: i64 = i64(types.columns.at[row]) + 2 if kind != 0 else 0
        size = int(types.columns.size[row]) - 2 if kind != 0 else 0
        if code == 0 or code == op.TypeVoid:
            return Shape(VOID) if code else NOTHING
        if code in OPEN_TYPES:
            return Shape(OPEN)
        if code == op.TypeMatrix:
            column: i64 = i64(read_i32_le(types.data, 4 * at))
            inner = self._numeric(column, types.shape[column]) if types.shape[column] > 0 else NOTHING
            shape = Shape(MATRIX, inner.width, int(word_at(types.data, at + 1)))
            shape.parts = [inner]
            return shape
        if code == op.TypePointer or code == op.TypeUntypedPointerKHR:
            shape = Shape(POINTER)
            shape.storage = int(word_at(types.data, at))
            shape.parts = self._parts(at + 1, 1 if code == op.TypePointer else 0, deep)
            return shape
        shape = Shape(STRUCT if code == op.TypeStruct else OTHER, 0, size)
        if code == op.TypeStruct or code == op.TypeArray:
            shape.parts = self._parts(at, min(size, 2) if code == op.TypeStruct else 1, deep)
        return shape

    def _numeric(self, type: i64, kind: i64) -> Shape:
        """A bool is no number here; a vector's sign is its component's."""
        if kind & kinds.BOOL:
            return Shape(OTHER)
        types = self.types
        shape = Shape(INT if kind & kinds.INT else FLOAT, int((kind & WIDTHS) >> 3), int(kind >> 20))
        if shape.kind == INT:
            row: i64 = i64(types.columns.definition[type])
            if shape.count != 1:
                row = i64(types.columns.definition[i64(read_i32_le(types.data, 4 * i64(types.columns.at[row]) + 8))])
            shape.signed = word_at(types.data, i64(types.columns.at[row]) + 3) == 1
        return shape

    def _parts(self, at: i64, count: int, deep: int) -> list[Shape]:
        if deep == 0:
            return []
        return [self._made(i64(read_i32_le(self.types.data, 4 * (at + part))), deep - 1) for part in range(count)]


def surroundings(columns: Columns) -> Surroundings:
    """What the module declares that signatures depend on."""
    addressing = 0
    names: list[str] = []
    for row, code in enumerate(columns.op):
        if code == op.MemoryModel:
            addressing = int(word_at(columns.data, i64(columns.at[row]) + 1))
            break
        if code == op.Extension:
            words = words_of(columns, row)
            names.append(string_at(words, 0, len(words)))
    return Surroundings(addressing, names)
