"""What lanes hold: the values of a run that is traced, and what it stores.

    step(lanes)  ->  step(lanes); the result's column, or the memory behind the pointer, is kept for these lanes

    named    variables, results of tangled operations, what a switch or branch goes by, results that have a name
    all      every result as well that is a number or made of some

A program that is recorded has its steps changed, so that one that is not costs nothing.
"""

from typing import Any, Final, final

from reknit.analysis.tangles.operations import group_of
from reknit.ir import op, traits
from reknit.ir.instr import Instr
from reknit.ir.value import Value
from reknit.sim.access import OWN
from reknit.sim.code import Call, CodeBlock, Edge, Goto, Split, SwitchEnd
from reknit.sim.images import TexelPlace
from reknit.sim.kernel import Step
from reknit.sim.lane_places import BufferPlace, CellPlace, Place
from reknit.sim.memory import Buffer, Cells, is_in_parts
from reknit.sim.ops.image import OPERANDS, Reach
from reknit.sim.ops.image_operands import Operands
from reknit.sim.ops.tagged import is_cast
from reknit.sim.pointers import is_pointer, resolve
from reknit.sim.prepare import Preparation
from reknit.sim.recorded import RESULT, TANGLED, VARIABLE, Item, Recording, Row
from reknit.sim.registers import Register
from reknit.sim.shadow.shapes import UNKNOWN, count_of, gathered, opened, shape_at
from reknit.sim.shadow.state import Tracker
from reknit.sim.texels import get_bits
from reknit.sim.trace import Trace
from reknit.sim.unsupported import Unsupported
from reknit.sim.unwritten import within
from reknit.sim.values import OPAQUE_KIND, PAYLOAD_KIND, POINTER_KIND, VOID_KIND, Shape

NAMED: Final = "named"
ALL: Final = "all"

MAX_WORDS: Final = 4096  # of a buffer, as it was at first
WHOLE: Final = 16  # scalars of a variable that is kept whole; of a larger one, the part that was stored

Stored = dict[int, tuple[Buffer | Cells, list[int], list[int], list[Any]]]
"""By memory: itself, and of each store the lane, the place, and what was there afterwards."""


@final
class Recorder:
    """Changes the steps of a program. `recording` is that of the run that goes on, if it is traced; `until` is its own,
    set before a run that only asks what lanes hold at an event. With a `tracker`, what may be anything is kept as
    `?`."""

    __slots__ = (
        "preparation", "code", "values", "items", "trace", "recording", "until", "tracker", "_numbers", "_cells",
        "_by_column",
    )  # fmt: skip

    def __init__(
        self, preparation: Preparation, code: list[CodeBlock], values: str, tracker: Tracker | None = None
    ) -> None:
        self.tracker = tracker
        self.preparation = preparation
        self.code = code
        self.values = values
        self.items: list[Item] = []
        self.trace: Trace | None = None
        self.recording: Recording | None = None
        self.until = -1
        self._numbers: dict[tuple[str, Value], int] = {}
        self._cells = {id(cells.values): cells for cells in preparation.cells.values()}
        self._by_column = {id(column): value for value, column in preparation.columns.items()}
        self._by_column |= {id(register): value for value, register in preparation.registers.items()}
        self.wrap()

    def begin(self, trace: Trace | None) -> None:
        """A run begins; buffers are filled."""
        self.trace = trace
        self.recording = None
        if trace is None:
            return
        recording = Recording(self.values, self.items)
        recording.until = self.until
        for buffer in [*self.preparation.order, *self.preparation.space.given]:
            if buffer.alias is None:
                recording.memories.append(buffer)
                recording.initial.append(_texels(buffer) if buffer.texture else list(buffer.words[:MAX_WORDS]))
        self.recording = recording
        trace.recording = recording

    # --- changing steps -----------------------------------------------------------------------------------------------

    def wrap(self) -> None:
        tests = {self._by_column.get(id(column)) for column in map(_test, self.code) if column is not None}
        for block in self.code:
            for at, instr in enumerate(block.instrs):
                block.steps[at] = self.wrapped(block.steps[at], instr, instr in tests)
            end = block.end
            edges = [end.edge] if isinstance(end, Goto) else [end.yes, end.no] if isinstance(end, Split) else []
            for edge in end.edges if isinstance(end, SwitchEnd) else edges:
                self.wrap_moves(edge, [phi for phi in self.code[edge.target].block.phis() if self.wants(phi)])
            if isinstance(end, Call) and end.moves is not None:
                taken = [param for param in self.code[end.entry].function.params if self.wants(param)]
                end.moves = self.after(end.moves, taken)

    def wrap_moves(self, edge: Edge, phis: list[Instr]) -> None:
        if edge.moves is not None:
            edge.moves = self.after(edge.moves, phis)

    def after(self, moves: Step, values: list[Instr]) -> Step:
        """The values that a step gives to phis or parameters are kept after it."""
        numbers = [self.number(RESULT, value) for value in values]
        columns = [self.preparation.column(value) for value in values]
        if not values:
            return moves

        def run(lanes: list[int]) -> None:
            moves(lanes)
            for number, value, column in zip(numbers, values, columns, strict=True):
                self.keep(number, lanes, self.row(value, column, lanes))

        return run

    def wants(self, value: Instr) -> bool:
        """Whether a result is one of those that are kept."""
        if self.values != ALL and not value.name:
            return False
        shape = self.shape(value)
        return shape is not None and shape.kind != POINTER_KIND and is_shown(shape)

    def shape(self, value: Value) -> Shape | None:
        if not isinstance(value, Instr) or value.type is None or value.type.op == op.TypeVoid:
            return None
        return self.preparation.globals.shape(value.type)

    def number(self, kind: str, value: Instr) -> int:
        number = self._numbers.get((kind, value))
        if number is None:
            number = len(self.items)
            shape = self.preparation.cells[value].shape if kind == VARIABLE else self.shape(value)
            self.items.append(Item(kind, value, shape, group_of(value) if kind == TANGLED else ""))
            self._numbers[kind, value] = number
        return number

    def wrapped(self, step: Step, instr: Instr, decides: bool) -> Step:
        for pointer in _written(instr):
            place = self.place(pointer)
            if place is not None:
                step = self.storing(step, instr, place, pointer)
        if instr.op == op.ImageWrite:
            return self.writing_texels(step, instr)
        if instr.op == op.Variable:
            return self.entering(step, instr)
        if instr.op == op.DemoteToHelperInvocation or instr.op == op.Kill:
            return self.demoting(step)
        shape = self.shape(instr)
        shown = shape is not None and shape.kind != POINTER_KIND and is_shown(shape)
        tangled = instr.op in traits.TANGLED
        if not (tangled or (shown and (decides or self.wants(instr)))):
            return step
        number = self.number(TANGLED if tangled else RESULT, instr)
        column = self.preparation.column(instr) if shown else None

        def run(lanes: list[int]) -> None:
            step(lanes)
            self.keep(number, lanes, None if column is None else self.row(instr, column, lanes))

        return run

    def row(self, value: Instr, column: list[Any], lanes: list[int]) -> Row:
        """The values of lanes."""
        shadow = self.tracker.column(value) if self.tracker is not None else None
        if shadow is None:
            return tuple([column[lane] for lane in lanes])
        return tuple([opened(column[lane], shadow[lane]) for lane in lanes])

    def cell_row(self, cells: Cells, path: tuple[int, ...], slots: list[int], row: list[Any]) -> Row:
        """What variables hold at a path, lane by lane or for all."""
        marks = self.tracker.unwritten.marks.get(cells) if self.tracker is not None else None
        values = [_frozen(value) for value in row]
        if marks is None or not marks.left:
            return tuple(values)
        shape = cells.shape
        for index in path:
            shape = shape_at(shape, index) if count_of(shape) else shape
        shadows = [gathered(marks.flat, within(marks, slot, list(path))[1], shape) for slot in slots]
        return tuple([opened(value, shadow) for value, shadow in zip(values, shadows, strict=True)])

    def place(self, pointer: Instr) -> Place | None:
        """Where a pointer leads; what is out of bounds there was reported by the step itself."""
        try:
            return self.preparation.chain_place(resolve(pointer), _silent)
        except Unsupported:
            return None  # the step itself was refused, and reports it

    def storing(self, step: Step, instr: Instr, place: Place, pointer: Instr) -> Step:
        """Lane after lane, as the step itself goes, so that what each leaves is seen."""
        helpers = self.preparation.helpers
        own = pointer.type is not None and resolve(pointer).storage() in OWN

        def each(lanes: list[int]) -> None:
            stored: Stored = {}
            for lane in lanes:
                step([lane])
                if own or not helpers[lane]:
                    self.look(place, lane, stored)
            for memory, mine, places, values in stored.values():
                self.stored(instr, memory, mine, tuple(places), tuple(values))

        def whole(lanes: list[int]) -> None:
            step(lanes)
            self.look_at_variable(place, lanes)

        return whole if own else each

    def look(self, place: Place, lane: int, stored: Stored) -> None:
        """What a lane's store left in memory that others see."""
        if isinstance(place, BufferPlace):
            at = place.find(lane)
            buffer = place.buffer
            if at < 0 or buffer is None:
                return
            memory = buffer.alias if buffer.alias is not None else buffer
            kept = stored.setdefault(id(memory), (memory, [], [], []))
            for word in range(at >> 2, (at + place.layout.size + 3) >> 2):
                kept[1].append(lane)
                kept[2].append(word)
                open = self.tracker is not None and self.tracker.source_at(memory, 4 * word, 4)
                kept[3].append(UNKNOWN if open else buffer.words[word])
        elif isinstance(place, TexelPlace):
            self.look_at_texel(place.handles.get(lane), place.find(lane), lane, stored)
        elif isinstance(place, CellPlace):
            cell = self.find(place, lane)
            if cell is None:
                return
            cells, path = cell
            if not cells.shared:
                self.look_at_variable(place, [lane])
                return
            kept = stored.setdefault(id(cells), (cells, [], [], []))
            first = cells.values[0]
            element = path[0] if path else 0
            kept[1].append(lane)
            kept[2].append(element)
            partial = path and is_in_parts(first)
            part = (element,) if partial else ()
            kept[3].append(self.cell_row(cells, part, [0], [first[element] if partial else first])[0])

    def writing_texels(self, step: Step, instr: Instr) -> Step:
        """OpImageWrite, lane after lane."""
        operands = Operands(self.preparation, instr, 3, OPERANDS)
        reach = Reach(self.preparation, instr, instr.value(0), instr.value(1), operands)
        helpers = self.preparation.helpers

        def run(lanes: list[int]) -> None:
            stored: Stored = {}
            for lane in lanes:
                step([lane])
                if not helpers[lane]:
                    self.look_at_texel(reach.images[lane], reach.find(lane, _silent), lane, stored)
            for memory, mine, places, values in stored.values():
                self.stored(instr, memory, mine, tuple(places), tuple(values))

        return run

    def look_at_texel(self, image: Any, index: int, lane: int, stored: Stored) -> None:
        """The bits that a texel has now; -1 is none."""
        if index < 0 or not isinstance(image, Buffer) or image.texture is None:
            return
        memory = image.alias if image.alias is not None else image
        kept = stored.setdefault(id(memory), (memory, [], [], []))
        kept[1].append(lane)
        kept[2].append(index)
        kept[3].append(get_bits(image.words, image.texture.format, index))

    def find(self, place: CellPlace, lane: int) -> tuple[Cells, tuple[int, ...]] | None:
        """The variable that a lane's pointer leads into, and the path in it."""
        address = place.address(lane)
        cells = self._cells.get(id(address[0])) if address != 0 else None
        return None if cells is None else (cells, address[2])

    def look_at_variable(self, place: Place, lanes: list[int]) -> None:
        """What a lane's own variable holds after a store: lanes whose pointers lead to one place make one row."""
        if not isinstance(place, CellPlace):
            return
        by_place: dict[tuple[int, tuple[int, ...]], tuple[Cells, list[int]]] = {}
        for lane in lanes:
            cell = self.find(place, lane)
            if cell is not None:
                cells, path = cell
                path = path if _scalars(cells.shape) > WHOLE else ()
                by_place.setdefault((id(cells), path), (cells, []))[1].append(lane)
        for (_, path), (cells, mine) in by_place.items():
            row = [cells.values[lane] for lane in mine]
            for index in path:
                row = [value[index] for value in row]
            slots = [0 if cells.shared else lane for lane in mine]
            self.keep(self.number(VARIABLE, cells.instr), mine, self.cell_row(cells, path, slots, row), path)

    def entering(self, step: Step, variable: Instr) -> Step:
        """A function's variable is new each time; without an initializer it was not written yet."""
        cells = self.preparation.cells_of(variable)
        number = self.number(VARIABLE, variable)
        initial: Row | None = (_frozen(cells.initial),) if len(variable.operands) > 1 else None

        def run(lanes: list[int]) -> None:
            step(lanes)
            self.keep(number, lanes, initial)

        return run

    def demoting(self, step: Step) -> Step:
        def run(lanes: list[int]) -> None:
            step(lanes)
            if self.trace is not None:
                self.trace.became_helpers(mask_of(lanes))

        return run

    # --- while it runs ------------------------------------------------------------------------------------------------

    def keep(self, item: int, lanes: list[int], row: Row | None, path: tuple[int, ...] = ()) -> None:
        if self.recording is not None and self.trace is not None:
            self.recording.keep(len(self.trace.events) - 1, item, mask_of(lanes), row, path)

    def stored(self, instr: Instr, memory: Buffer | Cells, lanes: list[int], places: Row, values: Row) -> None:
        """A store of several words a lane makes a row for each of them."""
        if self.recording is None or self.trace is None:
            return
        event = len(self.trace.events) - 1
        rows: list[dict[int, tuple[int, Any]]] = []
        for lane, place, value in zip(lanes, places, values, strict=True):
            for row in rows:
                if lane not in row:
                    row[lane] = (place, value)
                    break
            else:
                rows.append({lane: (place, value)})
        for row in rows:
            self.recording.stored(
                event,
                instr,
                memory,
                mask_of(list(row)),
                tuple([place for place, _ in row.values()]),
                tuple([value for _, value in row.values()]),
            )


def _texels(image: Buffer) -> list[int]:
    """The bits of an image's first texels."""
    assert image.texture is not None
    count = min(image.texture.texels(), MAX_WORDS)
    return [get_bits(image.words, image.texture.format, index) for index in range(count)]


def mask_of(lanes: list[int]) -> int:
    mask = 0
    for lane in lanes:
        mask |= 1 << lane
    return mask


def is_shown(shape: Shape) -> bool:
    """Whether values of a shape can be shown: numbers and what is made of them, and objects with their type."""
    work = [shape]
    while work:
        part = work.pop()
        if part.kind in (VOID_KIND, POINTER_KIND, OPAQUE_KIND, PAYLOAD_KIND):
            return False
        work.extend(part.members)
        if part.element is not None:
            work.append(part.element)
    return True


def _scalars(shape: Shape) -> int:
    """How many scalars a value has, about."""
    count = 0
    work = [(shape, 1)]
    while work:
        part, times = work.pop()
        if part.members:
            work.extend([(member, times) for member in part.members])
        elif part.element is not None and part.kind != POINTER_KIND:
            work.append((part.element, times * max(part.count, 1)))
        else:
            count += times
    return count


def _frozen(value: Any) -> Any:
    """What is kept in a variable, as a value that does not change. Types nest a few levels."""
    return tuple([_frozen(part) for part in value]) if is_in_parts(value) else value


def _written(instr: Instr) -> list[Instr]:
    """The pointers that an instruction may write through."""
    if instr.op in traits.STORES:
        pointer = instr.instr(traits.STORES[instr.op])
        while is_cast(pointer):
            pointer = pointer.instr(0)
        return [pointer]
    if instr.op == op.ExtInst:
        return [each for each in instr.operands if isinstance(each, Instr) and is_pointer(each)]
    return []


def _test(block: CodeBlock) -> Register | list[int] | None:
    """The column by which a block's lanes are split."""
    end = block.end
    if isinstance(end, Split):
        return end.condition
    return end.selector if isinstance(end, SwitchEnd) else None


def _silent(lane: int, message: str) -> None:
    """An access that was reported already."""
