"""Who touches which word of shared memory: whether the order of tangles can show in the result.

    lane 3 stores word 7 of %out, lane 5 loads it, no barrier of the workgroup between      ->  a conflict
    lanes 3 and 5 add to it atomically and nobody looks at what was there before            ->  none

Without a conflict the result is the same whichever tangle runs next. A conflict of two accesses that are not both
atomic is a data race. Words of buffers and the outermost elements of Workgroup variables are told apart; lanes of the
same workgroup are ordered by its barriers, anything else is taken to be unordered.
"""

from typing import Any, Final, final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.sim.code import Step
from reknit.sim.images import TexelPlace
from reknit.sim.memory import Buffer
from reknit.sim.places import BufferPlace, CellPlace, Place

READ: Final = 0
WRITE: Final = 1
ATOMIC: Final = 2  # an atomic whose old value is used
ATOMIC_READ: Final = 3
ADDING: Final = 4  # from here on: atomics of one kind that commute, with nobody looking at the old value

_COMMUTING: Final = {
    op.AtomicIIncrement: ADDING,
    op.AtomicIDecrement: ADDING,
    op.AtomicIAdd: ADDING,
    op.AtomicISub: ADDING,
    op.AtomicAnd: ADDING + 1,
    op.AtomicOr: ADDING + 2,
    op.AtomicXor: ADDING + 3,
    op.AtomicSMin: ADDING + 4,
    op.AtomicSMax: ADDING + 5,
    op.AtomicUMin: ADDING + 6,
    op.AtomicUMax: ADDING + 7,
}


def atomic_kind(instr: Instr) -> int:
    """Float additions do not commute exactly, so they are ordered like an atomic whose old value is used."""
    if instr.op == op.AtomicLoad:
        return ATOMIC_READ
    kind = _COMMUTING.get(instr.op, ATOMIC)
    return kind if not instr.users else ATOMIC


@final
class Touch:
    """An access: by lane `lane` of workgroup `group`, after `epoch` barriers of that workgroup."""

    __slots__ = ("group", "epoch", "lane", "kind", "instr")

    def __init__(self, group: int, epoch: int, lane: int, kind: int, instr: Instr) -> None:
        self.group = group
        self.epoch = epoch
        self.lane = lane
        self.kind = kind
        self.instr = instr


@final
class Conflict:
    """Two accesses whose order nothing fixes, to `where` ("word 7 of out"). `race`: they are not both atomic."""

    __slots__ = ("first", "second", "where", "race")

    def __init__(self, first: Touch, second: Touch, where: str) -> None:
        self.first = first
        self.second = second
        self.where = where
        self.race = first.kind < ATOMIC or second.kind < ATOMIC


@final
class Watch:
    """Keeps, per place, its last touches; `conflict` is the first conflict found, `race` the first data race."""

    __slots__ = ("group", "epoch", "touches", "conflict", "race")

    def __init__(self) -> None:
        self.group = 0
        self.epoch = 0
        self.touches: dict[tuple[Any, int], list[Touch]] = {}
        self.conflict: Conflict | None = None
        self.race: Conflict | None = None

    def reset(self) -> None:
        self.group = 0
        self.epoch = 0
        self.touches.clear()
        self.conflict = None
        self.race = None

    def start_group(self, group: int) -> None:
        """Workgroup memory is new for each workgroup; buffers are not."""
        self.group = group
        self.epoch = 0
        for key in [key for key in self.touches if not isinstance(key[0], Buffer)]:
            del self.touches[key]

    def note(self, place: Place, lane: int, kind: int, instr: Instr) -> None:
        """An access to `place`; one that is out of bounds touches nothing."""
        if isinstance(place, BufferPlace):
            at = place.find(lane)
            buffer = place.buffer
            if at >= 0 and buffer is not None:
                owner = buffer.alias if buffer.alias is not None else buffer
                for word in range(at >> 2, (at + max(place.layout.size, 1) + 3) >> 2):
                    self.touch((owner, word), lane, kind, instr, f"word {word} of {owner.label()}")
        elif isinstance(place, TexelPlace):
            index = place.find(lane)
            image = place.handles.get(lane)
            if index >= 0 and isinstance(image, Buffer):
                self.texel(image, index, lane, kind, instr)
        elif isinstance(place, CellPlace) and place.cells is not None:
            path = place.path(lane)
            if path is None:
                return
            cells = place.cells
            name = cells.instr.name or "a Workgroup variable"
            elements = [path[0]] if path else list(range(max(cells.shape.count, 1)))
            for element in elements:
                self.touch((cells, element), lane, kind, instr, f"element {element} of {name}")

    def texel(self, image: Buffer, index: int, lane: int, kind: int, instr: Instr) -> None:
        """An access to a texel."""
        owner = image.alias if image.alias is not None else image
        if image.texture is not None:
            self.touch((owner, index), lane, kind, instr, f"texel {image.texture.place(index)} of {owner.label()}")

    def touch(self, key: tuple[Any, int], lane: int, kind: int, instr: Instr, where: str) -> None:
        touches = self.touches.setdefault(key, [])
        mine = Touch(self.group, self.epoch, lane, kind, instr)
        for other in touches:
            if other.group == mine.group and (other.lane == lane or other.epoch != mine.epoch):
                continue
            if other.kind == kind and kind != WRITE and kind != ATOMIC:
                continue  # two reads, or two atomics that commute
            found = Conflict(other, mine, where)
            if self.conflict is None:
                self.conflict = found
            if self.race is None and found.race:
                self.race = found
        if not any(same(other, mine) for other in touches):
            touches.append(mine)


def same(other: Touch, mine: Touch) -> bool:
    return (other.group, other.epoch, other.lane, other.kind) == (mine.group, mine.epoch, mine.lane, mine.kind)


def is_shared(place: Place) -> bool:
    """Whether other lanes can reach the place too. A pointer that is only known at run time counts if it is into a
    buffer."""
    if isinstance(place, CellPlace):
        return place.cells is not None and place.cells.shared
    if isinstance(place, BufferPlace):
        return not place.buffers or any(buffer.writable for buffer in place.buffers)
    return isinstance(place, TexelPlace)


def watched(watch: Watch, place: Place, kind: int, instr: Instr, step: Step) -> Step:
    """The step, with its access noted for each lane first."""
    if not is_shared(place):
        return step

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            watch.note(place, lane, kind, instr)
        step(lanes)

    return run
