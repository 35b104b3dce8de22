"""Take out control flow that decides nothing: known conditions, dead code, needless jumps, empty constructs, seams.

    if true { A } else { B }         =>  A                       fold
    return; A                        =>  return                  dead
    scope @s { A; break @s }         =>  scope @s { A }          needless
    if c { } else { }                =>                          fold
    a: A  b: B                       =>  a: A B                  straight

One walk in source order does all of it, a construct's inside before its end; it is repeated until nothing changes,
and since what a walk finds out is used at once further down, two or three walks do.

No operation moves to where others run it: nothing is hoisted, sunk, or pulled over a merge, a loop's boundary or a
continue target, and a frame goes only where none would wait in it (`region_convergence`). Case labels stay as they
are: an empty case that falls through isn't given the next one's body, since lanes of two labels on one body may or may
not run it together. Loops keep their shape; only what is dead in them goes, and the block of the back edge stays
although nothing may reach it.
"""

from typing import Final, final

from reknit.analysis.decorations import Decorations
from reknit.ir.block import Block
from reknit.ir.edit import clear_jump
from reknit.ir.function import Function
from reknit.ir.outward import nodes_after
from reknit.ir.stitch import can_join, join
from reknit.ir.tree import Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Node
from reknit.passes.continuing import Continuing
from reknit.passes.contract import STRUCTURED, Context, Pass
from reknit.passes.tidy.dead import erase_dead, erase_islands, let_through, strip
from reknit.passes.tidy.fold_constructs import does_nothing, fold_if, fold_switch, inline_scope
from reknit.passes.tidy.redundant_jumps import is_needless
from reknit.passes.tidy.trivial_phis import fold_single_phis
from reknit.source.meter import spend


def simplify_cfg(function: Function, context: Context) -> bool:
    changed = erase_islands(function, context.module)
    walk = _Walk(context)
    while walk.once(function.body):
        changed = True
    return changed


@final
class _Walk:
    __slots__ = ("module", "decorations", "continuing", "changed")

    def __init__(self, context: Context) -> None:
        self.module = context.module
        self.decorations = context.analyses.of_module(Decorations)
        self.continuing = Continuing()
        self.changed = False

    def once(self, body: Region) -> bool:
        """Walk over everything in source order; says whether anything changed."""
        self.changed = False
        work: list[Node] = [body.entry()]
        leaving: list[bool] = [False]
        while work:
            spend(1)
            node = work.pop()
            done: Node | None
            if leaving.pop():
                assert isinstance(node, Construct)
                done = self.leave(node)
            elif isinstance(node, Block):
                done = self.block(node)
            else:
                assert isinstance(node, Construct)
                done = self.enter(node)
                if done is None:
                    work.append(node)
                    leaving.append(True)
                    for region in reversed(node.regions()):
                        work.append(region.entry())
                        leaving.append(False)
            if done is not None:
                work.append(done)
                leaving.append(False)
        return self.changed

    def block(self, block: Block) -> Node | None:
        """Simplify a block and its seam with what follows; returns where to go on."""
        while True:
            spend(1)
            if fold_single_phis(block, self.decorations, self.module):
                self.changed = True
            if block.jump is not None and block.next is not None:
                self.cut_after(block)
            if is_needless(block):
                clear_jump(block)
                self.changed = True
            following = block.next
            if isinstance(following, Block) and fold_single_phis(following, self.decorations, self.module):
                self.changed = True
            if not can_join(block):
                return following
            block = join(block)
            self.changed = True

    def enter(self, construct: Construct) -> Node | None:
        """Fold a construct whose target is known; returns where to look again, None if it stays."""
        again: Node | None = None
        if isinstance(construct, If):
            again = fold_if(construct, self.module)
        elif isinstance(construct, Switch):
            again = fold_switch(construct, self.module)
        elif isinstance(construct, Scope):
            again = inline_scope(construct)
        if again is not None:
            self.changed = True
        return again

    def leave(self, construct: Construct) -> Node | None:
        """After its inside: remove a construct that does nothing, and what can't be reached behind it."""
        if does_nothing(construct):
            before = construct.before()
            erase_dead([construct], self.module)
            self.changed = True
            return before
        if isinstance(construct, Loop) and not construct.continues and construct.body.end().jump is not None:
            self.hold_end(construct.continuing)
        after = construct.after()
        if not _is_left(construct):
            self.hold(after)
        return after

    def cut_after(self, block: Block) -> None:
        """Remove what follows a jump; of a loop's continuing part the block of the back edge stays."""
        region = block.region
        assert region is not None
        rest = nodes_after(block)
        if _is_continuing(region):
            rest.pop()
            self.strip(region.end(), False)
        self.erase(rest)

    def hold(self, after: Block) -> None:
        """Keep a block that can't be reached, since a construct needs one behind it, and remove what follows it."""
        region = after.region
        assert region is not None
        rest = nodes_after(after)
        if _is_continuing(region):
            if rest:
                rest.pop()
                self.strip(region.end(), False)
            self.erase(rest)
            self.strip(after, False)
        else:
            self.erase(rest)
            if self.continuing.has(region):
                self.changed = let_through(after, self.module) or self.changed
            else:
                self.strip(after, True)

    def hold_end(self, region: Region) -> None:
        """Keep the last block of a region that can't be reached, and nothing else."""
        rest = list(region)
        rest.pop()
        self.strip(region.end(), False)
        self.erase(rest)

    def strip(self, block: Block, ends: bool) -> None:
        if strip(block, self.module, ends):
            self.changed = True

    def erase(self, nodes: list[Node]) -> None:
        if nodes:
            erase_dead(nodes, self.module)
            self.changed = True


def _is_continuing(region: Region) -> bool:
    owner = region.owner
    return isinstance(owner, Loop) and region is owner.continuing


def _is_left(construct: Construct) -> bool:
    """True if some path leads out of `construct` to what is behind it."""
    if construct.breaks:
        return True
    if isinstance(construct, Loop):
        return False
    return any(region.end().jump is None for region in construct.regions())


SIMPLIFY_CFG: Final = Pass(
    "simplify-cfg",
    "take out control flow that decides nothing",
    simplify_cfg,
    needs=(STRUCTURED,),
    keeps=("decorations",),
)
