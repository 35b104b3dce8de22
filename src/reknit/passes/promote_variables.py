"""Turn variables that are only loaded and stored whole into values, with phis where stores meet.

    %v = Variable                         if c { }            the store and the loads are gone
    if c { Store %v 1 }           =>      after:
    after: %x = Load %v                   %x' = Phi [1, then] [undef, else]
    use %x                                use %x'

    phis on the iterated dominance frontier of the stores, where the variable is still read
      ──▶ one walk down the dominator tree, which carries the value of each variable
      ──▶ phis that nothing reads are dropped, the others written

A variable stays if it escapes, has a decoration that values can't have, or is accessed otherwise than plainly
(volatile, nontemporal, a part of it). A load before any store gives OpUndef of the type, one per module. Near linear:
no work per variable and block, only per load, store and phi, and per block on a frontier or between a store and a load.
Source: R. Cytron et al., Efficiently Computing Static Single Assignment Form, 1991; P. Briggs et al., Practical
Improvements to the Construction and Destruction of Static Single Assignment Form, 1998 (no phis for what stays in a
block).
Where edges meet without a block in SPIR-V (`ir.crossing`), the phi there is relayed by one in the block behind it.
"""

from typing import Final, final

from reknit.analysis.dominance import Dominance
from reknit.analysis.frontier import DominanceFrontier
from reknit.ir import op
from reknit.ir.constants import undef
from reknit.ir.crossing import behind, is_crossing
from reknit.ir.edit import erase, prepend
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.value import Value
from reknit.ir.walk import blocks
from reknit.passes.contract import NO_PHIS, Context, Pass
from reknit.passes.promotable import promotable_variables
from reknit.passes.rewrite_uses import rewrite_uses

PHIS_ALWAYS: Final = 100_000  # and as many a block: with more, variables stay
PHIS_PER_BLOCK: Final = 8


def promote_variables(function: Function, context: Context) -> bool:
    return promote(function, context, PHIS_ALWAYS + PHIS_PER_BLOCK * len(blocks(function)))


def promote(function: Function, context: Context, room: int) -> bool:
    """`room` is how many phis there may be."""
    variables = promotable_variables(function, context)
    if not variables:
        return False
    promotion = _Promotion(function, context, variables)
    promotion.place_phis(room)
    promotion.rename()
    promotion.write()
    return bool(promotion.number)


@final
class _Phi:
    """A phi that may be needed. `arguments` go with the predecessors of its block, in their order."""

    __slots__ = ("variable", "instr", "arguments")

    def __init__(self, variable: int, instr: Instr, arguments: list[Value | None]) -> None:
        self.variable = variable
        self.instr = instr
        self.arguments = arguments


@final
class _Promotion:
    """Blocks go by their number in `order`, variables by their number in `variables`."""

    __slots__ = ("context", "variables", "number", "types", "dominance", "frontier", "order", "phis", "loaded", "dead")

    def __init__(self, function: Function, context: Context, variables: list[Instr]) -> None:
        self.context = context
        self.variables = variables
        self.number: dict[Value, int] = {variable: index for index, variable in enumerate(variables)}
        self.types: list[Instr] = [_pointee(variable) for variable in variables]
        self.dominance = context.analyses.ask(Dominance, function)
        self.frontier = context.analyses.ask(DominanceFrontier, function).frontier
        self.order = self.dominance.order
        self.phis: list[list[_Phi]] = [[] for _ in self.order.blocks]
        self.loaded: dict[Value, Value] = {}  # load -> the value that takes its place
        self.dead: list[Instr] = []  # loads and stores

    def place_phis(self, room: int) -> None:
        """A phi for each variable on the iterated frontier of its stores, where it is read before it is stored again.
        A variable that takes too many stays one."""
        stores: list[list[int]] = [[] for _ in self.variables]
        reads: list[list[int]] = [[] for _ in self.variables]  # blocks that read what comes in
        for number, block in enumerate(self.order.blocks):
            if not self.order.reached[number]:
                continue
            stored: dict[int, None] = {}
            read: dict[int, None] = {}
            for instr in block:
                if instr.op == op.Load:
                    index = self.number.get(instr.value(0), -1)
                    if index >= 0 and index not in stored and index not in read:
                        read[index] = None
                        reads[index].append(number)
                elif instr.op == op.Store:
                    index = self.number.get(instr.value(0), -1)
                    if index >= 0 and index not in stored:
                        stored[index] = None
                        stores[index].append(number)
        count = len(self.order.blocks)
        alive = [-1] * count  # the last variable that is read from here on
        stops = [-1] * count  # that is stored here
        marked = [-1] * count  # that has a phi here
        for index, variable in enumerate(self.variables):
            self._mark_alive(index, reads[index], stores[index], alive, stops)
            joins = self._joins(index, stores[index], alive, marked)
            if len(joins) > room:
                del self.number[variable]
                continue
            room -= len(joins)
            for join in joins:
                self._new_phi(index, join)

    def _mark_alive(self, index: int, reads: list[int], stores: list[int], alive: list[int], stops: list[int]) -> None:
        """Mark the blocks from whose start a read of the variable is reached before a store."""
        for block in stores:
            stops[block] = index
        for block in reads:
            alive[block] = index
        while reads:
            for before in self.order.predecessors[reads.pop()]:
                if alive[before] != index and stops[before] != index:
                    alive[before] = index
                    reads.append(before)

    def _joins(self, index: int, work: list[int], alive: list[int], marked: list[int]) -> list[int]:
        joins: list[int] = []
        while work:
            for join in self.frontier[work.pop()]:
                while marked[join] != index and alive[join] == index:
                    marked[join] = index
                    work.append(join)
                    joins.append(join)
                    if is_crossing(self.order.blocks[join]):
                        join = self.order.number[behind(self.order.blocks[join])]
        return joins

    def _new_phi(self, index: int, join: int) -> None:
        phi = Instr(op.Phi, self.types[index], [], self.variables[index].name)
        self.phis[join].append(_Phi(index, phi, [None] * len(self.order.predecessors[join])))

    def rename(self) -> None:
        """Walk down the dominator tree with the value that each variable has; None is not known (undefined)."""
        current: list[Value | None] = [
            variable.value(1) if len(variable.operands) > 1 else None for variable in self.variables
        ]
        slots = self._slots()
        changes: list[tuple[int, Value | None]] = []  # variable, value before: to go back up
        path: list[int] = [0]
        nexts: list[int] = [0]
        heights: list[int] = [0]
        self._through(0, current, changes, slots[0])
        while path:
            node = path[-1]
            row = self.dominance.children[node]
            at = nexts[-1]
            if at == len(row):
                path.pop()
                nexts.pop()
                height = heights.pop()
                while len(changes) > height:
                    index, value = changes.pop()
                    current[index] = value
                continue
            nexts[-1] = at + 1
            path.append(row[at])
            nexts.append(0)
            heights.append(len(changes))
            self._through(row[at], current, changes, slots[row[at]])
        for number, reached in enumerate(self.order.reached):
            if not reached:
                self._unreached(number)

    def _slots(self) -> list[list[int]]:
        """For each edge, in the order of `successors`: which of the target's predecessors the source is."""
        filled = [0] * len(self.order.blocks)
        slots: list[list[int]] = []
        for row in self.order.successors:
            here: list[int] = []
            for target in row:
                here.append(filled[target])
                filled[target] += 1
            slots.append(here)
        return slots

    def _through(
        self, number: int, current: list[Value | None], changes: list[tuple[int, Value | None]], slots: list[int]
    ) -> None:
        for phi in self.phis[number]:
            changes.append((phi.variable, current[phi.variable]))
            current[phi.variable] = phi.instr
        for instr in self.order.blocks[number]:
            if instr.op == op.Load:
                index = self.number.get(instr.value(0), -1)
                if index >= 0:
                    value = current[index]
                    self.loaded[instr] = value if value is not None else self._undefined(index)
                    self.dead.append(instr)
            elif instr.op == op.Store:
                index = self.number.get(instr.value(0), -1)
                if index >= 0:
                    stored = instr.value(1)
                    changes.append((index, current[index]))
                    current[index] = self.loaded.get(stored, stored)
                    self.dead.append(instr)
        for at, target in enumerate(self.order.successors[number]):
            for phi in self.phis[target]:
                phi.arguments[slots[at]] = current[phi.variable]

    def _unreached(self, number: int) -> None:
        for instr in self.order.blocks[number]:
            if instr.op == op.Load or instr.op == op.Store:
                index = self.number.get(instr.value(0), -1)
                if index >= 0:
                    self.dead.append(instr)
                    if instr.op == op.Load:
                        self.loaded[instr] = self._undefined(index)

    def _undefined(self, index: int) -> Value:
        return undef(self.context.module, self.types[index])

    def write(self) -> None:
        """Give users of loads the values, write the phis that something reads, remove what is no longer needed."""
        rewrite_uses(self.loaded)
        for instr in self.dead:
            erase(instr)
        candidates: dict[Value, tuple[int, _Phi]] = {}
        for number, row in enumerate(self.phis):
            for phi in row:
                candidates[phi.instr] = (number, phi)
        live: dict[Value, None] = {}
        work: list[Value] = []
        for needed in candidates:
            if needed.users:
                live[needed] = None
                work.append(needed)
        while work:
            number, phi = candidates[work.pop()]
            operands: list[Operand] = []
            for at, source in enumerate(self.order.predecessors[number]):
                value = phi.arguments[at]
                if value is None:
                    value = self._undefined(phi.variable)
                elif value in candidates and value not in live:
                    live[value] = None
                    work.append(value)
                operands.append(value)
                operands.append(self.order.blocks[source])
            phi.instr.set_operands(operands)
        for number, row in enumerate(self.phis):
            for index in range(len(row) - 1, -1, -1):
                if row[index].instr in live:
                    prepend(self.order.blocks[number], row[index].instr)
        for variable in self.number:
            assert isinstance(variable, Instr)
            erase(variable)


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
