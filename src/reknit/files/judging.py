"""Whether a module keeps the rules of control flow (`spirv.rules`) in the words that it is written as.

    module ── words ──▶ rules ──▶ Judgement   broken: what no module may have
                                              flat:   structure that functions without a tree lack, which .rk may do

    pipeline ── EachPass: judged after every pass ──▶ BrokenOutput: the first that breaks a rule its input kept

A module for which SPIR-V has no words yet (dynamic dispatch, a jump over several levels) breaks no rule of SPIR-V.
"""

from typing import Any, Final, final

from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.verify.trusting import trusting
from reknit.source.diagnostic import ERROR, WARNING, Diagnostic, InputError, InternalError, Note
from reknit.source.place import Place
from reknit.spirv.environment import is_for_vulkan
from reknit.spirv.rules.catalog import MAXIMAL, STRUCTURED, by_id
from reknit.spirv.rules.finding import NONE
from reknit.spirv.rules.judge import diagnostics, examine
from reknit.spirv.rules.subject import Options
from reknit.spirv.words import parse
from reknit.spirv.write import words_of

OF_STRUCTURE: Final = (STRUCTURED, MAXIMAL)
"""The sources of rules that ask for merge instructions: only a function with a tree can keep them."""

UNSTRUCTURED: Final = "RK0515"
BROKEN: Final = "RK0516"
LIMIT: Final = "RK0635"
"""How much implementations have to take: what is beyond it can't be written, and no pass is at fault."""


@final
class Judgement:
    """What the rules say of a module, as errors; those of `flat` each with its function."""

    __slots__ = ("broken", "flat")

    def __init__(self, broken: list[Diagnostic], flat: list[tuple[Function, Diagnostic]]) -> None:
        self.broken = broken
        self.flat = flat

    def codes(self) -> list[str]:
        return [fault.code for fault in self.broken]


@final
class BrokenOutput(InternalError):
    """`maker` is the pass, or what else, that made the first module with one of `faults`."""

    def __init__(self, maker: str, faults: list[Diagnostic]) -> None:
        super().__init__(f"{maker} made a module that breaks {rules_of(faults)}: {faults[0].message}")
        self.maker = maker
        self.faults = faults

    def __reduce__(self) -> tuple[Any, ...]:
        return BrokenOutput, (self.maker, self.faults)


def judge_module(module: Module) -> Judgement:
    """Of a module, which stays as it is."""
    try:
        with trusting(module):
            binary = _words(module)
    except InputError as unsound:
        return Judgement(unsound.diagnostics, [])
    return Judgement([], []) if binary is None else judge_binary(module, binary)


def _words(module: Module) -> bytes | None:
    """None for a module that SPIR-V has no words for."""
    try:
        return words_of(module)
    except InputError:
        return None


def judge_binary(module: Module, binary: bytes) -> Judgement:
    """Of `binary`, the words of `module`."""
    case = examine(parse(binary, module.path), Options(vulkan=is_for_vulkan(binary)))
    if not case.out.findings:
        return Judgement([], [])
    rules = by_id()
    judgement = Judgement([], [])
    for finding, fault in zip(case.out.findings, diagnostics(case, module.path, False), strict=True):
        function = module.functions[finding.function] if finding.function != NONE else None
        if function is not None and not function.structured and rules[finding.rule].source in OF_STRUCTURE:
            judgement.flat.append((function, fault))
        else:
            judgement.broken.append(fault)
    return judgement


def unstructured(module: Module, flat: list[tuple[Function, Diagnostic]]) -> Diagnostic:
    """That functions without structure can't be written as SPIR-V, with the rules that they would break."""
    names = list(dict.fromkeys(f"@{function.name or function.id}" for function, _ in flat))
    several = len(names) > 1
    subject = f"functions {', '.join(names[:4])}{' and more' if len(names) > 4 else ''}" if several else names[0]
    return Diagnostic(
        UNSTRUCTURED,
        f"{subject} {'have' if several else 'has'} no structure, which SPIR-V demands of modules with the capability "
        "Shader",
        Place(module.path),
        notes=[Note(f"{fault.code}: {fault.message}") for _, fault in flat[:3]],
        help="run the pass `structurize` first, or write .rk, which holds such functions as they are",
    )


def not_written(module: Module, faults: list[Diagnostic], since: str = "") -> Diagnostic:
    """That a module is not written for the rules that it breaks; `since` goes on with when it began to."""
    help = "mend the module (`reknit check` names the blocks), or turn this check off: --no-check, check=False"
    return _broken(module, faults, f"the module was not written: it breaks {rules_of(faults)}{since}", ERROR, help)


def written_broken(module: Module, faults: list[Diagnostic], since: str) -> Diagnostic:
    """That the module is written though it breaks rules, no fault of a pass."""
    message = f"the module breaks {rules_of(faults)}{since}"
    return _broken(module, faults, message, WARNING, "`reknit check` names the blocks")


def _broken(module: Module, faults: list[Diagnostic], message: str, severity: str, help: str) -> Diagnostic:
    notes = [Note(fault.message) for fault in faults[:5]]
    return Diagnostic(BROKEN, message, Place(module.path), severity, notes, help)


def rules_of(faults: list[Diagnostic]) -> str:
    """`the rule RK0614`, `the rules RK0614, RK0642`."""
    codes = sorted({fault.code for fault in faults})
    return f"{'the rule' if len(codes) == 1 else 'the rules'} {', '.join(codes)}"


@final
class EachPass:
    """A watcher of a pipeline's input and of every pass (`Hooks.dump`). Raises BrokenOutput after the first pass that
    leaves a module which breaks a rule that the input kept. With `codes` only these rules are looked at."""

    __slots__ = ("known", "codes")

    def __init__(self, codes: list[str] | None = None) -> None:
        self.known: list[str] = []
        self.codes = codes

    def __call__(self, number: int, name: str, module: Module) -> None:
        judgement = judge_module(module)
        if number == 0:
            self.known = judgement.codes()
            return
        new = [fault for fault in judgement.broken if fault.code not in self.known and fault.code != LIMIT]
        if self.codes is not None:
            new = [fault for fault in new if fault.code in self.codes]
        if new:
            raise BrokenOutput(f"pass {number}, {name},", new)
