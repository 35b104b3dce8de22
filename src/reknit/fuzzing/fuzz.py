"""Random programs through passes, until one comes out wrong; then the smallest program that does.

    seed ──▶ generate ──▶ passes ──▶ outcomes, text, SPIR-V there and back ──▶ validators ──▶ device
                             │                    │                               │             │
                             └────────────────────┴── Difference ◀────────────────┴─────────────┘
                                                          └──▶ shrink ──▶ Failure

What is compared is in `fuzzing.differential`. Seed and pipelines alone decide what happens. A pipeline is one of
`pipelines`, or drawn from the seed (`fuzzing.random_pipelines`); one that was drawn is shortened before its program is.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, final

from reknit.analysis.tangles.rules import DECLARED
from reknit.fuzzing.differential import PIPELINES, Difference, check
from reknit.fuzzing.generate import generate
from reknit.fuzzing.outcome_sets import Outcomes
from reknit.fuzzing.program import Program
from reknit.fuzzing.random_pipelines import draw_pipeline, shorter
from reknit.fuzzing.shrink import shrink
from reknit.fuzzing.to_module import module_of
from reknit.ir.module import Module
from reknit.passes.catalog import catalog
from reknit.passes.order_check import order_faults
from reknit.passes.pipeline_text import parse_pipeline, pipeline_text
from reknit.source.diagnostic import ERROR, InputError
from reknit.vulkan.run import run_on
from reknit.vulkan.target import Target

QUESTIONS: Final = 400  # of shrinking one failure
WAYS: Final = ("{name}", "promote-variables, {name}", "promote-variables, {name}, reconverge")
LACKS: Final = ("RK1103", "RK1107")  # the device can't run such a module: no finding

Validator = Callable[[bytes], tuple[bool, str]]


@final
class Failure:
    """`program` is the smallest found that fails in `shortest`, the least found of `pipeline`, as `what` says;
    `original` is what the seed gave."""

    __slots__ = ("seed", "pipeline", "shortest", "stage", "what", "program", "original", "asked")

    def __init__(
        self,
        seed: int,
        pipeline: str,
        shortest: str,
        stage: str,
        what: str,
        program: Program,
        original: Program,
        asked: int,
    ) -> None:
        self.seed = seed
        self.pipeline = pipeline
        self.shortest = shortest
        self.stage = stage
        self.what = what
        self.program = program
        self.original = original
        self.asked = asked

    def __repr__(self) -> str:
        return f"<seed {self.seed}, {self.shortest}: {self.stage}: {self.what}>"

    def module(self) -> Module:
        """The smallest program that was found, as a module."""
        return module_of(self.program)


def pipelines() -> list[str]:
    """Each pass with every pipeline text that it can have, then the pipelines that all of them are in."""
    known = catalog()
    single: list[str] = []
    for name in known:
        for modifier in WAYS:
            pipeline = modifier.format(name=name)
            if pipeline not in single and not order_faults(parse_pipeline(pipeline, known), known):
                single.append(pipeline)
    return [*single, *PIPELINES]


def checked_pipelines(passes: str | None) -> list[str]:
    """That pipeline alone, or `pipelines`. Raises InputError for one that can't be (RK2001 to RK2005)."""
    if passes is None:
        return pipelines()
    known = catalog()
    faults = order_faults(parse_pipeline(passes, known), known)
    if faults:
        raise InputError(faults)
    return [passes]


@final
class Fuzzer:
    """Runs programs with `features` (`fuzzing.features`). `programs` and `skipped` (by the device) count; `tell` gets
    the number of each program that begins."""

    __slots__ = ("validate", "device", "features", "programs", "skipped", "run_pipeline", "tell")

    def __init__(
        self,
        validate: Validator | None,
        device: Target | None = None,
        run_pipeline: Callable[[Program, str, Validator | None], Module] = check,
        features: Sequence[str] = (),
    ) -> None:
        self.validate = validate
        self.device = device
        self.features = features
        self.programs = 0
        self.skipped = 0
        self.run_pipeline = run_pipeline
        self.tell: Callable[[int], None] | None = None

    def failures(
        self, seed: int, count: int, pipelines: Sequence[str | None], every: bool = False, most: int = 10
    ) -> Iterator[Failure]:
        """What comes out wrong of the programs of `count` seeds from `seed` on, at most `most`: each program goes
        through one pipeline, all in turn, or through `every` one. None is a pipeline that the seed draws."""
        failed = 0
        for number in range(seed, seed + count):
            for pipeline in pipelines if every else [pipelines[number % len(pipelines)]]:
                failure = self.check_seed(number, pipeline)
                if failure is not None:
                    yield failure
                    failed += 1
                    if failed == most:
                        return

    def check_seed(self, seed: int, pipeline: str | None) -> Failure | None:
        """The program of `seed` through `pipeline`; None is one that the seed draws."""
        self.programs += 1
        if self.tell is not None:
            self.tell(self.programs)
        program = self.program(seed)
        drawn = draw_pipeline(random.Random(seed)) if pipeline is None else []
        given = pipeline_text(drawn) if pipeline is None else pipeline
        last = self.fault(program, given)
        if last is None:
            return None

        def fails(smaller: Program, passes: str) -> bool:
            nonlocal last
            again = self.fault(smaller, passes)
            if again is None or last is None or unnumbered(again.stage) != unnumbered(last.stage):
                return False
            last = again
            return True

        shortest = given
        if pipeline is None:
            shortest = pipeline_text(shorter(drawn, lambda specs: fails(program, pipeline_text(specs))))
        asked = shrink(program, lambda smaller: fails(smaller, shortest), QUESTIONS)
        fault = self.fault(program, shortest) or last
        return Failure(seed, given, shortest, fault.stage, fault.what, program, self.program(seed), asked)

    def program(self, seed: int) -> Program:
        """Some declare maximal reconvergence, some subgroup-uniform control flow, some nothing."""
        program = generate(seed, 0, self.features)
        program.declare_by_seed()
        return program

    def fault(self, program: Program, pipeline: str) -> Difference | None:
        """What is wrong; also what nothing expected: a pass that raises anything at all has a fault."""
        try:
            module = self.run_pipeline(program, pipeline, self.validate)
            if self.device is not None and program.fragment:
                self.skipped += 1  # devices run compute shaders
            elif self.device is not None:
                self.on_device(module, self.device)
        except Difference as fault:
            return fault
        except (KeyboardInterrupt, InputError):
            raise
        except Exception as error:
            return Difference("a crash", f"{type(error).__name__}: {error}")
        return None

    def on_device(self, module: Module, device: Target) -> None:
        """Raises Difference where the device stores what the module does not allow, InputError without a device."""
        try:
            result = run_on(device, module)
        except InputError as error:
            if all(fault.code in LACKS for fault in error.diagnostics):
                self.skipped += 1
                return
            raise
        words = tuple(result.buffers["out"].words)
        if not Outcomes(module, result.subgroup_size, rules=DECLARED).allows(words):
            raise Difference(f"on {result.on}", f"a result that is not allowed at subgroup size {result.subgroup_size}")


def unnumbered(stage: str) -> str:
    """A stage without the place that a pass has in its pipeline."""
    return re.sub(r"\bpass (after number )?[0-9]+, ", "pass ", stage)


def validator_of(with_spirv_val: bool) -> Validator:
    """Our own rules of control flow, some of which spirv-val does not have; with spirv-val, it too."""

    def validate(binary: bytes) -> tuple[bool, str]:
        ours = own_rules(binary)
        if ours:
            return False, ours
        theirs = spirv_val(binary) if with_spirv_val else ""
        return not theirs, f"{theirs}, where our rules find nothing" if theirs else ""

    return validate


def own_rules(binary: bytes) -> str:
    """The first finding; "" for none."""
    from reknit.spirv.rules.judge import diagnostics, examine
    from reknit.spirv.words import parse

    faults = diagnostics(examine(parse(binary)), "<program>")
    return str(faults[0]) if faults else ""


def spirv_val(binary: bytes) -> str:
    from reknit.checks.spirv_val import judge

    faults = [fault for fault in judge(binary, "<program>") if fault.severity == ERROR]
    return faults[0].message if faults else ""


def text_of(program: Program) -> str:
    from reknit.ir.text.printer import print_module

    return print_module(module_of(program))
