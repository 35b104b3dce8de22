"""What a value of the simulator is: bits, and a shape that says what the bits mean.

    shape                 value
    bool                  0 or 1
    int, float (width)    the bits as an int in [0, 2^width)     -1 : i8 is 0xff, 1.0 : f32 is 0x3f800000
    vector, array, struct a tuple of values
    matrix                a tuple of its columns
    pointer               whatever the memory puts there; one that is an address: an int
    table, type           the instruction itself; what is looked up: see `sim.existential`
    image, sampler        what the run bound: see `sim.images`
    payload               a value of some type, as it is
    existential           (table, payload)
    union                 (type, value)

Signedness belongs to the opcode that reads a value (SPIR-V 1.6, 2.2.1), so a shape only carries it for printing.
"""

from typing import Any, Final, final

from reknit.ir.instr import Instr

VOID_KIND: Final = 0
BOOL_KIND: Final = 1
INT_KIND: Final = 2
FLOAT_KIND: Final = 3
VECTOR_KIND: Final = 4
MATRIX_KIND: Final = 5
ARRAY_KIND: Final = 6
STRUCT_KIND: Final = 7
POINTER_KIND: Final = 8
OPAQUE_KIND: Final = 9  # a witness table, a type, an image, a sampler
PAYLOAD_KIND: Final = 10
EXISTENTIAL_KIND: Final = 11
UNION_KIND: Final = 12


@final
class Shape:
    """A type, as far as computing with its values needs it.

    `width` is in bits and is that of the scalar (bool: 1); `count` is how many components, columns, elements or members
    there are (a run-time array: 0); `element` is the component, column, element or pointee; `members` are a struct's;
    `type` is an existential's interface. `starts` are how many scalars lie before each member of a struct, and in all
    of it, once that was asked (`shadow/shapes.py`).
    """

    __slots__ = ("kind", "width", "signed", "count", "element", "members", "type", "starts")

    def __init__(
        self,
        kind: int,
        width: int = 0,
        signed: bool = False,
        count: int = 0,
        element: "Shape | None" = None,
        members: "list[Shape] | None" = None,
        type: Instr | None = None,
    ) -> None:
        self.kind = kind
        self.width = width
        self.signed = signed
        self.count = count
        self.element = element
        self.members: list[Shape] = members if members is not None else []
        self.type = type
        self.starts: list[int] = []

    def component(self) -> "Shape":
        """The scalar a vector or matrix is made of; any other shape itself."""
        shape = self
        while (shape.kind == VECTOR_KIND or shape.kind == MATRIX_KIND) and shape.element is not None:
            shape = shape.element
        return shape

    def is_scalar(self) -> bool:
        return self.kind == BOOL_KIND or self.kind == INT_KIND or self.kind == FLOAT_KIND

    def is_word(self) -> bool:
        """Whether a register holds such values."""
        return self.is_scalar() and self.width <= 32

    def __str__(self) -> str:
        if self.kind == INT_KIND:
            return f"{'i' if self.signed else 'u'}{self.width}"
        if self.kind == FLOAT_KIND:
            return f"f{self.width}"
        if self.kind == VECTOR_KIND:
            return f"vec{self.count}<{self.element}>"
        if self.kind == MATRIX_KIND:
            return f"mat{self.count}<{self.element}>"
        if self.kind == ARRAY_KIND:
            return f"array<{self.element}, {self.count}>"
        if self.kind == STRUCT_KIND:
            return f"struct<{', '.join([str(member) for member in self.members])}>"
        if self.kind == POINTER_KIND:
            return f"ptr<{self.element}>"
        return _OTHERS.get(self.kind, "void")


_OTHERS: Final = {
    BOOL_KIND: "bool",
    OPAQUE_KIND: "table",
    PAYLOAD_KIND: "payload",
    EXISTENTIAL_KIND: "existential",
    UNION_KIND: "union",
}

VOID: Final = Shape(VOID_KIND)
BOOL: Final = Shape(BOOL_KIND, 1)
I8: Final = Shape(INT_KIND, 8, True)
I16: Final = Shape(INT_KIND, 16, True)
I32: Final = Shape(INT_KIND, 32, True)
U8: Final = Shape(INT_KIND, 8)
U16: Final = Shape(INT_KIND, 16)
U32: Final = Shape(INT_KIND, 32)
U64: Final = Shape(INT_KIND, 64)
F16: Final = Shape(FLOAT_KIND, 16)
F32: Final = Shape(FLOAT_KIND, 32)
F64: Final = Shape(FLOAT_KIND, 64)
OPAQUE: Final = Shape(OPAQUE_KIND)
PAYLOAD: Final = Shape(PAYLOAD_KIND)
UNION: Final = Shape(UNION_KIND)


def vector(element: Shape, count: int) -> Shape:
    return Shape(VECTOR_KIND, element.width, element.signed, count, element)


def matrix(column: Shape, count: int) -> Shape:
    return Shape(MATRIX_KIND, column.width, column.signed, count, column)


def array(element: Shape, count: int) -> Shape:
    return Shape(ARRAY_KIND, 0, False, count, element)


def struct(members: list[Shape]) -> Shape:
    return Shape(STRUCT_KIND, 0, False, len(members), None, members)


def pointer(pointee: Shape | None) -> Shape:
    return Shape(POINTER_KIND, 0, False, 0, pointee)


def null_value(shape: Shape) -> Any:
    """The value of OpConstantNull, also what an undefined value is taken to be. Types nest, but a few levels deep.

    A pointer's null is 0, which no memory hands out.
    """
    if shape.kind == STRUCT_KIND:
        return tuple([null_value(member) for member in shape.members])
    if shape.element is not None and shape.kind != POINTER_KIND:
        return (null_value(shape.element),) * shape.count
    return 0


def to_signed(value: int, width: int) -> int:
    """The two's complement reading of `width` bits."""
    sign = 1 << (width - 1)
    return (value ^ sign) - sign
