"""What `{}` is: every component 0, and no value in an existential.

    struct { int n; Optional<IFoo> f; }      ->  {0, ExistentialNone}
    Optional<struct { IFoo f; }>             ->  {{ExistentialNone}, false}: it may not be read

A type without existentials in it has one constant for that.
"""

from reknit.front.slang.builtins.shapes import constant
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


def zero_of(body: Body, type: Type, guarded: bool = False) -> Value:
    """Every component 0. Nothing is in an existential; in one that is `guarded` by an Optional, there is none."""
    low = body.low
    of_interface = isinstance(type.element if isinstance(type, OptionalType) else type, InterfaceType)
    if of_interface and (guarded or isinstance(type, OptionalType)):
        return low.emit(op.ExistentialNone, low.ir_type(type), [])
    if not holds_existential(body, type):
        return low.zero(low.ir_type(type))
    if isinstance(type, OptionalType):
        return low.composite(low.ir_type(type), [zero_of(body, type.element, True), truth(low, False)])
    if isinstance(type, ArrayType) and type.count is not None:
        return low.composite(low.ir_type(type), [zero_of(body, type.element, guarded)] * constant(type.count))
    if isinstance(type, (StructType, TupleType)):
        return low.composite(
            low.ir_type(type), [zero_of(body, field_type, guarded) for field_type in low.field_types(type)]
        )
    return low.undefined(type)


def holds_existential(body: Body, type: Type) -> bool:
    if isinstance(type, InterfaceType):
        return True
    if isinstance(type, (ArrayType, OptionalType)):
        return holds_existential(body, type.element)
    if isinstance(type, (StructType, TupleType)):
        return any(holds_existential(body, field_type) for field_type in body.low.field_types(type))
    return not isinstance(type, (ScalarType, VectorType, MatrixType, EnumType, PointerType))
