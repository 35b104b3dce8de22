"""The last word on a tree that was just read: its graph, with padding looked through, is the graph that was read.

    edges of the tree       b1 -> (pad) -> b4        b1 -> b2
    edges of the input      b1 -> b4                 b1 -> b2         equal, or the function stays flat

Also: every block stands in the tree once, and who breaks, continues or falls through stands inside what it leaves.
"""

from reknit.ir.block import Block
from reknit.ir.cfg import successors
from reknit.ir.jump import Break, Continue, Fallthrough
from reknit.ir.tree import Case, Construct, Region, Switch
from reknit.ir.value import Node

Span = tuple[int, int]


def check_tree(
    body: Region, blocks: list[Block], reached: list[bool], edges: list[list[int]]
) -> tuple[Block, str] | None:
    """The first block whose place or way out differs from the input, with what differs; None if all agree."""
    places, spans = _places(body)
    landing: dict[Block, Block] = {}
    for index, block in enumerate(blocks):
        if not reached[index]:
            continue
        if block not in places:
            return block, "it has no place in the control-flow tree"
        wanted = {blocks[target]: None for target in edges[index]}
        found = {_landing(successor, landing): None for successor in successors(block)}
        if wanted.keys() != found.keys():
            return block, "its branch is no legal exit of the constructs it is in"
    before: dict[Case, Region] = {}
    for block, place in places.items():
        jump = block.jump
        left: Region | Construct | None = None
        if isinstance(jump, Break):
            left = jump.target
        elif isinstance(jump, Continue):
            left = jump.target.body
        elif isinstance(jump, Fallthrough):
            if jump.target not in before:
                _link_cases(jump.target.switch, before)
            left = before[jump.target]
        if left is not None:
            first, last = spans[left]
            if not first <= place <= last:
                return block, "it jumps out of a construct that it does not stand in"
    return None


def _link_cases(switch: Switch, before: dict[Case, Region]) -> None:
    """The region of the case that may fall through to each; the first case, which none may, gets its own."""
    previous = switch.cases[0]
    for case in switch.cases:
        before[case] = previous.region
        previous = case


def _landing(block: Block, known: dict[Block, Block]) -> Block:
    """The first block that is no padding on the way from `block`; `block` itself where the way ends."""
    chain: list[Block] = []
    while block.padding and block not in known:
        chain.append(block)
        following = successors(block)
        if len(following) != 1:
            break
        block = following[0]
    end = known.get(block, block)
    for passed in chain:
        known[passed] = end
    return end


def _places(body: Region) -> tuple[dict[Block, int], dict[Region | Construct, Span]]:
    """A number for every block in source order, and from which to which number each construct and region reaches."""
    places: dict[Block, int] = {}
    starts: dict[Region | Construct, int] = {}
    spans: dict[Region | Construct, Span] = {}
    stack: list[Node | Region] = [body]
    clock = 0
    while stack:
        item = stack.pop()
        if isinstance(item, Block):
            clock += 1
            places[item] = clock
            continue
        assert isinstance(item, (Region, Construct))
        if item in starts:
            spans[item] = (starts[item], clock)
            continue
        starts[item] = clock + 1
        stack.append(item)
        inner: list[Node | Region] = []
        if isinstance(item, Region):
            inner.extend(item)
        else:
            inner.extend(item.regions())
        stack.extend(reversed(inner))
    return places, spans
