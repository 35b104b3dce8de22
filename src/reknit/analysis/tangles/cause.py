"""Why something is not known at a block: one step back, so that the steps make a chain.

    FLOW    it was not known in the block before             JOIN, CONTINUE, LOOP, CALL   lanes come here that parted
    BRANCH  a condition parts lanes here                     ESCAPE                       some leave past the end
    VALUES, FALL  a case of a switch may part or join them   ENTRY, FLAT                  whatever calls; no tree at all
"""

from typing import Final, final

from reknit.ir.value import Value

FLOW: Final = "flow"
JOIN: Final = "join"
CONTINUE: Final = "continue"
LOOP: Final = "loop"
CALL: Final = "call"
BRANCH: Final = "branch"
ESCAPE: Final = "escape"
VALUES: Final = "values"
FALL: Final = "fall"
ENTRY: Final = "entry"
FLAT: Final = "flat"


@final
class Cause:
    """`about` is the construct, case, call or function that it happens at; `source` the number of the block that it
    comes from, which is where the chain goes on; -1 for none."""

    __slots__ = ("kind", "about", "source")

    def __init__(self, kind: str, about: Value | None, source: int) -> None:
        self.kind = kind
        self.about = about
        self.source = source
