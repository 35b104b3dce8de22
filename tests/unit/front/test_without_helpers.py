"""HLSL's wave operations know no helper lanes: HLSL Shader Model 6.7, "Wave Ops Include Helper Lanes", asks for them.

    if (hidden) discard;  WaveActiveSum(v)  ->  the sum over the lanes that are left, whatever becomes of the others

Eight fragments in two quads; what each operation gives is computed from the lanes that aren't hidden.
"""

import functools
import math
import operator
from collections.abc import Callable

import pytest
from kit import oracles

import reknit
from reknit.front.slang.compile import Settings
from reknit.ir.module import Module
from reknit.sim.drawing import Drawing, Primitive

TEXT = """RWStructuredBuffer<uint> o : register(u1);
ATTRIBUTE
void main(float4 p : SV_Position) {
    uint x = (uint)p.x, y = (uint)p.y, at = y * 4 + x, v = at * 3 + 2;
    if (HIDDEN) discard;
    o[at] = EXPRESSION;
}
"""
DRAWING = Drawing([4, 2], [Primitive([[0, 0], [8, 0], [0, 8]], {})])
HIDDEN = {"x == 1": (1, 5), "x != 3": (0, 1, 2, 4, 5, 6), "at == 0 || at == 7": (0, 7)}

Model = Callable[[list[int], int], int]
"""By the values of the lanes that are left, and the own one: what a lane gets."""

MODELS: dict[str, Model] = {
    "WaveActiveSum(v)": lambda left, own: sum(left),
    "WaveActiveProduct(v)": lambda left, own: math.prod(left) & 0xFFFFFFFF,
    "WaveActiveMin(v)": lambda left, own: min(left),
    "WaveActiveMax(v)": lambda left, own: max(left),
    "(uint)-WaveActiveMax(-(int)v)": lambda left, own: min(left),
    "(uint)-WaveActiveMax(-(float)v)": lambda left, own: min(left),
    "(uint)WaveActiveSum((float)v)": lambda left, own: sum(left),
    "WaveActiveBitAnd(v | 64)": lambda left, own: functools.reduce(operator.and_, left) | 64,
    "WaveActiveBitOr(v)": lambda left, own: functools.reduce(operator.or_, left),
    "WaveActiveBitXor(v)": lambda left, own: functools.reduce(operator.xor, left),
    "WaveActiveCountBits(v > 9)": lambda left, own: sum(each > 9 for each in left),
    "countbits(WaveActiveBallot(true).x)": lambda left, own: len(left),
    "WaveActiveAllTrue(v > 9)": lambda left, own: all(each > 9 for each in left),
    "WaveActiveAnyTrue(v < 9)": lambda left, own: any(each < 9 for each in left),
    "WaveActiveAllEqual(v)": lambda left, own: len(left) == 1,
    "WaveActiveAllEqual(v * 0 + 1.0)": lambda left, own: 1,
    "WaveActiveSum(uint3(v, 1, 2)).y": lambda left, own: len(left),
    "WaveActiveSum(WaveIsFirstLane() ? 1 : 0)": lambda left, own: 1,
    "WaveActiveMax(WavePrefixSum(1u)) + 1": lambda left, own: len(left),
    "WaveReadLaneFirst(v) == WaveActiveMax(WaveIsFirstLane() ? v : 0)": lambda left, own: 1,
    "countbits(WaveMatch(v & 1).x)": lambda left, own: sum(each & 1 == own & 1 for each in left),
    "WaveActiveMax(WaveMultiPrefixSum(1u, WaveMatch(7u))) + 1": lambda left, own: len(left),
}


def module(expression: str, hidden: str, attribute: str = "") -> Module:
    text = TEXT.replace("EXPRESSION", expression).replace("HIDDEN", hidden).replace("ATTRIBUTE", attribute)
    return reknit.load(text.encode(), format="hlsl", settings=Settings(stage="fragment"))


def expected(model: Model, hidden: tuple[int, ...], size: int) -> list[int]:
    """A subgroup of four is a quad; the others have both."""
    words = [0] * 8
    for quad in [(0, 1, 4, 5), (2, 3, 6, 7)] if size == 4 else [tuple(range(8))]:
        left = [at for at in quad if at not in hidden]
        for at in left:
            words[at] = int(model([each * 3 + 2 for each in left], at * 3 + 2))
    return words


@pytest.mark.parametrize("expression", MODELS)
def test_helpers_count_for_nothing(expression: str) -> None:
    for hidden, lanes in HIDDEN.items():
        compiled = module(expression, hidden)
        assert oracles.accepts(reknit.to_bytes(compiled))
        assert not [each for each in reknit.lint(compiled, target="maximal") if each.code in ("RK3006", "RK3011")]
        for size in (4, 8, 32, 64):
            found = reknit.outcomes(compiled, drawing=DRAWING, subgroup_size=size, buffers={"o": [0] * 8})
            results = [list(one.result.buffers["o"].words) for one in found.outcomes]
            assert results == [expected(MODELS[expression], lanes, size)], (hidden, size)


def test_helpers_that_are_asked_for_count() -> None:
    """[WaveOpsIncludeHelperLanes]: the operation is of all that SPIR-V has in the subgroup, and lint says so."""
    asked = module("WaveActiveSum(v)", "x == 1", "[WaveOpsIncludeHelperLanes]")
    assert "RK3006" in [each.code for each in reknit.lint(asked)]


def test_a_function_of_another_stage_stays() -> None:
    """Only fragment shaders can ask who is a helper."""
    text = """RWStructuredBuffer<uint> o : register(u1);
uint total(uint v) { return WaveActiveSum(v); }
[shader("compute")] [numthreads(4, 1, 1)] void one(uint3 t : SV_DispatchThreadID) { o[t.x] = total(t.x); }
[shader("pixel")] void two(float4 p : SV_Position) { o[(uint)p.x] = total((uint)p.x); }
"""
    assert oracles.accepts(reknit.to_bytes(reknit.load(text.encode(), format="hlsl")))
