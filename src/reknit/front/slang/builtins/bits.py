"""Functions of bits: counting, finding, reversing, and packing numbers into words.

    countbits(x)      BitCount : uint           firstbithigh(int)   FindSMsb, from the lowest bit; -1 for none
    f16tof32(word)    the low half's value      packUnorm4x8(v)     PackUnorm4x8

Integers of other widths than 32 are extended, or found in two halves. Source: Microsoft's HLSL reference; Slang's core
module.
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import binary, choose, shift_left, shift_right
from reknit.front.slang.builtins.builtin import Maker
from reknit.front.slang.builtins.components import Code, by_kind, by_rows, emit_op, parts_of
from reknit.front.slang.builtins.constants import number
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.builtins.shapes import ir_numeric, scalar_of, shape
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import (
    FLOAT,
    HALF,
    INT,
    UINT,
    UINT8,
    UINT16,
    UINT64,
    ConstType,
    Type,
    VectorType,
)
from reknit.ir import enums, glsl, op
from reknit.ir.value import Value


def widened(emitter: Emitter, type: Type, value: Value) -> Value:
    """An integer of at most 32 bits as uint, by its sign."""
    scalar = scalar_of(type)
    words = shape(type).of(UINT)
    if scalar.width < 32:
        return emit_op(emitter, op.SConvert if scalar.kind == "int" else op.UConvert, words, [value])
    return value if scalar is UINT else emit_op(emitter, op.Bitcast, words, [value])


def halves(emitter: Emitter, type: Type, value: Value) -> tuple[Value, Value]:
    """(low, high) words of a 64-bit integer."""
    words = shape(type).of(UINT)
    whole = shape(type).of(UINT64)
    bits = value if scalar_of(type) is UINT64 else emit_op(emitter, op.Bitcast, whole, [value])
    high = shift_right(emitter, whole, bits, 32)
    return emit_op(emitter, op.UConvert, words, [bits]), emit_op(emitter, op.UConvert, words, [high])


def _count(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    type = types[0]
    if scalar_of(type).width == 64:
        counts = [emit_op(emitter, op.BitCount, result, [half]) for half in halves(emitter, type, operands[0])]
        return binary(emitter, "+", result, counts[0], counts[1])
    value = operands[0]
    if scalar_of(type).width < 32:
        value = widened(emitter, type, value)
        mask = number(emitter, result, (1 << scalar_of(type).width) - 1)
        value = binary(emitter, "&", result, value, mask)
    return emit_op(emitter, op.BitCount, result, [value])


def _find_low(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    type = types[0]
    if scalar_of(type).width == 64:
        low, high = halves(emitter, type, operands[0])
        lowest = emit_op(emitter, -glsl.FindILsb, result, [low])
        above = emit_op(emitter, -glsl.FindILsb, result, [high])
        return _joined(emitter, result, lowest, above)
    return emit_op(emitter, -glsl.FindILsb, result, [widened(emitter, type, operands[0])])


def _joined(emitter: Emitter, result: Type, first: Value, above: Value) -> Value:
    """`first` unless it is -1, else `above` + 32 unless that is -1."""
    none = number(emitter, result, -1)
    raised = binary(emitter, "+", result, above, number(emitter, result, 32))
    second = choose(emitter, result, binary(emitter, "==", result, above, none), none, raised)
    return choose(emitter, result, binary(emitter, "==", result, first, none), second, first)


def _find_high(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    """Of a negative number the highest 0."""
    type = types[0]
    signed = scalar_of(type).kind == "int"
    if scalar_of(type).width < 64:
        code = -glsl.FindSMsb if signed else -glsl.FindUMsb
        return emit_op(emitter, code, result, [widened(emitter, type, operands[0])])
    value = operands[0]
    if signed:
        sign = binary(emitter, "<", type, value, number(emitter, type, 0))
        value = choose(emitter, type, sign, emit_op(emitter, op.Not, type, [value]), value)
    low, high = halves(emitter, type, value)
    none = number(emitter, result, -1)
    above = emit_op(emitter, -glsl.FindUMsb, result, [high])
    below = emit_op(emitter, -glsl.FindUMsb, result, [low])
    raised = binary(emitter, "+", result, above, number(emitter, result, 32))
    return choose(emitter, result, binary(emitter, "==", result, above, none), below, raised)


def _reverse(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    width = scalar_of(result).width
    words = shape(result).of(UINT)
    if width == 32:
        return emit_op(emitter, op.BitReverse, result, operands)
    if width < 32:
        turned = emit_op(emitter, op.BitReverse, words, [widened(emitter, result, operands[0])])
        narrow = emit_op(emitter, op.UConvert, _unsigned(result), [shift_right(emitter, words, turned, 32 - width)])
        return narrow if scalar_of(result).kind == "uint" else emit_op(emitter, op.Bitcast, result, [narrow])
    whole = shape(result).of(UINT64)
    low, high = [
        emit_op(emitter, op.UConvert, whole, [emit_op(emitter, op.BitReverse, words, [half])])
        for half in halves(emitter, result, operands[0])
    ]
    joined = binary(emitter, "|", whole, shift_left(emitter, whole, low, 32), high)
    return joined if scalar_of(result) is UINT64 else emit_op(emitter, op.Bitcast, result, [joined])


def _unsigned(type: Type) -> Type:
    return shape(type).of(UINT16 if scalar_of(type).width == 16 else UINT8)


# ---- halves


def _half_to_float(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    """Of a word's low half, without 16-bit types; or of a half."""
    if scalar_of(types[0]) is HALF:
        return emit_op(emitter, op.FConvert, result, operands)
    words = widened(emitter, types[0], operands[0])
    parts = [_unpacked_half(emitter, part) for part in parts_of(emitter, shape(types[0]).of(UINT), words)]
    return parts[0] if len(parts) == 1 else emitter.emit(op.CompositeConstruct, ir_numeric(emitter, result), [*parts])


_FOUR_BYTES: Final = 0  # PackedVectorFormat4x8Bit
_FLOAT2: Final = VectorType(FLOAT, ConstType(2))


def _unpacked_half(emitter: Emitter, word: Value) -> Value:
    pair = emit_op(emitter, -glsl.UnpackHalf2x16, _FLOAT2, [word])
    return emitter.emit(op.CompositeExtract, ir_numeric(emitter, FLOAT), [pair, 0])


def _float_to_half(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    zero = number(emitter, FLOAT, 0)
    pair_type = ir_numeric(emitter, _FLOAT2)
    words = [
        emit_op(emitter, -glsl.PackHalf2x16, UINT, [emitter.emit(op.CompositeConstruct, pair_type, [part, zero])])
        for part in parts_of(emitter, types[0], operands[0])
    ]
    return words[0] if len(words) == 1 else emitter.emit(op.CompositeConstruct, ir_numeric(emitter, result), [*words])


# ---- packing


def _extended(signature: str, code: Code) -> Row:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        return emit_op(emitter, code, call.type, operands)

    return signature, make


def _pack_bytes(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """The low byte of each component, the first lowest."""
    return pack_bytes(emitter, types[0], operands[0])


def pack_bytes(emitter: Emitter, type: Type, value: Value) -> Value:
    words = shape(type).of(UINT)
    masked = binary(emitter, "&", words, widened(emitter, type, value), number(emitter, words, 0xFF))
    parts = parts_of(emitter, words, masked)
    total = parts[0]
    for index in range(1, 4):
        total = binary(emitter, "|", UINT, total, shift_left(emitter, UINT, parts[index], 8 * index))
    return total


def _clamp_bytes(low: int, high: int) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        ints = shape(types[0]).of(INT)
        wide = widened(emitter, types[0], operands[0])
        value = emit_op(emitter, op.Bitcast, ints, [wide])
        limits = [number(emitter, ints, low), number(emitter, ints, high)]
        return pack_bytes(emitter, ints, emit_op(emitter, -glsl.SClamp, ints, [value, *limits]))

    return make


def _unpack_bytes(signed: bool) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        code = op.BitFieldSExtract if signed else op.BitFieldUExtract
        scalar = INT if signed else UINT
        word = operands[0]
        if signed:
            word = emit_op(emitter, op.Bitcast, INT, [word])
        parts = [emit_op(emitter, code, scalar, [word, emitter.word(8 * index), emitter.word(8)]) for index in range(4)]
        if scalar_of(call.type).width == 16:
            parts = [
                emit_op(emitter, op.SConvert if signed else op.UConvert, scalar_of(call.type), [part]) for part in parts
            ]
        return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, call.type), [*parts])

    return make


def _to_halves(code: Code, count: int) -> Row:
    """Unpacked to floats, then halves."""
    floats = VectorType(FLOAT, ConstType(count))

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        return emit_op(emitter, op.FConvert, call.type, [emit_op(emitter, code, floats, operands)])

    return f"i half{count}(uint)", make


def _dot_bytes(signed: bool) -> Maker:
    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        emitter.capability(enums.CapabilityDotProduct)
        emitter.capability(enums.CapabilityDotProductInput4x8BitPacked)
        emitter.extension("SPV_KHR_integer_dot_product")
        packed = _FOUR_BYTES
        code = op.SDot if signed else op.UDot
        dot = emitter.emit(code, ir_numeric(emitter, call.type), [operands[0], operands[1], packed])
        return binary(emitter, "+", call.type, dot, operands[2])

    return make


def _dot_halves(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    rounded = emit_op(emitter, op.FConvert, FLOAT, [emit_op(emitter, op.Dot, HALF, operands[:2])])
    return binary(emitter, "+", FLOAT, rounded, operands[2])


def _byte_distances(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """msad4: for each of four places in eight bytes, how far the reference's bytes that aren't 0 are from them."""
    reference, source, total = operands
    low, high = parts_of(emitter, types[1], source)
    sums = parts_of(emitter, types[2], total)
    for place in range(4):
        for index in range(4):
            own = _byte(emitter, reference, index)
            at = place + index
            other = _byte(emitter, low if at < 4 else high, at % 4)
            larger = emit_op(emitter, -glsl.UMax, UINT, [own, other])
            apart = binary(emitter, "-", UINT, larger, emit_op(emitter, -glsl.UMin, UINT, [own, other]))
            counts = binary(emitter, "!=", UINT, own, emitter.word(0))
            distance = choose(emitter, UINT, counts, apart, emitter.word(0))
            sums[place] = binary(emitter, "+", UINT, sums[place], distance)
    return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, call.type), [*sums])


def _byte(emitter: Emitter, word: Value, index: int) -> Value:
    return emit_op(emitter, op.BitFieldUExtract, UINT, [word, emitter.word(8 * index), emitter.word(8)])


def _colour(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    """D3DCOLORtoUBYTE4: components z, y, x, w times 255.001953, as ints."""
    float4 = types[0]
    turned = emitter.emit(op.VectorShuffle, ir_numeric(emitter, float4), [operands[0], operands[0], 2, 1, 0, 3])
    scaled = binary(emitter, "*", float4, turned, number(emitter, float4, 255.001953))
    return emit_op(emitter, op.ConvertFToS, call.type, [scaled])


def _field(code_signed: Code, code_unsigned: Code) -> Maker:
    """SPIR-V has bit fields of 32 bits only: numbers of fewer bits are extended to them, and cut off again."""
    whole = by_kind((0, code_signed, code_unsigned, 0))

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        scalar = scalar_of(types[0])
        if scalar.width == 64:
            raise Unsupported("SPIR-V has bit fields of 32 bits only")
        if scalar.width == 32:
            return whole(emitter, call, types, operands)
        same_kind = INT if scalar.kind == "int" else UINT
        wide = VectorType(same_kind, types[0].count) if isinstance(types[0], VectorType) else same_kind
        extend = op.SConvert if scalar.kind == "int" else op.UConvert
        longer = [emit_op(emitter, extend, wide, [value]) for value in operands[:-2]]
        code = code_signed if scalar.kind == "int" else code_unsigned
        return emit_op(emitter, extend, types[0], [emit_op(emitter, code, wide, [*longer, *operands[-2:]])])

    return make


FUNCTIONS: Final[Rows] = {
    "D3DCOLORtoUBYTE4": ("f int4(float4)", _colour),
    "bitfieldExtract": ("i T(T, uint, uint)", _field(op.BitFieldSExtract, op.BitFieldUExtract)),
    "bitfieldInsert": ("i T(T, T, uint, uint)", _field(op.BitFieldInsert, op.BitFieldInsert)),
    "countbits": ("i T:uint(T)", by_rows(_count)),
    "dot2add": ("f float(half2, half2, float)", _dot_halves),
    "dot4add_i8packed": ("i int(uint, uint, int)", _dot_bytes(True)),
    "dot4add_u8packed": ("i uint(uint, uint, uint)", _dot_bytes(False)),
    "f16tof32": ("i T:float(T) | f T:float(T:half)", by_rows(_half_to_float)),
    "f32tof16": ("f T:uint(T:float)", by_rows(_float_to_half)),
    "f32tof16_": ("f T:half(T:float)", by_kind((op.FConvert, 0, 0, 0))),
    "firstbithigh": ("i T:uint(T)", by_rows(_find_high)),
    "firstbitlow": ("i T:uint(T)", by_rows(_find_low)),
    "msad4": ("i uint4(uint, uint2, uint4)", _byte_distances),
    "packHalf2x16": _extended("f uint(float2)", -glsl.PackHalf2x16),
    "packInt4x8": ("i uint(int4)", _pack_bytes),
    "packInt4x8Clamp": ("i uint(int4)", _clamp_bytes(-128, 127)),
    "packSnorm2x16": _extended("f uint(float2)", -glsl.PackSnorm2x16),
    "packSnorm4x8": _extended("f uint(float4)", -glsl.PackSnorm4x8),
    "packUint4x8": ("i uint(uint4)", _pack_bytes),
    "packUint4x8Clamp": ("i uint(int4)", _clamp_bytes(0, 255)),
    "packUnorm2x16": _extended("f uint(float2)", -glsl.PackUnorm2x16),
    "packUnorm4x8": _extended("f uint(float4)", -glsl.PackUnorm4x8),
    "pack_clamp_s8": ("i uint(int4)", _clamp_bytes(-128, 127)),
    "pack_clamp_u8": ("i uint(int4)", _clamp_bytes(0, 255)),
    "pack_s8": ("i uint(int4)", _pack_bytes),
    "pack_u8": ("i uint(uint4)", _pack_bytes),
    "reversebits": ("i T(T)", by_rows(_reverse)),
    "unpackHalf2x16ToFloat": _extended("i float2(uint)", -glsl.UnpackHalf2x16),
    "unpackHalf2x16ToHalf": _to_halves(-glsl.UnpackHalf2x16, 2),
    "unpackInt4x8ToInt16": ("i int16_t4(uint)", _unpack_bytes(True)),
    "unpackInt4x8ToInt32": ("i int4(uint)", _unpack_bytes(True)),
    "unpackSnorm2x16ToFloat": _extended("i float2(uint)", -glsl.UnpackSnorm2x16),
    "unpackSnorm2x16ToHalf": _to_halves(-glsl.UnpackSnorm2x16, 2),
    "unpackSnorm4x8ToFloat": _extended("i float4(uint)", -glsl.UnpackSnorm4x8),
    "unpackSnorm4x8ToHalf": _to_halves(-glsl.UnpackSnorm4x8, 4),
    "unpackUint4x8ToUint16": ("i uint16_t4(uint)", _unpack_bytes(False)),
    "unpackUint4x8ToUint32": ("i uint4(uint)", _unpack_bytes(False)),
    "unpackUnorm2x16ToFloat": _extended("i float2(uint)", -glsl.UnpackUnorm2x16),
    "unpackUnorm2x16ToHalf": _to_halves(-glsl.UnpackUnorm2x16, 2),
    "unpackUnorm4x8ToFloat": _extended("i float4(uint)", -glsl.UnpackUnorm4x8),
    "unpackUnorm4x8ToHalf": _to_halves(-glsl.UnpackUnorm4x8, 4),
    "unpackHalf2x16": _extended("i float2(uint)", -glsl.UnpackHalf2x16),
    "unpackSnorm2x16": _extended("i float2(uint)", -glsl.UnpackSnorm2x16),
    "unpackSnorm4x8": _extended("i float4(uint)", -glsl.UnpackSnorm4x8),
    "unpackUnorm2x16": _extended("i float2(uint)", -glsl.UnpackUnorm2x16),
    "unpackUnorm4x8": _extended("i float4(uint)", -glsl.UnpackUnorm4x8),
    "unpack_s8s16": ("i int16_t4(uint)", _unpack_bytes(True)),
    "unpack_s8s32": ("i int4(uint)", _unpack_bytes(True)),
    "unpack_u8u16": ("i uint16_t4(uint)", _unpack_bytes(False)),
    "unpack_u8u32": ("i uint4(uint)", _unpack_bytes(False)),
}
