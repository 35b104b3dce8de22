"""Do lanes that enter a region together reach its end together?

    { block; if merged {...}; loop {...} }      yes: a merged construct holds all until they have arrived or left
    { block; if unmerged { A } else { B } }     no: nothing waits where the two paths meet
    { block; if unmerged { break @outer } }     yes: only one path leads on

Then a frame that does nothing but wait at the end of the region waits for none, and may go.
Source: SPV_KHR_maximal_reconvergence, "Divergence and Reconvergence"; a frame is the join that a merge instruction
sets up.
"""

from reknit.ir.tree import Construct, Region, Switch
from reknit.source.meter import spend


def stays_together(region: Region) -> bool:
    """True if all that enter `region` as one tangle and come to its end do so as one tangle. Errs on the side of no."""
    work = [region]
    while work:
        spend(1)
        for node in work.pop():
            if not isinstance(node, Construct) or node.merged:
                continue
            ends = open_ends(node)
            if isinstance(node, Switch) or node.breaks or len(ends) > 1:
                return False
            work.extend(ends)
    return True


def comes_out_whole(construct: Construct) -> bool:
    """True if all that enter an unmerged `construct` as one tangle and come to its end do so as one tangle, whether
    they wait there or not. Errs on the side of no."""
    ends = open_ends(construct)
    return not construct.breaks and len(ends) <= 1 and all(stays_together(region) for region in ends)


def open_ends(construct: Construct) -> list[Region]:
    """The regions of `construct` whose end leads on."""
    return [region for region in construct.regions() if region.end().jump is None]
