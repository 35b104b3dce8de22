"""The same bits as another type, word by word where it isn't one instruction.

    asuint(f)            Bitcast
    reinterpret<B>(a)    a's numbers in words of 32 bits, by the natural layout; B's numbers from them, or zeros

Natural: each part is aligned, and what follows a struct begins where its last member ends.
"""

from typing import Final, final

from reknit.front.slang import hir
from reknit.front.slang.builtins.shapes import constant, row_type, scalar_of
from reknit.front.slang.hir import Expr
from reknit.front.slang.lower.body import Body, Handlers
from reknit.front.slang.lower.operators import as_number, bits, convert, is_number
from reknit.front.slang.lower.pointers import alike
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.types import (
    BOOL,
    UINT,
    UINT8,
    UINT16,
    ArrayType,
    ConstType,
    MatrixType,
    OptionalType,
    PointerType,
    StructType,
    TupleType,
    Type,
    VectorType,
    same,
)
from reknit.ir import op
from reknit.ir.instr import Instr
from reknit.ir.value import Value

NARROW: Final = {8: UINT8, 16: UINT16}


def _compare(low: Lowering, given: Type, wanted: Type, at: int) -> None:
    if not alike(low, given, wanted):
        low.refuse(at, f"a pointer to '{given}' can't be taken as one to '{wanted}'")


def reinterpret(body: Body, expr: Expr) -> Value:
    assert isinstance(expr, hir.Reinterpret)
    given, wanted = body.type_of(expr.value), body.type_of(expr)
    source, target = as_number(given), as_number(wanted)
    low = body.low
    if isinstance(given, PointerType) and isinstance(wanted, PointerType) and not low.addresses:
        _compare(low, given.element, wanted.element, expr.at)
    value = body.value(expr.value)
    if same(source, target):
        return value
    if bits(source) and bits(source) == bits(target):
        ir_type = low.ir_type(target)
        return value if ir_type is low.ir_type(source) else low.emit(op.Bitcast, ir_type, [value])
    words = Words(body)
    words.take(source, value)
    words.at = 0
    return words.give(target)


@final
class Words:
    """Words of 32 bits, by their number; `at` is the byte that comes next."""

    def __init__(self, body: Body) -> None:
        self.low = body.low
        self.words: dict[int, Value] = {}
        self.at = 0

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

    def alignment(self, type: Type) -> int:
        parts = self.parts(type)
        if parts or not is_number(type):
            return max([self.alignment(part) for part in parts], default=1)
        scalar = scalar_of(type)
        return 4 if scalar.kind == "bool" else scalar.width // 8

    def align(self, to: int) -> None:
        self.at = -(-self.at // to) * to

    # ---- in

    def take(self, type: Type, value: Value) -> None:
        """The bits of `value` after those that are there."""
        low = self.low
        parts = self.parts(type)
        self.align(self.alignment(type))
        if len(parts) == 1 and low.ir_type(parts[0]) is low.ir_type(type):
            self.take(parts[0], value)
        elif parts or not is_number(type):
            if not parts and not isinstance(type, (StructType, TupleType)):
                low.refuse(0, f"the bits of '{type}' can't be taken as another type's")
            for index, part in enumerate(parts):
                self.take(part, low.extract(low.ir_type(part), value, index))
        else:
            self.take_scalar(type, value)

    def take_scalar(self, type: Type, value: Value) -> None:
        low = self.low
        scalar = scalar_of(type)
        if scalar.kind == "bool":
            self.put(convert(low, BOOL, UINT, value), 32)
        elif scalar.width == 32:
            self.put(self.cast(UINT, value), 32)
        elif scalar.width == 64:
            both = self.cast(VectorType(UINT, ConstType(2)), value)
            self.put(low.extract(low.u32, both, 0), 32)
            self.put(low.extract(low.u32, both, 1), 32)
        else:
            unsigned = NARROW[scalar.width]
            self.put(convert(low, unsigned, UINT, self.cast(unsigned, value)), scalar.width)

    def cast(self, type: Type, value: Value) -> Value:
        ir_type = self.low.ir_type(type)
        if isinstance(value, Instr) and value.type is ir_type:
            return value
        return self.low.emit(op.Bitcast, ir_type, [value])

    def put(self, word: Value, width: int) -> None:
        """The lowest bits of `word`; the others are 0."""
        low = self.low
        index, shift = divmod(self.at * 8, 32)
        if shift:
            word = low.emit(op.ShiftLeftLogical, low.u32, [word, low.word(shift)])
        have = self.words.get(index)
        self.words[index] = word if have is None else low.emit(op.BitwiseOr, low.u32, [have, word])
        self.at += width // 8

    # ---- out

    def give(self, type: Type) -> Value:
        """A value of the next bits."""
        low = self.low
        ir_type = low.ir_type(type)
        parts = self.parts(type)
        self.align(self.alignment(type))
        if len(parts) == 1 and low.ir_type(parts[0]) is ir_type:
            return self.give(parts[0])
        if parts or isinstance(type, (StructType, TupleType)):
            return low.composite(ir_type, [self.give(part) for part in parts])
        if not is_number(type):
            low.refuse(0, f"the bits of a value can't be taken as '{type}'")
            return low.undefined(type)
        return self.give_scalar(type)

    def give_scalar(self, type: Type) -> Value:
        low = self.low
        scalar = scalar_of(type)
        if scalar.kind == "bool":
            return convert(low, UINT, BOOL, self.get(32))
        if scalar.width == 32:
            return self.cast(type, self.get(32))
        if scalar.width == 64:
            both = low.composite(low.vector(low.u32, 2), [self.get(32), self.get(32)])
            return self.cast(type, both)
        unsigned = NARROW[scalar.width]
        return self.cast(type, convert(low, UINT, unsigned, self.get(scalar.width)))

    def get(self, width: int) -> Value:
        low = self.low
        index, shift = divmod(self.at * 8, 32)
        self.at += width // 8
        word = self.words.get(index, low.word(0))
        return low.emit(op.ShiftRightLogical, low.u32, [word, low.word(shift)]) if shift else word


def register(handlers: Handlers) -> None:
    handlers.values[hir.Reinterpret] = reinterpret
