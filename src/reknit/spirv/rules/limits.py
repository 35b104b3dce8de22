"""How large control flow may be: nesting to a depth of 1,023, 16,383 pairs in an OpSwitch (SPIR-V 1.6, 2.17).

depth of a block   its header's + 1 in a construct, its header's at a merge block
"""

from reknit.ir.flat_graph import filled
from reknit.source.columns import append, i64, vec
from reknit.spirv.rules.subject import Subject

UNKNOWN = -1


def control_flow_stays_within_limits(case: Subject) -> None:
    """B35: nesting and number of pairs."""
    _pairs(case)
    if case.facts.shader:
        _nesting(case)


def _pairs(case: Subject) -> None:
    flow = case.flow
    block: i64 = 0
    while block < flow.count:
        if case.is_switch(block) and case.sound(block):
            row: i64 = flow.last[block]
            pairs: i64 = (i64(case.columns.size[row]) - 3) // (1 + flow.literal_words(row))
            if pairs > case.options.pairs:
                message = f"switch {case.out.at(block)} has {pairs} pairs; the most is {case.options.pairs}"
                case.out.add("B35", message, row, block, breaks=False).header = int(block)
        block += 1


def _nesting(case: Subject) -> None:
    """A block's depth follows from one other block's, so chains of them are walked up and filled in down."""
    flow = case.flow
    tree = case.graph().plain
    header_of = filled(flow.count, UNKNOWN)
    loop_of = filled(flow.count, UNKNOWN)
    block: i64 = 0
    while block < flow.count:
        if flow.merge[block] >= 0:
            header_of[flow.merge[block]] = block
        if flow.continues[block] >= 0:
            loop_of[flow.continues[block]] = block
        block += 1
    depth = filled(flow.count, UNKNOWN)
    deep = filled(len(flow.first), 0)  # by function: whether one of its blocks was reported
    chain = vec[i64]()
    block = 0
    while block < flow.count:
        length: i64 = 0
        node: i64 = block
        while depth[node] == UNKNOWN:
            depth[node] = 0  # ends a circle, which only a graph with other faults has
            if length == len(chain):
                chain = append(chain, node)
            else:
                chain[length] = node
            length += 1
            above: i64 = tree.above[node]
            if above < 0:
                break
            node = _follows(node, above, header_of[node], loop_of[node])
        while length > 0:
            length -= 1
            node = chain[length]
            above = tree.above[node]
            if above >= 0:
                known: i64 = depth[_follows(node, above, header_of[node], loop_of[node])]
                deeper = loop_of[node] >= 0 or (header_of[node] < 0 and flow.merge[above] >= 0)
                depth[node] = known + 1 if deeper else known
        if depth[block] > case.options.nesting and deep[flow.function[block]] == 0 and case.sound(block):
            message = (
                f"{case.out.at(block)} is nested {depth[block]} constructs deep; the most is {case.options.nesting}"
            )
            case.out.add("B35", message, flow.label_row(block), block)
            deep[flow.function[block]] = 1
        block += 1


def _follows(block: i64, above: i64, header: i64, loop: i64) -> i64:
    """The block whose depth decides that of `block`."""
    if loop >= 0:
        return above if loop == block else loop
    return header if header >= 0 else above
