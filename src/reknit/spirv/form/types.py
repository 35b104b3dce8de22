"""Types in columns: what each is, and the type of each value.

    shape[t]     what type t is: kind, width and count of a scalar or vector; -opcode of another; 0 for no type
    type_of[v]   the id of value v's type; 0 where it has none
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.flat_graph import filled
from reknit.source.columns import i32, i64, read_i32_le, vec
from reknit.spirv.form import kinds
from reknit.spirv.form.patterns import Patterns, patterns
from reknit.spirv.words import Columns, word_at

_WIDEST: Final = 1024
_MAX_LENGTH: Final = 1024
_ONE: Final = 1 << 20  # a count of one
WIDTHS: Final = _ONE - 1
_U32: Final = kinds.INT | 32 << 3 | _ONE
ANYTHING: Final = -1
_VOID: Final = -op.TypeVoid


@final
class Types:
    """A shape is the kind (kinds.BOOL, INT, FLOAT), 8 times the width, and 1 << 20 times the count."""

    __slots__ = ("columns", "data", "first_function", "patterns", "shape", "type_of")

    def __init__(self, columns: Columns, first_function: i64) -> None:
        self.columns = columns
        self.first_function: i64 = first_function
        self.data = columns.data
        self.patterns: Patterns = patterns()
        bound: i64 = columns.bound
        self.shape: vec[i64] = filled(bound, 0)
        self.type_of: vec[i64] = filled(bound, 0)
        rows: i64 = len(columns.op)
        row: i64 = 0
        types = columns.type
        results = columns.result
        type_of = self.type_of
        while row < rows:
            if types[row] != 0 and columns.op[row] != op.Function:
                type_of[i64(results[row])] = i64(types[row])
            row += 1
        self.type_of = type_of

    # --- what the module declares -------------------------------------------------------------------------------------

    def declare(self, row: i64, code: i64) -> bool:
        """Take in a type, which stands before all functions; whether it is one that there can be."""
        columns = self.columns
        number: i64 = i64(columns.result[row])
        at: i64 = i64(columns.at[row])
        size: i64 = i64(columns.size[row])
        shape: i64 = -code
        if code == op.TypeBool:
            shape = kinds.BOOL | 1 << 3 | _ONE
        elif code == op.TypeInt or (code == op.TypeFloat and size == 3):
            width: i64 = word_at(self.data, at + 2)
            if width == 0 or width > _WIDEST:
                return False
            shape = (kinds.INT if code == op.TypeInt else kinds.FLOAT) | width << 3 | _ONE
        elif code == op.TypeVector:
            element: i64 = self.shape[i64(read_i32_le(self.data, 4 * at + 8))]
            count: i64 = word_at(self.data, at + 3)
            if count != 2 and count != 3 and count != 4 and count != 8 and count != 16:
                return False
            if element > 0 and element >> 20 == 1:
                shape = (element & WIDTHS) | count << 20
        elif code == op.TypeArray:
            length: i64 = i64(columns.definition[i64(read_i32_le(self.data, 4 * at + 12))])
            if columns.op[length] == op.Constant and self.number(length) <= 0:
                return False
        self.shape[number] = shape
        return True

    def is_value(self, value: i64) -> bool:
        """Whether an id is of a value: it has a type, and that is not void."""
        shape: i64 = self.shape[self.type_of[value]]
        return shape != 0 and shape != _VOID

    def may_be_named(self, value: i64) -> bool:
        """Whether an id may be an operand in a block at all: it is defined, is no label, and not of what stands outside
        of the blocks of functions."""
        columns = self.columns
        if value <= 0 or value >= columns.bound:
            return False
        defined: i64 = i64(columns.definition[value])
        if defined < 0:
            return False
        code: i32 = columns.op[defined]
        return code != op.Label and (
            code != op.ExtInst or columns.block[defined] >= 0 or defined < self.first_function
        )

    def shape_of(self, value: i64) -> i64:
        """The shape of a value's type."""
        return self.shape[self.type_of[value]]

    # --- parts of types -----------------------------------------------------------------------------------------------

    def pointee(self, pointer: i64) -> i64:
        """The type that a value points to, ANYTHING where its pointer does not say; 0 for what is no pointer."""
        type: i64 = self.type_of[pointer]
        if self.shape[type] != -op.TypePointer:
            return ANYTHING if self.shape[type] == -op.TypeUntypedPointerKHR else 0
        return i64(read_i32_le(self.data, 4 * i64(self.columns.at[i64(self.columns.definition[type])]) + 12))

    def member(self, type: i64, number: i64) -> i64:
        """The type of member `number` of a struct, of the elements of any other composite; 0 where there is none."""
        columns = self.columns
        declared: i64 = i64(columns.definition[type])
        at: i64 = i64(columns.at[declared])
        code: i32 = columns.op[declared]
        count: i64 = 0
        if code == op.TypeStruct:
            if number >= i64(columns.size[declared]) - 2:
                return 0
            return i64(read_i32_le(self.data, 4 * (at + 2 + number)))
        if code == op.TypeVector or code == op.TypeMatrix:
            count = word_at(self.data, at + 3)
        elif code == op.TypeArray:
            length: i64 = i64(columns.definition[i64(read_i32_le(self.data, 4 * at + 12))])
            count = self.number(length) if columns.op[length] == op.Constant else number + 1
        elif code == op.TypeRuntimeArray:
            count = number + 1
        return i64(read_i32_le(self.data, 4 * at + 8)) if number < count else 0

    def number(self, row: i64) -> i64:
        """What a constant of 32 bits is, if it is no less than 0 as a signed one; -1 for anything else."""
        columns = self.columns
        if columns.op[row] != op.Constant or self.shape[i64(columns.type[row])] != _U32:
            return -1
        value: i64 = i64(read_i32_le(self.data, 4 * i64(columns.at[row]) + 12))
        return value if value >= 0 else -1

    def part(self, type: i64, first: i64, end: i64) -> i64:
        """The type that literal indices lead to; 0 where they lead nowhere."""
        at: i64 = first
        part: i64 = type
        while at < end and part != 0:
            part = self.member(part, word_at(self.data, at))
            at += 1
        return part

    def size(self, type: i64) -> i64:
        """Of a matrix, vector or scalar of floats: rows, 1 << 20 times the columns, 1 << 40 times the width; else 0."""
        shape: i64 = self.shape[type]
        columns: i64 = 1
        if shape == -op.TypeMatrix:
            declared: i64 = i64(self.columns.at[i64(self.columns.definition[type])])
            columns = word_at(self.data, declared + 3)
            shape = self.shape[i64(read_i32_le(self.data, 4 * declared + 8))]
        if shape <= 0 or not shape & kinds.FLOAT or columns > _MAX_LENGTH:
            return 0
        return shape >> 20 | columns << 20 | ((shape & WIDTHS) >> 3) << 40

    def all_may_be_named(self, code: i64, first: i64, end: i64) -> bool:
        """Whether all ids that the pattern has may stand there, whatever they are of."""
        ids: i64 = self.patterns.ids[code]
        last: i64 = i64(self.patterns.count[code]) - 1
        place: i64 = 0
        at: i64 = first
        while at < end and (place <= last or self.patterns.repeats[code] != 0):
            is_id = (ids >> (place if place < last else last)) & 1 != 0
            if is_id and not self.may_be_named(i64(read_i32_le(self.data, 4 * at))):
                return False
            place += 1
            at += 1
        return True
