"""Call frames of a walk, and the traversals of all functions of a program."""

from typing import final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.dispatch import dynamic_callees
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.tree import Construct
from reknit.ir.value import Value
from reknit.ir.walk import instructions
from reknit.proof.normal_form.not_decided import NotDecided
from reknit.proof.normal_form.states import Held, Join, State
from reknit.proof.normal_form.traversal import Traversal
from reknit.source.meter import spend

Target = tuple[int, Function, Value | None, tuple[int, ...]]
"""One of the calls that a dynamic call is: its condition, what is called, the table that it was looked up in, and those
bound to its leading parameters."""


@final
class Frame:
    """A call: its values, each with the iteration that it was computed in, its joins, and where it goes on. `base` is
    the rank before its first step; `block` is walked up to `next`. `context` is `number`, or that of the iteration that
    is walked by itself: what tells its loops, switches and calls from those of other iterations."""

    __slots__ = ("number", "context", "function", "traversal", "base", "step", "block", "next", "values", "state",
                 "join", "joins", "labels", "conditions", "call", "arms", "met")  # fmt: skip

    def __init__(self, number: int, traversal: Traversal, base: int, state: State, call: Instr | None) -> None:
        self.number = number
        self.context = number
        self.function = traversal.function
        self.traversal = traversal
        self.base = base
        self.step = 0
        self.block: Block | None = None
        self.next: Instr | None = None
        self.values: dict[Value, Held] = {}
        self.state = state  # where the caller is
        self.join = Join(state)
        self.joins: dict[Construct, Join] = {}
        self.labels: dict[Value, Join] = {}  # of cases, and of loops where they continue
        self.conditions: dict[Value, list[int]] = {}  # of an If, those of its arms that are to come, the last first
        self.call = call
        self.arms: list[Target] = []  # of a dynamic call that is being walked, those that are to come
        self.met: Join | None = None  # where they meet


def callees_of(instr: Instr, module: Module) -> list[Function]:
    """What an instruction calls, or may call."""
    if instr.op == op.CallDynamic:
        return dynamic_callees(module, instr)
    callee = instr.operands[0] if instr.op == op.FunctionCall else None
    return [callee] if isinstance(callee, Function) else []

def traversals_of(entry: Function, module: Module, summaries: dict[Function, int]) -> dict[Function, Traversal]:
    """The traversals of all functions that are called from `entry`, callees first, but of those that have a summary.
    Raises NotDecided."""
    traversals: dict[Function, Traversal] = {}
    sizes: dict[Function, int] = {}
    open_calls: dict[Function, None] = {}
    work: list[tuple[Function, bool]] = [(entry, False)]
    while work:
        spend(1)
        function, done = work.pop()
        if done:
            traversals[function] = traversal = Traversal(function, _sizes_of_calls(function, sizes, module))
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
            for callee in callees_of(instr, module):
                if callee not in traversals and callee not in summaries:
                    work.append((callee, False))
    return traversals


def _sizes_of_calls(function: Function, sizes: dict[Function, int], module: Module) -> dict[Value, int]:
    """By call, the ranks of what it calls: of several, the most."""
    calls: dict[Value, int] = {}
    for instr in instructions(function):
        callees = callees_of(instr, module)
        if callees:
            calls[instr] = max([sizes.get(callee, 0) for callee in callees])
    return calls
