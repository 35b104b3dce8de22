"""The closest block that dominates, or post-dominates, all of several blocks.

    common_dominator(dominance, [then, else]) = entry      common_post_dominator(post, [then, else]) = after

Costs the tree's depth for each block.
"""

from reknit.analysis.dominance import Dominance
from reknit.analysis.post_dominance import PostDominance
from reknit.ir.block import Block


def common_dominator(dominance: Dominance, blocks: list[Block]) -> Block | None:
    """None if none of `blocks` can be reached; those that can't are dominated by everything, so they don't count."""
    found: Block | None = None
    for block in blocks:
        if dominance.parent[dominance.order.number[block]] < 0:
            continue
        if found is None:
            found = block
        while not dominance.dominates(found, block):
            above = dominance.immediate(found)
            assert above is not None
            found = above
    return found


def common_post_dominator(post: PostDominance, blocks: list[Block]) -> Block | None:
    """None if nothing but the function's end is on all ways out."""
    if not blocks:
        return None
    found = post.order.number[blocks[0]]
    for block in blocks:
        number = post.order.number[block]
        while not post.number_post_dominates(found, number):
            found = post.parent[found]
    return None if found == post.exit else post.order.blocks[found]
