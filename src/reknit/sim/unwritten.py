"""Which parts of variables have been written, lane by lane: a read of another part gives an undefined value.

    %v = Variable Function : ptr<array<u32, 2>>          written[%v, lane 3] = {(0,)}
    Store %v[0]                       in lane 3    ->
    Load %v[1]                        in lane 3          a finding: part 1 was not written

Parts are scalars, named by the indices that lead to them. Buffers are left out: they are the caller's, and inputs too.
Source: SPIR-V 1.6, OpVariable: "if Initializer is not present, the initial contents are undefined".
"""

from typing import Final, final

from reknit.ir.instr import Instr
from reknit.sim.faults import Faults
from reknit.sim.kernel import Step
from reknit.sim.lane_places import CellPlace, Place
from reknit.sim.memory import Cells
from reknit.sim.values import ARRAY_KIND, MATRIX_KIND, STRUCT_KIND, VECTOR_KIND, Shape

UNWRITTEN: Final = "RK1018"
Path = tuple[int, ...]


@final
class Unwritten:
    """Follows the variables that `track` gets. Costs a set entry per scalar written."""

    __slots__ = ("faults", "_cells", "_written")

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self._cells: dict[int, Cells] = {}  # by the identity of the list of values, which pointers hold
        self._written: dict[tuple[int, int], dict[Path, None]] = {}

    def track(self, cells: Cells) -> None:
        """From now on, reads of `cells`, which starts with nothing written, are judged."""
        self._cells[id(cells.values)] = cells

    def reset(self) -> None:
        self._written.clear()

    def forget(self, cells: Cells, lanes: list[int]) -> None:
        """A function is entered: its variables are new."""
        for lane in lanes:
            self._written.pop((id(cells.values), lane), None)

    def wrote(self, place: CellPlace, lanes: list[int]) -> None:
        for lane in lanes:
            whole = self._whole_path(place, lane)
            if whole is not None:
                key, path = whole
                written = self._written.setdefault(key, {})
                for part in parts_of(place.shape):
                    written[path + part] = None

    def reads(self, place: CellPlace, lanes: list[int], instr: Instr) -> None:
        for lane in lanes:
            whole = self._whole_path(place, lane)
            if whole is None:
                continue
            key, path = whole
            missing = self._first_of(key, path, place.shape)
            if missing is not None:
                name = self._cells[key[0]].instr.name or "a variable"
                self.faults.add(UNWRITTEN, instr, lane, f"nothing has written {name}{_indices(missing)} before")

    def lacks(self, cells: Cells, lane: int, path: Path, shape: Shape) -> str:
        """The first part of a variable, at a path in it, that nothing has written, as `[1][0]`; "" if there is none, or
        it isn't followed."""
        if id(cells.values) not in self._cells:
            return ""
        missing = self._first_of((id(cells.values), lane), path, shape)
        return "" if missing is None else _indices(missing) or " at all"

    def _first_of(self, key: tuple[int, int], path: Path, shape: Shape) -> Path | None:
        written = self._written.get(key, {})
        for part in parts_of(shape):
            whole = path + part
            if not any(whole[:upto] in written for upto in range(len(whole) + 1)):
                return whole
        return None

    def _whole_path(self, place: CellPlace, lane: int) -> tuple[tuple[int, int], Path] | None:
        """The variable and lane, and the indices from the variable to the place; None for what isn't followed."""
        base = place.base(lane)
        if base is None or id(base[0]) not in self._cells:
            return None
        path = place.path(lane)
        if path is None:
            return None
        return (id(base[0]), base[1]), base[2] + tuple(path)


def _indices(path: Path) -> str:
    return "".join([f"[{index}]" for index in path])


def parts_of(shape: Shape) -> list[Path]:
    """The scalars in a value of this shape. Shapes nest a few levels."""
    if shape.kind == STRUCT_KIND:
        return [(index, *part) for index in range(len(shape.members)) for part in parts_of(shape.members[index])]
    if shape.kind in (VECTOR_KIND, MATRIX_KIND, ARRAY_KIND) and shape.element is not None:
        inner = parts_of(shape.element)
        return [(index, *part) for index in range(shape.count) for part in inner]
    return [()]


def writing(unwritten: Unwritten | None, place: Place, step: Step) -> Step:
    """The step, after which what it wrote is known."""
    if unwritten is None or not isinstance(place, CellPlace):
        return step
    known: Unwritten = unwritten
    written: CellPlace = place

    def run(lanes: list[int]) -> None:
        step(lanes)
        known.wrote(written, lanes)

    return run


def reading(unwritten: Unwritten | None, place: Place, instr: Instr, step: Step) -> Step:
    """The step, with what it reads judged first."""
    if unwritten is None or not isinstance(place, CellPlace):
        return step
    known: Unwritten = unwritten
    read: CellPlace = place

    def run(lanes: list[int]) -> None:
        known.reads(read, lanes, instr)
        step(lanes)

    return run


def entering(unwritten: Unwritten | None, cells: Cells, step: Step) -> Step:
    """The step of an OpVariable of a function: what earlier activations wrote is gone."""
    if unwritten is None:
        return step
    known: Unwritten = unwritten

    def run(lanes: list[int]) -> None:
        step(lanes)
        known.forget(cells, lanes)

    return run
