"""The results that a module may give: one for each resolution of the freedoms, equal ones once.

    {label, value} x {never, always, random:1, ...} x {lifo, fifo}  ──run──▶  {words of `out`: the policy that gave it}

The first policies are the corners of what the extension leaves open. Where they don't give a result that another module
gives, all choices at all switches are gone through before the answer is no.
"""

from typing import Final, final

from reknit.analysis.tangles.rules import MAXIMAL
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.sim.outcomes import Outcomes as AllOutcomes
from reknit.sim.outcomes import outcomes
from reknit.sim.policy import Policy
from reknit.sim.run import Program, prepare
from reknit.source.diagnostic import InternalError

STEPS: Final = 400_000
LIMIT: Final = 4096  # choices gone through before a search ends without an answer
MEANING: Final = Policy("label", "always", "lifo")  # what shading languages promise: one statement group, one tangle
CORNERS: Final = (
    MEANING,
    Policy("label", "never", "fifo"),
    Policy("value", "never", "random:7"),
    Policy("value", "always", "lifo"),
)
BETWEEN: Final = (
    Policy("label", "random:1", "random:1"),
    Policy("value", "random:2", "fifo"),
    Policy("label", "random:3", "lifo"),
    Policy("value", "random:4", "random:2"),
)

Words = tuple[int, ...]


@final
class Outcomes:
    """`policies` maps a result to the first policy that gave it; `meaning` is that of the policy MEANING.

    The outcomes are those of the module as it is now: passes may change it afterwards. They are by the rules of maximal
    reconvergence, whatever is declared, since passes keep tangles as these have them; a device is held to what is
    declared."""

    __slots__ = ("policies", "meaning", "_program", "_text", "_all", "_rules")

    def __init__(
        self,
        module: Module,
        subgroup_size: int,
        policies: tuple[Policy, ...] = CORNERS,
        rules: str = MAXIMAL,
    ) -> None:
        self._rules = rules
        self._program: Program = prepare(module, subgroup_size=subgroup_size)
        self._text = print_module(module)
        self._all: AllOutcomes | None = None
        self.policies: dict[Words, Policy] = {}
        self.meaning = words_of(self._program, MEANING)
        self.policies[self.meaning] = MEANING
        self.sweep(policies)

    def sweep(self, policies: tuple[Policy, ...]) -> None:
        """Add what these policies give."""
        for policy in policies:
            if policy is not MEANING:
                self.policies.setdefault(words_of(self._program, policy), policy)

    def allows(self, words: Words) -> bool:
        """Whether some resolution of the freedoms gives this result: the policies, then every choice at every switch.

        Raises InternalError if there are too many choices to say no for certain. By other rules than those of maximal
        reconvergence there often are: then the answer is yes."""
        if words in self.policies:
            return True
        if self._all is None:
            size = self._program.preparation.subgroup_size
            self._all = outcomes(parse(self._text), subgroup_size=size, limit=LIMIT, rules=self._rules)
            for outcome in self._all.outcomes:
                self.policies.setdefault(tuple(outcome.words("out")), outcome.policy)
        if words not in self.policies and not self._all.whole:
            if self._all.rules != MAXIMAL:
                return True
            raise InternalError(f"{LIMIT} choices did not give a result, and there are more: {self._all.coverage}")
        return words in self.policies


def words_of(program: Program, policy: Policy) -> Words:
    """What a run leaves in `out`. A fault of the run is ours: the programs have none."""
    result = program.run(policy, max_steps=STEPS)
    if result.diagnostics:
        raise InternalError(f"under {policy}: " + "; ".join(str(diagnostic) for diagnostic in result.diagnostics[:3]))
    return tuple(result.buffers["out"].words)
