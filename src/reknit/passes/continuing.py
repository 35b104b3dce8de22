"""Which regions are inside a loop's continuing part, that control leaves by the back edge alone.

    loop { } continuing { if c { A } else { B } }        inside: the part itself, A, B

All that is written there leads to the back edge, also what nothing reaches (SPIR-V 1.6, 2.11: the back edge's block
structurally post-dominates the continue target): no return, kill or OpUnreachable can be.
"""

from typing import final

from reknit.ir.tree import Case, Construct, Loop, Region


@final
class Continuing:
    """Remembers what it found: good as long as no region moves into such a part or out of one."""

    __slots__ = ("known",)

    def __init__(self) -> None:
        self.known: dict[Region, bool] = {}

    def has(self, region: Region) -> bool:
        """Whether `region` is inside one. Costs the depth, once for each region."""
        path: list[Region] = []
        here: Region | None = region
        inside = False
        while here is not None and here not in self.known:
            path.append(here)
            owner = here.owner
            if isinstance(owner, Loop) and here is owner.continuing:
                inside = True
                break
            if isinstance(owner, Case):
                owner = owner.switch
            here = owner.region if isinstance(owner, Construct) else None
        if here is not None and here in self.known:
            inside = self.known[here]
        for each in path:
            self.known[each] = inside
        return inside
