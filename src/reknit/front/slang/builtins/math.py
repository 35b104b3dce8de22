"""Functions that work component by component and are one instruction: floats, integers, or both.

    max(float3, 1)   ExtInst NMax %v, (1.0, 1.0, 1.0) : vec3        max(int, int)   ExtInst SMax

A NaN loses in min, max and clamp, as HLSL says, hence the N forms. Source: Microsoft's HLSL reference, "Intrinsic
Functions"; GLSL.std.450 Extended Instructions.
"""

from typing import Final

from reknit.front.slang.builtins.components import Code, Codes, by_kind
from reknit.front.slang.builtins.rows import Row, Rows
from reknit.ir import glsl, op


def _floats(signature: str, code: Code) -> Row:
    return signature, by_kind((code, 0, 0, 0))


def _numbers(signature: str, codes: Codes) -> Row:
    return signature, by_kind(codes)


_UNARY: Final = "f T(T)"
_BINARY: Final = "f T(T, T)"
_MAX: Final[Codes] = (-glsl.NMax, -glsl.SMax, -glsl.UMax, op.LogicalOr)
_MIN: Final[Codes] = (-glsl.NMin, -glsl.SMin, -glsl.UMin, op.LogicalAnd)

FUNCTIONS: Final[Rows] = {
    "acos": _floats(_UNARY, -glsl.Acos),
    "acosh": _floats(_UNARY, -glsl.Acosh),
    "asin": _floats(_UNARY, -glsl.Asin),
    "asinh": _floats(_UNARY, -glsl.Asinh),
    "atan": _floats(_UNARY, -glsl.Atan),
    "atan2": _floats(_BINARY, -glsl.Atan2),
    "atanh": _floats(_UNARY, -glsl.Atanh),
    "ceil": _floats(_UNARY, -glsl.Ceil),
    "clamp": _numbers("n T(T, T, T)", (-glsl.NClamp, -glsl.SClamp, -glsl.UClamp, 0)),
    "cos": _floats(_UNARY, -glsl.Cos),
    "cosh": _floats(_UNARY, -glsl.Cosh),
    "degrees": _floats(_UNARY, -glsl.Degrees),
    "divide": _floats(_BINARY, op.FDiv),
    "exp": _floats(_UNARY, -glsl.Exp),
    "exp2": _floats(_UNARY, -glsl.Exp2),
    "fabs": _floats(_UNARY, -glsl.FAbs),
    "floor": _floats(_UNARY, -glsl.Floor),
    "fma": _floats("f T(T, T, T)", -glsl.Fma),
    "fmax": _floats(_BINARY, -glsl.NMax),
    "fmin": _floats(_BINARY, -glsl.NMin),
    "fmod": _floats(_BINARY, op.FRem),
    "frac": _floats(_UNARY, -glsl.Fract),
    "fract": _floats(_UNARY, -glsl.Fract),
    "isinf": _floats("f T:bool(T)", op.IsInf),
    "isnan": _floats("f T:bool(T)", op.IsNan),
    "lerp": _floats("f T(T, T, T)", -glsl.FMix),
    "log": _floats(_UNARY, -glsl.Log),
    "log2": _floats(_UNARY, -glsl.Log2),
    "max": _numbers("n T(T, T)", _MAX),
    "min": _numbers("n T(T, T)", _MIN),
    "pow": _floats(_BINARY, -glsl.Pow),
    "powr": _floats(_BINARY, -glsl.Pow),
    "radians": _floats(_UNARY, -glsl.Radians),
    "rint": _floats(_UNARY, -glsl.RoundEven),
    "round": _floats(_UNARY, -glsl.RoundEven),
    "rsqrt": _floats(_UNARY, -glsl.InverseSqrt),
    "sin": _floats(_UNARY, -glsl.Sin),
    "sinh": _floats(_UNARY, -glsl.Sinh),
    "sqrt": _floats(_UNARY, -glsl.Sqrt),
    "step": _floats(_BINARY, -glsl.Step),
    "tan": _floats(_UNARY, -glsl.Tan),
    "tanh": _floats(_UNARY, -glsl.Tanh),
    "trunc": _floats(_UNARY, -glsl.Trunc),
}
