"""The loops of a function, how they nest, and how they are left.

    loop @l { header ... if c { break @l } ... } continuing { latch }

    header      where each iteration starts
    continuing  where an iteration that goes on comes by (tree only), latches the ends of it that go back
    blocks      what stands in the loop's construct (tree), or what reaches a latch (flat)
    exits       the blocks that leave, with where to

In the tree a block that breaks is part of the loop: it runs once per iteration that leaves. In a flat function it is
not, since it can't reach the latch; that is the difference that reconvergence is about.
"""

from typing import ClassVar, Final, final

from reknit.analysis.manager import Analyses, FunctionAnalysis
from reknit.analysis.natural_loops import natural_loops
from reknit.analysis.order import Order
from reknit.ir.block import Block
from reknit.ir.function import Function
from reknit.ir.jump import Break, Continue, Exit, Fallthrough
from reknit.ir.tree import Construct, Loop, Region
from reknit.ir.walk import nodes
from reknit.source.meter import spend

BREAK: Final = "break"  # to the block after the loop
OUTWARD: Final = "outward"  # a break or continue of something further out
LEAVE: Final = "leave"  # out of the function: return, kill, terminate
EDGE: Final = "edge"  # of a flat function


@final
class LoopExit:
    """`source` leaves the loop for `target` (None: out of the function) as `kind` says."""

    __slots__ = ("source", "target", "kind")

    def __init__(self, source: Block, target: Block | None, kind: str) -> None:
        self.source = source
        self.target = target
        self.kind = kind


@final
class LoopInfo:
    """One loop. `blocks` are its own and those of the loops inside it that are not theirs: see `LoopForest.all_blocks`.

    `construct` is the tree's loop, None in a flat function; so is `continuing`, the first block of its continuing part.
    `depth` is 1 for an outermost loop.
    """

    __slots__ = (
        "header", "construct", "continuing", "latches", "parent", "children", "blocks", "exits", "depth", "irreducible",
    )  # fmt: skip

    def __init__(self, header: Block, construct: Loop | None, parent: "LoopInfo | None") -> None:
        self.header = header
        self.construct = construct
        self.continuing: Block | None = construct.continuing.entry() if construct is not None else None
        self.latches: list[Block] = []
        self.parent = parent
        self.children: list[LoopInfo] = []
        self.blocks: list[Block] = []
        self.exits: list[LoopExit] = []
        self.depth: int = 1 if parent is None else parent.depth + 1
        self.irreducible = False
        if parent is not None:
            parent.children.append(self)


@final
class LoopForest(FunctionAnalysis):
    """`loops` in source order, outer before inner; `innermost` is the loop that a block is in, by block."""

    name: ClassVar[str] = "loop-forest"
    reads_code: ClassVar[bool] = False

    def __init__(self, loops: list[LoopInfo], innermost: dict[Block, LoopInfo]) -> None:
        self.loops = loops
        self.innermost = innermost

    @staticmethod
    def compute(function: Function, analyses: Analyses) -> "LoopForest":
        return _of_tree(function) if function.structured else _of_graph(analyses.ask(Order, function))

    def all_blocks(self, loop: LoopInfo) -> list[Block]:
        """The blocks of a loop and of all loops inside it."""
        every_block: list[Block] = []
        work = [loop]
        while work:
            spend(1)
            current = work.pop()
            every_block.extend(current.blocks)
            work.extend(reversed(current.children))
        return every_block

    def same_as(self, other: FunctionAnalysis) -> bool:
        return isinstance(other, LoopForest) and _facts(self) == _facts(other)


def _facts(forest: LoopForest) -> list[tuple[object, ...]]:
    facts: list[tuple[object, ...]] = []
    for loop in forest.loops:
        exits = tuple([(leaving.source, leaving.target, leaving.kind) for leaving in loop.exits])
        facts.append((loop.header, loop.irreducible, tuple(loop.latches), tuple(loop.blocks), exits))
    return facts


def _of_tree(function: Function) -> LoopForest:
    loops: list[LoopInfo] = []
    innermost: dict[Block, LoopInfo] = {}
    around: dict[Region, LoopInfo] = {}  # by region: the innermost loop that it is part of
    for node in nodes(function):
        region = node.region
        assert region is not None
        inside = around.get(region)
        if isinstance(node, Construct):
            if isinstance(node, Loop):
                inside = LoopInfo(node.body.entry(), node, inside)
                loops.append(inside)
                if node.continuing.end().jump is None:
                    inside.latches.append(node.continuing.end())
            if inside is not None:
                for inner in node.regions():
                    around[inner] = inside
        elif isinstance(node, Block) and inside is not None:
            inside.blocks.append(node)
            innermost[node] = inside
            _add_exits(node, inside, around)
    return LoopForest(loops, innermost)


def _add_exits(block: Block, inside: LoopInfo, around: dict[Region, LoopInfo]) -> None:
    """`block` ends in a jump: it leaves the loops from `inside` out to, but without, the one that it stays in."""
    jump = block.jump
    stays: LoopInfo | None = None
    target: Block | None = None
    if isinstance(jump, Break):
        target = jump.target.after()
        outer = jump.target.region
        stays = around.get(outer) if outer is not None else None
    elif isinstance(jump, Continue):
        target = jump.target.continuing.entry()
        stays = around.get(jump.target.body)
    elif isinstance(jump, Fallthrough) or jump is None:
        return
    loop: LoopInfo | None = inside
    while loop is not None and loop is not stays:
        kind = LEAVE if isinstance(jump, Exit) else OUTWARD
        if isinstance(jump, Break) and jump.target is loop.construct:
            kind = BREAK
        loop.exits.append(LoopExit(block, target, kind))
        loop = loop.parent


def _of_graph(order: Order) -> LoopForest:
    natural = natural_loops(order.successors)
    infos: dict[int, LoopInfo] = {}
    for number in range(len(natural.header) - 1, -1, -1):  # outer before inner
        parent = infos.get(natural.parent[number])
        info = LoopInfo(order.blocks[natural.header[number]], None, parent)
        info.latches = [order.blocks[latch] for latch in natural.latches[number]]
        info.irreducible = natural.irreducible[number]
        infos[number] = info
    innermost: dict[Block, LoopInfo] = {}
    for index, block in enumerate(order.blocks):
        loop = infos.get(natural.innermost[index])
        if loop is not None:
            loop.blocks.append(block)
            innermost[block] = loop
    for number, edges in enumerate(natural.exits(order.successors)):
        for source, target in edges:
            infos[number].exits.append(LoopExit(order.blocks[source], order.blocks[target], EDGE))
    return LoopForest([infos[number] for number in sorted(infos, reverse=True)], innermost)
