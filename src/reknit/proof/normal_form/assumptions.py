"""What is assumed of loops, of both programs at once, until a round shows that it doesn't hold.

    no invocation takes the back edge      then it is no loop
    a carried value doesn't change         then it is what it was before the loop
    it has no effects                      then memory is what it was before the loop
    loops and what they carry are in one class as far as they look alike

The first three only ever fall; when one does, the partition begins anew, since classes that were split under a false
assumption would stay split. A round in which nothing falls and nothing is split proves what was assumed, by induction
over iterations (Alpern, Wegman and Zadeck 1988).
"""

from typing import final

from reknit.ir.instr import Instr
from reknit.ir.tree import Loop, Switch
from reknit.ir.value import Value
from reknit.proof.normal_form.states import Name

Frame = int
LoopKey = tuple[Frame, Loop]
SwitchKey = tuple[Frame, Switch]


@final
class Assumptions:
    """`frames` numbers the calls of both programs, by where they are called from."""

    __slots__ = ("frames", "returning", "changing", "effectful", "loops", "values")

    def __init__(self, known: "Assumptions | None" = None) -> None:
        """`known`: those of an earlier attempt; calls keep their numbers."""
        self.frames: dict[tuple[object, ...], int] = known.frames if known is not None else {}
        self.returning: dict[LoopKey, None] = {}
        self.changing: dict[LoopKey, dict[Name, None]] = {}
        self.effectful: dict[LoopKey, None] = {}
        self.loops: dict[LoopKey, int] = {}
        self.values: dict[tuple[LoopKey, Name], int] = {}

    def frame(self, caller: int, call: Instr | str, *target: Value | None) -> int:
        """`target`: of a dynamic call, what is called and the table that it was looked up in."""
        return self.frames.setdefault((caller, call, *target), len(self.frames))

    def refuted(self) -> int:
        """How many of the first three have fallen."""
        return len(self.returning) + sum([len(each) for each in self.changing.values()]) + len(self.effectful)

    def classes(self) -> tuple[int, int]:
        """How many classes there are of loops and of values."""
        return len(set(self.loops.values())), len(set(self.values.values()))
