"""Which operations of a module depend on reconvergence that nothing promises, as diagnostics.

    module ─▶ a copy, its variables promoted ─▶ analysis.tangles.judge, for each size of the subgroup (`cases`)
                                                        └─▶ findings ─▶ places, words, suppressions

The copy is what is judged: a value kept in a variable hides which lanes have the same. The module stays as it is; one
that was read to be judged is judged itself.
"""

from typing import Final

from reknit.analysis.callgraph import called
from reknit.analysis.manager import Analyses
from reknit.analysis.tangled import Tangled
from reknit.analysis.tangles.declared import declared_by_all
from reknit.analysis.tangles.rules import BASE, MAXIMAL, PROMISERS, SUBGROUP_UNIFORM
from reknit.checks.lint.cases import Judged, judged
from reknit.checks.lint.codes import (
    CODES,
    DECLARE_MAXIMAL,
    DECLARE_UNIFORM,
    DECLARED,
    DEMOTE,
    FULL_SUBGROUPS,
    LOST_BY_DXC,
    REPACKING,
    SUBGROUP_SIZES,
)
from reknit.checks.lint.config import Config
from reknit.checks.lint.descriptors import DESCRIPTORS, HELP, MESSAGE, Chosen, descriptors
from reknit.checks.lint.launch import Launch
from reknit.checks.lint.open_input import make_trees, open_input
from reknit.checks.lint.repacking import repacking
from reknit.checks.lint.sites import site
from reknit.files.streams import lines_of
from reknit.ir import op, opcodes
from reknit.ir.block import Block
from reknit.ir.copy import copy_with_parts
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Exit
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import WARNING, Diagnostic, Note
from reknit.source.place import Place
from reknit.source.render import LinesOf, remembering

HLSL: Final = "HLSL"
BY_DXC: Final = "maximal, and base as dxc compiles it"
_ENDS: Final = (op.Kill, op.TerminateInvocation)
PASSES: Final = "scalar-replacement{vectors=all},promote-variables"  # what differs is known of each component


def lint_module(module: Module, target: str | None = None, config: Config | None = None) -> list[Diagnostic]:
    """One diagnostic for each operation that nothing promises, in source order.

    `target` (one of codes.TARGETS) is what has to promise; without it each entry point's own modes, as for all that
    runs or proves the module. Of HLSL, lint also reports what holds by its own rules and is lost in the SPIR-V that dxc
    writes, which declares no mode unless asked to. `config` keeps findings back, and notes by which rules was judged.
    """
    copy, parts = copy_with_parts(module)
    return _lint(copy, module, {same: part for part, same in parts.items()}, target, config)


def lint_own(module: Module, target: str | None, config: Config | None) -> list[Diagnostic]:
    """The same of a module that nothing else uses: its variables are promoted."""
    return _lint(module, module, None, target, config)


def _lint(
    copy: Module, module: Module, back: dict[Value, Value] | None, target: str | None, config: Config | None
) -> list[Diagnostic]:
    """`back`: what the parts of the copy are of; None where it is the module itself."""
    flat = not all(function.structured or function.is_declaration() for function in copy.functions)
    if flat:
        make_trees(copy)
    run_passes(copy, PASSES)
    diagnostics: list[Diagnostic] = []
    lines = remembering(lines_of)
    by_dxc = target is None and module.language == HLSL
    if by_dxc:
        target = BASE
    entries = [point.operands[1] for point in module.entry_points]
    rules = declared_by_all(module)
    declares = [rules.get(each, BASE) for each in entries if isinstance(each, Function)]
    if config is not None and Analyses(copy).of_module(Tangled).functions:
        config.rules.update(dict.fromkeys([BY_DXC] if by_dxc else [target] if target is not None else declares))
    for each in judged(copy, target, config.launch if config is not None else Launch()):
        finding = each.finding
        code = CODES[finding.kind].code
        name = finding.function.name
        if config is None or not config.suppresses(code, module.path, name, _names(finding.instr)):
            said = _diagnostic(each, back, module, lines)
            if by_dxc and (DECLARE_MAXIMAL in said.help or DECLARE_UNIFORM in said.help):
                said.notes.append(Note(LOST_BY_DXC))
            elif target is not None and not by_dxc:
                said.help = _fitting(said.help, declares, target)
            diagnostics.append(said)
    for chosen in descriptors(copy):
        function = chosen.function.name
        if config is None or not config.suppresses(DESCRIPTORS, module.path, function, _names(chosen.instr)):
            diagnostics.append(_of_descriptor(chosen, back, module, lines))
    for said, of in open_input(module) if flat else []:
        if config is None or not config.suppresses(said.code, module.path, of.name, ()):
            diagnostics.append(said)
    if config is None or not config.suppresses(REPACKING, module.path, "", ()):
        diagnostics += repacking(module)
    return diagnostics


def _diagnostic(judged: Judged, back: dict[Value, Value] | None, module: Module, lines: LinesOf) -> Diagnostic:
    finding = judged.finding
    code = CODES[finding.kind]
    message = code.message.format(what=_what(finding.instr), by=PROMISERS[finding.rule])
    notes = [Note(reason.text, site(_of(reason.about, back), module)) for reason in finding.reasons]
    help = DEMOTE + code.help if any(_ends_invocations(reason.about) for reason in finding.reasons) else code.help
    if judged.sizes:
        notes.append(Note(f"this is so where a subgroup has {_either(judged.sizes)}"))
        help += SUBGROUP_SIZES
    if judged.full:
        help += FULL_SUBGROUPS
    return Diagnostic(code.code, message, _where(finding.instr, back, module, lines), WARNING, notes, help)


def _of_descriptor(chosen: Chosen, back: dict[Value, Value] | None, module: Module, lines: LinesOf) -> Diagnostic:
    place = _where(chosen.instr, back, module, lines)
    notes = [Note("the index", site(_of(chosen.index, back), module))]
    return Diagnostic(DESCRIPTORS, MESSAGE.format(what=_what(chosen.instr)), place, WARNING, notes, HELP)


def _fitting(help: str, declares: list[str], target: str) -> str:
    """Advice for the question that was asked: a mode that is declared need not be, where what was asked doesn't count
    it."""
    for mode, rules, advice in (
        ("MaximallyReconvergesKHR", (MAXIMAL,), DECLARE_MAXIMAL),
        ("MaximallyReconvergesKHR", (MAXIMAL,), DECLARE_UNIFORM),
        ("SubgroupUniformControlFlowKHR", (SUBGROUP_UNIFORM,), DECLARE_UNIFORM),
    ):
        if advice in help and any(each in rules for each in declares):
            return help.replace(advice, DECLARED.format(mode=mode, target=target))
    return help


def _either(sizes: list[int]) -> str:
    """`1 invocation`, `8 invocations`, `4, 8 or 16 invocations`."""
    words = ", ".join([str(size) for size in sizes[:-1]])
    return f"{words} or {sizes[-1]} invocations" if words else f"{sizes[0]} invocation{'' if sizes == [1] else 's'}"


def _ends_invocations(about: Value | None) -> bool:
    """Whether a block ends with what ends its invocations, or a call is of a function that has such a block."""
    if isinstance(about, Block):
        return isinstance(about.jump, Exit) and about.jump.instr.op in _ENDS
    callee = called(about) if isinstance(about, Instr) else None
    return callee is not None and any(_ends_invocations(block) for block in callee)


def _where(instr: Instr, back: dict[Value, Value] | None, module: Module, lines: LinesOf) -> Place:
    """With the column, where the compiler noted the line alone, as glslang does."""
    place = site(_of(instr, back), module)
    if place.line > 0 and place.column == 0 and place.word < 0:
        from reknit.checks.lint.columns import with_column

        return with_column(place, instr, lines)
    return place


def _of(value: Value | None, back: dict[Value, Value] | None) -> Value | None:
    return value if value is None or back is None else back.get(value)


def _names(instr: Instr) -> tuple[str, ...]:
    """What a suppression may call an operation."""
    info = opcodes.info(instr.op)
    opcode = info.name if info is not None else str(instr.op)
    return (instr.name, opcode, f"Op{opcode}") if instr.name else (opcode, f"Op{opcode}")


def _what(instr: Instr) -> str:
    info = opcodes.info(instr.op)
    opcode = f"Op{info.name}" if info is not None else f"opcode {instr.op}"
    return f"{opcode} %{instr.name}" if instr.name else opcode
