"""Ifs that can be said with less: an empty arm, the same jump at both ends, a choice between two values.

    if c { } else { B }                            =>  if !c { B }
    if c { A; break L } else { B; break L }        =>  if c { A } else { B }; break L        also continue and return
    if c { %x = ... } else { }; %p = Phi %x, %y    =>  %x = ...; %p = Select c, %x, %y       up to `limit` instructions

Why tangles stay (SPV_KHR_maximal_reconvergence). The first only renames the arms. In the second, those that come to the
ends of the arms now meet behind the if and then jump together; without it they meet where the jump leads, if any waits
there: behind a merged construct, at a continue target, where a call returns. Nothing is executed between, so the same
set goes on. Where none waits (a construct that is not merged, a case that is reached by fallthrough) they would go on
divergent, and the if stays; so it does if a `break` of the if itself leads behind it too. In the third a merged if goes
whose arms none leaves: all that enter meet behind it. Its instructions then run with more invocations, so only what is
neither tangled nor has side effects or undefined cases moves (`speculate`). Source of the three: NIR's opt_if and
opt_peephole_select.
"""

from typing import Final

from reknit.analysis.decorations import Decorations
from reknit.ir import op
from reknit.ir.back_edge import is_conditional_back_edge
from reknit.ir.block import Block
from reknit.ir.debug import is_debug, is_line
from reknit.ir.edit import (
    append,
    clear_jump,
    drop_leading,
    erase,
    insert_node_after,
    move_jump,
    set_condition,
    set_jump,
    unlink,
    unlink_node,
)
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Break, Continue, Exit, Jump
from reknit.ir.phis import drop_source
from reknit.ir.stitch import drop_dead_end, stitch
from reknit.ir.tree import Construct, If, Loop, Region
from reknit.ir.types import bool_type
from reknit.ir.value import Node, Value
from reknit.passes.contract import NO_PHIS, STRUCTURED, Context, Option, Pass
from reknit.passes.values.speculate import is_speculatable
from reknit.source.meter import spend

SELECTS_VECTORS: Final = 0x00010400  # OpSelect: "Before version 1.4, ... only scalar or vector of bool", by component


def simplify_ifs(function: Function, context: Context) -> bool:
    """Simplify each if once, inner ones first. Costs the function."""
    limit = context.options["limit"]
    assert isinstance(limit, int)
    changed = False
    for choice in _inner_first(function.body):
        if choice.merged and _share_jump(choice):
            changed = True
        if choice.merged and _become_select(choice, context, limit):
            changed = True
            continue
        if _swap(choice, context):
            changed = True
    return changed


def _inner_first(body: Region) -> list[If]:
    ifs: list[If] = []
    work: list[Node] = [body.entry()]
    leaving: list[bool] = [False]
    while work:
        spend(1)
        node = work.pop()
        if leaving.pop():
            if isinstance(node, If):
                ifs.append(node)
            continue
        if node.next is not None:
            work.append(node.next)
            leaving.append(False)
        if isinstance(node, Construct):
            work.append(node)
            leaving.append(True)
            for region in reversed(node.regions()):
                work.append(region.entry())
                leaving.append(False)
    return ifs


def _swap(choice: If, context: Context) -> bool:
    """An empty then in front of something: exchange the arms. Without `invert` only where that saves a LogicalNot."""
    condition = choice.condition
    negated = isinstance(condition, Instr) and condition.op == op.LogicalNot
    bare = _is_bare(choice.then) and not _is_bare(choice.orelse)
    if not (bare if context.options["invert"] else negated) or is_conditional_back_edge(choice):
        return False
    if negated:
        assert isinstance(condition, Instr)
        set_condition(choice, condition.value(0))
    else:
        inverted = Instr(op.LogicalNot, bool_type(context.module), [condition])
        set_condition(choice, append(choice.before(), inverted))
    choice.then, choice.orelse = choice.orelse, choice.then
    choice.weights.reverse()
    return True


def _is_bare(region: Region) -> bool:
    return region.first is region.last and region.entry().is_empty() and region.entry().jump is None


# --- the same jump at both ends ---------------------------------------------------------------------------------------


def _share_jump(choice: If) -> bool:
    end = choice.then.end()
    other = choice.orelse.end()
    region = choice.region
    if choice.breaks or region is None or (isinstance(region.owner, Loop) and region is region.owner.continuing):
        return False
    if not _same_jump(end.jump, other.jump):
        return False
    meeting = Block("", True)
    if isinstance(end.jump, (Break, Continue)):
        goal = end.jump.target.after() if isinstance(end.jump, Break) else end.jump.target.continuing.entry()
        for phi in goal.phis():
            values = [_from(phi, end), _from(phi, other)]
            value: Value = values[0]
            if values[0] is not values[1]:
                value = append(meeting, Instr(op.Phi, phi.type, [values[0], end, values[1], other], phi.name))
            phi.set_operands([*phi.operands, value, meeting])
        drop_source(goal, end)
        drop_source(goal, other)
    elif isinstance(end.jump, Exit) and isinstance(other.jump, Exit) and end.jump.instr.operands:
        values = [end.jump.instr.value(0), other.jump.instr.value(0)]
        if values[0] is not values[1]:
            type = values[0].type if isinstance(values[0], Instr) else None
            phi = append(meeting, Instr(op.Phi, type, [values[0], end, values[1], other]))
            end.jump.instr.set_operand(0, phi)
    jump = end.jump
    assert jump is not None
    behind = choice.after()
    insert_node_after(choice, meeting)
    if isinstance(jump, Exit):
        clear_jump(other)
        move_jump(end, meeting)
    else:
        set_jump(meeting, jump)
        clear_jump(end)
        clear_jump(other)
    if not isinstance(behind.next, Construct):  # what ends in a jump can't be written as leading into a construct
        drop_dead_end(behind)
    return True


def _same_jump(jump: Jump | None, other: Jump | None) -> bool:
    """Whether both lead to the same place, and all that go there meet there."""
    if isinstance(jump, Break) and isinstance(other, Break):
        return jump.target is other.target and jump.target.merged
    if isinstance(jump, Continue) and isinstance(other, Continue):
        return jump.target is other.target
    if isinstance(jump, Exit) and isinstance(other, Exit):
        return jump.instr.op == other.instr.op and jump.instr.op in (op.Return, op.ReturnValue)
    return False


def _from(phi: Instr, source: Block) -> Value:
    for index in range(0, len(phi.operands), 2):
        if phi.operands[index + 1] is source:
            return phi.value(index)
    raise AssertionError("a phi has a value for each way in")


# --- a choice between two values --------------------------------------------------------------------------------------


def _become_select(choice: If, context: Context, limit: int) -> bool:
    """Run both arms for all, and choose what came of them."""
    decorations = context.analyses.of_module(Decorations)
    cost = _cost(choice.then, limit, decorations) + _cost(choice.orelse, limit, decorations)
    if choice.breaks or cost > limit:
        return False
    after = choice.after()
    phis = list(after.phis())
    if not all(_fits_select(phi, context) for phi in phis):
        return False
    before = choice.before()
    for phi in phis:
        values: list[Value] = [_from(phi, choice.then.end()), _from(phi, choice.orelse.end())]
        phi.op = op.Select
        phi.set_operands([choice.condition, values[0], values[1]])
    for region in (choice.then, choice.orelse):
        drop_leading(region.entry())
        for instr in region.entry():
            if is_debug(instr):  # that a variable has this value holds in the arm alone
                erase(instr)
            else:
                append(before, unlink(instr))
    choice.condition.drop_user(choice)
    unlink_node(choice)
    stitch(before)
    return True


def _cost(region: Region, limit: int, decorations: Decorations) -> int:
    """Instructions of an arm that is one block; more than `limit` if it can't run for all. Lines and debug information
    are none."""
    block = region.entry()
    if region.first is not region.last or block.jump is not None:
        return limit + 1
    count = 0
    for instr in block:
        if is_line(instr) or is_debug(instr):
            continue
        count += 1
        if count > limit or not is_speculatable(instr, decorations):
            return limit + 1
    return count


def _fits_select(phi: Instr, context: Context) -> bool:
    assert phi.type is not None
    if phi.type.op in (op.TypeBool, op.TypeInt, op.TypeFloat):
        return True
    return phi.type.op == op.TypeVector and context.module.version >= SELECTS_VECTORS


SIMPLIFY_IFS: Final = Pass(
    "simplify-ifs",
    "say ifs with less: empty arms, shared jumps, selects",
    simplify_ifs,
    needs=(STRUCTURED,),
    loses=(NO_PHIS,),
    keeps=("call-graph", "tangled", "decorations"),
    options=(
        Option("limit", 4, "instructions that both arms of an if may have for it to become selects"),
        Option("invert", True, "exchange arms also where the condition has to be inverted for it"),
    ),
)
