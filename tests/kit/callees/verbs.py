"""An input through check, compile, run, lint and prove, under limits: which refuse it, and which fail by a fault of
reknit's own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import reknit

VERBS: Final = ("check", "lint", "compile", "run", "prove")
PASSES: Final = "inline,promote-variables,fold,cse,dce,simplify-cfg"


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
