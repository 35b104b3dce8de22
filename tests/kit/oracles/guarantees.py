"""Which tangles nothing guarantees: a trace, gone through with what weaker rules promise beside each tangle.

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

from typing import NamedTuple, final

from reknit.analysis.manager import Analyses
from reknit.analysis.natural_loops import natural_loops
from reknit.analysis.order import Order
from reknit.analysis.tangles.operations import QUAD, WORKGROUP, group_of
from reknit.analysis.tangles.rules import BASE, MAXIMAL, RULES, SUBGROUP_UNIFORM
from reknit.ir import op, traits
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.sim.code import CodeBlock, SwitchEnd
from reknit.sim.faults import bits_of
from reknit.sim.frames import CALL, CASE, LOOP, SEL
from reknit.sim.kernel import Step
from reknit.sim.policy import Policy
from reknit.sim.run import Program
from reknit.sim.trace import JOIN, PUSH, RUN, SPLIT, Event, Trace


class Frame(NamedTuple):
    """`header` is the code block that ran when it was pushed: of a loop, its header."""

    number: int
    kind: int
    parent: int
    target: int
    header: int


@final
class Classes:
    """The classes of one rule. `group` is the mask size of the scope instances that it unites, 0 for maximal."""

    __slots__ = ("of", "fresh", "group", "headers", "snapshots")

    def __init__(self, lanes: int, group: int) -> None:
        self.of = [0] * lanes  # by lane: its class; equal only within one tangle
        self.fresh = 1
        self.group = group
        self.headers: dict[int, list[list[int]]] = {}  # base, subgroup: the groups that were one class there
        self.snapshots: dict[int, dict[int, int]] = {}  # maximal: each lane's class there

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
                self.snapshots[frame.number] = {lane: self.of[lane] for lane in lanes}
        elif frame.kind == SEL or frame.kind == LOOP:
            self.headers[frame.number] = self.whole_groups(lanes)

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
            snapshot = self.snapshots.pop(frame.number, None)
            if snapshot is not None:
                fresh: dict[int, int] = {}
                for lane in lanes:
                    if snapshot[lane] not in fresh:
                        fresh[snapshot[lane]] = self.fresh
                        self.fresh += 1
                    self.of[lane] = fresh[snapshot[lane]]
            return
        arrived = set(lanes)
        for members in self.headers.pop(frame.number, []):
            if all(lane in arrived for lane in members):
                for lane in members:
                    self.of[lane] = self.fresh
                self.fresh += 1

    def several(self, lanes: list[int]) -> bool:
        return any(self.of[lane] != self.of[lanes[0]] for lane in lanes)


@final
class Executed(NamedTuple):
    """A judged operation and the lanes that execute it together; or, for None, the selectors of those at a switch."""

    instr: Instr | None
    lanes: list[int]
    selectors: list[int]


@final
class Guarantees:
    """Runs of a program. `broken[rule]` are the operations that were seen to depend on more than the rule promises,
    `united` those that were seen where more lanes than the tangle's might run them without the mode. `seen` are all
    that were judged and executed."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lanes = program.preparation.lanes
        self.subgroup = program.preparation.subgroup_size
        self.broken: dict[str, dict[Instr, None]] = {rule: {} for rule in RULES}
        self.united: dict[Instr, None] = {}
        self.seen: dict[Instr, None] = {}
        self.cyclic = _natural_headers(program)
        self.executed: dict[int, list[Executed]] = {}  # by the number of the trace's event in which it was
        for code in program.code:
            self.attach(code)

    def attach(self, code: CodeBlock) -> None:
        """Before each judged operation and each switch, note who is there."""
        steps: list[Step] = []
        instrs: list[Instr] = []
        for step, instr in zip(code.steps, code.instrs, strict=True):
            if instr.op in traits.JUDGED:
                steps.append(self.noting(instr))
                instrs.append(instr)
            steps.append(step)
            instrs.append(instr)
        if isinstance(code.end, SwitchEnd):
            steps.append(self.noting(None, code.end))
            instrs.append(Instr(op.Nop, None, [], "", False))
        code.steps[:] = steps
        code.instrs[:] = instrs

    def noting(self, instr: Instr | None, end: SwitchEnd | None = None) -> Step:
        faults = self.program.faults

        def step(lanes: list[int]) -> None:
            assert faults.trace is not None
            selectors = [end.selector[lane] for lane in lanes] if end is not None else []
            event = len(faults.trace.events) - 1
            self.executed.setdefault(event, []).append(Executed(instr, list(lanes), selectors))

        return step

    def run(self, policy: Policy, max_steps: int = 1_000_000) -> None:
        """What is seen gathers over all runs."""
        self.executed.clear()
        trace = self.program.run(policy, max_steps=max_steps, trace=True).trace
        assert trace is not None
        Replay(self, trace).all()


@final
class Replay:
    """One trace, gone through with the classes of each rule."""

    def __init__(self, into: Guarantees, trace: Trace) -> None:
        self.into = into
        self.trace = trace
        self.code = into.program.code
        lanes, size = into.lanes, into.subgroup
        self.rules = {BASE: Classes(lanes, lanes), SUBGROUP_UNIFORM: Classes(lanes, size), MAXIMAL: Classes(lanes, 0)}
        self.frames: dict[int, Frame] = {}
        self.iteration: dict[int, int] = {}
        self.ran: dict[tuple[object, ...], int] = {}
        self.parting: list[Executed] = []
        self.running = -1
        self.group = -1

    def all(self) -> None:
        for number, event in enumerate(self.trace.events):
            if event.group != self.group:
                self.start(event.group)
            lanes = bits_of(event.mask)
            if event.kind != PUSH:  # the block's frames are pushed before its lanes part
                for each in self.parting:
                    self.part(each.lanes, each.selectors)
                self.parting = []
            if event.kind == RUN:
                self.enter(event)
                for each in self.into.executed.get(number, []):
                    if each.instr is None:
                        self.parting.append(each)
                    else:
                        self.execute(each.instr, each.lanes, event)
            elif event.kind == SPLIT:
                for _, mask, _ in self.trace.ways[number]:
                    self.part(bits_of(mask), None)
            elif event.kind == PUSH:
                kind, parent = self.trace.frames[event.number]
                frame = Frame(event.number, kind, parent, event.block, self.running)
                self.frames[event.number] = frame
                for classes in self.rules.values():
                    classes.pushed(frame, lanes)
            elif event.kind == JOIN and self.frames[event.number].kind != CASE:
                for classes in self.rules.values():
                    classes.joined(self.frames[event.number], lanes)

    def start(self, group: int) -> None:
        """A workgroup begins."""
        self.group = group
        self.iteration.clear()
        self.ran.clear()
        self.running = -1
        for classes in self.rules.values():
            classes.start()

    def enter(self, event: Event) -> None:
        self.running = event.block
        top = self.frames[event.number]
        if top.kind == LOOP and top.header == event.block:
            self.iteration[top.number] = self.iteration.get(top.number, 0) + 1

    def part(self, lanes: list[int], keys: list[int] | None) -> None:
        for classes in self.rules.values():
            classes.part(lanes, keys)

    def execute(self, instr: Instr, lanes: list[int], event: Event) -> None:
        group = group_of(instr)
        size = 4 if group == QUAD else self.into.lanes if group == WORKGROUP else self.into.subgroup
        self.into.seen[instr] = None
        place = self.place(instr, event)
        for part in parts(lanes, size):
            for rule in RULES:
                # What the base rule promises of the workgroup holds beside what is promised of subgroups.
                promised = BASE if rule == SUBGROUP_UNIFORM and group == WORKGROUP else rule
                if self.rules[promised].several(part):
                    self.into.broken[rule][instr] = None
            self.meet(instr, (*place, part[0] // size), part)

    def meet(self, instr: Instr, key: tuple[object, ...], part: list[int]) -> None:
        mask = 0
        for lane in part:
            mask |= 1 << lane
        before = self.ran.get(key, 0)
        if before & mask:  # a cycle without a merge instruction: another time round
            before = 0
        elif before:
            self.into.united[instr] = None
        self.ran[key] = before | mask

    def place(self, instr: Instr, event: Event) -> tuple[object, ...]:
        """What distinguishes dynamic instances without the mode: the calls, and the iterations of the loops
        that the block is a part of."""
        key: list[object] = [instr]
        headers = self.into.cyclic[self.code[event.block].block]
        number = event.number
        while number >= 0:
            frame = self.frames[number]
            if frame.kind == CALL:
                key.append(frame.target)
                if frame.target >= 0:
                    headers = self.into.cyclic[self.code[frame.target].block]
            elif frame.kind == LOOP and frame.header in headers and self.iteration.get(number, 0):
                key.append((frame.header, self.iteration[number]))
            number = frame.parent
        return tuple(key)


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
