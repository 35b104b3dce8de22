"""Users: every operand knows what uses it, how often, and no other user is listed.

    %x = IAdd %a, %a : u32     %a.users == {%x: 2}
"""

from typing import final

from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.ir.verify.links import Tree
from reknit.ir.verify.report import Report


@final
class Uses:
    """Collects uses as they are met; `finish` compares the books. `booked` counts the users met of each value."""

    __slots__ = ("report", "booked", "users")

    def __init__(self, report: Report) -> None:
        self.report = report
        self.booked: dict[Value, int] = {}
        self.users: dict[Value, None] = {}

    def instruction(self, instr: Instr, block: Block | None) -> None:
        self.users[instr] = None
        operands = instr.operands
        counts: dict[Value, int] = {}
        for operand in operands:
            if isinstance(operand, Value):
                counts[operand] = counts.get(operand, 0) + 1
        for value, count in counts.items():
            if value.users.get(instr, 0) != count:
                self._miscounted(value, block, instr)
            self.booked[value] = self.booked.get(value, 0) + 1

    def construct(self, user: If | Switch, value: Value) -> None:
        self.users[user] = None
        if value.users.get(user, 0) != 1:
            name = self.report.name(value)
            message = f"{name} does not know that the construct after this block uses it"
            self.report.fault("RK0408", message, user.before())
        self.booked[value] = self.booked.get(value, 0) + 1

    def _miscounted(self, value: Value, block: Block | None, instr: Instr) -> None:
        name = self.report.name(value)
        self.report.fault("RK0408", f"{name} does not know how often this uses it", block, instr)

    def finish(self, value: Value, block: Block | None) -> None:
        """All is collected: `value` must have no user that has not been met."""
        if len(value.users) == self.booked.get(value, 0):
            return
        for user in value.users:
            known = user in self.users
            if known and isinstance(user, Instr):
                known = any(operand is value for operand in user.operands)
            elif known and isinstance(user, If):
                known = user.condition is value
            elif known and isinstance(user, Switch):
                known = user.selector is value
            if not known:
                name = self.report.name(value)
                self.report.fault("RK0408", f"{name} counts a user that does not use it, or is gone", block)
                return


def collect(uses: Uses, tree: Tree) -> None:
    """The uses of a function's constructs."""
    for construct in tree.constructs:
        if isinstance(construct, If):
            uses.construct(construct, construct.condition)
        elif isinstance(construct, Switch):
            uses.construct(construct, construct.selector)
