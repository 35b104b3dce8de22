"""Where undefined values come from, and where they arrive.

    Source     OpLoad %v: nothing has written s                 line 24
    Reached    a branch, an address, an operand of a tangled operation, and the lanes
"""

from typing import TYPE_CHECKING, Final, final

from reknit.ir.instr import Instr
from reknit.sim.faults import describe, lane_list
from reknit.source.place import Place

if TYPE_CHECKING:
    from reknit.sim.ops.float_sets import FloatSet

REACHED: Final = "RK1022"

BRANCH: Final = "branch"
ADDRESS: Final = "address"
OPERAND: Final = "operand"
WORDS: Final = "words"

TEXTS: Final = {
    BRANCH: "a branch depends on an undefined value",
    ADDRESS: "the address of an access depends on an undefined value",
    OPERAND: "an operand is undefined",
}
HELPS: Final = {
    BRANCH: "the run branched as if the value were zero; initialize the value before the branch",
    ADDRESS: "the run made the access as if the value were zero; give the index a value that is in bounds",
}


@final
class Source:
    """Where an undefined value comes from: an instruction, and why its result is undefined. Of a float that is one of a
    set, `bound` has the set (`shadow.bounds`); `loose`: what nothing bounds comes from a float operation."""

    __slots__ = ("instr", "message", "place", "bound", "loose")

    def __init__(self, instr: Instr, message: str, place: Place) -> None:
        self.instr = instr
        self.message = message
        self.place = place
        self.bound: FloatSet | None = None
        self.loose = False

    def text(self) -> str:
        """`OpLoad %v: nothing has written s`"""
        return f"{describe(self.instr)}: {self.message}" if self.message else describe(self.instr)

    def where(self) -> str:
        """`line 24`, or "" where no text is known."""
        return f"line {self.place.line}" if self.place.line > 0 else ""


@final
class Reached:
    """An undefined value that arrived somewhere: `kind` is one of those above, `at` the instruction that it
    arrived at, or what a branch goes by."""

    __slots__ = ("kind", "at", "source", "place", "lanes")

    def __init__(self, kind: str, at: Instr, source: Source, place: Place) -> None:
        self.kind = kind
        self.at = at
        self.source = source
        self.place = place
        self.lanes: dict[tuple[int, int], None] = {}

    def is_open(self) -> bool:
        """Whether a run shows one of several ways to go on."""
        return self.kind == BRANCH or self.kind == ADDRESS

    def text(self) -> str:
        """`OpStore: the address of an access depends on an undefined value (line 24)`"""
        where = f" (line {self.place.line})" if self.place.line > 0 else ""
        return self.message() + where

    def message(self) -> str:
        """`OpStore: the address of an access depends on an undefined value`"""
        return f"{describe(self.at)}: {TEXTS[self.kind]}" if self.kind != BRANCH else TEXTS[BRANCH]


def numbers_text(numbers: list[int]) -> str:
    """`word 3`, `words 0-3, 7`; they ascend."""
    return lane_list(numbers).replace("lane", "word", 1)
