"""What a proof came to, and the run that speaks against it.

    proved     after gives only results that before may give: for every input, subgroup size and policy asked about
    sampled    the same, for the inputs and policies that were tried; `coverage` says which
    refuted    with a counterexample: inputs, subgroup size, policy, and word by word before and after
"""

from typing import Final, final

from reknit.prove.parting import Parting
from reknit.sim.outcomes import Outcome

PROVED: Final = "proved"
SAMPLED: Final = "sampled"
REFUTED: Final = "refuted"


@final
class Difference:
    """Word `word` of a buffer, counted from 0, in the result of before that is closest and in that of after."""

    __slots__ = ("buffer", "word", "before", "after")

    def __init__(self, buffer: str, word: int, before: int, after: int) -> None:
        self.buffer = buffer
        self.word = word
        self.before = before
        self.after = after

    def to_json(self) -> dict[str, object]:
        return {"buffer": self.buffer, "word": self.word, "before": self.before, "after": self.after}


@final
class Counterexample:
    """`inputs` are the buffers that are read, by name. `before` is the allowed outcome closest to `after`; `allowed`
    says how many there are. `differences` are empty where `reason` is no wrong word (undefined behaviour)."""

    __slots__ = (
        "entry", "subgroup_size", "groups", "inputs", "reason", "before", "after", "allowed", "differences", "parting",
    )  # fmt: skip

    def __init__(
        self,
        entry: str,
        subgroup_size: int,
        groups: tuple[int, int, int],
        inputs: dict[str, list[int]],
        reason: str,
        before: Outcome,
        after: Outcome,
        allowed: int,
        differences: list[Difference],
        parting: Parting | None,
    ) -> None:
        self.entry = entry
        self.subgroup_size = subgroup_size
        self.groups = groups
        self.inputs = inputs
        self.reason = reason
        self.before = before
        self.after = after
        self.allowed = allowed
        self.differences = differences
        self.parting = parting

    def to_json(self) -> dict[str, object]:
        return {
            "entry": self.entry,
            "subgroup_size": self.subgroup_size,
            "groups": list(self.groups),
            "inputs": self.inputs,
            "reason": self.reason,
            "allowed": self.allowed,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "differences": [difference.to_json() for difference in self.differences],
            "parts_at": self.parting.to_json() if self.parting is not None else None,
        }


@final
class Coverage:
    """What was gone through. `undecided` counts results of after that were not found before, where not all of before's
    could be gone through; `undefined` the inputs for which before promises nothing."""

    __slots__ = (
        "entries", "groups", "subgroup_sizes", "inputs", "whole", "claim", "how", "policies_whole", "policies", "runs",
        "undecided", "undefined", "poison",
    )  # fmt: skip

    def __init__(self, groups: tuple[int, int, int], subgroup_sizes: list[int]) -> None:
        self.entries: list[str] = []
        self.groups = groups
        self.subgroup_sizes = subgroup_sizes
        self.inputs = 0
        self.whole = True
        self.claim: dict[str, None] = {}
        self.how: dict[str, None] = {}
        self.policies_whole = True
        self.policies: dict[str, None] = {}  # why not all policies were gone through
        self.runs = 0
        self.undecided = 0
        self.undefined = 0
        self.poison = 0

    def is_whole(self) -> bool:
        return self.whole and self.policies_whole and not self.undecided and not self.poison

    def stopped(self, inputs: int) -> None:
        """The proof ended at a counterexample, after so many more inputs."""
        self.inputs += inputs
        self.whole = False
        self.policies_whole = False
        self.policies = {"up to the counterexample": None}

    def lines(self) -> list[str]:
        """In words, one fact a line."""
        inputs = f"{'all ' if self.whole else ''}{self.inputs} inputs" if self.inputs != 1 else "1 input"
        said = [f"inputs: {inputs} ({'; '.join(self.how)})"]
        if self.claim:
            said.append(f"given: {'; '.join(self.claim)}")
        sizes = ", ".join(map(str, self.subgroup_sizes))
        said.append(f"subgroup sizes: {sizes}; workgroups: {'x'.join(map(str, self.groups))}")
        policies = "all" if self.policies_whole else f"a sample ({'; '.join(self.policies)})"
        said.append(f"policies: {policies}; {self.runs} runs")
        if self.undefined:
            said.append(f"{self.undefined} inputs are undefined behaviour before, which allows anything after")
        if self.undecided:
            said.append(
                f"{self.undecided} results of after were not found before, where more are allowed than were tried "
                "or undefined values are read"
            )
        if self.poison:
            said.append(f"{self.poison} results of after come of undefined values, which were taken to be 0")
        return said

    def to_json(self) -> dict[str, object]:
        return {
            "entries": self.entries,
            "groups": list(self.groups),
            "subgroup_sizes": self.subgroup_sizes,
            "inputs": self.inputs,
            "inputs_exhaustive": self.whole,
            "given": list(self.claim),
            "policies_exhaustive": self.policies_whole,
            "runs": self.runs,
            "undefined": self.undefined,
            "undecided": self.undecided,
            "text": "; ".join(self.lines()),
        }


@final
class Verdict:
    """`verdict` is PROVED, SAMPLED or REFUTED; `counterexample` is there if refuted."""

    __slots__ = ("verdict", "coverage", "counterexample")

    def __init__(self, coverage: Coverage, counterexample: Counterexample | None) -> None:
        self.coverage = coverage
        self.counterexample = counterexample
        if counterexample is not None:
            self.verdict = REFUTED
        else:
            self.verdict = PROVED if coverage.is_whole() else SAMPLED

    def __bool__(self) -> bool:
        """False if refuted."""
        return self.verdict != REFUTED

    def __repr__(self) -> str:
        return f"<{self.verdict}: {'; '.join(self.coverage.lines())}>"

    def to_json(self) -> dict[str, object]:
        return {
            "verdict": self.verdict,
            "coverage": self.coverage.to_json(),
            "counterexample": self.counterexample.to_json() if self.counterexample is not None else None,
        }
