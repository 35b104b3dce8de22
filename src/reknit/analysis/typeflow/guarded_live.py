"""What states are asked of later: what is known of anything else is left out of them.

    have = 1; if have { .. }; have = 0          of `have` before the branch, and not after it

Backwards from each branch, store and dispatch to the places, phis and other values that it goes by.
"""

from reknit.analysis.typeflow.access_paths import spot_of
from reknit.analysis.typeflow.constants import is_folded
from reknit.analysis.typeflow.context import Context
from reknit.analysis.typeflow.function_facts import Facts
from reknit.analysis.typeflow.numbers import State, atoms, is_expression, is_place
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.choices import choices
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.source.meter import spend

Way = tuple[Block, list[int], list[int] | None]
"""Where a block leads: the labels that do, and for the default those of all others."""


Steps = dict[Block, list[Instr]]
"""The instructions of each block that something may change by, or that are asked about."""


def find_live(facts: Facts, context: Context, steps: Steps, dispatches: dict[Instr, None]) -> dict[Block, set[object]]:
    """By block what its instructions, or those after it, ask of a state that comes there."""
    reached = [block for block in facts.order.blocks if block in context.envs]
    live: dict[Block, set[object]] = {block: set() for block in reached}
    changed = True
    while changed:
        spend(1)
        changed = False
        for block in reversed(reached):
            asked = _after(context, block, live)
            _before(steps[block], dispatches, asked)
            if len(asked) != len(live[block]):
                live[block] = asked
                changed = True
    return live


def _after(context: Context, block: Block, live: dict[Block, set[object]]) -> set[object]:
    """At the end of a block: what its branch goes by, what comes into phis, and what is asked where it leads."""
    selector, edges = ways_of(block)
    asked: set[object] = set(leaves(selector))
    for target, _, _ in edges:
        if (block, target) not in context.edges:
            continue
        after = live[target]
        phis = [phi for phi in target.phis() if phi in after]
        asked |= after.difference(phis)
        for phi in phis:
            asked.update(leaves(incoming(phi, block)))
    return asked


def _before(steps: list[Instr], dispatches: dict[Instr, None], live: set[object]) -> None:
    """At the head of a block, of what is live at its end."""
    for instr in reversed(steps):
        live.discard(instr)
        if instr.op == op.Load:
            spot = spot_of(instr.value(0))
            live.add((spot.root, tuple(spot.path)))
        elif instr.op == op.Store:
            spot = spot_of(instr.value(0))
            value = instr.operands[1]
            if not is_struct(value.type if isinstance(value, Instr) else None):
                live.discard((spot.root, tuple(spot.path)))
            live.update(leaves(instr.value(1)))
        elif instr in dispatches:
            live.update(leaves(instr.value(0)))


def is_struct(type: Instr | None) -> bool:
    return type is not None and type.op in (op.TypeStruct, op.TypeArray)


def incoming(phi: Instr, block: Block) -> Value | None:
    for index in range(0, len(phi.operands), 2):
        if phi.operands[index + 1] is block:
            return phi.value(index)
    return None


def leaves(value: Value | None) -> list[Instr]:
    """What a value is worked out from by instructions that are looked through."""
    instrs: list[Instr] = []
    seen: dict[Value, None] = {}
    work = [value]
    while work:
        spend(1)
        at = work.pop()
        if not isinstance(at, Instr) or at in seen:
            continue
        seen[at] = None
        is_inside = at.block is not None and (is_folded(at) or at.op == op.CompositeConstruct)
        if is_inside:
            work.extend([operand for operand in at.operands if isinstance(operand, Instr)])
        if not is_inside or (is_folded(at) and not is_expression(at)):
            instrs.append(at)
    return instrs


def pruned(state: State, live: set[object]) -> State:
    """What is asked of later, and what is said of what that is the same as."""
    needed: set[object] = set(live)
    kept: State = {}
    grew = True
    while grew:
        grew = False
        for key, value in state.items():
            if key in kept:
                continue
            if key in needed or (isinstance(key, tuple) and not is_place(key) and needed.issuperset(atoms(key))):
                kept[key] = value
                if not isinstance(value, int):
                    needed.update(atoms(value))
                    grew = True
    return kept


def ways_of(block: Block) -> tuple[Value | None, list[Way]]:
    """What a block branches by, None where it has one successor, and where to; of a bool the labels are 1 and 0. The
    default is come to by its own labels, too."""
    decider, arms = choices(block)
    edges: list[Way] = []
    for target, labels, is_default in arms:
        others = [label for other, given, _ in arms if other is not target for label in given]
        edges.append((target, labels, others if is_default else None))
    return decider, edges
