"""Definitions that no longer dominate their uses reach them through phis.

    if c { %x = ... }                 if c { %x = ... } else { }
    use %x                     =>     after: %x' = Phi [%x, then] [undef, else]
                                      use %x'

A pass moves code as it likes and calls `repair` once at the end. For each definition with a use that it doesn't
dominate: phis on the iterated frontier of its block, made only where a use asks for one, and the one undefined value
of the type where no definition reaches. A use in code that can't be reached is dominated by everything and stays. What
can't be in a phi (pointers under logical addressing, images and other handles) is computed again at its use, as
`demote.repair_dominance` does. Source: R. Cytron et al., Efficiently Computing Static Single Assignment Form, 1991;
SPIR-V 1.6, 2.16.1.
"""

from typing import final

from reknit.analysis.dominance import Dominance
from reknit.analysis.frontier import DominanceFrontier
from reknit.ir import op
from reknit.ir.block import Block
from reknit.ir.constants import undef
from reknit.ir.crossing import behind, is_crossing
from reknit.ir.edit import prepend
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.tree import If, Switch
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.passes.contract import Context
from reknit.passes.demote import repair_dominance
from reknit.passes.rewrite_uses import replace_use
from reknit.passes.storable import unstorable_part
from reknit.source.meter import spend


def repair(function: Function, context: Context) -> bool:
    """Make every definition of `function` dominate its uses; says whether anything had to be done.

    Costs the function, and for each broken definition the blocks between it and its uses. Forgets cached analyses
    first, so it may be called right after any edit. `InternalError` for a value that can neither be in a phi nor be
    computed again.
    """
    context.analyses.changed(function)
    return _Repair(function, context).run()


@final
class _Use:
    """Operand `index` of `user` (-1: what a construct branches on), wanted at the end of block number `place`, or at
    its start if `early`: before what the block defines."""

    __slots__ = ("user", "index", "place", "early")

    def __init__(self, user: Value, index: int, place: int, early: bool) -> None:
        self.user = user
        self.index = index
        self.place = place
        self.early = early


@final
class _Repair:
    __slots__ = ("function", "context", "dominance", "order", "frontier", "position")

    def __init__(self, function: Function, context: Context) -> None:
        self.function = function
        self.context = context
        self.dominance = context.analyses.ask(Dominance, function)
        self.order = self.dominance.order
        self.frontier = context.analyses.ask(DominanceFrontier, function).frontier
        self.position: dict[Value, int] = {}
        for block in blocks(function):
            for number, instr in enumerate(block):
                self.position[instr] = number

    def run(self) -> bool:
        changed = False
        elsewhere = False
        for block in blocks(self.function):
            for instr in block:
                if instr.op == op.Variable or not instr.is_used() or instr not in self.position:
                    continue
                uses = self.broken_uses(block, instr)
                if not uses:
                    continue
                changed = True
                if self.fits_phi(instr):
                    self.join(block, instr, uses)
                else:
                    elsewhere = True
        if elsewhere:
            self.context.analyses.changed(self.function, ("order", "dominance", "dominance-frontier"))
            repair_dominance(self.function, self.context)
        return changed

    def fits_phi(self, value: Instr) -> bool:
        assert value.type is not None
        part = unstorable_part(value.type, self.context)
        return part is None or (part is value.type and part.op in (op.TypeStruct, op.TypeArray))  # only laid out

    def broken_uses(self, home: Block, value: Instr) -> list[_Use]:
        uses: list[_Use] = []
        for user in value.users:
            if isinstance(user, (If, Switch)):
                before = user.prev
                assert isinstance(before, Block)
                if not self.dominance.dominates(home, before):
                    uses.append(_Use(user, -1, self.order.number[before], False))
            elif isinstance(user, Instr) and user.block is not None:
                for index, operand in enumerate(user.operands):
                    if operand is not value:
                        continue
                    place: Block = user.block
                    early = False
                    if user.op == op.Phi:
                        source = user.operands[index + 1]
                        assert isinstance(source, Block)
                        place = source
                    elif place is home:
                        here = self.position.get(user)
                        early = here is not None and here < self.position[value]
                    if early or not self.dominance.dominates(home, place):
                        uses.append(_Use(user, index, self.order.number[place], early))
        return uses

    def join(self, block: Block, value: Instr, uses: list[_Use]) -> None:
        """Give each use the value that reaches it."""
        home = self.order.number[block]
        joins: dict[int, Instr | None] = {}
        work: list[int] = [home]
        while work:
            spend(1)
            for join in self.frontier[work.pop()]:
                while join not in joins:
                    joins[join] = None
                    work.append(join)
                    if is_crossing(self.order.blocks[join]):
                        join = self.order.number[behind(self.order.blocks[join])]
        new_joins: list[int] = []
        known: dict[int, Value] = {home: value} if self.order.reached[home] else {}
        for use in uses:
            if use.early and home in joins:
                new: Value = self.phi(home, value, joins, new_joins)
            elif use.early:
                parent = self.dominance.parent[home]
                if parent < 0 or parent == home:
                    new = self.undefined(value)
                else:
                    new = self.at_end(parent, value, joins, new_joins, known)
            else:
                new = self.at_end(use.place, value, joins, new_joins, known)
            replace_use(use.user, use.index, new)
        filled = 0
        while filled < len(new_joins):
            join = new_joins[filled]
            filled += 1
            phi = joins[join]
            assert phi is not None
            operands: list[Operand] = []
            for source in self.order.predecessors[join]:
                operands.append(self.at_end(source, value, joins, new_joins, known))
                operands.append(self.order.blocks[source])
            phi.set_operands(operands)

    def at_end(
        self, place: int, value: Instr, joins: dict[int, Instr | None], new_joins: list[int], known: dict[int, Value]
    ) -> Value:
        """What `value` is at the end of block `place`: of the blocks that dominate it, the closest one that says."""
        passed: list[int] = []
        parent = self.dominance.parent
        reaching: Value | None = None
        while reaching is None:
            reaching = known.get(place)
            if reaching is None:
                passed.append(place)
                if place in joins:
                    reaching = self.phi(place, value, joins, new_joins)
                elif parent[place] < 0 or parent[place] == place:
                    reaching = self.undefined(value)
                else:
                    place = parent[place]
        for block in passed:
            known[block] = reaching
        return reaching

    def phi(self, place: int, value: Instr, joins: dict[int, Instr | None], new_joins: list[int]) -> Instr:
        phi = joins[place]
        if phi is None:
            phi = prepend(self.order.blocks[place], Instr(op.Phi, value.type, [], value.name))
            joins[place] = phi
            new_joins.append(place)
        return phi

    def undefined(self, value: Instr) -> Value:
        assert value.type is not None
        return undef(self.context.module, value.type)
