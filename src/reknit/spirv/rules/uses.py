"""Definitions before uses: a value is defined in a block that dominates every use.

    %x = OpIAdd ...        in b1                 fine in b1 after it, and in every block that b1 dominates
    OpPhi ... %x %b3       the use counts at the end of b3, in whichever block the phi stands

Uses in blocks that are not reached are exempt. Labels and functions may be named before they stand
(SPIR-V 1.6, 2.16.1).
"""

from typing import Final, final

from reknit.ir import op, opcodes
from reknit.ir.operands import decode, is_id
from reknit.source.columns import append, i32, i64, read_i32_le, vec
from reknit.spirv.rules.subject import Subject
from reknit.spirv.words import words_of

NO_PATTERN: Final = -1  # not looked up yet
BY_GRAMMAR: Final = -2  # operands have to be decoded one by one
NEVER: Final = 0
REPEATED: Final = 1  # the last operand of the pattern repeats


@final
class Patterns:
    """By opcode, which words after the result are ids: bit i of `ids`, for `count` words, the last one on and on if
    `repeats`. Opcodes whose operands depend on each other have none."""

    __slots__ = ("ids", "count", "repeats")

    def __init__(self, codes: i64) -> None:
        self.ids: vec[i64] = vec[i64](capacity=codes)
        self.count: vec[i32] = vec[i32](capacity=codes)
        self.repeats: vec[i32] = vec[i32](capacity=codes)
        code: i64 = 0
        while code < codes:
            self.ids = append(self.ids, 0)
            self.count = append(self.count, i32(NO_PATTERN))
            self.repeats = append(self.repeats, i32(NEVER))
            code += 1

    def learn(self, code: i64) -> None:
        """Ask the grammar about an opcode."""
        about = opcodes.info(int(code))
        ids = 0
        count = 0
        self.count[code] = BY_GRAMMAR
        if about is None or len(about.operands) > 60:
            return
        for spec in about.operands:
            if spec.form == opcodes.ID:
                ids |= 1 << count
            elif spec.form != opcodes.WORD and spec.form != opcodes.EXTENDED:
                if count == 0 or not (spec.quantifier == "?" and spec.form in (opcodes.MASK, opcodes.VALUE)):
                    return
                break  # memory and image operands: those that have none go by the pattern
            count += 1
            if spec.quantifier == "*":
                self.repeats[code] = REPEATED
        self.ids[code] = ids
        self.count[code] = count


def definitions_dominate_uses(case: Subject) -> None:
    """B33: what an instruction in a function uses is defined before it, in a block that dominates it."""
    columns = case.columns
    ops = columns.op
    data = columns.data
    row: i64 = case.facts.first_function
    rows: i64 = len(ops)
    top: i64 = 0
    at: i64 = row
    while at < rows:
        if i64(ops[at]) > top:
            top = i64(ops[at])
        at += 1
    patterns = Patterns(top + 1)
    while row < rows:
        block: i64 = i64(columns.block[row])
        code: i64 = i64(ops[row])
        skipped = code == op.Label or code == op.Branch or code == op.SelectionMerge or code == op.LoopMerge
        if block < 0 or skipped or code == op.ExtInstWithForwardRefsKHR or not case.sound(block):
            row += 1
            continue
        if code == op.Phi:
            _phi(case, row, block)
            row += 1
            continue
        if columns.type[row] > 0:
            _use(case, row, block, i64(columns.type[row]))
        count: i64 = i64(patterns.count[code])
        if count == NO_PATTERN:
            patterns.learn(code)
            count = i64(patterns.count[code])
        word: i64 = i64(columns.at[row]) + 1
        end: i64 = word - 1 + i64(columns.size[row])
        if columns.result[row] != 0:
            word += 2 if columns.type[row] != 0 else 1
        if code == op.BranchConditional or code == op.Switch:
            if word < end:
                _use(case, row, block, i64(read_i32_le(data, 4 * word)))
        elif count == BY_GRAMMAR or (end - word > count and patterns.repeats[code] == NEVER):
            _by_grammar(case, row, block)
        else:
            ids: i64 = patterns.ids[code]
            last: i64 = count - 1
            place: i64 = 0
            while word < end:
                if (ids >> place) & 1:
                    _use(case, row, block, i64(read_i32_le(data, 4 * word)))
                if place < last:
                    place += 1
                word += 1
        row += 1


def _by_grammar(case: Subject, row: i64, block: i64) -> None:
    columns = case.columns
    code = int(columns.op[row])
    words = words_of(columns, row)
    for item in decode(opcodes.info(code), words, 1, ""):
        if item.count and is_id(item.kind):
            _use(case, row, block, words[item.start])


def _phi(case: Subject, row: i64, block: i64) -> None:
    columns = case.columns
    flow = case.flow
    if columns.type[row] > 0:
        _use(case, row, block, i64(columns.type[row]))
    tree = case.graph().plain
    size: i64 = i64(columns.size[row])
    place: i64 = 3
    while place + 1 < size:
        value: i64 = flow.operand(row, place)
        parent: i64 = flow.operand(row, place + 1)
        place += 2
        defined: i64 = _definition(case, value)
        if defined < 0:
            _undefined(case, row, block, value)
            continue
        source: i64 = i64(columns.block[defined])
        label: i64 = _definition(case, parent)
        if label < 0 or columns.op[label] != op.Label:
            continue  # B32
        end: i64 = i64(columns.block[label])
        if source < 0 or columns.op[defined] == op.Label:
            if columns.function[defined] >= 0 and columns.function[defined] != columns.function[row]:
                _elsewhere(case, row, block, value, defined)
            continue
        if tree.has(block) and tree.has(end) and not tree.over(source, end):
            out = case.out
            message = f"{out.id(int(value))}, defined in {out.at(source)}, does not reach the end of {out.at(end)}"
            _report(
                case, row, block, f"{message}, from where phi {out.id(int(columns.result[row]))} takes it", defined
            )


def _definition(case: Subject, value: i64) -> i64:
    if value <= 0 or value >= case.columns.bound:
        return -1
    return i64(case.columns.definition[value])


def _use(case: Subject, row: i64, block: i64, value: i64) -> None:
    columns = case.columns
    defined: i64 = -1
    if value > 0 and value < columns.bound:
        defined = i64(columns.definition[value])
    if defined < 0:
        _undefined(case, row, block, value)
        return
    home: i32 = columns.function[defined]
    if home < 0:
        if defined >= row and columns.op[defined] != op.Function:
            _late(case, row, block, value, defined)
        return
    code: i32 = columns.op[defined]
    if code == op.Function:
        return
    if home != columns.function[row]:
        _elsewhere(case, row, block, value, defined)
        return
    if code == op.Label:
        return
    if defined >= row:
        _late(case, row, block, value, defined)
        return
    source: i64 = i64(columns.block[defined])
    if source < 0 or source == block:
        return
    tree = case.graph().plain
    if tree.has(block) and not tree.over(source, block):
        out = case.out
        message = f"{out.id(int(value))}, defined in {out.at(source)}, is used in {out.at(block)}, which that does not"
        _report(case, row, block, f"{message} dominate", defined)


def _undefined(case: Subject, row: i64, block: i64, value: i64) -> None:
    if not case.out.full():
        _report(case, row, block, f"{case.out.id(int(value & 0xFFFFFFFF))} is not defined", -1)


def _late(case: Subject, row: i64, block: i64, value: i64, defined: i64) -> None:
    if not case.out.full():
        _report(case, row, block, f"{case.out.id(int(value))} is used before it is defined", defined)


def _elsewhere(case: Subject, row: i64, block: i64, value: i64, defined: i64) -> None:
    if not case.out.full():
        _report(case, row, block, f"{case.out.id(int(value))} is defined in another function", defined)


def _report(case: Subject, row: i64, block: i64, message: str, defined: i64) -> None:
    """Note it once for an instruction that uses the value in two places."""
    for known in reversed(case.out.found):
        if known.row != row:
            break
        if known.message == message:
            return
    found = case.out.add("B33", message, row, block, breaks=False)
    if defined >= 0:
        found.notes.append(("it is defined here", int(defined)))
