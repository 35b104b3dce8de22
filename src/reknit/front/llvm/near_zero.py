"""expm1 and log1p, which keep the digits of a number near zero: GLSL.std.450 has neither.

    expm1 x = x + x^2 / 2 + x^3 / 6 ... for |x| < 1/2                     else exp(x) - 1
    log1p x = 2 (s + s^3 / 3 + s^5 / 5 ...), s = x / (2 + x), for |x| < 1/4     else log(1 + x)

What is left out is less than 2^-26 of the result: 1 / (2^8 * 9!) of expm1, 1 / (7^10 * 11) of log1p. Halves are
computed as floats. Source: Abramowitz and Stegun, 4.2.1 and 4.1.27.
"""

from typing import Final

from reknit.front.llvm import intrinsics, syntax
from reknit.front.llvm.bits import chosen, like, scalar, truth
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.ir import op
from reknit.ir.floats import rounded_bits
from reknit.ir.value import Value

_ABSOLUTE: Final = 4
_SINGLE: Final = Type(syntax.FLOAT, "float", 32)
_EXPONENTIAL: Final = [1 / 40320, 1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0]
_LOGARITHM: Final = [2 / 9, 2 / 7, 2 / 5, 2 / 3, 2.0]


def computed(target: Target, type: Type, name: str, value: Value) -> Value:
    """Raises Refusal for doubles."""
    given = type
    if scalar(type).width == 16:
        type = like(type, _SINGLE)
        value = target.emit(op.FConvert, target.type(type), [value])
    ir_type = target.type(type)
    one = _number(target, type, 1.0)
    if name == "expm1":
        far: Value = target.emit(op.FSub, ir_type, [intrinsics.computed(target, type, "exp", [value]), one])
        near = target.emit(op.FMul, ir_type, [value, _sum(target, type, _EXPONENTIAL, value)])
    else:
        far = intrinsics.computed(target, type, "log", [target.emit(op.FAdd, ir_type, [one, value])])
        both = target.emit(op.FAdd, ir_type, [_number(target, type, 2.0), value])
        share = target.emit(op.FDiv, ir_type, [value, both])
        square = target.emit(op.FMul, ir_type, [share, share])
        near = target.emit(op.FMul, ir_type, [share, _sum(target, type, _LOGARITHM, square)])
    size = target.extended(_ABSOLUTE, ir_type, [value])
    bound = _number(target, type, 0.5 if name == "expm1" else 0.25)
    result = chosen(target, type, truth(target, type, op.FOrdLessThan, size, bound), near, far)
    return result if given is type else target.emit(op.FConvert, target.type(given), [result])


def _sum(target: Target, type: Type, factors: list[float], value: Value) -> Value:
    """The polynomial with these factors, the highest power's first."""
    ir_type = target.type(type)
    total: Value = _number(target, type, factors[0])
    for factor in factors[1:]:
        product = target.emit(op.FMul, ir_type, [total, value])
        total = target.emit(op.FAdd, ir_type, [product, _number(target, type, factor)])
    return total


def _number(target: Target, type: Type, number: float) -> Value:
    return target.constant(type, rounded_bits(number, scalar(type).width))
