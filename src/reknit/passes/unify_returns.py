"""One return, at the end of the function.

    A                              scope @leave {
    if c { return x }                A
    loop @l {                        if c { break @leave }
      if d { return y }       =>     loop @l {
    }                                  if d { break @leave }
    B                                }
    return z                         B
                                   }
                                   return phi(x, y, z)

The breaks may leave any number of constructs: eliminate-multi-level-breaks makes flags of them. What ends the
invocation (kill, terminate) stays, and so does a lone return where it belongs.

No tangle changes. A return escapes all frames of its function and arrives at that of the call, or ends the invocation
in an entry point; a break of the scope escapes the same frames and arrives at the scope's. From there on nothing runs
but the return, with no tangled operation in it: to the call, lanes that return together and lanes that return one by
one are the same. Source: specification of tangles, rules 7 (goto) and 9 (return).
"""

from typing import Final

from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.build import new_block
from reknit.ir.edit import append, append_node, clear_jump, move_run, retarget_phis, set_jump
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Break, Exit
from reknit.ir.phis import complete_phis
from reknit.ir.tree import Construct, Scope
from reknit.ir.value import Node, Value
from reknit.ir.walk import nodes
from reknit.passes.contract import NO_PHIS, SINGLE_LEVEL, SINGLE_RETURN, STRUCTURED, Context, Pass
from reknit.passes.storable import unstorable_part
from reknit.passes.tidy.dead import erase_dead

RETURNS: Final = (op.Return, op.ReturnValue)


def returned(block: Block) -> Instr | None:
    """The return that `block` ends in, if it does."""
    jump = block.jump
    if isinstance(jump, Exit) and jump.instr.op in RETURNS:
        return jump.instr
    return None


def fits_phi(type: Instr, context: Context) -> bool:
    """Whether a phi may choose between values of `type`: what no variable can hold only for its layout may be."""
    part = unstorable_part(type, context)
    return part is None or (part is type and part.op in (op.TypeStruct, op.TypeArray))


def unify_returns(function: Function, context: Context) -> bool:
    """Make every return but a lone one at the end a break of a scope around the body. Costs the function once."""
    returning: list[Block] = []
    first: Node | None = None  # stands in the body itself, and has the first return in it
    top: Node | None = None
    for node in nodes(function):
        if node.region is function.body:
            top = node
        if isinstance(node, Block) and returned(node) is not None:
            returning.append(node)
            first = first if first is not None else top
    last = function.body.end()
    if first is None or first is last:
        return False
    if isinstance(first, Block):  # what follows a return is dead
        dead: list[Node] = []
        node_after = first.next
        while node_after is not None:
            dead.append(node_after)
            node_after = node_after.next
        erase_dead(dead, context.module)
        return True
    assert isinstance(first, Construct)
    value = one_value(returning)
    if value is None and function.result.op != op.TypeVoid and not fits_phi(function.result, context):
        reason = f"the returns of @{function.name} stay: what they return fits neither in a phi nor in a variable"
        context.decline("RK2403", reason, at=function)
        return False
    scope = Scope()
    before = first.before()
    entry = new_block(scope.body)
    for region in first.regions():
        retarget_phis(region.entry(), before, entry)
    move_run(first, last, scope.body)
    append_node(function.body, scope)
    tail = new_block(function.body)
    code = op.Return if function.result.op == op.TypeVoid else op.ReturnValue
    result = leave_by(returning, scope, last, tail, function.result)
    if last.jump is None:
        complete_phis(context.module, tail, last)  # an end that nothing reached leads to the return now
    set_jump(tail, Exit(Instr(code, None, [] if result is None else [result], "", False)))
    return True


def one_value(returning: list[Block]) -> Value | None:
    """The value that all of the blocks return; None if they return none or several. It dominates what follows all."""
    common: Value | None = None
    for block in returning:
        instr = returned(block)
        assert instr is not None
        if not instr.operands or (common is not None and instr.operands[0] is not common):
            return None
        common = instr.value(0)
    return common


def leave_by(returning: list[Block], scope: Scope, end: Block, after: Block, type: Instr) -> Value | None:
    """Turn returns in `scope`, of which `end` is the last block, into edges to `after`, right behind it.

    Gives what was returned: a value of `type`, if need be of a phi in `after`, or None if that is void.
    """
    value = one_value(returning)
    pairs: list[Operand] = []
    for block in returning:
        instr = returned(block)
        assert instr is not None
        if instr.operands:
            pairs += [instr.operands[0], block]
        if block is end:
            clear_jump(block)
        else:
            set_jump(block, Break(scope))
    if value is not None or not pairs:
        return value
    return append(after, Instr(op.Phi, type, pairs))


UNIFY_RETURNS: Final = Pass(
    "unify-returns",
    "leave a function by one return at its end",
    unify_returns,
    needs=(STRUCTURED,),
    gives=(SINGLE_RETURN,),
    loses=(NO_PHIS, SINGLE_LEVEL),
)
