"""Execution modes about convergence, and what a module declares to use them.

SubgroupUniformControlFlowKHR              SPV_KHR_subgroup_uniform_control_flow, Shader
QuadDerivativesKHR, RequireFullQuadsKHR    QuadControlKHR (SPV_KHR_quad_control)
"""

from reknit.ir import enums, op
from reknit.source.columns import i32, i64
from reknit.spirv.rules.subject import Subject

SUBGROUP_EXTENSION = "SPV_KHR_subgroup_uniform_control_flow"
QUAD_EXTENSION = "SPV_KHR_quad_control"
QUAD_MODES = {
    enums.ExecutionModeQuadDerivativesKHR: "QuadDerivativesKHR",
    enums.ExecutionModeRequireFullQuadsKHR: "RequireFullQuadsKHR",
}
QUAD_OPS = {
    op.GroupNonUniformQuadAllKHR: "OpGroupNonUniformQuadAllKHR",
    op.GroupNonUniformQuadAnyKHR: "OpGroupNonUniformQuadAnyKHR",
}


def subgroup_uniform_is_declared(case: Subject) -> None:
    """S01: SubgroupUniformControlFlowKHR needs its extension and the capability Shader."""
    for entry in case.facts.entry_points:
        for mode, row in entry.modes:
            if mode != enums.ExecutionModeSubgroupUniformControlFlowKHR:
                continue
            if SUBGROUP_EXTENSION not in case.facts.extensions:
                case.out.add("S01", f"SubgroupUniformControlFlowKHR needs the extension {SUBGROUP_EXTENSION}", row)
            elif not case.facts.shader:
                case.out.add("S01", "SubgroupUniformControlFlowKHR needs the capability Shader", row)


def quad_control_is_declared(case: Subject) -> None:
    """Q01: quad modes and votes need QuadControlKHR; full quads are for fragment shaders (SPV_KHR_quad_control)."""
    facts = case.facts
    has = enums.CapabilityQuadControlKHR in facts.capabilities
    for value, row in facts.declared:
        if value == enums.CapabilityQuadControlKHR and QUAD_EXTENSION not in facts.extensions:
            case.out.add("Q01", f"the capability QuadControlKHR needs the extension {QUAD_EXTENSION}", row)
    for entry in facts.entry_points:
        quads = [(mode, row) for mode, row in entry.modes if mode in QUAD_MODES]
        for mode, row in quads:
            name = QUAD_MODES[mode]
            if not has:
                case.out.add("Q01", f"{name} needs the capability QuadControlKHR", row)
            elif mode == enums.ExecutionModeRequireFullQuadsKHR and entry.model != enums.ExecutionModelFragment:
                finding = case.out.add("Q01", "RequireFullQuadsKHR is for fragment shaders", row)
                finding.notes.append(("the entry point is declared here", entry.row))
    if has:
        return
    columns = case.columns
    row_at: i64 = facts.first_function
    rows: i64 = len(columns.op)
    while row_at < rows:
        code: i32 = columns.op[row_at]
        if code == op.GroupNonUniformQuadAllKHR or code == op.GroupNonUniformQuadAnyKHR:
            case.out.add("Q01", f"{QUAD_OPS[int(code)]} needs the capability QuadControlKHR", int(row_at), breaks=False)
            return
        row_at += 1
