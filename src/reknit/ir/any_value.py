"""Where the parts of a value lie when it is packed into words that may hold a value of any of several types.

    struct { f16 a; f32 b; bool c[2] }      a: 2 bytes at 0     b: 4 at 4     c[0]: 4 at 8     c[1]: 4 at 12

Integers and floats are aligned to their size, bools take a word, vectors, matrices and arrays are packed element by
element, a struct begins at and is padded to the largest alignment of its parts. Source: Slang's AnyValue marshalling.
"""

from typing import Final, final

from reknit.ir import op, traits
from reknit.ir.constants import as_int
from reknit.ir.dispatch import NO_ID, sequential_id
from reknit.ir.dispatch_sets import interface_of_union
from reknit.ir.instr import Instr
from reknit.ir.nesting import MAX_DEPTH

MAX_FIELDS: Final = 1 << 16
"""As many scalars has a value that can be packed: a struct of words has at most 16,383 (SPIR-V 1.6, 2.17)."""

HEADER: Final = 16
"""Bytes before the payload of an existential in a buffer: what type it is, and its table's sequential id."""


@final
class Field:
    """A scalar, an existential or the tagged union that stands for one, at `path` in a value of some type: `offset` and
    `size` are in bytes."""

    __slots__ = ("path", "type", "offset", "size")

    def __init__(self, path: tuple[int, ...], type: Instr, offset: int, size: int) -> None:
        self.path = path
        self.type = type
        self.offset = offset
        self.size = size


@final
class AnyLayout:
    """All fields of a type in order; `size` and `align` are its natural ones. `fault` says what can't be packed."""

    __slots__ = ("fields", "size", "align", "fault")

    def __init__(self) -> None:
        self.fields: list[Field] = []
        self.size = 0
        self.align = 1
        self.fault: Instr | None = None

    def words(self) -> int:
        return (self.size + 3) // 4


def any_layout(type: Instr, interface_sizes: dict[Instr, int]) -> AnyLayout:
    """The layout of a type. `interface_sizes` has the payload bytes of interfaces that are stored inside. Costs the
    number of scalars times how deep they are."""
    layout = AnyLayout()
    layout.size = _lay(layout, type, (), 0, interface_sizes)
    layout.align = _align(type)
    return layout


def _lay(layout: AnyLayout, type: Instr, path: tuple[int, ...], at: int, sizes: dict[Instr, int]) -> int:
    """Put the fields of `type` from byte `at` on; gives the byte after them. Recursion ends at MAX_DEPTH."""
    count = part_count(type)
    if len(path) > MAX_DEPTH or len(layout.fields) + count > MAX_FIELDS:
        layout.fault = layout.fault or type
        return at
    if count < 0:
        size = _scalar_size(type, sizes)
        if size == 0:
            layout.fault = layout.fault or type
            return at
        at = _up(at, _align(type))
        layout.fields.append(Field(path, type, at, size))
        return at + size
    align = _align(type)
    is_struct = type.op == op.TypeStruct
    if is_struct:
        at = _up(at, align)
    for index in range(count):
        at = _lay(layout, type.instr(index if is_struct else 0), (*path, index), at, sizes)
    return _up(at, align) if is_struct else at


def part_count(type: Instr) -> int:
    """How many parts a type has, -1 for a scalar or what can't be taken apart."""
    if type.op == op.TypeStruct:
        return len(type.operands)
    if type.op in (op.TypeVector, op.TypeMatrix):
        return type.word(1)
    if type.op == op.TypeArray:
        length = as_int(type.value(1))
        return length if length is not None else -1
    return -1


def _scalar_size(type: Instr, sizes: dict[Instr, int]) -> int:
    if type.op in (op.TypeInt, op.TypeFloat):
        return type.word(0) // 8
    if type.op in (op.TypeBool, op.TypeSetTag):
        return 4
    if type.op == op.TypeInterface:
        return HEADER + sizes.get(type, 0)
    if type.op == op.TypeTaggedUnion:
        return HEADER + sizes.get(interface_of_union(type), 0)
    return 0


def _align(type: Instr) -> int:
    """The alignment of a type: the largest of its scalars."""
    largest = 1
    work = [type]
    seen: dict[Instr, None] = {}
    while work:
        part = work.pop()
        if part in seen:
            continue
        seen[part] = None
        if part.op == op.TypeStruct:
            work.extend([part.instr(index) for index in range(len(part.operands))])
        elif part.op in (op.TypeVector, op.TypeMatrix, op.TypeArray):
            work.append(part.instr(0))
        elif part.op in (op.TypeInt, op.TypeFloat):
            largest = max(largest, part.word(0) // 8)
        else:
            largest = max(largest, 4)
    return largest


def _up(at: int, align: int) -> int:
    return (at + align - 1) // align * align


def interfaces_in(type: Instr) -> list[Instr]:
    """The interfaces that values of `type` have existentials of, or payloads of, each once."""
    interfaces: dict[Instr, None] = {}
    work = [type]
    seen: dict[Instr, None] = {}
    while work:
        part = work.pop()
        if part in seen:
            continue
        seen[part] = None
        if part.op == op.TypeInterface:
            interfaces[part] = None
        elif part.op == op.TypeThis:
            interfaces[part.instr(0)] = None
        elif part.op == op.TypeStruct:
            work.extend([part.instr(index) for index in range(len(part.operands))])
        elif part.op in traits.OF_ELEMENTS:
            work.append(part.instr(0))
    return list(interfaces)


def stored_tables(tables: list[Instr]) -> list[Instr]:
    """Those of an interface whose values may be in public storage: with a number, if any has one."""
    return [table for table in tables if sequential_id(table) != NO_ID] or tables


def interface_sizes(tables: dict[Instr, list[Instr]]) -> tuple[dict[Instr, int], list[Instr]]:
    """Payload bytes of each interface in public storage: what it declares, else the largest of its types. `tables` are
    by interface. Interfaces stored inside their own types have no size: those come second."""
    sizes: dict[Instr, int] = {}
    waiting: dict[Instr, dict[Instr, None]] = {}
    users: dict[Instr, list[Instr]] = {}
    for interface, conforming in tables.items():
        needs: dict[Instr, None] = {}
        if interface.word(1) == 0:
            for table in stored_tables(conforming):
                needs.update(dict.fromkeys(interfaces_in(table.instr(0))))
        waiting[interface] = needs
        for need in needs:
            users.setdefault(need, []).append(interface)
    work = [interface for interface in tables if not waiting[interface]]
    while work:
        interface = work.pop()
        size = interface.word(1)
        if size == 0:
            for table in stored_tables(tables[interface]):
                size = max(size, any_layout(table.instr(0), sizes).size)
        sizes[interface] = _up(size, 4)
        for user in users.get(interface, []):
            del waiting[user][interface]
            if not waiting[user]:
                work.append(user)
    return sizes, [interface for interface in tables if interface not in sizes]
