"""Native code against what programs mean, every word at subgroup sizes 1 to 128, and what is said where it can't be."""

import errno
import sys

import pytest
from kit import ROOT, TESTS
from kit.programs.compute import Compute
from kit.programs.expected_shaders import ExpectedShader

import reknit
from reknit.front.slang.compile import compile_slang
from reknit.fuzzing.features import ALL
from reknit.fuzzing.generate import generate
from reknit.fuzzing.meaning import meaning_of
from reknit.fuzzing.to_module import module_of
from reknit.ir import enums, op
from reknit.ir.build import new_function
from reknit.ir.module import Module
from reknit.sim.engine import native_run
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.source.diagnostic import InputError
from reknit.source.resident import Resident

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
HEAD = """
RWStructuredBuffer<uint> a;
RWStructuredBuffer<uint> result;
"""


def slang(body: str, size: int = 64, before: str = "") -> Module:
    entry = f'[shader("compute")]\n[numthreads({size}, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID'
    return compile_slang(f"{HEAD}{before}{entry}, uint g : SV_GroupIndex)\n{{\n{body}\n}}\n", "kernel.slang")


def natively(module: Module, words: list[int], size: int, groups: int = 1) -> list[int]:
    """What native code leaves in `result`, which is as long as `words`."""
    buffers = {"a": words, "result": [0] * len(words)}
    result = reknit.run(module, engine="jit", subgroup_size=size, groups=(groups, 1, 1), buffers=buffers)
    assert [str(diagnostic) for diagnostic in result.diagnostics] == []
    assert result.engine == "jit"
    return result.buffers["result"].words


@pytest.mark.parametrize("features", [(), ALL], ids=["usual", "all"])
def test_random_programs(features: tuple[str, ...], full: bool) -> None:
    """As the interpreter runs them; and where lanes meet at labels that are reached by fallthrough, as in Slang, what
    the source means, which is worked out without the simulator."""
    for seed in range(2000) if full else range(0, 60, 15):
        program = generate(seed, 0 if full else 6, features)
        module = module_of(program)
        found, interpreted = [
            run(module, subgroup_size=program.subgroup_size, native=native_run(engine))
            for engine in ("jit", "interpreter")
        ]  # fmt: skip
        assert found.engine == "jit" or full, found.fallback
        assert found.buffers["out"].words == interpreted.buffers["out"].words, seed
        module.language = "slang"
        found = run(module, subgroup_size=program.subgroup_size, native=native_run("jit"))
        assert found.buffers["out"].words == meaning_of(program), seed


def step(x: int) -> int:
    return (x * 1664525 + 1013904223) & 0xFFFFFFFF


@pytest.mark.parametrize("size", SIZES)
def test_divergent_loop_with_sums(size: int) -> None:
    """Each trip sums x over those of the subgroup that still go round; the odd of them take an arm of their own."""
    module = slang("""
    uint x = a[id.x], total = 0;
    while ((x & 7) != 0)
    {
        x = x * 1664525 + 1013904223;
        total += WaveActiveSum(x >> 16);
        if ((x & 131072) != 0)
            total ^= WaveActiveCountBits(true) + WavePrefixSum(x);
    }
    result[id.x] = total;""")
    words = [(at * 2654435761) & 0xFFFFFFFF for at in range(128)]
    x, total = list(words), [0] * 128
    for first in range(0, 128, min(size, 64)):
        lanes = [lane for lane in range(first, first + min(size, 64)) if x[lane] & 7]
        while lanes:
            for lane in lanes:
                x[lane] = step(x[lane])
            summed = sum(x[lane] >> 16 for lane in lanes)
            arm = [lane for lane in lanes if x[lane] & 131072]
            for lane in lanes:
                total[lane] = (total[lane] + summed) & 0xFFFFFFFF
            for lane in arm:
                before = sum(x[other] for other in arm if other < lane)
                total[lane] ^= (len(arm) + before) & 0xFFFFFFFF
            lanes = [lane for lane in lanes if x[lane] & 7]
    assert natively(module, words, size, 2) == total


@pytest.mark.parametrize("name", ["nested-loops", "while"])
def test_what_a_trip_has_in_common_differs_behind_the_loop(name: str) -> None:
    """Values that all lanes share in each trip of a loop are read there in other blocks, and after it, where each lane
    has that of its last trip: as the shaders say at their heads."""
    shader = ExpectedShader(TESTS / "slang" / f"{name}.slang")
    module = compile_slang(shader.source, f"{name}.slang")
    reknit.compile(module)
    for size in (4, 8, 32):
        result = reknit.run(
            module, engine="jit", subgroup_size=size, groups=(shader.groups, 1, 1), buffers={**shader.buffers}
        )
        assert result.engine == "jit", result.fallback
        for buffer, words in shader.expectation(size).items():
            assert result.buffers[buffer].words == words


def test_dynamic_calls_become_switches() -> None:
    """By hand, as the README has it: lane 0 holds a Triangle, the others Squares; each method adds 10 for all that run
    it, and main 100 for all 4."""
    result = reknit.run(reknit.load(ROOT / "examples" / "shapes.slang"), engine="jit", subgroup_size=4)
    assert result.engine == "jit", result.fallback
    assert result.buffers["result"].words == [413, 434, 434, 434]


def test_an_existential_that_nothing_made_is_the_interpreters() -> None:
    """A call through it is reported, where lowered code would run some type's method."""
    text = """interface IFoo { uint get(); }
struct A : IFoo { uint get() { return 7; } }
struct B : IFoo { uint get() { return 8; } }
RWStructuredBuffer<uint> result;
[shader("compute")]
[numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    IFoo foo;
    if (id.x > 0) foo = A();
    if (id.x > 1) foo = B();
    result[id.x] = foo.get();
}
"""
    both = [reknit.run(compile_slang(text, "k.slang"), engine=name, subgroup_size=4) for name in ("jit", "interpreter")]
    assert both[0].engine == "interpreter" and "may be undefined" in both[0].fallback
    assert [one for one in reported(both[0]) if "RK1030" not in one] == reported(both[1])


@pytest.mark.parametrize("size", [4, 32])
def test_shared_memory_and_barriers(size: int) -> None:
    """A workgroup of 128 adds up in halves."""
    module = slang("""
    s[g] = a[id.x];
    GroupMemoryBarrierWithGroupSync();
    for (uint d = 64; d > 0; d >>= 1)
    {
        if (g < d) s[g] += s[g + d];
        GroupMemoryBarrierWithGroupSync();
    }
    result[id.x] = s[0] + g;""", 128, "groupshared uint s[128];\n")  # fmt: skip
    words = [step(at) for at in range(256)]
    sums = [sum(words[:128]), sum(words[128:])]
    assert natively(module, words, size, 2) == [(sums[at // 128] + at % 128) & 0xFFFFFFFF for at in range(256)]


def test_a_table_of_constants_is_indexed_by_each_lane() -> None:
    """One copy of the table serves all lanes; lanes that are not there have any index."""
    module = slang("uint t[4] = { 7, 20, 300, 41 };\n    if (id.x % 3 != 0) result[id.x] = t[a[id.x] % 4];")
    words = [step(at) for at in range(64)]
    expected = [(7, 20, 300, 41)[word % 4] if at % 3 else 0 for at, word in enumerate(words)]
    assert natively(module, words, 8) == expected


def test_own_arrays_and_composites() -> None:
    """An array of a lane's own, indexed by what differs from lane to lane; vectors of 64-bit words."""
    module = slang("""
    uint own[5];
    for (uint i = 0; i < 5; i++) own[i] = a[id.x] * (i + 1);
    uint2 pair = uint2(own[id.x % 5], own[(id.x + 3) % 5]);
    uint64_t wide = (uint64_t(pair.x) << 32 | pair.y) / (id.x + 3);
    result[id.x] = uint(wide) ^ uint(wide >> 32);""")  # fmt: skip
    words = [step(at) for at in range(64)]

    def expected(at: int) -> int:
        own = [words[at] * (i + 1) & 0xFFFFFFFF for i in range(5)]
        wide = (own[at % 5] << 32 | own[(at + 3) % 5]) // (at + 3)
        return (wide ^ wide >> 32) & 0xFFFFFFFF

    assert natively(module, words, 8) == [expected(at) for at in range(64)]


@pytest.mark.parametrize("size", [4, 16, 64])
def test_workgroups_of_three_dimensions(size: int) -> None:
    """6 x 5 x 4 invocations, in several vectors of which the last is not full, in 2 x 3 workgroups."""
    text = HEAD + """
[shader("compute")]
[numthreads(6, 5, 4)]
void main(uint3 id : SV_DispatchThreadID, uint3 t : SV_GroupThreadID, uint3 w : SV_GroupID, uint g : SV_GroupIndex)
{
    result[(w.y * 2 + w.x) * 120 + g] = id.x + id.y * 100 + id.z * 10000 + (t.x ^ t.y ^ t.z) * 1000000;
}
"""
    module = compile_slang(text, "kernel.slang")
    result = reknit.run(module, engine="jit", subgroup_size=size, groups=(2, 3, 1), buffers={"result": [0] * 720})
    assert result.engine == "jit"
    expected = [
        (wx * 6 + x) + (wy * 5 + y) * 100 + z * 10000 + (x ^ y ^ z) * 1000000
        for wy in range(3) for wx in range(2) for z in range(4) for y in range(5) for x in range(6)
    ]  # fmt: skip
    assert result.buffers["result"].words == expected


@pytest.mark.parametrize("size", [8, 32])
def test_atomics_go_lane_after_lane(size: int) -> None:
    """Each takes a number from a counter in shared memory and one from a buffer: lanes in their order, the odd ones
    first, workgroups in theirs."""
    module = slang("""
    if (g == 0) s[0] = 0;
    GroupMemoryBarrierWithGroupSync();
    uint own;
    if ((g & 1) != 0) InterlockedAdd(s[0], 3, own); else InterlockedAdd(s[0], 5, own);
    uint other;
    InterlockedMax(a[0], id.x, other);
    result[id.x] = own * 1000 + other;""", 64, "groupshared uint s[1];\n")  # fmt: skip
    expected = []
    for at in range(128):
        lane = at % 64
        own = lane // 2 * 3 if lane & 1 else 32 * 3 + lane // 2 * 5
        expected.append(own * 1000 + max(at - 1, 0))
    assert natively(module, [0] * 128, size, 2) == expected


def test_lanes_that_end_in_a_function() -> None:
    """Lane 0 ends inside a called function, inside an if: after the call and after the loop the others meet without
    it, with ballots of 1110."""
    p = Compute(4)
    f = new_function(p.module, "f")
    loop = p.b.open_loop()
    p.b.at(loop.body.entry())
    p.b.emit(op.FunctionCall, f.result, [f])
    p.out(p.ballot())
    p.b.break_(loop)
    p.b.at(loop.after())
    p.out(p.op2(op.BitwiseOr, p.b.load(p.u32, p.place(p.index)), p.op2(op.ShiftLeftLogical, p.ballot(), p.const(4))))
    p.b.return_()
    p.b.at(f.entry())
    again = p.b.load(p.u32, p.builtin(enums.BuiltInLocalInvocationIndex, p.u32))
    p.when(p.test(op.IEqual, again, p.const(0)), lambda: p.b.exit(op.TerminateInvocation, []))
    p.b.return_()
    result = reknit.run(p.module, engine="jit", subgroup_size=4)
    assert result.engine == "jit" and result.buffers["out"].words == [0, 0xEE, 0xEE, 0xEE]


def reported(result: Result) -> list[str]:
    return [f"{diagnostic.code}: {diagnostic.message}" for diagnostic in result.diagnostics]


def test_a_fault_is_explained_by_the_interpreter() -> None:
    """Lane 3 of 4 reads past the end, and one writes past it: as the interpreter has it, in words and in messages."""
    module = slang("result[id.x * 2] = a[id.x + 61] / (id.x & 1);")
    given = {"a": list(range(64)), "result": [9] * 64}
    both = [
        reknit.run(module, engine=engine, subgroup_size=4, buffers=given) for engine in ("jit", "interpreter")
    ]  # fmt: skip
    assert reported(both[0]) == reported(both[1]) and both[0].failed()
    assert both[0].buffers["result"].words == both[1].buffers["result"].words
    assert both[0].engine == "interpreter" and both[0].fallback == "it comes to a fault"


def test_an_endless_loop_is_a_fault() -> None:
    module = slang("while (a[0] == 0) result[id.x] += 1;")
    result = reknit.run(module, engine="jit", subgroup_size=4, max_steps=2000)
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["RK1013"]


def test_engines_are_chosen_by_size() -> None:
    module = slang("result[id.x] = a[id.x] + 1;")
    for groups, engine in ((1, "interpreter"), (32, "jit")):
        result = reknit.run(module, groups=(groups, 1, 1))
        assert result.engine == engine and result.diagnostics == []
    with pytest.raises(InputError, match="engine 'gpu' is not known"):
        reknit.run(module, engine="gpu")


def test_what_the_interpreter_runs_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    module = slang("result[id.x] = a[id.x] + 1;")
    result = reknit.run(module, engine="jit", trace=True)
    assert reported(result) == ["RK1030: the interpreter ran entry point 'main': its run is traced"]
    monkeypatch.setitem(sys.modules, "llvmlite", None)
    result = reknit.run(module, engine="jit")
    said = "RK1030: the interpreter ran entry point 'main': native code needs llvmlite, which is not installed"
    assert reported(result) == [said] and result.diagnostics[0].help == "pip install 'reknit[llvm]'"
    assert reknit.run(module, groups=(32, 1, 1)).diagnostics == []


def test_no_descriptor_for_the_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a process has as many files open as it may: the interpreter runs it, and a note says why."""

    def refuse(owner: int) -> Resident:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("reknit.sim.jit.outside._resident", refuse)
    buffers = {"a": [5, 6], "result": [0, 0]}
    result = reknit.run(slang("if (id.x < 2) result[id.x] = a[id.x] + 1;"), engine="jit", buffers=buffers)
    assert result.engine == "interpreter" and result.buffers["result"].words == [6, 7]
    assert "Too many open files" in result.fallback
