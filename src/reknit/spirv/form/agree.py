"""Whether the operands of an instruction go with its result, by the kind of its opcode (`kinds`).

What is asked is what `ir.verify.typing` and `ir.verify.shapes` ask of a tree, and where those look away this may doubt:
a doubt is no fault, it has the tree's verifier decide.

Source: SPIR-V 1.6, 3.52.
"""

from typing import Final

from reknit.ir import op
from reknit.source.columns import i64, read_i32_le
from reknit.spirv.form import kinds
from reknit.spirv.form.kinds import SHAPES
from reknit.spirv.form.types import ANYTHING, WIDTHS, Types
from reknit.spirv.words import word_at

_BALLOT: Final = kinds.INT | 32 << 3 | 4 << 20


def agree(types: Types, row: i64, code: i64, kind: i64, first: i64, end: i64) -> bool:
    """Whether the types of an instruction are surely right. Its operands, words `first` to before `end` of the
    module, are as its pattern has them, and its ids are defined."""
    data = types.data
    type: i64 = i64(types.columns.type[row])
    result: i64 = types.shape[type]
    at: i64 = first
    other: i64 = 0
    if kind == kinds.INTEGERS:
        if result <= 0 or not result & kinds.INT:
            return False
        while at < end:
            if types.shape_of(i64(read_i32_le(data, 4 * at))) != result:
                return False
            at += 1
        return True
    if kind == kinds.FLOATS or kind == kinds.BOOLS:
        if result <= 0 or not result & (kinds.FLOAT if kind == kinds.FLOATS else kinds.BOOL):
            return False
        while at < end:
            if types.type_of[i64(read_i32_le(data, 4 * at))] != type:
                return False
            at += 1
        return True
    if kind == kinds.COMPARES_INTEGERS or kind == kinds.COMPARES_FLOATS:
        other = types.shape_of(i64(read_i32_le(data, 4 * at)))
        if result <= 0 or not result & kinds.BOOL or other <= 0 or result >> 20 != other >> 20:
            return False
        wanted: i64 = kinds.INT if kind == kinds.COMPARES_INTEGERS else kinds.FLOAT
        return other & wanted != 0 and types.shape_of(i64(read_i32_le(data, 4 * at + 4))) == other
    if kind == kinds.LOAD or kind == kinds.STORE:
        other = type if kind == kinds.LOAD else types.type_of[i64(read_i32_le(data, 4 * at + 4))]
        pointee: i64 = types.pointee(i64(read_i32_le(data, 4 * at)))
        return other != 0 and pointee in (other, ANYTHING)
    if kind == kinds.CHAIN:
        return _chain(types, code, type, first, end)
    if kind >= kinds.PATTERN:
        return _pattern(types, code, kind - kinds.PATTERN, result, first, end)
    if kind == kinds.EXTRACT:
        return types.part(types.type_of[i64(read_i32_le(data, 4 * at))], first + 1, end) == type
    if kind == kinds.CONSTRUCT:
        return _construct(types, code, type, result, first, end)
    return _agree_more(types, code, kind, type, result, first, end)


def _agree_more(types: Types, code: i64, kind: i64, type: i64, result: i64, first: i64, end: i64) -> bool:
    """What is met less often."""
    data = types.data
    at: i64 = first
    left: i64 = 0
    other: i64 = 0
    if kind == kinds.SELECT:
        left = types.shape_of(i64(read_i32_le(data, 4 * at)))
        if left <= 0 or not left & kinds.BOOL or (left >> 20 != 1 and (result <= 0 or result >> 20 != left >> 20)):
            return False
        other = types.type_of[i64(read_i32_le(data, 4 * at + 4))]
        return other == type and types.type_of[i64(read_i32_le(data, 4 * at + 8))] == type
    if kind == kinds.COPY:
        return types.type_of[i64(read_i32_le(data, 4 * at))] == type
    if kind == kinds.INSERT:
        left = types.type_of[i64(read_i32_le(data, 4 * at))]
        other = types.type_of[i64(read_i32_le(data, 4 * at + 4))]
        return left != 0 and other == type and types.part(other, first + 2, end) == left
    if kind == kinds.VARIABLE:
        declared: i64 = i64(types.columns.definition[type])
        if types.columns.op[declared] != op.TypePointer:
            return False
        storage: i64 = word_at(data, i64(types.columns.at[declared]) + 2)
        return storage == word_at(data, at) and types.all_may_be_named(code, first, end)
    if kind == kinds.CALL:
        return _call(types, type, first, end)
    if kind == kinds.SHUFFLE:
        return _shuffle(types, result, first, end)
    if kind == kinds.MATRICES:
        return _matrices(types, code, type, first, end)
    if kind == kinds.LITERAL:
        if result <= 0 or result & kinds.BOOL or result >> 20 != 1:
            return False
        width: i64 = (result & WIDTHS) >> 3
        return width <= 64 and end - first == (2 if width > 32 else 1)
    if kind == kinds.BALLOT:
        other = first + 1 if code == op.GroupNonUniformBallotBitExtract else end - 1
        if code == op.GroupNonUniformBallot:
            left = types.shape_of(i64(read_i32_le(data, 4 * at + 4)))
            if left <= 0 or not left & kinds.BOOL or left >> 20 != 1:
                return False
        else:
            result = types.shape_of(i64(read_i32_le(data, 4 * other)))
        return result == _BALLOT and types.all_may_be_named(code, first, end)
    if kind == kinds.POINTER:
        return types.pointee(i64(read_i32_le(data, 4 * at))) != 0 and types.all_may_be_named(code, first, end)
    if kind == kinds.BITS:
        left = types.shape_of(i64(read_i32_le(data, 4 * at)))
        if left > 0 and result > 0:
            return ((left & WIDTHS) >> 3) * (left >> 20) == ((result & WIDTHS) >> 3) * (result >> 20)
        return types.is_value(i64(read_i32_le(data, 4 * at)))
    if kind == kinds.CARRY:
        other = types.member(type, 0)
        if types.shape[type] != -op.TypeStruct or other == 0 or types.member(type, 1) != other:
            return False
        if types.columns.size[i64(types.columns.definition[type])] != 4:
            return False
        left = types.type_of[i64(read_i32_le(data, 4 * at))]
        return left == other and types.type_of[i64(read_i32_le(data, 4 * at + 4))] == other
    if kind == kinds.VALUES:
        return _are_values(types, code, first, end)
    return kind == kinds.NONE and types.all_may_be_named(code, first, end)


def _are_values(types: Types, code: i64, first: i64, end: i64) -> bool:
    """Whether all ids are of values; those that an enumerant brings too."""
    ids: i64 = types.patterns.ids[code]
    last: i64 = i64(types.patterns.count[code]) - 1
    place: i64 = 0
    at: i64 = first
    while at < end:
        if place > last and types.patterns.repeats[code] == 0:
            return _are_parameters_values(types, code, at, end)
        is_id = (ids >> (place if place < last else last)) & 1 != 0
        if is_id and not types.is_value(i64(read_i32_le(types.data, 4 * at))):
            return False
        place += 1
        at += 1
    return True


def _are_parameters_values(types: Types, code: i64, first: i64, end: i64) -> bool:
    known = types.patterns.parameters(i64(types.patterns.tail[code]), int(word_at(types.data, first)))
    ids: i64 = i64(known >> 8)
    at: i64 = first + 1
    while at < end:
        if ids & 1 and not types.is_value(i64(read_i32_le(types.data, 4 * at))):
            return False
        ids >>= 1
        at += 1
    return True


def _chain(types: Types, code: i64, type: i64, first: i64, end: i64) -> bool:
    columns = types.columns
    if types.shape[type] != -op.TypePointer:
        return False
    part: i64 = types.pointee(i64(read_i32_le(types.data, 4 * first)))
    if part == ANYTHING:
        return False
    at: i64 = first + 1
    if code != op.AccessChain and code != op.InBoundsAccessChain:
        steps: i64 = types.shape_of(i64(read_i32_le(types.data, 4 * at))) if at < end else 0
        if steps <= 0 or not steps & kinds.INT or steps >> 20 != 1:
            return False
        at += 1
    while at < end and part != 0:
        index: i64 = i64(read_i32_le(types.data, 4 * at))
        shape: i64 = types.shape_of(index)
        if shape <= 0 or not shape & kinds.INT or shape >> 20 != 1:
            return False
        number: i64 = 0
        if types.shape[part] == -op.TypeStruct:
            number = types.number(i64(columns.definition[index]))
            if number < 0:
                return False
        part = types.member(part, number)
        at += 1
    wanted: i64 = i64(columns.at[i64(columns.definition[type])]) + 3
    return part != 0 and part == i64(read_i32_le(types.data, 4 * wanted))


def _construct(types: Types, code: i64, type: i64, result: i64, first: i64, end: i64) -> bool:
    given: i64 = end - first
    at: i64 = first
    if result > 0:  # a vector, of scalars and smaller vectors
        count: i64 = 0
        while at < end:
            shape: i64 = types.shape_of(i64(read_i32_le(types.data, 4 * at)))
            if shape <= 0 or shape & WIDTHS != result & WIDTHS:
                return False
            count += shape >> 20
            at += 1
        return count == result >> 20 and result >> 20 > 1
    declared: i64 = i64(types.columns.definition[type])
    kind: i64 = -result
    if kind == op.TypeStruct:
        if given != i64(types.columns.size[declared]) - 2:
            return False
    elif kind == op.TypeMatrix:
        if given != word_at(types.data, i64(types.columns.at[declared]) + 3):
            return False
    elif kind != op.TypeArray:
        return types.all_may_be_named(code, first, end)  # nothing is known of its parts
    member: i64 = i64(types.columns.at[declared]) + 2
    while at < end:
        wanted: i64 = i64(read_i32_le(types.data, 4 * member))
        if types.type_of[i64(read_i32_le(types.data, 4 * at))] != wanted:
            return False
        if kind == op.TypeStruct:
            member += 1
        at += 1
    return True


def _shuffle(types: Types, result: i64, first: i64, end: i64) -> bool:
    left: i64 = types.shape_of(i64(read_i32_le(types.data, 4 * first)))
    other: i64 = types.shape_of(i64(read_i32_le(types.data, 4 * first + 4)))
    if result <= 0 or left <= 0 or other <= 0 or end - first - 2 != result >> 20:
        return False
    if left & WIDTHS != result & WIDTHS or other & WIDTHS != result & WIDTHS:
        return False
    at: i64 = first + 2
    while at < end:
        pick: i64 = word_at(types.data, at)
        if pick >= (left >> 20) + (other >> 20) and pick != 0xFFFFFFFF:
            return False
        at += 1
    return True


def _pattern(types: Types, code: i64, number: i64, result: i64, first: i64, end: i64) -> bool:
    shapes = SHAPES
    wanted = shapes.wanted
    want: i64 = shapes.starts[number]
    last: i64 = shapes.starts[number + 1]
    if result <= 0 or not result & wanted[want] or (wanted[want] >> 3 == kinds.SCALAR and result >> 20 != 1):
        return False
    ids: i64 = types.patterns.ids[code]
    before: i64 = result
    at: i64 = first
    while at < end:
        if ids & 1:
            want += 1
            if want == last:
                return False
            shape: i64 = types.shape_of(i64(read_i32_le(types.data, 4 * at)))
            asked: i64 = wanted[want]
            if shape <= 0 or not shape & asked & kinds.ANY:
                return False
            relation: i64 = (asked >> 3) & 7
            if relation == kinds.OF_RESULT:
                if shape >> 3 != result >> 3:
                    return False
            elif relation == kinds.LIKE_RESULT:
                if shape != result:
                    return False
            elif relation == kinds.OF_OPERAND:
                if shape >> 3 != before >> 3:
                    return False
            elif relation == kinds.SCALAR:
                if shape >> 20 != 1:
                    return False
            elif relation == kinds.VECTOR:
                if shape >> 20 == 1:
                    return False
            elif relation == kinds.OF_COUNT and shape >> 20 != result >> 20:
                return False
            before = shape
        ids >>= 1
        at += 1
    return want + 1 == last or wanted[want + 1] & kinds.OPTIONAL != 0


def _call(types: Types, type: i64, first: i64, end: i64) -> bool:
    columns = types.columns
    callee: i64 = i64(columns.definition[i64(read_i32_le(types.data, 4 * first))])
    if columns.op[callee] != op.Function or i64(columns.type[callee]) != type:
        return False
    at: i64 = first + 1
    row: i64 = callee + 1
    rows: i64 = len(columns.op)
    while row < rows and columns.op[row] != op.Label and columns.op[row] != op.FunctionEnd:
        if columns.op[row] == op.FunctionParameter:
            if at == end:
                return False
            wanted: i64 = i64(columns.type[row])
            given: i64 = types.type_of[i64(read_i32_le(types.data, 4 * at))]
            pointers = types.shape[given] == -op.TypePointer and types.shape[wanted] == -op.TypePointer
            if given != wanted and not pointers:
                return False
            at += 1
        row += 1
    return at == end


def _matrices(types: Types, code: i64, type: i64, first: i64, end: i64) -> bool:
    result: i64 = types.size(type)
    left: i64 = types.size(types.type_of[i64(read_i32_le(types.data, 4 * first))])
    if result == 0 or left == 0 or result >> 40 != left >> 40:
        return False
    if result & WIDTHS == 1 and (result >> 20) & WIDTHS == 1:
        return False  # a scalar is no product of these
    rows: i64 = result & WIDTHS
    columns: i64 = (result >> 20) & WIDTHS
    above: i64 = left & WIDTHS
    along: i64 = (left >> 20) & WIDTHS
    if code == op.Transpose:
        return rows == along and columns == above
    if end - first != 2:
        return False
    other: i64 = types.size(types.type_of[i64(read_i32_le(types.data, 4 * first + 4))])
    if other == 0 or other >> 40 != left >> 40:
        return False
    height: i64 = other & WIDTHS
    width: i64 = (other >> 20) & WIDTHS
    if code == op.MatrixTimesScalar:
        return result == left and height == 1 and width == 1
    if code == op.OuterProduct:
        return rows == above and columns == height and along == 1 and width == 1
    if code == op.VectorTimesMatrix:
        return along == 1 and above == height and rows == width and columns == 1
    return along == height and rows == above and columns == width
