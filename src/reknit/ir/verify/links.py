"""Links in both directions: what stands in a region says so, and is linked to its neighbours; nothing stands in two
places.

    region.first -> node -> node -> region.last        node.region is the region, node.next.prev is the node
    block.first -> instr -> instr -> block.last        instr.block is the block

Also the shape of a region: it starts and ends with a block, and every construct has a block on both sides.
Only links are followed that have been seen to be right, so that broken ones can't lead astray or around in circles.
"""

from typing import final

from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.jump import Branch, Exit
from reknit.ir.tree import Case, Construct, Loop, Region, Switch
from reknit.ir.value import Node, Value
from reknit.ir.verify.report import Report


@final
class Tree:
    """What stands in a function, in source order, once its links are right. A region or construct spans the numbers
    from `first[x]` to before `last[x]`; `number[block]` is where a block stands; `continuing[region]` is the loop whose
    continuing part is the innermost around a region."""

    __slots__ = ("blocks", "constructs", "number", "first", "last", "continuing", "is_sound")

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.constructs: list[Construct] = []
        self.number: dict[Block, int] = {}
        self.first: dict[Region | Construct, int] = {}
        self.last: dict[Region | Construct, int] = {}
        self.continuing: dict[Region, Loop] = {}
        self.is_sound = True

    def holds(self, outer: Region | Construct, block: Block) -> bool:
        """Whether `block` stands in `outer`, at any depth."""
        place = self.number.get(block, -1)
        return outer in self.first and self.first[outer] <= place < self.last[outer]


@final
class Links:
    """Checks the links of one module's functions. `seen` knows what stands where already, over all of them."""

    __slots__ = ("report", "seen", "tree", "function", "uncounted")

    def __init__(self, report: Report) -> None:
        self.report = report
        self.function: Function | None = None
        self.uncounted: list[Node] = []
        self.seen: dict[Value, None] = {}
        self.tree = Tree()

    def check(self, function: Function) -> Tree:
        self.tree = Tree()
        tree = self.tree
        self.function = function
        self.uncounted = []
        if function.structured and not function.is_declaration():
            if function.body.owner is not function:
                self._fault("the body belongs to something else")
            self._walk(function.body)
        elif not function.structured and function.body.first is not None:
            self._fault("a flat function has a control-flow tree as well")
        for block in function.blocks:
            if block in self.seen:
                self._fault("a block is in two places", block)
                continue
            self.seen[block] = None
            if block.region is not None or block.prev is not None or block.next is not None:
                self._fault("a block outside of the tree is linked into one", block)
            self._counted(block)
            tree.number[block] = len(tree.blocks)
            tree.blocks.append(block)
            self._instructions(block)
        if not tree.is_sound:
            self.report.broken()
            return tree
        for node in self.uncounted:
            at = node if isinstance(node, Block) else None
            self.report.fault("RK0421", "edits of a node are not counted at its function", at, None, node)
        return tree

    def _fault(self, message: str, block: Block | None = None, code: str = "RK0401", at: Value | None = None) -> None:
        if code == "RK0401" or code == "RK0402":
            self.tree.is_sound = False
            self.report.broken()
        self.report.fault(code, message, block, None, at)

    def _walk(self, body: Region) -> None:
        """Regions in source order; a work item is a node with what follows it, or the end of a construct or region."""
        tree = self.tree
        work: list[tuple[Node | None, Region, Construct | None]] = []
        self._enter(body, None, work)
        while work:
            node, region, construct = work.pop()
            if construct is not None:
                tree.last[construct] = len(tree.blocks)
                continue
            if node is None:
                tree.last[region] = len(tree.blocks)
                continue
            if node is region.first:
                tree.first[region] = len(tree.blocks)
            if node.next is not None:
                work.append((node.next, region, None))
            if isinstance(node, Block):
                tree.number[node] = len(tree.blocks)
                tree.blocks.append(node)
                self._instructions(node)
                continue
            assert isinstance(node, Construct)
            tree.constructs.append(node)
            tree.first[node] = len(tree.blocks)
            work.append((None, region, node))
            self._owners(node)
            regions = node.regions()
            for index in range(len(regions) - 1, -1, -1):
                around = tree.continuing.get(region)
                if isinstance(node, Loop) and index == 1:
                    around = node
                self._enter(regions[index], around, work)

    def _enter(
        self, region: Region, continuing: Loop | None, work: list[tuple[Node | None, Region, Construct | None]]
    ) -> None:
        """Check the links of `region` and put it on the work list, if they hold."""
        if region in self.tree.continuing or region in self.tree.first:
            self._fault("a region belongs to two constructs", None, "RK0401", self._holder(region))
            return
        self.tree.first[region] = len(self.tree.blocks)
        if continuing is not None:
            self.tree.continuing[region] = continuing
        if self._region(region):
            work.append((None, region, None))
            work.append((region.first, region, None))

    def _owners(self, construct: Construct) -> None:
        for region in construct.regions():
            owner = region.owner
            if isinstance(construct, Switch):
                if not isinstance(owner, Case) or owner.switch is not construct or owner.region is not region:
                    self._fault("a case belongs to another switch", None, "RK0401", construct)
            elif owner is not construct:
                self._fault("a region belongs to another construct", None, "RK0401", construct)

    def _region(self, region: Region) -> bool:
        """Whether the nodes of `region` can be walked."""
        node = region.first
        if node is None:
            self._fault("a region is empty; it needs a block", None, "RK0402", self._holder(region))
            return False
        before: Node | None = None
        while node is not None:
            block = node if isinstance(node, Block) else None
            if node in self.seen:
                self._fault("a node is in two places, or its links run in a circle", block, "RK0401", node)
                return False
            self.seen[node] = None
            if node.region is not region:
                self._fault("a node does not know the region it is in", block, "RK0401", node)
            self._counted(node)
            if node.prev is not before:
                self._fault("a node's links to its neighbours disagree", block, "RK0401", node)
            if isinstance(node, Construct):
                if not isinstance(before, Block) or not isinstance(node.next, Block):
                    self._fault("a construct has no block before or after it", None, "RK0402", node)
            elif block is None:
                self._fault("a region holds what is neither block nor construct")
                return False
            before = node
            node = node.next
        if region.last is not before:
            self._fault("a region's last node is not the end of its links", None, "RK0401", self._holder(region))
        if not isinstance(region.last, Block):
            self._fault("a region does not end with a block", None, "RK0402", self._holder(region))
        return self.tree.is_sound or isinstance(region.last, Block)

    def _counted(self, node: Node) -> None:
        if node.function is not self.function:
            self.uncounted.append(node)

    def _holder(self, region: Region) -> Value:
        """What a fault of a region shows at."""
        owner = region.owner
        return owner.switch if isinstance(owner, Case) else owner

    def _instructions(self, block: Block) -> None:
        before: Instr | None = None
        instr = block.first
        while instr is not None:
            if instr in self.seen:
                message = "an instruction is in two places, or its links run in a circle"
                self._fault(message, block, "RK0401", instr)
                return
            self.seen[instr] = None
            if instr.block is not block:
                self._fault("an instruction does not know the block it is in", block, "RK0401", instr)
            if instr.prev is not before:
                self._fault("an instruction's links to its neighbours disagree", block, "RK0401", instr)
            before = instr
            instr = instr.next
        if block.last is not before:
            self._fault("a block's last instruction is not the end of its links", block)
        jump = block.jump
        if isinstance(jump, (Exit, Branch)):
            if jump.instr in self.seen:
                self._fault("a terminator is in two places", block)
            self.seen[jump.instr] = None
            if jump.instr.block is not block:
                self._fault("a terminator does not know the block it ends", block)
        if isinstance(jump, Branch) and jump.merge is not None:
            if jump.merge in self.seen:
                self._fault("a merge instruction is in two places", block)
            self.seen[jump.merge] = None
