"""The closest block that dominates, or post-dominates, all of several blocks.

    common_dominator(dominance, [then, else]) = entry      common_post_dominator(post, [then, else]) = after

Costs the tree's depth for each block.
"""

from reknit.analysis.dominance import Dominance
from reknit.analysis.post_dominance import PostDominance
from reknit.ir.block import Block


def common_dominator(dominance: Dominance, blocks: list[Block]) -> Block | None:
    """None if none of `blocks` can be reached; those that can't are dominated by everything, so they don't count."""
    common: Block | None = None
    for block in blocks:
        if dominance.parent[dominance.order.number[block]] < 0:
            continue
        if common is None:
            common = block
        while not dominance.dominates(common, block):
            above = dominance.immediate(common)
            assert above is not None
            common = above
    return common


def common_post_dominator(post: PostDominance, blocks: list[Block]) -> Block | None:
    """None if nothing but the function's end is on all paths out."""
    if not blocks:
        return None
    common = post.order.number[blocks[0]]
    for block in blocks:
        number = post.order.number[block]
        while not post.number_post_dominates(common, number):
            common = post.parent[common]
    return None if common == post.exit else post.order.blocks[common]
