"""A value of a loop that is used outside of it leaves through a phi where the loop is left.

    loop @l { b1: %x = ...; break @l }            loop @l { b1: %x = ...; break @l }
    use %x                                 =>     after: %p = Phi %x b1;  use %p

Afterwards a pass that rewrites the loop (another exit, a second copy) has the phis to complete, and no users to look
for. The phis are in the blocks that the exits lead to, which for a jump over several constructs isn't the block
after the loop, and where those meet. Inner loops go first: a value leaves one loop after the other. `simplify-cfg`
folds phis with one incoming edge again, so use this right before what needs it. What can be in no phi (a pointer under
logical addressing, a handle) stays, with a note. Nothing moves, so no tangle changes.
Source: loop-closed SSA form, S. Pop et al., 2007; SPIR-V 1.6, 2.16.1 on what may be in a phi.
"""

from typing import Final, final

from reknit.analysis.loops import LoopForest, LoopInfo
from reknit.ir.block import Block
from reknit.ir.crossing import is_crossing
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.passes.contract import NO_PHIS, Context, Pass
from reknit.passes.loops.joins import Graph, Reading, Use, fits_phi, uses_of
from reknit.source.meter import spend


def lcssa(function: Function, context: Context) -> bool:
    """Give every value that leaves a loop a phi there. Costs the function, and per value the blocks to its uses."""
    forest = context.analyses.ask(LoopForest, function)
    if not forest.loops:
        return False
    return _Closing(function, context, forest).run()


@final
class _Closing:
    __slots__ = ("context", "forest", "graph", "first", "last")

    def __init__(self, function: Function, context: Context, forest: LoopForest) -> None:
        self.context = context
        self.forest = forest
        self.graph = Graph(function, context)
        self.first: dict[LoopInfo, int] = {}  # a loop's number, counted from the outside in
        self.last: dict[LoopInfo, int] = {}  # the highest number of a loop inside it
        for number, loop in enumerate(_outer_first(forest)):
            self.first[loop] = number
            self.last[loop] = number
        for loop in reversed(list(self.first)):
            if loop.parent is not None:
                self.last[loop.parent] = max(self.last[loop.parent], self.last[loop])

    def run(self) -> bool:
        changed = False
        stuck: Instr | None = None
        for loop in reversed(list(self.first)):  # inner loops first
            exits: dict[int, None] = {}
            for leaving in loop.exits:
                if leaving.target is not None:
                    exits[self.graph.order.number[leaving.target]] = None
            if not exits:
                continue
            joins: dict[int, None] | None = None
            gate = -1
            for block in loop.blocks:
                for instr in block:
                    if not instr.is_used() or not instr.has_result:
                        continue
                    uses = self.uses_outside(instr, loop)
                    if not uses:
                        continue
                    if not fits_phi(instr, self.context):
                        stuck = instr if stuck is None else stuck
                        continue
                    if joins is None:
                        joins = self.graph.joins_behind(exits)
                        gate = self.gate_of(exits, loop)
                    self.close(block, instr, uses, joins, gate)
                    changed = True
        if stuck is not None:
            name = f"%{stuck.name}" if stuck.name else "a value"
            reason = f"{name} is used outside of its loop, and no phi can have its type"
            self.context.decline("RK2211", reason, at=stuck)
        return changed

    def close(self, block: Block, value: Instr, uses: list[Use], joins: dict[int, None], gate: int) -> None:
        order = self.graph.order
        home = order.number[block]
        known: dict[int, Value] = {home: value}
        if gate >= 0 and not self.graph.dominance.dominates(block, order.blocks[gate]):
            gate = -1
        reading = Reading(self.graph, value, known, joins)
        for use in uses:
            use.replace(reading.at_end(gate if gate >= 0 else order.number[use.place]))
        reading.finish()

    def gate_of(self, exits: dict[int, None], loop: LoopInfo) -> int:
        """The one block in which a phi has all that leaves `loop`; -1 if there are several or edges cross there."""
        gate = next(iter(exits))
        if len(exits) > 1 or is_crossing(self.graph.order.blocks[gate]):
            return -1
        return gate if self.is_only_entered_from(gate, loop) else -1

    def is_only_entered_from(self, target: int, loop: LoopInfo) -> bool:
        order = self.graph.order
        return all(self.is_inside(order.blocks[source], loop) for source in order.predecessors[target])

    def is_inside(self, block: Block, loop: LoopInfo) -> bool:
        inner = self.forest.innermost.get(block)
        return inner is not None and self.first[loop] <= self.first[inner] <= self.last[loop]

    def uses_outside(self, value: Instr, loop: LoopInfo) -> list[Use]:
        """The uses outside of `loop` that control can reach, but for phis where it is left."""
        uses: list[Use] = []
        for use in uses_of(value):
            number = self.graph.order.number.get(use.place, -1)
            if number >= 0 and self.graph.order.reached[number] and not self.is_inside(use.place, loop):
                uses.append(use)
        return uses


def _outer_first(forest: LoopForest) -> list[LoopInfo]:
    """The loops, each right before those inside it."""
    ordered: list[LoopInfo] = []
    work = [loop for loop in forest.loops if loop.parent is None][::-1]
    while work:
        spend(1)
        loop = work.pop()
        ordered.append(loop)
        work.extend(reversed(loop.children))
    return ordered


LCSSA: Final = Pass(
    "lcssa",
    "let values leave loops through phis",
    lcssa,
    loses=(NO_PHIS,),
    keeps=("order", "dominance", "post-dominance", "dominance-frontier", "loop-forest", "call-graph", "tangled"),
)
