"""An input through check, compile, run, lint and prove, under limits: which refuse it, and which fail by a fault of
reknit's own."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import reknit

VERBS: Final = ("check", "lint", "compile", "run", "prove")
PASSES: Final = "inline,promote-variables,fold,cse,dce,simplify-cfg"


@dataclass(frozen=True)
class Case:
    """`what` is how it was made, "right" of a use that the table takes."""

    name: str
    what: str
    data: bytes


@dataclass
class Outcome:
    refused: list[str] = field(default_factory=list)
    faults: dict[str, str] = field(default_factory=dict)


def through(data: bytes, format: str) -> Outcome:
    """`check` refuses by what it finds, the others by an InputError."""
    outcome = Outcome()
    modules: list[reknit.Module] = []

    def module() -> reknit.Module:
        if not modules:
            modules.append(reknit.load(data, format=format))
        return modules[0]

    def check() -> None:
        faults = [each for each in reknit.check(data if format == "spv" else module()) if each.severity == "error"]
        if faults:
            raise reknit.InputError(faults)

    verbs: dict[str, Callable[[], object]] = {
        "check": check,
        "lint": lambda: reknit.lint(data if format == "spv" else module()),
        "compile": lambda: reknit.to_bytes(_compiled(module().copy())),
        "run": lambda: reknit.run(module(), subgroup_size=4, max_steps=20_000, engine="interpreter"),
        "prove": lambda: reknit.prove(
            module(), _compiled(module().copy()), subgroup_sizes=[4], sample=1, limit=2, max_steps=2_000
        ),
    }
    for verb in VERBS:
        try:
            verbs[verb]()
        except reknit.InputError as error:
            outcome.refused.append(verb)
            if not error.diagnostics or any(each.code == "RK0009" for each in error.diagnostics):
                outcome.faults[verb] = str(error)
        except Exception as error:
            outcome.faults[verb] = f"{type(error).__name__}: {error}"
    return outcome


def _compiled(module: "reknit.Module") -> "reknit.Module":
    reknit.compile(module, PASSES)
    return module


def tally(title: str, cases: Iterable[Case], format: str) -> int:
    """Each case through all verbs, and a line of how many are refused; the number of faults, each of which is
    printed."""
    counts: Counter[str] = Counter()
    faults = 0
    for case in cases:
        counts["inputs"] += 1
        counts["right"] += case.what == "right"
        outcome = through(case.data, format)
        counts["right and refused"] += case.what == "right" and "check" in outcome.refused
        for verb in VERBS:
            counts[f"{verb} refuses"] += verb in outcome.refused
        for verb, fault in outcome.faults.items():
            faults += 1
            print(f"{title} {case.name}, {case.what}, {verb}: {fault}"[:300])
    print(title, ", ".join(f"{what} {count}" for what, count in counts.items()), flush=True)
    return faults


def ended(faults: int) -> int:
    """The exit code."""
    print(f"{faults} faults of reknit's own")
    return 1 if faults else 0
