"""What an implementation may choose while it executes an instruction: helper invocations, derivatives.

    helpers        a group operation that has helper invocations among its lanes     which of them are inactive
    launched       the first execution at which it shows, if none need be launched   all | none
    derivatives    OpDPdx, OpDPdy, OpFwidth, and their coarse forms                  fine | coarse, by P0, P3, P1 or P2
    levels         the level of detail of implicit samples                           the same, for itself
    orders         a sum or product of floats over a group                           each that gives another result
    floats         an operation on floats that has few results                       each of them (`sim.float_ways`)

Sources, Vulkan 1.4, "Helper Invocations": "If the MaximallyReconvergesKHR execution mode is applied to the entry point,
helper invocations must remain active for all instructions for the lifetime of the quad scope instance they are a part
of. If the MaximallyReconvergesKHR execution mode is not applied to the entry point, helper invocations may be
considered inactive for group operations other than derivative and quad group operations." No sentence makes one
operation, or one invocation, do as another does. "When performing derivative or quad group operations in a fragment
shader, additional invocations may be spawned in order to ensure correct results": a shader that executes none, and
doesn't declare RequireFullQuadsKHR ("Helper invocations must be spawned such that all quad groups start with four
active invocations"), may have no such invocations.

"Derivative Operations": "The results for OpDPdx and OpDPdy may be calculated as either fine or coarse derivatives, with
implementations favoring the most efficient approach. Implementations must choose coarse or fine consistently between
the two." Coarse ones "may only calculate two values instead of four (one for each of DPdx and DPdy), reusing the same
result no matter the originating invocation. If an implementation does this, it should use the fine derivative
calculations described for P0". So there is one choice for all derivatives of a run. Implicit samples, which are
"equivalent to executing OpDPdx(Coordinate) and OpDPdy(Coordinate)", have one of their own, since devices compute it
elsewhere.
"""

import random
from typing import Final, final

from reknit.ir.instr import Instr
from reknit.sim.choices import SHARED, Choices
from reknit.sim.policy import Policy

FINE: Final = -1
"""A way to take a derivative: FINE, or the invocation of the quad, 0 to 3, whose differences all four have."""

COARSE_FIRST: Final = (0, FINE, 3, 1, 2)  # what the coarse forms may be, the recommended one first
MAX_APART: Final = 6  # helper invocations of one operation that are chosen one by one

HELPER: Final = "helper"
DERIVATIVE: Final = "derivative"
FLOAT: Final = "float"
KINDS: Final = (HELPER, DERIVATIVE, FLOAT)
"""What a choice is about."""

SETTLED: Final = "settled"  # no helper invocation may be considered inactive
LAUNCHED: Final = "launched"  # those that were not demoted may not have been launched
COUNTED: Final = "counted"
TAKEN: Final = "taken"
EACH: Final = "each"  # each operation may do without any of them


@final
class StepChoices:
    """The choices of one run. `natural` has 1 for each lane that is a helper invocation from its start on; `inactive`
    says before which operation lanes were considered inactive, `partial` why not all choices can be gone through."""

    __slots__ = (
        "choices", "helpers", "freedom", "natural", "chosen", "partial", "absent", "derivatives", "levels",
        "open_orders", "kinds", "follows_sets", "float_ways", "float_count", "settled", "_coin",
    )  # fmt: skip

    def __init__(self, lanes: int) -> None:
        self.choices: Choices | None = None
        self.helpers = "active"
        self.freedom = SETTLED  # of helper invocations: by the entry point
        self.natural: list[int] = [0] * lanes
        self.chosen: list[str] = []
        self.partial = ""
        self.absent: list[int] = [0]  # whether natural helper invocations were not launched: what is still possible
        self.derivatives: list[tuple[int, int]] = []  # (plain, coarse): ways that are still possible
        self.levels: list[int] = []
        self.kinds: dict[str, None] = {}  # of choices that were made in any run
        self.open_orders: dict[Instr, None] = {}  # folds of floats that not all orders were gone through of
        self.follows_sets = False  # floats are (`shadow.bounds`): nothing is chosen of what these cover
        self.float_ways = ""  # what float operations may give (`sim.float_ways`): COUNTED, or TAKEN as choices
        self.float_count = 1  # how many ways a run has come to
        self.settled: Instr | None = None  # the operation that was executed last, if all of its ways are gone through
        self._coin = random.Random(0)

    def begin(self, policy: Policy, choices: Choices) -> None:
        scripted = choices.script is not None
        self.choices = choices
        self.float_count = 1
        self.settled = None
        self.helpers = policy.helpers
        self.chosen = []
        self.partial = ""
        self._coin = random.Random(f"{policy.helpers}/{policy.derivatives}")
        self.absent = [0, 1] if scripted or policy.helpers != "active" else [0]
        if policy.helpers == "inactive" and not scripted:
            self.absent = [1]
        ways = [(FINE, coarse) for coarse in COARSE_FIRST]
        ways.extend([(coarse, coarse) for coarse in COARSE_FIRST if coarse != FINE])
        if not scripted:
            by_setting = {"fine": ways[:1], "coarse": ways[len(COARSE_FIRST) : len(COARSE_FIRST) + 1]}
            ways = by_setting.get(policy.derivatives, [self._coin.choice(ways)])
        self.derivatives = ways[:1] if self.follows_sets else ways
        self.levels = list(dict.fromkeys([plain for plain, _ in ways]))

    def pick(self, width: int) -> int:
        """Which of several results, all of them different, an operation with helper invocations has: 0 is with all of
        them active, 1 with none."""
        assert self.choices is not None
        if width == 1:
            return 0
        if self.choices.script is not None:
            return self.choices.take(width)
        if self.helpers == "active":
            return 0
        return 1 if self.helpers == "inactive" else self._coin.randrange(width)

    def settle(self, groups: int, subgroup: int = SHARED) -> int:
        """Which of several groups of ways, which differ in what they give here, a run goes on with; chosen by one
        subgroup, or SHARED."""
        assert self.choices is not None
        if groups == 1:
            return 0
        return self.choices.take(groups, subgroup) if self.choices.script is not None else self._coin.randrange(groups)

    def tell(self, kind: str, text: str) -> None:
        """A choice was made: HELPER, DERIVATIVE, FLOAT."""
        self.kinds[kind] = None
        if len(self.chosen) < 8:
            self.chosen.append(text)
