"""What the input says of a flat function's loops beyond its edges: that a block belongs to one.

    head:   ...                              Hint(work, head, MARK)
    test:   BranchConditional %c work head
    work:   member head                      no path leads from `work` back to `head`: as edges alone go, it is behind
            Branch out                       the loop; the hint says that those that leave run it before they leave

A reader of a form that knows adds hints to `function.hints` (`origin` names that form), and `structurize` uses them:
it is the one place where all sources of membership meet. A hint is about the loop that `header` heads and says nothing
of the loops around that; blocks on the path from the header to a hinted block are in the loop as well.
"""

from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from reknit.ir.block import Block

MARK: Final = "mark"  # written in the text form
MERGE: Final = "merge"  # an OpLoopMerge: the header stands before the merge block
ASSUMED: Final = "assumed"  # not declared; the user asked for this interpretation


@final
class Hint:
    """`block` belongs to the loop of `header`. A hint of a header about itself says that its loop has no more members
    than its edges and the other hints tell: nothing about it is left open."""

    __slots__ = ("block", "header", "origin")

    def __init__(self, block: "Block", header: "Block", origin: str) -> None:
        self.block = block
        self.header = header
        self.origin = origin


@final
class Asked:
    """What the input asks for of a block: words of selection control for the branch at its end, of loop control for the
    loop that it heads. A flat function has no merge instructions that could say it."""

    __slots__ = ("selection", "loop")

    def __init__(self) -> None:
        self.selection: list[int] = [0]
        self.loop: list[int] = [0]
