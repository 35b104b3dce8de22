"""How much LLVM is given to do: it is known before LLVM begins, grows as programs do, and no shape takes it more."""

import math

import pytest

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

import reknit
from reknit.front.slang.compile import compile_slang
from reknit.ir.module import Module
from reknit.sim.engine import native_run
from reknit.sim.jit import outside
from reknit.sim.jit.kernel import MAX_QUICK, MAX_THOROUGH, Kernel
from reknit.sim.jit.processor import PLAIN, QUICK, THOROUGH
from reknit.sim.jit.text import MAX_WORK, Refused
from reknit.sim.policy import Policy
from reknit.sim.run import prepare

HEAD = "StructuredBuffer<uint> g; RWStructuredBuffer<uint> o;\n"
MAIN = '[shader("compute")] [numthreads(64, 1, 1)] void main(uint3 t : SV_DispatchThreadID) { uint a = t.x;\n'


def loops(count: int) -> str:
    body = [f"for (uint i{at} = 0; i{at} < t.x % 9; i{at}++) a += g[i{at}] * {at};\n" for at in range(count)]
    return f"{HEAD}{MAIN}{''.join(body)}o[t.x] = a; }}"


def functions(count: int) -> str:
    each = [f"[noinline] uint f{at}(uint x) {{ return x % 3 == 1 ? g[x % 64] : x + {at}; }}\n" for at in range(count)]
    calls = [f"a += f{at}(a + t.x);\n" for at in range(count)]
    return f"{HEAD}{''.join(each)}{MAIN}{''.join(calls)}o[t.x] = a; }}"


def falling(count: int) -> str:
    cases = [f"case {at}: a += a * {at} + 1;\n" for at in range(count)]
    return f"{HEAD}{MAIN}switch (t.x % {count}) {{ {''.join(cases)} }} o[t.x] = a; }}"


def doubling(count: int) -> str:
    """2 to the power of `count` calls, in `count` functions."""
    each = [
        f"[noinline] uint f{at}(uint x) {{ return f{at - 1}(x) + f{at - 1}(x + {at}); }}\n" for at in range(1, count)
    ]
    return f"{HEAD}[noinline] uint f0(uint x) {{ return x * 3; }}\n{''.join(each)}{MAIN}o[t.x] = f{count - 1}(a); }}"


def module_of(text: str) -> Module:
    return compile_slang(text, "shape.slang")


def kernel_of(text: str) -> Kernel:
    return Kernel(prepare(module_of(text), subgroup_size=32), 32)


SHAPES = {"loops": loops, "functions": functions, "cases that fall through": falling}


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_as_the_program_does(shape: str) -> None:
    few, many = [kernel_of(SHAPES[shape](count)).work for count in (15, 60)]
    assert math.log(many / few, 4) <= 1.2


def test_what_is_large_has_a_level_that_takes_time_by_the_line() -> None:
    few, more, most = [kernel_of(falling(count)) for count in (20, 80, 200)]
    assert few.work <= MAX_THOROUGH < more.work <= MAX_QUICK < most.work
    assert [few.level(many) for many in (False, True)] == [QUICK, THOROUGH]
    assert [more.level(many) for many in (False, True)] == [QUICK, QUICK]
    assert [most.level(many) for many in (False, True)] == [PLAIN, PLAIN]


def test_divisions_of_64_bits_count_for_more() -> None:
    """LLVM writes them lane by lane, each some instructions."""
    lines = ("q = q / (q % 7 + 1 + t.x);", "q = q * (q + 7 + t.x);")
    one, none = [kernel_of(f"{HEAD}{MAIN}uint64_t q = t.x; {line} o[t.x] = uint(q); }}") for line in lines]
    assert one.work - none.work > 2 * 150


def test_calls_that_double_are_not_written_to_the_end() -> None:
    """2^60 calls: the text is ended where it's too long for LLVM."""
    with pytest.raises(Refused, match="would take long to compile"):
        kernel_of(doubling(60))


def test_the_interpreter_runs_what_would_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reknit.sim.jit.text.MAX_WORK", MAX_WORK // 100)
    result = reknit.run(module_of(falling(40)), engine="jit", subgroup_size=32)
    assert result.engine == "interpreter"
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["RK1030"]
    assert "would take long to compile: over 625 lines of LLVM for 32 lanes" in result.diagnostics[0].message


def test_what_the_interpreter_runs_sooner_than_llvm_compiles() -> None:
    """Unless native code is asked for: long code without loops, for few invocations. Loops may take any time."""
    long = prepare(module_of(falling(120)), subgroup_size=32)
    given = {"g": [0], "o": [0] * 64}

    def ran(count: int, engine: str = "auto") -> tuple[str, str]:
        words = {**given, "o": [0] * (64 * count)}
        result = long.run(Policy(), (count, 1, 1), words, native=native_run(engine))
        return result.engine, result.fallback

    assert ran(33) == ran(33) == ("interpreter", "it is small for the code that it has")
    assert ran(33, "jit")[0] == "jit" and ran(33)[0] == "jit"  # there it is
    assert kernel_of(loops(120)).least == 0 and 33 * 64 < kernel_of(falling(120)).least <= 66 * 64
    long.compiled = None
    assert ran(33)[0] == "interpreter" and ran(66)[0] == "jit"


@pytest.mark.parametrize("level", [PLAIN, QUICK, THOROUGH])
@pytest.mark.parametrize("shape", SHAPES)
def test_each_level_computes_the_same(shape: str, level: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kernel, "level", lambda self, many: level)
    given = {"g": [at * 7 % 5 for at in range(64)], "o": [0] * 64}
    module = module_of(SHAPES[shape](12))
    ours, expected = [reknit.run(module, engine=engine, buffers=given) for engine in ("jit", "interpreter")]
    assert ours.engine == "jit" and ours.buffers["o"].words == expected.buffers["o"].words


def test_conditions_that_are_computed_again_and_again() -> None:
    """An assertion of LLVM's pass NewGVN ends the process on this one."""
    parts = ["if (t.x == 1) InterlockedAdd(o[t.x], 1);\n" for _ in range(97)]
    module = module_of(f"{HEAD}{MAIN}{''.join(parts)}}}")
    result = reknit.run(module, engine="jit", buffers={"o": [0] * 64})
    assert result.engine == "jit" and result.buffers["o"].words == [0, 97, *[0] * 62]


@pytest.mark.full
@pytest.mark.parametrize("shape", SHAPES)
def test_the_time_that_llvm_takes(shape: str) -> None:
    """Of its process: 1.2 by the count, and half as much again for what the machine does beside."""
    took = []
    for count in (40, 160):
        kernel = kernel_of(SHAPES[shape](count))
        start = outside.processor_time()
        outside.compiled(kernel.text, outside.host(), kernel.level(False))
        took.append(outside.processor_time() - start)
    assert math.log(took[1] / took[0], 4) <= 1.2 + math.log(1.5, 4), took
