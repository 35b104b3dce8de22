"""Whether every instruction of a module is surely well formed, from its words alone: operands, ids, types, signatures.

    words ──▶ rules of control flow: nothing ──▶ doubtful_row: NONE      nothing is wrong with the module
                                                               a row     reading, and the tree's verifier, say what

Reading to a tree and verifying it costs fifty times as much, and is left out for what is sound. So no fault may be
missed here; a doubt about what is right only costs time.

Source: SPIR-V 1.6, 2.4, 2.16.1 and 3.52; the faults are RK0110 to RK0115 and RK0409 to RK0419.
"""

from typing import Final, final

from reknit.ir import op, opcodes, traits
from reknit.ir.operands import RAW, decode, is_id
from reknit.source.columns import i32, i64, read_i32_le
from reknit.spirv.form import kinds
from reknit.spirv.form.agree import agree
from reknit.spirv.form.extended_sets import ANY, ExtendedSet, Signatures, extended_set
from reknit.spirv.form.patterns import (
    BY_GRAMMAR,
    FIRST_ENUM,
    IN_GLOBALS,
    NO_TAIL,
    NOT_ASKED,
    NOT_GLOBAL,
    NOT_IN_BLOCK,
    ODD_PARAMETERS,
    STRING,
    TYPE,
    UNKNOWN,
    Patterns,
    patterns,
)
from reknit.spirv.form.types import Types
from reknit.spirv.rules.subject import Subject
from reknit.spirv.words import Columns, word_at, words_of

NONE: Final = -1


def doubtful_row(case: Subject) -> int:
    """The first instruction that is not surely well formed, of a module of which the rules have found that its operands
    in functions are defined and its phis right; NONE if all are."""
    return int(_Walk(case).walk())


@final
class _Walk:
    __slots__ = ("columns", "data", "first_function", "patterns", "types", "sets", "case", "signatures")

    def __init__(self, case: Subject) -> None:
        self.case = case
        self.columns: Columns = case.columns
        self.data = case.columns.data
        self.first_function: i64 = case.facts.first_function
        self.patterns: Patterns = patterns()
        self.types = Types(case.columns, self.first_function)
        self.sets: dict[int, ExtendedSet] = {}
        self.signatures = Signatures(self.types)

    def walk(self) -> i64:
        if not self._has_trees():
            return 0
        row: i64 = 0
        while row < self.first_function:
            if not self._declares(row):
                return row
            row += 1
        rows: i64 = len(self.columns.op)
        ops = self.columns.op
        blocks = self.columns.block
        types = self.columns.type
        starts = self.columns.at
        sizes = self.columns.size
        results = self.columns.result
        known = self.patterns
        codes: i64 = known.codes
        while row < rows:
            code: i64 = i64(ops[row])
            if blocks[row] < 0:
                if code != op.FunctionEnd and not self._stands_outside(row, code):
                    return row
                row += 1
                continue
            if code == op.Label:
                row += 1
                continue
            if code >= codes:
                return row
            if known.count[code] == NOT_ASKED:
                known.learn(code)
            type: i64 = i64(types[row])
            if (type != 0 and self.types.shape[type] == 0) or i64(known.flags[code]) & NOT_IN_BLOCK:
                return row
            first: i64 = i64(starts[row]) + 1
            end: i64 = first - 1 + i64(sizes[row])
            if results[row] != 0:
                first += 2 if type != 0 else 1
            kind: i64 = i64(known.kind[code])
            if code == op.Switch:
                if not self._cases(row):
                    return row
            elif code == op.Phi:
                pass  # B32
            elif not self._fits(row, code, first, end) or not self._are_constants(known.scopes[code], first, end):
                return row
            elif kind == kinds.EXTENDED:
                if not self._extended(row, first, end):
                    return row
            elif kind != kinds.JUMP and not agree(self.types, row, code, kind, first, end):
                return row
            row += 1
        return NONE

    def _has_trees(self) -> bool:
        """Whether the rules that were judged by make every function a tree: those for shaders do. Of others only the
        reader can tell, where a function has more than one block."""
        if self.case.facts.shader:
            return True
        flow = self.case.flow
        function: i64 = 0
        while function + 1 < len(flow.first):
            if flow.first[function + 1] - flow.first[function] > 1:
                return False
            function += 1
        return True

    # --- before the functions -----------------------------------------------------------------------------------------

    def _declares(self, row: i64) -> bool:
        """Whether an instruction before the functions is well formed. A type is taken in."""
        columns = self.columns
        known = self.patterns
        code: i64 = i64(columns.op[row])
        if code >= known.codes:
            return False
        if known.count[code] == NOT_ASKED:
            known.learn(code)
        flags: i64 = i64(known.flags[code])
        kind: i64 = i64(known.kind[code])
        type: i64 = i64(columns.type[row])
        if flags & NOT_GLOBAL or kind == kinds.ODD or (type != 0 and self.types.shape[type] == 0):
            return False
        first: i64 = i64(columns.at[row]) + 1
        end: i64 = first - 1 + i64(columns.size[row])
        if columns.result[row] != 0:
            first += 2 if type != 0 else 1
        if kind == kinds.LITERAL:
            return agree(self.types, row, code, kind, first, end)
        if not self._fits(row, code, first, end) or not self._are_defined(row, code, first, end, flags):
            return False
        if flags & TYPE:
            return self.types.declare(row, code)
        if code == op.ExtInstImport:
            name = columns.data[4 * first : 4 * end].split(b"\0", 1)[0].decode("utf-8", "replace")
            self.sets[int(columns.result[row])] = extended_set(name)
            return True
        if kind == kinds.EXTENDED:
            return self._extended(row, first, end)
        return not flags & IN_GLOBALS or kind == kinds.NONE or agree(self.types, row, code, kind, first, end)

    def _are_defined(self, row: i64, code: i64, first: i64, end: i64, flags: i64) -> bool:
        """Whether what an instruction before the functions names is defined, and in the order that its section asks."""
        known = self.patterns
        count: i64 = i64(known.count[code])
        if count == BY_GRAMMAR:
            return self._are_defined_by_grammar(row, code, flags)
        ids: i64 = known.ids[code]
        last: i64 = count - 1
        repeats = known.repeats[code] != 0
        place: i64 = 0
        at: i64 = first
        while at < end and (place <= last or repeats):
            is_id_here = (ids >> (place if place < last else last)) & 1 != 0
            if is_id_here and not self._is_defined(row, code, i64(read_i32_le(self.data, 4 * at)), flags):
                return False
            place += 1
            at += 1
        tail: i64 = i64(known.tail[code])
        if at == end or tail == STRING:
            return True
        if tail >= FIRST_ENUM:
            brought = known.parameters(tail, int(word_at(self.data, at)))
            if brought == ODD_PARAMETERS:
                return self._are_defined_by_grammar(row, code, flags)
            ids = i64(brought >> 8)
            at += 1
        else:
            at = i64(self.data.find(b"\0", 4 * at)) // 4 + 1
            ids = -1
        while at < end:
            if ids & 1 and not self._is_defined(row, code, i64(read_i32_le(self.data, 4 * at)), flags):
                return False
            ids >>= 1
            at += 1
        return True

    def _are_defined_by_grammar(self, row: i64, code: i64, flags: i64) -> bool:
        words = words_of(self.columns, row)
        for item in decode(opcodes.info(int(code)), words, 1, ""):
            if is_id(item.kind) and not self._is_defined(row, code, i64(words[item.start]), flags):
                return False
        return True

    def _is_defined(self, row: i64, code: i64, value: i64, flags: i64) -> bool:
        columns = self.columns
        if value <= 0 or value >= columns.bound:
            return False
        defined: i64 = i64(columns.definition[value])
        if defined < 0:
            return False
        if flags & IN_GLOBALS == 0 or defined < row:
            return True
        other: i32 = columns.op[defined]
        if other == op.Function:
            return True
        if defined >= self.first_function:
            return False
        # A pointer may point to what comes later, and anything may be made of such a pointer.
        return columns.result[row] == 0 or code == op.TypePointer or code == op.Variable or other == op.TypePointer

    # --- operands -----------------------------------------------------------------------------------------------------

    def _fits(self, row: i64, code: i64, first: i64, end: i64) -> bool:
        """Whether an instruction has the words that the grammar asks for, and no more."""
        known = self.patterns
        count: i64 = i64(known.count[code])
        given: i64 = end - first
        if given == count and known.tail[code] == NO_TAIL:
            return True
        if count == BY_GRAMMAR:
            return self._fits_by_grammar(row)
        if count == UNKNOWN or given < i64(known.least[code]):
            return False
        if known.repeats[code]:
            return True
        tail: i64 = i64(known.tail[code])
        if given <= count:
            return tail == NO_TAIL or (tail >= FIRST_ENUM and known.needed[code] == 0)
        at: i64 = first + count
        if tail == NO_TAIL:
            return False
        if tail >= FIRST_ENUM:
            brought = known.parameters(tail, int(word_at(self.data, at)))
            if brought == ODD_PARAMETERS:
                return self._fits_by_grammar(row)
            if brought >> 8 and self.columns.block[row] >= 0 and not self._fits_by_grammar(row):
                return False
            return i64(brought & 255) == end - at - 1
        zero: i64 = i64(self.data.find(b"\0", 4 * at)) // 4
        return at <= zero < end and (tail != STRING or zero + 1 == end)

    def _fits_by_grammar(self, row: i64) -> bool:
        """Whether each word has a place, and none is missing. In functions no id may be a label."""
        columns = self.columns
        words = words_of(columns, row)
        inside = columns.block[row] >= 0
        for item in decode(opcodes.info(int(columns.op[row])), words, 1, ""):
            if item.count == 0 or item.kind == RAW:
                return False
            if inside and is_id(item.kind) and not self.types.may_be_named(i64(words[item.start])):
                return False
        code: i64 = i64(columns.op[row])
        kind: i64 = i64(self.patterns.kind[code])
        return not inside or self.patterns.count[code] != BY_GRAMMAR or kind == kinds.NONE or kind == kinds.POINTER

    def _are_constants(self, places: i64, first: i64, end: i64) -> bool:
        """Whether the ids at some places, as bits, are constants: scopes and memory semantics are (2.16.2)."""
        at: i64 = first
        while at < end and places != 0:
            if places & 1:
                defined: i64 = i64(self.columns.definition[i64(read_i32_le(self.data, 4 * at))])
                if int(self.columns.op[defined]) not in traits.CONSTANT:
                    return False
            places >>= 1
            at += 1
        return True

    def _extended(self, row: i64, first: i64, end: i64) -> bool:
        """An instruction of an imported set: by its signature, or as many operands as the grammar has."""
        known = self.sets.get(int(read_i32_le(self.data, 4 * first)))
        if known is None:
            return False
        if known.judged:
            return self.signatures.keeps(known, row, first, end)
        if known.void and self.types.shape[i64(self.columns.type[row])] != -op.TypeVoid:
            return False
        shape = known.shape(int(word_at(self.data, first + 1)))
        if shape < 0:
            return self._extended_by_grammar(row, known.name)
        given: i64 = end - first - 2
        if given < i64(shape & 255) or (shape >> 8 != ANY and given > i64(shape >> 8)):
            return False
        at: i64 = first + 2
        while at < end:
            if not self.types.may_be_named(i64(read_i32_le(self.data, 4 * at))):
                return False
            at += 1
        return True

    def _extended_by_grammar(self, row: i64, name: str) -> bool:
        columns = self.columns
        words = words_of(columns, row)
        for item in decode(opcodes.info(int(columns.op[row])), words, 1, name):
            if item.count == 0 or item.kind == RAW:
                return False
            if is_id(item.kind) and not self.types.may_be_named(i64(words[item.start])):
                return False
        return True

    def _cases(self, row: i64) -> bool:
        """Whole pairs, and literals that the selector can have."""
        size: i64 = i64(self.columns.size[row])
        words: i64 = 1 + self.case.flow.literal_words(row)
        if size < 3 or (size - 3) % words != 0:
            return False
        first: i64 = i64(self.columns.at[row]) + 1
        selector: i64 = i64(read_i32_le(self.data, 4 * first))
        shape: i64 = self.types.shape_of(selector)
        if shape == kinds.INT | 32 << 3 | 1 << 20 or shape == kinds.INT | 64 << 3 | 1 << 20:
            return True
        if shape != kinds.INT | 8 << 3 | 1 << 20 and shape != kinds.INT | 16 << 3 | 1 << 20:
            return False
        width: i64 = (shape >> 3) & 0xFF
        type: i64 = i64(self.columns.definition[self.types.type_of[selector]])
        signed = word_at(self.data, i64(self.columns.at[type]) + 3) != 0
        at: i64 = first + 2
        while at < first - 1 + size:
            # 2.2.1: the bits past the width repeat the sign of a signed literal and are 0 of others.
            above: i64 = word_at(self.data, at) >> (width - 1 if signed else width)
            if above != 0 and (not signed or above != (1 << (33 - width)) - 1):
                return False
            at += 2
        return True

    # --- functions ----------------------------------------------------------------------------------------------------

    def _stands_outside(self, row: i64, code: i64) -> bool:
        """Whether what stands in no block is a function that keeps its type, a parameter before all blocks, or a line
        or other information that may stand anywhere."""
        columns = self.columns
        if code == op.Function:
            return self._signature(row)
        if code == op.FunctionParameter:
            before: i64 = row - 1
            while columns.block[before] < 0 and columns.op[before] != op.Function:
                before -= 1
            return columns.op[before] == op.Function and columns.size[row] == 3
        if code == op.Line or code == op.NoLine:
            first: i64 = i64(columns.at[row]) + 1
            end: i64 = first - 1 + i64(columns.size[row])
            if self.patterns.count[code] == NOT_ASKED:
                self.patterns.learn(code)
            flags: i64 = i64(self.patterns.flags[code])
            return self._fits(row, code, first, end) and self._are_defined(row, code, first, end, flags)
        return code == op.ExtInst and self._floats(row)

    def _floats(self, row: i64) -> bool:
        """Whether it is of a set whose instructions may stand anywhere."""
        columns = self.columns
        first: i64 = i64(columns.at[row]) + 3
        end: i64 = first - 3 + i64(columns.size[row])
        if end - first < 2 or self.types.shape[i64(columns.type[row])] == 0:
            return False
        known = self.sets.get(int(read_i32_le(self.data, 4 * first)))
        return known is not None and opcodes.floats_by(known.name) and self._extended(row, first, end)

    def _signature(self, row: i64) -> bool:
        columns = self.columns
        at: i64 = i64(columns.at[row])
        if columns.size[row] != 5:
            return False
        type: i64 = i64(read_i32_le(self.data, 4 * at + 16))
        if type <= 0 or type >= columns.bound or self.types.shape[type] != -op.TypeFunction:
            return False
        declared: i64 = i64(columns.definition[type])
        word: i64 = i64(columns.at[declared]) + 2
        end: i64 = word - 2 + i64(columns.size[declared])
        result: i64 = i64(columns.type[row])
        if i64(read_i32_le(self.data, 4 * word)) != result or self.types.shape[result] == 0:
            return False
        word += 1
        rows: i64 = len(columns.op)
        row += 1
        while row < rows and columns.op[row] != op.Label and columns.op[row] != op.FunctionEnd:
            if columns.op[row] == op.FunctionParameter:
                if word == end or i64(read_i32_le(self.data, 4 * word)) != i64(columns.type[row]):
                    return False
                word += 1
            row += 1
        return word == end
