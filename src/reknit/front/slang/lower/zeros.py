"""What `{}` is: every component 0, and no value in an existential.

    struct { int n; Optional<IFoo> f; }      ->  {0, ExistentialNone}
    Optional<struct { IFoo f; }>             ->  {{ExistentialNone}, false}: it may not be read

A type without existentials in it has one constant for that.
"""

from typing import Final

from reknit.front.slang.builtins.shapes import constant
from reknit.front.slang.builtins.stored import parts_within
from reknit.front.slang.lower.body import Body
from reknit.front.slang.lower.lvalues import truth
from reknit.front.slang.types import (
    ArrayType,
    EnumType,
    InterfaceType,
    MatrixType,
    OptionalType,
    PointerType,
    ScalarType,
    StructType,
    TupleType,
    Type,
    VectorType,
)
from reknit.ir import op
from reknit.ir.value import Value

PLAIN: Final = (
    ScalarType, VectorType, MatrixType, EnumType, PointerType, ArrayType, OptionalType, StructType, TupleType,
)  # fmt: skip


def zero_of(body: Body, type: Type, guarded: bool = False) -> Value:
    """Every component 0. Nothing is in an existential; in one that is `guarded` by an Optional, there is none."""
    return _zero(body, type, guarded, {})


def _zero(body: Body, type: Type, guarded: bool, known: dict[tuple[str, bool], Value]) -> Value:
    """`known` are those of parts that were met before: a type may have one as often as two to its depth."""
    value = known.get((type.key, guarded))
    if value is None:
        value = known[(type.key, guarded)] = _new_zero(body, type, guarded, known)
    return value


def _new_zero(body: Body, type: Type, guarded: bool, known: dict[tuple[str, bool], Value]) -> Value:
    low = body.low
    of_interface = isinstance(type.element if isinstance(type, OptionalType) else type, InterfaceType)
    if of_interface and (guarded or isinstance(type, OptionalType)):
        return low.emit(op.ExistentialNone, low.ir_type(type), [])
    if not holds_existential(body, type):
        return low.zero(low.ir_type(type))
    if isinstance(type, OptionalType):
        return low.composite(low.ir_type(type), [_zero(body, type.element, True, known), truth(low, False)])
    if isinstance(type, ArrayType) and type.count is not None:
        return low.composite(low.ir_type(type), [_zero(body, type.element, guarded, known)] * constant(type.count))
    if isinstance(type, (StructType, TupleType)):
        fields = [_zero(body, field_type, guarded, known) for field_type in low.field_types(type)]
        return low.composite(low.ir_type(type), fields)
    return low.undefined(type)


def holds_existential(body: Body, type: Type) -> bool:
    return not all(isinstance(part, PLAIN) for part in parts_within(body.low, type))
