"""A code block run with care for what may happen between its instructions.

    steps      a   b   [ballot]   c   d   [barrier]   e
               `-+-'              `-+-'               '
    lanes: each lane goes through such a stretch in a time of its own; a tangled instruction waits for all of its tangle
    quads: right before a tangled instruction, those of which all are helpers, or were ended, may be gone

Only tangled instructions depend on which lanes are there, and helpers store nothing, so these are the only times at
which the end of a quad can show. Sources: SPIR-V 1.6 on each tangled instruction ("no invocation executes it before all
invocations in the same scope restricted tangle have executed all dynamic instances that are program-ordered before
it"); Vulkan, "Helper Invocations" (a quad of which all invocations are helpers may be terminated);
SPV_KHR_maximal_reconvergence ("This only occurs when ... the last non-demoted, non-terminated invocation in the
invocation's quad executes OpDemoteToHelperInvocation, OpTerminateInvocation, or OpKill": not when it returns).
"""

import random
from typing import Protocol, final

from reknit.ir import traits
from reknit.ir.instr import Instr
from reknit.sim.choices import Choices
from reknit.sim.code import CodeBlock
from reknit.sim.kernel import Step
from reknit.sim.policy import Policy
from reknit.source.meter import spend


class World(Protocol):
    """What of a machine this needs to know and to do."""

    def alive(self) -> int:
        """The lanes that have not ended."""

    def lanes_of(self, mask: int) -> list[int]:
        """The lanes of a mask, ascending."""

    def end_lanes(self, mask: int) -> None:
        """The lanes end, wherever they are."""


@final
class Careful:
    """How one run uses the freedoms `lanes` and `quads`. `ended` has the lanes of the quads that ended, each with the
    instruction before which they did."""

    __slots__ = ("helpers", "quads", "choices", "ended", "_order", "_coin", "_stretches")

    def __init__(self, policy: Policy, helpers: list[int], choices: Choices) -> None:
        self.helpers = helpers
        self.quads = policy.quads
        self.choices = choices
        self.ended: list[tuple[list[int], Instr]] = []
        self._order = random.Random(policy.lanes) if policy.lanes != "lockstep" else None
        self._coin = random.Random(policy.quads)
        self._stretches: dict[CodeBlock, list[tuple[Instr | None, list[Step]]]] = {}

    def run(self, machine: World, here: CodeBlock, mask: int) -> int:
        """Run the instructions of a code block for the lanes of `mask`; gives those of them that are still there."""
        for tangled, steps in self.stretches(here):
            if tangled is not None:
                mask = self.end_quads(machine, mask, tangled)
                if not mask:
                    return 0
            lanes = machine.lanes_of(mask)
            if tangled is not None or self._order is None or len(lanes) == 1:
                weight = 1 + (len(lanes) >> 3)
                for step in steps:
                    spend(weight)
                    step(lanes)
            else:
                self.interleave(steps, lanes, self._order)
        return mask

    def stretches(self, here: CodeBlock) -> list[tuple[Instr | None, list[Step]]]:
        """The steps of a block, cut at its tangled instructions, each of which is alone and named."""
        stretches = self._stretches.get(here)
        if stretches is None:
            stretches = []
            for step, instr in zip(here.steps, here.instrs, strict=True):
                tangled = instr if instr.op in traits.TANGLED else None
                if tangled is not None or not stretches or stretches[-1][0] is not None:
                    stretches.append((tangled, []))
                stretches[-1][1].append(step)
            self._stretches[here] = stretches
        return stretches

    def interleave(self, steps: list[Step], lanes: list[int], order: random.Random) -> None:
        """Each lane executes all steps in order; whose turn it is, and for how many steps, chance says: were each step
        a turn, all lanes would stay about as far as each other."""
        waiting = list(lanes)
        done = dict.fromkeys(lanes, 0)
        while waiting:
            lane = waiting[order.randrange(len(waiting))]
            for _ in range(order.randint(1, len(steps))):
                spend(1)
                steps[done[lane]]([lane])
                done[lane] += 1
                if done[lane] == len(steps):
                    waiting.remove(lane)
                    break

    def end_quads(self, machine: World, mask: int, before: Instr) -> int:
        """End what quads of `mask` the run chooses to end among those that may; gives the lanes that stay."""
        alive = machine.alive()
        base = 0
        while mask >> base:
            quad = alive & 0b1111 << base
            if mask & quad and all(self.helpers[base : base + 4]) and self.chooses():
                machine.end_lanes(quad)
                self.ended.append((machine.lanes_of(quad), before))
                mask &= ~quad
            base += 4
        return mask

    def chooses(self) -> bool:
        """Whether a quad that may end does so now."""
        if self.choices.script is not None:
            return self.choices.take(2) == 1
        if self.quads == "stay":
            return False
        return self.quads == "end" or self._coin.random() < 0.5
