"""Of most binaries the words alone tell that lint has nothing to say: no operation depends on its tangle, or all come.

    main  ── barrier ──┐
      if { ... }       │ not in an if, loop or switch, of an entry point that nothing calls and that is left at its end:
      barrier ─────────┘ every invocation of the workgroup executes it, under all rules

Where the words don't tell, the tree is built, and `analysis.tangles` judges it.
Source: SPIR-V 1.6, 2.2.5 "Uniform Control Flow".
"""

from typing import Final

from reknit.checks.control_flow import Judged, needs_no_tree
from reknit.ir import enums, op, traits
from reknit.source.columns import i64
from reknit.spirv.rules.subject import Subject
from reknit.spirv.words import Columns, word_at

_LEAVES_QUADS: Final = (op.Kill, op.TerminateInvocation, op.DemoteToHelperInvocation)


def has_no_findings(judged: Judged) -> bool:
    """Whether a binary is well formed, and each judged operation of it is surely executed by all invocations."""
    case = judged.case
    if case is None or judged.diagnostics or _traces_rays(case):
        return False
    return _all_come(case) and needs_no_tree(judged)


def _traces_rays(case: Subject) -> bool:
    """Whether an entry point is of a ray tracing stage, of which there may be a note."""
    first, last = enums.ExecutionModelRayGenerationKHR, enums.ExecutionModelCallableKHR
    return any(first <= entry.model <= last for entry in case.facts.entry_points)


def is_likely_plain(columns: Columns) -> bool:
    """Whether no judged operation stands between a merge instruction and its merge block, as the words come. Otherwise
    it is of no use to judge them: the tree will be needed."""
    ops = columns.op
    judged = traits.JUDGED
    awaited: dict[int, None] = {}
    row: i64 = 0
    while row < len(ops):
        code = int(ops[row])
        if code == op.Label:
            if awaited:
                awaited.pop(int(columns.result[row]), None)
        elif (code == op.SelectionMerge or code == op.LoopMerge) and columns.size[row] > 1:
            awaited[int(word_at(columns.data, i64(columns.at[row]) + 1))] = None
        elif code == op.FunctionEnd:
            awaited.clear()
        elif awaited and code in judged:
            return False
        row += 1
    return True


def _all_come(case: Subject) -> bool:
    """Whether each operation that depends on which lanes execute it is in no construct of an entry point that nothing
    calls, and all come there."""
    columns = case.columns
    ops = columns.op
    judged = traits.JUDGED
    uncalled: dict[int, None] = {}
    is_judged = False
    row: i64 = case.facts.first_function
    while row < len(ops):
        if ops[row] in judged:
            if not is_judged:
                uncalled = _uncalled_entries(case)
                is_judged = True
            block: i64 = i64(columns.block[row])
            if block < 0 or int(columns.function[row]) not in uncalled or not _is_outermost(case, block):
                return False
        row += 1
    return not is_judged or _is_left_at_its_ends(case)


def _uncalled_entries(case: Subject) -> dict[int, None]:
    called = {callee: None for callees in case.facts.called() for callee in callees}
    return {entry.function: None for entry in case.facts.entry_points if entry.function not in called}


def _is_left_at_its_ends(case: Subject) -> bool:
    """Whether each function is left at one place that is in no construct, and nothing ends an invocation before; what
    branches outside of constructs says where its paths meet, and no loop calls before it is entered."""
    columns = case.columns
    flow = case.flow
    if enums.CapabilityLinkage in case.facts.capabilities or not case.facts.shader:
        return False
    row: i64 = case.facts.first_function
    while row < len(columns.op):
        code = int(columns.op[row])
        if code in _LEAVES_QUADS or (code == op.FunctionCall and flow.continues[i64(columns.block[row])] >= 0):
            return False
        row += 1
    ends = [0] * len(columns.functions)
    block: i64 = 0
    while block < flow.count:
        code = int(columns.op[flow.last[block]])
        if code not in traits.BRANCHES:
            ends[flow.function[block]] += 1
            if not _is_outermost(case, block):
                return False
        elif code != op.Branch and flow.merge[block] < 0 and _is_outermost(case, block):
            return False
        block += 1
    return all(count == 1 for count in ends)


def _is_outermost(case: Subject, block: i64) -> bool:
    """Whether a block is in no construct. The header of a selection stands before it, that of a loop in it."""
    constructs = case.constructs()
    around: i64 = constructs.inner[block]
    return around < 0 or (around == block and case.flow.continues[block] < 0 and constructs.parent[around] < 0)
