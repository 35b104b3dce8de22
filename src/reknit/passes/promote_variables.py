"""Turn variables that are only loaded and stored whole into values, with phis where stores meet.

    %v = Variable                         if c { }            the store and the loads are gone
    if c { Store %v 1 }           =>      after:
    after: %x = Load %v                   %x' = Phi [1, then] [undef, else]
    use %x                                use %x'

    one walk over the blocks: the loads and stores of each
      ──▶ phis on the iterated dominance frontier of the stores
      ──▶ one walk down the dominator tree, which carries the value of each variable
      ──▶ phis that nothing reads are dropped, the others written

A variable stays if it escapes, has a decoration that values can't have, or is accessed otherwise than plainly
(volatile, nontemporal, a part of it). A load before any store gives OpUndef of the type, one per module. Near linear:
no work per variable and block, only per load, store and phi (`phi_places`). Debug information that declares the
variable says the value instead, at each store and phi.
Source: R. Cytron et al., Efficiently Computing Static Single Assignment Form, 1991; P. Briggs et al., Practical
Improvements to the Construction and Destruction of Static Single Assignment Form, 1998 (no phis for what stays in a
block).
"""

from typing import Final, final

from reknit.analysis.dominance import Dominance
from reknit.analysis.frontier import DominanceFrontier
from reknit.analysis.phi_places import PhiPlaces
from reknit.ir import op
from reknit.ir.constants import undef
from reknit.ir.debug import DEBUG_VALUE, is_declare
from reknit.ir.edit import erase, insert_after_phis, insert_before, prepend
from reknit.ir.flat_graph import NONE, filled
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value
from reknit.passes.contract import NO_PHIS, Context, Pass
from reknit.passes.promotable import promotable_variables
from reknit.passes.rewrite_uses import rewrite_uses
from reknit.source.columns import append, i64, vec
from reknit.source.meter import spend

PHIS_ALWAYS: Final = 100_000  # and as many a block: with more, variables stay
PHIS_PER_BLOCK: Final = 8


def promote_variables(function: Function, context: Context) -> bool:
    return promote(function, context, PHIS_ALWAYS, PHIS_PER_BLOCK)


def promote(function: Function, context: Context, phis: int, phis_per_block: int = 0) -> bool:
    """So many phis there may be, and so many more for each block."""
    variables = promotable_variables(function, context)
    if not variables:
        return False
    promotion = _Promotion(function, context, variables)
    promotion.find_accesses()
    promotion.place_phis(phis + phis_per_block * len(promotion.order.blocks))
    promotion.rename()
    promotion.write()
    return bool(promotion.number)


@final
class _Phi:
    """A phi that may be needed, in block number `block`. Its operands go with the predecessors of the block, in their
    order: a value, or 0 where none is known, and the block."""

    __slots__ = ("variable", "block", "instr", "operands")

    def __init__(self, variable: int, block: int, instr: Instr, operands: list[Operand]) -> None:
        self.variable = variable
        self.block = block
        self.instr = instr
        self.operands = operands


@final
class _Edges:
    """The edges into blocks with phis, by the block that they come from: `first[source]` is one of them, `following` of
    an edge the next one. Each goes into block `target` as the edge number `place`."""

    __slots__ = ("first", "following", "target", "place")

    def __init__(self, count: int) -> None:
        self.first: vec[i64] = filled(count, NONE)
        self.following: vec[i64] = vec[i64]()
        self.target: vec[i64] = vec[i64]()
        self.place: vec[i64] = vec[i64]()

    def add(self, source: i64, target: i64, place: i64) -> None:
        self.following = append(self.following, self.first[source])
        self.first[source] = len(self.target)
        self.target = append(self.target, target)
        self.place = append(self.place, place)


@final
class _Promotion:
    """Blocks go by their number in `order`, variables by their number in `variables`, loads and stores by their number
    in `accesses`: those of block n are from `starts[n]` to `starts[n + 1]`. `number` has the variables that don't stay.
    """

    __slots__ = (
        "context", "variables", "number", "types", "dominance", "frontier", "order", "accesses", "accessed", "starts",
        "stays", "phis", "loaded", "dead", "current", "changed", "before", "changes",
    )  # fmt: skip

    def __init__(self, function: Function, context: Context, variables: list[Instr]) -> None:
        self.context = context
        self.variables = variables
        self.number: dict[object, int] = {variable: index for index, variable in enumerate(variables)}
        self.types: list[Instr] = [_pointee(variable) for variable in variables]
        self.dominance = context.analyses.ask(Dominance, function)
        self.frontier = context.analyses.ask(DominanceFrontier, function).frontier
        self.order = self.dominance.order
        self.accesses: list[Instr] = []
        self.accessed: vec[i64] = vec[i64]()  # the variable of each
        self.starts: vec[i64] = vec[i64]()
        self.stays: list[bool] = [False] * len(variables)
        self.phis: dict[int, list[_Phi]] = {}
        self.loaded: dict[Value, Value] = {}  # load -> the value that takes its place
        self.dead: list[Instr] = []  # loads and stores
        self.current: list[Value | None] = []  # by variable; None is not known (undefined)
        self.changed: vec[i64] = vec[i64]()  # variables, each with its value before: to go back up
        self.before: list[Value | None] = []
        self.changes: i64 = 0

    def find_accesses(self) -> None:
        number = self.number
        accesses = self.accesses
        accessed = self.accessed
        starts = self.starts
        for block in self.order.blocks:
            starts = append(starts, len(accesses))
            instr = block.first
            while instr is not None:
                if instr.op == op.Load or instr.op == op.Store:
                    index = number.get(instr.operands[0])
                    if index is not None:
                        accesses.append(instr)
                        accessed = append(accessed, index)
                instr = instr.next
        self.accessed = accessed
        self.starts = append(starts, len(accesses))

    def place_phis(self, room: int) -> None:
        """A phi for each variable on the iterated frontier of its stores. A variable that takes too many stays one."""
        stores: list[list[int]] = [[] for _ in self.variables]
        reads: list[list[int]] = [[] for _ in self.variables]  # blocks that read what comes in
        self._sort_accesses(stores, reads)
        for index, joins in enumerate(PhiPlaces(self.order, self.frontier, stores, reads).within(room)):
            if joins is None:
                del self.number[self.variables[index]]
                self.stays[index] = True
            else:
                for join in joins:
                    self._new_phi(index, join)

    def _sort_accesses(self, stores: list[list[int]], reads: list[list[int]]) -> None:
        stored = filled(len(self.variables), NONE)  # the last block that stores it,
        read = filled(len(self.variables), NONE)  # and that reads what comes in
        reached = self.order.reached
        for block in range(len(reached)):
            if not reached[block]:
                continue
            access = self.starts[block]
            end = self.starts[block + 1]
            while access < end:
                index = self.accessed[access]
                if stored[index] != block:
                    if self.accesses[access].op == op.Store:
                        stored[index] = block
                        stores[index].append(block)
                    elif read[index] != block:
                        read[index] = block
                        reads[index].append(block)
                access += 1

    def _new_phi(self, index: int, join: int) -> None:
        operands: list[Operand] = []
        for source in self.order.predecessors[join]:
            operands.append(0)
            operands.append(self.order.blocks[source])
        phi = _Phi(index, join, Instr(op.Phi, self.types[index], [], self.variables[index].name), operands)
        row = self.phis.get(join)
        if row is None:
            self.phis[join] = [phi]
        else:
            row.append(phi)

    def rename(self) -> None:
        """Walk down the dominator tree with the value that each variable has."""
        for variable in self.variables:
            self.current.append(variable.value(1) if len(variable.operands) > 1 else None)
        edges = _Edges(len(self.order.blocks))
        for target in self.phis:
            for place, source in enumerate(self.order.predecessors[target]):
                edges.add(source, target, place)
        parent = self.dominance.parent
        changes = filled(len(parent), 0)  # as many as there were at the end of the block
        for node in self.dominance.preorder():
            if node != 0:
                self._back_to(changes[parent[node]])
            self._through(node, edges)
            changes[node] = self.changes
        for number, reached in enumerate(self.order.reached):
            if not reached:
                self._unreached(number)

    def _change(self, index: i64, value: Value) -> None:
        at = self.changes
        if at == len(self.changed):
            self.changed = append(self.changed, index)
            self.before.append(self.current[index])
        else:
            self.changed[at] = index
            self.before[at] = self.current[index]
        self.changes = at + 1
        self.current[index] = value

    def _back_to(self, changes: i64) -> None:
        at = self.changes
        while at > changes:
            at -= 1
            self.current[self.changed[at]] = self.before[at]
        self.changes = at

    def _through(self, number: int, edges: _Edges) -> None:
        phis = self.phis.get(number)
        if phis is not None:
            for phi in phis:
                self._change(phi.variable, phi.instr)
        access = self.starts[number]
        end = self.starts[number + 1]
        while access < end:
            index = self.accessed[access]
            if not self.stays[index]:
                instr = self.accesses[access]
                if instr.op == op.Load:
                    value = self.current[index]
                    self.loaded[instr] = value if value is not None else self._undefined(int(index))
                else:
                    stored = instr.value(1)
                    self._change(index, self.loaded.get(stored, stored))
                self.dead.append(instr)
            access += 1
        edge = edges.first[number]
        while edge >= 0:
            place = 2 * edges.place[edge]
            for phi in self.phis[int(edges.target[edge])]:
                value = self.current[phi.variable]
                if value is not None:
                    phi.operands[place] = value
            edge = edges.following[edge]

    def _unreached(self, number: int) -> None:
        access = self.starts[number]
        end = self.starts[number + 1]
        while access < end:
            index = self.accessed[access]
            if not self.stays[index]:
                instr = self.accesses[access]
                self.dead.append(instr)
                if instr.op == op.Load:
                    self.loaded[instr] = self._undefined(int(index))
            access += 1

    def _undefined(self, index: int) -> Value:
        return undef(self.context.module, self.types[index])

    def write(self) -> None:
        """Give users of loads the values, write the phis that something reads, remove what is no longer needed."""
        rewrite_uses(self.loaded)
        declares = self._declares()
        for instr in self.dead:
            if declares and instr.op == op.Store:
                for declare in declares.get(instr.value(0), ()):
                    insert_before(instr, debug_value(declare, instr.value(1)))
            erase(instr)
        joins = sorted(self.phis)
        candidates: dict[Value, _Phi] = {}
        live: dict[Value, None] = {}
        work: list[_Phi] = []
        for join in joins:
            for phi in self.phis[join]:
                candidates[phi.instr] = phi
                if phi.instr.is_used():
                    live[phi.instr] = None
                    work.append(phi)
        while work:
            spend(1)
            phi = work.pop()
            operands = phi.operands
            for at in range(0, len(operands), 2):
                value = operands[at]
                if not isinstance(value, Value):
                    operands[at] = self._undefined(phi.variable)
                    continue
                source = candidates.get(value)
                if source is not None and value not in live:
                    live[value] = None
                    work.append(source)
            phi.instr.set_operands(operands)
        for join in joins:
            row = self.phis[join]
            for index in range(len(row) - 1, -1, -1):
                if row[index].instr in live:
                    prepend(self.order.blocks[join], row[index].instr)
            for phi in row if declares else ():
                if phi.instr in live:
                    for declare in declares.get(self.variables[phi.variable], ()):
                        insert_after_phis(self.order.blocks[join], debug_value(declare, phi.instr))
        for index, variable in enumerate(self.variables):
            if not self.stays[index]:
                for declare in declares.get(variable, ()):
                    erase(declare)
                erase(variable)

    def _declares(self) -> dict[Value, list[Instr]]:
        """What debug information says that the variables stand for."""
        declares: dict[Value, list[Instr]] = {}
        for index, variable in enumerate(self.variables):
            if not self.stays[index]:
                of_it = [user for user in variable.user_list() if isinstance(user, Instr) and is_declare(user)]
                if of_it:
                    declares[variable] = of_it
        return declares


def debug_value(declare: Instr, value: Value) -> Instr:
    """From here on the source's variable has that value, where the variable it was kept in is gone."""
    operands = [*declare.operands]
    operands[1] = DEBUG_VALUE
    operands[3] = value
    return Instr(declare.op, declare.type, operands)


def _pointee(variable: Instr) -> Instr:
    assert variable.type is not None
    return variable.type.instr(1)


PROMOTE_VARIABLES: Final = Pass(
    "promote-variables",
    "turn variables that are only loaded and stored whole into values",
    promote_variables,
    loses=(NO_PHIS,),
    keeps=("order", "dominance", "dominance-frontier", "call-graph", "tangled", "decorations"),
)
