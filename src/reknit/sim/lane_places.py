"""A place in memory, one a lane: what a load, a store or an atomic goes through.

    CellPlace     values[lane] -> [index] -> [index]            variables without a layout
    BufferPlace   words[(offset + index * stride + ...) >> 2]   buffers

An index that is out of bounds is reported, a load from there gives zeros, and a store there is dropped. An index is its
bits, so that a negative one is too large.
"""

from collections.abc import Callable
from typing import Any, Final, final

from reknit.sim.layout import Layout, reader, writer
from reknit.sim.memory import (
    NOWHERE,
    NULL,
    AddressSpace,
    Buffer,
    BufferAddress,
    Cells,
    LogicalAddress,
    freeze,
    is_aggregate,
    thaw,
)
from reknit.sim.ops.composite import insert
from reknit.sim.registers import Index
from reknit.sim.values import Shape, null_value

Tell = Callable[[int, str], None]
NO_BUFFER: Final = "buffer "
"""What a message begins with where an array of buffers has no such one."""


class Place:
    """`shape` is that of the value in the place."""

    __slots__ = ("shape", "tell")

    def __init__(self, shape: Shape, tell: Tell) -> None:
        self.shape = shape
        self.tell = tell

    def get(self, lane: int) -> Any:
        raise AssertionError("a place is one of CellPlace, BufferPlace")

    def put(self, lane: int, value: Any) -> None:
        raise AssertionError("a place is one of CellPlace, BufferPlace")

    def address(self, lane: int) -> Any:
        """The pointer as a value."""
        raise AssertionError("a place is one of CellPlace, BufferPlace")


@final
class CellPlace(Place):
    """From a variable (`cells`), or from the pointers in `column`. `indices` are columns, `counts` how many each may
    have. `checked`: a pointer may be to the end of an array (`sim.element_pointers`); `shared`: other lanes
    may reach the place, too."""

    __slots__ = ("cells", "column", "indices", "counts", "aggregate", "null", "checked", "shared")

    def __init__(
        self,
        shape: Shape,
        tell: Tell,
        cells: Cells | None,
        column: list[Any],
        indices: list[Index],
        counts: list[int],
    ) -> None:
        super().__init__(shape, tell)
        self.cells = cells
        self.column = column
        self.indices = indices
        self.counts = counts
        self.aggregate = is_aggregate(shape)
        self.null: Any = null_value(shape)
        self.checked = False
        self.shared = cells is not None and cells.shared

    def base(self, lane: int) -> LogicalAddress | None:
        cells = self.cells
        if cells is not None:
            return cells.values, 0 if cells.shared else lane, ()
        address = self.column[lane]
        if address == 0:
            self.tell(lane, NULL)
            return None
        logical: LogicalAddress = address
        if self.checked:
            kept: Any = logical[0][logical[1]]
            for index in logical[2]:
                if index >= len(kept):
                    self.tell(lane, f"element {index} of {len(kept)}")
                    return None
                kept = kept[index]
        return logical

    def path(self, lane: int) -> list[int] | None:
        """The values of the indices; None if one is out of bounds."""
        path: list[int] = []
        for at in range(len(self.indices)):
            index = self.indices[at].at(lane)
            if index >= self.counts[at]:
                self.tell(lane, f"index {index} of {self.counts[at]}")
                return None
            path.append(index)
        return path

    def get(self, lane: int) -> Any:
        base = self.base(lane)
        path = self.path(lane)
        if base is None or path is None:
            return self.null
        kept: Any = base[0][base[1]]
        for index in base[2]:
            kept = kept[index]
        for index in path:
            kept = kept[index]
        return freeze(kept, self.shape) if self.aggregate else kept

    def put(self, lane: int, value: Any) -> None:
        base = self.base(lane)
        path = self.path(lane)
        if base is None or path is None:
            return
        whole: list[int] = [base[1], *base[2], *path]
        container: Any = base[0]
        last = len(whole) - 1
        for at in range(last):
            kept: Any = container[whole[at]]
            if isinstance(kept, tuple):  # a part of a vector, or of a payload: they are put in whole
                container[whole[at]] = insert(whole[at + 1 :])(value, kept)
                return
            container = kept
        container[whole[last]] = thaw(value, self.shape) if self.aggregate else value

    def address(self, lane: int) -> Any:
        base = self.base(lane)
        path = self.path(lane)
        if base is None or path is None:
            return 0
        return base[0], base[1], base[2] + tuple(path)


@final
class Term:
    """One index of a chain into a buffer: `count` is how many there may be, -1 for as many as the buffer holds, -2
    for any (elements of OpPtrAccessChain, whose index is signed, `width` bits). `start` is the constant offset before
    it."""

    __slots__ = ("index", "stride", "count", "start", "width")

    def __init__(self, index: Index, stride: int, count: int, start: int, width: int) -> None:
        self.index = index
        self.stride = stride
        self.count = count
        self.start = start
        self.width = width


@final
class BufferPlace(Place):
    """From one of `buffers` (which one says `which`, a column, if there are several), or from the pointers in `column`,
    which are addresses in a `space`, if there is one, multiples of `alignment`.

    `find` gives the byte offset for a lane and sets `buffer`, or gives -1.
    """

    __slots__ = (
        "layout", "buffers", "which", "column", "offset", "terms", "read", "write", "null", "buffer", "space",
        "alignment",
    )  # fmt: skip

    def __init__(
        self,
        layout: Layout,
        tell: Tell,
        buffers: list[Buffer],
        which: list[int],
        column: list[Any],
        offset: int,
        terms: list[Term],
        space: AddressSpace | None = None,
        alignment: int = 1,
    ) -> None:
        super().__init__(layout.shape, tell)
        self.layout = layout
        self.buffers = buffers
        self.which = which
        self.column = column
        self.offset = offset
        self.terms = terms
        self.read = reader(layout)
        self.write = writer(layout)
        self.null: Any = null_value(layout.shape)
        self.buffer: Buffer | None = buffers[0] if buffers else None
        self.space = space
        self.alignment = alignment

    def find(self, lane: int) -> int:
        if self.space is not None:
            return self.find_in(self.space, lane)
        at = self.offset
        if self.which:
            chosen = self.which[lane]
            if chosen >= len(self.buffers):
                self.tell(lane, f"{NO_BUFFER}{chosen} of {len(self.buffers)}")
                return -1
            self.buffer = self.buffers[chosen]
        elif not self.buffers:
            address = self.column[lane]
            if address == 0:
                self.tell(lane, NULL)
                return -1
            buffer_address: BufferAddress = address
            self.buffer = buffer_address[0]
            at += buffer_address[1]
        assert self.buffer is not None
        limit = len(self.buffer.words) * 4
        for term in self.terms:
            index = term.index.at(lane)
            count = term.count
            if count == -2:
                if index >> (term.width - 1):
                    index -= 1 << term.width
            else:
                if count < 0:
                    room = max(limit - (at - self.offset + term.start), 0)
                    count = room // term.stride
                    if index == count and room % term.stride:
                        cut = f"its last {room % term.stride} bytes are no whole element of {term.stride}"
                        self.tell(lane, f"index {index} of {count} in buffer {self.buffer.label()}: {cut}")
                        return -1
                if index >= count:
                    self.tell(lane, f"index {index} of {count} in buffer {self.buffer.label()}")
                    return -1
            at += index * term.stride
        if at < 0 or at + self.layout.size > limit:
            self.tell(lane, f"bytes {at} to {at + self.layout.size} of {limit} in buffer {self.buffer.label()}")
            return -1
        return at

    def target(self, space: AddressSpace, lane: int) -> int:
        """The address that the pointer is."""
        at = self.column[lane] + self.offset
        for term in self.terms:
            index = term.index.at(lane)
            if index >> (term.width - 1):
                index -= 1 << term.width
            at += index * term.stride
        return int(at) & space.mask

    def find_in(self, space: AddressSpace, lane: int) -> int:
        """`find`, of an address."""
        if self.column[lane] == 0:
            self.tell(lane, NULL)
            return -1
        for term in self.terms:
            index = term.index.at(lane)
            if 0 <= term.count <= index:
                self.tell(lane, f"index {index} of {term.count}")
                return -1
        address = self.target(space, lane)
        buffer = space.at(address)
        if buffer is None or address >= buffer.address + 4 * len(buffer.words):
            self.tell(lane, f"address {address:#x} {NOWHERE}")
            return -1
        if address % self.alignment:
            self.tell(lane, f"address {address:#x} is not a multiple of {self.alignment}")
            return -1
        self.buffer = buffer
        at = address - buffer.address
        limit = len(buffer.words) * 4
        if at + self.layout.size > limit:
            self.tell(lane, f"bytes {at} to {at + self.layout.size} of {limit} in buffer {buffer.label()}")
            return -1
        return at

    def get(self, lane: int) -> Any:
        at = self.find(lane)
        if at < 0 or self.buffer is None:
            return self.null
        return self.read(self.buffer.words, at)

    def put(self, lane: int, value: Any) -> None:
        at = self.find(lane)
        if at < 0 or self.buffer is None:
            return
        if not self.buffer.writable:
            self.tell(lane, f"a store to {self.buffer.label()}, which is read-only memory")
            return
        self.write(self.buffer.words, at, value)

    def address(self, lane: int) -> Any:
        if self.space is not None:
            return self.target(self.space, lane)
        at = self.find(lane)
        if at < 0 or self.buffer is None:
            return 0
        return self.buffer, at

    def elements(self, lane: int) -> int:
        """OpArrayLength of the run-time array that the struct in this place ends in."""
        at = self.find(lane)
        array = self.layout.runtime_array()
        if at < 0 or self.buffer is None or array is None:
            return 0
        return max(len(self.buffer.words) * 4 - at - array[0], 0) // array[1].stride
