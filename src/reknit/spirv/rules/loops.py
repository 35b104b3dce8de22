"""Loops: one header, one back edge, a continue construct that starts at the continue target and ends at the latch.

    before ─▶ header ─▶ body ─▶ continue target ─▶ latch ─▶ header
                └─▶ merge

The latch is the block that the back edge comes from.
"""

from reknit.ir import op
from reknit.ir.flat_graph import filled
from reknit.source.columns import i64
from reknit.spirv.rules.subject import Subject


def merge_is_not_continue_target(case: Subject) -> None:
    """B09: an OpLoopMerge names two different blocks (SPIR-V 1.6, 2.11)."""
    flow = case.flow
    block: i64 = 0
    while block < flow.count:
        if flow.continues[block] >= 0 and flow.merge[block] == flow.continues[block]:
            message = (
                f"loop {case.out.at(block)} has {case.out.at(flow.merge[block])} as merge block and continue target"
            )
            case.out.add("B09", message, flow.merge_row[block], block).header = int(block)
        block += 1


def loop_is_not_its_own_merge(case: Subject) -> None:
    """B10: a loop's merge block is not its header (SPIR-V 1.6, 2.11: strict dominance)."""
    flow = case.flow
    block: i64 = 0
    while block < flow.count:
        row: i64 = flow.merge_row[block]
        if row >= 0 and case.columns.op[row] == op.LoopMerge and flow.merge[block] == block:
            message = f"loop header {case.out.at(block)} is its own merge block"
            case.out.add("B10", message, row, block).header = int(block)
        block += 1


def back_edges_go_to_loop_headers(case: Subject) -> None:
    """B07: a back edge leads to a loop header (SPIR-V 1.6, 2.11)."""
    if not case.facts.shader:
        return
    flow = case.flow
    graph = case.graph()
    at: i64 = 0
    while at < len(graph.back_goals):
        goal: i64 = graph.back_goals[at]
        if flow.continues[goal] < 0 and case.sound(goal):
            source: i64 = graph.back_sources[at]
            out = case.out
            message = f"{out.at(source)} branches back to {out.at(goal)}, which has no OpLoopMerge"
            finding = out.add("B07", message, flow.last[source], source)
            finding.edges.append((int(source), int(goal)))
            finding.notes.append((f"{out.at(goal)} is here", int(flow.label_row(goal))))
        at += 1


def loops_have_one_back_edge(case: Subject) -> None:
    """B08: to a loop header one block branches back (SPIR-V 1.6, 2.11)."""
    _count_latches(case, "B08")


def unreachable_continues_still_loop(case: Subject) -> None:
    """B37: also a continue target that no branch leads to ends in the back edge (SPIR-V 1.6, 2.11)."""
    _count_latches(case, "B37")


def _count_latches(case: Subject, rule: str) -> None:
    """Too many or no latches are B08; none at all, where no branch leads to the continue target, is B37."""
    if not case.facts.shader:
        return
    flow = case.flow
    graph = case.graph()
    latch = filled(flow.count, -1)
    second = filled(flow.count, -1)
    at: i64 = 0
    while at < len(graph.back_goals):
        goal: i64 = graph.back_goals[at]
        source: i64 = graph.back_sources[at]
        if latch[goal] < 0:
            latch[goal] = source
        elif latch[goal] != source:
            second[goal] = source
        at += 1
    block: i64 = 0
    while block < flow.count:
        target: i64 = flow.continues[block]
        if target < 0 or not graph.structural.has(block) or not case.sound(block):
            block += 1
            continue
        out = case.out
        dead = latch[block] < 0 and not graph.plain.has(target)
        if dead and rule == "B37":
            message = (
                f"nothing branches back to loop {out.at(block)}: its continue target {out.at(target)} is not reached"
            )
            finding = out.add(rule, f"{message}, and does not branch back either", flow.label_row(block), block)
            finding.header = int(block)
            finding.also.append("B08")
            finding.notes.append(("the continue target is here", int(flow.label_row(target))))
        elif latch[block] < 0 and not dead and rule == "B08":
            finding = out.add(rule, f"nothing branches back to loop {out.at(block)}", flow.label_row(block), block)
            finding.header = int(block)
        elif second[block] >= 0 and rule == "B08":
            first, other = out.at(latch[block]), out.at(second[block])
            message = f"two blocks branch back to loop {out.at(block)}: {first} and {other}"
            finding = out.add(rule, message, flow.label_row(block), block)
            finding.header = int(block)
            finding.edges.extend([(int(latch[block]), int(block)), (int(second[block]), int(block))])
            finding.notes.append((f"{first} branches back here", int(flow.last[latch[block]])))
            finding.notes.append((f"{other} branches back here", int(flow.last[second[block]])))
        block += 1


def headers_dominate_continue_targets(case: Subject) -> None:
    """B11: a loop header structurally dominates its continue target (SPIR-V 1.6, 2.11).

    A header that is not reached dominates nothing that is.
    """
    if not case.facts.shader:
        return
    flow = case.flow
    tree = case.graph().structural
    into = case.graph().into
    block: i64 = 0
    while block < flow.count:
        target: i64 = flow.continues[block]
        if target >= 0 and tree.has(target) and case.sound(block) and not tree.over(block, target):
            out = case.out
            message = f"loop header {out.at(block)} does not dominate its continue target {out.at(target)}"
            finding = out.add("B11", message, flow.merge_row[block], block)
            finding.header = int(block)
            at: i64 = into.starts[target]
            while at < into.starts[target + 1]:
                source: i64 = into.targets[at]
                if tree.has(source) and not tree.over(block, source):
                    finding.edges.append((int(source), int(target)))
                    finding.also.append("B17")
                    finding.notes.append(
                        (f"{out.at(source)} leads to it from outside of the loop", int(flow.last[source]))
                    )
                    break
                at += 1
        block += 1


def continue_targets_dominate_latches(case: Subject) -> None:
    """B12: a continue target structurally dominates its loop's latch (SPIR-V 1.6, 2.11)."""
    if not case.facts.shader:
        return
    flow = case.flow
    graph = case.graph()
    at: i64 = 0
    while at < len(graph.back_goals):
        header: i64 = graph.back_goals[at]
        target: i64 = flow.continues[header]
        latch: i64 = graph.back_sources[at]
        at += 1
        if target < 0 or not graph.structural.has(target) or not case.sound(header):
            continue
        if graph.structural.has(header) and not graph.structural.over(target, latch):
            out = case.out
            message = f"{out.at(latch)} branches back to loop {out.at(header)}, but its continue target"
            finding = out.add("B12", f"{message} {out.at(target)} does not dominate it", flow.last[latch], latch)
            finding.header = int(header)
            finding.edges.append((int(latch), int(header)))


def latches_post_dominate_continue_targets(case: Subject) -> None:
    """B13: every path on from a continue target leads to its loop's latch (SPIR-V 1.6, 2.11)."""
    if not case.facts.shader:
        return
    flow = case.flow
    graph = case.graph()
    at: i64 = 0
    while at < len(graph.back_goals):
        header: i64 = graph.back_goals[at]
        target: i64 = flow.continues[header]
        latch: i64 = graph.back_sources[at]
        at += 1
        if target < 0 or target == latch or not graph.structural.has(header) or not case.sound(header):
            continue
        if graph.structural.over(target, latch) and not graph.post().over(latch, target):
            out = case.out
            message = f"a path from continue target {out.at(target)} of loop {out.at(header)} does not lead to"
            finding = out.add("B13", f"{message} {out.at(latch)}, which branches back", flow.label_row(target), target)
            finding.header = int(header)
            edge: i64 = flow.outs[target]
            while edge < flow.outs[target + 1]:
                if not graph.post().over(latch, flow.ends[edge]):
                    finding.edges.append((int(target), int(flow.ends[edge])))
                edge += 1
