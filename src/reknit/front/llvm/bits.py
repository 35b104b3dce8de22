"""Bits of integers of any width that is read: what SPIR-V's own instructions do for 32 bits only.

    count of i16 x      BitCount of x as a u32             reversed i8 x     BitReverse of x as a u32, moved down by 24
    count of i64 x      those of both halves               leading i64 x     of the upper half, or of the lower

Source: Vulkan, "Standalone SPIR-V Validation", VUID 04781 (OpBitCount, OpBitReverse); GLSL.std.450, FindILsb, FindUMsb.
"""

from collections.abc import Callable
from typing import Final

from reknit.front.llvm import syntax
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import op
from reknit.ir.types import vector_type
from reknit.ir.value import Value

FIND_LOW: Final = 73  # GLSL.std.450; all three give -1 where there is none
FIND_SIGNED: Final = 74
FIND_HIGH: Final = 75
_MIN: Final = 38
_WORD: Final = Type(syntax.INT, "i32", 32)

OfWord = Callable[[Target, Type, Value], Value]
OfHalves = Callable[[Value, Value], Value]


def scalar(type: Type) -> Type:
    return type.parts[0] if type.kind == syntax.VECTOR else type


def like(type: Type, element: Type) -> Type:
    """`element`, or as many of it as `type` has components."""
    if type.kind != syntax.VECTOR:
        return element
    return Type(syntax.VECTOR, f"<{type.count} x {element.name}>", 0, type.count, [element])


def integer(width: int) -> Type:
    return Type(syntax.INT, f"i{width}", width)


def is_odd(type: Type) -> bool:
    """Whether it is an integer that only LLVM has: it is held in the next wider one, with zeros above."""
    return scalar(type).kind == syntax.INT and scalar(type).width not in (1, 8, 16, 32, 64)


def cut_off(target: Target, type: Type, value: Value) -> Value:
    """An odd integer, of which the bits above may be anything."""
    mask = target.constant(type, (1 << scalar(type).width) - 1)
    return target.emit(op.BitwiseAnd, target.type(type), [value, mask])


def with_sign(target: Target, type: Type, value: Value) -> Value:
    """An odd integer, with its sign in the bits above."""
    away = target.constant(type, target.held(scalar(type).width) - scalar(type).width)
    ir_type = target.type(type)
    high = target.emit(op.ShiftLeftLogical, ir_type, [value, away])
    return target.emit(op.ShiftRightArithmetic, ir_type, [high, away])


def truth(target: Target, type: Type, code: int, a: Value, b: Value) -> Value:
    """A comparison of two values of `type`."""
    return target.emit(code, target.type(like(type, integer(1))), [a, b])


def chosen(target: Target, type: Type, condition: Value, yes: Value, no: Value) -> Value:
    return target.emit(op.Select, target.type(type), [condition, yes, no])


def by_component(target: Target, type: Type, value: Value, make: Callable[[Value], Value]) -> Value:
    """What `make` gives for a scalar, or for each component of a vector."""
    if type.kind != syntax.VECTOR:
        return make(value)
    part = target.type(type.parts[0])
    parts = [make(target.emit(op.CompositeExtract, part, [value, index])) for index in range(type.count)]
    return target.emit(op.CompositeConstruct, target.type(type), [*parts])


def halves(target: Target, value: Value) -> tuple[Value, Value]:
    """(low, high) of an i64."""
    pair = target.emit(op.Bitcast, vector_type(target.module, target.u32, 2), [value])
    low, high = [target.emit(op.CompositeExtract, target.u32, [pair, index]) for index in range(2)]
    return low, high


def of_halves(target: Target, low: Value, high: Value) -> Value:
    pair = target.emit(op.CompositeConstruct, vector_type(target.module, target.u32, 2), [low, high])
    return target.emit(op.Bitcast, target.uint(64), [pair])


def _check(type: Type) -> None:
    if scalar(type).is_bool():
        raise Refusal("works on the bits of an i1")


def _by_words(target: Target, type: Type, value: Value, of_word: OfWord, of_long: OfHalves) -> Value:
    """`of_word` of a value of at most 32 bits, as a number of its own width again; `of_long` of the halves of an
    i64."""
    _check(type)
    if scalar(type).width == 64:
        return by_component(target, type, value, lambda long: of_long(*halves(target, long)))
    words = like(type, _WORD)
    if scalar(type).width == 32:
        return of_word(target, words, value)
    wide = target.emit(op.UConvert, target.type(words), [value])
    return target.emit(op.UConvert, target.type(type), [of_word(target, words, wide)])


def count(target: Target, type: Type, value: Value) -> Value:
    """How many bits are 1, as a number of the same type."""

    def of_words(target: Target, words: Type, value: Value) -> Value:
        return target.emit(op.BitCount, target.type(words), [value])

    def of_long(low: Value, high: Value) -> Value:
        both = [of_words(target, _WORD, half) for half in (low, high)]
        return target.emit(op.UConvert, target.uint(64), [target.emit(op.IAdd, target.u32, [*both])])

    return _by_words(target, type, value, of_words, of_long)


def reversed_bits(target: Target, type: Type, value: Value) -> Value:
    width = scalar(type).width

    def of_words(target: Target, words: Type, value: Value) -> Value:
        turned = target.emit(op.BitReverse, target.type(words), [value])
        if width == 32:
            return turned
        return target.emit(op.ShiftRightLogical, target.type(words), [turned, target.constant(words, 32 - width)])

    def of_long(low: Value, high: Value) -> Value:
        low, high = [target.emit(op.BitReverse, target.u32, [half]) for half in (low, high)]
        return of_halves(target, high, low)

    return _by_words(target, type, value, of_words, of_long)


def leading(target: Target, type: Type, value: Value) -> Value:
    """Zeros above the highest 1; the width if there is none."""
    width = min(scalar(type).width, 32)

    def of_words(target: Target, words: Type, value: Value) -> Value:
        position = target.extended(FIND_HIGH, target.type(words), [value])
        return target.emit(op.ISub, target.type(words), [target.constant(words, width - 1), position])

    def of_long(low: Value, high: Value) -> Value:
        return _zeros(target, of_words(target, _WORD, high), of_words(target, _WORD, low))

    return _by_words(target, type, value, of_words, of_long)


def trailing(target: Target, type: Type, value: Value) -> Value:
    """Zeros below the lowest 1; the width if there is none."""
    width = min(scalar(type).width, 32)

    def of_words(target: Target, words: Type, value: Value) -> Value:
        position = target.extended(FIND_LOW, target.type(words), [value])
        return target.extended(_MIN, target.type(words), [position, target.constant(words, width)])

    def of_long(low: Value, high: Value) -> Value:
        return _zeros(target, of_words(target, _WORD, low), of_words(target, _WORD, high))

    return _by_words(target, type, value, of_words, of_long)


def _zeros(target: Target, near: Value, far: Value) -> Value:
    """Of an i64, from those of the half that is counted first and of the other."""
    none = target.emit(op.IEqual, target.boolean, [near, target.word(32)])
    beyond = target.emit(op.IAdd, target.u32, [far, target.word(32)])
    return target.emit(op.UConvert, target.uint(64), [chosen(target, _WORD, none, beyond, near)])


def swapped_bytes(target: Target, type: Type, value: Value) -> Value:
    ir_type = target.type(type)
    width = scalar(type).width
    total: Value | None = None
    for at in range(0, width, 8):
        part = value
        if at:
            part = target.emit(op.ShiftRightLogical, ir_type, [part, target.constant(type, at)])
        if at < width - 8:
            part = target.emit(op.BitwiseAnd, ir_type, [part, target.constant(type, 0xFF)])
        if width - 8 - at:
            part = target.emit(op.ShiftLeftLogical, ir_type, [part, target.constant(type, width - 8 - at)])
        total = part if total is None else target.emit(op.BitwiseOr, ir_type, [total, part])
    assert total is not None
    return total


def funnel(target: Target, type: Type, values: list[Value], left: bool) -> Value:
    """The upper (or lower) half of two numbers side by side, moved by the third modulo their width."""
    _check(type)
    ir_type = target.type(type)
    width = scalar(type).width
    mask = target.constant(type, width - 1)
    by = target.emit(op.BitwiseAnd, ir_type, [values[2], mask])
    none = truth(target, type, op.IEqual, by, target.constant(type, 0))
    left_over = target.emit(op.ISub, ir_type, [target.constant(type, width), by])
    rest = target.emit(op.BitwiseAnd, ir_type, [left_over, mask])
    high = target.emit(op.ShiftLeftLogical, ir_type, [values[0], by if left else rest])
    low = target.emit(op.ShiftRightLogical, ir_type, [values[1], rest if left else by])
    both = target.emit(op.BitwiseOr, ir_type, [high, low])
    return chosen(target, type, none, values[0 if left else 1], both)
