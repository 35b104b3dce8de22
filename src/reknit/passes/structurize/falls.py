"""Which targets of a switch can stand in it as cases that another case falls into.

    switch ──▶ a, b     a ──▶ b     reached from both alone: case a { ... fallthrough } case b { ... }

Otherwise b stands behind a scope, and the switch's case for it is a lone break. That is how it must be where anyone
sees who runs b together: SPIR-V leaves open whether those who fall into a case meet those who go there at once
(SPV_KHR_maximal_reconvergence, "Divergence", OpSwitch), and behind a scope they do meet.
"""

from bisect import bisect_right

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.jump import Branch
from reknit.passes.structurize.plan import Plan


def falling_cases(plan: Plan, node: int, joins: list[int]) -> dict[int, int]:
    """Of the switch that ends `node`: the targets that are fallen into, each with the target whose case does it."""
    flow = plan.flow
    jump = flow.blocks[node].jump
    assert isinstance(jump, Branch) and jump.instr.op == op.Switch
    default = jump.instr.operands[1]
    assert isinstance(default, Block)
    cases = [target for target in flow.targets[node] if flow.idom[target] == node]
    cases.sort(key=flow.enter.__getitem__)
    enters = [flow.enter[target] for target in cases]
    known: dict[int, None] = dict.fromkeys(cases)
    found: dict[int, int] = {}
    taken: dict[int, None] = {}
    waiting = dict.fromkeys(joins)
    for target in joins:
        if target not in known or plan.heads[target] >= 0 or flow.blocks[target] is default:
            continue
        source = _one_source(plan, node, target, cases, enters)
        if source < 0 or source in taken or flow.blocks[source] is default or plan.heads[source] >= 0:
            continue
        if source in waiting and source not in found:
            continue  # it stands behind the switch itself
        found[target] = source
        taken[source] = None
    return found


def _one_source(plan: Plan, node: int, target: int, cases: list[int], enters: list[int]) -> int:
    """The one case from which all other edges to `target` come, or -1."""
    flow = plan.flow
    found = -1
    for source in flow.sources[target]:
        if source == node:
            continue
        at = bisect_right(enters, flow.enter[source]) - 1
        if at < 0 or not flow.dominates(cases[at], source) or found not in (-1, cases[at]):
            return -1
        found = cases[at]
    return found
