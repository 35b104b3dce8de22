"""exit=sentinel: lanes that leave the old switch take a stage that nothing matches and pass everything after it.

    if stage <= 0 {                        if stage <= 0 {
      if c { break s }                       if c { stage = INT_MAX }
      a2                             =>      if stage <= 0 { a2 }
      fallthrough                          }
    }
    loop @l { if d { break s } }           loop @l { if d { stage = INT_MAX; break @l } }
    b                                      if stage <= 0 { b }

For targets that can't branch out of a selection. Falling into the next stage from the middle of one is the same with
`stage = k + 1`. From loops, switches and scopes inside, the innermost is left first, and what follows it leaves the
next. Lanes that pass take part in no tangled operation, since all that follows is guarded; those that don't meet,
after each selection, those that it met before. A selection without a merge gets one if it had a single target.
"""

from typing import final

from reknit.ir.block import Block
from reknit.ir.build import new_block
from reknit.ir.cfg import predecessors
from reknit.ir.edit import append_node, clear_jump, insert_node_after, move_run, set_jump
from reknit.ir.jump import Break, Fallthrough
from reknit.ir.module import Module
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.value import Node
from reknit.ir.walk import nodes_in
from reknit.passes.switches.leave_by_merge import leaves
from reknit.passes.switches.split import LEFT, Split, Stage


def separate_ways(switch: Switch) -> bool:
    """Whether a selection without a merge that a jump leaves for good goes on to several targets besides.

    Lanes that leave would have to pass where it ends, and so would make the others meet there.
    """
    for case in switch.cases:
        for node in nodes_in(case.region):
            if not isinstance(node, Block) or not _ends_case(switch, node):
                continue
            walked: list[Construct] = []  # what is passed: what is left by its own break doesn't count
            for construct in _around(node, case.region):
                if _can_break(construct):
                    walked.clear()
                else:
                    walked.append(construct)
            for construct in walked:
                if not construct.merged and (
                    not isinstance(construct, If) or len(predecessors(construct.after())) > 1
                ):
                    return True
    return False


def leave_by_stage(split: Split, module: Module) -> None:
    """Settle the jumps out of every moved stage. Costs the blocks in them, and the depth of each jump."""
    for stage in split.stages:
        _Leaving(split, module, stage).run()


def _ends_case(switch: Switch, block: Block) -> bool:
    jump = block.jump
    if isinstance(jump, Break):
        return jump.target is switch
    return isinstance(jump, Fallthrough) and jump.target.switch is switch


def _can_break(construct: Construct) -> bool:
    return isinstance(construct, (Loop, Switch)) or (isinstance(construct, Scope) and construct.merged)


def _around(node: Node, region: Region) -> list[Construct]:
    """The constructs around `node`, innermost first, up to `region`."""
    around: list[Construct] = []
    while node.region is not region:
        assert node.region is not None
        owner = node.region.owner
        if isinstance(owner, Case):
            owner = owner.switch
        assert isinstance(owner, Construct)
        around.append(owner)
        node = owner
    return around


@final
class _Leaving:
    """One stage: the nodes after which the rest is guarded, and the constructs after which the next one out is left."""

    __slots__ = ("split", "module", "stage", "guarded", "left")

    def __init__(self, split: Split, module: Module, stage: Stage) -> None:
        self.split = split
        self.module = module
        self.stage = stage
        self.guarded: dict[Node, None] = {}
        self.left: dict[Construct, Construct | None] = {}

    def run(self) -> None:
        stage = self.stage
        end = stage.region.end()
        blocks = [node for node in nodes_in(stage.region) if isinstance(node, Block)]
        if end.jump is None and not stage.last:
            self.split.assign(self.module, end, LEFT)
        for block in blocks:
            jump = block.jump
            if not leaves(self.split, jump):
                continue
            falls = isinstance(jump, Fallthrough) and not stage.last
            if block is end:
                clear_jump(block)
                if not falls and not stage.last:
                    self.split.assign(self.module, block, LEFT)
            else:
                self.split.assign(self.module, block, stage.index + 1 if falls else LEFT)
                self.leave(block)
        for construct, outer in self.left.items():
            if outer is not None:
                self.leave_next(construct, outer)
        regions: dict[Region, None] = {}
        for node in self.guarded:
            assert node.region is not None
            regions[node.region] = None
        for region in regions:
            for node in reversed(list(region)):
                if node in self.guarded:
                    self.guard_rest(node)

    def leave(self, block: Block) -> None:
        """Leave all that stands around `block`, whose stage is set."""
        left = self.leave_one(block)
        while left is not None:
            left = self.leave_one(left)

    def leave_one(self, node: Node) -> Construct | None:
        """Leave what stands around a block, or around a construct left before, as far as the next one to break out of.

        Gives that one if it has not been left by others yet.
        """
        passed: list[Node] = [node]
        for construct in _around(node, self.stage.region):
            if _can_break(construct):
                if isinstance(node, Block):
                    set_jump(node, Break(construct))
                else:
                    assert isinstance(node, Construct)
                    self.left[node] = construct
                if construct in self.left:
                    return None
                self.left[construct] = None
                return construct
            construct.merged = True
            passed.append(construct)
        if isinstance(node, Block):
            clear_jump(node)
        for place in passed:
            self.guarded[place] = None
        return None

    def leave_next(self, construct: Construct, outer: Construct) -> None:
        """After `construct`, break out of `outer` if the stage is over."""
        block = Block("", True)
        insert_node_after(construct, block)
        choice = If(self.split.test(self.module, block, self.stage.index))
        choice.merged = False
        insert_node_after(block, choice)
        new_block(choice.then)
        set_jump(new_block(choice.orelse), Break(outer))

    def guard_rest(self, node: Node) -> None:
        """Put what follows `node` in its region under `if stage <= index`, unless nothing is done there."""
        first = node.next
        region = node.region
        if first is None or region is None or _does_nothing(first):
            return
        last = region.last
        assert last is not None
        block = node
        if not isinstance(block, Block):
            block = Block("", True)
            insert_node_after(node, block)
        guard = If(self.split.test(self.module, block, self.stage.index))
        insert_node_after(block, guard)
        if not isinstance(first, Block):
            new_block(guard.then)
        move_run(first, last, guard.then)
        new_block(guard.orelse)
        append_node(region, Block("", True))


def _does_nothing(first: Node) -> bool:
    node: Node | None = first
    while node is not None:
        if not isinstance(node, Block) or node.first is not None or node.jump is not None:
            return False
        node = node.next
    return True
