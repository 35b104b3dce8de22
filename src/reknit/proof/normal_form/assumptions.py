"""What is assumed of loops, of both programs at once, until a round shows that it doesn't hold.

    no invocation takes the back edge      then it is no loop
    a carried value doesn't change         then it is what it was before the loop
    it has no effects                      then memory is what it was before the loop
    all begin an iteration together        then nothing splits those in it but their paths
    its iterations can be counted          then each is walked by itself, where the plan asks for that
    loops and what they carry are in one class as far as they look alike

All but the last only ever fall; when one does, the partition begins anew, since classes that were split under a false
assumption would stay split. A round in which nothing falls and nothing is split proves what was assumed, by induction
over iterations (Alpern, Wegman and Zadeck 1988).
"""

from typing import final

from reknit.ir.tree import Loop, Switch
from reknit.ir.value import Value
from reknit.proof.normal_form.states import Name

Frame = int
"""A call, or one iteration of a loop in it that is walked by itself."""
LoopKey = tuple[Frame, Loop]
SwitchKey = tuple[Frame, Switch]
SplitKey = tuple[Frame, Value]
"""A construct, or a function, behind which invocations need not be together."""


Slot = tuple[Name, tuple[object, ...]]
"""A part of what a loop carries: of which variable or phi, and the way to the part."""


@final
class Assumptions:
    """`frames` numbers the calls of both programs, by where they are called from. `members` are the elements, types or
    numbers that a part can be, `unbounded` the parts that can be others, too; numbers are followed where `has_tags`."""

    __slots__ = (
        "frames", "returning", "changing", "effectful", "endless", "apart", "loops", "values", "members", "unbounded",
        "has_tags",
    )  # fmt: skip

    def __init__(self, known: "Assumptions | None" = None) -> None:
        """`known`: those of an earlier attempt; calls keep their numbers."""
        self.has_tags: bool = known is not None and known.has_tags
        self.frames: dict[tuple[object, ...], int] = known.frames if known is not None else {}
        self.returning: dict[LoopKey, None] = {}
        self.changing: dict[LoopKey, dict[Slot, None]] = {}
        self.effectful: dict[LoopKey, None] = {}
        self.endless: dict[LoopKey, None] = {}
        self.apart: dict[LoopKey, None] = {}
        self.loops: dict[LoopKey, int] = {}
        self.values: dict[tuple[LoopKey, Slot], int] = {}
        self.members: dict[tuple[LoopKey, Slot], dict[int, None]] = {}
        self.unbounded: dict[tuple[LoopKey, Slot], None] = {}

    def frame(self, caller: int, call: Value | str, *target: Value | int | None) -> int:
        """The number of a call, or of an iteration of a loop. `target`: of a dynamic call, what is called and the table
        that it was looked up in; of a loop, which iteration."""
        return self.frames.setdefault((caller, call, *target), len(self.frames))

    def refuted(self) -> int:
        """How many have fallen, but for those of classes; more whenever another one does."""
        members = sum([len(each) for each in self.members.values()])
        changing = sum([len(each) for each in self.changing.values()])
        fallen = len(self.returning) + changing + len(self.effectful) + len(self.endless) + len(self.apart)
        return fallen + members + 1000 * len(self.unbounded)

    def classes(self) -> tuple[int, int]:
        """How many classes there are of loops, and of values: those of one loop."""
        values = {(self.loops[key], carried) for (key, _), carried in self.values.items()}
        return len(set(self.loops.values())), len(values)
