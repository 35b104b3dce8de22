"""Hold claims about loads of shared memory to a run: between the same two barriers nothing is stored where one loads.

    %v = Load %s[9]     said to be the same for the workgroup      barrier number 2, (s, 9)
    Store %s[i], %x     by any invocation                          barrier number 2, (s, 0), (s, 1) ...

A machine that steps a whole workgroup at once reads one value at each load, whatever the claim. Subgroups that run on
their own would not, so what is compared is not the values but where they come from. A call with a pointer is a store.
"""

from collections.abc import Callable

from kit.oracles.in_turn import in_turn
from reknit.analysis.manager import Analyses
from reknit.analysis.uniformity.scope import WORKGROUP
from reknit.analysis.uniformity.uniformity import Uniformity
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.types import storage_of
from reknit.sim.kernel import Step
from reknit.sim.policy import GRAPH, Policy
from reknit.sim.run import Program, prepare

MAX_STEPS = 400_000
Place = tuple[int, ...]
"""A variable, as its identity, and the indices that lead into it."""


def stores_beside(module: Module, subgroup_size: int, policies: list[Policy]) -> tuple[list[str], int]:
    """Claimed loads beside which something was stored, as texts, and how many claimed loads ran, by interval and place.
    The workgroup of the only entry point has no other."""
    program = prepare(module, subgroup_size=subgroup_size, assume=GRAPH)
    uniformity = Analyses(module).of_module_with(Uniformity, WORKGROUP)
    passed: dict[int, int] = {}  # barriers of the workgroup, by lane
    stored: dict[int, dict[Place, None]] = {}
    loaded: dict[tuple[int, Place], None] = {}
    for code in program.code:
        of = uniformity.of(code.function)
        steps: list[Step] = []
        for step, instr in zip(code.steps, code.instrs, strict=True):
            parts: list[Step] = []
            if instr.op == op.ControlBarrier and as_int(instr.value(0)) == enums.ScopeWorkgroup:
                parts.append(_counting(passed))
            for operand in instr.operands:
                place = _place(program, operand) if isinstance(operand, Instr) and _is_shared(operand) else None
                if place is not None and instr.op == op.Load and of.is_uniform(instr):
                    parts.append(_loading(place, passed, loaded))
                elif place is not None and instr.op not in traits.KEEPS_MEMORY:
                    parts.append(_storing(place, passed, stored))
            parts.append(step)
            steps.append(in_turn(parts))
        code.steps[:] = steps
    beside: list[str] = []
    count = 0
    for policy in policies:
        for noted in (passed, stored, loaded):
            noted.clear()
        program.run(policy, (1, 1, 1), None, max_steps=MAX_STEPS)
        count += len(loaded)
        for interval, source in loaded:
            for goal in stored.get(interval, ()):
                shared = min(len(source), len(goal))
                if source[:shared] == goal[:shared]:
                    beside.append(f"load of {source} beside a store to {goal}, behind {interval} barriers")
    return beside, count


def _is_shared(pointer: Instr) -> bool:
    type = pointer.type
    return type is not None and type.op == op.TypePointer and storage_of(type) == enums.StorageClassWorkgroup


def _place(program: Program, pointer: Instr) -> Callable[[int], Place] | None:
    """Of each lane; None for a parameter, whose place is noted where it is given."""
    indices: list[Instr] = []
    current = pointer
    while current.op in traits.OBJECT_CHAIN:
        indices[:0] = [current.instr(at) for at in range(1, len(current.operands))]
        current = current.instr(0)
    if current.op != op.Variable:
        return None
    root = id(current)
    columns = [(as_int(index), program.preparation.column(index)) for index in indices]

    def place(lane: int) -> Place:
        return (root, *(known if known is not None else int(column[lane]) for known, column in columns))

    return place


def _counting(passed: dict[int, int]) -> Step:
    def step(lanes: list[int]) -> None:
        for lane in lanes:
            passed[lane] = passed.get(lane, 0) + 1

    return step


def _loading(place: Callable[[int], Place], passed: dict[int, int], loaded: dict[tuple[int, Place], None]) -> Step:
    def step(lanes: list[int]) -> None:
        for lane in lanes:
            loaded[passed.get(lane, 0), place(lane)] = None

    return step


def _storing(place: Callable[[int], Place], passed: dict[int, int], stored: dict[int, dict[Place, None]]) -> Step:
    def step(lanes: list[int]) -> None:
        for lane in lanes:
            stored.setdefault(passed.get(lane, 0), {})[place(lane)] = None

    return step
