"""The same bits as another type, word by word where it isn't one instruction.

    asuint(f)            Bitcast
    reinterpret<B>(a)    a's numbers as 32-bit words, in order; B's numbers from them; words that a lacks are 0
"""

from reknit.front.slang import hir
from reknit.front.slang.builtins.shapes import constant, count_of, row_type, scalar_of
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Handlers
from reknit.front.slang.lower.operators import convert, is_number
from reknit.front.slang.types import (
    BOOL,
    UINT,
    ArrayType,
    ConstType,
    MatrixType,
    OptionalType,
    StructType,
    TupleType,
    Type,
    VectorType,
    same,
)
from reknit.ir import op
from reknit.ir.value import Value


def reinterpret(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.Reinterpret)
    source = body.type_of(expr.value)
    target = body.type_of(expr)
    value = body.value(expr.value)
    low = body.low
    if same(source, target):
        return value
    if bits(source) and bits(source) == bits(target):
        made = low.ir_type(target)
        return value if made is low.ir_type(source) else low.emit(op.Bitcast, made, [value])
    words = Words(body)
    words.take(source, value)
    return words.give(target)


def bits(type: Type) -> int:
    """Of a scalar or vector without bools, else 0."""
    if not is_number(type) or isinstance(type, MatrixType) or scalar_of(type).kind == "bool":
        return 0
    return scalar_of(type).width * count_of(type)


class Words:
    """Words of 32 bits, put in and taken out in order."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.low = body.low
        self.words: list[Value] = []
        self.next = 0

    def parts(self, type: Type) -> list[Type]:
        if isinstance(type, VectorType):
            return [type.element] * constant(type.count)
        if isinstance(type, MatrixType):
            return [row_type(type)] * constant(type.rows)
        if isinstance(type, ArrayType) and type.count is not None:
            return [type.element] * constant(type.count)
        if isinstance(type, OptionalType):
            return [type.element, BOOL]
        if isinstance(type, (StructType, TupleType)):
            return self.low.field_types(type)
        return []

    def take(self, type: Type, value: Value) -> None:
        """The words of `value` to the end."""
        low = self.low
        parts = self.parts(type)
        if len(parts) == 1 and low.ir_type(parts[0]) is low.ir_type(type):
            self.take(parts[0], value)
            return
        if parts or not is_number(type):
            if not parts and not isinstance(type, (StructType, TupleType)):
                low.refuse(0, f"the bits of '{type}' can't be taken as another type's")
            for index, part in enumerate(parts):
                self.take(part, low.extract(low.ir_type(part), value, index))
            return
        scalar = scalar_of(type)
        if scalar.kind == "bool":
            self.words.append(convert(low, BOOL, UINT, value))
        elif scalar.width == 32:
            self.words.append(self._cast(UINT, value))
        elif scalar.width == 64:
            pair = VectorType(UINT, ConstType(2))
            both = self._cast(pair, value)
            self.words.extend([low.extract(low.u32, both, index) for index in range(2)])
        else:
            low.refuse(0, f"the bits of '{type}' can't be taken as another type's")

    def _cast(self, type: Type, value: Value) -> Value:
        made = self.low.ir_type(type)
        return self.low.emit(op.Bitcast, made, [value])

    def word(self) -> Value:
        index = self.next
        self.next += 1
        return self.words[index] if index < len(self.words) else self.low.word(0)

    def give(self, type: Type) -> Value:
        """A value of the next words."""
        low = self.low
        made = low.ir_type(type)
        parts = self.parts(type)
        if len(parts) == 1 and low.ir_type(parts[0]) is made:
            return self.give(parts[0])
        if parts or isinstance(type, (StructType, TupleType)):
            return low.composite(made, [self.give(part) for part in parts])
        if not is_number(type):
            low.refuse(0, f"the bits of a value can't be taken as '{type}'")
            return low.undefined(type)
        scalar = scalar_of(type)
        if scalar.kind == "bool":
            return convert(low, UINT, BOOL, self.word())
        if scalar.width == 32:
            word = self.word()
            return word if made is low.u32 else low.emit(op.Bitcast, made, [word])
        if scalar.width == 64:
            both = low.composite(low.vector(low.u32, 2), [self.word(), self.word()])
            return low.emit(op.Bitcast, made, [both])
        low.refuse(0, f"the bits of a value can't be taken as '{type}'")
        return low.undefined(type)


def register(handlers: Handlers) -> None:
    handlers.values[hir.Reinterpret] = reinterpret
