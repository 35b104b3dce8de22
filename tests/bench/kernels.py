"""Five kernels on the simulator's native code and on a driver: python -m tests.bench kernel

    straight   arithmetic without branches          shared   sums over shared memory, with barriers
    divergent  a loop that lanes leave one by one   memory   scattered reads
    ballots    the same with ballots and sums

Each does its work as often as `rounds[0]` says: what a run takes at many rounds less what it takes at none is the
kernel alone, without compiling, starting and moving buffers, ours and theirs.
"""

import os
from collections.abc import Callable
from functools import partial
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time
from typing import TYPE_CHECKING, Final
from unittest.mock import patch

import reknit
from reknit.front.slang.compile import compile_slang
from reknit.ir.module import Module
from reknit.sim.jit.outside import processor_time
from reknit.sim.jit.processor import Processor
from reknit.sim.jit.run import Compiled
from reknit.sim.run import prepare

if TYPE_CHECKING:
    from reknit.vulkan.target import Target

HEAD: Final = """RWStructuredBuffer<uint> rounds;
RWStructuredBuffer<uint> a;
RWStructuredBuffer<uint> result;
groupshared uint s[64];
[shader("compute")]
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint l : SV_GroupIndex)
{
    uint g = id.x, total = 0, x = a[g];
    for (uint round = 0; round < rounds[0]; round++)
    {
"""
STEP: Final = "x = x * 1664525 + 1013904223;"
STRAIGHT: Final = "\n".join(
    [f"x = x * {1664525 + 2 * i} + {1013904223 + i}; x ^= x >> {3 + i % 13};" for i in range(32)]
)
KERNELS: Final = {
    "straight": (STRAIGHT + "total = x;", 256),
    "divergent": (
        f"{STEP} uint v = (x >> 5) & 31; while (v != 0) {{ {STEP} if ((x & 131072) != 0) total += x >> 7; "
        "else total ^= x; v -= 1; }",
        256,
    ),
    "ballots": (
        f"{STEP} uint v = (x >> 5) & 31; while (v != 0) {{ {STEP} uint4 b = WaveActiveBallot((x & 65536) != 0); "
        "total += WaveActiveSum(x >> 16) ^ b.x; if ((x & 131072) != 0) { x ^= total; total += WaveActiveSum(1); } "
        "v -= 1; }",
        64,
    ),
    "shared": (
        "s[l] = x + round; GroupMemoryBarrierWithGroupSync(); for (uint d = 32; d > 0; d >>= 1) { if (l < d) "
        "s[l] += s[l + d]; GroupMemoryBarrierWithGroupSync(); } total += s[0] + l; GroupMemoryBarrierWithGroupSync();",
        64,
    ),
    "memory": ("for (uint i = 0; i < 32; i++) total += a[((g + round) * 33 + i * 97) % rounds[1]];", 64),
}
SIZE: Final = 262_144
OURS: Final = 2
"""How many times more rounds we are given, to be measured above the noise."""


def module_of(name: str) -> Module:
    return made_of(KERNELS[name][0])


def made_of(body: str) -> Module:
    text = reknit.text(compile_slang(f"{HEAD}{body}\n}}\nresult[g] = total;\n}}\n", "kernel.slang"))
    lines = [line for line in text.splitlines() if "maximal_reconvergence" not in line and "Maximally" not in line]
    return reknit.load("\n".join(lines).encode(), format="rk")  # SwiftShader knows no such mode


def buffers_of(rounds: int) -> dict[str, list[int]]:
    return {"rounds": [rounds, SIZE], "a": [at * 2654435761 & 0xFFFFFFFF for at in range(SIZE)], "result": [0] * SIZE}


SMALL: Final = {"rounds": [0, 64], "a": [0] * 64, "result": [0] * 64}


def beyond(run: Callable[[int], float], many: int) -> float:
    """What a run at `many` rounds takes more than one at none."""
    return max(min(run(many) for _ in range(3)) - min(run(0) for _ in range(3)), 1e-4)


def invocations(name: str) -> int:
    """How many kernel runs `ours` and `theirs` take the time of."""
    return SIZE * KERNELS[name][1]


def ours(name: str, lanes: int, processor: Processor) -> float:
    """In code for `processor`, which this one can run."""
    with patch("reknit.sim.jit.run.host", lambda: processor):
        return measured(name, lanes)


def measured(name: str, lanes: int) -> float:
    module, groups = module_of(name), (SIZE // 64, 1, 1)

    def run(rounds: int) -> float:
        start = process_time() + processor_time()
        result = reknit.run(module, engine="jit", subgroup_size=lanes, groups=groups, buffers=buffers_of(rounds))
        assert result.engine == "jit", result.fallback
        return process_time() + processor_time() - start

    return beyond(run, OURS * KERNELS[name][1]) / OURS


FEW: Final = 1024
"""Invocations that the interpreter is given."""


def interpreted(name: str) -> float:
    """Seconds an invocation of the interpreter, in subgroups of 32."""
    module, most = module_of(name), KERNELS[name][1] // 16
    words = [at * 2654435761 & 0xFFFFFFFF for at in range(FEW)]

    def run(rounds: int) -> float:
        given = {"rounds": [rounds, FEW], "a": words, "result": [0] * FEW}
        start = process_time()
        reknit.run(module, engine="interpreter", subgroup_size=32, groups=(FEW // 64, 1, 1), buffers=given)
        return process_time() - start

    return beyond(run, most) / most / FEW


def theirs(name: str, lanes: int, target: "Target") -> float:
    from reknit.vulkan.run import run_on

    module, groups = module_of(name), (SIZE // 64, 1, 1)

    def run(rounds: int) -> float:
        return of_children(
            lambda: run_on(target, module, None, groups=groups, subgroup_size=lanes, buffers=buffers_of(rounds))
        )

    return beyond(run, KERNELS[name][1])


def of_children(work: Callable[[], object]) -> float:
    before = getrusage(RUSAGE_CHILDREN)
    work()
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def our_compiling(name: str, lanes: int) -> float:
    """From a module to machine code, which is not kept."""
    module = module_of(name)

    def once() -> float:
        start = process_time()
        assert Compiled(prepare(module, subgroup_size=lanes)).native is not None
        return process_time() - start

    with patch.dict(os.environ, REKNIT_CACHE="off"):
        return min(once() for _ in range(5))


def their_compiling(name: str, lanes: int, target: "Target") -> float:
    """A dispatch of one workgroup that does nothing, less one of a shader that has nothing to do."""
    from reknit.vulkan.run import run_on

    target.environment["MESA_SHADER_CACHE_DISABLE"] = "true"
    seconds: list[float] = []
    for module in (module_of(name), made_of("")):
        once = partial(run_on, target, module, subgroup_size=lanes, buffers=SMALL)
        seconds.append(min(of_children(once) for _ in range(3)))
    return max(seconds[0] - seconds[1], 1e-4)
