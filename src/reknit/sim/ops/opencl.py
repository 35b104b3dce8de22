"""OpenCL.std: what has one exact result. Name and shapes in, function out.

    opencl_column("s_add_sat", i8, [i8, i8], undefined)   ->   100 + 100 = 127

Results that are an implementation's within some error (sin, exp, native_*, half_*), or rounded as it likes (mad), are
not here: None. Source: OpenCL Extended Instruction Set, 2.1 "Math", 2.2 "Integer", 2.3 "Common", 2.7 "Relational".
"""

import math
from typing import Final

from reknit.ir import glsl
from reknit.sim.ops import glsl_common
from reknit.sim.ops.columns import Column, Function, over_components, over_lanes
from reknit.sim.ops.float_ import fused
from reknit.sim.ops.ieee import Format, format_of
from reknit.sim.ops.undefined import Undefined
from reknit.sim.values import FLOAT_KIND, INT_KIND, VECTOR_KIND, Shape

AS_GLSL: Final = {
    "fabs": glsl.FAbs, "floor": glsl.Floor, "ceil": glsl.Ceil, "trunc": glsl.Trunc, "rint": glsl.RoundEven,
    "fmin": glsl.NMin, "fmax": glsl.NMax, "fclamp": glsl.NClamp, "step": glsl.Step,
    "s_min": glsl.SMin, "s_max": glsl.SMax, "u_min": glsl.UMin, "u_max": glsl.UMax, "s_clamp": glsl.SClamp,
    "u_clamp": glsl.UClamp, "s_abs": glsl.SAbs,
}  # fmt: skip
"""Those with the same results, of a NaN too."""


def opencl_column(name: str, result: Shape, operands: list[Shape], undefined: Undefined) -> Column | None:
    """The function `(out, lanes, columns) -> None`."""
    if not operands:
        return None
    first = operands[0].component()
    function: Function | None = None
    if name == "bitselect":
        function = bitselect
    elif name == "select":
        function = select(operands[2].component().width if result.kind == VECTOR_KIND else 0)
    elif first.kind == INT_KIND:
        function = integer(name, first.width, undefined)
    elif first.kind == FLOAT_KIND:
        form = format_of(first.width)
        function = floating(name, form, undefined) if form is not None else None
    if function is None:
        return None
    if result.kind == VECTOR_KIND:
        function = over_components(function, result, operands)
    return over_lanes(function, len(operands), undefined)


def bitselect(a: int, b: int, c: int) -> int:
    """The bits of b where c has ones."""
    return (a & ~c) | (b & c)


def select(width: int) -> Function:
    """By the highest bit of a component of `width` bits; of a scalar (0), by whether it is zero."""
    mask = 1 << (width - 1) if width else -1
    return lambda a, b, c: b if c & mask else a


# --- integers ---------------------------------------------------------------------------------------------------------


def integer(name: str, width: int, undefined: Undefined) -> Function | None:
    number = AS_GLSL.get(name)
    if number is not None:
        return glsl_common.int_unary(number, width, width) or glsl_common.int_extreme(number, width, undefined)
    mask = (1 << width) - 1
    if name == "u_abs":
        return lambda a: a
    if name == "clz":
        return lambda a: width - int(a).bit_length()
    if name == "ctz":
        return lambda a: (a & -a).bit_length() - 1 if a else width
    if name == "popcount":
        return lambda a: int(a).bit_count()
    if name == "rotate":
        return lambda a, by: (a << by % width | a >> (width - by % width)) & mask
    if name in ("s_upsample", "u_upsample"):
        return lambda high, low: high << width | low
    top = 1 << (width - 1) if name.startswith("s_") else 0
    exact = on_integers(name[2:], width, top, undefined)
    if exact is None:
        return None
    function = exact
    return lambda *operands: function(*[(operand ^ top) - top for operand in operands]) & mask


def on_integers(name: str, width: int, top: int, undefined: Undefined) -> Function | None:
    """On numbers; `top` is the sign's bit, 0 where they have none."""
    least = -top
    most = top - 1 if top else (1 << width) - 1
    if name == "abs_diff":
        return lambda a, b: abs(a - b)
    if name == "add_sat":
        return lambda a, b: min(max(a + b, least), most)
    if name == "sub_sat":
        return lambda a, b: min(max(a - b, least), most)
    if name == "mad_sat":
        return lambda a, b, c: min(max(a * b + c, least), most)
    if name == "hadd":
        return lambda a, b: (a + b) >> 1
    if name == "rhadd":
        return lambda a, b: (a + b + 1) >> 1
    if name == "mul_hi":
        return lambda a, b: (a * b) >> width
    if name == "mad_hi":
        return lambda a, b, c: ((a * b) >> width) + c
    if name != "mul24" and name != "mad24":
        return None
    low, high = (-(1 << 23), 1 << 23) if top else (0, 1 << 24)

    def multiply(a: int, b: int, c: int = 0) -> int:
        if not (low <= a < high and low <= b < high):
            undefined.say(f"{name} of a number that 24 bits don't hold")
        return a * b + c

    return multiply


# --- floats -----------------------------------------------------------------------------------------------------------


def floating(name: str, form: Format, undefined: Undefined) -> Function | None:
    number = AS_GLSL.get(name)
    if number is not None:
        return (
            glsl_common.float_unary(number, form)
            or glsl_common.extreme(number, form, undefined)
            or glsl_common.clamp(number, form, undefined)
            or glsl_common.interpolation(number, form, undefined)
        )
    if name == "fma":
        return lambda a, b, c: fused(a, b, c, form)
    if name == "copysign":
        return lambda a, b: (a & (form.sign - 1)) | (b & form.sign)
    if name == "round":
        return glsl_common.on_number(round_away, form)
    if name == "sign":
        return glsl_common.on_number(sign, form)
    if name == "fdim":
        return lambda a, b: 0 if form.decode(a) <= form.decode(b) else form.encode(form.decode(a) - form.decode(b))
    return None


def round_away(x: float) -> float:
    """Halves away from zero."""
    whole = glsl_common.trunc(x)
    return whole + math.copysign(1.0, x) if abs(x - whole) >= 0.5 else whole


def sign(x: float) -> float:
    """Keeps a zero's own sign; a NaN gives 0."""
    if x != x:
        return 0.0
    return x if x == 0.0 else math.copysign(1.0, x)
