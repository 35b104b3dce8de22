"""A flat function as numbers: what the control-flow tree is built from.

    b1 ─▶ b2 ─▶ b4        edges by block number, merge and continue edges beside them,
     └──▶ b3 ─┘           the structural dominator tree, and what contradicts the merge instructions

Structural reachability and dominance count merge and continue edges (SPIR-V 1.6, 2.11 "Structured Control Flow").
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import branch_targets
from reknit.ir.dominators import immediate_dominators
from reknit.ir.flat_graph import reverse_postorder, subtree_intervals
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch

NONE: Final = -1


@final
class Unstructured(Exception):
    """The function is no control-flow tree; the message says which rule is broken, at which block."""

    def __init__(self, code: str, message: str, block: Block) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.block = block


@final
class Graph:
    """The flat function as numbers. Blocks are numbered as they stand; every list is indexed by block number.

    `successors`, `merge_of`, `continue_of` (NONE if none), `reached` structurally, `idom`, `children` of the structural
    dominator tree, `enter` and `leave` its depth-first interval, `rank` the reverse post-order position.
    """

    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.number: dict[Block, int] = {block: index for index, block in enumerate(blocks)}
        count = len(blocks)
        self.successors: list[list[int]] = []
        self.structural: list[list[int]] = []  # successors, merge block and continue target
        self.merge_of: list[int] = [NONE] * count
        self.continue_of: list[int] = [NONE] * count
        self.merges: list[int] = [NONE] * count  # block -> the header whose merge block it is
        self.continues: list[int] = [NONE] * count  # block -> the loop header whose continue target it is
        self.reached: list[bool] = [False] * count
        self.rank: list[int] = [NONE] * count
        self.by_rank: list[int] = []
        self.idom: list[int] = []
        self.children: list[list[int]] = [[] for _ in blocks]
        self.enter: list[int] = [NONE] * count
        self.leave: list[int] = [NONE] * count
        self.forward: list[int] = [0] * count  # how many forward edges lead to it

    def analyse(self) -> None:
        """Fill everything in; raises `Unstructured` where merge instructions contradict the graph."""
        self._edges()
        self._rank(self.structural)
        self._declared()
        self.idom = immediate_dominators(0, self.structural)
        self._intervals()
        for header, block in enumerate(self.blocks):
            if not self.reached[header]:
                continue
            _check_phis(block)
            merge = self.merge_of[header]
            if merge != NONE and (self.idom[merge] != header or merge == header):
                raise Unstructured("RK0501", f"its merge block {self.name(merge)} is not dominated by it", block)
            target = self.continue_of[header]
            if target != NONE and target != header and self.idom[target] != header:
                raise Unstructured("RK0501", f"its continue target {self.name(target)} is not dominated by it", block)
            for successor in self.successors[header]:
                if not self.dominates(successor, header):
                    if self.rank[successor] <= self.rank[header]:
                        entered = self.name(successor)
                        raise Unstructured("RK0502", f"it jumps into the loop at {entered} from outside", block)
                    self.forward[successor] += _edge_count(block)
                elif self.continue_of[successor] == NONE:
                    raise Unstructured(
                        "RK0502", f"it branches back to {self.name(successor)}, which has no OpLoopMerge", block
                    )

    def name(self, index: int) -> str:
        return block_name(self.blocks[index])

    def dominates(self, above: int, below: int) -> bool:
        return self.enter[above] <= self.enter[below] < self.leave[above]

    def _edges(self) -> None:
        for index, block in enumerate(self.blocks):
            jump = block.jump
            targets: list[int] = []
            # Merge edge first, so that a depth-first search leaves the merge block early and its rank comes late.
            structural = targets
            if isinstance(jump, Branch):
                if jump.instr.op == op.Branch:
                    label = jump.instr.operands[0]
                    assert isinstance(label, Block)
                    targets.append(self.number[label])
                else:
                    targets.extend([self.number[target] for target in branch_targets(jump.instr)])
                merge = jump.merge
                if merge is not None:
                    label = merge.operands[0]
                    assert isinstance(label, Block)
                    self.merge_of[index] = self.number[label]
                    structural = [self.merge_of[index]]
                    if merge.op == op.LoopMerge:
                        label = merge.operands[1]
                        assert isinstance(label, Block)
                        self.continue_of[index] = self.number[label]
                        structural.append(self.continue_of[index])
                    structural.extend(targets)
            self.successors.append(targets)
            self.structural.append(structural)

    def _rank(self, structural: list[list[int]]) -> None:
        self.by_rank = reverse_postorder(structural)
        for place, index in enumerate(self.by_rank):
            self.rank[index] = place
            self.reached[index] = True

    def _declared(self) -> None:
        for header, block in enumerate(self.blocks):
            merge = self.merge_of[header]
            if merge == NONE or not self.reached[header]:
                continue
            if self.merges[merge] != NONE:
                other = self.name(self.merges[merge])
                raise Unstructured(
                    "RK0503", f"its merge block {self.name(merge)} is the merge block of {other} too", block
                )
            self.merges[merge] = header
            target = self.continue_of[header]
            if target != NONE:
                if target == merge:
                    raise Unstructured("RK0503", "its merge block and its continue target are the same block", block)
                if target == header:
                    continue  # a loop of one block
                if self.continues[target] != NONE:
                    other = self.name(self.continues[target])
                    raise Unstructured("RK0503", f"its continue target is the continue target of {other} too", block)
                self.continues[target] = header

    def _intervals(self) -> None:
        for index in self.by_rank:
            if index != 0:
                self.children[self.idom[index]].append(index)
        self.enter, self.leave = subtree_intervals(self.idom)


def block_name(block: Block) -> str:
    return f"%{block.name}" if block.name else f"%{block.id}"


def flat_predecessors(block: Block) -> list[Block]:
    """Predecessors of a block in a flat function."""
    sources: dict[Block, None] = {}
    for user in block.use_list():
        if isinstance(user, Instr) and user.block is not None:
            jump = user.block.jump
            if isinstance(jump, Branch) and jump.instr is user:
                sources[user.block] = None
    return list(sources)


def _edge_count(block: Block) -> int:
    """How many edges a block has to each of its successors: two from a conditional branch whose labels are the same."""
    jump = block.jump
    same = (
        isinstance(jump, Branch)
        and jump.instr.op == op.BranchConditional
        and jump.instr.operands[1] is jump.instr.operands[2]
    )
    return 2 if same else 1


def _check_phis(block: Block) -> None:
    """A phi has one value for each predecessor (SPIR-V 1.6, OpPhi)."""
    if not block.has_phis():
        return
    phis = list(block.phis())
    wanted = dict.fromkeys(flat_predecessors(block))
    for phi in phis:
        given: dict[Block, None] = {}
        for place in range(1, len(phi.operands), 2):
            source = phi.operands[place]
            if isinstance(source, Block):
                given[source] = None
        if given.keys() != wanted.keys() or 2 * len(given) != len(phi.operands):
            raise Unstructured("RK0507", "the pairs of a phi are not the block's predecessors", block)
