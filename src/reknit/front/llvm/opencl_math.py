"""OpenCL's built-in functions of numbers, by their names; a signature says whether integers have a sign.

    _Z3maxDv4_jS_       GLSL.std.450 UMax                    _Z7add_satii       llvm.sadd.sat's
    _Z15convert_int_rtzf      ConvertFToS                    _Z17convert_uchar_satf      llvm.fptoui.sat's
    _Z6selectDv4_iS_S_  by the highest bit of each component (OpenCL C 3.0, 6.15.6)

A component of a vector is what a scalar is, but for truths: they are -1 and not 1.
"""

import re
from typing import Final

from reknit.front.llvm import floats, intrinsics, syntax
from reknit.front.llvm.bits import chosen, integer, like, scalar, truth
from reknit.front.llvm.library import expand
from reknit.front.llvm.results import Result
from reknit.front.llvm.state import Lowering
from reknit.front.llvm.syntax import Statement, Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.front.llvm.wide import parts_of, whole_of
from reknit.ir import op
from reknit.ir.floats import rounded_bits
from reknit.ir.types import vector_type
from reknit.ir.value import Value

_EXTENDED: Final = {
    "sqrt": 31, "rsqrt": 32, "fabs": 4, "floor": 8, "ceil": 9, "trunc": 3, "rint": 2, "fmin": 79, "fmax": 80, "fma": 50,
    "mix": 46, "step": 48, "smoothstep": 49, "sign": 6, "degrees": 12, "radians": 11, "asinh": 22, "acosh": 23,
    "atanh": 24, "cross": 68, "length": 66, "distance": 67, "normalize": 69, "fast_length": 66, "fast_distance": 67,
    "fast_normalize": 69,
}  # fmt: skip
_UP_TO_32: Final = (
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "atan2", "pow", "exp", "log", "exp2", "log2",
)  # fmt: skip
_LENGTHS: Final = ("length", "distance", "normalize", "dot", "fast_length", "fast_distance", "fast_normalize")
_COMPARED: Final = {
    "isequal": op.FOrdEqual, "isnotequal": op.FUnordNotEqual, "isgreater": op.FOrdGreaterThan,
    "isgreaterequal": op.FOrdGreaterThanEqual, "isless": op.FOrdLessThan, "islessequal": op.FOrdLessThanEqual,
    "islessgreater": op.FOrdNotEqual,
}  # fmt: skip
_CLASSES: Final = {"isnan": 0x003, "isinf": 0x204, "isfinite": 0x1F8, "isnormal": 0x108, "signbit": 0x07C}
_OF_FLOATS: Final = (
    *_EXTENDED, *_UP_TO_32, *_COMPARED, *_CLASSES, "dot", "mad", "round", "copysign", "fmod", "powr", "pown", "exp10",
    "log10", "hypot", "fdim", "recip", "divide", "isordered", "isunordered", "maxmag", "minmag", "ldexp", "min", "max",
    "clamp", "select", "bitselect", "sinpi", "cospi", "tanpi", "asinpi", "acospi", "atanpi", "atan2pi", "expm1",
    "log1p", "clspv.fract", "nextafter",
)  # fmt: skip
_OF_INTEGERS: Final = (
    "abs", "abs_diff", "add_sat", "sub_sat", "hadd", "rhadd", "clamp", "clz", "ctz", "mad_hi", "max", "min", "mul_hi",
    "rotate", "upsample", "popcount", "mad24", "mul24", "select", "bitselect", "any", "all", "mad_sat",
)  # fmt: skip
_LIBRARY: Final = (
    "round", "copysign", "nextafter", "maxmag", "minmag", "fdim", "hypot", "exp10", "log10", "expm1", "log1p", "sinpi",
    "cospi", "tanpi", "asinpi", "acospi", "atanpi", "atan2pi",
)  # fmt: skip
_BITS: Final = {"clz": "ctlz", "ctz": "cttz", "popcount": "ctpop"}
_CONVERT: Final = re.compile(r"convert_(u?(?:char|short|int|long)|half|float|double)\d*(_sat)?(_rt[ezpn])?")
_FIRST: Final = re.compile(r"(Dv\d+_?)?(Dh|[a-z])")
_ROUNDED: Final = {"_rte": 2, "_rtp": 9, "_rtn": 8}


def is_known(name: str, signature: str) -> bool:
    if _CONVERT.fullmatch(name) is not None:
        return True
    name = plain(name)
    return name in (_OF_FLOATS if of_floats(signature) else _OF_INTEGERS)


def is_partwise(name: str) -> bool:
    return plain(name) not in (*_LENGTHS, "cross", "any", "all")


def plain(name: str) -> str:
    return name.removeprefix("native_").removeprefix("half_")


def of_floats(signature: str) -> bool:
    match = _FIRST.match(signature)
    return match is not None and match[2] in ("f", "d", "Dh")


def is_signed(signature: str) -> bool:
    match = _FIRST.match(signature)
    return match is not None and match[2] in ("c", "a", "s", "i", "l")


def number_call(lowering: Lowering, statement: Statement, name: str, signature: str) -> Value:
    """What a function gives that `is_known`. Raises Refusal."""
    target = lowering.target
    given = statement.operands[0].type
    if name in ("any", "all"):
        return _voted(target, name, scalar(given), parts_of(lowering, statement.operands[0]))
    values = [lowering.value(operand) for operand in statement.operands]
    match = _CONVERT.fullmatch(name)
    if match is not None:
        return _converted(target, statement, values[0], match[1], bool(match[2]), match[3] or "", signature)
    name = plain(name)
    is_vector = signature.startswith("Dv")
    if name in _COMPARED or name in _CLASSES or name in ("isordered", "isunordered"):
        return _truth(target, statement, name, given, values, is_vector)
    if name == "select":
        if is_vector:
            kind = statement.operands[2].type
            condition = truth(target, kind, op.SLessThan, values[2], target.constant(kind, 0))
        else:
            kind = statement.operands[2].type
            condition = truth(target, kind, op.INotEqual, values[2], target.constant(kind, 0))
        return chosen(target, given, condition, values[1], values[0])
    if name == "bitselect":
        return _merged(target, given, values)
    if name in ("min", "max", "clamp") and not of_floats(signature):
        values = [_as_wide(target, value, operand.type, given)
                  for value, operand in zip(values, statement.operands, strict=True)]  # fmt: skip
    if of_floats(signature):
        return _of_floats(target, statement, name, given, values)
    return _of_integers(target, statement, name, given, values, is_signed(signature))


def _as_wide(target: Target, value: Value, type: Type, wanted: Type) -> Value:
    """A scalar beside vectors, as a vector."""
    if type.kind == syntax.VECTOR or wanted.kind != syntax.VECTOR:
        return value
    return target.emit(op.CompositeConstruct, target.type(wanted), [value] * wanted.count)


# --- floats -----------------------------------------------------------------------------------------------------------


def _number(target: Target, type: Type, number: float) -> Value:
    return target.constant(type, rounded_bits(number, scalar(type).width))


def _of_floats(target: Target, statement: Statement, name: str, type: Type, values: list[Value]) -> Value:
    result = target.type(statement.type)
    wide = [
        _as_wide(target, value, operand.type, type) if operand.type.kind == syntax.FLOAT else value
        for value, operand in zip(values, statement.operands, strict=True)
    ]
    if name in _LENGTHS:
        if name == "dot":
            code = op.Dot if type.kind == syntax.VECTOR else op.FMul
            return target.emit(code, result, [*values])
        return target.extended(_EXTENDED[name], result, values)
    if name == "cross" and type.count != 3:
        return _cross_of_four(target, type, values)
    if name in ("step", "smoothstep"):  # the scalars come first
        last = statement.operands[-1].type
        wide = [
            _as_wide(target, value, operand.type, last)
            for value, operand in zip(values, statement.operands, strict=True)
        ]
    if name in ("min", "max", "clamp"):
        least = {"min": 79, "max": 80}
        if name != "clamp":
            return target.extended(least[name], result, wide)
        return target.extended(79, result, [target.extended(80, result, wide[:2]), wide[2]])
    if name in _EXTENDED:
        return target.extended(_EXTENDED[name], result, wide)
    if name in _UP_TO_32:
        return intrinsics.computed(target, type, name, wide)
    if name == "mad":
        return target.emit(op.FAdd, result, [target.emit(op.FMul, result, [*wide[:2]]), wide[2]])
    if name in ("fmod", "divide"):
        return target.emit(op.FRem if name == "fmod" else op.FDiv, result, [*wide])
    if name == "recip":
        return target.emit(op.FDiv, result, [_number(target, type, 1.0), wide[0]])
    if name == "powr":
        return intrinsics.computed(target, type, "pow", wide)
    if name == "pown":
        return expand.of_floats(target, name, [type, statement.operands[1].type], values)
    if name == "clspv.fract":
        return expand.of_floats(target, "fract_below", [type], values)
    if name in _LIBRARY:
        return expand.of_floats(target, name, [type], wide)
    if name == "ldexp":
        kind = target.signed(like(type, integer(32)))
        exponent = values[1]
        if type.kind == syntax.VECTOR and statement.operands[1].type.kind != syntax.VECTOR:
            exponent = target.emit(
                op.CompositeConstruct, target.type(like(type, integer(32))), [values[1]] * type.count
            )
        return target.extended(53, result, [wide[0], target.emit(op.Bitcast, kind, [exponent])])
    raise Refusal(f"calls {name}, which is not read here")


def _cross_of_four(target: Target, type: Type, values: list[Value]) -> Value:
    """That of the first three components, with a zero (OpenCL C 3.0, 6.15.5)."""
    element = target.type(scalar(type))
    three = vector_type(target.module, element, 3)
    parts = [target.emit(op.VectorShuffle, three, [value, value, 0, 1, 2]) for value in values]
    crossed = target.extended(_EXTENDED["cross"], three, [*parts])
    zero = target.constant(scalar(type), 0)
    return target.emit(op.CompositeConstruct, target.type(type), [crossed, zero])


def _truth(
    target: Target, statement: Statement, name: str, type: Type, values: list[Value], is_vector: bool
) -> Value:
    truths = target.type(like(type, integer(1)))
    if name in _COMPARED:
        answer: Value = target.emit(_COMPARED[name], truths, [*values])
    elif name in _CLASSES:
        answer = floats.classified(target, type, values[0], _CLASSES[name])
        if name == "signbit":
            whole = like(type, integer(scalar(type).width))
            cast = target.emit(op.Bitcast, target.type(whole), [values[0]])
            answer = truth(target, whole, op.SLessThan, cast, target.constant(whole, 0))
    else:
        either = [target.emit(op.IsNan, truths, [value]) for value in values]
        answer = target.emit(op.LogicalOr, truths, [*either])
        if name == "isordered":
            answer = target.emit(op.LogicalNot, truths, [answer])
    wanted = statement.type
    return chosen(target, wanted, answer, target.constant(wanted, -1 if is_vector else 1), target.constant(wanted, 0))


# --- integers ---------------------------------------------------------------------------------------------------------


def _of_integers(
    target: Target, statement: Statement, name: str, type: Type, values: list[Value], signed: bool
) -> Value:
    ir_type = target.type(type)
    least, most = (39, 42) if signed else (38, 41)
    letter = "s" if signed else "u"
    if name in ("min", "max"):
        return target.extended(least if name == "min" else most, ir_type, values)
    if name == "clamp":
        return target.extended(least, ir_type, [target.extended(most, ir_type, values[:2]), values[2]])
    if name == "abs":
        return target.extended(5, ir_type, values) if signed else values[0]
    if name in ("add_sat", "sub_sat", "mul_hi", "mad_hi", "mad_sat"):  # uadd_sat, smul_hi ...
        return expand.of_integers(target, f"{letter}{name}", type, values, letter)
    if name in ("abs_diff", "hadd", "rhadd"):
        return expand.of_integers(target, name, type, values, letter)
    if name in _BITS:
        return expand.of_integers(target, _BITS[name], type, values)
    if name == "rotate":
        return expand.of_integers(target, "fshl", type, [values[0], *values])
    if name in ("mad24", "mul24"):
        product = target.emit(op.IMul, ir_type, [*values[:2]])
        return product if name == "mul24" else target.emit(op.IAdd, ir_type, [product, values[2]])
    if name == "upsample":
        wide = target.type(statement.type)
        high, low = [target.emit(op.UConvert, wide, [value]) for value in values]
        moved = target.emit(op.ShiftLeftLogical, wide, [high, target.constant(statement.type, scalar(type).width)])
        return target.emit(op.BitwiseOr, wide, [moved, low])
    raise Refusal(f"calls {name}, which is not read here")


def _voted(target: Target, name: str, type: Type, parts: list[Value]) -> Value:
    """any, all: of the highest bits."""
    bits: Value = parts[0]
    for part in parts[1:]:
        bits = target.emit(op.BitwiseOr if name == "any" else op.BitwiseAnd, target.type(type), [bits, part])
    negative = truth(target, type, op.SLessThan, bits, target.constant(type, 0))
    return target.emit(op.Select, target.u32, [negative, target.word(1), target.word(0)])


def _merged(target: Target, type: Type, values: list[Value]) -> Value:
    """bitselect"""
    whole = like(type, integer(scalar(type).width))
    if scalar(type).kind != syntax.FLOAT:
        return expand.of_integers(target, "bitselect", type, values)
    bits: list[Value] = [target.emit(op.Bitcast, target.type(whole), [value]) for value in values]
    merged = expand.of_integers(target, "bitselect", whole, bits)
    return target.emit(op.Bitcast, target.type(type), [merged])


# --- conversions ------------------------------------------------------------------------------------------------------


def _converted(
    target: Target, statement: Statement, value: Value, name: str, saturates: bool, rounding: str, signature: str
) -> Value:
    given, wanted = statement.operands[0].type, statement.type
    ir_type = target.type(wanted)
    to_float = scalar(wanted).kind == syntax.FLOAT
    signed = is_signed(signature)
    if of_floats(signature):
        if to_float and scalar(given).width == scalar(wanted).width:
            return value
        if to_float:
            return floats.narrowed(target, wanted, given, value, rounding[1:])
        if rounding in _ROUNDED:
            value = target.extended(_ROUNDED[rounding], target.type(given), [value])
        if saturates:
            return floats.to_integer(target, wanted, given, value, not name.startswith("u"))
        return target.emit(op.ConvertFToU if name.startswith("u") else op.ConvertFToS, ir_type, [value])
    if to_float and rounding not in ("", "_rte"):
        raise Refusal(f"rounds by {rounding[1:]} to a float")
    if to_float:
        return target.emit(op.ConvertSToF if signed else op.ConvertUToF, ir_type, [value])
    if saturates:
        value = _clamped(target, given, value, signed, scalar(wanted).width, not name.startswith("u"))
    if scalar(given).width == scalar(wanted).width:
        return value
    return target.emit(op.SConvert if signed else op.UConvert, ir_type, [value])


def _clamped(target: Target, type: Type, value: Value, signed: bool, width: int, to_signed: bool) -> Value:
    """An integer within the ends of another type, as far as its own has them."""
    ir_type = target.type(type)
    own = scalar(type).width
    high = (1 << width - to_signed) - 1
    low = -(1 << width - 1) if to_signed else 0
    if signed and low > -(1 << own - 1):
        value = target.extended(42, ir_type, [value, target.constant(type, low)])
    if high < (1 << own - signed) - 1:
        value = target.extended(39 if signed else 38, ir_type, [value, target.constant(type, high)])
    return value


def shuffled(lowering: Lowering, statement: Statement) -> Result:
    """shuffle, shuffle2: each component of the result is that which the mask's lowest bits say."""
    target = lowering.target
    *given, mask = statement.operands
    parts = [part for operand in given for part in parts_of(lowering, operand)]
    kind = scalar(mask.type)
    element = target.type(scalar(statement.type))
    chosen_parts: list[Value] = []
    for place in parts_of(lowering, mask):
        low = target.emit(op.BitwiseAnd, target.type(kind), [place, target.constant(kind, len(parts) - 1)])
        picked = parts[0]
        for index, part in enumerate(parts[1:], 1):
            here = target.emit(op.IEqual, target.boolean, [low, target.constant(kind, index)])
            picked = target.emit(op.Select, element, [here, part, picked])
        chosen_parts.append(picked)
    return whole_of(lowering, statement.type, chosen_parts)
