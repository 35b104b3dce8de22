"""What a tracked run knows: which values may be anything, in which lanes, and from where.

    shadows   by value: a shadow a lane (`shapes`); a value without any has none
    buffers   by memory: the bytes that may be anything
    sources   where undefined values come from, numbered from 1
    reached   where they arrived: a branch, an address, the operand of a tangled operation, words of a buffer
"""

from typing import TYPE_CHECKING, Any, final

from reknit.ir.block import Block
from reknit.ir.instr import Instr
from reknit.ir.locate import place_of, place_of_jump
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.sim.faults import UNDEFINED_RESULT, Faults
from reknit.sim.memory import Buffer, Cells
from reknit.sim.prepare import Preparation
from reknit.sim.shadow.shapes import joined, part_of, source_in, spread
from reknit.sim.shadow.sources import BRANCH, HELPS, REACHED, Reached, Source, numbers_text
from reknit.sim.unwritten import NEVER, UNWRITTEN, Marks, Unwritten
from reknit.source.diagnostic import WARNING, Diagnostic, Note
from reknit.source.place import Place

if TYPE_CHECKING:
    from reknit.sim.shadow.bounds import Bounds


@final
class Tracker:
    """`preparation` is the program's, `unwritten` has the marks of its variables. With `bounds`, floats are followed as
    sets, which are sources, too."""

    __slots__ = (
        "preparation", "module", "faults", "unwritten", "shadows", "sources", "numbers", "buffers", "writers",
        "reached", "helpers", "initial", "bounds",
    )  # fmt: skip

    def __init__(self, preparation: Preparation, unwritten: Unwritten) -> None:
        self.preparation = preparation
        self.faults: Faults = preparation.faults
        self.module: Module = preparation.globals.module
        self.unwritten = unwritten
        self.shadows: dict[Value, list[Any]] = {}
        self.sources = unwritten.sources
        unwritten.tracked = True
        self.numbers: dict[tuple[Instr, Value | None], int] = {}
        self.buffers: dict[Buffer, dict[int, int]] = {}
        self.writers: dict[Buffer, dict[int, Instr]] = {}  # by source, the last store that brought it
        self.reached: dict[tuple[str, Value, int], Reached] = {}
        self.helpers = preparation.helpers
        self.initial: dict[Cells, Any] = {}  # shadows of initializers
        self.bounds: Bounds | None = None

    def begin(self) -> None:
        """A run begins."""
        self.buffers.clear()
        self.writers.clear()
        self.reached.clear()
        self.faults.held = []

    def begin_group(self) -> None:
        """The memory of a workgroup is as it starts."""
        for cells, shadow in self.initial.items():
            marks = self.unwritten.marks.get(cells)
            if marks is not None:
                for slot in range(len(marks.flat) // marks.leaves if marks.leaves else 0):
                    self.store_marks(marks, slot * marks.leaves, marks.leaves, shadow, cells)

    def store_marks(self, marks: Marks, start: int, count: int, shadow: Any, cells: Cells) -> None:
        flat: list[int] = []
        spread(shadow, cells.shape, flat)
        for at in range(count):
            marks.put(start + at, flat[at])

    # --- sources ------------------------------------------------------------------------------------------------------

    def source(self, instr: Instr, message: str, about: Value | None = None) -> int:
        """The number of a source; its first message is kept."""
        number = self.numbers.get((instr, about))
        if number is None:
            self.sources.append(Source(instr, message, place_of(instr, self.module)))
            number = self.numbers[instr, about] = len(self.sources)
        return number

    def read(self, mark: int, instr: Instr, cells: Cells) -> int:
        """The source of what a mark is read as."""
        if mark == NEVER:
            name = cells.instr.name or "the variable"
            return self.source(instr, f"nothing has written {name} before", cells.instr)
        return mark

    def shadow_of_constant(self, value: Instr, undef: int) -> Any:
        """Of a constant that OpUndef (`undef`) is a part of. Constants nest a few levels."""
        if value.op == undef:
            return self.source(value, "")
        if not value.operands:
            return 0
        parts: list[Any] = []
        for operand in value.operands:
            parts.append(self.shadow_of_constant(operand, undef) if isinstance(operand, Instr) else 0)
        return joined(parts)

    # --- values -------------------------------------------------------------------------------------------------------

    def column(self, value: Value) -> list[Any] | None:
        return self.shadows.get(value)

    def set(self, value: Value, lane: int, shadow: Any) -> None:
        column = self.shadows.get(value)
        if column is None:
            if shadow == 0:
                return
            column = [0] * self.preparation.lanes
            self.shadows[value] = column
        column[lane] = shadow

    def clear(self, value: Value, lanes: list[int]) -> None:
        column = self.shadows.get(value)
        if column is not None:
            for lane in lanes:
                column[lane] = 0

    def source_of(self, values: list[Value], lane: int) -> int:
        """The first source in a lane of some values, 0 where they are defined."""
        for value in values:
            column = self.shadows.get(value)
            if column is not None and column[lane]:
                return source_in(column[lane])
        return 0

    def concerns(self, values: list[Value]) -> bool:
        """Whether one of some values has been undefined anywhere."""
        shadows = self.shadows
        return any(value in shadows for value in values)

    # --- memory -------------------------------------------------------------------------------------------------------

    def bytes_of(self, buffer: Buffer) -> dict[int, int]:
        """The bytes that may be anything, to be changed."""
        owner = buffer.owner()
        known = self.buffers.get(owner)
        if known is None:
            known = self.buffers[owner] = {}
        return known

    def has_bytes(self, buffer: Buffer) -> bool:
        return bool(self.buffers.get(buffer.owner()))

    def store_bytes(self, buffer: Buffer, at: int, count: int, number: int, instr: Instr) -> None:
        if not number and not self.buffers.get(buffer.owner()):
            return
        known = self.bytes_of(buffer)
        for byte in range(at, at + count):
            if number:
                known[byte] = number
            else:
                known.pop(byte, None)
        if number:
            self.writers.setdefault(buffer.owner(), {})[number] = instr

    def poison(self, buffer: Buffer, number: int, instr: Instr) -> None:
        """Something was stored at an unknown place in it."""
        self.store_bytes(buffer, 0, 4 * len(buffer.words), number, instr)

    def source_at(self, buffer: Buffer, at: int, count: int) -> int:
        known = self.buffers.get(buffer.owner())
        if known:
            for byte in range(at, at + count):
                number = known.get(byte, 0)
                if number:
                    return number if self.bounds is None else self.whole_at(known, at, count, number)
        return 0

    def whole_at(self, known: dict[int, int], at: int, count: int, number: int) -> int:
        """A set stays one where all of its bytes are read."""
        bound = self.sources[number - 1].bound
        assert self.bounds is not None
        if bound is None:
            return number
        same = 8 * count == bound.form.width and all(known.get(byte, 0) == number for byte in range(at, at + count))
        loose: int = number if same else self.bounds.loosened(number)
        return loose

    def sets(self, buffer: Buffer) -> dict[int, Source]:
        """By byte, what it may be."""
        known = self.buffers.get(buffer.owner())
        return {byte: self.sources[number - 1] for byte, number in known.items()} if known else {}

    def words(self, buffer: Buffer) -> dict[int, Source]:
        """The words of a buffer that may be anything, ascending."""
        known = self.buffers.get(buffer.owner())
        if not known:
            return {}
        words: dict[int, Source] = {}
        for byte in sorted(known):
            words.setdefault(byte >> 2, self.sources[known[byte] - 1])
        return words

    def reach_words(self, name: str, words: dict[int, Source], buffer: Buffer) -> list[Diagnostic]:
        """A diagnostic for each source of what a buffer is left with, but for those that were reported themselves."""
        by_source: dict[Source, list[int]] = {}
        for word, source in words.items():
            by_source.setdefault(source, []).append(word)
        diagnostics: list[Diagnostic] = []
        for source, held in by_source.items():
            findings = self.faults.findings
            if (UNDEFINED_RESULT, source.instr) in findings or (UNWRITTEN, source.instr) in findings:
                continue
            writer = self.writers.get(buffer.owner(), {}).get(self.sources.index(source) + 1)
            place = place_of(writer, self.module) if writer is not None else source.place
            verb = "is" if len(held) == 1 else "are"
            message = f"{numbers_text(held)} of {name} {verb} undefined"
            diagnostics.append(Diagnostic(REACHED, message, place, WARNING, [note_of(source)]))
        return diagnostics

    # --- what is reported ---------------------------------------------------------------------------------------------

    def report(self, instr: Instr, lane: int, message: str) -> None:
        """An undefined result."""
        self.faults.add(UNDEFINED_RESULT, instr, lane, message)

    def reach(self, kind: str, at: Instr, place: Place, number: int, lane: int) -> None:
        reached = self.reached.get((kind, at, number))
        if reached is None:
            reached = Reached(kind, at, self.sources[number - 1], place)
            self.reached[kind, at, number] = reached
        reached.lanes[self.faults.group, lane] = None

    def reach_instr(self, kind: str, instr: Instr, number: int, lane: int) -> None:
        self.reach(kind, instr, place_of(instr, self.module), number, lane)

    def branch(self, value: Value, lanes: list[int], block: Block) -> None:
        """Lanes part by a value at the end of a block."""
        column = self.shadows.get(value)
        if column is not None and isinstance(value, Instr):
            place = place_of_jump(block, self.module)
            for lane in lanes:
                number = source_in(column[lane])
                if number:
                    self.reach(BRANCH, value, place, number, lane)

    def diagnostics(self) -> list[Diagnostic]:
        """One for each place that undefined values arrived at, and each source of those."""
        diagnostics: list[Diagnostic] = []
        for reached in self.reached.values():
            where = self.faults.lanes_text(list(reached.lanes))
            diagnostics.append(
                Diagnostic(
                    REACHED,
                    f"{reached.message()} ({where})",
                    reached.place,
                    WARNING,
                    [note_of(reached.source)],
                    HELPS.get(reached.kind, ""),
                )
            )
        return diagnostics


def note_of(source: Source) -> Note:
    return Note(f"it comes from {source.text()}", source.place)


def component(shadow: Any, index: int, is_vector: bool) -> Any:
    """That of the component which an operation on components works on."""
    return part_of(shadow, index) if is_vector else shadow
