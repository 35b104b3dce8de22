"""Single builtins on the simulator; a lane is a column.

Expected values are worked out by hand or with numpy from the definitions in Microsoft's HLSL reference.
"""

import math
from typing import Any

import numpy
import pytest
from unit.front.slang.builtins.bench import run_builtin

from reknit.front.slang.builtins.names import numeric
from reknit.front.slang.types import DOUBLE, FLOAT, HALF, INT, INT16, INT64, UINT, UINT8, UINT64, Type

NAN = math.nan
INF = math.inf


def named(name: str) -> Type:
    found = numeric(name)
    assert found is not None
    return found


ROWS: list[tuple[str, list[Type], list[list[Any]], list[Any]]] = [
    ("abs", [INT], [[-3, 3, 0, -(2**31) + 1]], [3, 3, 0, 2**31 - 1]),
    ("abs", [UINT], [[5, 2**31, 0, 1]], [5, 2**31, 0, 1]),
    ("sign", [FLOAT], [[-2.5, 0.0, 7.0, -0.0]], [-1, 0, 1, 0]),
    ("sign", [INT], [[-9, 0, 9, 1]], [-1, 0, 1, 1]),
    ("max", [FLOAT, FLOAT], [[1.0, NAN, 3.0, NAN], [2.0, 5.0, NAN, -1.0]], [2.0, 5.0, 3.0, -1.0]),
    ("min", [UINT, UINT], [[1, 0xFFFFFFFF, 3, 4], [2, 1, 3, 0]], [1, 1, 3, 0]),
    ("min", [INT, INT], [[1, -1, 3, 4], [2, 1, 3, -7]], [1, -1, 3, -7]),
    ("clamp", [INT] * 3, [[-5, 5, 50, 0], [0] * 4, [10] * 4], [0, 5, 10, 0]),
    ("saturate", [FLOAT], [[-1.0, 0.25, 2.0, NAN]], [0.0, 0.25, 1.0, 0.0]),
    ("fmod", [FLOAT, FLOAT], [[5.5, -5.5, 5.5, -5.5], [2.0, 2.0, -2.0, -2.0]], [1.5, -1.5, 1.5, -1.5]),
    ("frac", [FLOAT], [[1.25, -1.25, 0.0, 3.0]], [0.25, 0.75, 0.0, 0.0]),
    ("round", [FLOAT], [[0.5, 1.5, 2.5, -0.5]], [0.0, 2.0, 2.0, -0.0]),
    ("trunc", [FLOAT], [[1.75, -1.75, 0.5, -0.5]], [1.0, -1.0, 0.0, -0.0]),
    ("rcp", [FLOAT], [[2.0, -4.0, 0.5, 8.0]], [0.5, -0.25, 2.0, 0.125]),
    ("step", [FLOAT, FLOAT], [[1.0] * 4, [0.5, 1.0, 1.5, -1.0]], [0.0, 1.0, 1.0, 0.0]),
    ("lerp", [FLOAT] * 3, [[0.0] * 4, [10.0] * 4, [0.0, 0.5, 1.0, 2.0]], [0.0, 5.0, 10.0, 20.0]),
    ("smoothstep", [FLOAT] * 3, [[0.0] * 3 + [2.0], [2.0] * 3 + [0.0], [-1.0, 1.0, 3.0, 0.5]], [0, 0.5, 1, 0.84375]),
    ("mad", [INT] * 3, [[2, 3, -4, 5], [10, 10, 10, 10], [1, 2, 3, 4]], [21, 32, -37, 54]),
    ("isfinite", [FLOAT], [[1.0, INF, -INF, NAN]], [True, False, False, False]),
    ("isinf", [FLOAT], [[1.0, INF, -INF, NAN]], [False, True, True, False]),
    ("ldexp", [FLOAT, INT], [[1.0, 3.0, 0.5, -1.0], [3, -1, 2, 0]], [8.0, 1.5, 2.0, -1.0]),
    ("ldexp", [FLOAT, FLOAT], [[1.0, 3.0, 0.5, -1.0], [3.0, -1.0, 2.0, 0.0]], [8.0, 1.5, 2.0, -1.0]),
    ("copysign", [FLOAT, FLOAT], [[1.0, 1.0, -2.0, -2.0], [3.0, -0.0, 0.0, -1.0]], [1.0, -1.0, 2.0, -2.0]),
    ("median3", [INT] * 3, [[1, 3, 2, 7], [2, 1, 3, 7], [3, 2, 1, 1]], [2, 2, 2, 7]),
    ("fdim", [FLOAT, FLOAT], [[5.0, 1.0, 2.0, -1.0], [3.0, 4.0, 2.0, -3.0]], [2.0, 0.0, 0.0, 2.0]),
    ("dot", [named("int3")] * 2, [[[1, 2, 3], [0, 0, 1]], [[4, 5, 6], [7, 8, 9]]], [32, 9]),
    ("cross", [named("float3")] * 2, [[[1, 0, 0], [0, 1, 0]], [[0, 1, 0], [0, 0, 1]]], [[0, 0, 1], [1, 0, 0]]),
    ("cross", [named("int3")] * 2, [[[1, 2, 3]], [[4, 5, 6]]], [[-3, 6, -3]]),
    ("length", [named("float2")], [[[3, 4], [5, 12]]], [5.0, 13.0]),
    ("normalize", [named("float2")], [[[3, 4], [0, 2]]], [[pytest.approx(0.6), pytest.approx(0.8)], [0.0, 1.0]]),
    ("reflect", [named("float2")] * 2, [[[1, -1]], [[0, 1]]], [[1.0, 1.0]]),
    ("dst", [named("float4")] * 2, [[[9, 2, 3, 9]], [[9, 5, 9, 7]]], [[1.0, 10.0, 3.0, 7.0]]),
    ("lit", [FLOAT] * 3, [[0.5, -1.0], [0.5, 0.5], [2.0, 2.0]], [[1, 0.5, 0.25, 1], [1, 0, 0, 1]]),
    ("countbits", [UINT], [[0, 1, 0xFFFFFFFF, 0xF0]], [0, 1, 32, 4]),
    ("countbits", [INT16], [[-1, 1, 3, 0]], [16, 1, 2, 0]),
    ("countbits", [UINT64], [[2**64 - 1, 2**40, 5, 0]], [64, 1, 2, 0]),
    ("firstbithigh", [INT], [[1, -1, 12, -2]], [0, 0xFFFFFFFF, 3, 0]),
    ("firstbithigh", [UINT], [[0, 1, 0x80000000, 12]], [0xFFFFFFFF, 0, 31, 3]),
    ("firstbithigh", [INT64], [[2**40, -1, 5, -(2**40)]], [40, 0xFFFFFFFF, 2, 39]),
    ("firstbitlow", [UINT], [[0, 1, 0x80000000, 12]], [0xFFFFFFFF, 0, 31, 2]),
    ("firstbitlow", [UINT64], [[0, 2**33, 6, 2**63]], [0xFFFFFFFF, 33, 1, 63]),
    ("reversebits", [UINT], [[1, 0x80000000, 3, 0]], [0x80000000, 1, 0xC0000000, 0]),
    ("reversebits", [UINT8], [[1, 0x80, 0x0F, 0xA0]], [0x80, 1, 0xF0, 0x05]),
    ("reversebits", [UINT64], [[1, 2**63, 3, 0]], [2**63, 1, 3 << 62, 0]),
    ("f16tof32", [UINT], [[0x3C00, 0xC000, 0x7BFF, 0xFFFF3800]], [1.0, -2.0, 65504.0, 0.5]),
    ("f16tof32", [HALF], [[1.0, -2.0, 65504.0, 0.5]], [1.0, -2.0, 65504.0, 0.5]),
    ("f32tof16_", [FLOAT], [[1.0, -2.0, 65504.0, 0.5]], [1.0, -2.0, 65504.0, 0.5]),
    ("f32tof16", [FLOAT], [[1.0, -2.0, 65504.0, 0.5]], [0x3C00, 0xC000, 0x7BFF, 0x3800]),
    ("asuint", [FLOAT], [[1.0, -0.0, 2.0, 0.0]], [0x3F800000, 0x80000000, 0x40000000, 0]),
    ("asint", [FLOAT], [[1.0, -0.0, 2.0, 0.0]], [0x3F800000, -(2**31), 0x40000000, 0]),
    ("asfloat", [UINT], [[0x3F800000, 0x40000000]], [1.0, 2.0]),
    ("asuint16", [HALF], [[1.0, -2.0]], [0x3C00, 0xC000]),
    ("asdouble", [UINT, UINT], [[0, 0], [0x3FF00000, 0xC0000000]], [1.0, -2.0]),
    ("pack_u8", [named("uint4")], [[[1, 2, 3, 0x104]]], [0x04030201]),
    ("pack_clamp_u8", [named("int4")], [[[-1, 256, 7, 255]]], [0xFF07FF00]),
    ("pack_clamp_s8", [named("int4")], [[[-200, 200, -1, 5]]], [0x05FF7F80]),
    ("unpack_s8s32", [UINT], [[0x80FF7F01]], [[1, 127, -1, -128]]),
    ("unpack_u8u32", [UINT], [[0x80FF7F01]], [[1, 127, 255, 128]]),
    ("dot4add_u8packed", [UINT] * 3, [[0x04030201], [0x01010101], [100]], [110]),
    ("dot4add_i8packed", [UINT, UINT, INT], [[0xFF030201], [0x05010101], [100]], [101]),
    ("D3DCOLORtoUBYTE4", [named("float4")], [[[0.0, 0.5, 1.0, 1.0]]], [[255, 127, 0, 255]]),
    ("any", [named("float3")], [[[0, 0, 0], [0, 1, 0]]], [False, True]),
    ("all", [named("int2x2")], [[[1, 2, 3, 4], [1, 0, 3, 4]]], [True, False]),
    ("select", [named("bool2"), named("int2"), named("int2")], [[[1, 0]], [[1, 2]], [[3, 4]]], [[1, 4]]),
    ("and", [named("bool2")] * 2, [[[1, 0]], [[1, 1]]], [[True, False]]),
    ("transpose", [named("float2x3")], [[[1, 2, 3, 4, 5, 6]]], [[1, 4, 2, 5, 3, 6]]),
    ("transpose", [named("int2x3")], [[[1, 2, 3, 4, 5, 6]]], [[1, 4, 2, 5, 3, 6]]),
    ("determinant", [named("float2x2")], [[[1, 2, 3, 4]]], [-2.0]),
    ("abs", [named("int2x2")], [[[-1, 2, -3, 4]]], [[1, 2, 3, 4]]),
    ("sqrt", [DOUBLE], [[4.0, 2.25]], [2.0, 1.5]),
]  # fmt: skip


NAMES = [f"{row[0]}-{number}" for number, row in enumerate(ROWS)]
MATRICES = [("2x3", "3"), ("2", "2x3"), ("2x3", "3x4"), ("3", "3"), ("", "2x3"), ("2x3", "")]


@pytest.mark.parametrize(("name", "types", "given", "expected"), ROWS, ids=NAMES)
def test_value(name: str, types: list[Type], given: list[list[Any]], expected: list[Any]) -> None:
    assert run_builtin(name, types, given) == expected


def test_msad4_by_its_definition() -> None:
    """Each of four windows of four bytes against the reference; a reference byte of 0 counts nothing."""
    reference = [0x00, 0x03, 0x02, 0x01]
    source = [1, 2, 3, 5, 7, 6, 0, 0]
    expected = [
        total + sum(abs(source[at + i] - reference[i]) for i in range(4) if reference[i])
        for at, total in enumerate([1, 0, 0, 0])
    ]
    word = int.from_bytes(bytes(reference), "little")
    halves = [int.from_bytes(bytes(source[:4]), "little"), int.from_bytes(bytes(source[4:]), "little")]
    types = [UINT, named("uint2"), named("uint4")]
    assert run_builtin("msad4", types, [[word], [halves], [[1, 0, 0, 0]]]) == [expected]


@pytest.mark.parametrize("element", ["float", "int", "double"])
@pytest.mark.parametrize(("left", "right"), MATRICES)
def test_mul_is_numpys_product(element: str, left: str, right: str) -> None:
    def make(text: str, start: int) -> Any:
        sizes = [int(part) for part in text.split("x")] if text else []
        return (numpy.arange(start, start + int(numpy.prod(sizes, dtype=int)))).reshape(sizes)

    a, b = make(left, 1), make(right, 3)
    expected = a @ b if left and right else a * b
    types = [named(element + left), named(element + right)]
    given = [[value.flatten().tolist() if value.ndim else int(value)] for value in (a, b)]
    flat = numpy.asarray(expected).flatten().tolist()
    assert run_builtin("mul", types, given) == [flat if len(flat) > 1 else flat[0]]


CASTS: list[tuple[str, Type, Type, list[Any], list[Any]]] = [
    ("__intCast", INT, INT64, [-1, 5], [-1, 5]),
    ("__intCast", UINT, INT64, [0xFFFFFFFF, 5], [0xFFFFFFFF, 5]),
    ("__intCast", INT64, INT16, [0x12345, -2], [0x2345, -2]),
    ("__realCast", FLOAT, HALF, [1.5, 65504.0], [1.5, 65504.0]),
    ("__realCast", INT, FLOAT, [-3, 7], [-3.0, 7.0]),
]


@pytest.mark.parametrize(("name", "source", "target", "given", "expected"), CASTS)
def test_casts_keep_the_number(name: str, source: Type, target: Type, given: list[Any], expected: list[Any]) -> None:
    assert run_builtin(name, [source], [given], type_arguments=[target]) == expected


def test_results_that_go_to_out_parameters() -> None:
    sine, cosine = run_builtin("sincos", [FLOAT] * 3, [[0.0, math.pi / 2]], outs=[1, 2])
    assert sine == [0.0, pytest.approx(1.0)]
    assert cosine == [1.0, pytest.approx(0.0, abs=1e-6)]
    fraction, whole = run_builtin("modf", [FLOAT] * 2, [[1.75, -1.75]], outs=[1])
    assert (fraction, whole) == ([0.75, -0.75], [1.0, -1.0])
    mantissa, exponent = run_builtin("frexp", [FLOAT, INT], [[8.0, 0.75]], outs=[1])
    assert (mantissa, exponent) == ([0.5, 0.75], [4, 0])
    types = [named("float2x2"), named("float2x2")]
    fraction, whole = run_builtin("modf", types, [[[1.5, 2.25, -3.5, 4.0]]], outs=[1])
    assert (fraction, whole) == ([[0.5, 0.25, -0.5, 0.0]], [[1.0, 2.0, -3.0, 4.0]])
    low, high = run_builtin("asuint", [DOUBLE, UINT, UINT], [[1.0, -2.0]], outs=[1, 2])
    assert (low, high) == ([0, 0], [0x3FF00000, 0xC0000000])


CURVES = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "log", "log2", "log10", "sqrt",
]  # fmt: skip


@pytest.mark.parametrize("name", CURVES)
def test_curves_are_numpys(name: str) -> None:
    values = [0.125, 0.5, 0.75, 1.0]
    function = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(name, name)
    expected = getattr(numpy, function)(numpy.array(values, dtype=numpy.float64)).tolist()
    assert run_builtin(name, [FLOAT], [values]) == pytest.approx(expected, rel=1e-5, abs=1e-6)
