"""What a proof came to, and what speaks against it.

    proved                  for every input, subgroup size and number of workgroups: by the normal form of both, or as
                            the two are one module
    proved for the domain   after gives only results that before may give, and all runs of the domain were gone through:
                            the inputs, subgroup sizes, workgroups and specialization that `coverage` names
    sampled                 the same, for the inputs and policies that were tried; `coverage` says which
    refuted                 with a counterexample: inputs, subgroup size, policy, and word by word before and after; or
                            with `coverage.weaker`: what before promises and after does not
"""

from collections.abc import Iterable
from typing import Any, Final, final

from reknit.proof.divergence_point import DivergencePoint
from reknit.proof.first_value import FirstValue
from reknit.proof.normal_form.judge import Finding
from reknit.proof.readings import said
from reknit.proof.scenes import Scene, scene_document
from reknit.sim.builtins import Origin
from reknit.sim.outcomes import Outcome

PROVED: Final = "proved"
PROVED_FOR_DOMAIN: Final = "proved for the domain"
SAMPLED: Final = "sampled"
REFUTED: Final = "refuted"

NO_END: Final = "RK1302"
ENDLESS: Final = "without an end"
UNDEFINED: Final = "undefined before"


@final
class Difference:
    """Word `word` of a buffer, counted from 0, in the result of before that is closest and in that of after."""

    __slots__ = ("buffer", "word", "before", "after")

    def __init__(self, buffer: str, word: int, before: int, after: int) -> None:
        self.buffer = buffer
        self.word = word
        self.before = before
        self.after = after

    def __repr__(self) -> str:
        return f"<{self.buffer}[{self.word}]: {self.before} before, {self.after} after>"

    def to_json(self) -> dict[str, object]:
        return {"buffer": self.buffer, "word": self.word, "before": self.before, "after": self.after}


@final
class Unlike:
    """A number of a stage's outputs, as text: "" where nothing was drawn, or it was discarded."""

    __slots__ = ("label", "before", "after")

    def __init__(self, label: str, before: str, after: str) -> None:
        self.label = label
        self.before = before
        self.after = after

    def __repr__(self) -> str:
        return f"<{self.label}: {self.before or 'nothing'} before, {self.after or 'nothing'} after>"

    def to_json(self) -> dict[str, object]:
        return {"output": self.label, "before": self.before or None, "after": self.after or None}


@final
class Counterexample:
    """`inputs` are the buffers, images and samplers that are read, by name; `spec` the specialization constants that
    are set. `before` is the allowed outcome closest to `after`; `allowed` says how many there are. `differences`
    are those of buffers, `outputs` those of a stage's outputs: both are empty where `reason` is no wrong word but
    undefined behaviour. `scene` is what is drawn."""

    __slots__ = (
        "entry", "subgroup_size", "groups", "inputs", "reason", "before", "after", "allowed", "differences",
        "divergence_point", "spec", "origin", "scene", "outputs", "first",
    )  # fmt: skip

    def __init__(
        self,
        entry: str,
        subgroup_size: int,
        groups: tuple[int, int, int],
        inputs: dict[str, Any],
        reason: str,
        before: Outcome,
        after: Outcome,
        allowed: int,
        differences: list[Difference],
        divergence_point: DivergencePoint | None,
        spec: dict[int | str, float],
        origin: Origin | None,
        scene: Scene | None,
        outputs: list[Unlike],
        first: FirstValue | None = None,
    ) -> None:
        self.first = first
        self.entry = entry
        self.subgroup_size = subgroup_size
        self.groups = groups
        self.inputs = inputs
        self.reason = reason
        self.before = before
        self.after = after
        self.allowed = allowed
        self.differences = differences
        self.divergence_point = divergence_point
        self.spec = spec
        self.origin = origin if origin is not None else Origin()
        self.scene = scene
        self.outputs = outputs

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from reknit.source.shown import shown

        return shown(self)

    def __repr__(self) -> str:
        """`<main, subgroups of 4: ...; result[0]: 3 before, 4 after>`."""
        differences = [*self.differences, *self.outputs]
        more = len(differences) - 3
        words = [repr(difference).strip("<>") for difference in differences[:3]]
        parts = [self.reason, *words, *([f"{more} more"] if more > 0 else [])]
        return f"<{self.entry}, subgroups of {self.subgroup_size}: {'; '.join(parts)}>"

    def to_json(self) -> dict[str, object]:
        return {
            "entry": self.entry,
            "subgroup_size": self.subgroup_size,
            "groups": list(self.groups),
            "first_group": list(self.origin.base),
            "device": self.origin.device,
            "specialization": {str(key): value for key, value in self.spec.items()},
            "inputs": {name: given if isinstance(given, list) else str(given) for name, given in self.inputs.items()},
            "reason": self.reason,
            "allowed": self.allowed,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "differences": [difference.to_json() for difference in self.differences],
            **({} if self.scene is None else {"scene": scene_document(self.scene)}),
            **({} if self.scene is None else {"outputs": [unlike.to_json() for unlike in self.outputs]}),
            "first_value": self.first.to_json() if self.first is not None else None,
            "divergence_point": self.divergence_point.to_json() if self.divergence_point is not None else None,
        }


@final
class Coverage:
    """What was gone through. `undecided` counts results of after that were not found before, where not all of before's
    could be gone through; `undefined` the runs for which before promises nothing, `aside` why an input, by entry point
    and number, could not be judged at all subgroup sizes, `not_run` why an entry point could not be run, `spent` where
    the budget ended. `fixed` is what the program can
    read and no run varied; `weaker` and `unsure` are those of `Promises`; `trivial`: the two are the same module.
    `terms` is what the normal form found of each entry point that it was asked about."""

    __slots__ = (
        "entries", "groups", "subgroup_sizes", "inputs", "whole", "claim", "how", "policies_whole", "policies", "runs",
        "undecided", "undefined", "poison", "spec", "more", "fixed", "explained", "weaker", "unsure", "trivial",
        "rules", "unstructured", "terms", "scenes", "alike", "taken", "untried", "aside", "not_run", "spent", "steps",
        "readings", "failing", "in_order",
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
        self.scenes: dict[str, None] = {}  # what was drawn
        self.policies: dict[str, None] = {}  # why not all policies were gone through
        self.runs = 0
        self.undecided = 0
        self.undefined = 0
        self.aside: dict[tuple[str, int], str] = {}
        self.not_run: dict[str, str] = {}
        self.spent = ""
        self.in_order = False  # which invocations share a subgroup can show, and runs have them in index order
        self.readings = False  # before leaves open which invocations run an operation together
        self.failing: dict[str, None] = {}  # the readings of it that allow less than after does
        self.steps = 0  # that inputs without an end were run for
        self.poison = 0
        self.spec: dict[str, None] = {}  # specialization constants that were given, as `width = 4`
        self.more: dict[str, None] = {}  # what was run besides, for a few inputs
        self.fixed: dict[str, None] = {}
        self.explained: dict[str, None] = {}  # what results of after that before lacks may come of
        self.alike: dict[str, None] = {}  # what the rules leave open, and both are taken to decide alike
        self.taken: dict[str, None] = {}  # what of it after decides, and before leaves open
        self.untried: dict[str, None] = {}  # what of it runs can't tell of: a domain is not whole with it
        self.weaker: dict[str, None] = {}
        self.unsure: dict[str, None] = {}
        self.trivial = False
        self.terms: dict[str, Finding] = {}
        self.rules: tuple[dict[str, None], dict[str, None]] = ({}, {})  # those that before and after were judged by
        self.unstructured: dict[str, None] = {}  # functions that were judged as the trees that `structurize` gives them

    def __repr__(self) -> str:
        return f"<{self.domain()}>"

    def by_terms(self) -> bool:
        """Whether the normal form proves every entry point."""
        return bool(self.terms) and all(finding.proved for finding in self.terms.values())

    def open_terms(self) -> list[Finding]:
        """What the normal form did not decide."""
        return [finding for finding in self.terms.values() if not finding.proved]

    def is_whole(self) -> bool:
        is_open: object = self.undecided or self.poison or self.unsure or self.spent or self.not_run
        is_open = is_open or self.failing or self.untried
        is_open = is_open or ENDLESS in self.aside.values() or not self.has_judged()
        return self.whole and self.policies_whole and not is_open

    def has_judged(self) -> bool:
        """Whether any input could be judged."""
        return self.inputs > len(self.aside)

    def domain(self) -> str:
        """For what the verdict holds, in a few words."""
        if self.trivial:
            return "every input, subgroup size, number of workgroups and specialization; any rules"
        if self.by_terms():
            return f"every input, subgroup size, number of workgroups and specialization; rules: {self.by()}"
        sizes = ", ".join(map(str, self.subgroup_sizes))
        parts = [self.counted(), f"subgroup sizes {sizes}", self.extent()]
        parts.append(f"specialization {', '.join(self.spec)}" if self.spec else "default specialization")
        text = "; ".join(parts)
        if self.fixed:
            text += f"; not varied: {gathered(self.fixed)}"
        return f"{text}; rules: {self.by()}"

    def extent(self, colon: str = " ") -> str:
        """What says which invocations there were."""
        in_order = f"; invocations{colon}in index order" if self.in_order else ""
        if self.scenes:
            return f"drawn{colon}{', '.join(self.scenes)}{in_order}"
        return f"workgroups{colon}{'x'.join(map(str, self.groups))}{in_order}"

    def counted(self) -> str:
        """How many inputs there were."""
        if self.inputs == 0:
            return "none were run"
        count = f"{'all ' if self.whole else ''}{self.inputs} inputs" if self.inputs != 1 else "1 input"
        return f"{count}, {self.set_aside()}" if self.aside else count

    def take(self, other: "Coverage") -> None:
        """Count what was not decided in other runs, too."""
        self.undecided += other.undecided
        self.explained.update(other.explained)

    def only_alike(self) -> list[str]:
        """What is taken to be decided alike, without what after decides."""
        return [each for each in self.alike if each not in self.taken]

    def reading(self) -> str:
        """For which readings of an open input it holds; "" where it isn't one."""
        by_terms = {finding.readings: None for finding in self.terms.values() if finding.readings and finding.proved}
        if self.undecided and not self.failing:
            return ""
        if self.readings or self.failing:
            return said(list(self.failing))
        return next(iter(by_terms), "")

    def set_aside(self) -> str:
        """`3 inputs set aside: 2 without an end, 1 undefined before`."""
        reasons = list(self.aside.values())
        counts = [f"{reasons.count(each)} {each}" for each in (ENDLESS, UNDEFINED) if each in reasons]
        return f"{len(reasons)} input{'s' * (len(reasons) != 1)} set aside: {', '.join(counts)}"

    def stopped(self, inputs: int) -> None:
        """The proof ended at a counterexample, after so many inputs that were not counted."""
        self.inputs += inputs
        self.whole = False
        self.policies_whole = False
        self.policies = {"up to the counterexample": None}
        self.terms = {}

    def by(self) -> str:
        """The rules that it was judged by: "base", or "maximal before, base after"."""
        before, after = ("/".join(rules) for rules in self.rules)
        return before if before == after else f"{before} before, {after} after"

    def lines(self) -> list[str]:
        """In words, one fact a line."""
        said = [f"for every input: not proved, {finding.text()}" for finding in self.open_terms()]
        said.extend([f"not run: {entry}: {reason}" for entry, reason in self.not_run.items()])
        if self.spent:
            said.append(f"stopped: {self.spent}")
        said.append(f"inputs: {self.counted()} ({'; '.join(self.how)})" if self.how else f"inputs: {self.counted()}")
        if ENDLESS in self.aside.values():
            said.append(f"{ENDLESS}: within {self.steps} instructions, which --max-steps raises ({NO_END})")
        if self.claim:
            said.append(f"given: {'; '.join(self.claim)}")
        sizes = ", ".join(map(str, self.subgroup_sizes))
        said.append(f"subgroup sizes: {sizes}; {self.extent(': ')}")
        tried = "all tried" if self.policies_whole else f"some tried ({'; '.join(self.policies)})"
        if self.runs:
            said.append(f"choices of the rules: {tried}, {self.runs} runs")
        if self.more:
            said.append(f"also tried, for a few inputs: {gathered(self.more)}")
        if self.unstructured:
            names = ", ".join([f"@{name}" for name in self.unstructured])
            said.append(f"without structure, judged as the tree that structurize makes: {names}")
        if self.undefined:
            said.append("where the behavior of the first version is undefined, the second may do anything")
        if self.undecided:
            said.append(
                f"{self.undecided} results of the second version were not found for the first, which may allow more "
                "than was tried, read undefined values, or leave open which invocations run together"
            )
        said.extend(self.explained)
        if self.poison:
            said.append(
                f"for {self.poison} inputs the second version has undefined values: zeros, all bits set and random "
                "bits were tried"
            )
        said.extend([f"weaker: {reason}" for reason in self.weaker])
        said.extend([f"not judged: {reason}" for reason in self.unsure])
        return said

    def to_json(self) -> dict[str, object]:
        return {
            "entries": self.entries,
            "rules": self.by(),
            "groups": list(self.groups),
            "subgroup_sizes": self.subgroup_sizes,
            **({"drawn": list(self.scenes)} if self.scenes else {}),
            "in_index_order": self.in_order,
            "inputs": self.inputs,
            "inputs_exhaustive": self.whole,
            "given": list(self.claim),
            "policies_exhaustive": self.policies_whole,
            "runs": self.runs,
            "undefined": self.undefined,
            "set_aside": {each: list(self.aside.values()).count(each) for each in (ENDLESS, UNDEFINED)},
            "not_run": self.not_run,
            "stopped": self.spent,
            "readings": self.reading(),
            "undecided": self.undecided,
            "specialization": list(self.spec),
            "besides": list(self.more),
            "not_varied": list(self.fixed),
            "weaker": list(self.weaker),
            "not_judged": list(self.unsure),
            "alike": self.only_alike(),
            "taken": list(self.taken),
            "untried": list(self.untried),
            "by_terms": {entry: finding.text() for entry, finding in self.terms.items()},
            "text": "; ".join(self.lines()),
        }


def gathered(texts: Iterable[str]) -> str:
    """`workgroups 2x1x1, 3x2x1; subgroup size 16, 128`: what begins alike is named once."""
    by_head: dict[str, list[str]] = {}
    for text in texts:
        words = text.split(" ")
        at = next((at for at, word in enumerate(words) if word[0].isdigit() or word[0] == "("), len(words))
        by_head.setdefault(" ".join(words[:at]), []).append(" ".join(words[at:]))
    return "; ".join([f"{head} {', '.join(tails)}".strip() for head, tails in by_head.items()])


@final
class Verdict:
    """`verdict` is PROVED, PROVED_FOR_DOMAIN, SAMPLED or REFUTED. If refuted, there is a `counterexample`, or `reason`
    says what after no longer promises. `certificate` is the text of one that was asked for."""

    __slots__ = ("verdict", "coverage", "counterexample", "reason", "certificate")

    def __init__(self, coverage: Coverage, counterexample: Counterexample | None) -> None:
        self.coverage = coverage
        self.counterexample = counterexample
        self.reason = ""
        self.certificate = ""
        if counterexample is not None or coverage.weaker:
            self.verdict = REFUTED
            self.reason = counterexample.reason if counterexample is not None else "; ".join(coverage.weaker)
        elif coverage.trivial or coverage.by_terms():
            self.verdict = PROVED
        else:
            self.verdict = PROVED_FOR_DOMAIN if coverage.is_whole() else SAMPLED

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from reknit.source.shown import shown

        return shown(self)

    def __bool__(self) -> bool:
        """False if refuted."""
        return self.verdict != REFUTED

    def __repr__(self) -> str:
        return f"<{self.verdict}: {self.reason or self.coverage.domain()}>"

    def to_json(self) -> dict[str, object]:
        return {
            "verdict": self.verdict,
            "domain": self.coverage.domain(),
            "reason": self.reason,
            "coverage": self.coverage.to_json(),
            "counterexample": self.counterexample.to_json() if self.counterexample is not None else None,
        }
