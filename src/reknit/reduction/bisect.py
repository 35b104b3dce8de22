"""Which run of which pass broke a module: halves the runs of a pipeline until one is left.

    runs of a pass over a function    1 2 3 4 5 6 7 8
    module after the first k runs     . . . . . x x x        the input is fine, the output is not:
                                                └─ run 6     between them is a run that makes the difference

A run that fails, or leaves a module that doesn't verify or breaks a rule of control flow, counts as breaking it too.
"""

from collections.abc import Callable
from typing import final

from reknit.files.judging import judge_module
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.text.printer import print_module
from reknit.ir.verify import verify
from reknit.passes.catalog import catalog
from reknit.passes.contract import Context, Pass
from reknit.passes.manager import Hooks, run_passes, shown
from reknit.passes.pipeline_text import PassSpec, specs_of
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.proof.stepwise import copy_of
from reknit.proof.verdict import Verdict
from reknit.source.diagnostic import ERROR, Diagnostic, InputError
from reknit.source.place import Place

Judge = Callable[[Module], str]
"""What is wrong with a module; "" if nothing is."""


@final
class Bisection:
    """Run `run` of `runs` is the one; `what` names its pass and function. `before` and `after` are the texts on both
    sides, `after` "" where the run fails; `reason` is what is wrong then."""

    __slots__ = ("run", "runs", "what", "before", "after", "reason")

    def __init__(self, run: int, runs: int, what: str, before: str, after: str, reason: str) -> None:
        self.run = run
        self.runs = runs
        self.what = what
        self.before = before
        self.after = after
        self.reason = reason

    def name(self) -> str:
        """The pass's."""
        return self.what.partition(" on ")[0]

    def function(self) -> str:
        """The function as text: `@main`, or `%12` where it has no name."""
        return self.what.partition(" on ")[2]


@final
class ByProof:
    """A judge: the module must be a refinement of the input. `last` is the verdict on the last one asked about."""

    __slots__ = ("input", "question", "last")

    def __init__(self, module: Module, question: Question) -> None:
        self.input = copy_of(print_module(module), module.path)
        self.question = question
        self.last: Verdict | None = None

    def __call__(self, module: Module) -> str:
        self.last = prove(self.input, module, self.question)
        return f"refuted: {self.last.reason}" if not self.last else ""


def bisect(module: Module, pipeline: str | list[PassSpec], judge: Judge) -> Bisection | None:
    """The run that makes a module that `judge` finds nothing wrong with into one with something wrong; None where the
    whole pipeline leaves nothing wrong. `module` stays as it is. Costs log2 of the runs.

    Raises InputError for a pipeline that can't be, RK1313 where the input is wrong already, and what `judge` raises.
    """
    text = print_module(module)
    worker = _Worker(text, module.path, pipeline, judge)
    whole = worker.tried(None)
    if not whole.reason:
        return None
    said = judge(copy_of(text, module.path))
    if said:
        raise InputError(
            [
                Diagnostic(
                    "RK1313",
                    f"no pass breaks the module: it is so before any pass runs ({said})",
                    Place(module.path),
                    help="the command has to tell, by exit code 0, the broken result from the input",
                )
            ]
        )
    fine, wrong = 0, whole
    while fine + 1 < wrong.runs:
        middle = worker.tried((fine + wrong.runs) // 2)
        if middle.reason:
            wrong = middle
        else:
            fine = middle.runs
    before = worker.after(fine)
    if wrong.after:
        judge(copy_of(wrong.after, module.path))  # so that a judge that remembers ends with this one
    return Bisection(wrong.runs, whole.runs, wrong.what, before, wrong.after, wrong.reason)


@final
class _Try:
    """What the first `runs` runs came to; `what` was the last."""

    __slots__ = ("runs", "what", "after", "reason")

    def __init__(self, runs: int, what: str, after: str, reason: str) -> None:
        self.runs = runs
        self.what = what
        self.after = after
        self.reason = reason


@final
class _Worker:
    def __init__(self, text: str, path: str, pipeline: str | list[PassSpec], judge: Judge) -> None:
        self.text = text
        self.path = path
        self.judge = judge
        self.known = judge_module(copy_of(text, path)).codes()
        self.runs = 0
        self.what = ""
        given = specs_of(pipeline, catalog())
        self.specs = [self.reporting(spec) for spec in given]

    def reporting(self, spec: PassSpec) -> PassSpec:
        """The same pass, which reports when it runs: the manager's report is lost where a pass fails."""
        old = spec.transform

        def run(function: Function, context: Context) -> bool:
            self.runs += 1
            self.what = f"{old.name} on {shown(function)}"
            return old.run(function, context)

        named = Pass(old.name, old.summary, run, old.needs, old.gives, old.loses, old.keeps, old.options)
        return PassSpec(named, spec.options)

    def tried(self, limit: int | None) -> _Try:
        """The module after at most `limit` runs, judged."""
        self.runs = 0
        self.what = ""
        copy = copy_of(self.text, self.path)
        try:
            run_passes(copy, self.specs, Hooks(limit=limit))
        except InputError:
            raise
        except Exception as error:  # whatever it is, it is what this looks for
            return _Try(self.runs, self.what, "", f"the pass fails: {type(error).__name__}: {error}")
        faults = [fault for fault in verify(copy) if fault.severity == ERROR]
        reason = f"the module doesn't verify: {faults[0].message}" if faults else self.broken(copy) or self.judge(copy)
        return _Try(self.runs, self.what, print_module(copy), reason)

    def broken(self, module: Module) -> str:
        """The first rule of control flow that the module breaks and the input keeps; "" for none."""
        new = [fault.message for fault in judge_module(module).broken if fault.code not in self.known]
        return f"the module breaks a rule of control flow: {new[0]}" if new else ""

    def after(self, limit: int) -> str:
        module = copy_of(self.text, self.path)
        run_passes(module, self.specs, Hooks(limit=limit))
        return print_module(module)
