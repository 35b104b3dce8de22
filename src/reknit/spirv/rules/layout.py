"""Where blocks and what is in them stand.

OpFunction ─ OpLabel ─ OpVariable... ─ ... ─ [merge instruction] ─ terminator ─ OpLabel ─ ... ─ OpFunctionEnd
                       only here                 both together        dominators before what they dominate
"""

from reknit.ir import enums, op
from reknit.source.columns import i32, i64
from reknit.spirv.rules import flow as kinds
from reknit.spirv.rules.subject import Subject


def blocks_are_whole(case: Subject) -> None:
    """X01: a function is blocks, each OpLabel to terminator, and nothing between them (SPIR-V 1.6, 2.4)."""
    out = case.out
    for misfit in case.flow.misfits:
        if misfit.kind == kinds.OUTSIDE:
            out.add("X01", "an instruction stands outside of a block", misfit.row)
        elif misfit.kind == kinds.NO_END:
            out.add("X01", f"block {out.at(int(case.columns.block[misfit.row]))} has no end", misfit.row)
        elif misfit.kind == kinds.UNCLOSED:
            out.add("X01", "the module ends before the function's OpFunctionEnd", misfit.row)
        elif misfit.kind == kinds.NESTED:
            out.add("X01", "an OpFunction stands within another function", misfit.row)
        elif misfit.kind == kinds.STRAY_END:
            out.add("X01", "an OpFunctionEnd ends no function", misfit.row)


def variables_come_first(case: Subject) -> None:
    """X02: OpVariable stands in the first block, before all else but phis and lines (SPIR-V 1.6, 2.4 and 2.16.1)."""
    columns = case.columns
    flow = case.flow
    ops = columns.op
    block: i64 = 0
    # Only the ends of runs are looked at: a variable is misplaced if what stands before it is not one.
    row: i64 = case.facts.first_function
    rows: i64 = len(ops)
    while row < rows:
        code: i32 = ops[row]
        if (code == op.Variable or code == op.UntypedVariableKHR) and _is_local(case, row):
            block = i64(columns.block[row])
            if block < 0:
                row += 1
                continue
            before: i64 = row - 1
            while _may_precede(case, before):
                before -= 1
            at_start = ops[before] == op.Label and flow.first[flow.function[block]] == block
            if not at_start and not (_is_variable(int(ops[before])) and columns.block[before] == columns.block[row]):
                message = f"a variable is in {case.out.at(block)}, not at the start of the function's first block"
                case.out.add("X02", message, row, block, breaks=False)
        row += 1


def _is_variable(code: int) -> bool:
    return code == op.Variable or code == op.UntypedVariableKHR


def _may_precede(case: Subject, row: i64) -> bool:
    """Lines, and debug information other than what a shader's own set says, may stand between variables."""
    code = case.columns.op[row]
    if code == op.Line or code == op.NoLine:
        return True
    if code != op.ExtInst:
        return False
    return int(case.flow.operand(row, 3)) in case.facts.debug_sets


def _is_local(case: Subject, row: i64) -> bool:
    return case.flow.operand(row, 3) == enums.StorageClassFunction


def dominators_come_first(case: Subject) -> None:
    """B03: a block stands after every block that dominates it (SPIR-V 1.6, 2.16.1)."""
    flow = case.flow
    tree = case.graph().plain
    block: i64 = 0
    while block < flow.count:
        above: i64 = tree.above[block]
        if above > block and case.sound(block):
            out = case.out
            message = f"{out.at(block)} stands before {out.at(above)}, which dominates it"
            finding = out.add("B03", message, flow.label_row(block), block)
            finding.edges.append((int(above), int(block)))
            finding.notes.append((f"{out.at(above)} is here", int(flow.label_row(above))))
        block += 1


def merges_precede_branches(case: Subject) -> None:
    """B04: a merge instruction is the last but one of its block, before a branch of the right kind (OpSelectionMerge,
    OpLoopMerge)."""
    columns = case.columns
    ops = columns.op
    row: i64 = case.facts.first_function
    last: i64 = len(ops) - 1
    while row < last:
        code: i32 = ops[row]
        if code == op.SelectionMerge or code == op.LoopMerge:
            following: i32 = ops[row + 1]
            if code == op.LoopMerge:
                fits = following == op.Branch or following == op.BranchConditional
                wanted = "OpLoopMerge stands right before OpBranch or OpBranchConditional"
            else:
                fits = following == op.BranchConditional or following == op.Switch
                wanted = "OpSelectionMerge stands right before OpBranchConditional or OpSwitch"
            if not fits:
                block = int(columns.block[row])
                where = f" in {case.out.at(block)}" if block >= 0 else ""
                case.out.add("B04", f"{wanted}, but not{where}", row, block)
        row += 1
