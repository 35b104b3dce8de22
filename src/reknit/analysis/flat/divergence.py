"""Which loops of a flat function are left by all lanes in the same iteration, whatever reading is taken of it.

    head: if i < n { body; i = i + 1; go to head } else { out }      n uniform: all leave at once, and it is the same
                                                                     whether `out` stands in the loop or behind it

    all values are the same ──▶ over values, branches, loops ──▶ something differs now? ── again
                                                             └─ no: what is left is the same

The lanes are those of a tangle that entered the function, and each block is run once in each run of what is around it
by all that get there, as the structurizer places it. A branch *parts* lanes if its condition may differ. An exit is
*whole* if its branch doesn't part lanes, and all that stay for another iteration come by it: what is still in
the loop takes it, so none takes it in another iteration. A loop is *apart* if an exit is not whole and something in
it parts lanes. Values from a loop that is apart differ behind it, phis where lanes meet that a branch before parted.
What is in an irreducible loop differs, and so do arguments and what calls give. Edges that are never taken
(`executable_edges`) are as if they weren't there. Steps are limited: what isn't found out by then differs.
Source: D. Sampaio et al., Divergence Analysis, 2013.
"""

from typing import ClassVar, Final, final

from reknit.analysis.decorations import Decorations
from reknit.analysis.flat.executable_edges import ExecutableEdges
from reknit.analysis.manager import Analyses, ModuleAnalysis
from reknit.analysis.natural_loops import NaturalLoops
from reknit.analysis.uniformity.memory import Memory
from reknit.analysis.uniformity.operations import same_result
from reknit.analysis.uniformity.scope import SUBGROUP, WORKGROUP, Scope
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.source.meter import spend

STEPS: Final = 64  # walks back from joins may take this many steps a block, all together
_CONDITIONAL: Final = (op.BranchConditional, op.Switch)


@final
class UniformLoads(ModuleAnalysis):
    """What all functions of a module share: which loads give all lanes the same, for each scope."""

    name: ClassVar[str] = "uniform-loads"

    def __init__(self, subgroup: Memory, workgroup: Memory) -> None:
        self.subgroup = subgroup
        self.workgroup = workgroup

    @staticmethod
    def compute(module: Module, analyses: Analyses) -> "UniformLoads":
        decorations = analyses.of_module(Decorations)
        return UniformLoads(Memory(module, decorations, Scope(SUBGROUP)), Memory(module, decorations, Scope(WORKGROUP)))

    def same_as(self, other: ModuleAnalysis) -> bool:
        return isinstance(other, UniformLoads) and list(self.subgroup.written) == list(other.subgroup.written)


@final
class FlatDivergence:
    """`differing` values, `parts[n]`: node n's branch parts lanes, `divided[l]`: something in loop l does."""

    __slots__ = (
        "flow", "loops", "taken", "memory", "exits", "differing", "parts", "divided", "apart", "lost",
        "grown", "left", "mixed",
    )  # fmt: skip

    def __init__(self, loops: NaturalLoops, taken: ExecutableEdges, loads: UniformLoads, wide: bool) -> None:
        flow = taken.flow
        count = len(flow.blocks)
        self.flow = flow
        self.loops = loops
        self.taken = taken
        self.memory: Memory = loads.workgroup if wide else loads.subgroup
        self.differing: dict[Value, None] = {}
        self.parts: list[bool] = [False] * count
        self.divided: list[bool] = [False] * len(loops.header)
        self.apart: list[bool] = [False] * len(loops.header)
        self.lost: list[bool] = list(loops.irreducible)  # loops of which nothing is known
        for loop in range(len(loops.header) - 1, -1, -1):
            if loops.parent[loop] >= 0 and self.lost[loops.parent[loop]]:
                self.lost[loop] = True
        self.grown = True
        self.left = STEPS * count
        self.mixed: dict[int, None] = {}  # nodes where lanes meet that a branch split
        self.exits: list[list[tuple[int, int]]] = loops.exits(taken.targets)
        for node, row in enumerate(flow.targets):
            around = loops.innermost[node] if not row and taken.reached[node] else -1
            while around >= 0:  # a return that is said to be in the loop
                self.exits[around].append((node, -1))
                around = loops.parent[around]
        while self.grown:
            self.grown = False
            for node in flow.by_rank:
                if taken.reached[node]:
                    self._go_over(node)
            for loop in range(len(loops.header)):
                self._look_at(loop)

    def has_whole_exits(self, loop: int) -> bool:
        return any(self._is_whole(loop, source) for source, _ in self.exits[loop])

    def settled(self, loop: int, nodes: list[int]) -> list[int]:
        """Those of `nodes`, which `loop`'s header dominates, that all that come there from `loop` leave it for at once:
        only whole exits lead to them. The first of those is taken by all that are still in the loop."""
        scattered = [target for source, target in self.exits[loop] if not self._is_whole(loop, source)]
        header = self.loops.header[loop]
        seen: dict[int, None] = {}
        while scattered:
            node = scattered.pop()
            if node < 0 or node in seen or node == header or not self.flow.dominates(header, node):
                continue
            self.left -= 1
            if self.left < 0:
                return []
            seen[node] = None
            scattered.extend(self.taken.targets[node])
        return [node for node in nodes if node not in seen and not self._holds(loop, node)]

    # --- values -------------------------------------------------------------------------------------------------------

    def _go_over(self, node: int) -> None:
        block = self.flow.blocks[node]
        around = self.loops.innermost[node]
        lost = around >= 0 and self.lost[around]
        for instr in block:
            if instr.has_result and instr not in self.differing and (lost or not self._same(instr, node)):
                self.differing[instr] = None
                self.grown = True
        if self.parts[node] or len(self.taken.targets[node]) < 2:
            return
        jump = block.jump
        if not isinstance(jump, Branch) or jump.instr.op not in _CONDITIONAL:
            return
        if lost or not self.same_in(jump.instr.value(0), node):
            self.parts[node] = True
            self.grown = True
            while around >= 0 and not self.divided[around]:
                self.divided[around] = True
                around = self.loops.parent[around]

    def same_in(self, value: Value, node: int) -> bool:
        """Whether lanes that come to `node` together hold the same `value`."""
        if value in self.differing or not isinstance(value, Instr):
            return False
        if value.block is None:
            return value.op != op.FunctionParameter and not _is_undefined(value)
        loop = self.loops.innermost[self.flow.number[value.block]]
        while loop >= 0 and not self._holds(loop, node):
            if self.apart[loop]:
                return False
            loop = self.loops.parent[loop]
        return True

    def _holds(self, loop: int, node: int) -> bool:
        around = self.loops.innermost[node]
        while 0 <= around < loop:  # loops are numbered from the inside out
            around = self.loops.parent[around]
        return around == loop

    def _same(self, instr: Instr, node: int) -> bool:
        if instr.op == op.Phi:
            return self._same_phi(instr, node)
        return same_result(instr, self.memory, lambda value: self.same_in(value, node))

    def _same_phi(self, phi: Instr, node: int) -> bool:
        """All sides bring what all lanes hold, and where they bring different things, all lanes come from one."""
        forward: dict[Value, None] = {}
        back: dict[Value, None] = {}
        for index in range(0, len(phi.operands) - 1, 2):
            value = phi.value(index)
            label = phi.operands[index + 1]
            assert isinstance(label, Block)
            source = self.flow.number[label]
            if not self.taken.takes(source, node):
                continue
            if not self.same_in(value, node):
                return False
            if self.flow.is_back(source, node):
                back[value] = None
            else:
                forward[value] = None
        if len(back) > 1 and self.divided[self.loops.innermost[node]]:
            return False
        return len(forward) < 2 or not self._is_mixed(node)

    def _is_mixed(self, node: int) -> bool:
        """Whether lanes come to `node` that a branch parted behind its dominator, or there."""
        if node in self.mixed:
            return True
        top = self.flow.idom[node]
        if self.parts[top]:
            self.mixed[node] = None
            return True
        seen: dict[int, None] = {top: None}
        work = [
            source
            for source in self.flow.sources[node]
            if not self.flow.is_back(source, node) and self.taken.takes(source, node)
        ]
        while work:
            spend(1)
            source = work.pop()
            if source in seen or not self.taken.reached[source]:
                continue
            self.left -= 1
            if self.parts[source] or self.left < 0:
                self.mixed[node] = None
                return True
            seen[source] = None
            work.extend(self.flow.sources[source])
        return False

    # --- loops --------------------------------------------------------------------------------------------------------

    def _look_at(self, loop: int) -> None:
        if self.apart[loop] or not self.divided[loop] and not self.lost[loop]:
            return
        if self.lost[loop] or self._repeats(loop) and not self._all_whole(loop):
            self.apart[loop] = True
            self.grown = True

    def _repeats(self, loop: int) -> bool:
        """Whether any comes back to the header."""
        header = self.loops.header[loop]
        return any(self.taken.takes(latch, header) for latch in self.loops.latches[loop])

    def _all_whole(self, loop: int) -> bool:
        return all(self._is_whole(loop, source) for source, _ in self.exits[loop])

    def _is_whole(self, loop: int, source: int) -> bool:
        """Whether all that are still in `loop` leave it by the exits at `source`, if any does."""
        if self.parts[source] or self.lost[loop]:
            return False
        node = source
        inner = self.loops.innermost[node]
        while True:
            spend(1)
            for latch in self.loops.latches[inner]:
                if self.taken.takes(latch, self.loops.header[inner]) and not self.flow.dominates(node, latch):
                    return False
            if inner == loop:
                return True
            if self.apart[inner]:
                return False
            node = self.loops.header[inner]
            inner = self.loops.parent[inner]


def _is_undefined(value: Instr) -> bool:
    """A constant of which a part is undefined: each use may see another."""
    work = [value]
    while work:
        spend(1)
        current = work.pop()
        if current.op == op.Undef or current.op == op.PoisonKHR:
            return True
        if current.op == op.ConstantComposite or current.op == op.SpecConstantComposite:
            work.extend(part for part in current.operands if isinstance(part, Instr))
    return False
