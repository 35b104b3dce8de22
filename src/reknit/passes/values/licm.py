"""Compute what every iteration computes alike once, before the loop.

    loop @l {                                    %k = IMul %a, 3u : u32
      %k = IMul %a, 3u : u32                     loop @l {
      if %done nojoin { break @l }         =>      if %done nojoin { break @l }
      %d = UDiv %n, %a : u32                       %d = UDiv %n, %a : u32            %a may be 0 for lanes that leave
      %w = GroupNonUniformBallot 3u, %h ...        %w = GroupNonUniformBallot 3u, %h ...
      use %k, %d, %w                               use %k, %d, %w
    }                                            }

A value goes out of as many loops as define none of its operands, to the end of the block before the outermost of them,
if it computes from its operands alone, and
    - computing it is defined for all operands, so that those that never come to it don't notice; or
    - what enters the loop is sure to come to it: it is in the header's straight line, with nothing before it
      after which lanes may be missing, or it dominates all exits of a loop in which none is ended by an
      instruction. Loads of what nothing writes are hoisted, too. The same holds of each further loop out.

An operation that sees its tangle stays, though all its operands are invariant: each iteration is a tangle of its own
(SPV_KHR_maximal_reconvergence: OpLoopMerge sets up a join for each), and lanes that broke out are in none of those that
follow. For derivatives this is a rule on its own: past a break, the quad is no longer whole.

In source order definitions come before uses, and the target is found from the depths of the operands: near linear.
Source of the two conditions: Mesa's nir_opt_licm, as a rule; SPIR-V 1.6, "Loop".
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.analysis.dominance import Dominance
from reknit.analysis.effects import Effects
from reknit.analysis.loops import LoopForest, LoopInfo
from reknit.ir.block import Block
from reknit.ir.crossing import is_crossing
from reknit.ir.edit import append, unlink
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.walk import blocks
from reknit.passes.contract import CONTROL_FLOW, STRUCTURED, Context, Pass
from reknit.passes.values.constant_loads import Unwritten
from reknit.passes.values.speculate import is_speculatable


def licm(function: Function, context: Context) -> bool:
    forest = context.analyses.ask(LoopForest, function)
    if not forest.loops:
        return False
    return _Hoist(function, context, forest).run()


@final
class _Hoist:
    """`chain[d - 1]` is the loop of depth d around the block that the walk is at.

    `sure` are the blocks that all lanes reach that enter the loop around them; `cut` is where, in a block, that
    ends: lanes may be gone behind that instruction. `reach[l]` is the depth of the outermost loop out of which a value
    may go that is sure to be computed in `l`. `into[l]` is the open loop that stands for a closed one.
    """

    __slots__ = (
        "forest", "dominance", "effects", "decorations", "unwritten", "order", "chain", "sure", "cut", "reach", "into",
        "ends",
    )  # fmt: skip

    def __init__(self, function: Function, context: Context, forest: LoopForest) -> None:
        self.forest = forest
        self.dominance = context.analyses.ask(Dominance, function)
        self.effects = context.analyses.of_module(Effects)
        self.decorations = context.analyses.of_module(Decorations)
        self.unwritten = Unwritten(context)
        self.order: list[Block] = blocks(function)
        self.chain: list[LoopInfo] = []
        self.sure: dict[Block, None] = {}
        self.cut: dict[Block, Instr] = {}
        self.reach: dict[LoopInfo, int] = {}
        self.into: dict[LoopInfo, LoopInfo | None] = {}
        self.ends: dict[LoopInfo, None] = {}

    def run(self) -> bool:
        self.find_ends()
        changed = False
        for block in self.order:
            loop = self.forest.innermost.get(block)
            self.enter(loop)
            if loop is None or not self.is_reached(block):
                continue
            self.find_sure(block, loop)
            sure = block in self.sure
            for instr in block:
                if sure and self.cut.get(block) is instr:
                    sure = False
                target = self.target(instr, loop, sure)
                if target is not None:
                    append(target, unlink(instr))
                    changed = True
        return changed

    def is_reached(self, block: Block) -> bool:
        order = self.dominance.order
        return order.reached[order.number[block]]

    def find_ends(self) -> None:
        """The loops in which an instruction may end lanes."""
        for block in self.order:
            loop = self.forest.innermost.get(block)
            if loop is None:
                continue
            for instr in block:
                if self.effects.may_end(instr):
                    self.cut.setdefault(block, instr)
                    around: LoopInfo | None = loop
                    while around is not None and around not in self.ends:
                        self.ends[around] = None
                        around = around.parent

    def enter(self, loop: LoopInfo | None) -> None:
        """Come to a block of `loop`: close the loops that it isn't in, open those that it is in and that are new."""
        depth = 0 if loop is None else loop.depth
        while self.chain and (len(self.chain) > depth or self.chain[-1] is not self.at_depth(loop, len(self.chain))):
            closed = self.chain.pop()
            self.into[closed] = closed.parent
        if len(self.chain) == depth:
            return
        opened: list[LoopInfo] = []
        while loop is not None and loop.depth > len(self.chain):
            opened.append(loop)
            loop = loop.parent
        for each in reversed(opened):
            self.chain.append(each)
            self.reach[each] = self.how_far(each)

    def at_depth(self, loop: LoopInfo | None, depth: int) -> LoopInfo | None:
        while loop is not None and loop.depth > depth:
            loop = loop.parent
        return loop

    def how_far(self, loop: LoopInfo) -> int:
        """See `reach`: on to the next loop out, if all lanes that enter that one come to the end of the block before
        this one."""
        parent = loop.parent
        if parent is None or loop.construct is None:
            return loop.depth
        before = loop.construct.before()
        if before not in self.sure or before in self.cut:
            return loop.depth
        return self.reach[parent]

    def find_sure(self, block: Block, loop: LoopInfo) -> None:
        if block is loop.header:
            self.sure[block] = None
            return
        previous = block.prev
        straight = isinstance(previous, Block) and previous.jump is None
        if straight and previous in self.sure and previous not in self.cut:
            self.sure[block] = None
            return
        if loop in self.ends:
            return
        leaving = [each.source for each in loop.exits if self.is_reached(each.source)]
        if leaving and all(self.dominance.dominates(block, source) for source in leaving):
            self.sure[block] = None

    def target(self, instr: Instr, loop: LoopInfo, sure: bool) -> Block | None:
        """The block at whose end `instr` may as well be computed; None if it stays."""
        if instr.type is None:
            return None
        computes = self.effects.computes(instr)
        if not computes and not (sure and self.unwritten.stays_same(instr)):
            return None
        deepest = 0
        for operand in instr.operands:
            if isinstance(operand, Instr) and operand.block is not None:
                deepest = max(deepest, self.depth_of(operand.block))
        if deepest >= loop.depth:
            return None
        if not computes or not is_speculatable(instr, self.decorations):
            if not sure:
                return None
            deepest = max(deepest, self.reach[loop] - 1)
        for around in self.chain[deepest:]:
            construct = around.construct
            if construct is not None and not is_crossing(construct.before()):
                return construct.before()
        return None

    def depth_of(self, block: Block) -> int:
        """The depth of the innermost loop that both `block`, which was passed, and the walk are in."""
        loop = self.forest.innermost.get(block)
        passed: list[LoopInfo] = []
        while loop is not None and loop in self.into:
            passed.append(loop)
            loop = self.into[loop]
        for each in passed:
            self.into[each] = loop
        return 0 if loop is None else loop.depth


LICM: Final = Pass(
    "licm",
    "compute what every iteration computes alike once, before the loop",
    licm,
    needs=(STRUCTURED,),
    keeps=(*CONTROL_FLOW, "call-graph", "tangled", "decorations", "effects"),
)
