"""Run a random program before and after each pass, and say where the results part.

    Program ─▶ module ─▶ outcomes ─▶ print, parse ─▶ outcomes
                  │
                  └─ pass, pass, ... ─▶ after each: outcomes ⊆ before, and only lower-switches may leave some out
                          │
                          └─ at the end: one outcome if switches were lowered ─▶ write ─▶ accepted? ─▶ read ─▶ the same

A fault is a Difference with the stage and the module's text; `check` stops at the first.
"""

from collections.abc import Callable
from typing import Final, final

from reknit.files.judging import EachPass
from reknit.fuzzing.outcome_sets import BETWEEN, CORNERS, Outcomes, Words
from reknit.fuzzing.program import Program
from reknit.fuzzing.to_module import module_of
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.catalog import catalog
from reknit.passes.contract import SINGLE_LEVEL
from reknit.passes.manager import Hooks, run_passes
from reknit.passes.pipeline_text import parse_pipeline
from reknit.source.diagnostic import InputError, InternalError
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

LOWERS: Final = "lower-switches"
PIPELINES: Final = (
    "reconverge",
    "promote-variables, reconverge",
    "promote-variables, eliminate-phis, simplify-cfg, eliminate-continues, lower-switches{exit=sentinel}, "
    "eliminate-multi-level-breaks, promote-variables, simplify-cfg",
    "eliminate-phis, eliminate-continues, lower-switches{policy=always}, eliminate-multi-level-breaks, "
    "promote-variables",
)

Validator = Callable[[bytes], tuple[bool, str]]


class Difference(Exception):
    """A result that a pass must not give. `stage` is where it showed, `text` the module before everything."""

    def __init__(self, stage: str, what: str) -> None:
        super().__init__(f"{stage}: {what}")
        self.stage = stage
        self.what = what


@final
class Check:
    """One program through one pipeline. `validate` judges a binary; without one, nothing does."""

    def __init__(self, program: Program, pipeline: str, validate: Validator | None = None) -> None:
        self.program = program
        self.pipeline = pipeline
        self.validate = validate
        self.size = program.subgroup_size
        self.stage = "the program itself"
        self.ends_lowered = False
        self.judge = EachPass()

    def run(self) -> Module:
        """The module as the pipeline left it. Raises Difference."""
        try:
            module = module_of(self.program)
            self.stage = "verify"
            verify(module)
            self.before = Outcomes(module, self.size)
            self.meaning = self.before.meaning
            self.possible = self.before
            self.through_text(module)
            if not self.program.levels:
                self.through_binary(module, "the input as SPIR-V", self.before)
            run_passes(module, self.pipeline, Hooks(print_changed=self.after, dump=self.name_next))
            self.stage = "after the pipeline"
            self.at_the_end(module)
        except (
            InternalError,
            InputError,
            AssertionError,
            ArithmeticError,
            LookupError,
            ValueError,
            TypeError,
        ) as fault:
            raise Difference(self.stage, f"{type(fault).__name__}: {fault}") from fault
        return module

    def name_next(self, number: int, name: str, module: Module) -> None:
        self.judge(number, name, module)
        self.stage = f"in the pass after number {number}, {name}"

    def after(self, number: int, name: str, module: Module) -> None:
        """After pass `number`, which changed something."""
        self.stage = f"after pass {number}, {name}"
        verify(module)
        outcomes = Outcomes(module, self.size)
        self.subset(outcomes)
        self.ends_lowered = self.ends_lowered or name == LOWERS
        if self.ends_lowered:
            self.one_meaning(outcomes)
        else:
            for words in self.possible.policies:
                if not outcomes.allows(words):
                    self.fail("a result that the input allowed is gone", words)
            self.possible = outcomes

    def subset(self, outcomes: Outcomes) -> None:
        for words, policy in outcomes.policies.items():
            if not self.possible.allows(words):
                self.fail(f"under {policy}, a result that the input does not allow", words)

    def one_meaning(self, outcomes: Outcomes) -> None:
        outcomes.sweep(BETWEEN)
        for words, policy in outcomes.policies.items():
            if words != self.meaning:
                self.fail(f"under {policy}, another result than the source means", words)

    def at_the_end(self, module: Module) -> None:
        outcomes = Outcomes(module, self.size)
        if self.ends_lowered or _lowers_switches(self.pipeline):
            self.one_meaning(outcomes)
        if self.leaves_levels():
            return  # jumps out of several constructs are still there, which SPIR-V has no words for
        self.through_binary(module, "the output as SPIR-V", outcomes)

    def leaves_levels(self) -> bool:
        """Whether jumps out of several constructs may be there at the end: from the program, or from a pass."""
        known = catalog()
        levels = self.program.levels
        for spec in parse_pipeline(self.pipeline, known):
            levels = SINGLE_LEVEL in spec.transform.loses or (levels and SINGLE_LEVEL not in spec.transform.gives)
        return levels

    def through_text(self, module: Module) -> None:
        """The .rk form there and back."""
        self.stage = "the .rk form"
        text = print_module(module)
        again = parse(text)
        if print_module(again) != text:
            raise Difference(self.stage, "printing, parsing and printing gives another text")
        self.same(Outcomes(again, self.size, CORNERS[:2]), self.before)

    def through_binary(self, module: Module, stage: str, expected: Outcomes) -> None:
        """SPIR-V there and back, accepted by the validator in between."""
        self.stage = stage
        data = write_module(module)
        if self.validate is not None:
            accepted, message = self.validate(data)
            if not accepted:
                raise Difference(stage, f"the validator says: {message}")
        again = read_module(data)
        for function in again.functions:
            if not function.structured:
                raise Difference(stage, "it reads back unstructured: " + "; ".join(str(note) for note in again.notes))
        if write_module(again) != data:
            raise Difference(stage, "writing, reading and writing gives other words")
        self.same(Outcomes(again, self.size, CORNERS[:3]), expected)

    def same(self, outcomes: Outcomes, expected: Outcomes) -> None:
        for words in outcomes.policies:
            if not expected.allows(words):
                self.fail("another result", words)

    def fail(self, what: str, words: Words) -> None:
        lanes = [lane for lane in range(len(words)) if words[lane] != self.meaning[lane]]
        raise Difference(self.stage, f"{what}; lanes that differ from the source's meaning: {lanes}")


def verify(module: Module) -> None:
    """Raises InputError with the faults of the module's form."""
    from reknit.ir.verify import verify as faults_of
    from reknit.source.diagnostic import ERROR

    faults = [fault for fault in faults_of(module) if fault.severity == ERROR]
    if faults:
        raise InputError(faults)


def _lowers_switches(pipeline: str) -> bool:
    return any(spec.transform.name == LOWERS for spec in parse_pipeline(pipeline, catalog()))


def check(program: Program, pipeline: str, validate: Validator | None = None) -> Module:
    """Take `program` through `pipeline`; gives the lowered module. Raises Difference at the first wrong result."""
    return Check(program, pipeline, validate).run()
