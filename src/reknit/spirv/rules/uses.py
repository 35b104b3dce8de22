"""Definitions before uses: a value is defined in a block that dominates every use.

    %x = OpIAdd ...        in b1                 fine in b1 after it, and in every block that b1 dominates
    OpPhi ... %x %b3       the use counts at the end of b3, in whichever block the phi stands

Uses in blocks that are not reached are exempt. Labels and functions may be named before they stand
(SPIR-V 1.6, 2.16.1).
"""

from reknit.ir import op, opcodes
from reknit.ir.operands import decode, is_id, string_at
from reknit.source.columns import i32, i64, read_i32_le
from reknit.spirv.form.extended_sets import ODD_OPERANDS, ExtendedSet, extended_set
from reknit.spirv.form.patterns import FIRST_ENUM, NOT_ASKED, ODD_PARAMETERS, Patterns, patterns
from reknit.spirv.rules.subject import Subject
from reknit.spirv.words import unknown_row, word_at, words_of


def definitions_dominate_uses(case: Subject) -> None:
    """B33: what an instruction in a function uses is defined before it, in a block that dominates it."""
    columns = case.columns
    ops = columns.op
    data = columns.data
    row: i64 = case.facts.first_function
    rows: i64 = len(ops)
    known = patterns()
    sets: dict[int, ExtendedSet] = {}
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
        if code < known.codes and known.count[code] == NOT_ASKED:
            known.learn(code)
        word: i64 = i64(columns.at[row]) + 1
        end: i64 = word - 1 + i64(columns.size[row])
        if columns.result[row] != 0:
            word += 2 if columns.type[row] != 0 else 1
        if code == op.BranchConditional or code == op.Switch:
            if word < end:
                _use(case, row, block, i64(read_i32_le(data, 4 * word)))
        elif code == op.ExtInst and _has_literals(case, sets, row):
            _by_grammar(case, row, block, sets[int(word_at(data, word))].name)
        elif code >= known.codes or known.count[code] < 0:
            _by_grammar(case, row, block)
        else:
            ids: i64 = known.ids[code]
            last: i64 = i64(known.count[code]) - 1
            repeats = known.repeats[code] != 0
            place: i64 = 0
            while word < end and (place <= last or repeats):
                if (ids >> (place if place < last else last)) & 1:
                    _use(case, row, block, i64(read_i32_le(data, 4 * word)))
                place += 1
                word += 1
            if word < end:
                _parameters(case, known, row, block, word, end)
        row += 1


def _parameters(case: Subject, known: Patterns, row: i64, block: i64, first: i64, end: i64) -> None:
    """Ids that an enumerant brings, as of image operands and memory accesses."""
    data = case.columns.data
    tail: i64 = i64(known.tail[i64(case.columns.op[row])])
    brought = ODD_PARAMETERS
    if tail >= FIRST_ENUM:
        brought = known.parameters(tail, int(word_at(data, first)))
    if brought == ODD_PARAMETERS:
        _by_grammar(case, row, block)
        return
    ids: i64 = i64(brought >> 8)
    word: i64 = first + 1
    while word < end:
        if ids & 1:
            _use(case, row, block, i64(read_i32_le(data, 4 * word)))
        ids >>= 1
        word += 1


def _has_literals(case: Subject, sets: dict[int, ExtendedSet], row: i64) -> bool:
    """Whether an OpExtInst's instruction has operands that are no ids, as vstore_half_r of OpenCL.std its mode."""
    columns = case.columns
    if columns.size[row] < 5:
        return False
    first: i64 = i64(columns.at[row]) + 3
    number = word_at(columns.data, first)
    known = sets.get(int(number))
    if known is None:
        defined = _definition(case, number)
        words = words_of(columns, defined) if defined >= 0 and columns.op[defined] == op.ExtInstImport else []
        known = sets[int(number)] = extended_set(string_at(words, 0, len(words)))
    return known.shape(int(word_at(columns.data, first + 1))) == ODD_OPERANDS


def _by_grammar(case: Subject, row: i64, block: i64, set_name: str = "") -> None:
    columns = case.columns
    code = int(columns.op[row])
    words = words_of(columns, row)
    for item in decode(opcodes.info(code), words, 1, set_name):
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
    if case.out.full():
        return
    _report(case, row, block, f"{case.out.id(int(value & 0xFFFFFFFF))} is not defined", -1)
    unknown = unknown_row(case.columns)
    finding = case.out.findings[-1]
    if unknown >= 0 and not finding.notes:
        code = int(case.columns.op[unknown])
        finding.notes.append((f"opcode {code} is not known here: such an instruction may define it", unknown))


def _late(case: Subject, row: i64, block: i64, value: i64, defined: i64) -> None:
    if not case.out.full():
        _report(case, row, block, f"{case.out.id(int(value))} is used before it is defined", defined)


def _elsewhere(case: Subject, row: i64, block: i64, value: i64, defined: i64) -> None:
    if not case.out.full():
        _report(case, row, block, f"{case.out.id(int(value))} is defined in another function", defined)


def _report(case: Subject, row: i64, block: i64, message: str, defined: i64) -> None:
    """Note it once for an instruction that uses the value in two places."""
    for known in reversed(case.out.findings):
        if known.row != row:
            break
        if known.message == message:
            return
    finding = case.out.add("B33", message, row, block, breaks=False)
    if defined >= 0:
        finding.notes.append(("it is defined here", int(defined)))
