"""Barriers: of execution, where all invocations of a scope must be in the tangle, and of memory, for the watch."""

from typing import final

from reknit.ir import enums
from reknit.ir.instr import Instr
from reknit.sim import access
from reknit.sim.faults import Faults, Stop
from reknit.sim.happens_before import Semantics, narrower
from reknit.sim.kernel import Kernel, Nothing, Step, as_step
from reknit.sim.prepare import Preparation
from reknit.sim.registers import as_list
from reknit.sim.unsupported import Unsupported
from reknit.source.columns import i64, vec


@final
class Meeting(Kernel):
    """All invocations of the workgroup, which are `everyone`, execute `instr` together, or the run stops."""

    __slots__ = ("faults", "instr", "everyone")

    def __init__(self, faults: Faults, instr: Instr, everyone: list[int]) -> None:
        super().__init__(None)
        self.faults = faults
        self.instr = instr
        self.everyone = everyone

    def run(self, lanes: vec[i64]) -> None:
        if len(lanes) != len(self.everyone):
            raise Stop(self.faults.barrier(self.instr, as_list(lanes), self.everyone, "workgroup"))


def all_come(preparation: Preparation, instr: Instr, size: int, group: str) -> Step:
    """Stops where a group of `size` lanes, some of which are given, is not there as a whole: "Behavior is undefined
    unless all invocations within Execution execute the same dynamic instance of this instruction"."""
    present = preparation.present

    def step(lanes: list[int]) -> None:
        if len(lanes) == len(present):
            return
        for first in range(lanes[0] - lanes[0] % size, preparation.lanes, size):
            part = [lane for lane in lanes if first <= lane < first + size]
            those = [lane for lane in present if first <= lane < first + size]
            if part and len(part) < len(those):
                raise Stop(preparation.faults.barrier(instr, part, those, group))

    return step


def barrier(preparation: Preparation, instr: Instr) -> Step:
    """A tangle is the meeting: no lane needs to wait. For the workgroup all its invocations must be in the tangle,
    else the behaviour is undefined; for a subgroup the barrier meets those of the subgroup that are in the tangle, of
    which those that go each for itself wait for the others. What it orders is for the watch."""
    scope = access.constant(preparation, instr.value(0))
    if scope not in (enums.ScopeWorkgroup, enums.ScopeSubgroup, enums.ScopeInvocation):
        raise Unsupported(f"has scope {scope}; the simulator has Subgroup and Workgroup")
    memory = narrower(access.constant(preparation, instr.value(1)), scope)  # of the invocations that meet here
    semantics = Semantics(access.constant(preparation, instr.value(2)))
    everyone = preparation.present
    meets = Meeting(preparation.faults, instr, everyone) if scope == enums.ScopeWorkgroup else Nothing(None)
    meeting = as_step(meets)
    watch = preparation.watch
    if watch is None:
        return meeting

    def step(lanes: list[int]) -> None:
        meeting(lanes)
        watch.order.barrier(watch.numbered(lanes), memory, semantics)

    return step


def memory_barrier(preparation: Preparation, instr: Instr) -> Step | None:
    scope = access.constant(preparation, instr.value(0))
    semantics = Semantics(access.constant(preparation, instr.value(1)))
    if preparation.watch is None or not semantics.orders():
        return None
    watch = preparation.watch

    def step(lanes: list[int]) -> None:
        watch.order.fence(watch.numbered(lanes), scope, semantics)

    return step
