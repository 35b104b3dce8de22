"""Loads, stores, copies and atomics as steps over lanes.

    %x = OpLoad %p       for lane in lanes: x[lane] = place.get(lane)
    OpStore %p %x        for lane in lanes: place.put(lane, x[lane])

The two that are nearly all of a program have loops of their own: whole variables, and words of a buffer at one index.
Lanes of a tangle go one after another, in ascending order; where that shows, the program has a data race.
"""

from collections.abc import Callable
from typing import Any, Final

from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.types import storage_of
from reknit.ir.value import Value
from reknit.sim.element_pointers import step_over
from reknit.sim.faults import UndefinedMet
from reknit.sim.happens_before import Semantics
from reknit.sim.kernel import Nothing, Step, as_step
from reknit.sim.lane_places import BufferPlace, CellPlace, Place
from reknit.sim.layout import is_word
from reknit.sim.memory import Cells
from reknit.sim.memory_kernels import (
    CopyValues,
    CountElements,
    Fill,
    highest,
    is_read_at_once,
    is_simple,
    load_kernel,
    store_kernel,
)
from reknit.sim.ops.atomic import atomic_function
from reknit.sim.pointers import BY_ADDRESS, IN_BUFFERS, resolve_element
from reknit.sim.prepare import Preparation
from reknit.sim.race_detector import READ, RELAXED, WRITE, Access, atomic_kind, watched
from reknit.sim.registers import Index
from reknit.sim.unsupported import Unsupported
from reknit.sim.unwritten import entering, reading, writing
from reknit.sim.values import POINTER_KIND, VECTOR_KIND, Shape

OWN: Final = (enums.StorageClassFunction, enums.StorageClassPrivate, enums.StorageClassOutput)
"""Variables of these an invocation has for itself."""


def live_only(step: Step, preparation: Preparation, pointer: Value) -> Step:
    """The step for the lanes that are not helper invocations: those store nothing that others could see (rule 11), only
    to what each has for itself (Vulkan, "Helper Invocations": all but the Function, Private and Output classes)."""
    if not preparation.may_demote:
        return step
    if isinstance(pointer, Instr) and pointer.type is not None and storage_of(pointer.type) in OWN:
        return step
    return only_live(step, preparation)


def only_live(step: Step, preparation: Preparation) -> Step:
    """The step for the lanes that are not helper invocations."""
    if not preparation.may_demote:
        return step
    helpers = preparation.helpers

    def run(lanes: list[int]) -> None:
        live = [lane for lane in lanes if not helpers[lane]]
        if live:
            step(live)

    return run


def noted(preparation: Preparation, place: Place, access: Access, step: Step) -> Step:
    """The step as it is, or with its accesses reported to the watch."""
    watch = preparation.watch
    return step if watch is None else watched(watch, place, access, step)


def plain(kind: int, instr: Instr, at: int) -> Access:
    """A load or store, whose memory operands are operand `at`, if they are there."""
    operands = instr.word(at) if len(instr.operands) > at else 0
    return Access(kind, instr, enums.ScopeInvocation, RELAXED, operands)


# --- loads ------------------------------------------------------------------------------------------------------------


def load(preparation: Preparation, instr: Instr) -> Step:
    place = preparation.place(instr.value(0), instr)
    check_value(place.shape)
    variable = place.cells.register if isinstance(place, CellPlace) and place.cells is not None else None
    if variable is not None and is_read_at_once(instr):
        preparation.registers[instr] = variable
        return reading(preparation.unwritten, place, instr, as_step(Nothing(None)))
    kernel = load_kernel(place, preparation.register(instr))
    loaded = as_step(kernel) if kernel is not None else load_place(place, preparation.column(instr))
    step = noted(preparation, place, plain(READ, instr, 1), loaded)
    return reading(preparation.unwritten, place, instr, step)


def load_place(place: Place, out: list[Any]) -> Step:
    if isinstance(place, CellPlace) and place.cells is not None and not place.indices and not place.aggregate:
        return load_cells(place.cells, out)
    if isinstance(place, BufferPlace) and is_simple(place) and not is_word(place.shape):
        return load_vector(place, out)
    get = place.get

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = get(lane)

    return run


def load_cells(cells: Cells, out: list[Any]) -> Step:
    """A whole scalar or vector variable."""
    values = cells.values
    if cells.shared:

        def broadcast(lanes: list[int]) -> None:
            value = values[0]
            for lane in lanes:
                out[lane] = value

        return broadcast

    return as_step(CopyValues(out, values))


def words_from(place: BufferPlace) -> tuple[list[int], Index, int, int]:
    """(words, index, first word, words an element) of a simple place with an index."""
    term = place.terms[0]
    return place.buffers[0].words, term.index, place.offset >> 2, term.stride >> 2


def _load_at_fixed(get: Callable[[int], Any], out: list[Any]) -> Step:
    """A load without an index: one value for all lanes."""

    def fixed(lanes: list[int]) -> None:
        value = get(lanes[0])
        for lane in lanes:
            out[lane] = value

    return fixed


def load_vector(place: BufferPlace, out: list[Any]) -> Step:
    get = place.get
    count = place.shape.count
    if not place.terms:
        return _load_at_fixed(get, out)
    words, column, first, stride = words_from(place)

    def run(lanes: list[int]) -> None:
        most = highest(place)
        for lane in lanes:
            index = column.at(lane)
            if index < most:
                at = first + index * stride
                out[lane] = tuple(words[at : at + count])
            else:
                out[lane] = get(lane)

    return run


# --- stores -----------------------------------------------------------------------------------------------------------


def store(preparation: Preparation, instr: Instr) -> Step:
    place = preparation.place(instr.value(0), instr)
    check_value(place.shape)
    if isinstance(place, BufferPlace):
        check_writable(place)
    kernel = store_kernel(place, preparation.register(instr.value(1)))
    stored = as_step(kernel) if kernel is not None else store_place(place, preparation.column(instr.value(1)))
    step = writing(preparation.unwritten, place, stored)
    return live_only(noted(preparation, place, plain(WRITE, instr, 2), step), preparation, instr.value(0))


def store_place(place: Place, source: list[Any]) -> Step:
    if isinstance(place, CellPlace) and place.cells is not None and not place.indices and not place.aggregate:
        return store_cells(place.cells, source)
    if isinstance(place, BufferPlace) and is_simple(place) and place.terms and not is_word(place.shape):
        return store_vector(place, source)
    put = place.put

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            put(lane, source[lane])

    return run


def store_cells(cells: Cells, source: list[Any]) -> Step:
    values = cells.values
    if cells.shared:

        def last_wins(lanes: list[int]) -> None:
            values[0] = source[lanes[-1]]

        return last_wins

    return as_step(CopyValues(values, source))


def store_vector(place: BufferPlace, source: list[Any]) -> Step:
    put = place.put
    count = place.shape.count
    words, column, first, stride = words_from(place)

    def run(lanes: list[int]) -> None:
        most = highest(place)
        for lane in lanes:
            index = column.at(lane)
            if index < most:
                at = first + index * stride
                words[at : at + count] = source[lane]
            else:
                put(lane, source[lane])

    return run


def check_writable(place: BufferPlace) -> None:
    for buffer in place.buffers:
        if not buffer.writable:
            raise Unsupported(f"writes to {buffer.label()}, which is read-only memory")


def check_value(shape: Shape) -> None:
    """A run-time array is never a value."""
    if shape.element is not None and shape.kind > VECTOR_KIND and shape.kind != POINTER_KIND and shape.count == 0:
        raise Unsupported("takes a run-time array as a value")


# --- the rest ---------------------------------------------------------------------------------------------------------


def copy_memory(preparation: Preparation, instr: Instr) -> Step:
    target = preparation.place(instr.value(0), instr)
    source = preparation.place(instr.value(1), instr)
    check_value(source.shape)
    if isinstance(target, BufferPlace):
        check_writable(target)

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            target.put(lane, source.get(lane))

    unwritten = preparation.unwritten
    step = noted(preparation, source, plain(READ, instr, 2), reading(unwritten, source, instr, run))
    step = noted(preparation, target, plain(WRITE, instr, 2), writing(unwritten, target, step))
    return live_only(step, preparation, instr.value(0))


def array_length(preparation: Preparation, instr: Instr) -> Step:
    place = preparation.place(instr.value(0), instr)
    if not isinstance(place, BufferPlace) or place.layout.runtime_array() is None:
        raise Unsupported("asks for the length of what is no run-time array in a buffer")
    if place.space is not None:
        raise Unsupported("asks for the length of what an address leads to")
    register = preparation.register(instr)
    if register is not None and len(place.buffers) == 1 and not place.which and not place.terms:
        return as_step(CountElements(register, place))
    out = preparation.column(instr)
    inside: BufferPlace = place

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = inside.elements(lane)

    return run


def address(preparation: Preparation, instr: Instr) -> Step:
    """An access chain whose pointer is a value: passed to a function, selected, stored."""
    place: Place
    if instr.op == op.PtrAccessChain or instr.op == op.InBoundsPtrAccessChain:
        storage = resolve_element(instr).storage()
        if storage not in IN_BUFFERS and storage not in BY_ADDRESS:
            return step_over(preparation, instr)
        place = element_place(preparation, instr)
    else:
        place = preparation.place(instr, instr)
    out = preparation.column(instr)
    get = place.address

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            out[lane] = get(lane)

    return run


def element_place(preparation: Preparation, instr: Instr) -> Place:
    chain = resolve_element(instr)
    stride = preparation.stride_of(chain.base)
    if stride <= 0 or chain.element is None:
        raise Unsupported("steps over elements by a pointer into a buffer whose type has no ArrayStride")
    return preparation.element_place(chain, chain.element, stride, preparation.outside(instr))


def atomic(preparation: Preparation, instr: Instr) -> Step:
    """One lane after another: load, compute, store. Scope and memory semantics are for the watch."""
    semantics = Semantics(constant(preparation, instr.value(2)))
    access = Access(atomic_kind(instr), instr, constant(preparation, instr.value(1)), semantics, 0)
    place = preparation.place(instr.value(0), instr)
    function = atomic_function(instr.op, place.shape)
    if function is None:
        raise Unsupported("is an atomic that the simulator doesn't know")
    if isinstance(place, BufferPlace) and instr.op != op.AtomicLoad:
        check_writable(place)
    value: list[Any] = [0] * preparation.lanes  # of an increment, say, which has none
    comparator: list[Any] = value
    if instr.op == op.AtomicCompareExchange or instr.op == op.AtomicCompareExchangeWeak:
        value = preparation.column(instr.value(4))
        comparator = preparation.column(instr.value(5))
    elif len(instr.operands) > 3:
        value = preparation.column(instr.value(3))
    out = preparation.column(instr) if instr.has_result else list(value)
    truth = instr.op == op.AtomicFlagTestAndSet
    compute = function

    def run(lanes: list[int]) -> None:
        for lane in lanes:
            old = place.get(lane)
            place.put(lane, compute(old, value[lane], comparator[lane]))
            out[lane] = (1 if old else 0) if truth else old

    step = writing(preparation.unwritten, place, run)
    if instr.op != op.AtomicStore and instr.op != op.AtomicFlagClear:
        step = reading(preparation.unwritten, place, instr, step)
    done = live_only(noted(preparation, place, access, step), preparation, instr.value(0))
    return undefined_in_helpers(done, preparation, instr, out) if instr.has_result and preparation.may_demote else done


def undefined_in_helpers(step: Step, preparation: Preparation, instr: Instr, out: list[Any]) -> Step:
    """ "Values returned by atomic instructions in helper invocations are undefined" (Vulkan, "Helper Invocations")."""
    helpers = preparation.helpers
    shape = preparation.shape(instr)
    fill = preparation.fill
    faults = preparation.faults

    def run(lanes: list[int]) -> None:
        step(lanes)
        for lane in lanes:
            if helpers[lane]:
                if faults.fires:
                    raise UndefinedMet
                out[lane] = fill.value(shape)

    return run


def constant(preparation: Preparation, operand: Value) -> int:
    """The number of a scope or of memory semantics."""
    number = preparation.globals.values.get(operand)
    if not isinstance(number, int):
        raise Unsupported("has a scope or memory semantics that are no constant")
    return number


def enter_variable(preparation: Preparation, variable: Instr) -> Step:
    """OpVariable of a function: a new variable each time the function is entered."""
    cells = preparation.cells_of(variable)
    place = CellPlace(cells.shape, preparation.outside(variable), cells, [], [], [])
    initial = cells.initial
    if cells.register is not None:
        return entering(preparation.unwritten, cells, as_step(Fill(cells.register, initial)))
    values = cells.values
    if not place.aggregate:

        def set_whole(lanes: list[int]) -> None:
            for lane in lanes:
                values[lane] = initial

        return entering(preparation.unwritten, cells, set_whole)

    def set_parts(lanes: list[int]) -> None:
        for lane in lanes:
            place.put(lane, initial)

    return entering(preparation.unwritten, cells, set_parts)
