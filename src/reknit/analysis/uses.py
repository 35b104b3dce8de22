"""The uses of values in one function: each use of a value with the block that it happens in.

    b1: %x = IAdd ...           uses(x) = [Use(y, 0, b1), Use(phi, 0, b1), Use(if, 0, b2)]
        %y = IMul %x, %x        a phi's use happens at the end of the block that the value comes from,
    b2: if %x                   a branch's at the end of the block before it

`Value.users` counts users; here every operand has its place.
"""

from typing import ClassVar, final

from reknit.analysis.manager import Analyses, FunctionAnalysis
from reknit.analysis.order import Order
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Exit
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value


@final
class Use:
    """Operand `index` of `user` (an Instr, or an If or Switch for what it branches on), used in `block`."""

    __slots__ = ("user", "index", "block")

    def __init__(self, user: Value, index: int, block: Block) -> None:
        self.user = user
        self.index = index
        self.block = block

    def value(self) -> Value:
        """What is used."""
        user = self.user
        if isinstance(user, If):
            return user.condition
        if isinstance(user, Switch):
            return user.selector
        assert isinstance(user, Instr)
        return user.value(self.index)


@final
class Uses(FunctionAnalysis):
    """`all` in source order; `of(v)` those of one value, globals and parameters too."""

    name: ClassVar[str] = "uses"

    def __init__(self, all: list[Use]) -> None:
        self.all = all
        self._of: dict[Value, list[Use]] = {}
        for use in all:
            self._of.setdefault(use.value(), []).append(use)

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "Uses":
        uses: list[Use] = []
        for block in analyses.ask(Order, function).blocks:
            for instr in block:
                _add(uses, instr, block)
            jump = block.jump
            following = block.next
            if isinstance(jump, (Exit, Branch)):
                _add(uses, jump.instr, block)
            elif jump is None and isinstance(following, (If, Switch)):
                uses.append(Use(following, 0, block))
        return Uses(uses)

    def of(self, value: Value) -> list[Use]:
        return self._of.get(value, [])

    def same_as(self, other: FunctionAnalysis) -> bool:
        if not isinstance(other, Uses) or len(self.all) != len(other.all):
            return False
        for mine, theirs in zip(self.all, other.all, strict=True):
            if (mine.user, mine.index, mine.block) != (theirs.user, theirs.index, theirs.block):
                return False
        return True


def _add(uses: list[Use], instr: Instr, block: Block) -> None:
    if instr.op == op.Phi:
        for index in range(0, len(instr.operands) - 1, 2):
            source = instr.operands[index + 1]
            assert isinstance(source, Block)
            uses.append(Use(instr, index, source))
        return
    for index, operand in enumerate(instr.operands):
        if isinstance(operand, Value) and not isinstance(operand, (Block, Function)):
            uses.append(Use(instr, index, block))
