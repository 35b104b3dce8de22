"""Which targets of a switch become cases that another case falls through to.

    switch ──▶ a, b     a ──▶ b     reached from both alone:     case a { scope @s { ... break @s ... } fallthrough }
               a ──▶ c                                           case b { ... }

Otherwise b stands behind a scope around the switch, and the switch's case for it is a lone break. That is how it must
be where a tangled operation is executed: SPIR-V leaves open whether invocations that fall through to a case meet those
that go there at once (SPV_KHR_maximal_reconvergence, "Divergence", OpSwitch), and behind a scope they do meet.

The invariant that makes it valid (SPIR-V 1.6, 2.11, the rules for OpSwitch):
  - a case has one branch to another case, at its own end, in no construct of the case: all edges to b end the scope @s
    first, since b is no exit of a selection or loop inside a. A scope that nothing breaks out of goes (`emit`);
  - a case is fallen through to by one other at most, and falls through to one;
  - it stands right before that one among the targets. A default that no literal leads to is not among them, so that
    one that is fallen through to doesn't fall through itself.
"""

from bisect import bisect_right

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.jump import Branch
from reknit.ir.tree import Scope
from reknit.passes.structurize.plan import Plan
from reknit.passes.tidy.fold_constructs import inline_scope


def falling_cases(plan: Plan, node: int, joins: list[int]) -> dict[int, int]:
    """Of the switch that ends `node`: the targets that a case falls through to, each with the target of that case."""
    flow = plan.flow
    jump = flow.blocks[node].jump
    assert isinstance(jump, Branch) and jump.instr.op == op.Switch
    default = jump.instr.operands[1]
    assert isinstance(default, Block)
    cases = [target for target in flow.targets[node] if flow.idom[target] == node]
    cases.sort(key=flow.enter.__getitem__)
    enters = [flow.enter[target] for target in cases]
    known: dict[int, None] = dict.fromkeys(cases)
    fallthrough_sources: dict[int, int] = {}
    taken: dict[int, None] = {}
    waiting = dict.fromkeys(joins)
    for target in joins:
        if target not in known or plan.heads[target] >= 0:
            continue
        if flow.blocks[target] is default and len(fallthrough_sources) == len(joins) - 1:
            continue  # what follows the switch: nothing else stands behind it
        source = _one_source(plan, node, target, cases, enters)
        if source < 0 or source in taken or (flow.blocks[source] is default and source in fallthrough_sources):
            continue
        if source in waiting and source not in fallthrough_sources:
            continue  # it stands behind the switch itself
        fallthrough_sources[target] = source
        taken[source] = None
    return fallthrough_sources


def keep_needed(scopes: list[Scope]) -> list[Scope]:
    """Put what is in those that nothing breaks out of in their place, since no tangled operation needs their frame; the
    others."""
    for scope in scopes:
        if not scope.breaks:
            scope.merged = False
            inline_scope(scope)
    return [scope for scope in scopes if scope.breaks]


def _one_source(plan: Plan, node: int, target: int, cases: list[int], enters: list[int]) -> int:
    """The one case from which all other edges to `target` come, or -1."""
    flow = plan.flow
    source_case = -1
    for source in flow.sources[target]:
        if source == node:
            continue
        at = bisect_right(enters, flow.enter[source]) - 1
        if at < 0 or not flow.dominates(cases[at], source) or source_case not in (-1, cases[at]):
            return -1
        source_case = cases[at]
    return source_case
