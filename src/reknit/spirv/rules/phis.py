"""Phis: a value for each predecessor, ahead of all else in the block.

%p = OpPhi %type  %a %b1  %c %b2        b1 and b2 are the blocks that branch here, each once
"""

from reknit.ir import enums, op
from reknit.source.columns import i32, i64
from reknit.spirv.rules.operands import POINTERS, has_variable_pointers
from reknit.spirv.rules.subject import Subject


def phis_match_predecessors(case: Subject) -> None:
    """B32: pairs, types and place of each OpPhi (OpPhi; SPIR-V 1.6, 2.4)."""
    columns = case.columns
    ops = columns.op
    row: i64 = case.facts.first_function
    rows: i64 = len(ops)
    while row < rows:
        if ops[row] != op.Phi or columns.block[row] < 0:
            row += 1
            continue
        block: i64 = i64(columns.block[row])
        if case.sound(block):
            wrong = _place(case, row, block)
            if not wrong:
                wrong = _kind(case, row)
            if not wrong:
                wrong = _pairs(case, row, block)
            if wrong:
                named = case.out.id(int(columns.result[row]))
                case.out.add("B32", f"phi {named} in {case.out.at(block)}: {wrong}", row, block, breaks=False)
        row += 1


def _place(case: Subject, row: i64, block: i64) -> str:
    flow = case.flow
    ops = case.columns.op
    if flow.first[flow.function[block]] == block:
        return "the first block of a function has no predecessors"
    before: i64 = row - 1
    while ops[before] == op.Line or ops[before] == op.NoLine or _is_debug(case, before):
        before -= 1
    return "" if ops[before] == op.Phi or ops[before] == op.Label else "it stands after an instruction that is no phi"


def _is_debug(case: Subject, row: i64) -> bool:
    return case.columns.op[row] == op.ExtInst and int(case.flow.operand(row, 3)) in case.facts.debug_sets


def _kind(case: Subject, row: i64) -> str:
    columns = case.columns
    defined: i64 = i64(columns.definition[i64(columns.type[row])])
    if defined < 0:
        return ""  # an undefined id: B33 says so
    code: i32 = columns.op[defined]
    known = case.facts.capabilities
    if code == op.TypeVoid:
        return "void is no type of a phi"
    if int(code) in POINTERS and case.facts.logical and not has_variable_pointers(case):
        return "in the Logical addressing model only variable pointers can be phis"
    if enums.CapabilityBindlessTextureNV in known or case.options.before_legalization:
        return ""
    if code == op.TypeSampledImage or (case.facts.shader and (code == op.TypeImage or code == op.TypeSampler)):
        return "images and samplers can't be phis"
    return ""


def _pairs(case: Subject, row: i64, block: i64) -> str:
    flow = case.flow
    columns = case.columns
    into = case.graph().real_into
    size: i64 = i64(columns.size[row])
    if size % 2 == 0:
        return "its operands don't come in pairs of a value and a label"
    wanted: dict[int, bool] = {}
    at: i64 = into.starts[block]
    while at < into.starts[block + 1]:
        wanted[int(into.targets[at])] = False
        at += 1
    place: i64 = 3
    while place < size:
        value: i64 = flow.operand(row, place)
        parent: i64 = flow.operand(row, place + 1)
        place += 2
        kind: i64 = flow.type_row(value)
        known = value > 0 and value < columns.bound and columns.definition[value] >= 0  # else B33 says so
        if known and (kind < 0 or i64(columns.result[kind]) != i64(columns.type[row])):
            return f"{case.out.id(int(value))} has another type"
        label: i64 = i64(columns.definition[parent]) if parent > 0 and parent < columns.bound else -1
        source = int(columns.block[label]) if label >= 0 and columns.op[label] == op.Label else -1
        if source < 0:
            return f"{case.out.id(int(parent))} is not a label"
        if source not in wanted:
            return f"{case.out.at(source)} does not branch here"
        if wanted[source]:
            return f"{case.out.at(source)} is named twice"
        wanted[source] = True
    for source in wanted:
        if not wanted[source]:
            return f"it has no value for {case.out.at(source)}"
    return ""
