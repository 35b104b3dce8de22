"""The findings of a module for each size that a subgroup may have: an operation for which none of them has one is fine.

    if (gl_SubgroupSize > 16)  { i = s[9]; }         64: the first arm alone, and i is the same for all
    if (gl_SubgroupSize <= 16) { i = t[0]; ... }      8: the second
    if (i > 0) { barrier(); }                        so the barrier is reached by all, whatever the size

The size is a constant in each case: it is put in place of the built-in, and an arm that it excludes has nothing in it
but OpUnreachable. All other control flow stays, since what SPIR-V promises depends on it: of an `if` that some leave by
`continue` it promises less than of one that all leave by its end, though they come to the same place. In compute
dispatches it is the same for all (Vulkan, "SubgroupSize"). The execution mode SubgroupSize says of a case which it is,
SubgroupsPerWorkgroup 1 that the workgroup is one subgroup, as `launch` may say.

That an operation has no finding in the module itself says so for every case; only those that have one are looked at.
"""

from typing import Final, final

from reknit.analysis.manager import Analyses
from reknit.analysis.tangles.judge import Finding, judge
from reknit.analysis.tangles.reasons import Reason
from reknit.checks.lint.launch import Launch
from reknit.ir import enums, op
from reknit.ir.constants import as_int, int_constant
from reknit.ir.copy import copy_with_parts
from reknit.ir.edit import erase, replace_uses
from reknit.ir.instr import Instr
from reknit.ir.module import Module, annotation
from reknit.ir.tree import If
from reknit.ir.value import Node, Value
from reknit.ir.walk import constructs, instruction_list, nodes_in
from reknit.passes.manager import run_passes
from reknit.passes.tidy.dead import erase_dead, strip

_TIMES: Final = 3  # that what an excluded arm decided is looked at
_MODELS: Final = (
    enums.ExecutionModelGLCompute,
    enums.ExecutionModelTaskNV,
    enums.ExecutionModelMeshNV,
    enums.ExecutionModelTaskEXT,
    enums.ExecutionModelMeshEXT,
)
_ANY: Final = 0  # a case of every size, for a module that doesn't read it


@final
class Case:
    """`single`: the workgroup is one subgroup."""

    __slots__ = ("size", "single", "findings")

    def __init__(self, size: int, single: bool, findings: dict[Instr, Finding]) -> None:
        self.size = size
        self.single = single
        self.findings = findings


@final
class Judged:
    """A finding, the sizes of which it is true where those aren't all, and whether full subgroups would do without."""

    __slots__ = ("finding", "sizes", "full")

    def __init__(self, finding: Finding, sizes: list[int], full: bool) -> None:
        self.finding = finding
        self.sizes = sizes
        self.full = full


def judged(module: Module, target: str | None, launch: Launch) -> list[Judged]:
    """What `judge` finds in a module, without what no case has. The module stays as it is."""
    findings = judge(module, Analyses(module), target)
    if not findings or not _is_compute(module):
        return [Judged(finding, [], False) for finding in findings]
    return _Cases(module, target, findings).judged(launch)


def _is_compute(module: Module) -> bool:
    return bool(module.entry_points) and all(entry.word(0) in _MODELS for entry in module.entry_points)


@final
class _Cases:
    def __init__(self, module: Module, target: str | None, findings: list[Finding]) -> None:
        self.module = module
        self.target = target
        self.general = findings
        self.in_general: dict[Instr, Finding] = {finding.instr: finding for finding in findings}
        self.reads_size = bool(_size_loads(module))
        self.invocations = _invocations(module)
        self._known: dict[tuple[int, bool], Case] = {}

    def judged(self, launch: Launch) -> list[Judged]:
        cases = self._cases(launch.sizes, launch.full_subgroups)
        full: list[Case] = []
        if not launch.full_subgroups and self.invocations in launch.sizes:
            full = self._cases(launch.sizes, True)
        kept: list[Judged] = []
        for finding in self.general:
            instr = finding.instr
            having = [case for case in cases if instr in case.findings]
            if having:
                sizes = [case.size for case in having] if len(having) < len(cases) else []
                helps = bool(full) and not any(instr in case.findings for case in full)
                kept.append(Judged(having[0].findings[instr], sizes, helps))
        return kept

    def _cases(self, sizes: tuple[int, ...], full: bool) -> list[Case]:
        """For each of the sizes that can be; full subgroups have a size that divides the workgroup's."""
        cases: dict[tuple[int, bool], Case] = {}
        for size in sizes:
            if full and self.invocations % size != 0:
                continue
            single = full and size == self.invocations
            case = self._case(size if self.reads_size else _ANY, single)
            cases[case.size, case.single] = case
        return list(cases.values()) if cases else [self._case(_ANY, False)]

    def _case(self, size: int, single: bool) -> Case:
        case = self._known.get((size, single))
        if case is None:
            same = size == _ANY and not single
            case = Case(size, single, self.in_general if same else self._found(size, single))
            self._known[size, single] = case
        return case

    def _found(self, size: int, single: bool) -> dict[Instr, Finding]:
        copy, parts = copy_with_parts(self.module)
        back: dict[Value, Value] = {same: part for part, same in parts.items()}
        if size != _ANY:
            for load in _size_loads(copy):
                assert load.type is not None
                replace_uses(load, int_constant(copy, load.type, size))
                erase(load)
            _require(copy, enums.ExecutionModeSubgroupSize, size)
        if single:
            _require(copy, enums.ExecutionModeSubgroupsPerWorkgroup, 1)
        for _ in range(_TIMES if size != _ANY else 0):
            run_passes(copy, "fold")
            if not _excluded(copy):
                break
        mapped: dict[Instr, Finding] = {}
        for finding in judge(copy, Analyses(copy), self.target):
            instr = back.get(finding.instr)
            if not isinstance(instr, Instr) or instr not in self.in_general:
                continue  # in the module itself it has none, which is true of every case
            reasons = [Reason(reason.text, _back(reason.about, back)) for reason in finding.reasons]
            general = self.in_general[instr]
            if general.kind == finding.kind and any(reason.about is None for reason in reasons):
                reasons = general.reasons  # folding made the block that this is about
            function = general.function
            mapped[instr] = Finding(instr, function, finding.kind, finding.group, finding.rule, reasons)
        return mapped


def _excluded(module: Module) -> bool:
    """Empties arms of ifs whose condition is a constant; says whether there were any."""
    changed = False
    gone: dict[Node, None] = {}  # with an arm around them
    for function in module.functions:
        for construct in constructs(function):
            chosen = as_int(construct.condition) if isinstance(construct, If) and construct not in gone else None
            if chosen is not None and isinstance(construct, If):
                arm = construct.orelse if chosen else construct.then
                gone.update(dict.fromkeys(nodes_in(arm)))
                erase_dead(list(arm)[1:], module)
                changed = strip(arm.entry(), module, True) or changed
    return changed


def _require(module: Module, mode: int, count: int) -> None:
    for entry in module.entry_points:
        module.execution_modes.append(annotation(op.ExecutionMode, [entry.operands[1], mode, count]))


def _back(value: Value | None, back: dict[Value, Value]) -> Value | None:
    return back.get(value) if value is not None else None


def _size_loads(module: Module) -> list[Instr]:
    """The loads of the built-in SubgroupSize."""
    variables: dict[Value, None] = {}
    for mark in module.decorations:
        built_in = mark.op == op.Decorate and len(mark.operands) == 3 and mark.word(1) == enums.DecorationBuiltIn
        if built_in and mark.word(2) == enums.BuiltInSubgroupSize:
            variables[mark.value(0)] = None
    loads: list[Instr] = []
    for function in module.functions if variables else ():
        loads.extend(
            instr for instr in instruction_list(function) if instr.op == op.Load and instr.operands[0] in variables
        )
    return loads


def _invocations(module: Module) -> int:
    """How many a workgroup has, where that is known and the same for all entry points; else 0."""
    if any(mark.op == op.Decorate and enums.BuiltInWorkgroupSize in mark.operands[2:] for mark in module.decorations):
        return _of_constant(module)
    counts: dict[int, None] = {}
    sized: dict[Value, None] = {}
    for mode in module.execution_modes:
        if mode.op == op.ExecutionMode and mode.word(1) == enums.ExecutionModeLocalSize:
            sized[mode.value(0)] = None
            counts[mode.word(2) * mode.word(3) * mode.word(4)] = None
    if len(counts) != 1 or not all(entry.operands[1] in sized for entry in module.entry_points):
        return 0
    return next(iter(counts))


def _of_constant(module: Module) -> int:
    """By the constant WorkgroupSize, which goes before LocalSize; 0 for one that is specialized."""
    for mark in module.decorations:
        if mark.op == op.Decorate and enums.BuiltInWorkgroupSize in mark.operands[2:]:
            constant = mark.value(0)
            if isinstance(constant, Instr) and constant.op == op.ConstantComposite:
                sizes = [as_int(constant.value(at)) for at in range(3)]
                return (sizes[0] or 0) * (sizes[1] or 0) * (sizes[2] or 0)
    return 0
