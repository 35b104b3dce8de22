"""Of most binaries the words alone tell that lint has nothing to say: no operation depends on its tangle, or all come.

    main  ── barrier ──┐
      if { ... }       │ not in an if, loop or switch, of an entry point that nothing calls and that is left at its end:
      barrier ─────────┘ every invocation of the workgroup executes it, under all rules

Where the words don't tell, the tree is built, and `analysis.tangles` judges it.
Source: SPIR-V 1.6, 2.2.5 "Uniform Control Flow".
"""

from typing import Final

from reknit.checks.control_flow import Judged, is_sound
from reknit.ir import enums, op, traits
from reknit.spirv.rules.subject import Subject

_LEAVES_QUADS: Final = (op.Kill, op.TerminateInvocation, op.DemoteToHelperInvocation)


def has_no_findings(judged: Judged) -> bool:
    """Whether a binary is well formed, and each judged operation of it is surely executed by all invocations."""
    case = judged.case
    if case is None or not is_sound(judged):
        return False
    operations = judged_operations(case)
    return not operations or (_is_left_at_its_ends(case) and all(_all_come(case, row) for row in operations))


def judged_operations(case: Subject) -> list[int]:
    """The rows of the operations that depend on which lanes execute them."""
    ops = case.columns.op
    judged = traits.JUDGED
    return [row for row in range(case.facts.first_function, len(ops)) if ops[row] in judged]


def _is_left_at_its_ends(case: Subject) -> bool:
    """Whether each function is left at one place that is in no construct, and nothing ends an invocation before; what
    branches outside of constructs says where its paths meet, and no loop calls before it is entered."""
    columns = case.columns
    flow = case.flow
    if enums.CapabilityLinkage in case.facts.capabilities or not case.facts.shader:
        return False
    for row in range(case.facts.first_function, len(columns.op)):
        code = columns.op[row]
        if code in _LEAVES_QUADS or (code == op.FunctionCall and flow.continues[int(columns.block[row])] >= 0):
            return False
    ends = [0] * len(columns.functions)
    for block in range(flow.count):
        code = columns.op[int(flow.last[block])]
        if code not in traits.BRANCHES:
            ends[int(flow.function[block])] += 1
            if not _is_outermost(case, block):
                return False
        elif code != op.Branch and flow.merge[block] < 0 and _is_outermost(case, block):
            return False
    return all(count == 1 for count in ends)


def _is_outermost(case: Subject, block: int) -> bool:
    """Whether a block is in no construct. The header of a selection stands before it, that of a loop in it."""
    constructs = case.constructs()
    around = int(constructs.inner[block])
    return around < 0 or (around == block and case.flow.continues[block] < 0 and constructs.parent[around] < 0)


def _all_come(case: Subject, row: int) -> bool:
    """Whether an operation is in no construct of an entry point that nothing calls."""
    columns = case.columns
    function = int(columns.function[row])
    entries = [entry.function for entry in case.facts.entry_points]
    called = any(function in callees for callees in case.facts.called())
    return function in entries and not called and _is_outermost(case, int(columns.block[row]))
