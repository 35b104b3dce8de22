"""Which branches need a merge instruction.

    OpSwitch             always
    OpBranchConditional  unless one of its targets is known already: a merge block, a continue target, or where a branch
                         before it (in reverse postorder) leads

Source: SPIR-V 1.6, 2.11 "all selections are structured", read as SPIRV-Tools does.
"""

from reknit.ir import op
from reknit.ir.flat_graph import filled
from reknit.source.columns import i32, i64
from reknit.spirv.rules.subject import Subject


def switches_have_merges(case: Subject) -> None:
    """B27: an OpSwitch follows an OpSelectionMerge."""
    if not case.facts.shader:
        return
    flow = case.flow
    tree = case.graph().structural
    block: i64 = 0
    while block < flow.count:
        row: i64 = flow.last[block]
        if case.is_switch(block) and flow.merge_row[block] < 0 and tree.has(block) and case.sound(block):
            message = f"the OpSwitch in {case.out.at(block)} follows no OpSelectionMerge"
            case.out.add("B27", message, row, block).header = int(block)
        block += 1


def selections_are_structured(case: Subject) -> None:
    """B28: an OpBranchConditional without an OpSelectionMerge has one target at most that is not known yet."""
    if not case.facts.shader:
        return
    flow = case.flow
    ops = case.columns.op
    forward = case.graph().forward
    seen = filled(flow.count, 0)
    at: i64 = len(forward)
    while at > 0:
        at -= 1
        block: i64 = forward[at]
        row: i64 = flow.last[block]
        declared: i64 = flow.merge_row[block]
        if row < 0 or not case.sound(block):
            continue
        if flow.merge[block] >= 0:
            seen[flow.merge[block]] = 1
        if flow.continues[block] >= 0:
            seen[flow.continues[block]] = 1
        code: i32 = ops[row]
        if code == op.Branch:
            continue
        unseen: i64 = 0
        edge: i64 = flow.starts[block]
        while edge < flow.starts[block + 1]:
            if seen[flow.targets[edge]] == 0:
                unseen += 1
                seen[flow.targets[edge]] = 1
            edge += 1
        if code == op.BranchConditional and unseen > 1 and (declared < 0 or ops[declared] == op.LoopMerge):
            out = case.out
            message = f"{out.at(block)} branches to two new blocks, but no OpSelectionMerge says where they meet"
            finding = out.add("B28", message, row, block)
            finding.header = int(block)
            edge = flow.starts[block]
            while edge < flow.starts[block + 1]:
                finding.edges.append((int(block), int(flow.targets[edge])))
                edge += 1


def labels_differ(case: Subject) -> None:
    """B29: from SPIR-V 1.6 on, an OpBranchConditional names two different labels."""
    if case.facts.version < 0x00010600:
        return
    flow = case.flow
    block: i64 = 0
    while block < flow.count:
        if same_labels(case, block):
            message = f"both targets of {case.out.at(block)} are {case.out.at(flow.targets[flow.starts[block]])}"
            finding = case.out.add("B29", message, flow.last[block], block, breaks=False)
            finding.edges.append((int(block), int(flow.targets[flow.starts[block]])))
        block += 1


def same_labels(case: Subject, block: i64) -> bool:
    """Whether the block ends in an OpBranchConditional whose labels are the same."""
    flow = case.flow
    row: i64 = flow.last[block]
    if row < 0 or case.columns.op[row] != op.BranchConditional:
        return False
    return flow.operand(row, 2) == flow.operand(row, 3) and flow.starts[block] < flow.starts[block + 1]
