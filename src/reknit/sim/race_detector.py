"""Accesses to words of shared memory: whether the order of tangles can show in the result.

    lane 3 stores word 7 of %out, lane 5 loads it, nothing orders the two (`happens_before`) ->  a conflict
    lanes 3 and 5 add to it atomically and none uses what was there before                  ->  none
    lanes 3 and 5 of two workgroups add to it, with the scope Workgroup                     ->  a conflict

Without a conflict the result is the same whichever tangle runs next. A conflict of two accesses that are not both
atomic, or whose scopes leave each other out, is a data race. Words of buffers and the outermost elements of Workgroup
variables are distinguished, and within a word its bytes: "A memory location identifies unique storage for 8 bits of
data" (Vulkan, Memory Model). That one was run before the other does not order them: barriers and atomics do, by their
scopes and semantics.
"""

from typing import Any, Final, final

from reknit.ir import enums, op, traits
from reknit.ir.instr import Instr
from reknit.sim.happens_before import AVAILABLE, BUFFERS, HAPPENS, IMAGES, SHARED, VISIBLE, WIDE, Order, Semantics
from reknit.sim.images import TexelPlace
from reknit.sim.kernel import Step
from reknit.sim.lane_places import BufferPlace, CellPlace, Place
from reknit.sim.memory import Buffer, Cells
from reknit.sim.trace import Trace

READ: Final = 0
WRITE: Final = 1
ATOMIC: Final = 2  # an atomic whose old value is used
ATOMIC_READ: Final = 3
ADDING: Final = 4  # from here on: atomics of one kind that commute, with the old value unused

RELAXED: Final = Semantics(0)
ALL_BYTES: Final = 15

_COMMUTING: Final = ("and", "or", "xor", "s-min", "s-max", "u-min", "u-max")


def atomic_kind(instr: Instr) -> int:
    """Float additions do not commute exactly, so they are ordered like an atomic whose old value is used."""
    if instr.op == op.AtomicLoad:
        return ATOMIC_READ
    combines = traits.COMBINES.get(instr.op)
    if instr.is_used():
        return ATOMIC
    if combines in ("i-add", "i-sub"):
        return ADDING
    return ADDING + 1 + _COMMUTING.index(combines) if combines in _COMMUTING else ATOMIC


@final
class Access:
    """What an instruction does to a place, the same for all its lanes. `scope` is an atomic's, Invocation for others;
    `private`, `available` and `visible` are of its memory operands (Vulkan memory model). `commutes`: two of its kind
    are never a conflict, since both read, or neither tells what was there and both are in the scope of all."""

    __slots__ = ("kind", "instr", "scope", "semantics", "private", "available", "visible", "commutes")

    def __init__(self, kind: int, instr: Instr, scope: int, semantics: Semantics, operands: int) -> None:
        atomic = kind >= ATOMIC
        self.kind = kind
        self.instr = instr
        self.scope = scope
        self.semantics = semantics
        self.private = not atomic and not operands & enums.MemoryAccessNonPrivatePointer
        self.available = atomic or bool(operands & enums.MemoryAccessMakePointerAvailable)
        self.visible = atomic or bool(operands & enums.MemoryAccessMakePointerVisible)
        self.commutes = kind == READ or (kind >= ATOMIC_READ and scope in WIDE)

    def reads(self) -> bool:
        return self.instr.op not in traits.STORES or self.instr.op in traits.LOADS

    def writes(self) -> bool:
        return self.kind != READ and self.kind != ATOMIC_READ


@final
class Touch:
    """An access by lane `lane`, numbered through all workgroups, at time `time` of its clock; `group` and `inside` say
    it for a reader. `event` is the number of the trace's event in which it was, -1 without a trace; `bytes` has a bit
    for each byte of the word."""

    __slots__ = ("group", "inside", "lane", "time", "access", "instr", "event", "bytes")

    def __init__(
        self, group: int, inside: int, lane: int, time: int, access: Access, event: int, bytes: int = ALL_BYTES
    ) -> None:
        self.bytes = bytes
        self.group = group
        self.inside = inside
        self.lane = lane
        self.time = time
        self.access = access
        self.instr = access.instr
        self.event = event


@final
class Conflict:
    """Two accesses whose order nothing fixes, to `where` ("word 7 of out"). `race`: they are not both atomic, or not
    in each other's scope (`narrow`)."""

    __slots__ = ("first", "second", "where", "race", "narrow")

    def __init__(self, first: Touch, second: Touch, where: str, narrow: bool) -> None:
        self.first = first
        self.second = second
        self.where = where
        self.narrow = narrow
        self.race = narrow or first.access.kind < ATOMIC or second.access.kind < ATOMIC


@final
class Watch:
    """Keeps, per place, its last touches; `conflict` is the first conflict found, `race` the first data race. The
    `trace` of a run that is traced has one for each pair of instructions."""

    __slots__ = ("group", "order", "touches", "conflict", "race", "trace", "variables")

    def __init__(self, vulkan: bool, subgroup: int) -> None:
        self.group = 0
        self.order = Order(vulkan, subgroup)
        self.touches: dict[tuple[Any, int], list[Touch]] = {}
        self.conflict: Conflict | None = None
        self.race: Conflict | None = None
        self.trace: Trace | None = None
        self.variables: dict[int, Cells] = {}  # those of Workgroup memory, by the identity of their values

    def reset(self, lanes: int, groups: int, trace: Trace | None) -> None:
        self.group = 0
        self.trace = trace
        self.order.reset(lanes, groups)
        self.touches.clear()
        self.conflict = None
        self.race = None

    def start_group(self, group: int) -> None:
        """Workgroup memory is new for each workgroup; buffers are not."""
        self.group = group
        for key in [key for key in self.touches if not isinstance(key[0], Buffer)]:
            del self.touches[key]
            self.order.released.pop(key, None)

    def numbered(self, lanes: list[int]) -> list[int]:
        """Lanes of the workgroup that is running, numbered through all."""
        first = self.group * self.order.lanes
        return [first + lane for lane in lanes]

    def note(self, place: Place, lane: int, access: Access) -> None:
        """An access to `place`; one that is out of bounds touches nothing."""
        if isinstance(place, BufferPlace):
            at = place.find(lane)
            buffer = place.buffer
            if at >= 0 and buffer is not None:
                owner = buffer.alias if buffer.alias is not None else buffer
                end = at + max(place.layout.size, 1)
                for word in range(at >> 2, (end + 3) >> 2):
                    below = ALL_BYTES << max(at - 4 * word, 0)
                    bytes = below & (ALL_BYTES >> max(4 * word + 4 - end, 0))
                    self.touch((owner, word), BUFFERS, lane, access, bytes)
        elif isinstance(place, TexelPlace):
            index = place.find(lane)
            image = place.handles.get(lane)
            if index >= 0 and isinstance(image, Buffer):
                self.texel(image, index, lane, access)
        elif isinstance(place, CellPlace):
            base = place.base(lane)
            path = place.path(lane)
            cells = place.cells if place.cells is not None or base is None else self.variables.get(id(base[0]))
            if base is None or path is None or cells is None:
                return
            path = [*base[2], *path]
            elements = [path[0]] if path else list(range(max(cells.shape.count, 1)))
            for element in elements:
                self.touch((cells, element), SHARED, lane, access)

    def texel(self, image: Buffer, index: int, lane: int, access: Access) -> None:
        """An access to a texel."""
        owner = image.alias if image.alias is not None else image
        if image.texture is not None:
            self.touch((owner, index), IMAGES, lane, access)

    def touch(self, key: tuple[Any, int], kind: int, inside: int, access: Access, bytes: int = ALL_BYTES) -> None:
        lane = self.group * self.order.lanes + inside
        touches = self.touches.setdefault(key, [])
        trace = self.trace
        event = len(trace.events) - 1 if trace is not None else -1
        mine = Touch(self.group, inside, lane, self.order.now[kind][lane], access, event, bytes)
        kept: list[Touch] = []
        commutes = access.commutes
        for other in touches:
            if not other.bytes & bytes:
                kept.append(other)
                continue
            if commutes and other.access.kind == access.kind and other.access.commutes:
                if other.lane != lane:
                    kept.append(other)
                continue
            if other.lane == lane or self.is_ordered(other, mine, kind):
                if not covers(mine, other):
                    kept.append(other)
                continue
            kept.append(other)
            narrow = self.is_narrow(other, mine)
            if other.access.kind == access.kind and access.kind >= ATOMIC_READ and not narrow:
                continue
            if not other.access.writes() and not access.writes():
                continue
            conflict = Conflict(other, mine, named(key), narrow)
            if self.conflict is None:
                self.conflict = conflict
            if self.race is None and conflict.race:
                self.race = conflict
            if trace is not None:
                trace.conflicts.setdefault((other.instr, mine.instr), conflict)
        kept.append(mine)
        self.touches[key] = kept
        if access.kind >= ATOMIC:
            self.order.atomic(key, lane, access.scope, access.semantics, access.reads(), access.writes())

    def is_ordered(self, first: Touch, second: Touch, kind: int) -> bool:
        """Whether what `first` did is ordered before `second`, which happens now."""
        order = self.order
        if not order.knows(kind, HAPPENS, second.lane, first.lane, first.time):
            return False
        if not order.vulkan:
            return True
        if first.access.private or second.access.private:
            return False
        if not first.access.writes():
            return True
        if not first.access.available and not order.knows(kind, AVAILABLE, second.lane, first.lane, first.time):
            return False
        return (
            second.access.visible
            or not second.access.reads()
            or order.knows(kind, VISIBLE, second.lane, first.lane, first.time)
        )

    def is_narrow(self, first: Touch, second: Touch) -> bool:
        """Whether two atomics, one of which writes, leave each other out of their scopes."""
        if first.access.kind < ATOMIC or second.access.kind < ATOMIC:
            return False
        within = self.order.within
        return not (
            within(first.access.scope, first.lane, second.lane) and within(second.access.scope, second.lane, first.lane)
        )


def covers(mine: Touch, other: Touch) -> bool:
    """Whether what is ordered after `mine` need not be compared with `other`, which is ordered before it."""
    kind = mine.access.kind
    if other.bytes & ~mine.bytes:
        return False
    return kind == WRITE or (kind == other.access.kind and (kind == READ or mine.lane == other.lane))


def named(key: tuple[Any, int]) -> str:
    """A place, for a reader."""
    owner, number = key
    if isinstance(owner, Buffer):
        if owner.texture is not None:
            return f"texel {owner.texture.place(number)} of {owner.label()}"
        return f"word {number} of {owner.label()}"
    return f"element {number} of {owner.instr.name or 'a Workgroup variable'}"


def is_shared(place: Place) -> bool:
    """Whether other lanes may reach the place too, as by a pointer that is only known at run time."""
    if isinstance(place, CellPlace):
        return place.shared
    if isinstance(place, BufferPlace):
        return not place.buffers or any(buffer.writable for buffer in place.buffers)
    return isinstance(place, TexelPlace)


def watched(watch: Watch, place: Place, access: Access, step: Step) -> Step:
    """The step, with its access noted for each lane first."""
    if not is_shared(place):
        return step

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            watch.note(place, lane, access)
        step(lanes)

    return run
