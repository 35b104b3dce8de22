"""Classes and conversions of floats, beyond GLSL.std.450 and the library.

    llvm.is.fpclass(x, 3)     is x not a number? asked of its bits
    llvm.fptosi.sat.i33(x)    as an i64, and then no more than an i33 has

Source: LLVM Language Reference, "Standard C/C++ Library Intrinsics", "Saturating floating-point to integer
conversions", "llvm.is.fpclass".
"""

from typing import Final

from reknit.front.llvm import odd
from reknit.front.llvm.bits import integer, is_odd, like, scalar, truth
from reknit.front.llvm.library.expand import of_floats
from reknit.front.llvm.syntax import Type
from reknit.front.llvm.target import Target
from reknit.front.llvm.unsupported import Refusal
from reknit.ir import op
from reknit.ir.value import Value

_FRACTION: Final = {16: 10, 32: 23, 64: 52}  # bits


def classified(target: Target, type: Type, value: Value, mask: int) -> Value:
    """llvm.is.fpclass; bits of the mask: signaling, quiet, -inf, -normal, -subnormal, -0, 0, subnormal, normal, inf."""
    truths = target.type(like(type, integer(1)))
    width = scalar(type).width
    whole = like(type, integer(width))
    fraction = _FRACTION[width]
    sign = 1 << width - 1
    normal = 1 << fraction
    infinite = sign - normal
    bits = target.emit(op.Bitcast, target.type(whole), [value])
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
    """llvm.fptosi.sat and llvm.fptoui.sat."""
    if scalar(wanted).is_bool():
        raise Refusal("makes an i1 of a float")
    name, letter = ("fptosi_sat", "s") if signed else ("fptoui_sat", "u")
    if not is_odd(wanted):
        return of_floats(target, name, [type, wanted], [value], letter)
    wide = like(wanted, integer(target.held(scalar(wanted).width)))
    whole = of_floats(target, name, [type, wide], [value], letter)
    return odd.within(target, wanted, whole, signed)


def narrowed(target: Target, wanted: Type, type: Type, value: Value, rounding: str) -> Value:
    """A float as one of fewer bits, rounded to zero ("rtz"), up ("rtp"), down ("rtn") or as FConvert does."""
    if rounding in ("", "rte") or scalar(type).width <= scalar(wanted).width:
        return target.emit(op.FConvert, target.type(wanted), [value])
    return of_floats(target, f"narrowed_{rounding}", [type, wanted], [value])
