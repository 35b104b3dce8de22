"""What a certificate has to say at a pair of steps: the values that either program may still need there."""

from typing import Final, final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.proof.certificate.follow import Follower
from reknit.proof.certificate.steps import NONE, Steps
from reknit.source.meter import spend

MAX_AGAIN: Final = 12
"""A value that takes more operations to compute again is named instead."""
_CHAINS: Final = (op.AccessChain, op.InBoundsAccessChain)


@final
class Live:
    """`costs`: how many operations compute a value from those that don't follow from others; 0 of the latter.
    `ends`: what is needed behind a run of steps, by its last one."""

    def __init__(self, steps: Steps, follower: Follower) -> None:
        self.steps = steps
        self.follower = follower
        self.costs: dict[int, int] = {}
        self.last: list[int] = [NONE] * len(steps.nodes)
        self.ends: dict[int, set[int]] = {}
        self.known: dict[int, list[int]] = {}
        starts: list[int] = []
        for at in range(len(steps.nodes) - 1, -1, -1):
            ends = at in steps.callees or at + 1 >= len(steps.nodes) or steps.blocks[at + 1] is not steps.blocks[at]
            ends = ends or steps.frames[at + 1] is not steps.frames[at]
            self.last[at] = at if ends else self.last[at + 1]
            if ends:
                self.ends[at] = set()
        sources: dict[int, list[int]] = {}
        for at, node in enumerate(steps.nodes):
            self.costs[at] = self._cost(at, node)
            if steps.blocks[at] is not None and (at == 0 or at - 1 in self.ends):
                starts.append(at)
            if at in self.ends and steps.blocks[at] is not None:
                for target in self._targets(at, node):
                    sources.setdefault(target, []).append(at)
        work = dict.fromkeys(starts)
        while work:
            spend(1)
            start, _ = work.popitem()
            needed = self._before(start)
            block = steps.nodes[start]
            for source in sources.get(start, []):
                new = needed
                if isinstance(block, Block):
                    new = self._for_phis(needed, start, block, source)
                if not new <= self.ends[source]:
                    self.ends[source] |= new
                    first = source
                    while first > 0 and first - 1 not in self.ends:
                        first -= 1
                    work[first] = None

    def _targets(self, at: int, node: Value) -> list[int]:
        blocks: list[Value] = []
        if isinstance(node, Block):
            blocks = [node]
        elif isinstance(node, (If, Switch)):
            blocks = [region.entry() for region in node.regions()]
        elif at in self.steps.callees and isinstance(node, Instr):
            frame = self.steps.callees[at]
            return [frame[function_of_call(node)]]
        elif isinstance(node, Instr) and node.op in (op.Return, op.ReturnValue):
            block = self.steps.blocks[at]
            call = self.steps.frames[at].get(block.function, NONE) if block and block.function else NONE
            return [] if call == NONE else [call + 1]
        return [self.steps.place(at, block) for block in blocks]

    def _cost(self, at: int, node: Value) -> int:
        if isinstance(node, Instr) and self.follower.computes(node):
            return 1 + sum([self.costs.get(each, 0) for each in self._operands(at)])
        return 0

    def follows(self, at: int) -> bool:
        return 0 < self.costs.get(at, 0) <= MAX_AGAIN

    def _operands(self, at: int) -> list[int]:
        node = self.steps.nodes[at]
        values: list[Value] = []
        if isinstance(node, Instr) and node.op != op.Phi:
            values = [each for each in node.operands if isinstance(each, Value)]
            if node.op in (op.Load, op.Store):
                return [each for each in (*self._places(at, values), self._root(at, node)) if each != NONE]
        elif isinstance(node, If):
            values = [node.condition]
        elif isinstance(node, Switch):
            values = [node.selector]
        return [each for each in self._places(at, values) if each != NONE]

    def _places(self, at: int, values: list[Value]) -> list[int]:
        """The steps of operands; of a parameter that is a pointer, that of what it is."""
        places: list[int] = []
        for value in values:
            step = at
            while is_pointer(value) and isinstance(value, Instr) and value.op == op.FunctionParameter:
                step, value = self.steps.argument(step, value)
            if isinstance(value, Instr) and value.op != op.Variable:
                places.append(self.steps.place(step, value))
        return places

    def _root(self, at: int, access: Instr) -> int:
        """The variable that a load or store accesses."""
        pointer = access.value(0)
        while isinstance(pointer, Instr) and (pointer.op in _CHAINS or pointer.op == op.FunctionParameter):
            if pointer.op == op.FunctionParameter:
                at, pointer = self.steps.argument(at, pointer)
            else:
                pointer = pointer.value(0)
        return self.steps.place(at, pointer)

    def _for_phis(self, needed: set[int], start: int, block: Block, source: int) -> set[int]:
        phis = list(block.phis())
        new = needed - {self.steps.place(start, phi) for phi in phis}
        for phi in phis:
            for at in range(0, len(phi.operands), 2):
                if phi.operands[at + 1] is self.steps.blocks[source]:
                    new.add(self.steps.place(start, phi.value(at)))
        return new - {NONE}

    def _before(self, at: int) -> set[int]:
        """What is needed from a step of a block on, phis of it, too."""
        last = self.last[at]
        needed = set(self.ends[last])
        for each in range(last, at - 1, -1):
            node = self.steps.nodes[each]
            if isinstance(node, Instr) and node.op == op.Store and node.instr(0).op == op.Variable:
                needed.discard(self.steps.place(each, node.value(0)))
                needed.update([place for place in self._places(each, [node.value(1)]) if place != NONE])
                continue
            if not (isinstance(node, Instr) and node.op == op.Phi):
                needed.discard(each)
            needed.update(self._operands(each))
        return needed

    def at(self, step: int) -> list[int]:
        """The values that are needed from a step on, and what they are computed from, in the order of the program."""
        if step not in self.known:
            needed: dict[int, None] = {}
            work = sorted(self._before(step))
            while work:
                spend(1)
                each = work.pop()
                if each not in needed:
                    needed[each] = None
                    if self.follows(each):
                        work.extend(self._operands(each))
            self.known[step] = sorted(needed)
        return self.known[step]


def is_pointer(value: Value) -> bool:
    return isinstance(value, Instr) and value.type is not None and value.type.op == op.TypePointer


def function_of_call(call: Instr) -> Value:
    from reknit.ir.function import Function

    callee = call.operands[0]
    assert isinstance(callee, Function)
    return callee.entry()
