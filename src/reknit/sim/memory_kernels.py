"""Loads and stores of words as kernels: where a place needs a comparison or two to be in bounds.

    LoadWord      out[lane] = words[first + index[lane] * stride]      one buffer, at most one index
    LoadElement   out[lane] = values[lane][index[lane]]                an array without a layout
    Fill          out[lane] = word                                     a variable as its function is entered

What is out of bounds goes through the place itself, which reports it.
"""

from typing import Any, final

from reknit.sim.kernel import Kernel
from reknit.sim.lane_places import BufferPlace, CellPlace
from reknit.sim.memory import Cells
from reknit.sim.registers import Register
from reknit.source.columns import i64, vec


def highest(place: BufferPlace) -> int:
    """How many indices are in bounds, for the buffer as it is now."""
    term = place.terms[0]
    words = place.buffers[0].words
    held = max(len(words) * 4 - term.start, 0) // term.stride
    if len(words) * 4 - place.offset < (held - 1) * term.stride + place.layout.size:
        return 0  # the buffer ends inside an element: one by one
    return held if term.count < 0 else min(held, term.count)


@final
class LoadWord(Kernel):
    __slots__ = ("place", "index", "first", "stride")

    def __init__(self, out: Register, place: BufferPlace, index: Register) -> None:
        super().__init__(out)
        self.place = place
        self.index = index
        self.first: i64 = i64(place.offset >> 2)
        self.stride: i64 = i64(place.terms[0].stride >> 2)

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        place = self.place
        words = place.buffers[0].words
        column = self.index.flat
        first = self.first
        stride = self.stride
        most: i64 = i64(highest(place))
        for lane in lanes:
            index = column[lane]
            if index < most:
                out[lane] = i64(words[first + index * stride])
            else:
                word: int = place.get(int(lane))
                out[lane] = i64(word)


@final
class StoreWord(Kernel):
    __slots__ = ("place", "index", "source", "first", "stride")

    def __init__(self, place: BufferPlace, index: Register, source: Register) -> None:
        super().__init__(None)
        self.place = place
        self.index = index
        self.source = source
        self.first: i64 = i64(place.offset >> 2)
        self.stride: i64 = i64(place.terms[0].stride >> 2)

    def run(self, lanes: vec[i64]) -> None:
        place = self.place
        words = place.buffers[0].words
        column = self.index.flat
        source = self.source.flat
        first = self.first
        stride = self.stride
        most: i64 = i64(highest(place))
        for lane in lanes:
            index = column[lane]
            if index < most:
                words[first + index * stride] = int(source[lane])
            else:
                place.put(int(lane), int(source[lane]))


@final
class LoadOnce(Kernel):
    """A load without an index: one word for all lanes."""

    __slots__ = ("place",)

    def __init__(self, out: Register, place: BufferPlace) -> None:
        super().__init__(out)
        self.place = place

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        loaded: int = self.place.get(int(lanes[0]))
        word: i64 = i64(loaded)
        for lane in lanes:
            out[lane] = word


@final
class CountElements(Kernel):
    """OpArrayLength of a buffer that is known."""

    __slots__ = ("place",)

    def __init__(self, out: Register, place: BufferPlace) -> None:
        super().__init__(out)
        self.place = place

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        word: i64 = i64(self.place.elements(int(lanes[0])))
        for lane in lanes:
            out[lane] = word


@final
class Fill(Kernel):
    __slots__ = ("word",)

    def __init__(self, out: Register, word: int) -> None:
        super().__init__(out)
        self.word: i64 = i64(word)

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        word = self.word
        for lane in lanes:
            out[lane] = word


@final
class LoadElement(Kernel):
    __slots__ = ("place", "cells", "index", "count")

    def __init__(self, out: Register, place: CellPlace, cells: Cells, index: Register) -> None:
        super().__init__(out)
        self.place = place
        self.cells = cells
        self.index = index
        self.count: i64 = i64(place.counts[0])

    def run(self, lanes: vec[i64]) -> None:
        assert self.out is not None
        out = self.out.flat
        values = self.cells.values
        shared = self.cells.shared
        column = self.index.flat
        count = self.count
        elements: list[Any] = values[0] if shared else values[lanes[0]]
        for lane in lanes:
            index = column[lane]
            if index < count:
                if not shared:
                    elements = values[lane]
                word: int = elements[index]
                out[lane] = i64(word)
            else:
                null: int = self.place.get(int(lane))
                out[lane] = i64(null)


@final
class StoreElement(Kernel):
    __slots__ = ("place", "cells", "index", "count", "source")

    def __init__(self, place: CellPlace, cells: Cells, index: Register, source: Register) -> None:
        super().__init__(None)
        self.place = place
        self.cells = cells
        self.index = index
        self.source = source
        self.count: i64 = i64(place.counts[0])

    def run(self, lanes: vec[i64]) -> None:
        values = self.cells.values
        shared = self.cells.shared
        column = self.index.flat
        count = self.count
        source = self.source.flat
        elements: list[Any] = values[0] if shared else values[lanes[0]]
        for lane in lanes:
            index = column[lane]
            if index < count:
                if not shared:
                    elements = values[lane]
                elements[index] = int(source[lane])
            else:
                self.place.put(int(lane), int(source[lane]))
