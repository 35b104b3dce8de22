"""Which parts of variables have been written, lane by lane: a read of another part gives an undefined value.

    %v = Variable Function : ptr<array<u32, 2>>          marks of %v, lane 3: ? ?
    Store %v[0]                       in lane 3    ->                         . ?
    Load %v[1]                        in lane 3          part 1 was not written

A mark a scalar. Variables that are always written first (`shadow.assigned`) have none, and once all of a variable is
written a step costs one comparison. In a run that is tracked (`shadow.tracker`) a mark is also the source of an
undefined value that was stored. Buffers are left out: they are the caller's, and inputs too.
Source: SPIR-V 1.6, OpVariable: "if Initializer is not present, the initial contents are undefined".
"""

from typing import Final, final

from reknit.ir.instr import Instr
from reknit.sim.faults import Faults, UndefinedMet
from reknit.sim.kernel import Kernel, Step
from reknit.sim.lane_places import CellPlace, Place
from reknit.sim.memory import Cells
from reknit.sim.registers import as_list
from reknit.sim.shadow.shapes import count_of, leaves_of, shape_at, starts_of
from reknit.sim.shadow.sources import Source
from reknit.sim.values import Shape
from reknit.source.columns import i64, vec

UNWRITTEN: Final = "RK1018"
NEVER: Final = -1
"""The mark of what nothing has written."""


@final
class Marks:
    """`flat` has a mark for each scalar of each lane, or of the one value of a variable that is shared: 0 (defined),
    NEVER, or the number of a source; `left` of them are not 0. `watched`: nothing is written at first."""

    __slots__ = ("cells", "leaves", "flat", "left", "watched")

    def __init__(self, cells: Cells, lanes: int, watched: bool) -> None:
        self.cells = cells
        self.leaves = leaves_of(cells.shape)
        self.flat: list[int] = [0] * (self.leaves * (1 if cells.shared else lanes))
        self.left = 0
        self.watched = watched
        self.reset()

    def reset(self) -> None:
        count = len(self.flat)
        if self.watched:
            self.flat[:] = [NEVER] * count
            self.left = count
        elif self.left:
            self.flat[:] = [0] * count
            self.left = 0

    def put(self, at: int, mark: int) -> None:
        flat = self.flat
        before = flat[at]
        if before != mark:
            flat[at] = mark
            if before == 0:
                self.left += 1
            elif mark == 0:
                self.left -= 1

    def fill(self, start: int, count: int, mark: int) -> None:
        for at in range(start, start + count):
            self.put(at, mark)


@final
class Unwritten:
    """Follows the variables that `track` gets. `reports`: what reads find unwritten is reported; `pointers`: some of
    the variables are reached by pointers that are values; `tracked`: marks are sources of undefined values, too."""

    __slots__ = ("faults", "reports", "pointers", "lanes", "marks", "sources", "tracked", "_by_values")

    def __init__(self, faults: Faults, reports: bool, pointers: bool, lanes: int) -> None:
        self.faults = faults
        self.reports = reports
        self.pointers = pointers
        self.lanes = lanes
        self.marks: dict[Cells, Marks] = {}
        self.sources: list[Source] = []  # those that marks name, from 1 on
        self.tracked = False
        self._by_values: dict[int, Marks] = {}  # by the identity of the list of values, which pointers hold

    def track(self, cells: Cells, watched: bool) -> Marks:
        """From now on, `cells` has marks; `watched`: it starts with nothing written."""
        known = self.marks.get(cells)
        if known is not None:
            return known
        marks = Marks(cells, self.lanes, watched)
        self.marks[cells] = marks
        if cells.register is None:
            self._by_values[id(cells.values)] = marks
        return marks

    def reset(self) -> None:
        for marks in self.marks.values():
            marks.reset()

    def forget(self, cells: Cells, lanes: list[int]) -> None:
        """A function is entered: its variables are new."""
        marks = self.marks.get(cells)
        if marks is not None and (marks.watched or marks.left):
            for lane in lanes:
                marks.fill(lane * marks.leaves, marks.leaves, NEVER if marks.watched else 0)

    def marks_of(self, place: CellPlace) -> Marks | None:
        """Those of the variable that a place is in, where it is known beforehand."""
        return self.marks.get(place.cells) if place.cells is not None else None

    def spot(self, place: CellPlace, lane: int) -> tuple[Marks, int, int] | None:
        """The marks of a place: the first, and how many. None for what isn't followed, and out of bounds."""
        path = place.path(lane)
        if path is None:
            return None
        cells = place.cells
        if cells is not None:
            marks = self.marks.get(cells)
            return None if marks is None else within(marks, 0 if cells.shared else lane, path)
        base = place.base(lane)
        if base is None:
            return None
        marks = self._by_values.get(id(base[0]))
        return None if marks is None else within(marks, base[1], [*base[2], *path])

    def wrote(self, place: CellPlace, lanes: list[int]) -> None:
        """In a tracked run the rule of the step does it, which first asks what was there."""
        if self.tracked:
            return
        marks = self.marks_of(place)
        if marks is not None and is_element(place, marks):
            index = place.indices[0]
            count = marks.leaves
            flat = marks.flat
            shared = marks.cells.shared
            for lane in lanes:
                at = index.at(lane)
                if at < count:
                    at += 0 if shared else lane * count
                    if flat[at]:
                        flat[at] = 0
                        marks.left -= 1
            return
        for lane in lanes:
            spot = self.spot(place, lane)
            if spot is not None:
                spot[0].fill(spot[1], spot[2], 0)

    def reads(self, place: CellPlace, lanes: list[int], instr: Instr) -> None:
        """Raises UndefinedMet where a run is to be repeated because of it."""
        for lane in lanes:
            spot = self.spot(place, lane)
            if spot is None or not spot[0].left:
                continue
            marks, start, count = spot
            for at in range(start, start + count):
                if marks.flat[at] == NEVER:
                    if self.faults.fires:
                        raise UndefinedMet
                    if self.reports:
                        name = marks.cells.instr.name or "a variable"
                        missing = indices_of(marks.cells.shape, at % marks.leaves)
                        self.faults.add(UNWRITTEN, instr, lane, f"nothing has written {name}{missing} before")
                    break

    def lacks(self, cells: Cells, lane: int, member: int) -> str:
        """The first part of a variable, or of a member of it, that nothing has written, as `[1][0]`; "" if there is
        none, or it isn't followed."""
        marks = self.marks.get(cells)
        if marks is None or not marks.left:
            return ""
        _, start, count = within(marks, lane, [] if member < 0 else [member])
        for at in range(start, start + count):
            if marks.flat[at] == NEVER:
                return indices_of(cells.shape, at % marks.leaves) or " at all"
        return ""


def within(marks: Marks, slot: int, path: list[int]) -> tuple[Marks, int, int]:
    """The marks of a part of a variable, by the indices that lead to it. What is not looked into has one mark."""
    start = slot * marks.leaves
    shape = marks.cells.shape
    for index in path:
        count = count_of(shape)
        if count == 0:
            break
        inner = shape_at(shape, index)
        start += starts_of(shape)[index] if shape.members else index * leaves_of(inner)
        shape = inner
    return marks, start, leaves_of(shape)


def is_element(place: CellPlace, marks: Marks) -> bool:
    """Whether a place is one scalar of an array or vector, by one index."""
    return len(place.indices) == 1 and count_of(marks.cells.shape) == marks.leaves and not marks.cells.shape.members


def indices_of(shape: Shape, leaf: int) -> str:
    """The indices that lead to a scalar of a value, as `[1][0]`."""
    text = ""
    count = count_of(shape)
    while count:
        for index in range(count):
            inner = shape_at(shape, index)
            size = leaves_of(inner)
            if leaf < size:
                text += f"[{index}]"
                shape = inner
                break
            leaf -= size
        count = count_of(shape)
    return text


# --- steps ------------------------------------------------------------------------------------------------------------


@final
class Reading(Kernel):
    """A kernel, with what it reads judged first."""

    __slots__ = ("kernel", "unwritten", "place", "marks", "instr")

    def __init__(self, kernel: Kernel, unwritten: Unwritten, place: CellPlace, marks: Marks, instr: Instr) -> None:
        super().__init__(kernel.out)
        self.kernel = kernel
        self.unwritten = unwritten
        self.place = place
        self.marks = marks
        self.instr = instr

    def run(self, lanes: vec[i64]) -> None:
        if self.marks.left:
            self.unwritten.reads(self.place, as_list(lanes), self.instr)
        self.kernel.run(lanes)

    def publish(self, lanes: vec[i64]) -> None:
        self.kernel.publish(lanes)


@final
class Writing(Kernel):
    """A kernel, after which what it wrote is known."""

    __slots__ = ("kernel", "unwritten", "place", "marks")

    def __init__(self, kernel: Kernel, unwritten: Unwritten, place: CellPlace, marks: Marks) -> None:
        super().__init__(kernel.out)
        self.kernel = kernel
        self.unwritten = unwritten
        self.place = place
        self.marks = marks

    def run(self, lanes: vec[i64]) -> None:
        self.kernel.run(lanes)
        if self.marks.left:
            self.unwritten.wrote(self.place, as_list(lanes))

    def publish(self, lanes: vec[i64]) -> None:
        self.kernel.publish(lanes)


def writing(unwritten: Unwritten | None, place: Place, step: Step) -> Step:
    """The step, after which what it wrote is known."""
    if unwritten is None or not isinstance(place, CellPlace):
        return step
    known: Unwritten = unwritten
    written: CellPlace = place
    if place.cells is None:
        if not unwritten.pointers:
            return step

        def through(lanes: list[int]) -> None:
            step(lanes)
            known.wrote(written, lanes)

        return through
    marks = unwritten.marks_of(place)
    if marks is None:
        return step
    followed: Marks = marks
    if isinstance(step, Kernel):
        return Writing(step, unwritten, place, marks)

    def run(lanes: list[int]) -> None:
        step(lanes)
        if followed.left:
            known.wrote(written, lanes)

    return run


def reading(unwritten: Unwritten | None, place: Place, instr: Instr, step: Step) -> Step:
    """The step, with what it reads judged first."""
    if unwritten is None or not isinstance(place, CellPlace):
        return step
    known: Unwritten = unwritten
    read: CellPlace = place
    if place.cells is None:
        if not unwritten.pointers:
            return step

        def through(lanes: list[int]) -> None:
            known.reads(read, lanes, instr)
            step(lanes)

        return through
    marks = unwritten.marks_of(place)
    if marks is None:
        return step
    followed: Marks = marks
    if isinstance(step, Kernel):
        return Reading(step, unwritten, place, marks, instr)

    def run(lanes: list[int]) -> None:
        if followed.left:
            known.reads(read, lanes, instr)
        step(lanes)

    return run


def entering(unwritten: Unwritten | None, cells: Cells, step: Step) -> Step:
    """The step of an OpVariable of a function: what earlier activations wrote is gone."""
    if unwritten is None or cells not in unwritten.marks:
        return step
    known: Unwritten = unwritten

    def run(lanes: list[int]) -> None:
        step(lanes)
        known.forget(cells, lanes)

    return run
