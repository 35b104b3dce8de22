"""Calls of the built-in functions and methods of Slang and HLSL: a fixed sample, all with --full. None makes a fault of
reknit's own, and what is taken is valid SPIR-V."""

import random

import pytest
from kit.callees.slang import FORMATS, cases, names_of
from kit.callees.verbs import Case, through
from kit.oracles import accepts

import reknit

RIGHT = 60
WRONG = 40


def some(format: str, kind: str, request: pytest.FixtureRequest) -> list[Case]:
    """So many that the table takes and as many that it mostly doesn't, always the same; all of all with --full."""
    names = names_of(kind)
    if request.config.getoption("--full"):
        return list(cases(kind, names, format))
    rand = random.Random(13)
    made = list(cases(kind, rand.sample(names, 40), format))
    right = [case for case in made if case.what == "right"]
    wrong = [case for case in made if case.what != "right"]
    return rand.sample(right, min(len(right), RIGHT)) + rand.sample(wrong, min(len(wrong), WRONG))


@pytest.mark.parametrize("kind", ["functions", "methods"])
@pytest.mark.parametrize("format", FORMATS)
def test_no_call_makes_a_fault_of_our_own(format: str, kind: str, request: pytest.FixtureRequest) -> None:
    for case in some(format, kind, request):
        outcome = through(case.data, format)
        assert not outcome.faults, (case.name, case.what, case.data)
        if not outcome.refused:
            written = reknit.to_bytes(reknit.load(case.data, format=format))
            assert accepts(written), (case.name, case.what, case.data)


def said(line: str) -> list[str]:
    source = f"""groupshared Atomic<uint> a; groupshared uint g;
TextureCube<float4> c; Texture2D<int> i; SamplerComparisonState s; RWTexture2D<float4> w; RWStructuredBuffer<uint> o;
[shader("compute")] [numthreads(4, 1, 1)] void main() {{ {line} }}"""
    try:
        written = reknit.to_bytes(reknit.load(source.encode(), format="slang"))
    except reknit.InputError as error:
        return [each.message for each in error.diagnostics]
    assert accepts(written)
    return []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("c.Load(int4(0, 0, 0, 0));", "SPIR-V fetches none from cubes"),
        ("i.SampleCmpLevelZero(s, float2(0, 0), 0.5);", "SPIR-V compares depths, which are floats"),
        ("i.GatherCmp(s, float2(0, 0), 0.5);", "SPIR-V compares depths, which are floats"),
        ("a.store(1, MemoryOrder.Acquire);", "reads nothing can only be relaxed or a release"),
        ("o[0] = a.load(MemoryOrder.Release);", "writes nothing can only be relaxed or an acquire"),
        ("a.compareExchange(1, 2, MemoryOrder.SeqCst, MemoryOrder.Release);", "writes nothing can only be"),
        ("a.compareExchange(1, 2, MemoryOrder.Relaxed, MemoryOrder.Acquire);", "can't be ordered more strongly"),
        ("a.store(1, (MemoryOrder)3);", "3 is no memory order"),
    ],
)
def test_what_spirv_has_not_is_refused(line: str, message: str) -> None:
    assert any(message in each for each in said(line))


@pytest.mark.parametrize(
    "line",
    [
        "a.store(1, MemoryOrder.SeqCst); o[0] = a.load(MemoryOrder.SeqCst);",
        "o[0] = a.compareExchange(1, 2, MemoryOrder.SeqCst, MemoryOrder.SeqCst);",
        "__atomic_reduce_add(g, 1, MemoryOrder.Release); o[0] = __atomic_add(g, 1, MemoryOrder.Acquire);",
        "int16_t x; uint64_t y; w.GetDimensions(x, y); o[0] = x + (uint)y;",
        "half x; float y; w.GetDimensions(x, y); o[0] = (uint)x;",
    ],
)
def test_what_can_be_written_is_valid(line: str) -> None:
    assert not said(line)
