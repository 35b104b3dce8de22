"""Which loop a block belongs to, from every source that says so: as edges that nothing runs along, back to the header.

    head ──▶ test ──▶ work ──▶ out            edges alone: {head, test} is the loop, `work` is behind it
      ▲________│        ┊
      └┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┘  hint              with the edge of the hint: {head, test, work}

    OpLoopMerge of a function that is no tree ─┐
    `member` in the text form                  ├──▶ function.hints ──▶ checked ──▶ Membership.edges ──▶ the loop forest
    what other forms know                     ─┘                          └──▶ RK2502: it can't hold

A hint holds if the header dominates the block, and nothing on the path between them is said to be outside of the loop.
A loop that never comes back (no edge to its header) runs once, and needs none. Source: fake back edges as in llpc.
"""

from typing import final

from reknit.analysis.flat.flow import Flow
from reknit.analysis.natural_loops import NaturalLoops, natural_loops
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.function import Function
from reknit.ir.hint import MERGE, Hint
from reknit.ir.jump import Branch
from reknit.passes.contract import Context
from reknit.source.meter import spend


@final
class Membership:
    """`edges` are (member, header). `hinted` are the headers of loops of which the input says what belongs to them,
    `dropped` counts what it says and can't be."""

    __slots__ = ("edges", "hinted", "dropped")

    def __init__(self) -> None:
        self.dropped = 0
        self.edges: list[tuple[int, int]] = []
        self.hinted: dict[int, None] = {}

    def loops(self, flow: Flow) -> NaturalLoops:
        """The loops with their members."""
        if not self.edges:
            return natural_loops(flow.targets)
        targets = [list(row) for row in flow.targets]
        for member, header in self.edges:
            if header not in targets[member]:
                targets[member].append(header)
        return natural_loops(targets)


def declared_hints(function: Function) -> list[Hint]:
    """What the OpLoopMerge instructions of a flat function say: what the header dominates and reaches without the merge
    block is inside. Costs the loops, each for itself."""
    hints: list[Hint] = []
    headers = [block for block in function.blocks if _loop_merge(block) is not None]
    if not headers:
        return hints
    flow = Flow(_reached(function))
    flow.find_order()
    for header in headers:
        merge = _loop_merge(header)
        if header not in flow.number or merge is None:
            continue
        start = flow.number[header]
        hints.append(Hint(header, header, MERGE))
        outside = flow.number.get(merge, -1)
        seen: dict[int, None] = {start: None}
        work = [start]
        while work:
            spend(1)
            node = work.pop()
            for target in flow.targets[node]:
                if target not in seen and target != outside and flow.dominates(start, target):
                    seen[target] = None
                    work.append(target)
                    hints.append(Hint(flow.blocks[target], header, MERGE))
    return hints


def _loop_merge(block: Block) -> Block | None:
    jump = block.jump
    if isinstance(jump, Branch) and jump.merge is not None and jump.merge.op == op.LoopMerge:
        target = jump.merge.operands[0]
        assert isinstance(target, Block)
        return target
    return None


def _reached(function: Function) -> list[Block]:
    """The blocks that edges lead to, the entry first."""
    seen: dict[Block, None] = {function.blocks[0]: None}
    work = [function.blocks[0]]
    while work:
        spend(1)
        for target in successors(work.pop()):
            if target not in seen:
                seen[target] = None
                work.append(target)
    return [block for block in function.blocks if block in seen]


def resolve(flow: Flow, hints: list[Hint], context: Context) -> Membership:
    """Check the hints against the graph, which is reducible. Those that can't hold are dropped (RK2502)."""
    membership = Membership()
    if not hints:
        return membership
    natural = natural_loops(flow.targets)
    loop_at: dict[int, int] = {header: loop for loop, header in enumerate(natural.header)}
    said: dict[int, list[int]] = {}  # by block: the headers that hints name
    wanted: dict[int, dict[int, Hint]] = {}  # by header: its members
    for hint in hints:
        block = flow.number.get(hint.block, -1)
        header = flow.number.get(hint.header, -1)
        if block < 0 or header < 0:
            continue
        if block != header and not flow.dominates(header, block):
            membership.dropped += 1
            _drop(hint, "its header doesn't dominate it, so it can be reached from outside of the loop", context)
        elif header in loop_at:
            membership.hinted[header] = None
            if block != header:
                said.setdefault(block, []).append(header)
                wanted.setdefault(header, {})[block] = hint
    for header in wanted:
        outer = _around(natural, loop_at, header)
        seen: dict[int, None] = {header: None}
        for block, hint in wanted[header].items():
            path = _way(flow, block, seen)
            fault = -1
            for node in path:
                mine = said.get(node, [])
                if mine and node not in wanted[header] and all(each in outer for each in mine):
                    fault = node
            if fault >= 0:
                between = flow.blocks[fault]
                membership.dropped += 1
                _drop(hint, f"{shown(between)} is on a path to it, and is said to be outside", context)
                continue
            for node in path:
                seen[node] = None
            membership.edges.append((block, header))
    return membership


def _way(flow: Flow, block: int, seen: dict[int, None]) -> list[int]:
    """`block` and the nodes on paths from `header` to it, but for those that were seen."""
    path: dict[int, None] = {}
    work = [block]
    while work:
        spend(1)
        node = work.pop()
        if node in seen or node in path:
            continue
        path[node] = None
        work.extend(flow.sources[node])
    return list(path)


def _around(natural: NaturalLoops, loop_at: dict[int, int], header: int) -> dict[int, None]:
    """The headers of the loops around that of `header`."""
    headers: dict[int, None] = {}
    loop = natural.parent[loop_at[header]]
    while loop >= 0:
        headers[natural.header[loop]] = None
        loop = natural.parent[loop]
    return headers


def _drop(hint: Hint, reason: str, context: Context) -> None:
    where = f"{shown(hint.block)} is not in the loop of {shown(hint.header)}, as the input ({hint.origin}) has it: "
    help = "give the block to an outer loop, or the ones before it to this loop too"
    context.note("RK2502", where + reason, help, hint.block)


def shown(block: Block) -> str:
    return f"block {block.name or ('%' + str(block.id) if block.id else 'without a name')}"
