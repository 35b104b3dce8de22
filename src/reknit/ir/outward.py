"""What leads out of a piece of code: its jumps to constructs around it, and what leaves the function.

    [ a; if c { break L } b; return ]      Break(L), Exit(return)        a break of the `if` itself stays inside
"""

from reknit.ir.block import Block
from reknit.ir.jump import Branch, Break, Continue, Exit, Fallthrough, Jump
from reknit.ir.tree import Construct
from reknit.ir.value import Node


def nodes_of(nodes: list[Node]) -> list[Node]:
    """`nodes` and all nodes inside them, in source order."""
    every_node: list[Node] = []
    work: list[Node] = nodes[::-1]
    while work:
        node = work.pop()
        every_node.append(node)
        if isinstance(node, Construct):
            regions = node.regions()
            for index in range(len(regions) - 1, -1, -1):
                inner = regions[index].last
                while inner is not None:
                    work.append(inner)
                    inner = inner.prev
    return every_node


def nodes_after(node: Node) -> list[Node]:
    """The nodes behind `node` in its region."""
    nodes: list[Node] = []
    following = node.next
    while following is not None:
        nodes.append(following)
        following = following.next
    return nodes


def blocks_of(nodes: list[Node]) -> list[Block]:
    """The blocks in `nodes`, in source order."""
    return [node for node in nodes_of(nodes) if isinstance(node, Block)]


def outward_jumps(nodes: list[Node]) -> list[tuple[Block, Jump]]:
    """The jumps in `nodes` whose target is none of the constructs in them, with the blocks that they end."""
    inside: dict[Node, None] = dict.fromkeys(nodes_of(nodes))
    outward: list[tuple[Block, Jump]] = []
    for block in blocks_of(nodes):
        jump = block.jump
        target: Construct | None = None
        if isinstance(jump, (Break, Continue)):
            target = jump.target
        elif isinstance(jump, Fallthrough):
            target = jump.target.switch
        elif not isinstance(jump, (Exit, Branch)):
            continue
        if target is None or target not in inside:
            outward.append((block, jump))
    return outward
