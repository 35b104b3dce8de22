"""Where in a type something dynamic is, and what is known of it.

    form of struct { IFoo f; u32 n; IFoo g[2] }      info of a value of it
      parts [EXISTENTIAL, None, [EXISTENTIAL] x 2]     (3, None, (1, 2))

An info is a set of tables (existentials, tables), of types (payloads), or of functions or types as `callables` numbers
them; a tuple of infos for a composite, or None for what has nothing dynamic in it. Elements of an array are
distinguished up to MAX_ELEMENTS, else they are one.
"""

from typing import Final, final

from reknit.analysis.typeflow.callables import NEVER_SET, NOT_KNOWN, Callables
from reknit.analysis.typeflow.type_sets import Universe
from reknit.ir import op
from reknit.ir.constants import as_int
from reknit.ir.dispatch import entry_of
from reknit.ir.instr import Instr

Info = int | tuple[object, ...] | None

EXISTENTIAL: Final = 0
TABLE: Final = 1
PAYLOAD: Final = 2
STRUCT: Final = 3
ARRAY: Final = 4
VALUE: Final = 5  # a callable or a type

MAX_ELEMENTS: Final = 64


@final
class Form:
    """`parts` are those of a struct, None where nothing is dynamic, or the one of an array's elements. `count` is how
    many elements are distinguished."""

    __slots__ = ("kind", "type", "parts", "count")

    def __init__(self, kind: int, type: Instr, parts: "list[Form | None]", count: int) -> None:
        self.kind = kind
        self.type = type
        self.parts = parts
        self.count = count

    def part(self, index: int) -> "Form | None":
        return self.parts[index] if self.kind == STRUCT else self.parts[0]


@final
class Forms:
    """The form of each type, made on first demand."""

    __slots__ = ("universe", "callables", "known")

    def __init__(self, universe: Universe) -> None:
        self.universe = universe
        self.callables = Callables(universe)
        self.known: dict[Instr, Form | None] = {}

    def of(self, type: Instr | None) -> Form | None:
        """Types nest a few levels."""
        if type is None:
            return None
        if type in self.known:
            return self.known[type]
        self.known[type] = None
        form = self._make(type)
        self.known[type] = form
        return form

    def _make(self, type: Instr) -> Form | None:
        code = type.op
        if code == op.TypeInterface:
            return Form(EXISTENTIAL, type, [], 0)
        if code == op.TypeWitnessTable:
            return Form(TABLE, type, [], 0)
        if code in (op.TypeThis, op.TypeAssociated):
            return Form(PAYLOAD, type, [], 0)
        if code in (op.TypeFunction, op.TypeType):
            return Form(VALUE, type, [], 0)
        if code == op.TypeStruct:
            parts = [self.of(type.instr(index)) for index in range(len(type.operands))]
            return Form(STRUCT, type, parts, len(parts)) if any(part is not None for part in parts) else None
        if code in (op.TypeArray, op.TypeRuntimeArray):
            element = self.of(type.instr(0))
            length = as_int(type.value(1)) if code == op.TypeArray else None
            if element is None:
                return None
            return Form(ARRAY, type, [element], length if length is not None and 0 < length <= MAX_ELEMENTS else 1)
        return None

    def pointee(self, type: Instr | None) -> Form | None:
        """The form of what a pointer points to."""
        return self.of(type.instr(1)) if type is not None and type.op == op.TypePointer else None

    def fill(self, form: Form | None, wanted: int) -> Info:
        """The info with the same kind of set everywhere: see below."""
        if form is None:
            return None
        if form.kind == ARRAY and wanted == UNSET:
            wanted = NOTHING
        if form.kind in (STRUCT, ARRAY):
            return tuple([self.fill(form.part(index), wanted) for index in range(form.count)])
        if wanted == NOTHING:
            return 0
        if form.kind == VALUE:
            return NEVER_SET if wanted == UNSET else NOT_KNOWN
        interface = self.universe.of(form.type)
        if form.kind == PAYLOAD:
            if wanted in (UNSET, EACH_UNSET):
                return 0
            if form.type.op == op.TypeAssociated:
                return self.associated(form.type)
            return self.universe.types_of(interface, interface.everything)
        if wanted in (UNSET, EACH_UNSET):
            return interface.unset
        tables = interface.outside | (interface.everything if wanted == EVERYTHING else 0)
        return tables | (interface.none if form.kind == EXISTENTIAL else 0)

    def associated(self, type: Instr) -> int:
        """All types that tables have for an associated type."""
        types = 0
        for table in self.universe.of(type).tables:
            entry = entry_of(table, type.value(0))
            if isinstance(entry, Instr):
                types |= self.universe.type_bit(entry)
        return types


NOTHING: Final = 0  # no path to it is known
UNSET: Final = 1  # never set; nothing where it is in an array: which elements a loop fills isn't known
EACH_UNSET: Final = 4  # never set, elements of arrays too
EVERYTHING: Final = 2  # any table of the program, or none
OUTSIDE: Final = 3  # any table with a sequential id, or none: what comes from outside


def join(first: Info, second: Info) -> Info:
    """What is known where both may come. Costs the parts that differ."""
    if first is second or second is None:
        return first
    if first is None:
        return second
    if isinstance(first, int) and isinstance(second, int):
        return first | second
    assert isinstance(first, tuple) and isinstance(second, tuple)
    if first == second:
        return first
    return tuple([join(_info(a), _info(b)) for a, b in zip(first, second, strict=True)])


def _info(part: object) -> Info:
    assert part is None or isinstance(part, (int, tuple))
    return part


def part_of(info: Info, index: int) -> Info:
    return _info(info[index]) if isinstance(info, tuple) else info


def read(form: Form | None, info: Info, path: list[int]) -> Info:
    """What is known at a path; an index of -1 may be any."""
    for depth, index in enumerate(path):
        if form is None or not isinstance(info, tuple):
            return None
        if form.kind == ARRAY and (index < 0 or form.count == 1):
            joined: Info = None
            for element in range(form.count):
                joined = join(joined, read(form.part(0), part_of(info, element), path[depth + 1 :]))
            return joined
        if not 0 <= index < form.count:
            return None
        info = part_of(info, index)
        form = form.part(index)
    return info


def write(form: Form | None, info: Info, path: list[int], new: Info, strong: bool = True) -> Info:
    """What is known after `new` was put at a path: it replaces what was there, where that is one place."""
    if form is None:
        return info
    if not path:
        return new if strong else join(info, new)
    if not isinstance(info, tuple):
        return info
    index = path[0]
    parts: list[object] = list(info)
    if form.kind == ARRAY and (index < 0 or form.count == 1):
        is_single = form.type.op == op.TypeArray and as_int(form.type.value(1)) == 1
        for element in range(form.count):
            parts[element] = write(form.part(0), part_of(info, element), path[1:], new, strong and is_single)
    elif 0 <= index < form.count:
        parts[index] = write(form.part(index), part_of(info, index), path[1:], new, strong)
    return tuple(parts)
