"""Values as words and back.

struct { f32 a; u16 b; u16 c; bool d }      bits(a), b | c << 16, d ? 1 : 0
u64                                         low word, high word
f16                                         one of two in the word: 16-bit integers are a capability of their own
"""

from typing import final

from reknit.ir import op
from reknit.ir.any_value import AnyLayout, Field, part_count
from reknit.ir.constants import bool_constant, int_constant, undef
from reknit.ir.instr import Instr, Operand
from reknit.ir.types import bool_type, int_type, vector_type, width_of
from reknit.passes.dispatch.casts import Caster
from reknit.passes.dispatch.layouts import Layouts


@final
class Packer:
    """Emits at its caster. Words are u32 values."""

    __slots__ = ("layouts", "caster", "u32")

    def __init__(self, layouts: Layouts, caster: Caster) -> None:
        self.layouts = layouts
        self.caster = caster
        self.u32 = layouts.u32

    def number(self, value: int) -> Instr:
        return int_constant(self.layouts.module, self.u32, value)

    # --- unions -------------------------------------------------------------------------------------------------------

    def words_of_union(self, value: Instr, union: Instr) -> list[Instr]:
        if not union.operands:
            return []
        only = self.layouts.only_type(union)
        if only is not None:
            return self.pack(value, only)
        count = self.layouts.words(union)
        return [self.caster.emit(op.CompositeExtract, self.u32, [value, index]) for index in range(count)]

    def union_of_words(self, words: list[Instr], union: Instr) -> Instr:
        only = self.layouts.only_type(union)
        if only is not None:
            return self.unpack(words, only)
        count = self.layouts.words(union)
        parts: list[Operand] = [words[index] if index < len(words) else self.number(0) for index in range(count)]
        if not parts:
            return self.number(0)
        return self.caster.emit(op.CompositeConstruct, self.layouts.of(union), parts)

    # --- values -------------------------------------------------------------------------------------------------------

    def pack(self, value: Instr, type: Instr) -> list[Instr]:
        layout: AnyLayout = self.layouts.any(type)
        words = self.empty(layout)
        for field in layout.fields:
            self.put(words, field, self.bits(self.part(value, field), field))
        return self.filled(words)

    def empty(self, layout: AnyLayout) -> list[Instr | None]:
        return [None] * layout.words()

    def filled(self, words: list[Instr | None]) -> list[Instr]:
        return [word if word is not None else self.number(0) for word in words]

    def part(self, value: Instr, field: Field) -> Instr:
        if not field.path:
            return value
        return self.caster.emit(op.CompositeExtract, self.layouts.of(field.type), [value, *field.path])

    def put(self, words: list[Instr | None], field: Field, given: list[Instr]) -> None:
        """The words of a field at its place, beside what is in them already."""
        for index, word in enumerate(given):
            place = field.offset // 4 + index
            before = words[place]
            if before is not None:
                word = self.caster.emit(op.BitwiseOr, self.u32, [before, word])
            words[place] = word

    def bits(self, part: Instr, field: Field) -> list[Instr]:
        """A scalar as words; a small one at its place in the word."""
        emit = self.caster.emit
        type = field.type
        module = self.layouts.module
        if type.op == op.TypeBool:
            return [emit(op.Select, self.u32, [part, self.number(1), self.number(0)])]
        width = width_of(type)
        if width == 32:
            return [part if type is self.u32 else emit(op.Bitcast, self.u32, [part])]
        if width == 64:
            pair = emit(op.Bitcast, vector_type(module, self.u32, 2), [part])
            return [emit(op.CompositeExtract, self.u32, [pair, index]) for index in range(2)]
        if type.op == op.TypeFloat:
            zero = module.intern(op.ConstantNull, type, [])
            pair = emit(op.CompositeConstruct, vector_type(module, type, 2), [part, zero])
            word = emit(op.Bitcast, self.u32, [pair])
        else:
            plain = int_type(module, width, False)
            if type is not plain:
                part = emit(op.Bitcast, plain, [part])
            word = emit(op.UConvert, self.u32, [part])
        shift = field.offset % 4 * 8
        return [word if not shift else emit(op.ShiftLeftLogical, self.u32, [word, self.number(shift)])]

    def unpack(self, words: list[Instr], type: Instr) -> Instr:
        parts: dict[tuple[int, ...], Instr] = {}
        for field in self.layouts.any(type).fields:
            parts[field.path] = self.scalar(words, field)
        return self.build(type, (), parts)

    def word(self, words: list[Instr], index: int) -> Instr:
        return words[index] if index < len(words) else self.number(0)

    def scalar(self, words: list[Instr], field: Field) -> Instr:
        emit = self.caster.emit
        type = field.type
        module = self.layouts.module
        word = self.word(words, field.offset // 4)
        if type.op == op.TypeBool:
            if not words:
                return bool_constant(module, False)
            return emit(op.INotEqual, bool_type(module), [word, self.number(0)])
        width = width_of(type)
        if width == 32:
            return word if type is self.u32 else emit(op.Bitcast, type, [word])
        if width == 64:
            high = self.word(words, field.offset // 4 + 1)
            pair = emit(op.CompositeConstruct, vector_type(module, self.u32, 2), [word, high])
            return emit(op.Bitcast, type, [pair])
        shift = field.offset % 4 * 8
        if shift:
            word = emit(op.ShiftRightLogical, self.u32, [word, self.number(shift)])
        if type.op == op.TypeFloat:
            pair = emit(op.Bitcast, vector_type(module, type, 2), [word])
            return emit(op.CompositeExtract, type, [pair, 0])
        plain = int_type(module, width, False)
        small = emit(op.UConvert, plain, [word])
        return small if type is plain else emit(op.Bitcast, type, [small])

    def build(self, type: Instr, path: tuple[int, ...], parts: dict[tuple[int, ...], Instr]) -> Instr:
        """Types nest a few levels."""
        if path in parts:
            return parts[path]
        is_struct = type.op == op.TypeStruct
        count = part_count(type)
        if count == 0:
            return undef(self.layouts.module, type)
        inner: list[Operand] = []
        for index in range(count):
            inner.append(self.build(type.instr(index if is_struct else 0), (*path, index), parts))
        return self.caster.emit(op.CompositeConstruct, type, inner)
