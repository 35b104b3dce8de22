"""Runs passes over a module, function by function, and watches what they do.

    "a,b{n=4}" ──parse──▶ specs ──order──▶ for each pass, for each function:
                                               skipped, if what it needs doesn't hold there (RK2006)
                                               run ── changed? ──▶ new version, analyses dropped except `keeps`
                                               verify, show, time

What holds of a function is followed while running: a pass that declined on it doesn't give what it promises.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from types import FunctionType
from typing import Final, final

from reknit.analysis.manager import Analyses
from reknit.ir.function import Function
from reknit.ir.locate import place_of
from reknit.ir.module import Module
from reknit.ir.verify.signatures import require_signatures
from reknit.passes.catalog import catalog
from reknit.passes.contract import STRUCTURED, Context, Pass
from reknit.passes.indices import copy_negative_indices
from reknit.passes.order_check import order_faults
from reknit.passes.pipeline_text import PassSpec, specs_of
from reknit.passes.promises import ask_for_kept, broken_facts
from reknit.source.diagnostic import ERROR, NOTE, Diagnostic, InputError, InternalError
from reknit.source.place import Place

Watcher = Callable[[int, str, Module], None]

ALWAYS: Final[list[Callable[[], Watcher]]] = []
"""Makers of watchers of every pipeline that runs in this process: of its input, and of each pass that changed it. The
tests have every module that a pass leaves judged."""


@final
class Hooks:
    """What to do around passes. Each watcher gets the number of the pass in the pipeline, from 1, its name and the
    module.

    `verify_each`    check the module, and the analyses that a pass says it keeps, after each run that edits something,
                     and after every run the facts that should hold of the function
    `print_after`    called after the passes named in `print_names`, or after all if that is empty
    `print_changed`  called after a pass that changed something
    `dump`           called before the first pass (number 0, name "input") and after every pass
    `limit`          at most that many runs of a pass over a function are done: what a bisection turns
    """

    __slots__ = ("verify_each", "print_after", "print_names", "print_changed", "dump", "limit")

    def __init__(
        self,
        verify_each: bool = False,
        print_after: Watcher | None = None,
        print_names: tuple[str, ...] = (),
        print_changed: Watcher | None = None,
        dump: Watcher | None = None,
        limit: int | None = None,
    ) -> None:
        self.verify_each = verify_each
        self.print_after = print_after
        self.print_names = print_names
        self.print_changed = print_changed
        self.dump = dump
        self.limit = limit


@final
class PassReport:
    """What one pass of the pipeline did. `changed` and `skipped` list functions, `counts` has what the pass counted in
    each, `seconds` is the time in the pass."""

    __slots__ = ("name", "changed", "skipped", "notes", "counts", "seconds")

    def __init__(self, name: str) -> None:
        self.name = name
        self.changed: list[Function] = []
        self.skipped: list[Function] = []
        self.notes: list[Diagnostic] = []
        self.counts: dict[Function, dict[str, int]] = {}
        self.seconds = 0.0

    def __repr__(self) -> str:
        parts = ["no change"]
        if self.changed:
            parts = [f"changed {', '.join([shown(function) for function in self.changed])}"]
        if self.skipped:
            parts.append(f"not run on {', '.join([shown(function) for function in self.skipped])}")
        if self.notes:
            parts.append(f"{len(self.notes)} note{'s' * (len(self.notes) != 1)}")
        return f"<{self.name}: {'; '.join(parts)}>"


@final
class Report:
    """What a pipeline did. `runs` counts runs of a pass over a function; `last` names the last one, for bisection."""

    __slots__ = ("passes", "runs", "last")

    def __init__(self) -> None:
        self.passes: list[PassReport] = []
        self.runs = 0
        self.last = ""

    def __repr__(self) -> str:
        """Each pass that changed, skipped or said something; `<a: changed @main> <b: no change; 1 note>`."""
        busy = [repr(entry) for entry in self.passes if entry.changed or entry.skipped or entry.notes]
        return f"<{len(self.passes)} pass{'es' * (len(self.passes) != 1)}, {' '.join(busy) or 'no change'}>"

    def changed(self) -> bool:
        return any(entry.changed for entry in self.passes)

    def notes(self) -> list[Diagnostic]:
        """The notes of all passes in the order they were made."""
        return [note for entry in self.passes for note in entry.notes]


def run_passes(
    module: Module, pipeline: str | Sequence[str | Pass | PassSpec], hooks: Hooks | None = None
) -> Report:
    """Run a pipeline over every function of `module` that has a body.

    Raises InputError for a pipeline that can't be (RK2001 to RK2005), before anything runs, for extended instructions
    that break their signatures (RK0415 to RK0417), and, with `hooks.verify_each`, for any input that is faulty; then
    InternalError if a pass breaks the module or a promise.
    """
    known = catalog()
    specs = specs_of(pipeline, known)
    faults = order_faults(specs, known)
    if faults:
        raise InputError(faults)
    require_signatures(module)
    return _Run(module, hooks if hooks is not None else Hooks()).all(specs)


@final
class _Run:
    __slots__ = ("module", "hooks", "analyses", "report", "facts", "begun", "finished")

    def __init__(self, module: Module, hooks: Hooks) -> None:
        self.module = module
        self.hooks = hooks
        self.analyses = Analyses(module)
        self.report = Report()
        self.facts: dict[Function, dict[str, None]] = {}
        self.begun = {function: function.edits() for function in module.functions}
        self.finished: dict[Function, None] = {}

    def all(self, specs: list[PassSpec]) -> Report:
        hooks = self.hooks
        always = [make() for make in ALWAYS]
        for watch in always:
            watch(0, "input", self.module)
        if hooks.verify_each:
            self.check_module("the input", "")
        if hooks.dump is not None:
            hooks.dump(0, "input", self.module)
        for number, spec in enumerate(specs, 1):
            entry = PassReport(spec.transform.name)
            self.report.passes.append(entry)
            answers: dict[str, bool] = {}
            order = spec.transform.order
            for function in order(self.module, spec.options) if order is not None else list(self.module.functions):
                if not function.is_declaration() and function not in self.finished:
                    self.run_on(spec, function, entry, answers)
            if entry.changed:
                for watch in always:
                    watch(number, entry.name, self.module)
            if hooks.print_after is not None and (not hooks.print_names or entry.name in hooks.print_names):
                hooks.print_after(number, entry.name, self.module)
            if hooks.print_changed is not None and entry.changed:
                hooks.print_changed(number, entry.name, self.module)
            if hooks.dump is not None:
                hooks.dump(number, entry.name, self.module)
        changed = dict.fromkeys(function for entry in self.report.passes for function in entry.changed)
        for function in self.module.functions:
            if function in changed:
                copy_negative_indices(function)
        return self.report

    def run_on(self, spec: PassSpec, function: Function, entry: PassReport, answers: dict[str, bool]) -> None:
        transform = spec.transform
        holds = self.facts.setdefault(function, {STRUCTURED: None} if function.structured else {})
        if self.hooks.limit is not None and self.report.runs >= self.hooks.limit:
            return
        missing = [need for need in transform.needs if need not in holds]
        if missing:
            entry.skipped.append(function)
            entry.notes.append(skipped(transform, function, missing[0], place_of(function, self.module)))
            return
        self.report.runs += 1
        self.report.last = f"{transform.name} on {shown(function)}"
        if self.hooks.verify_each:
            ask_for_kept(transform, function, self.analyses)
        context = Context(self.module, self.analyses, spec.options)
        context.answers = answers
        context.untouched = self.begun.get(function) == function.edits()
        self.analyses.begins(function)
        edits = function.edits()
        start = perf_counter()
        try:
            changed = transform.run(function, context)
        except InputError:
            raise
        except MemoryError:  # which says nothing about the pass
            raise
        except Exception as error:
            if transform.name in catalog():
                raise
            raise outside_fault(transform, function, error) from error
        entry.seconds += perf_counter() - start
        entry.notes.extend(context.notes)
        if context.counts:
            entry.counts[function] = context.counts
        if context.finished:
            self.finished[function] = None
        if changed:
            entry.changed.append(function)
            self.analyses.changed(function, transform.keeps)
        for fact in transform.loses:
            holds.pop(fact, None)
        if not context.declined:
            for fact in transform.gives:
                holds[fact] = None
        if self.hooks.verify_each:
            if changed or function.edits() != edits:
                self.check_module(transform.name, shown(function))
                self.check_kept(transform, function)
            self.check_facts(spec, function, () if context.declined else transform.gives)

    def check_module(self, name: str, where: str) -> None:
        from reknit.ir.verify.dump import dump
        from reknit.ir.verify.run import examine

        report = examine(self.module)
        faults = [fault for fault in report.faults if fault.severity == ERROR]
        if not faults:
            return
        if not where:
            raise InputError(faults)
        first_faults = "; ".join(map(str, faults[:5]))
        raise InternalError(f"pass {name} broke the module at function {where}: {first_faults}\n{dump(report)}")

    def check_facts(self, spec: PassSpec, function: Function, given: tuple[str, ...]) -> None:
        if function not in self.module.functions:
            return  # dropped
        policy = str(spec.options.get("policy", ""))
        wrong = broken_facts(function, list(self.facts[function]), given, policy, self.analyses)
        if wrong:
            name = spec.transform.name
            raise InternalError(f"after pass {name}, {shown(function)} is not what contracts say: {'; '.join(wrong)}")

    def check_kept(self, transform: Pass, function: Function) -> None:
        wrong = self.analyses.broken_promises(function)
        if wrong:
            names = ", ".join(wrong)
            raise InternalError(f"pass {transform.name} changed {names} of {shown(function)}, which it says it keeps")


def outside_fault(transform: Pass, function: Function, error: Exception) -> InputError:
    """What a pass that is not reknit's own raised, with the line of it that did."""
    from traceback import extract_tb

    file = transform.run.__code__.co_filename if isinstance(transform.run, FunctionType) else ""
    lines = [frame for frame in extract_tb(error.__traceback__) if frame.filename == file]
    place = Place(file, lines[-1].lineno or 0) if lines else None
    message = f"pass {transform.name} raised {type(error).__name__} on function {shown(function)}: {error}"
    return InputError([Diagnostic("RK2008", message, place)])


def skipped(transform: Pass, function: Function, need: str, place: Place) -> Diagnostic:
    """The note that a pass was not run on a function, since `need` doesn't hold of it."""
    if need == STRUCTURED:
        reason = "its control flow is not structured"
    else:
        reason = f"{need} doesn't hold: the pass that gives it declined"
    return Diagnostic("RK2006", f"{transform.name} was not run on function {shown(function)}: {reason}", place, NOTE)


def shown(function: Function) -> str:
    return f"@{function.name}" if function.name else f"%{function.id}"
