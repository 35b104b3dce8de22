"""Functions of one shape that take more than one instruction.

    saturate(x)    NClamp x 0 1            sign(x)     FSign, then to int         rcp(x)      1 / x
    mad(a, b, c)   FMul, FAdd              log10(x)    log2(x) * log10(2)         isfinite(x) neither NaN nor Inf
    sincos(x, out s, out c), modf(x, out whole), frexp(x, out exponent)           results go to where the pointers say

Source: Microsoft's HLSL reference, "Intrinsic Functions".
"""

from typing import Final

from reknit.front.slang.builtins.arithmetic import binary, choose
from reknit.front.slang.builtins.components import (
    Piece,
    by_rows,
    emit_op,
    kind_index,
    row_by_row,
    row_of,
)
from reknit.front.slang.builtins.constants import number
from reknit.front.slang.builtins.emitter import Emitter, Unsupported
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.front.slang.builtins.shapes import constant, ir_numeric, row_type, scalar_of, shape
from reknit.front.slang.hir import Intrinsic
from reknit.front.slang.types import UINT, UINT16, UINT64, MatrixType, Type
from reknit.ir import glsl, op
from reknit.ir.value import Value


def _absolute(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    code = (-glsl.FAbs, -glsl.SAbs, 0, 0)[kind_index(types[0])]
    return emit_op(emitter, code, result, operands) if code else operands[0]


def _sign(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    """-1, 0 or 1 as ints; FSign gives a float."""
    type = types[0]
    kind = scalar_of(type).kind
    if kind == "float":
        return emit_op(emitter, op.ConvertFToS, result, [emit_op(emitter, -glsl.FSign, type, operands)])
    if kind == "int":
        sign = emit_op(emitter, -glsl.SSign, type, operands)
        return sign if scalar_of(type).width == 32 else emit_op(emitter, op.SConvert, result, [sign])
    positive = binary(emitter, "!=", type, operands[0], number(emitter, type, 0))
    return choose(emitter, result, positive, number(emitter, result, 1), number(emitter, result, 0))


def _saturate(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    return emit_op(emitter, -glsl.NClamp, result, [operands[0], number(emitter, result, 0), number(emitter, result, 1)])


def _reciprocal(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    return binary(emitter, "/", result, number(emitter, result, 1), operands[0])


def _multiply_add(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    a, b, c = operands
    return binary(emitter, "+", result, binary(emitter, "*", result, a, b), c)


def _single(emitter: Emitter, type: Type, code: int, operands: list[Value]) -> Value:
    """A function that has no form for doubles."""
    if scalar_of(type).width == 64:
        raise Unsupported("SPIR-V has this function for floats and halves only")
    return emit_op(emitter, code, type, operands)


def _log10(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    logarithm = _single(emitter, result, -glsl.Log2, operands)
    return binary(emitter, "*", result, logarithm, number(emitter, result, 0.30102999566398119521))


def _exp10(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    return _single(emitter, result, -glsl.Pow, [number(emitter, result, 10), operands[0]])


def _smooth_step(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    """By the formula: edges may descend, which GLSL's leaves undefined."""
    low, high, value = operands
    part = binary(emitter, "-", result, value, low)
    slope = binary(emitter, "/", result, part, binary(emitter, "-", result, high, low))
    t = _saturate(emitter, result, types, [slope])
    twice = binary(emitter, "*", result, number(emitter, result, 2), t)
    rest = binary(emitter, "-", result, number(emitter, result, 3), twice)
    return binary(emitter, "*", result, binary(emitter, "*", result, t, t), rest)


def _of_pi(code: int) -> Piece:
    def piece(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
        pi = number(emitter, result, 3.14159265358979323846)
        return _single(emitter, result, code, [binary(emitter, "*", result, operands[0], pi)])

    return piece


def _is_finite(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    bad = [emit_op(emitter, code, result, operands) for code in (op.IsNan, op.IsInf)]
    return emit_op(emitter, op.LogicalNot, result, [emit_op(emitter, op.LogicalOr, result, bad)])


def _scale(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    """By a power of 2: `exp` may be an integer, or a float as HLSL has it."""
    if scalar_of(types[1]).kind != "float":
        return emit_op(emitter, -glsl.Ldexp, result, operands)
    return binary(emitter, "*", result, operands[0], _single(emitter, result, -glsl.Exp2, [operands[1]]))


def _positive_difference(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    gap = binary(emitter, "-", result, operands[0], operands[1])
    return emit_op(emitter, -glsl.NMax, result, [number(emitter, result, 0), gap])


def _copy_sign(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    """The bits of the first, the top bit of the second."""
    width = scalar_of(result).width
    word = shape(result).of({16: UINT16, 32: UINT, 64: UINT64}[width])
    top = 1 << (width - 1)
    kept = [
        binary(emitter, "&", word, emit_op(emitter, op.Bitcast, word, [operand]), number(emitter, word, mask))
        for operand, mask in zip(operands, (top - 1, top), strict=True)
    ]
    return emit_op(emitter, op.Bitcast, result, [binary(emitter, "|", word, kept[0], kept[1])])


_EXTREMES: Final = {
    "min": (-glsl.NMin, -glsl.SMin, -glsl.UMin, 0), "max": (-glsl.NMax, -glsl.SMax, -glsl.UMax, 0),
}  # fmt: skip


def _extreme(emitter: Emitter, which: str, type: Type, a: Value, b: Value) -> Value:
    return emit_op(emitter, _EXTREMES[which][kind_index(type)], type, [a, b])


def _of_three(which: str) -> Piece:
    def piece(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
        a, b, c = operands
        return _extreme(emitter, which, result, _extreme(emitter, which, result, a, b), c)

    return piece


def _median(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
    """The larger of the smallest two, but no more than the larger of the last two."""
    a, b, c = operands
    low = _extreme(emitter, "min", result, b, c)
    high = _extreme(emitter, "max", result, b, c)
    return _extreme(emitter, "min", result, high, _extreme(emitter, "max", result, a, low))


# ---- functions with a second result


def _sincos(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
    for piece, pointer in ((_piece(-glsl.Sin), operands[1]), (_piece(-glsl.Cos), operands[2])):
        emitter.effect(op.Store, [pointer, row_by_row(emitter, types[0], types[:1], operands[:1], piece)])
    return None


def _piece(code: int) -> Piece:
    def piece(emitter: Emitter, result: Type, types: list[Type], operands: list[Value]) -> Value:
        return _single(emitter, result, code, operands)

    return piece


def _split(code: int) -> Row:
    """ModfStruct and FrexpStruct: {first result, second result} of a scalar or vector."""

    def make(emitter: Emitter, call: Intrinsic, types: list[Type], operands: list[Value]) -> Value | None:
        type, other = types[0], types[1]
        if not isinstance(type, MatrixType) or not isinstance(other, MatrixType):
            first, second = _pair(emitter, code, type, other, operands[0])
            emitter.effect(op.Store, [operands[1], second])
            return first
        rows = [
            _pair(emitter, code, row_type(type), row_type(other), row_of(emitter, type, operands[0], index))
            for index in range(constant(type.rows))
        ]
        seconds = emitter.emit(op.CompositeConstruct, ir_numeric(emitter, other), [second for _, second in rows])
        emitter.effect(op.Store, [operands[1], seconds])
        return emitter.emit(op.CompositeConstruct, ir_numeric(emitter, type), [first for first, _ in rows])

    exponent = "T:int" if code == glsl.FrexpStruct else "T"
    return f"f T(T, out {exponent})", make


def _pair(emitter: Emitter, code: int, type: Type, other: Type, value: Value) -> tuple[Value, Value]:
    halves = [ir_numeric(emitter, type), ir_numeric(emitter, other)]
    both = emitter.extended(code, emitter.module.intern(op.TypeStruct, None, [*halves]), [value])
    first, second = [emitter.emit(op.CompositeExtract, half, [both, index]) for index, half in enumerate(halves)]
    return first, second


FUNCTIONS: Final[Rows] = {
    "abs": ("n T(T)", by_rows(_absolute)),
    "copysign": ("f T(T, T)", by_rows(_copy_sign)),
    "cospi": ("f T(T)", by_rows(_of_pi(-glsl.Cos))),
    "exp10": ("f T(T)", by_rows(_exp10)),
    "fdim": ("f T(T, T)", by_rows(_positive_difference)),
    "fmax3": ("f T(T, T, T)", by_rows(_of_three("max"))),
    "fmedian3": ("f T(T, T, T)", by_rows(_median)),
    "fmin3": ("f T(T, T, T)", by_rows(_of_three("min"))),
    "frexp": _split(glsl.FrexpStruct),
    "isfinite": ("f T:bool(T)", by_rows(_is_finite)),
    "ldexp": ("f T(T, I) | f T(T, T)", by_rows(_scale)),
    "log10": ("f T(T)", by_rows(_log10)),
    "mad": ("n T(T, T, T)", by_rows(_multiply_add)),
    "max3": ("n T(T, T, T)", by_rows(_of_three("max"))),
    "median3": ("n T(T, T, T)", by_rows(_median)),
    "min3": ("n T(T, T, T)", by_rows(_of_three("min"))),
    "modf": _split(glsl.ModfStruct),
    "rcp": ("f T(T)", by_rows(_reciprocal)),
    "saturate": ("f T(T)", by_rows(_saturate)),
    "sign": ("n T:int(T)", by_rows(_sign)),
    "sincos": ("f void(T, out T, out T)", _sincos),
    "sinpi": ("f T(T)", by_rows(_of_pi(-glsl.Sin))),
    "smoothstep": ("f T(T, T, T)", by_rows(_smooth_step)),
    "tanpi": ("f T(T)", by_rows(_of_pi(-glsl.Tan))),
}
