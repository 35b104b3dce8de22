"""What a recorded run keeps of its lanes.

    Item        what is looked at: a variable, a tangled operation, another result
    Recording   by event: item, lanes, and a row of values; equal rows are kept once
    Written     a store to a buffer or Workgroup variable, element by element: what each lane's store left there
"""

from bisect import bisect_left
from typing import Any, Final, final

from reknit.ir.instr import Instr
from reknit.sim.memory import Buffer, Cells
from reknit.sim.values import Shape

VARIABLE: Final = "variable"
TANGLED: Final = "tangled"
RESULT: Final = "result"
MAX_VALUES: Final = 4_000_000  # of lanes, kept by one run

Row = tuple[Any, ...]
"""A value for each lane of a mask, ascending; or one, where it is the same for all."""

Latest = tuple[int, Any, tuple[int, ...]]
"""An event, a value (None: no result, or not written yet) and the place in a large variable."""


@final
class Item:
    """What rows are about. `scope` is the group within which a tangled operation meets, "" for anything else."""

    __slots__ = ("kind", "value", "shape", "scope")

    def __init__(self, kind: str, value: Instr, shape: Shape | None, scope: str) -> None:
        self.kind = kind
        self.value = value
        self.shape = shape
        self.scope = scope


@final
class Written:
    """Lanes of `mask` wrote to `memory`, each to one of `places` (a word of a buffer, a texel of an image, or the first
    index into a variable), where then was one of `values`, of a texel its bits."""

    __slots__ = ("event", "instr", "memory", "mask", "places", "values")

    def __init__(self, event: int, instr: Instr, memory: int, mask: int, places: Row, values: Row) -> None:
        self.event = event
        self.instr = instr
        self.memory = memory
        self.mask = mask
        self.places = places
        self.values = values


@final
class Recording:
    """One run's. Record n was made in the step of event `events[n]`, is about item `which[n]`, for the lanes of
    `masks[n]`, and has row `rows[n]`, -1 where the operation has no result or the variable was not written yet; `paths`
    has the place in a large variable. From event `full` on nothing more was kept, -1 if all was.

    With `until`, an event's number, no records are made: `latest` has by item and lane the value up to that event, the
    event it is of, and its path."""

    __slots__ = (
        "values", "items", "events", "which", "masks", "rows", "paths", "table", "stores", "memories", "initial",
        "full", "size", "until", "latest",
    )  # fmt: skip

    def __init__(self, values: str, items: list[Item]) -> None:
        self.values = values
        self.items = items
        self.events: list[int] = []
        self.which: list[int] = []
        self.masks: list[int] = []
        self.rows: list[int] = []
        self.paths: dict[int, tuple[int, ...]] = {}
        self.table: dict[Row, int] = {}
        self.stores: list[Written] = []
        self.memories: list[Buffer | Cells] = []
        self.initial: list[list[int]] = []
        self.full = -1
        self.size = 0
        self.until = -1
        self.latest: dict[tuple[int, int], Latest] = {}

    def keep(self, event: int, item: int, mask: int, row: Row | None, path: tuple[int, ...] = ()) -> None:
        if self.until >= 0:
            if event <= self.until:
                self.replace(event, item, mask, row, path)
            return
        if self.full >= 0:
            return
        number = -1
        if row is not None:
            first = row[0]
            if all(value == first for value in row):
                row = (first,)
            number = self.table.setdefault(row, len(self.table))
            if number == len(self.table) - 1:
                self.size += len(row)
        if path:
            self.paths[len(self.events)] = path
        self.events.append(event)
        self.which.append(item)
        self.masks.append(mask)
        self.rows.append(number)
        self.spend(event)

    def replace(self, event: int, item: int, mask: int, row: Row | None, path: tuple[int, ...]) -> None:
        at = 0
        lane = 0
        while mask:
            if mask & 1:
                value = None if row is None else row[at if len(row) > 1 else 0]
                self.latest[item, lane] = (event, value, path)
                at += 1
            mask >>= 1
            lane += 1

    def within(self, first: int, end: int) -> range:
        """The records of the events from `first` up to `end`."""
        return range(bisect_left(self.events, first), bisect_left(self.events, end))

    def spend(self, event: int) -> None:
        self.size += 1
        if self.size > MAX_VALUES:
            self.full = event + 1

    def stored(self, event: int, instr: Instr, memory: Buffer | Cells, mask: int, places: Row, values: Row) -> None:
        if self.full >= 0 or self.until >= 0:
            return
        if memory not in self.memories:
            self.memories.append(memory)
            self.initial.append([])
        self.stores.append(Written(event, instr, self.memories.index(memory), mask, places, values))
        self.size += len(places)
        self.spend(event)
