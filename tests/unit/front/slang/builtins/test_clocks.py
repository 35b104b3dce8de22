"""The device's clock, which is read anew each time (SPV_KHR_shader_clock); slangc writes the same instruction."""

from kit import oracles

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.ir.walk import instructions
from reknit.spirv.write import write_module

SOURCE = """
RWStructuredBuffer<uint> o;
[shader("compute")] [numthreads(1, 1, 1)]
void main() { o[0] = getRealtimeClock().x; o[1] = getRealtimeClockLow(); }
"""


def test_each_call_reads_the_clock_of_the_device() -> None:
    module = compile_slang(SOURCE, "a.slang", Settings())
    reknit.compile(module)
    binary = write_module(module)
    code = [instr for function in reknit.load(binary).functions for instr in instructions(function)]
    scopes = [as_int(instr.value(0)) for instr in code if instr.op == op.ReadClockKHR]
    assert scopes == [enums.ScopeDevice, enums.ScopeDevice]
    assert oracles.validate(binary) == (True, "")
