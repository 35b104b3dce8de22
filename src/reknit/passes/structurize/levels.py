"""Blocks that follow each other as levels: each is run by the lanes whose number it is.

    scopes would nest:  scope @c { scope @b { scope @a { x } a } b } c

    scope { x: ... level = 1 }  scope { if level == 0 { a ... level = 2 } }  scope { if level == 1 { b } }  c

For stars and ladders of the dominator tree, where as many scopes would stand one in the other as there are blocks. The
levels are in topological order, so lanes that go to one are there when it comes, and a branch to it is a store and a
break of the scope that the branch is in. The last needs no test: all that are still there go to it.
"""

from typing import Final, final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.constants import int_constant
from reknit.ir.edit import append
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.types import bool_type, selector_type
from reknit.ir.value import Value
from reknit.passes.contract import Context
from reknit.passes.structurize.plan import Plan
from reknit.passes.variables import local_variable

LEVEL: Final = "level"  # the name of variables that say which level comes next


@final
class Group:
    """Nodes that became levels. `target` stands for all of them where a branch leads to one; `next` is the level to be
    written next."""

    __slots__ = ("members", "target", "variable", "next")

    def __init__(self, members: list[int], target: int, variable: Instr) -> None:
        self.members = members
        self.target = target
        self.variable = variable
        self.next = 0


@final
class Levels:
    """`group_of[n]` is the group that node n is a level of, or -1, and `index_of[n]` its number there. `settled[n]`:
    all that is placed at n or below is a level already, so that it isn't looked for again."""

    __slots__ = ("function", "context", "plan", "groups", "group_of", "index_of", "settled")

    def __init__(self, function: Function, context: Context, plan: Plan) -> None:
        nodes = len(plan.flow.blocks)
        self.function = function
        self.context = context
        self.plan = plan
        self.groups: list[Group] = []
        self.group_of: list[int] = [-1] * nodes
        self.index_of: list[int] = [0] * nodes
        self.settled: list[bool] = [False] * nodes

    def open(self, members: list[int], target: int) -> Group:
        """A new group, with a variable of its own."""
        i32 = selector_type(self.context.module)
        group = Group(members, target, local_variable(self.function, self.context.module, i32, LEVEL))
        for place, member in enumerate(members):
            self.group_of[member] = len(self.groups)
            self.index_of[member] = place
        self.groups.append(group)
        return group

    def settle(self, members: list[int]) -> list[int]:
        """`members`, which are all that is placed at some node or below, but for what is inside loops there."""
        for member in members:
            self.settled[member] = self.plan.heads[member] < 0
        return members

    def of(self, node: int) -> Group | None:
        number = self.group_of[node]
        return self.groups[number] if number >= 0 else None

    def want(self, block: Block, group: Group, node: int) -> None:
        """At the end of `block`: it is the level of `node` that comes next."""
        self._store(block, group, self._constant(self.index_of[node]))

    def choose(self, block: Block, group: Group, condition: Value, yes: int, other: int) -> None:
        """At the end of `block`: it is the level of `yes` if the condition holds, else that of `other`."""
        i32 = selector_type(self.context.module)
        operands = [condition, self._constant(self.index_of[yes]), self._constant(self.index_of[other])]
        self._store(block, group, append(block, Instr(op.Select, i32, [*operands])))

    def test(self, block: Block, group: Group, place: int) -> Instr:
        """At the end of `block`: whether level `place` is wanted."""
        module = self.context.module
        now = append(block, Instr(op.Load, selector_type(module), [group.variable]))
        return append(block, Instr(op.IEqual, bool_type(module), [now, self._constant(place)]))

    def _store(self, block: Block, group: Group, value: Value) -> None:
        append(block, Instr(op.Store, None, [group.variable, value], "", False))

    def _constant(self, number: int) -> Instr:
        return int_constant(self.context.module, selector_type(self.context.module), number)
