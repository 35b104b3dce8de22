"""Merge blocks: each has one header, which stands over it.

header ──▶ ... ──▶ merge        no other header has this merge block, and no path leads to it past the header
"""

from reknit.ir import op
from reknit.ir.flat_graph import filled
from reknit.source.columns import i64
from reknit.spirv.rules.subject import Subject


def merge_blocks_are_unique(case: Subject) -> None:
    """B05: a block is the merge block of one header at most (SPIR-V 1.6, 2.11)."""
    flow = case.flow
    header_of = filled(flow.count, -1)
    block: i64 = 0
    while block < flow.count:
        merge: i64 = flow.merge[block]
        if merge >= 0 and case.sound(block):
            first: i64 = header_of[merge]
            if first >= 0:
                out = case.out
                message = f"{out.at(merge)} is the merge block of {out.at(first)} already, and now of {out.at(block)}"
                finding = out.add("B05", message, flow.merge_row[block], block)
                finding.header = int(block)
                finding.edges.extend([(int(first), int(merge)), (int(block), int(merge))])
                finding.notes.append((f"{out.at(first)} declares it here", int(flow.merge_row[first])))
            else:
                header_of[merge] = block
        block += 1


def headers_dominate_merge_blocks(case: Subject) -> None:
    """B06: a header strictly structurally dominates its merge block (SPIR-V 1.6, 2.11)."""
    if not case.facts.shader:
        return
    flow = case.flow
    tree = case.graph().structural
    block: i64 = 0
    while block < flow.count:
        merge: i64 = flow.merge[block]
        if merge >= 0 and tree.has(block) and case.sound(block):
            if merge == block and not _is_loop(case, block):
                message = f"{case.out.at(block)} is its own merge block"
                case.out.add("B06", message, flow.merge_row[block], block).header = int(block)
            elif not tree.over(block, merge) and _holder(case, block, merge) < 0:
                _undominated(case, "B06", block, merge)
        block += 1


def constructs_hold_merge_blocks(case: Subject) -> None:
    """B18: a construct that holds a header holds that header's merge block (SPIR-V 1.6, 2.11)."""
    if not case.facts.shader:
        return
    flow = case.flow
    tree = case.graph().structural
    block: i64 = 0
    while block < flow.count:
        merge: i64 = flow.merge[block]
        if merge >= 0 and merge != block and tree.has(block) and case.sound(block) and not tree.over(block, merge):
            around = _holder(case, block, merge)
            if around >= 0:
                out = case.out
                of = "loop" if _is_loop(case, around) else "selection"
                message = (
                    f"{out.at(block)} is in the {of} of {out.at(around)}, but its merge block {out.at(merge)} is not"
                )
                finding = out.add("B18", message, flow.merge_row[block], block)
                finding.header = int(around)
                finding.also.append("B06")
                finding.edges.append((int(block), int(merge)))
        block += 1


def _is_loop(case: Subject, block: i64) -> bool:
    row: i64 = case.flow.merge_row[block]
    return row >= 0 and case.columns.op[row] == op.LoopMerge


def _undominated(case: Subject, rule: str, block: i64, merge: i64) -> None:
    flow = case.flow
    out = case.out
    message = f"header {out.at(block)} does not dominate its merge block {out.at(merge)}"
    finding = out.add(rule, message, flow.merge_row[block], block)
    finding.header = int(block)
    tree = case.graph().structural
    into = case.graph().into
    at: i64 = into.starts[merge]
    while at < into.starts[merge + 1]:
        source: i64 = into.targets[at]
        if tree.has(source) and not tree.over(block, source):
            finding.edges.append((int(source), int(merge)))
            finding.notes.append((f"a path past it comes from {out.at(source)}", int(flow.last[source])))
            break
        at += 1


def _holder(case: Subject, block: i64, merge: i64) -> i64:
    """The innermost header around `block` whose construct ends where `merge` begins: it holds one and not the other."""
    flow = case.flow
    tree = case.graph().structural
    around: i64 = tree.above[block]
    while around >= 0:
        declared: i64 = flow.merge[around]
        if declared >= 0 and declared != around:
            target: i64 = flow.continues[around]
            inside = not tree.over(declared, block) and (target < 0 or not tree.over(target, block))
            out = not tree.over(around, merge) or tree.over(declared, merge)
            if not out and target >= 0:
                out = tree.over(target, merge)
            if inside and out:
                return around
        around = tree.above[around]
    return -1
