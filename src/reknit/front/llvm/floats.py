"""What LLVM asks of floats beyond GLSL.std.450: classes, minima that see signs of zero, conversions that saturate.

    llvm.minimum(a, b)        a + b if unordered, else the less; of zeros the one with the sign
    llvm.is.fpclass(x, 3)     is x not a number? asked of its bits
    llvm.fptosi.sat(x)        0 for what is not a number, the nearest end of the type for what is beyond it

Source: LLVM Language Reference, "Standard C/C++ Library Intrinsics", "Saturating floating-point to integer
conversions", "llvm.is.fpclass".
"""

from typing import Final

from reknit.front.llvm.bits import chosen, integer, like, scalar, truth
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import op
from reknit.ir.floats import rounded_bits
from reknit.ir.value import Value

_FRACTION: Final = {16: 10, 32: 23, 64: 52}  # bits
_TRUNC: Final = 3
_ABSOLUTE: Final = 4
_N_MIN: Final = 79
_N_MAX: Final = 80


def _number(target: Target, type: Type, number: float) -> Value:
    return target.constant(type, rounded_bits(number, scalar(type).width))


def _as_bits(type: Type) -> Type:
    return like(type, integer(scalar(type).width))


def _cast(target: Target, type: Type, value: Value) -> Value:
    return target.emit(op.Bitcast, target.type(type), [value])


def extreme(target: Target, type: Type, name: str, a: Value, b: Value) -> Value:
    """minimum, maximum (what is not a number wins) and minimumnum, maximumnum (it loses); -0 is less than 0."""
    least = name.startswith("min")
    ir_type = target.type(type)
    whole = _as_bits(type)
    best: Value = target.extended(_N_MIN if least else _N_MAX, ir_type, [a, b])
    code = op.BitwiseOr if least else op.BitwiseAnd
    joined = target.emit(code, target.type(whole), [_cast(target, whole, a), _cast(target, whole, b)])
    same = truth(target, type, op.FOrdEqual, a, b)
    best = chosen(target, type, same, _cast(target, type, joined), best)
    if name.endswith("num"):
        return best
    numbers = truth(target, type, op.FOrdEqual, a, a)
    other = truth(target, type, op.FOrdEqual, b, b)
    ordered = target.emit(op.LogicalAnd, target.type(like(type, integer(1))), [numbers, other])
    return chosen(target, type, ordered, best, target.emit(op.FAdd, ir_type, [a, b]))


def with_sign(target: Target, type: Type, a: Value, b: Value) -> Value:
    """llvm.copysign: the size of a, the sign of b."""
    whole = _as_bits(type)
    ir_type = target.type(whole)
    sign = 1 << scalar(type).width - 1
    size = target.emit(op.BitwiseAnd, ir_type, [_cast(target, whole, a), target.constant(whole, sign - 1)])
    signs = target.emit(op.BitwiseAnd, ir_type, [_cast(target, whole, b), target.constant(whole, sign)])
    return _cast(target, type, target.emit(op.BitwiseOr, ir_type, [size, signs]))


def rounded(target: Target, type: Type, a: Value) -> Value:
    """llvm.round: halves go away from zero."""
    ir_type = target.type(type)
    whole = target.extended(_TRUNC, ir_type, [a])
    rest = target.extended(_ABSOLUTE, ir_type, [target.emit(op.FSub, ir_type, [a, whole])])
    away = truth(target, type, op.FOrdGreaterThanEqual, rest, _number(target, type, 0.5))
    signed_one = with_sign(target, type, _number(target, type, 1.0), a)
    return chosen(target, type, away, target.emit(op.FAdd, ir_type, [whole, signed_one]), whole)


def classified(target: Target, type: Type, value: Value, mask: int) -> Value:
    """llvm.is.fpclass; bits of the mask: signaling, quiet, -inf, -normal, -subnormal, -0, 0, subnormal, normal, inf."""
    truths = target.type(like(type, integer(1)))
    whole = _as_bits(type)
    width = scalar(type).width
    fraction = _FRACTION[width]
    sign = 1 << width - 1
    normal = 1 << fraction
    infinite = sign - normal
    bits = _cast(target, whole, value)
    size = target.emit(op.BitwiseAnd, target.type(whole), [bits, target.constant(whole, sign - 1)])
    ranges = (  # what the size is from and below; which bit of the mask if positive, if negative
        (0, 1, 6, 5), (1, normal, 7, 4), (normal, infinite, 8, 3), (infinite, infinite + 1, 9, 2),
        (infinite + 1, infinite + (normal >> 1), 0, 0), (infinite + (normal >> 1), sign, 1, 1),
    )  # fmt: skip
    answer: Value | None = None
    for first, end, positive, negative in ranges:
        wanted = [bool(mask >> positive & 1), bool(mask >> negative & 1)]
        if not any(wanted):
            continue
        # from the start of the range, unsigned
        moved = target.emit(op.ISub, target.type(whole), [size, target.constant(whole, first)])
        here = truth(target, whole, op.ULessThan, moved, target.constant(whole, end - first))
        if wanted[0] != wanted[1]:
            code = op.SGreaterThanEqual if wanted[0] else op.SLessThan
            signed = truth(target, whole, code, bits, target.constant(whole, 0))
            here = target.emit(op.LogicalAnd, truths, [here, signed])
        answer = here if answer is None else target.emit(op.LogicalOr, truths, [answer, here])
    return answer if answer is not None else target.constant(like(type, integer(1)), 0)


def to_integer(target: Target, wanted: Type, type: Type, value: Value, signed: bool) -> Value:
    """llvm.fptosi.sat and llvm.fptoui.sat. Nothing outside of the type is converted: that is undefined in SPIR-V."""
    width = scalar(wanted).width
    if scalar(wanted).is_bool():
        raise Refusal("makes an i1 of a float")
    lowest = -(1 << width - 1) if signed else 0
    end = 1 << (width - 1 if signed else width)
    ir_type = target.type(wanted)
    truths = target.type(like(type, integer(1)))
    start = _number(target, type, float(lowest))
    is_open = abs(lowest) >= 65536 and scalar(type).width == 16  # the end of the type is beyond all of its numbers
    above = truth(target, type, op.FOrdGreaterThan if is_open else op.FOrdGreaterThanEqual, value, start)
    below = truth(target, type, op.FOrdLessThan, value, _number(target, type, float(end)))
    inside = target.emit(op.LogicalAnd, truths, [above, below])
    safe = chosen(target, type, inside, value, _number(target, type, 0.0))
    converted = target.emit(op.ConvertFToS if signed else op.ConvertFToU, ir_type, [safe])
    high = truth(target, type, op.FOrdGreaterThan, value, _number(target, type, 0.0))
    low = truth(target, type, op.FOrdLessThan, value, _number(target, type, 0.0))
    beyond = chosen(target, wanted, low, target.constant(wanted, lowest), target.constant(wanted, 0))
    beyond = chosen(target, wanted, high, target.constant(wanted, end - 1), beyond)
    return chosen(target, wanted, inside, converted, beyond)


def narrowed(target: Target, wanted: Type, type: Type, value: Value, rounding: str) -> Value:
    """A float as one of fewer bits, rounded to zero ("rtz"), up ("rtp"), down ("rtn") or as FConvert does. What that
    gives is one of the two neighbours; where it is on the wrong side, the other is the next number in bits."""
    near: Value = target.emit(op.FConvert, target.type(wanted), [value])
    if rounding in ("", "rte") or scalar(type).width <= scalar(wanted).width:
        return near
    back: Value = target.emit(op.FConvert, target.type(type), [near])
    whole = _as_bits(wanted)
    bits = _cast(target, whole, near)
    one = target.constant(whole, 1)
    smaller = target.emit(op.ISub, target.type(whole), [bits, one])
    if rounding == "rtz":
        sizes = [target.extended(_ABSOLUTE, target.type(type), [number]) for number in (back, value)]
        wrong = truth(target, type, op.FOrdGreaterThan, *sizes)
        return chosen(target, wanted, wrong, _cast(target, wanted, smaller), near)
    larger = target.emit(op.IAdd, target.type(whole), [bits, one])
    negative = truth(target, whole, op.SLessThan, bits, target.constant(whole, 0))
    outward = [smaller, larger] if rounding == "rtp" else [larger, smaller]
    moved = chosen(target, whole, negative, *outward)
    wrong = truth(target, type, op.FOrdLessThan if rounding == "rtp" else op.FOrdGreaterThan, back, value)
    return chosen(target, wanted, wrong, _cast(target, wanted, moved), near)


def next_after(target: Target, type: Type, a: Value, b: Value) -> Value:
    """The number next to a in the direction of b (OpenCL C 3.0, 6.15.2, nextafter)."""
    whole = _as_bits(type)
    ir_type = target.type(whole)
    width = scalar(type).width
    sign = target.constant(whole, 1 << width - 1)
    bits = _cast(target, whole, a)
    up = truth(target, type, op.FOrdLessThan, a, b)
    negative = truth(target, whole, op.SLessThan, bits, target.constant(whole, 0))
    one = target.constant(whole, 1)
    outward = target.emit(op.LogicalNotEqual, target.type(like(type, integer(1))), [up, negative])
    larger, smaller = [target.emit(code, ir_type, [bits, one]) for code in (op.IAdd, op.ISub)]
    moved = chosen(target, whole, outward, larger, smaller)
    least = chosen(target, whole, up, one, target.emit(op.BitwiseOr, ir_type, [sign, one]))
    zero = truth(target, type, op.FOrdEqual, a, _number(target, type, 0.0))
    result: Value = _cast(target, type, chosen(target, whole, zero, least, moved))
    result = chosen(target, type, truth(target, type, op.FOrdEqual, a, b), b, result)
    ordered = [truth(target, type, op.FOrdEqual, number, number) for number in (a, b)]
    numbers = target.emit(op.LogicalAnd, target.type(like(type, integer(1))), [*ordered])
    return chosen(target, type, numbers, result, target.emit(op.FAdd, target.type(type), [a, b]))
