"""Proves each pass of a pipeline while it runs: the module after it against the module before it.

    input ── pass 1 ──▶ m1 ── pass 2 ──▶ m2 ── pass 3 ──▶ m3
      └── proved for .. ┘└── sampled ─────┘└── refuted: pass 3 is wrong, and this run shows it

Only a pass that changed something is asked about.
"""

from typing import final

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.proof.verdict import Verdict


class Refuted(Exception):
    """Pass `number` of the pipeline, `name`, gave a module that may do what `before` may not."""

    def __init__(self, number: int, name: str, before: Module, verdict: Verdict) -> None:
        super().__init__(f"pass {number}, {name}, is refuted")
        self.number = number
        self.name = name
        self.before = before
        self.verdict = verdict


@final
class Stepwise:
    """`after` is what `Hooks.print_changed` takes. `verdicts` are those so far: (number, pass, verdict)."""

    __slots__ = ("question", "text", "path", "verdicts")

    def __init__(self, module: Module, question: Question) -> None:
        self.question = question
        self.path = module.path
        self.text = print_module(module)
        self.verdicts: list[tuple[int, str, Verdict]] = []

    def after(self, number: int, name: str, module: Module) -> None:
        """Raises Refuted, and InputError where the two can't be compared."""
        before = copy_of(self.text, self.path)
        verdict = prove(before, module, self.question)
        self.verdicts.append((number, name, verdict))
        if not verdict:
            raise Refuted(number, name, before, verdict)
        self.text = print_module(module)


def copy_of(text: str, path: str) -> Module:
    """A module of its own, with the name that diagnostics use."""
    module = parse(text, path)
    module.path = path
    return module
