"""What only some shader stages may do.

OpKill, OpTerminateInvocation               fragment shaders
OpIgnoreIntersectionKHR, OpTerminateRayKHR  any-hit shaders
"""

from reknit.ir import enums, op, opcodes
from reknit.source.columns import i32, i64
from reknit.spirv.rules.subject import Subject

TERMINATE_EXTENSION = "SPV_KHR_terminate_invocation"


def terminators_fit_the_stage(case: Subject) -> None:
    """B36: these terminators stand in the call tree of such entry points alone (OpKill, OpTerminateInvocation)."""
    _only(case, op.Kill, op.TerminateInvocation, enums.ExecutionModelFragment, "fragment")
    _only(case, op.IgnoreIntersectionKHR, op.TerminateRayKHR, enums.ExecutionModelAnyHitKHR, "any-hit")
    _check_terminate(case)


def _rows(case: Subject, opcode: i64, other: i64) -> list[int]:
    """The terminators of these opcodes."""
    flow = case.flow
    ops = case.columns.op
    rows: list[int] = []
    block: i64 = 0
    while block < flow.count:
        row: i64 = flow.last[block]
        if row >= 0 and (i64(ops[row]) == opcode or i64(ops[row]) == other):
            rows.append(int(row))
        block += 1
    return rows


def _only(case: Subject, opcode: i64, other: i64, model: int, stage: str) -> None:
    rows = _rows(case, opcode, other)
    if not rows:
        return
    others = [entry for entry in case.facts.entry_points if entry.model != model]
    reached = case.facts.reached(others)
    reported: set[int] = set()
    for row in rows:
        function = int(case.columns.function[row])
        if not reached[function] or function in reported:
            continue
        reported.add(function)
        code: i32 = case.columns.op[row]
        about = opcodes.info(int(code))
        assert about is not None
        name = f"Op{about.name}"
        message = (
            f"{name} in {case.out.function_name(function)}, which an entry point that is no {stage} shader reaches"
        )
        finding = case.out.add("B36", message, row, int(case.columns.block[row]), breaks=False)
        for entry in others:
            if case.facts.reached([entry])[function]:
                finding.notes.append(("that entry point is declared here", entry.row))
                break


def calls_do_not_recurse(case: Subject) -> None:
    """X04: no entry point reaches a function that reaches itself (SPIR-V 1.6, 2.16.1; VUID-StandaloneSpirv-None-04634).

    Functions are counted off from those that call nothing that is left; what remains calls itself.
    """
    if not case.options.vulkan or not case.facts.entry_points:
        return
    calls = case.facts.called()
    reached = case.facts.reached(case.facts.entry_points)
    callers: list[list[int]] = [[] for _ in calls]
    left = [0] * len(calls)
    for function, called in enumerate(calls):
        left[function] = len(called)
        for callee in called:
            callers[callee].append(function)
    done = [function for function, count in enumerate(left) if count == 0]
    for function in done:
        for caller in callers[function]:
            left[caller] -= 1
            if left[caller] == 0:
                done.append(caller)
    for function, count in enumerate(left):
        if count and reached[function]:
            row = int(case.columns.functions[function])
            message = f"function {case.out.function_name(function)} calls itself, maybe through others, or what does"
            case.out.add("X04", message, row, breaks=False)
            return


def _check_terminate(case: Subject) -> None:
    """OpTerminateInvocation is part of SPIR-V 1.6, before that of an extension; it needs Shader."""
    rows = _rows(case, op.TerminateInvocation, op.TerminateInvocation)
    if not rows:
        return
    block = int(case.columns.block[rows[0]])
    if case.facts.version < 0x00010600 and TERMINATE_EXTENSION not in case.facts.extensions:
        message = f"OpTerminateInvocation needs SPIR-V 1.6 or the extension {TERMINATE_EXTENSION}"
        case.out.add("B36", message, rows[0], block, breaks=False)
    if not case.facts.shader:
        case.out.add("B36", "OpTerminateInvocation needs the capability Shader", rows[0], block, breaks=False)
