"""GLSL's barriers and the size of a group by its name: what instructions they are.

Source: GLSL 4.60, 8.17; SPIR-V 1.6, "Scope <id>", "Memory Semantics <id>".
"""

import pytest

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.ir import op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr

DEVICE, ACQUIRE_RELEASE, BUFFERS, IMAGES = 1, 0x8, 0x40, 0x800
SHADER = """#version 450
RWStructuredBuffer<uint> o;
[shader("compute")] [numthreads(2, 3, 4)]
void main() { o[0] = 1; }
"""


def instructions(source: str) -> list[Instr]:
    module = compile_slang(source, "a.slang", Settings())
    return [instr for function in module.functions for instr in function.instructions()]


@pytest.mark.parametrize(
    ("name", "memory"), [("memoryBarrierImage", IMAGES), ("memoryBarrierAtomicCounter", BUFFERS)]
)
def test_barriers(name: str, memory: int) -> None:
    found = instructions(SHADER.replace("o[0] = 1", f"{name}()"))
    (barrier,) = [instr for instr in found if instr.op == op.MemoryBarrier]
    assert [as_int(barrier.value(0)), as_int(barrier.value(1))] == [DEVICE, ACQUIRE_RELEASE | memory]


def test_the_size_of_a_group_needs_no_input() -> None:
    """(2, 3, 4) as it is declared: 2 * 100 + 3 * 10 + 4."""
    size = "gl_WorkGroupSize.x * 100 + gl_WorkGroupSize.y * 10 + gl_WorkGroupSize.z"
    module = compile_slang(SHADER.replace("o[0] = 1", f"o[0] = {size}"), "a.slang", Settings())
    assert list(reknit.run(module, buffers={"o": [0]}).buffers["o"].words) == [234]
