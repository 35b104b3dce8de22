"""The control tree of a function as a list of steps, so that a walk needs no recursion; and the order of variables of
its decision diagrams.

    if c { A } else { B }; C        BLOCK, IF(c), ARM, BLOCK(A), ARM_END, ARM, BLOCK(B), ARM_END, END(c), BLOCK(C)

`end_ranks[construct]` and `ranks[instr]` give the order: the later a construct ends, the nearer to the top of diagrams
are the conditions that it is the first to test. In a row of ifs the last one is on top, in a nest the outermost: a
join adds one node.
"""

from typing import Final, final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Value
from reknit.source.meter import spend

BLOCK: Final = 0
IF: Final = 1
SWITCH: Final = 2
SCOPE: Final = 3
LOOP: Final = 4
ARM: Final = 5  # `region` begins, and `end` is the index of its ARM_END
ARM_END: Final = 6
PROCEED: Final = 7  # from the body of a loop to its continuing part
BACK: Final = 8  # the back edge
END: Final = 9

MAX_STEPS: Final = 200_000  # calls followed


@final
class Step:
    """`end` is the index of the step that ends what this one opens."""

    __slots__ = ("kind", "block", "construct", "case", "region", "end")

    def __init__(
        self, kind: int, block: Block | None, construct: Construct | None, case: Case | None, region: Region | None
    ) -> None:
        self.kind = kind
        self.block = block
        self.construct = construct
        self.case = case
        self.region = region
        self.end = -1


@final
class Traversal:
    """`size` counts the ranks of the function with all that it calls."""

    __slots__ = ("function", "steps", "end_ranks", "ranks", "size", "_incoming")

    def __init__(self, function: Function, sizes: dict[Value, int]) -> None:
        """`sizes` has those of its calls."""
        self.function = function
        self.steps: list[Step] = []
        self.end_ranks: dict[Construct, int] = {}
        self.ranks: dict[Value, int] = {}
        self.size = 0
        self._incoming: dict[Value, dict[Value, Value]] = {}  # of phis that were asked for, by block
        self._linearize()
        self._assign_ranks(sizes)

    def incoming(self, phi: Instr, source: Block) -> Value | None:
        """What a phi is on the edge from `source`."""
        values = self._incoming.get(phi)
        if values is None:
            values = self._incoming[phi] = {}
            for at in range(0, len(phi.operands), 2):
                values[phi.value(at + 1)] = phi.value(at)
        return values.get(source)

    def _linearize(self) -> None:
        opened: list[int] = []
        work: list[Step | Region] = [self.function.body]
        while work:
            spend(1)
            item = work.pop()
            if isinstance(item, Region):
                work.extend(reversed(_steps_of(item)))
                continue
            if item.kind in (ARM_END, PROCEED, END):
                self.steps[opened.pop()].end = len(self.steps)
            if item.kind in (IF, SWITCH, SCOPE, LOOP):
                opened.append(len(self.steps))
                work.extend(reversed(_inside(item)))
            elif item.kind == ARM:
                opened.append(len(self.steps))
                assert item.region is not None
                work.append(item.region)
            elif item.kind == PROCEED:
                assert item.region is not None
                work.append(item.region)
            self.steps.append(item)

    def _assign_ranks(self, sizes: dict[Value, int]) -> None:
        count = 0
        order: list[tuple[Value, int]] = []
        for step in self.steps:
            if step.block is not None:
                for instr in step.block:
                    count += 1 + sizes.get(instr, 0)
                    order.append((instr, count))
            elif step.kind == END and step.construct is not None:
                count += 1
                self.end_ranks[step.construct] = count
        self.size = count + 1
        for value, place in reversed(order):
            asking = [self._rank_of_user(user) for user in value.users]
            later = [rank for rank in asking if rank > place]
            self.ranks[value] = min(later) if later else place

    def _rank_of_user(self, user: Value) -> int:
        return self.end_ranks.get(user, 0) if isinstance(user, Construct) else self.ranks.get(user, 0)


def _steps_of(region: Region) -> list[Step | Region]:
    steps: list[Step | Region] = []
    for node in region:
        if isinstance(node, Block):
            steps.append(Step(BLOCK, node, None, None, None))
        elif isinstance(node, If):
            steps.append(Step(IF, None, node, None, None))
        elif isinstance(node, Switch):
            steps.append(Step(SWITCH, None, node, None, None))
        elif isinstance(node, Scope):
            steps.append(Step(SCOPE, None, node, None, None))
        elif isinstance(node, Loop):
            steps.append(Step(LOOP, None, node, None, None))
    return steps


def _inside(step: Step) -> list[Step | Region]:
    """The steps between the one that opens a construct and its end, with the end."""
    node = step.construct
    assert node is not None
    steps: list[Step | Region] = []
    if isinstance(node, Loop):
        steps.append(Step(ARM, None, node, None, node.body))
        steps.append(Step(PROCEED, None, node, None, node.continuing))
        steps.append(Step(BACK, None, node, None, None))
    elif isinstance(node, Switch):
        for case in node.cases:
            steps.append(Step(ARM, None, node, case, case.region))
            steps.append(Step(ARM_END, None, node, case, case.region))
    else:
        for region in node.regions():
            steps.append(Step(ARM, None, node, None, region))
            steps.append(Step(ARM_END, None, node, None, region))
    steps.append(Step(END, None, node, None, None))
    return steps
