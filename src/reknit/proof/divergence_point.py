"""Where two runs diverge: the first tangled operation of a lane that is not the same in both.

    lane 2    before: ballot {0,2}, ballot {0,1,2,3}        after: ballot {0,2}, ballot {2}
                                    └── its operation 2: four lanes before, one after

A lane's operations are compared in its own order: opcode, which lanes of its subgroup take part, what it gets.
"""

from typing import Any, Final, final

from reknit.ir import op, traits
from reknit.ir.instr import Instr
from reknit.sim.builtins import Origin
from reknit.sim.code import CodeBlock
from reknit.sim.faults import describe
from reknit.sim.kernel import Step
from reknit.sim.policy import Policy
from reknit.sim.run import Program
from reknit.sim.trace import block_name

Groups = tuple[int, int, int]
MAX_SEEN: Final = 100_000  # operations of all lanes; where runs diverge later than that, it is not reported


@final
class Seen:
    """One lane's part in one operation. `mask` has bit i for lane i of its subgroup."""

    __slots__ = ("code", "mask", "value", "what", "block")

    def __init__(self, code: int, mask: int, value: object, what: str, block: str) -> None:
        self.code = code
        self.mask = mask
        self.value = value
        self.what = what
        self.block = block

    def same(self, other: "Seen") -> bool:
        return self.code == other.code and self.mask == other.mask and self.value == other.value

    def __str__(self) -> str:
        value = f", which gives it {self.value}" if self.value is not None else ""
        return f"{self.what} in {self.block} with {members(self.mask)} of its subgroup{value}"

    def to_json(self) -> dict[str, object]:
        return {"operation": self.what, "block": self.block, "mask": self.mask, "value": self.value}


@final
class DivergencePoint:
    """Operation `number` (from 1) of `lane` in workgroup `group`; None where one of the two has no such operation."""

    __slots__ = ("group", "lane", "number", "before", "after")

    def __init__(self, group: int, lane: int, number: int, before: Seen | None, after: Seen | None) -> None:
        self.group = group
        self.lane = lane
        self.number = number
        self.before = before
        self.after = after

    def to_json(self) -> dict[str, object]:
        return {
            "group": self.group,
            "lane": self.lane,
            "number": self.number,
            "before": self.before.to_json() if self.before is not None else None,
            "after": self.after.to_json() if self.after is not None else None,
        }


Log = dict[tuple[int, int], list[Seen]]
"""What each lane did: (workgroup, lane) -> its operations in order."""


def first_divergence(before: Log, after: Log) -> DivergencePoint | None:
    """The earliest one, counted in a lane's own operations; of several the first lane's."""
    earliest: DivergencePoint | None = None
    for group, lane in sorted({**before, **after}):
        mine = before.get((group, lane), [])
        other = after.get((group, lane), [])
        for number in range(max(len(mine), len(other))):
            if earliest is not None and number + 1 >= earliest.number:
                break
            left = mine[number] if number < len(mine) else None
            two = other[number] if number < len(other) else None
            if left is None or two is None or not left.same(two):
                earliest = DivergencePoint(group, lane, number + 1, left, two)
                break
    return earliest


def log_of(
    program: Program, policy: Policy, groups: Groups, buffers: dict[str, Any], max_steps: int, origin: Origin | None
) -> Log | None:
    """Run a program that nothing else will use: its steps are changed. None where there was too much to keep."""
    recorder = _Recorder(program)
    program.run(policy, groups, buffers, max_steps=max_steps, origin=origin)
    return recorder.log if recorder.count < MAX_SEEN else None


@final
class _Recorder:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.log: Log = {}
        self.count = 0
        for block in program.code:
            for at, instr in enumerate(block.instrs):
                if instr.op in traits.TANGLED:
                    block.steps[at] = self.recorded(block.steps[at], instr, block)

    def recorded(self, step: Step, instr: Instr, block: CodeBlock) -> Step:
        size = self.program.preparation.subgroup_size
        faults = self.program.faults
        column: list[Any] | None = None
        if instr.type is not None and instr.type.op != op.TypeVoid:
            column = self.program.preparation.column(instr)
        what, where = describe(instr), block_name(block)

        def run(lanes: list[int]) -> None:
            step(lanes)
            if self.count >= MAX_SEEN:
                return
            masks: dict[int, int] = {}
            for lane in lanes:
                masks[lane // size] = masks.get(lane // size, 0) | 1 << (lane % size)
            for lane in lanes:
                value = column[lane] if column is not None else None
                seen = Seen(instr.op, masks[lane // size], value, what, where)
                self.log.setdefault((faults.group, lane), []).append(seen)
            self.count += len(lanes)

        return run


def members(mask: int) -> str:
    """`lanes 0-2, 5`."""
    from reknit.sim.faults import bits_of, lane_list

    return lane_list(bits_of(mask))
