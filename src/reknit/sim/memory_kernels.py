"""Loads and stores of words as kernels: where a place needs a comparison or two to be in bounds.

    LoadWord      out[lane] = words[first + index[lane] * stride]      one buffer, at most one index
    LoadElement   out[lane] = values[lane][index[lane]]                an array without a layout
    Fill          out[lane] = word                                     a variable as its function is entered
    CopyValues    values[lane] = source[lane]                          a variable of any type

What is out of bounds goes through the place itself, which reports it.
"""

from typing import Any, Final, final

from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.sim.kernel import Kernel, Nothing
from reknit.sim.lane_places import BufferPlace, CellPlace, Place
from reknit.sim.layout import is_word, is_words
from reknit.sim.memory import Cells
from reknit.sim.ops.kernels import Component, Copy
from reknit.sim.registers import Register
from reknit.sim.values import ARRAY_KIND, VECTOR_KIND
from reknit.source.columns import i64, vec

NEAR: Final = 32  # how many instructions are looked at for the last reader of a value


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
        buffer = place.buffers[0]
        column = self.index.flat
        first = self.first
        stride = self.stride
        most: i64 = i64(highest(place))
        if buffer.has_column(len(lanes)):
            flat = buffer.flat
            for lane in lanes:
                index = column[lane]
                out[lane] = flat[first + index * stride] if index < most else self.beyond(lane)
            return
        words = buffer.words
        for lane in lanes:
            index = column[lane]
            if index < most:
                out[lane] = i64(words[first + index * stride])
            else:
                out[lane] = self.beyond(lane)

    def beyond(self, lane: i64) -> i64:
        """Out of bounds."""
        word: int = self.place.get(int(lane))
        return i64(word)


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
        elements: vec[i64] = values[0] if shared else values[lanes[0]]
        for lane in lanes:
            index = column[lane]
            if index < count:
                if not shared:
                    elements = values[lane]
                out[lane] = elements[index]
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
        elements: vec[i64] = values[0] if shared else values[lanes[0]]
        for lane in lanes:
            index = column[lane]
            if index < count:
                if not shared:
                    elements = values[lane]
                elements[index] = source[lane]
            else:
                self.place.put(int(lane), int(source[lane]))


@final
class CopyValues(Kernel):
    """Any values, from list to list: a whole variable that is loaded or stored."""

    __slots__ = ("target", "source")

    def __init__(self, target: list[Any], source: list[Any]) -> None:
        super().__init__(None)
        self.target = target
        self.source = source

    def run(self, lanes: vec[i64]) -> None:
        target = self.target
        source = self.source
        for lane in lanes:
            target[lane] = source[lane]


# --- which kernel a place has -----------------------------------------------------------------------------------------


def is_simple(place: BufferPlace) -> bool:
    """A word or vector of words of one buffer at one index, or none, that needs only a comparison to be in bounds."""
    if len(place.buffers) != 1 or place.which or len(place.terms) > 1:
        return False
    if not is_word(place.shape) and not (place.shape.kind == VECTOR_KIND and is_words(place.layout)):
        return False
    return not place.terms or (place.terms[0].count != -2 and place.terms[0].stride % 4 == 0)


def is_read_at_once(load: Instr) -> bool:
    """Whether nothing reads a variable's value after the next store to it, or in another block: the variable's own
    register is the value then."""
    variable = load.operands[0]
    left = dict.fromkeys(load.users)
    at = load.next
    for _ in range(NEAR):
        if at is None or not left:
            break
        left.pop(at, None)
        if at.op == op.FunctionCall or (at.op == op.Store and at.operands[0] is variable):
            break
        at = at.next
    return not left


def load_kernel(place: Place, out: Register | None) -> Kernel | None:
    """For a word; None where a place has no kernel."""
    if out is None:
        return None
    if isinstance(place, BufferPlace):
        if not is_simple(place) or not is_word(place.shape):
            return None
        if not place.terms:
            return LoadOnce(out, place)
        index = place.terms[0].index.register
        return LoadWord(out, place, index) if index is not None else None
    if not isinstance(place, CellPlace) or place.cells is None:
        return None
    cells = place.cells
    if not place.indices:
        if cells.register is not None:
            return Copy(out, cells.register)
        return Component(out, cells.values, -1) if not cells.shared else None
    index = place.indices[0].register
    if len(place.indices) != 1 or index is None:
        return None
    if cells.shape.kind == ARRAY_KIND:
        return LoadElement(out, place, cells, index)
    member = place.indices[0].constant
    if cells.shape.kind == VECTOR_KIND and not cells.shared and 0 <= member < cells.shape.count:
        return Component(out, cells.values, member)
    return None


def store_kernel(place: Place, source: Register | None) -> Kernel | None:
    """For a word; None where a place has no kernel."""
    if source is None:
        return None
    if isinstance(place, BufferPlace):
        index = place.terms[0].index.register if len(place.terms) == 1 else None
        if index is None or not is_simple(place) or not is_word(place.shape):
            return None
        return StoreWord(place, index, source)
    if not isinstance(place, CellPlace) or place.cells is None:
        return None
    cells = place.cells
    if not place.indices:
        if cells.register is source:
            return Nothing(None)
        return Copy(cells.register, source) if cells.register is not None else None
    index = place.indices[0].register
    if len(place.indices) != 1 or index is None or cells.shape.kind != ARRAY_KIND:
        return None
    return StoreElement(place, cells, index, source)
