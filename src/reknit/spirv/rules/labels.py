"""What branches and merge instructions name.

OpBranch %b      %b is an OpLabel of the same function, and not its first
"""

from reknit.ir import op
from reknit.source.columns import i64
from reknit.spirv.rules.flow import NO_LABEL
from reknit.spirv.rules.subject import Subject


def first_block_is_no_target(case: Subject) -> None:
    """B01: the first block of a function is the target of no branch (SPIR-V 1.6, 2.4)."""
    flow = case.flow
    block: i64 = 0
    while block < flow.count:
        edge: i64 = flow.starts[block]
        first: i64 = flow.first[flow.function[block]]
        while edge < flow.starts[block + 1]:
            if flow.targets[edge] == first:
                out = case.out
                message = f"{out.at(block)} branches to {out.at(first)}, the first block of the function"
                finding = out.add("B01", message, flow.last[block], block)
                finding.edges.append((int(block), int(first)))
                break
            edge += 1
        block += 1


def targets_are_labels(case: Subject) -> None:
    """B02: what a branch or merge instruction names is an OpLabel of the same function (SPIR-V 1.6, 3.3.17)."""
    out = case.out
    columns = case.columns
    for misfit in case.flow.misfits:
        if misfit.kind != NO_LABEL:
            continue
        named = out.id(misfit.operand)
        row = int(columns.definition[misfit.operand]) if 0 < misfit.operand < columns.bound else -1
        if row < 0:
            why = "is not defined"
        elif columns.op[row] != op.Label:
            why = "is not a label"
        else:
            why = "is a label of another function"
        finding = out.add("B02", f"{named}, which it names, {why}", misfit.row, int(columns.block[misfit.row]))
        if row >= 0:
            finding.notes.append((f"{named} is defined here", row))
