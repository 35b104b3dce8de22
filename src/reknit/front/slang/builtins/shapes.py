"""Scalars, vectors and matrices as one thing: an element type in a shape.

    float3x4     element FLOAT, Shape(3, 4)           T           element T, Shape() (an opaque scalar)
    vector<T,N>  element T, Shape(columns=N)          an enum     element: its underlying integer

`join` finds the type that HLSL computes with: the element of highest rank in the one shape that isn't a scalar.
"""

from typing import final

from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.types import (
    FLOAT,
    INT,
    ArrayType,
    AssocType,
    ConstType,
    EnumType,
    MatrixType,
    OpenedType,
    ParamType,
    ScalarType,
    ThisType,
    Type,
    VectorType,
    same,
)
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.types import is_float


@final
class Shape:
    """`rows` None: a vector; both None: a scalar."""

    __slots__ = ("rows", "columns", "row_major")

    def __init__(self, rows: Type | None = None, columns: Type | None = None, row_major: bool = True) -> None:
        self.rows = rows
        self.columns = columns
        self.row_major = row_major

    def is_scalar(self) -> bool:
        return self.columns is None

    def of(self, element: Type) -> Type:
        if self.columns is None:
            return element
        if self.rows is None:
            return VectorType(element, self.columns)
        return MatrixType(element, self.rows, self.columns, self.row_major)

    def fits(self, other: "Shape") -> bool:
        return _same_count(self.rows, other.rows) and _same_count(self.columns, other.columns)


def _same_count(a: Type | None, b: Type | None) -> bool:
    return a is b if a is None or b is None else same(a, b)


def is_opaque(type: Type) -> bool:
    """A type that only generic arguments decide."""
    return isinstance(type, (ParamType, AssocType, OpenedType, ThisType))


def element(type: Type) -> Type | None:
    """Of a scalar, an enum or an opaque type the type itself (an enum's underlying one); None: not a number."""
    if isinstance(type, (VectorType, MatrixType)):
        return type.element
    if isinstance(type, EnumType):
        return type.enum.underlying
    if isinstance(type, ScalarType):
        return None if type.kind == "void" else type
    return type if is_opaque(type) else None


def shape(type: Type) -> Shape:
    if isinstance(type, VectorType):
        return Shape(None, type.count)
    if isinstance(type, MatrixType):
        return Shape(type.rows, type.columns, type.row_major)
    return Shape()


def accept(type: Type, kinds: str) -> Type | None:
    """The element type that a function of `kinds` computes with: "f" floats, "i" integers, "n" both, "a" bools too, "l"
    integers and bools, "b" bools. None: there is none."""
    if not isinstance(type, ScalarType) or kinds == "a":
        return type
    if kinds == "f":
        return type if type.kind == "float" else FLOAT
    if kinds in ("i", "l") and type.kind == "float":
        return None
    if kinds == "l":
        return type
    if kinds == "b":
        return type if type.kind == "bool" else None
    return INT if type.kind == "bool" else type


def join_elements(elements: list[Type]) -> Type | None:
    """Opaque types win over scalars, which convert to them; two different opaque ones don't join."""
    best: Type | None = None
    for candidate in elements:
        if best is None:
            best = candidate
        elif is_opaque(best):
            if is_opaque(candidate) and not same(best, candidate):
                return None
        elif is_opaque(candidate) or _rank(candidate) > _rank(best):
            best = candidate
    return best


def _rank(type: Type) -> int:
    return type.rank if isinstance(type, ScalarType) else -1


def join_shapes(types: list[Type]) -> Shape | None:
    joined = Shape()
    for type in types:
        own = shape(type)
        if own.is_scalar():
            continue
        if not joined.is_scalar() and not joined.fits(own):
            return None
        joined = own
    return joined


def join(types: list[Type], kinds: str) -> Type | None:
    elements: list[Type] = []
    for type in types:
        own = element(type)
        if own is None:
            return None
        elements.append(own)
    joined = join_elements(elements)
    accepted = None if joined is None else accept(joined, kinds)
    common = join_shapes(types)
    return None if accepted is None or common is None else common.of(accepted)


# ---- of concrete types, for the lowering


def scalar_of(type: Type) -> ScalarType:
    """The element type of a number, concrete. Raises Unsupported for what is none: a struct that conforms to one of the
    language's own interfaces can come here through a generic function."""
    scalar = element(type)
    if not isinstance(scalar, ScalarType):
        raise Unsupported(f"'{type}' is no number, and this function is for numbers only")
    return scalar


def has_none(type: Type) -> bool:
    """Whether it is an array of length 0, which is a struct without members in SPIR-V."""
    return isinstance(type, ArrayType) and isinstance(type.count, ConstType) and type.count.value == 0


def count_of(type: Type) -> int:
    """Components of a scalar or vector."""
    return constant(type.count) if isinstance(type, VectorType) else 1


def constant(type: Type) -> int:
    """A size, which generic arguments may have given."""
    if not isinstance(type, ConstType):
        raise Unsupported(f"{type} is a size and has no value")
    return type.value


def row_type(type: MatrixType) -> Type:
    return VectorType(type.element, type.columns)


def ir_numeric(emitter: Emitter, type: Type) -> Instr:
    """Of bools, enums, scalars, vectors and matrices: see `emitter`."""
    scalar = scalar_of(type)
    if scalar.kind == "bool":
        scalar_type = emitter.boolean
    elif scalar.kind == "float":
        scalar_type = emitter.floating(scalar.width)
    else:
        scalar_type = emitter.integer(scalar.width, scalar.kind == "int")
    if isinstance(type, VectorType):
        return emitter.vector(scalar_type, constant(type.count))
    if isinstance(type, MatrixType):
        rows = constant(type.rows)
        row = emitter.vector(scalar_type, constant(type.columns))
        if is_float(scalar_type) and rows > 1 and row is not scalar_type:
            return emitter.module.intern(op.TypeMatrix, None, [row, rows])
        return emitter.module.intern(op.TypeArray, None, [row, emitter.word(rows)])
    return scalar_type
