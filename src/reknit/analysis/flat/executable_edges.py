"""Which edges of a flat function can be executed, as far as values known beforehand tell.

    %bits = BitwiseAnd %lane 6
    %odd = IEqual %bits 1               never: bit 0 isn't set
    BranchConditional %odd a b     =>   the edge to b alone; a, and what is reached only by a, never runs

Values and edges together, each as little as what is known by then asks for: a phi is what comes in along edges that are
taken (conditional constant propagation). A value is looked at again when one before it changed, and is given up after
a few changes, so that counters don't count. Source: M. Wegman, F. Zadeck, Constant Propagation with Conditional
Branches, 1991, over the bits of `known_bits`.
"""

from typing import Final, final

from reknit.analysis.flat.flow import Flow
from reknit.analysis.known_bits import Bits, computed, exact, unknown
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.choices import choices
from reknit.ir.constant_bits import bits_of_scalar
from reknit.ir.instr import Instr
from reknit.ir.types import width_of
from reknit.ir.value import Value
from reknit.source.meter import spend

CHANGES: Final = 3  # of a value, until nothing is known of it


@final
class ExecutableEdges:
    """`reached[n]`: node n can be executed; `targets[n]` are the targets of its edges that may be taken."""

    __slots__ = ("flow", "reached", "targets", "bits", "changes", "work", "waits")

    def __init__(self, flow: Flow) -> None:
        count = len(flow.blocks)
        self.flow = flow
        self.reached: list[bool] = [False] * count
        self.targets: list[list[int]] = [[] for _ in range(count)]
        self.bits: dict[Value, Bits] = {}
        self.changes: dict[Value, int] = {}
        self.work: list[int] = [0]
        self.waits: list[bool] = [False] * count
        self.reached[0] = True
        while self.work:
            spend(1)
            node = self.work.pop()
            self.waits[node] = False
            self._go_over(node)

    def takes(self, source: int, target: int) -> bool:
        return target in self.targets[source]

    def _go_over(self, node: int) -> None:
        block = self.flow.blocks[node]
        for instr in block:
            width = _width(instr)
            if width > 0:
                self._learn(instr, self._result(instr, width, node))
        for target in self._leads_to(block, node):
            if target not in self.targets[node]:
                self.targets[node].append(target)
                self.reached[target] = True
                self._again(target)

    def _learn(self, instr: Instr, bits: Bits | None) -> None:
        if bits is None:
            return
        old = self.bits.get(instr)
        if old is not None:
            bits = old.either(bits)
            if bits.same_as(old):
                return
            times = self.changes.get(instr, 0) + 1
            self.changes[instr] = times
            if times >= CHANGES:
                bits = unknown(bits.width)
        self.bits[instr] = bits
        for user in instr.users:
            block = user.block if isinstance(user, Instr) else None
            if block is not None and block in self.flow.number:
                self._again(self.flow.number[block])
        if instr.block is not None:
            self._again(self.flow.number[instr.block])  # its jump may be a user

    def _again(self, node: int) -> None:
        if self.reached[node] and not self.waits[node]:
            self.waits[node] = True
            self.work.append(node)

    def _result(self, instr: Instr, width: int, node: int) -> Bits | None:
        """None while an operand isn't known: it wasn't reached yet."""
        parts: list[Bits] = []
        if instr.op == op.Phi:
            for index in range(0, len(instr.operands), 2):
                source = instr.operands[index + 1]
                assert isinstance(source, Block)
                if self.takes(self.flow.number[source], node):
                    part = self._bits(instr.value(index), width)
                    if part is not None:
                        parts.append(part)
            known = parts[0] if parts else None
            for part in parts[1:]:
                assert known is not None
                known = known.either(part)
            return known
        for operand in instr.operands:
            if not isinstance(operand, Instr) or _width(operand) == 0:
                return unknown(width)
            part = self._bits(operand, _width(operand))
            if part is None:
                return None
            parts.append(part)
        return computed(instr.op, width, parts)

    def _bits(self, value: Value, width: int) -> Bits | None:
        if isinstance(value, Instr) and value.block is not None:
            return self.bits.get(value)
        number = bits_of_scalar(value)
        return unknown(width) if number is None else exact(width, number)

    def _leads_to(self, block: Block, node: int) -> list[int]:
        """The targets of the edges that may be taken, as far as is known now."""
        every = self.flow.targets[node]
        if len(every) < 2:
            return every
        decider, arms = choices(block)
        if not isinstance(decider, Instr) or _width(decider) == 0:
            return every
        bits = self._bits(decider, _width(decider))
        if bits is None:
            return []
        possible = [arm for arm in arms if any(bits.can_be(number) for number in arm[1])]
        if not possible or not bits.is_exact():
            possible.extend([arm for arm in arms if arm[2] and arm not in possible])
        return [self.flow.number[target] for target, _, _ in possible]


def _width(value: Instr) -> int:
    """Of an integer or a bool, else 0."""
    type = value.type
    if type is None:
        return 0
    if type.op == op.TypeBool:
        return 1
    return width_of(type) if type.op == op.TypeInt else 0
