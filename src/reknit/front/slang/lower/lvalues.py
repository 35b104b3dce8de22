"""What can be loaded and, mostly, stored: places are followed without loading, and loaded where a value is needed.

    v.field[i].xy = e       Memory(v) .field(0) .element(i) .swizzle([0, 1]) .store(e)
                            ->  %p = AccessChain %v 0 %i ; two stores of components

    Memory      a pointer and indices into what it points to; `rule` is the layout where that is a buffer's
    Computed    a value that stands nowhere
    Swizzled    components of another place
    Payload     what an existential holds: stored by making a new existential with the same table
    Accessors   a property: loaded and stored by calls

Places of opaque objects are in `resource_places`.
"""

from typing import Final

from reknit.front.slang.builtins import stored
from reknit.front.slang.builtins.shapes import constant, count_of, has_none, row_type
from reknit.front.slang.lower.state import Lowering
from reknit.front.slang.types import ArrayType, MatrixType, OpenedType, Type, VectorType
from reknit.ir import enums, op
from reknit.ir.constants import as_int, bool_constant
from reknit.ir.dispatch import witness_table_type
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import storage_of
from reknit.ir.value import Value

VALUE: Final = ""
"""The rule of memory that isn't a buffer's: values as they are."""


class Place:
    """`type` has no generic parameters left."""

    __slots__ = ("type",)

    def __init__(self, type: Type) -> None:
        self.type = type

    def load(self, low: Lowering) -> Value:
        raise AssertionError(f"a {type(self).__name__} has no value")

    def store(self, low: Lowering, value: Value) -> None:
        raise AssertionError(f"nothing can be stored in a {type(self).__name__}")

    def field(self, low: Lowering, index: int, type: Type) -> "Place":
        return Computed(type, low.extract(low.ir_type(type), self.load(low), index))

    def element(self, low: Lowering, index: Value, type: Type) -> "Place":
        """Of an array, vector or matrix: read only, unless the kind of place says otherwise."""
        if has_none(self.type):
            return Computed(type, low.undefined(type))
        known = as_int(index)
        value = self.load(low)
        if isinstance(self.type, VectorType) and count_of(self.type) == 1:
            return Computed(type, value)
        if known is not None:
            return Computed(type, low.extract(low.ir_type(type), value, known))
        if isinstance(self.type, VectorType):
            return Computed(type, low.emit(op.VectorExtractDynamic, low.ir_type(type), [value, index]))
        return spilled(low, self.type, value).element(low, index, type)


class Computed(Place):
    __slots__ = ("value",)

    def __init__(self, type: Type, value: Value) -> None:
        super().__init__(type)
        self.value = value

    def load(self, low: Lowering) -> Value:
        return self.value

    def store(self, low: Lowering, value: Value) -> None:
        """What a mutating method makes of a value that stands nowhere is seen by this expression alone."""
        self.value = value


class Memory(Place):
    """`base` is a pointer; `indices` lead on from it."""

    __slots__ = ("base", "indices", "rule")

    def __init__(self, type: Type, base: Value, indices: list[Value], rule: str = VALUE) -> None:
        super().__init__(type)
        self.base = base
        self.indices = indices
        self.rule = rule

    def storage(self) -> int:
        assert isinstance(self.base, Instr) and self.base.type is not None
        return storage_of(self.base.type)

    def pointer(self, low: Lowering) -> Value:
        if not self.indices:
            return self.base
        pointee = low.ir_type(self.type) if self.rule == VALUE else stored.stored_type(low, self.type, self.rule)
        operands: list[Operand] = [self.base]
        operands.extend(self.indices)
        return low.emit(op.AccessChain, low.pointer(self.storage(), pointee), operands)

    def load(self, low: Lowering) -> Value:
        if self.rule == VALUE:
            return low.emit(op.Load, low.ir_type(self.type), [self.pointer(low)])
        return stored.load(low, self.type, self.pointer(low), self.rule)

    def store(self, low: Lowering, value: Value) -> None:
        if self.rule == VALUE:
            low.effect(op.Store, [self.pointer(low), value])
        else:
            stored.store(low, self.type, self.pointer(low), value, self.rule)

    def field(self, low: Lowering, index: int, type: Type) -> Place:
        return Memory(type, self.base, [*self.indices, low.word(index)], self.rule)

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        own = self.type
        if has_none(own):
            return Computed(type, low.undefined(type))
        if isinstance(own, VectorType) and count_of(own) == 1:
            return Memory(type, self.base, self.indices, self.rule)
        if isinstance(own, MatrixType) and self.rule != VALUE and not own.row_major:
            return ColumnRow(type, self, index)
        return Memory(type, self.base, [*self.indices, index], self.rule)


class ColumnRow(Place):
    """A row of a matrix that lies in memory column by column."""

    __slots__ = ("matrix", "row")

    def __init__(self, type: Type, matrix: Memory, row: Value) -> None:
        super().__init__(type)
        self.matrix = matrix
        self.row = row

    def load(self, low: Lowering) -> Value:
        return Computed(self.matrix.type, self.matrix.load(low)).element(low, self.row, self.type).load(low)

    def store(self, low: Lowering, value: Value) -> None:
        for column in range(count_of(self.type)):
            part = low.extract(low.ir_type(_element(self.type)), value, column)
            self._component(low.word(column)).store(low, part)

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        return self._component(index)

    def _component(self, column: Value) -> Memory:
        """Columns of one component are numbers."""
        matrix = self.matrix
        assert isinstance(matrix.type, MatrixType)
        row = [self.row] if constant(matrix.type.rows) > 1 else []
        return Memory(_element(self.type), matrix.base, [*matrix.indices, column, *row], matrix.rule)


def _element(type: Type) -> Type:
    assert isinstance(type, (VectorType, MatrixType, ArrayType))
    return type.element


class Swizzled(Place):
    """`indices` are components of `base`, a vector; of a matrix row * 4 + column."""

    __slots__ = ("base", "indices")

    def __init__(self, type: Type, base: Place, indices: list[int]) -> None:
        super().__init__(type)
        self.base = base
        self.indices = indices

    def load(self, low: Lowering) -> Value:
        own = self.base.type
        if isinstance(own, MatrixType):
            matrix = self.base.load(low)
            parts: list[Value] = []
            row_of = low.ir_type(row_type(own))
            single = low.ir_type(own.element)
            for index in self.indices:
                row = low.extract(row_of, matrix, index >> 2)
                parts.append(row if row_of is single else low.extract(single, row, index & 3))
            return parts[0] if len(parts) == 1 else low.composite(low.ir_type(self.type), parts)
        if len(self.indices) == 1:
            return component(low, self.base, self.indices[0]).load(low)
        value = self.base.load(low)
        type = low.ir_type(self.type)
        if not isinstance(own, VectorType) or count_of(own) == 1:
            return low.composite(type, [value] * len(self.indices))
        return low.emit(op.VectorShuffle, type, [value, value, *self.indices])

    def store(self, low: Lowering, value: Value) -> None:
        if isinstance(self.base, (Memory, ColumnRow, Swizzled)):
            for number, place in enumerate(self.components(low)):
                single = low.ir_type(place.type)
                place.store(low, value if len(self.indices) == 1 else low.extract(single, value, number))
            return
        if isinstance(self.base.type, MatrixType):
            changed = spilled(low, self.base.type, self.base.load(low))
            Swizzled(self.type, changed, self.indices).store(low, value)
            self.base.store(low, changed.load(low))
            return
        whole = self.base.load(low)
        single = low.ir_type(_element(self.base.type)) if count_of(self.base.type) > 1 else low.ir_type(self.base.type)
        for number, index in enumerate(self.indices):
            part = value if len(self.indices) == 1 else low.extract(single, value, number)
            if count_of(self.base.type) == 1:
                whole = part
            else:
                whole = low.emit(op.CompositeInsert, low.ir_type(self.base.type), [part, whole, index])
        self.base.store(low, whole)

    def components(self, low: Lowering) -> list[Place]:
        """A place for each of `indices`."""
        own = self.base.type
        if not isinstance(own, MatrixType):
            return [component(low, self.base, index) for index in self.indices]
        row = row_type(own)
        rows = [self.base.element(low, low.word(index >> 2), row) for index in self.indices]
        return [component(low, row, index & 3) for row, index in zip(rows, self.indices, strict=True)]

    def element(self, low: Lowering, index: Value, type: Type) -> Place:
        known = as_int(index)
        if known is not None and known < len(self.indices):
            return Swizzled(type, self.base, [self.indices[known]])
        own = self.base.type
        if isinstance(own, VectorType):
            return self.base.element(low, self._chosen(low, self.indices, index), type)
        if isinstance(own, MatrixType):
            row = self._chosen(low, [each >> 2 for each in self.indices], index)
            column = self._chosen(low, [each & 3 for each in self.indices], index)
            return self.base.element(low, row, row_type(own)).element(low, column, type)
        return super().element(low, index, type)

    def _chosen(self, low: Lowering, indices: list[int], index: Value) -> Value:
        """The one of `indices` that an index which is known only while the shader runs selects."""
        all = low.composite(low.vector(low.u32, len(indices)), [low.word(each) for each in indices])
        return low.emit(op.VectorExtractDynamic, low.u32, [all, index])


def component(low: Lowering, base: Place, index: int) -> Place:
    """A component of a vector; of a scalar itself."""
    type = base.type
    if not isinstance(type, VectorType):
        return base
    if isinstance(base, Swizzled):
        return Swizzled(type.element, base.base, [base.indices[index]])
    if count_of(type) == 1 and not isinstance(base, Memory):
        return Computed(type.element, base.load(low))
    return base.element(low, low.word(index), type.element)


class Payload(Place):
    """What `existential` holds. `extracted` is its value, for a place that is only read; else the place is loaded."""

    __slots__ = ("existential", "table", "extracted")

    def __init__(self, type: OpenedType, existential: Place, table: Value, extracted: Value | None) -> None:
        super().__init__(type)
        self.existential = existential
        self.table = table
        self.extracted = extracted

    def load(self, low: Lowering) -> Value:
        if self.extracted is not None:
            return self.extracted
        return low.emit(op.ExtractExistentialValue, low.ir_type(self.type), [self.existential.load(low)])

    def store(self, low: Lowering, value: Value) -> None:
        existential = low.emit(op.MakeExistential, low.ir_type(self.existential.type), [value, self.table])
        self.existential.store(low, existential)
        self.extracted = None


# ---- variables


def spilled(low: Lowering, type: Type, value: Value) -> Memory:
    """A value in a variable of its own."""
    memory = Memory(type, variable(low, low.ir_type(type), ""), [])
    memory.store(low, value)
    return memory


def variable(low: Lowering, type: Instr, name: str) -> Instr:
    """A variable of the function that is being lowered: first in its first block."""
    pointer = low.pointer(enums.StorageClassFunction, type)
    instr = Instr(op.Variable, pointer, [enums.StorageClassFunction], name)
    low.places.starts[instr] = low.at
    low.add_variable(instr)
    return instr


def table_of(low: Lowering, existential: Value) -> Value:
    """The witness table of an existential's value."""
    assert isinstance(existential, Instr) and existential.type is not None
    type = witness_table_type(low.module, existential.type)
    return low.emit(op.ExtractExistentialWitnessTable, type, [existential])


def truth(low: Lowering, value: bool) -> Value:
    return bool_constant(low.module, value)
