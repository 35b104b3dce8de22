"""Functions of doubles against Python's, which are the C library's: within a few units in the last place."""

import math
import struct

import pytest
from kit.oracles import validate

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.spirv.write import write_module

ALL = [0.0, 1e-9, -0.1, 0.29, 0.31, 0.5, -0.75, 0.99, 1.0, 1.3, -2.0, 2.5, 9.0, -33.3, 300.25, 1e5]
INSIDE = [-1.0, -0.999, -0.5, -1e-7, 0.0, 0.3, 0.43, 0.7, 0.95, 1.0]
POSITIVE = [1e-310, 1e-300, 1e-5, 0.5, 0.9999, 1.0, 1.0001, 1.5, 2.0, 8.0, 10.0, 1e17, 1e300]
CASES = {
    "sin": (math.sin, ALL), "cos": (math.cos, ALL), "tan": (math.tan, ALL), "atan": (math.atan, ALL),
    "asin": (math.asin, INSIDE), "acos": (math.acos, INSIDE), "sinh": (math.sinh, ALL[:-1]),
    "cosh": (math.cosh, ALL[:-1]), "tanh": (math.tanh, ALL), "asinh": (math.asinh, ALL),
    "acosh": (math.acosh, [1.0, 1.00001, 1.5, 20.0, 1e9]), "atanh": (math.atanh, INSIDE[1:-1]),
    "exp": (math.exp, [-700.0, -1.0, -1e-10, 0.0, 0.34, 1.0, 50.5, 709.0]),
    "exp2": (math.exp2, [-1000.5, -1.0, 0.0, 0.5, 9.0, 1000.25]),
    "exp10": (lambda x: 10.0**x, [-3.0, 0.0, 0.5, 2.0, 17.0]),
    "log": (math.log, POSITIVE), "log2": (math.log2, POSITIVE), "log10": (math.log10, POSITIVE),
    "radians": (math.radians, ALL), "degrees": (math.degrees, ALL),
}  # fmt: skip
PAIRS = {
    "pow": (math.pow, [(2.0, 10.0), (2.0, 0.5), (10.0, -3.0), (1.5, 100.0), (0.3, 7.25), (7.0, 0.0)]),
    "ldexp": (lambda x, y: x * math.exp2(y), [(3.0, 4.0), (1.0, -1060.0), (2.5, 0.5)]),
    "atan2": (math.atan2, [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 2.0), (2.0, 0.0), (-2.0, 0.0), (0.0, -3.0)]),
}
MAIN = '[shader("compute")] [numthreads(1, 1, 1)] void main() { %s }'


def run(source: str, given: list[float]) -> list[float]:
    module = compile_slang(source, "a.slang", Settings(entries=["main"]))
    accepted, said = validate(write_module(module))
    assert accepted, said
    raw = struct.pack(f"<{len(given)}d", *given)
    words = reknit.run(module, buffers={"o": list(struct.unpack(f"<{2 * len(given)}I", raw))}).buffers["o"].words
    return list(struct.unpack(f"<{len(given)}d", struct.pack(f"<{len(words)}I", *words)))


def close(found: float, expected: float) -> bool:
    return math.isclose(found, expected, rel_tol=4e-14, abs_tol=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_a_function_of_one(name: str) -> None:
    of, given = CASES[name]
    source = "RWStructuredBuffer<double> o;\n" + MAIN % f"for (int i = 0; i < {len(given)}; i++) o[i] = {name}(o[i]);"
    for value, found in zip(given, run(source, given), strict=True):
        scaled = 1e5 * 2.3e-16 / 1e-15 if name in ("sin", "cos", "tan") and abs(value) > 1e3 else 1.0
        assert close(found, of(value)) or abs(found - of(value)) < 1e-15 * scaled, (value, found, of(value))


@pytest.mark.parametrize("name", PAIRS)
def test_a_function_of_two(name: str) -> None:
    of, pairs = PAIRS[name]
    body = f"for (int i = 0; i < {len(pairs)}; i++) o[2 * i] = {name}(o[2 * i], o[2 * i + 1]);"
    found = run("RWStructuredBuffer<double> o;\n" + MAIN % body, [part for pair in pairs for part in pair])
    for index, (a, b) in enumerate(pairs):
        assert close(found[2 * index], of(a, b)), (a, b, found[2 * index])


def test_what_is_no_number() -> None:
    """log(0), log(-1), log(inf), exp(1000), exp(-1000)."""
    body = "o[0] = log(o[0]); o[1] = log(o[1]); o[2] = log(o[2]); o[3] = exp(o[3]); o[4] = exp(o[4]);"
    found = run("RWStructuredBuffer<double> o;\n" + MAIN % body, [0.0, -1.0, math.inf, 1000.0, -1000.0])
    assert found[0] == -math.inf and math.isnan(found[1]) and found[2:] == [math.inf, math.inf, 0.0]


def test_vectors_and_matrices_and_several_results() -> None:
    body = """
    double2 v = sin(double2(o[0], o[1])); double2x2 m = exp(double2x2(o[0], o[1], o[0], o[1]));
    double s; double c; sincos(o[0], s, c);
    double2x2 sines; double2x2 cosines; sincos(double2x2(o[0], o[1], o[1], o[0]), sines, cosines);
    o[6] = sines[0][1]; o[7] = cosines[1][1];
    o[0] = v.x; o[1] = v.y; o[2] = m[1][0]; o[3] = m[0][1]; o[4] = s; o[5] = c;
    """
    found = run("RWStructuredBuffer<double> o;\n" + MAIN % body, [0.5, 1.5, 0, 0, 0, 0, 0, 0])
    expected = [math.sin(0.5), math.sin(1.5), math.exp(0.5), math.exp(1.5), math.sin(0.5), math.cos(0.5)]
    expected.extend([math.sin(1.5), math.cos(0.5)])
    assert all(close(a, b) for a, b in zip(found, expected, strict=True))


def test_floats_keep_their_instructions() -> None:
    """A source that names doubles computes those of floats as before."""
    source = "RWStructuredBuffer<double> o; RWStructuredBuffer<float> f;\n" + MAIN % "f[0] = sin(f[1]); o[0] = 1;"
    assert len(compile_slang(source, "a.slang").functions) == 1
