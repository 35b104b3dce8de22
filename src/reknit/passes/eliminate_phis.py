"""Put what phis choose into variables, so that code can move without minding where control came from.

    a: goto c    b: goto c                        a: Store %v %x       b: Store %v %y
    c: %p = Phi [%x, a] [%y, b]         =>        c: %p = Load %v

Each phi has a variable of its own, written last thing in every predecessor and read where the phi stood. The stores
write values, not variables, so phis of one block that feed each other (a swap) and phis that live on after their loop
(a lost copy) need no care; a predecessor with other successors (a critical edge, the test of a conditional back edge,
or one of which a path only leaves) stores in vain for these, since only the phi's block reads. Where edges only cross
(`ir.crossing`) nothing can be stored: the blocks that they come from store, and phis that others relay there are gone.
A predecessor that no path reaches stores nothing: a phi may name any value for it, also one defined further down.

A phi stays where no variable can hold it: a logical pointer, an image, a type with an explicit layout (RK2010).
Source: C. Sreedhar et al., Translating Out of Static Single Assignment Form, 1999; SPIR-V 1.6, OpPhi.
"""

from typing import Final

from reknit.analysis.order import Order
from reknit.ir import enums, op
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors
from reknit.ir.crossing import is_crossing
from reknit.ir.debug import may_precede_phis
from reknit.ir.edit import append, erase, insert_after_phis, unlink
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import annotation
from reknit.ir.selections import code_of_edge
from reknit.ir.walk import blocks
from reknit.passes.contract import NO_PHIS, Context, Pass
from reknit.passes.storable import needs_aliasing, unstorable_part
from reknit.passes.variables import local_variable
from reknit.source.meter import spend


def eliminate_phis(function: Function, context: Context) -> bool:
    leaving: list[Instr] = []
    mixed: list[Block] = []  # blocks of which some phis stay
    storable: dict[Instr, Instr | None] = {}
    relayed: list[Instr] = []
    for block in blocks(function):
        phis = list(block.phis())
        if phis and is_crossing(block):
            relayed += phis
            continue
        before = len(leaving)
        for phi in phis:
            assert phi.type is not None
            if phi.type not in storable:
                storable[phi.type] = unstorable_part(phi.type, context)
            if storable[phi.type] is None:
                leaving.append(phi)
            else:
                _tell(phi, block, context)
        if 0 < len(leaving) - before < len(phis):
            mixed.append(block)
    stores: list[list[tuple[Operand, Block]]] = []
    if leaving:
        order = context.analyses.ask(Order, function)
        for phi in leaving:
            stores.append([pair for pair in _origins(phi) if order.reached[order.number[pair[1]]]])
    variables: list[Instr] = []
    for phi in reversed(leaving):  # each goes before those there are
        assert phi.type is not None
        variable = local_variable(function, context.module, phi.type, phi.name)
        if needs_aliasing(phi.type):
            context.module.decorations.append(annotation(op.Decorate, [variable, enums.DecorationAliasedPointer]))
        variables.append(variable)
    variables.reverse()
    for phi, variable, pairs in zip(leaving, variables, stores, strict=True):
        _replace(phi, variable, pairs)
    for phi in reversed(relayed):
        if not phi.is_used():
            erase(phi)
    for block in mixed:
        _phis_first(block)
    return bool(leaving)


def _origins(phi: Instr) -> list[tuple[Operand, Block]]:
    """The values of the phi with the blocks that they come from, before edges cross."""
    origins: list[tuple[Operand, Block]] = []
    stack: list[tuple[Operand, Block]] = []
    for index in range(len(phi.operands) - 2, -1, -2):
        stack.append((phi.operands[index], _source(phi, index)))
    while stack:
        spend(1)
        value, block = stack.pop()
        if not is_crossing(block):
            origins.append((value, block))
        elif isinstance(value, Instr) and value.op == op.Phi and value.block is block:
            for index in range(len(value.operands) - 2, -1, -2):
                stack.append((value.operands[index], _source(value, index)))
        else:
            stack.extend((value, before) for before in reversed(predecessors(block)))
    return origins


def _source(phi: Instr, index: int) -> Block:
    source = phi.operands[index + 1]
    assert isinstance(source, Block)
    return source


def _replace(phi: Instr, variable: Instr, pairs: list[tuple[Operand, Block]]) -> None:
    """The phi becomes the load, in place: users, name and decorations stay with it."""
    for value, source in pairs:
        append(code_of_edge(source), Instr(op.Store, None, [variable, value], "", False))
    phi.op = op.Load
    phi.set_operands([variable])


def _phis_first(block: Block) -> None:
    """Bring the phis that stay before the loads that others became."""
    loads: list[Instr] = []
    count = 0  # of those, how many stand before a phi
    for instr in block:
        if instr.op == op.Load:
            loads.append(instr)
        elif instr.op == op.Phi:
            count = len(loads)
        elif not may_precede_phis(instr):
            break
    for load in loads[:count]:
        unlink(load)
    for load in reversed(loads[:count]):
        insert_after_phis(block, load)


def _tell(phi: Instr, block: Block, context: Context) -> None:
    what = f"%{phi.name}" if phi.name else "a phi"
    where = f" of block {block.name}" if block.name else ""
    context.decline(
        "RK2010",
        f"{what}{where} stays a phi: no variable of a function can hold its type",
        "declare VariablePointers if it is a pointer, or select the value after the join",
        phi,
    )


ELIMINATE_PHIS: Final = Pass(
    "eliminate-phis",
    "put what phis choose into variables",
    eliminate_phis,
    gives=(NO_PHIS,),
    keeps=("order", "dominance", "dominance-frontier", "call-graph", "tangled"),
)
