"""Definitions: what is used is defined, in this module and function, and on every path to its use.

    b1: %x = ...   b2: ... %x ...     b1 must dominate b2
    phi [%x b1]                       %x must dominate the end of b1, and b1 is one of the blocks before
    if %c, switch %k                  used at the end of the block before

A use that no path reaches may use anything of its function. Source: SPIR-V 1.6, 2.16.1 "Universal Validation Rules".
"""

from typing import final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors, successors
from reknit.ir.debug import may_precede_phis
from reknit.ir.dominators import immediate_dominators
from reknit.ir.flat_graph import subtree_intervals
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough
from reknit.ir.tree import Construct, If, Switch
from reknit.ir.value import Value
from reknit.ir.verify.links import Tree
from reknit.ir.verify.report import Report


@final
class Values:
    """Checks one function. `place` numbers the instructions of the function in the order of their blocks; `known` is
    what the module defines outside of functions, `home` the function of what stands in one."""

    __slots__ = ("report", "function", "tree", "known", "home", "place", "idom", "enter", "leave")

    def __init__(
        self, report: Report, function: Function, tree: Tree, known: dict[Value, None], home: dict[Value, Function]
    ) -> None:
        self.report = report
        self.function = function
        self.tree = tree
        self.known = known
        self.home = home
        self.place: dict[Value, int] = {}
        self.idom: list[int] = []
        self.enter: list[int] = []
        self.leave: list[int] = []

    def check(self) -> None:
        tree = self.tree
        blocks = tree.blocks
        for block in blocks:
            for instr in block:
                self.place[instr] = len(self.place)
        number = tree.number
        edges = [[number[target] for target in self._successors(block) if target in number] for block in blocks]
        self.idom = immediate_dominators(0, edges)
        self.enter, self.leave = subtree_intervals(self.idom)
        self._ends()
        for construct in tree.constructs:
            if isinstance(construct, If):
                self._use_at_end(construct.condition, construct.before(), None)
            elif isinstance(construct, Switch):
                self._use_at_end(construct.selector, construct.before(), None)
        for block in blocks:
            self._block(block)

    def _successors(self, block: Block) -> list[Block]:
        """Where control can go; nowhere by a jump to what is not in this function, which may not even have blocks."""
        jump = block.jump
        target: Construct | None = None
        if isinstance(jump, (Break, Continue)):
            target = jump.target
        elif isinstance(jump, Fallthrough):
            target = jump.target.switch
        return successors(block) if target is None or target in self.tree.first else []

    def _ends(self) -> None:
        """Control may not run off the end of the function."""
        if self.function.structured and self.function.body.first is not None:
            end = self.function.body.end()
            if end.jump is None and self.idom[self.tree.number[end]] >= 0:
                self.report.fault("RK0407", "control reaches the end of the function; a `return` is missing", end)

    def _block(self, block: Block) -> None:
        past_phis = False
        for instr in block:
            if instr.op == op.Phi:
                if past_phis:
                    self.report.fault("RK0411", "a phi stands after what is no phi", block, instr)
                self._phi(block, instr)
                continue
            if not may_precede_phis(instr):
                past_phis = True
            for operand in instr.operands:
                if isinstance(operand, Value):
                    self._use(operand, block, instr)
        jump = block.jump
        if isinstance(jump, (Exit, Branch)):
            instrs = [jump.instr]
            if isinstance(jump, Branch) and jump.merge is not None:
                instrs.append(jump.merge)
            for instr in instrs:
                for operand in instr.operands:
                    if isinstance(operand, Value) and not (isinstance(operand, Block) and isinstance(jump, Branch)):
                        self._use_at_end(operand, block, instr)

    def _phi(self, block: Block, phi: Instr) -> None:
        report = self.report
        sources: dict[Block, None] = {}
        operands = phi.operands
        for index in range(0, len(operands) - 1, 2):
            value = operands[index]
            source = operands[index + 1]
            if not isinstance(source, Block) or not isinstance(value, Value):
                report.fault("RK0412", "a phi takes pairs of a value and a block", block, phi)
                return
            if source not in self.tree.number:
                report.fault("RK0412", f"{report.name(source)} is no block of this function", block, phi)
                continue
            if source in sources:
                report.fault("RK0412", f"{report.name(source)} is named twice", block, phi)
            sources[source] = None
            self._use_at_end(value, source, phi)
        before = predecessors(block)
        for source in before:
            if source not in sources:
                report.fault("RK0412", f"no value for {report.name(source)}, which comes before", block, phi)
        missing = dict.fromkeys(before)
        for source in sources:
            if source not in missing:
                report.fault("RK0412", f"a value for {report.name(source)}, which does not come before", block, phi)

    def _is_here(self, value: Value, block: Block, instr: Instr | None) -> bool:
        """Whether `value` is defined in a block of this function. What may not be named here at all is reported."""
        if value in self.place:
            return True
        if value in self.known:
            return False
        owner = self.home.get(value)
        if owner is self.function and not isinstance(value, Block):
            return False
        name = self.report.name(value)
        if isinstance(value, Block):
            self.report.fault("RK0409", f"the block {name} is used as a value", block, instr)
        elif owner is not None:
            self.report.fault("RK0409", f"{name} belongs to the function {self.report.name(owner)}", block, instr)
        else:
            self.report.fault("RK0409", f"{name} is not defined in this module", block, instr)
        return False

    def _use(self, value: Value, block: Block, user: Instr) -> None:
        """`user`, an instruction of `block`, uses `value`."""
        if not self._is_here(value, block, user):
            return
        assert isinstance(value, Instr)
        if value.block is block:
            if self.place[value] >= self.place[user]:
                self.report.fault("RK0410", f"{self.report.name(value)} is not defined before it", block, user)
            return
        self._dominates(value, block, user)

    def _use_at_end(self, value: Value, block: Block, user: Instr | None) -> None:
        """`value` is used when `block` is left."""
        if self._is_here(value, block, user):
            assert isinstance(value, Instr)
            if value.block is not block:
                self._dominates(value, block, user)

    def _dominates(self, value: Instr, block: Block, user: Instr | None) -> None:
        source = value.block
        assert source is not None
        here = self.tree.number[block]
        if self.idom[here] < 0:
            return
        there = self.tree.number[source]
        if self.leave[there] < 0 or not self.enter[there] <= self.enter[here] < self.leave[there]:
            at = self.report.name(source)
            name = self.report.name(value)
            self.report.fault("RK0410", f"{name} is defined in {at}, which is not on every path here", block, user)
