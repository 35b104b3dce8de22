"""One value that several blocks define, or that must be seen again on a path: what each use reads of it.

    b1: %v          b2: %w                   b1: %v          b2: %w
         └────┬───────┘              =>           └────┬───────┘
    b3:   use %v                             b3: %j = Phi %v b1, %w b2;  use %j

`read` gives a use what reaches it; phis are made only where a use asks for one, on the iterated dominance frontier of
the definitions, and `finish` fills them. Where no definition reaches, the one undefined value of the type is read.
Source: R. Cytron et al., Efficiently Computing Static Single Assignment Form, 1991.
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
from reknit.passes.contract import Context
from reknit.passes.rewrite_uses import replace_use
from reknit.passes.storable import unstorable_part
from reknit.source.meter import spend


@final
class Graph:
    """The function's graph as numbers (`order`), for any number of values. It must not change meanwhile."""

    __slots__ = ("context", "dominance", "order", "frontier")

    def __init__(self, function: Function, context: Context) -> None:
        self.context = context
        self.dominance = context.analyses.ask(Dominance, function)
        self.order = self.dominance.order
        self.frontier = context.analyses.ask(DominanceFrontier, function).frontier

    def iterated_frontier(self, homes: list[int]) -> dict[int, None]:
        """Where phis may be needed for values that the blocks `homes` define."""
        frontier: dict[int, None] = {}
        work = homes[:]
        while work:
            spend(1)
            for join in self.frontier[work.pop()]:
                self._add(join, frontier, work)
        return frontier

    def joins_behind(self, homes: dict[int, None]) -> dict[int, None]:
        """The blocks `homes`, which have a phi, and where further ones may be needed."""
        joins: dict[int, None] = {}
        work: list[int] = []
        for home in homes:
            self._add(home, joins, work)
        return joins | self.iterated_frontier(work)

    def _add(self, join: int, joins: dict[int, None], work: list[int]) -> None:
        """A phi in `join`; where edges only cross, the block behind relays it."""
        while join not in joins:
            joins[join] = None
            work.append(join)
            if is_crossing(self.order.blocks[join]):
                join = self.order.number[behind(self.order.blocks[join])]


@final
class Reading:
    """A value like `like`, known at the end of the blocks that `known` has, and a phi in those of `joins` if asked."""

    __slots__ = ("graph", "like", "known", "joins", "phis", "pending")

    def __init__(self, graph: Graph, like: Instr, known: dict[int, Value], joins: dict[int, None]) -> None:
        self.graph = graph
        self.like = like
        self.known = known
        self.joins = joins
        self.phis: dict[int, Instr] = {}
        self.pending: list[int] = []

    def at_end(self, place: int) -> Value:
        """The value at the end of block `place`. Costs the dominators up to where it is known."""
        passed: list[int] = []
        parent = self.graph.dominance.parent
        value: Value | None = None
        while value is None:
            value = self.known.get(place)
            if value is None:
                passed.append(place)
                if place in self.joins:
                    value = self.phi(place)
                elif parent[place] < 0 or parent[place] == place:
                    assert self.like.type is not None
                    value = undef(self.graph.context.module, self.like.type)
                else:
                    place = parent[place]
        for block in passed:
            self.known[block] = value
        return value

    def phi(self, place: int) -> Instr:
        phi = self.phis.get(place)
        if phi is None:
            phi = prepend(self.graph.order.blocks[place], Instr(op.Phi, self.like.type, [], self.like.name))
            self.phis[place] = phi
            self.pending.append(place)
        return phi

    def finish(self) -> None:
        """Give the phis that were made their operands, which may make more."""
        order = self.graph.order
        filled = 0
        while filled < len(self.pending):
            join = self.pending[filled]
            filled += 1
            operands: list[Operand] = []
            for source in order.predecessors[join]:
                operands.append(self.at_end(source))
                operands.append(order.blocks[source])
            self.phis[join].set_operands(operands)


@final
class Use:
    """Operand `index` of `user` (-1: what a construct branches on), wanted at the end of `place`."""

    __slots__ = ("user", "index", "place")

    def __init__(self, user: Value, index: int, place: Block) -> None:
        self.user = user
        self.index = index
        self.place = place

    def replace(self, new: Value) -> None:
        replace_use(self.user, self.index, new)


def uses_of(value: Instr) -> list[Use]:
    """Where `value` is used in blocks; by a phi at the end of the block that the value comes from."""
    uses: list[Use] = []
    for user in value.users:
        if isinstance(user, (If, Switch)):
            before = user.prev
            if isinstance(before, Block):
                uses.append(Use(user, -1, before))
        elif isinstance(user, Instr) and user.block is not None:
            for index, operand in enumerate(user.operands):
                if operand is value:
                    place: Value = user.block
                    if user.op == op.Phi:
                        place = user.value(index + 1)
                    assert isinstance(place, Block)
                    uses.append(Use(user, index, place))
    return uses


def fits_phi(value: Instr, context: Context) -> bool:
    """Whether a phi may have the type of `value`: what a variable can hold, and what is only laid out in memory."""
    if value.type is None:
        return False
    part = unstorable_part(value.type, context)
    return part is None or (part is value.type and part.op in (op.TypeStruct, op.TypeArray))
