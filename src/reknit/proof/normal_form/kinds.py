"""Types of terms: types that two modules declare alike are one kind.

    u32 and i32                   one kind of 32 bits: signedness is the operation's, never the value's; but what
                                  memory is made of keeps its type
    a vector, a small struct      a kind with parts: values of it are one term a part
    what a witness table tells    an element, a payload, or an existential made of both
    what is decorated otherwise   another kind: layouts distinguish types of memory
    a physical address            one kind, of whatever: what is accessed there says of which type it is
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.any_value import HEADER, interface_sizes
from reknit.ir.dispatch import has_dispatch, tables_of
from reknit.ir.dispatch_sets import EXISTENTIALS, existential_interface
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.value import Value
from reknit.passes.values.identities import flushes_denormals
from reknit.proof.normal_form.decorations import Decorations
from reknit.proof.normal_form.not_decided import NotDecided

MAX_PARTS: Final = 64

BOOL: Final = "bool"
INT: Final = "int"
FLOAT: Final = "float"
OTHER: Final = "other"
ELEMENT: Final = "element"
PAYLOAD: Final = "payload"
EXISTENTIAL: Final = "existential"

_ADDRESS: Final = "address"
_VALUES: Final = "values"

_DYNAMIC: Final = {
    op.TypeWitnessTable: ELEMENT, op.TypeSetTag: ELEMENT, op.TypeElementOfSet: ELEMENT, op.TypeType: ELEMENT,
    op.TypeThis: PAYLOAD, op.TypeAssociated: PAYLOAD, op.TypeUntaggedUnion: PAYLOAD,
    op.TypeInterface: EXISTENTIAL, op.TypeTaggedUnion: EXISTENTIAL,
}  # fmt: skip


@final
class Kind:
    """`parts` are the kinds of the parts of a value that has one term a part; `elements` the kinds of all parts, also
    of those that don't (one for an array); `type` is any type of this kind; `volatile`, `relaxed`: some of its members
    are. `dynamic`: it is an element, a payload or an existential, or has one inside."""

    __slots__ = ("number", "category", "width", "parts", "elements", "type", "leaves", "decorations",
                 "volatile", "relaxed", "dynamic")  # fmt: skip

    def __init__(self, number: int, category: str, width: int, elements: list["Kind"], count: int, type: Instr) -> None:
        self.number = number
        self.category = category
        self.width = width
        self.elements = elements
        self.type = type
        self.decorations = ""
        self.volatile: bool = any(each.volatile for each in elements)
        self.relaxed: bool = any(each.relaxed for each in elements)
        self.dynamic: bool = category in (ELEMENT, PAYLOAD, EXISTENTIAL) or any(each.dynamic for each in elements)
        self.parts: list[Kind] = []
        self.leaves = 1
        if count:
            each_kind = elements if len(elements) == count else [elements[0]] * min(count, MAX_PARTS + 1)
            self.leaves = sum([each.leaves for each in each_kind])
            if self.leaves <= MAX_PARTS:
                self.parts = each_kind

    def element(self, index: int) -> "Kind":
        """The kind of a part. Raises NotDecided: an index into what has no parts, in an invalid module."""
        if not self.elements:
            raise NotDecided("an index into what has no parts", self.type)
        return self.elements[index] if index < len(self.elements) else self.elements[-1]

    def is_bool(self) -> bool:
        return self.category == BOOL

    def is_number(self) -> bool:
        return self.is_integer() or self.category == FLOAT

    def is_integer(self) -> bool:
        return self.category == INT or self.category == BOOL


@final
class Kinds:
    """The kinds of all modules that are compared. `flushes`: in one of them computing makes zeros of denormals;
    `relaxes`: some members are decorated RelaxedPrecision."""

    __slots__ = ("known", "of_type", "all", "layouts", "sizes", "flushes", "relaxes")

    def __init__(self) -> None:
        self.known: dict[tuple[object, ...], Kind] = {}
        self.of_type: dict[Value, Kind] = {}
        self.all: list[Kind] = []
        self.layouts: dict[Value, int] = {}
        self.sizes: dict[Instr, int] = {}
        self.flushes = False
        self.relaxes = False

    def read(self, module: Module, decorations: Decorations) -> None:
        """Types come before what is made of them, but for pointers to types that follow."""
        self.flushes = self.flushes or flushes_denormals(module)
        if has_dispatch(module):
            tables = {type: conforming for type, conforming in tables_of(module).items() if isinstance(type, Instr)}
            self.sizes.update(interface_sizes(tables)[0])
        for instr in module.globals:
            if instr.op == op.TypePointer and instr.word(0) == enums.StorageClassPhysicalStorageBuffer:
                self.of_type[instr] = self._of_parts((_ADDRESS,), [], 0, instr)
        for instr in module.globals:
            if instr.type is None and instr.has_result:
                self._add(instr, decorations)

    def payload(self, instr: Instr) -> Kind:
        assert instr.type is not None
        return self._dynamic(PAYLOAD, instr.type)

    def of(self, type: Instr) -> Kind:
        return self.of_type[type]

    def has(self, type: Value) -> bool:
        return type in self.of_type

    def _forward(self, type: Instr) -> Kind:
        """The kind of a part; of a pointer that is declared further down, one that no other module has."""
        kind = self.of_type.get(type)
        if kind is None:
            kind = self.of_type[type] = Kind(len(self.all), OTHER, 0, [], 0, type)
            self.all.append(kind)
        return kind

    def _add(self, type: Instr, decorations: Decorations) -> None:
        if type in self.of_type:
            return
        if type.op in _DYNAMIC:
            self.of_type[type] = self._dynamic(_DYNAMIC[type.op], type)
            interface = existential_interface(type) if type.op in EXISTENTIALS else None
            if interface in self.sizes:
                self.layouts[type] = self._in_memory(self.sizes[interface]).number
            return
        key: list[object] = [type.op]
        elements: list[Kind] = []
        count = 0
        category = OTHER
        width = 0
        if type.op == op.TypeBool:
            category = BOOL
            width = 1
        elif type.op == op.TypeInt or type.op == op.TypeFloat:
            category = INT if type.op == op.TypeInt else FLOAT
            width = type.word(0)
            key.append(width)
            key.extend([str(word) for word in type.operands[1:]] if category == FLOAT else [])
        else:
            for operand in type.operands:
                key.append(self._shown(operand, decorations))
            if type.op not in (op.TypeFunction, op.TypePointer):
                inside = [each for each in type.operands if isinstance(each, Instr) and each.type is None]
                elements = [self._forward(each) for each in inside]
            key.append(decorations.of(type))
            count = count_of(type)
        if any(each.dynamic for each in elements):
            inside = [each for each in type.operands if isinstance(each, Instr) and each.type is None]
            plain = [self.all[self.layout(each)] for each in inside]
            self.layouts[type] = self._known(tuple(key), category, width, plain, count, type, decorations).number
            key = ["dynamic", *key, *[each.number for each in elements]]
        self.of_type[type] = self._known(tuple(key), category, width, elements, count, type, decorations)

    def _known(
        self, key: tuple[object, ...], category: str, width: int, elements: list[Kind], count: int, type: Instr,
        decorations: Decorations,
    ) -> Kind:  # fmt: skip
        kind = self.known.get(key)
        if kind is None:
            kind = self.known[key] = Kind(len(self.all), category, width, elements, count, type)
            kind.decorations = decorations.of(type)
            volatile = [f"[.{at} {enums.DecorationVolatile}]" for at in range(len(elements))]
            kind.volatile = kind.volatile or any(each in kind.decorations for each in volatile)
            relaxed = [f"[.{at} {enums.DecorationRelaxedPrecision}]" for at in range(len(elements))]
            kind.relaxed = kind.relaxed or any(each in kind.decorations for each in relaxed)
            self.relaxes = self.relaxes or kind.relaxed
            self.all.append(kind)
        return kind

    def layout(self, type: Instr) -> int:
        """The number of the kind that a type is in memory: an existential is a struct of words there."""
        return self.layouts.get(type, self.of_type[type].number)

    def number(self, code: int, width: int) -> Kind:
        """Integers, or floats, of a width."""
        key = (code, width)
        kind = self.known.get(key)
        if kind is None:
            type = Instr(code, None, [width, 0] if code == op.TypeInt else [width])
            kind = self.known[key] = Kind(len(self.all), INT if code == op.TypeInt else FLOAT, width, [], 0, type)
            self.all.append(kind)
        return kind

    def vector(self, part: Kind, count: int) -> Kind:
        shown = (part.number, 0) if part.category == INT else part.number
        key = (op.TypeVector, shown, str(count), "")
        return self._of_parts(key, [part], count, _of_no_module(op.TypeVector, [part.type, count]))

    def _of_parts(self, key: tuple[object, ...], elements: list[Kind], count: int, type: Instr) -> Kind:
        kind = self.known.get(key)
        if kind is None:
            kind = self.known[key] = Kind(len(self.all), OTHER, 0, elements, count, type)
            self.all.append(kind)
        return kind

    def values_of(self, kind: Kind) -> Kind:
        """What is made of any number of values of a kind."""
        return self._of_parts((_VALUES, kind.number), [kind], 0, _of_no_module(op.TypeRuntimeArray, [kind.type]))

    def _in_memory(self, size: int) -> Kind:
        """The struct that an existential with so many bytes of payload is in memory."""
        word = self.number(op.TypeInt, 32)
        parts = [self.vector(word, 2), self.vector(word, 2), *[word] * (size // 4)]
        offsets = [0, 8, *range(HEADER, HEADER + size, 4)]
        layout = [f"[.{at} {enums.DecorationOffset} {offset}]" for at, offset in enumerate(offsets)]
        shown = [parts[0].number, parts[0].number, *[(word.number, 0)] * (size // 4)]
        type = _of_no_module(op.TypeStruct, [part.type for part in parts])
        kind = self._of_parts((op.TypeStruct, *shown, "".join(sorted(layout))), parts, len(parts), type)
        kind.decorations = "".join(sorted(layout))
        return kind

    def _dynamic(self, category: str, type: Instr) -> Kind:
        """An element, a payload, or what is made of both: of whatever set, one kind."""
        kind = self.known.get((category,))
        if kind is None:
            parts = [self._dynamic(each, type) for each in (ELEMENT, PAYLOAD)] if category == EXISTENTIAL else []
            kind = self.known[(category,)] = Kind(len(self.all), category, 0, parts, len(parts), type)
            self.all.append(kind)
        return kind

    def _shown(self, operand: Operand, decorations: Decorations) -> object:
        """An operand of a type, the same for both modules where it surely is the same."""
        if not isinstance(operand, Instr):
            return str(operand)
        kind = self.of_type.get(operand)
        if kind is not None:
            return (kind.number, operand.word(1)) if operand.op == op.TypeInt else self.layout(operand)
        if operand.op == op.Constant or (operand.op == op.SpecConstant and decorations.of(operand)):
            return f"{operand.op} {operand.operands} {decorations.of(operand)}"
        return operand  # itself alone


def _of_no_module(code: int, operands: list[Operand]) -> Instr:
    """A type that is not among the users of what it is made of."""
    type = Instr(code, None, [])
    type.operands = operands
    return type


def count_of(type: Instr) -> int:
    """How many parts a value of this type is made of; 0 for what isn't split."""
    if type.op == op.TypeStruct:
        return len(type.operands)
    if type.op == op.TypeVector or type.op == op.TypeMatrix:
        return type.word(1)
    if type.op == op.TypeArray and type.instr(1).op == op.Constant:
        return type.instr(1).word(0)
    return 0
