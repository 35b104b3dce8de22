"""What loads, stores, copies and atomics move: undefined values go into memory and come out of it.

    Store %p[%i], %x     the marks of the place are those of %x       %i may be anything: all of the variable may be
    Load %p[%i]          the shadow is that of the place              %i may be anything: the result is undefined

In variables a scalar has a mark (`sim.unwritten`), in buffers a byte. Helper invocations store to what is their own
only, and "values returned by atomic instructions in helper invocations are undefined" (Vulkan, "Helper Invocations").
"""

from typing import Any, Final

from reknit.ir import op, traits
from reknit.ir.instr import Instr
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.sim.access import OWN
from reknit.sim.images import TexelPlace
from reknit.sim.lane_places import BufferPlace, CellPlace, Place
from reknit.sim.layout import Layout
from reknit.sim.memory import Buffer, Cells
from reknit.sim.pointers import resolve, resolve_element
from reknit.sim.shadow.fixed import Fixed, fixed_of_fold
from reknit.sim.shadow.shapes import first_source, gathered, joined, part_of, source_in, spread
from reknit.sim.shadow.sources import ADDRESS
from reknit.sim.shadow.state import Tracker
from reknit.sim.shadow.values import Rule, Said, either
from reknit.sim.unwritten import NEVER, within

IN_HELPER: Final = "the result of an atomic in a helper invocation is undefined"


def _silent(lane: int, message: str) -> None:
    """The step itself has reported it."""


def through(pointer: Value) -> list[Value]:
    """The values that say where a pointer leads: its indices, and a base that is no variable. What makes a texel's
    pointer counts, too."""
    values: list[Value] = []
    if not isinstance(pointer, Instr):
        return values
    work = [pointer]
    while work:
        chain = resolve(work.pop())
        values.extend(chain.indices)
        if chain.base.op == op.ImageTexelPointer:
            values.extend([chain.base.value(1), chain.base.value(2)])
            work.append(chain.base.instr(0))
        elif chain.base.op != op.Variable:
            values.append(chain.base)
    return values


class Memory:
    """A place as an instruction reaches it, with the values that lead there. `own`: helper invocations store to it,
    too."""

    __slots__ = ("tracker", "instr", "pointer", "place", "leads", "own")

    def __init__(self, tracker: Tracker, instr: Instr, pointer: Value) -> None:
        self.tracker = tracker
        self.instr = instr
        self.pointer = pointer
        place = tracker.preparation.place(pointer, instr)
        place.tell = _silent
        if isinstance(place, TexelPlace):
            place.handles.tell = _silent
        self.place: Place = place
        self.leads = through(pointer)
        type = pointer.type if isinstance(pointer, Instr) else None
        self.own = type is not None and storage_of(type) in OWN

    def unknown(self, lane: int) -> int:
        """The source of what makes the place unknown, 0 where it is known. It is reported."""
        if not self.tracker.concerns(self.leads):
            return 0
        number = self.tracker.source_of(self.leads, lane)
        if number:
            self.tracker.reach_instr(ADDRESS, self.instr, number, lane)
        return number

    def is_clean(self) -> bool:
        """Whether nothing that lies there, in any lane, is undefined."""
        tracker = self.tracker
        if tracker.concerns(self.leads):
            return False
        place = self.place
        if isinstance(place, CellPlace):
            if place.cells is None:
                return not any(marks.left for marks in tracker.unwritten.marks.values())
            marks = tracker.unwritten.marks.get(place.cells)
            return marks is None or not marks.left
        return not any(tracker.buffers.values())

    def skips(self, lane: int) -> bool:
        """Whether a store of a lane goes nowhere."""
        return not self.own and bool(self.tracker.helpers[lane])

    # --- one lane -----------------------------------------------------------------------------------------------------

    def get(self, lane: int) -> Any:
        number = self.unknown(lane)
        if number:
            return number
        place = self.place
        tracker = self.tracker
        if isinstance(place, CellPlace):
            spot = tracker.unwritten.spot(place, lane)
            if spot is None or not spot[0].left:
                return 0
            marks, start, count = spot
            marked = marks.flat[start : start + count]
            if not any(marked):
                return 0
            if NEVER in marked:
                marked = [tracker.read(mark, self.instr, marks.cells) for mark in marked]
            return gathered(marked, 0, place.shape) if len(marked) > 1 else marked[0]
        if isinstance(place, BufferPlace):
            at = place.find(lane)
            if at < 0 or place.buffer is None or not tracker.has_bytes(place.buffer):
                return 0
            return lying(tracker, place.buffer, at, place.layout)
        if isinstance(place, TexelPlace):
            index = place.find(lane)
            image: Any = place.handles.get(lane)
            if index < 0 or not isinstance(image, Buffer):
                return 0
            first, size = texel_bytes(image, index)
            return tracker.source_at(image, first, size)
        return 0

    def put(self, lane: int, shadow: Any) -> None:
        number = self.unknown(lane)
        if number:
            self.poison(lane, number)
            return
        place = self.place
        tracker = self.tracker
        if isinstance(place, CellPlace):
            spot = tracker.unwritten.spot(place, lane)
            if spot is None:
                return
            marks, start, count = spot
            if shadow == 0:
                if marks.left:
                    marks.fill(start, count, 0)
                return
            flat: list[int] = []
            spread(shadow, place.shape, flat)
            if len(flat) != count:
                flat = [source_in(shadow)] * count
            for at in range(count):
                marks.put(start + at, flat[at])
        elif isinstance(place, BufferPlace):
            at = place.find(lane)
            if at >= 0 and place.buffer is not None and (shadow != 0 or tracker.has_bytes(place.buffer)):
                lay(tracker, place.buffer, at, place.layout, shadow, self.instr)
        elif isinstance(place, TexelPlace):
            index = place.find(lane)
            image: Any = place.handles.get(lane)
            if index >= 0 and isinstance(image, Buffer):
                first, size = texel_bytes(image, index)
                tracker.store_bytes(image, first, size, source_in(shadow), self.instr)

    def poison(self, lane: int, number: int) -> None:
        """A store to an unknown place: all of what the pointer's base names may be anything."""
        place = self.place
        tracker = self.tracker
        if isinstance(place, CellPlace):
            if place.cells is not None:
                marks = tracker.unwritten.marks.get(place.cells)
                slot = 0 if place.cells.shared else lane
            else:
                spot = tracker.unwritten.spot(place, lane)
                marks = spot[0] if spot is not None else None
                slot = spot[1] // marks.leaves if spot is not None and marks is not None and marks.leaves else 0
            if marks is not None:
                _, start, count = within(marks, slot, [])
                marks.fill(start, count, number)
        elif isinstance(place, BufferPlace):
            place.find(lane)
            for buffer in place.buffers if place.buffers else [place.buffer]:
                if buffer is not None:
                    tracker.poison(buffer, number, self.instr)
        elif isinstance(place, TexelPlace):
            image: Any = place.handles.get(lane)
            if isinstance(image, Buffer):
                tracker.poison(image, number, self.instr)


def texel_bytes(image: Buffer, index: int) -> tuple[int, int]:
    """The first byte of a texel, and how many it has."""
    assert image.texture is not None
    width = image.texture.format.width
    return index * width // 8, max(width // 8, 1)


def lying(tracker: Tracker, buffer: Buffer, at: int, layout: Layout) -> Any:
    """The shadow of what lies in a buffer. Types nest a few levels."""
    if layout.interfaces is not None or not layout.parts:
        return tracker.source_at(buffer, at, layout.size)
    if layout.offsets:
        parts = layout.parts
        return joined([lying(tracker, buffer, at + layout.offsets[index], parts[index]) for index in range(len(parts))])
    part = layout.parts[0]
    return joined([lying(tracker, buffer, at + index * layout.stride, part) for index in range(layout.shape.count)])


def lay(tracker: Tracker, buffer: Buffer, at: int, layout: Layout, shadow: Any, instr: Instr) -> None:
    """Only the bytes of the parts are written. Types nest a few levels."""
    if layout.interfaces is not None or not layout.parts:
        tracker.store_bytes(buffer, at, layout.size, source_in(shadow), instr)
    elif layout.offsets:
        for index in range(len(layout.parts)):
            lay(tracker, buffer, at + layout.offsets[index], layout.parts[index], part_of(shadow, index), instr)
    else:
        for index in range(layout.shape.count):
            lay(tracker, buffer, at + index * layout.stride, layout.parts[0], part_of(shadow, index), instr)


# --- rules ------------------------------------------------------------------------------------------------------------


def load_rule(tracker: Tracker, instr: Instr, pointer: Value) -> Rule:
    memory = Memory(tracker, instr, pointer)

    def run(lanes: list[int], said: Said) -> None:
        if memory.is_clean():
            tracker.clear(instr, lanes)
            return
        for lane in lanes:
            tracker.set(instr, lane, memory.get(lane))

    return run


def store_rule(tracker: Tracker, instr: Instr, pointer: Value, value: Value) -> Rule:
    memory = Memory(tracker, instr, pointer)

    def run(lanes: list[int], said: Said) -> None:
        column = tracker.column(value)
        if column is None and memory.is_clean():
            return
        for lane in lanes:
            if not memory.skips(lane):
                memory.put(lane, column[lane] if column is not None else 0)

    return run


def copy_rule(tracker: Tracker, instr: Instr) -> Rule:
    target = Memory(tracker, instr, instr.value(0))
    source = Memory(tracker, instr, instr.value(1))

    def run(lanes: list[int], said: Said) -> None:
        for lane in lanes:
            if not target.skips(lane):
                target.put(lane, source.get(lane))

    return run


def enter_rule(tracker: Tracker, instr: Instr) -> Rule:
    """OpVariable of a function: new each time."""
    cells: Cells = tracker.preparation.cells_of(instr)
    initial = tracker.initial.get(cells, 0)

    def run(lanes: list[int], said: Said) -> None:
        tracker.unwritten.forget(cells, lanes)
        marks = tracker.unwritten.marks.get(cells)
        if marks is not None and initial != 0:
            for lane in lanes:
                tracker.store_marks(marks, lane * marks.leaves, marks.leaves, initial, cells)

    return run


def atomic_rule(tracker: Tracker, instr: Instr) -> Rule:
    """One lane after another, as the step goes."""
    memory = Memory(tracker, instr, instr.value(0))
    preparation = tracker.preparation
    code = instr.op
    swaps = code in (op.AtomicCompareExchange, op.AtomicCompareExchangeWeak)
    value: Value | None = None
    comparator: Value | None = None
    if swaps:
        value, comparator = instr.value(4), instr.value(5)
    elif len(instr.operands) > 3:
        value = instr.value(3)
    given_values = [each for each in (value, comparator) if each is not None]
    keeps = code == op.AtomicLoad
    sets = code in (op.AtomicStore, op.AtomicExchange, op.AtomicFlagTestAndSet, op.AtomicFlagClear)
    shape = memory.place.shape
    fixed: Fixed = fixed_of_fold(traits.COMBINES.get(code, ""), shape.component())
    words: list[Any] | None = preparation.column(value) if value is not None else None
    given: list[Any] | None = preparation.column(comparator) if comparator is not None else None
    out: list[Any] | None = preparation.column(instr) if instr.has_result else None

    def after(lane: int, old: Any, new: Any) -> Any:
        """The shadow of what is there afterwards."""
        if sets:
            return new
        if swaps:
            assert comparator is not None
            number = first_source([old, tracker.source_of([comparator], lane)])
            if number:
                return number
            equal = out is not None and given is not None and out[lane] == given[lane]
            return new if equal else old
        if old != 0 and new != 0:
            return old
        known: Any = (words[lane] if words is not None else 1) if old != 0 else (out[lane] if out is not None else 0)
        if not isinstance(known, int):
            return either(old, new)
        same = fixed([known, known], [1, 0]) if out is not None or old != 0 else False
        return 0 if same else either(old, new)

    def run(lanes: list[int], said: Said) -> None:
        given_known = value is not None and not tracker.concerns(given_values)
        if given_known and memory.is_clean() and not any(tracker.helpers):
            if instr.has_result:
                tracker.clear(instr, lanes)
            return
        for lane in lanes:
            if memory.skips(lane):
                if instr.has_result:
                    tracker.set(instr, lane, tracker.source(instr, IN_HELPER))
                continue
            old = memory.get(lane)
            if instr.has_result:
                tracker.set(instr, lane, source_in(old) if code == op.AtomicFlagTestAndSet else old)
            if keeps:
                continue
            column = tracker.column(value) if value is not None else None
            new: Any = column[lane] if column is not None else 0
            compared = tracker.source_of([comparator], lane) if comparator is not None else 0
            if old != 0 or new != 0 or compared or sets or memory.unknown(lane):
                memory.put(lane, after(lane, old, new))

    return run


def pair_rule(tracker: Tracker, instr: Instr, value: Value, pointer: Value) -> Rule:
    """Modf and Frexp: a half is stored through the pointer."""
    memory = Memory(tracker, instr, pointer)

    def run(lanes: list[int], said: Said) -> None:
        column = tracker.column(value)
        messages = dict(said)
        for lane in lanes:
            shadow: Any = column[lane] if column is not None else 0
            if shadow == 0 and lane in messages:
                shadow = tracker.source(instr, messages[lane])
                tracker.report(instr, lane, messages[lane])
            tracker.set(instr, lane, shadow)
            if not memory.skips(lane):
                memory.put(lane, shadow)

    return run


def pointer_rule(tracker: Tracker, instr: Instr) -> Rule:
    """A chain whose pointer is a value: it is undefined where an index or its base is."""
    leads: list[Value] = []
    if instr.op in (op.PtrAccessChain, op.InBoundsPtrAccessChain):
        chain = resolve_element(instr)
        leads = [*chain.indices, *([chain.element] if chain.element is not None else [])]
        if chain.base.op != op.Variable:
            leads.append(chain.base)
    else:
        leads = through(instr)

    def run(lanes: list[int], said: Said) -> None:
        if not tracker.concerns(leads):
            tracker.clear(instr, lanes)
            return
        for lane in lanes:
            tracker.set(instr, lane, tracker.source_of(leads, lane))

    return run
