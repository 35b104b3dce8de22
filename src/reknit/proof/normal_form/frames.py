"""Call frames of a walk, and the traversals of all functions of a program."""

from typing import final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.tree import Construct
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.proof.normal_form.events import Run
from reknit.proof.normal_form.states import Join, State
from reknit.proof.normal_form.traversal import Traversal


class NotDecided(Exception):
    """Something has no normal form: what, and where."""

    def __init__(self, reason: str, place: Value | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


@final
class Frame:
    """A call: its values, each with the iteration that it was computed in, its joins, and where it goes on. `base` is
    the rank before its first step; `block` is walked up to `next`."""

    __slots__ = ("number", "function", "traversal", "base", "step", "block", "next", "values", "state", "join", "joins",
                 "labels", "conditions", "call")  # fmt: skip

    def __init__(self, number: int, traversal: Traversal, base: int, state: State, call: Instr | None) -> None:
        self.number = number
        self.function = traversal.function
        self.traversal = traversal
        self.base = base
        self.step = 0
        self.block: Block | None = None
        self.next: Instr | None = None
        self.values: dict[Value, tuple[int, Run]] = {}
        self.state = state  # where the caller is
        self.join = Join(state)
        self.joins: dict[Construct, Join] = {}
        self.labels: dict[Value, Join] = {}  # of cases, and of loops where they continue
        self.conditions: dict[Value, list[int]] = {}  # of an If, those of its arms that are to come, the last first
        self.call = call


def traversals_of(entry: Function) -> dict[Function, Traversal]:
    """The traversals of all functions that are called from `entry`, callees first. Raises NotDecided."""
    traversals: dict[Function, Traversal] = {}
    sizes: dict[Function, int] = {}
    open_calls: dict[Function, None] = {}
    work: list[tuple[Function, bool]] = [(entry, False)]
    while work:
        function, done = work.pop()
        if done:
            traversals[function] = traversal = Traversal(function, sizes)
            sizes[function] = traversal.size
            del open_calls[function]
            continue
        if function in traversals:
            continue
        if function in open_calls:
            raise NotDecided(f"@{function.name} calls itself", function)
        if not function.structured or function.is_declaration():
            raise NotDecided(f"@{function.name} has no control-flow tree", function)
        open_calls[function] = None
        work.append((function, True))
        for instr in instructions(function):
            callee = instr.operands[0] if instr.op == op.FunctionCall else None
            if isinstance(callee, Function) and callee not in traversals:
                work.append((callee, False))
    return traversals
