"""Ifs on the same condition that follow each other become one.

    if c { A } else { B }                  if c { A; D } else { B; E }
    m: %p = Phi %x A, %y B          =>     after: %q = Phi ...
    if c { D(%p) } else { E(%p) }          D uses %x, E uses %y; a use of %p behind both has a phi there
    after: %q = Phi ...

Between them stand phis, and arithmetic without side effects that doesn't use those; it moves before. A phi that is used
where a jump out of the second if leads too, and not just behind it, keeps the ifs apart. Exact by the rules
of SPV_KHR_maximal_reconvergence (T is the tangle that comes to the first if, T_c those for which c holds):
  - A runs with T_c, and what meets at m is T without those that escaped. c is one value per invocation, so D runs
    with T_c without those that escaped from A: with those that reach the end of A. Merged, D follows A, so they must
    come there as one tangle: if A can part them (an unmerged if in it, `frames.stays_together`) or they leave A by a
    `break` of the if itself, only the join at m brings them together, and the ifs stay. An arm before an empty one may
    do so.
  - At m no invocation executes anything; there is no order between invocations of T there but by tangled operations,
    and if one stands at m the ifs stay.
  - An arm A that ends in a jump out (return, break, continue) lets none of T_c reach m, so D is dead and goes; nested
    jumps just make the set smaller, in both forms. Where the second if's arms go does not matter: jumps from D escape
    the same joins but the one of the first if, at which they had arrived already. NIR refuses those; here they merge.
  - The join behind both is that of the second if, with the same place, and the same lanes arrive there. Both ifs
    have to be merged: otherwise T_c and the others go on divergent from the first one, or meet behind it and no more.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.ir import op
from reknit.ir.back_edge import is_conditional_back_edge
from reknit.ir.block import Block
from reknit.ir.cfg import predecessors
from reknit.ir.constants import undef
from reknit.ir.edit import append, erase, move_run, prepend, retarget_phis, set_jump, unlink, unlink_node
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.jump import Break, Exit
from reknit.ir.module import Module
from reknit.ir.outward import blocks_of, nodes_of, outward_jumps
from reknit.ir.stitch import stitch
from reknit.ir.tree import If, Region
from reknit.ir.value import Value
from reknit.ir.walk import constructs
from reknit.passes.contract import STRUCTURED, Context, Pass
from reknit.passes.ifs.condition import base
from reknit.passes.loops.joins import uses_of
from reknit.passes.tidy.dead import erase_dead
from reknit.passes.tidy.region_convergence import stays_together
from reknit.passes.values.speculate import is_speculatable
from reknit.source.meter import spend


def merge_ifs(function: Function, context: Context) -> bool:
    """Merge every row of ifs on one condition. Costs the function, and once more where merged arms hold such a row."""
    decorations = context.analyses.of_module(Decorations)
    changed = False
    again = True
    while again:
        spend(1)
        again = False
        for node in reversed(constructs(function)):  # inner before outer, later before earlier
            if isinstance(node, If) and node.region is not None and _follows(node, decorations) is None:
                row = _row(node, decorations)
                if len(row) > 1:
                    _Merge(row, context.module).run()
                    again = True
        changed = changed or again
    return changed


def _follows(second: If, decorations: Decorations) -> If | None:
    """The if that `second` comes right after and may be merged with, arms aside."""
    between = second.before()
    first = between.prev
    if not isinstance(first, If) or not first.merged or not second.merged or first.breaks:
        return None
    if base(first.condition)[0] is not base(second.condition)[0] or is_conditional_back_edge(second):
        return None
    for user in between.users:
        if isinstance(user, Instr) and user.op != op.Phi:
            return None  # a block outside of the tree branches here
    for instr in between:
        if instr.op in (op.Phi, op.Line, op.NoLine):
            continue
        if not is_speculatable(instr, decorations) or any(_is_met(operand, second) for operand in instr.operands):
            return None
    return first


def _is_met(operand: Operand, second: If) -> bool:
    """Whether `operand` is a phi where two ifs of the row meet."""
    if not isinstance(operand, Instr) or operand.op != op.Phi or operand.block is None:
        return False
    return operand.block.region is second.region and isinstance(operand.block.prev, If)


def _row(first: If, decorations: Decorations) -> list[If]:
    """`first` and those after it that can become one with it."""
    row = [first]
    apart = [False, False]
    open_phis: list[Instr] = []  # where ifs of the row meet, not known to be used in arms of the row alone
    inside: dict[Value, None] = {}
    while True:
        spend(1)
        second = row[-1].after().next
        if not isinstance(second, If) or _follows(second, decorations) is not row[-1]:
            return row
        before = _arms(row[-1], first)
        here = _arms(second, first)
        for side in (0, 1):
            if before[side].end().jump is None and not apart[side] and not stays_together(before[side]):
                apart[side] = True
            if apart[side] and not _is_bare(here[side]):
                return row
        inside.update(dict.fromkeys(nodes_of([second])))
        open_phis.extend(second.before().phis())
        if open_phis and any(not isinstance(jump, Exit) for _, jump in outward_jumps([second])):
            if any(use.place not in inside for phi in open_phis for use in uses_of(phi)):
                return row
            open_phis = []
        row.append(second)


def _arms(choice: If, first: If) -> tuple[Region, Region]:
    """The arms of `choice` in the order of those of `first`, whose condition may be the negation of its own."""
    if base(choice.condition)[1] == base(first.condition)[1]:
        return choice.then, choice.orelse
    return choice.orelse, choice.then


def _is_bare(region: Region) -> bool:
    return region.first is region.last and region.entry().is_empty() and region.entry().jump is None


@final
class _Merge:
    """One row of ifs becoming one. `side` says which arm a block of the ones after the first is in."""

    __slots__ = ("row", "module", "arms", "side", "after", "carried", "seams")

    def __init__(self, row: list[If], module: Module) -> None:
        self.row = row
        self.module = module
        self.arms = [_arms(choice, row[0]) for choice in row]
        self.after = row[-1].after()
        self.side: dict[Block, int] = {}
        self.carried: list[tuple[Instr, list[Value]]] = []
        self.seams: list[Block] = []  # the last block of each arm that another one was put behind, from left to right
        for arms in self.arms[1:]:
            for side in (0, 1):
                for block in blocks_of(list(arms[side])):
                    self.side[block] = side

    def run(self) -> None:
        first = self.row[0]
        for choice in self.row[1:]:
            between = choice.before()
            for instr in between:
                if instr.op != op.Phi:
                    unlink(instr)
                    if instr.op == op.Line or instr.op == op.NoLine:
                        instr.drop_operands()
                    else:
                        append(first.before(), instr)
        for number, choice in enumerate(self.row[1:]):
            for phi in choice.before().phis():
                self.resolve(phi, self.arms[number])
        self.join_arms()
        for block in list(self.row[-1].breaks):
            set_jump(block, Break(first))
        for choice in self.row[1:]:
            if choice.control != first.control:
                first.control = [0]
            first.name = first.name or choice.name
            choice.condition.drop_user(choice)
            for line in choice.before().leading:
                line.drop_operands()
            unlink_node(choice.before())
            unlink_node(choice)
        self.carry()
        self.close_seams()

    def resolve(self, phi: Instr, arms: tuple[Region, Region]) -> None:
        """Let those in later arms use what comes from their side; the rest of the users waits for `carry`."""
        assert phi.type is not None
        values: list[Value] = []
        for arm in arms:
            given: Value = undef(self.module, phi.type)
            for index in range(0, len(phi.operands), 2):
                if phi.operands[index + 1] is arm.end():
                    given = phi.value(index)
            values.append(given)
        for use in uses_of(phi):
            side = self.side.get(use.place, -1)
            if side >= 0:
                use.replace(values[side])
        if phi.is_used():
            unlink(phi)
            phi.set_operands([])
            self.carried.append((phi, values))
        else:
            erase(phi)

    def join_arms(self) -> None:
        for side in (0, 1):
            home = self.arms[0][side]
            for number in range(1, len(self.row)):
                arm = self.arms[number][side]
                if home.end().jump is not None:
                    erase_dead(list(arm), self.module)
                    continue
                seam = home.end()
                retarget_phis(arm.entry(), self.row[number].before(), seam)
                assert arm.first is not None and arm.last is not None
                move_run(arm.first, arm.last, home)
                self.seams.append(seam)

    def carry(self) -> None:
        """Put the phis that are used behind all ifs there."""
        if not self.carried:
            return
        sources = predecessors(self.after)
        for phi, values in self.carried:
            operands: list[Operand] = []
            for source in sources:
                side = self.side.get(source, -1)
                if side < 0:
                    side = 0 if source.region is self.arms[0][0] else 1
                operands += [values[side], source]
            phi.set_operands(operands)
            prepend(self.after, phi)

    def close_seams(self) -> None:
        """Make one block of two where arms meet, now that all edges are as they will be."""
        joined: Block | None = None
        for seam in self.seams:
            if seam.region is not None:
                joined = stitch(seam)
            elif joined is not None:  # it became part of the block before
                joined = stitch(joined)


MERGE_IFS: Final = Pass(
    "merge-ifs",
    "make one of ifs in a row on the same condition",
    merge_ifs,
    needs=(STRUCTURED,),
    keeps=("call-graph", "tangled", "decorations"),
)
