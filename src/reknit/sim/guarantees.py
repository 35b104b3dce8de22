"""Which tangles nothing guarantees: a run of the machine that keeps beside each tangle what weaker rules promise.

    tangle {0 1 2 3}     base            {0 2} {1 3}       an `if` parted them, and not the whole workgroup entered it
                         subgroup        {0 1 2 3}         the whole subgroup did
                         maximal         {0 1 2 3}

The parts are *classes*: lanes that a rule promises to be together. They part wherever lanes take different paths, at an
OpSwitch also by the selector's value, since even the extension lets implementations choose there. They are united

    base        where a selection or loop ends that the whole workgroup entered as one class, and all of it arrives
    subgroup    the same with each subgroup (SPV_KHR_subgroup_uniform_control_flow)
    maximal     at every join, those that were one class when the frame was pushed; not at a label that is reached by
                fallthrough

An operation whose tangle has several classes in one group depends on more than its rule promises. Conversely,
without the mode two tangles that execute the same instruction in the same call and iteration may be run as one
("Control flow may partially or fully reconverge before reaching the merge block"). A block that can't reach its loop's
back edge, as a break's, belongs to no iteration then.
"""

from typing import final

from reknit.analysis.manager import Analyses
from reknit.analysis.natural_loops import natural_loops
from reknit.analysis.order import Order
from reknit.analysis.tangles.operations import QUAD, WORKGROUP, group_of
from reknit.analysis.tangles.rules import BASE, MAXIMAL, RULES, SUBGROUP_UNIFORM
from reknit.ir import traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.sim.code import CodeBlock
from reknit.sim.frames import CALL, CASE, LOOP, SEL, Frame, Tangle
from reknit.sim.kernel import Step
from reknit.sim.observer import Watcher
from reknit.sim.run import Program


@final
class Classes:
    """The classes of one rule. `group` is the mask size of the scope instances that it unites, 0 for maximal."""

    __slots__ = ("of", "fresh", "group", "headers", "snapshots")

    def __init__(self, lanes: int, group: int) -> None:
        self.of = [0] * lanes  # by lane: its class; equal only within one tangle
        self.fresh = 1
        self.group = group
        self.headers: dict[Frame, list[list[int]]] = {}  # base, subgroup: the groups that were one class there
        self.snapshots: dict[Frame, dict[int, int]] = {}  # maximal: each lane's class there

    def start(self) -> None:
        size = self.group if self.group else len(self.of)
        self.headers.clear()
        self.snapshots.clear()
        for lane in range(len(self.of)):
            self.of[lane] = lane // size
        self.fresh = len(self.of)

    def part(self, lanes: list[int], keys: list[int] | None) -> None:
        """`lanes` take one path; with `keys`, those of different keys take different paths."""
        fresh: dict[tuple[int, int], int] = {}
        for index, lane in enumerate(lanes):
            key = (self.of[lane], 0 if keys is None else keys[index])
            if key not in fresh:
                fresh[key] = self.fresh
                self.fresh += 1
            self.of[lane] = fresh[key]

    def pushed(self, frame: Frame, lanes: list[int]) -> None:
        if self.group == 0:
            if frame.kind != CASE:
                self.snapshots[frame] = {lane: self.of[lane] for lane in lanes}
        elif frame.kind == SEL or frame.kind == LOOP:
            self.headers[frame] = self.whole_groups(lanes)

    def whole_groups(self, lanes: list[int]) -> list[list[int]]:
        """The groups of which every lane is in `lanes`, in one class."""
        whole: list[list[int]] = []
        present = set(lanes)
        for first in range(0, len(self.of), self.group):
            members = list(range(first, min(first + self.group, len(self.of))))
            if all(lane in present and self.of[lane] == self.of[first] for lane in members):
                whole.append(members)
        return whole

    def joined(self, frame: Frame, lanes: list[int]) -> None:
        if self.group == 0:
            snapshot = self.snapshots.pop(frame, None)
            if snapshot is not None:
                fresh: dict[int, int] = {}
                for lane in lanes:
                    if snapshot[lane] not in fresh:
                        fresh[snapshot[lane]] = self.fresh
                        self.fresh += 1
                    self.of[lane] = fresh[snapshot[lane]]
            return
        arrived = set(lanes)
        for members in self.headers.pop(frame, []):
            if all(lane in arrived for lane in members):
                for lane in members:
                    self.of[lane] = self.fresh
                self.fresh += 1

    def several(self, lanes: list[int]) -> bool:
        return any(self.of[lane] != self.of[lanes[0]] for lane in lanes)


@final
class Guarantees(Watcher):
    """Watches the runs of a program. `broken[rule]` are the operations that were seen to depend on more than the rule
    promises, `united` those that were seen where more lanes than the tangle's might run them without the mode. `seen`
    are all that were judged and executed."""

    def __init__(self, program: Program) -> None:
        lanes = program.preparation.lanes
        size = program.preparation.subgroup_size
        self.lanes = lanes
        self.subgroup = size
        self.rules = {BASE: Classes(lanes, lanes), SUBGROUP_UNIFORM: Classes(lanes, size), MAXIMAL: Classes(lanes, 0)}
        self.broken: dict[str, dict[Instr, None]] = {rule: {} for rule in RULES}
        self.united: dict[Instr, None] = {}
        self.seen: dict[Instr, None] = {}
        self.tangle: Tangle | None = None
        self.iteration: dict[Frame, int] = {}
        self.ran: dict[tuple[object, ...], int] = {}
        self.code = program.code
        self.cyclic = _natural_headers(program)
        for code in program.code:
            self.attach(code)
        program.guarantees = self

    def attach(self, code: CodeBlock) -> None:
        """Put a check before each judged operation; a program that isn't watched has none."""
        steps: list[Step] = []
        instrs: list[Instr] = []
        for step, instr in zip(code.steps, code.instrs, strict=True):
            if instr.op in traits.JUDGED:
                steps.append(self.check(instr, code))
                instrs.append(instr)
            steps.append(step)
            instrs.append(instr)
        code.steps[:] = steps
        code.instrs[:] = instrs

    def check(self, instr: Instr, code: CodeBlock) -> Step:
        group = group_of(instr)
        size = 4 if group == QUAD else self.lanes if group == WORKGROUP else self.subgroup

        def step(lanes: list[int]) -> None:
            self.seen[instr] = None
            place = self.place(instr, code)
            for part in parts(lanes, size):
                for rule in RULES:
                    # What the base rule promises of the workgroup holds beside what is promised of subgroups.
                    promised = BASE if rule == SUBGROUP_UNIFORM and group == WORKGROUP else rule
                    if self.rules[promised].several(part):
                        self.broken[rule][instr] = None
                self.meet(instr, (*place, part[0] // size), part)

        return step

    def meet(self, instr: Instr, key: tuple[object, ...], part: list[int]) -> None:
        mask = 0
        for lane in part:
            mask |= 1 << lane
        before = self.ran.get(key, 0)
        if before & mask:  # a cycle without a merge instruction: another time round
            before = 0
        elif before:
            self.united[instr] = None
        self.ran[key] = before | mask

    def place(self, instr: Instr, code: CodeBlock) -> tuple[object, ...]:
        """What distinguishes dynamic instances without the mode: the calls, and the iterations of the loops
        that the block is a part of."""
        key: list[object] = [instr]
        assert self.tangle is not None
        frame: Frame | None = self.tangle.top
        headers = self.cyclic[code.block]
        while frame is not None:
            if frame.kind == CALL:
                key.append(frame.target)
                if frame.target >= 0:
                    headers = self.cyclic[self.code[frame.target].block]
            elif frame.kind == LOOP and frame.header in headers and self.iteration.get(frame, 0):
                key.append((frame.header, self.iteration[frame]))
            frame = frame.parent
        return tuple(key)

    # --- what the machine tells ---------------------------------------------------------------------------------------

    def start(self) -> None:
        self.iteration.clear()
        self.ran.clear()
        for classes in self.rules.values():
            classes.start()

    def entered(self, tangle: Tangle) -> None:
        """A tangle begins a code block."""
        self.tangle = tangle
        top = tangle.top
        if top.kind == LOOP and top.header == tangle.at:
            self.iteration[top] = self.iteration.get(top, 0) + 1

    def parted(self, lanes: list[int], keys: list[int] | None) -> None:
        for classes in self.rules.values():
            classes.part(lanes, keys)

    def pushed(self, frame: Frame, lanes: list[int]) -> None:
        for classes in self.rules.values():
            classes.pushed(frame, lanes)

    def joined(self, frame: Frame, lanes: list[int]) -> None:
        for classes in self.rules.values():
            classes.joined(frame, lanes)


def watch(program: Program) -> Guarantees:
    """Have the coming runs of a program watched; what is found gathers over all of them."""
    return Guarantees(program)


def parts(lanes: list[int], size: int) -> list[list[int]]:
    """`lanes`, which ascend, cut into groups of `size` neighbours."""
    members: dict[int, list[int]] = {}
    for lane in lanes:
        members.setdefault(lane // size, []).append(lane)
    return list(members.values())


def _natural_headers(program: Program) -> dict[Block, dict[int, None]]:
    """By block: the code blocks of the headers of the loops that it is part of, as it can reach their back edge."""
    first: dict[Block, int] = {}
    functions: dict[Function, None] = {}
    for code in program.code:
        first.setdefault(code.block, code.header)
        functions[code.function] = None
    headers_of: dict[Block, dict[int, None]] = {}
    analyses = Analyses(program.module)
    for function in functions:
        order = analyses.ask(Order, function)
        loops = natural_loops(order.successors)
        for index, block in enumerate(order.blocks):
            headers: dict[int, None] = {}
            loop = loops.innermost[index]
            while loop >= 0:
                number = first.get(order.blocks[loops.header[loop]])
                if number is not None:
                    headers[number] = None
                loop = loops.parent[loop]
            headers_of[block] = headers
    return headers_of
