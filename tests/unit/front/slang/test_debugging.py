"""printf as NonSemantic.DebugPrintf has it, and IsHelperLane (Microsoft's HLSL reference, Shader Model 6.6: false
in all stages but pixel shaders; SPV_EXT_demote_to_helper_invocation)."""

import pytest
from kit import oracles

import reknit
from reknit.front.slang.compile import compile_slang
from reknit.ir import op
from reknit.ir.constants import as_int
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

PRINTS = """
RWStructuredBuffer<uint> o;
[shader("compute")] [numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex)
{
    if (i == 2)
        printf("lane %d of %v2f\\n", i, float2(i, 1));
    o[i] = i;
}
"""


def valid(module: Module) -> Module:
    reknit.compile(module, "reconverge")
    accepted, message = oracles.spirv_val(write_module(module), "vulkan1.3")
    assert accepted, message
    return module


def test_printf_stays_what_a_layer_can_print() -> None:
    module = valid(compile_slang(PRINTS, "a.slang"))
    assert [each.text(0) for each in module.imports] == ["NonSemantic.DebugPrintf"]
    (call,) = [each for each in instructions(module.functions[0]) if each.op == op.ExtInst]
    assert call.word(1) == 1
    assert call.instr(2).op == op.String and call.instr(2).text(0) == "lane %d of %v2f\n"
    assert len(call.operands) == 5
    assert reknit.run(module, buffers={"o": [0] * 4}).buffers["o"].words == [0, 1, 2, 3]


@pytest.mark.parametrize("call", ["printf()", "printf(i)"])
def test_printf_needs_a_string(call: str) -> None:
    source = PRINTS.replace('printf("lane %d of %v2f\\n", i, float2(i, 1))', call)
    with pytest.raises(InputError, match="printf takes a string that is written there"):
        compile_slang(source, "a.slang")


STAGES = """
RWStructuredBuffer<uint> o;
uint helps() { return IsHelperLane() ? 1 : 2; }
[shader("fragment")] float4 drawn() : SV_Target { return helps(); }
[shader("fragment")] float4 other() : SV_Target { return 1; }
[shader("compute")] [numthreads(1, 1, 1)] void main() { o[0] = BODY; }
"""


def helpers(module: Module) -> int:
    return sum(each.op == op.IsHelperInvocationEXT for one in module.functions for each in instructions(one))


def test_helper_lanes_are_asked_for_where_there_are_some() -> None:
    module = valid(compile_slang(STAGES.replace("BODY", "0"), "a.slang"))
    assert helpers(module) == 1


def test_a_compute_shader_has_no_helper_lanes() -> None:
    source = STAGES[: STAGES.index("[shader")] + STAGES[STAGES.index('[shader("compute")') :]
    module = valid(compile_slang(source.replace("BODY", "helps()"), "a.slang"))
    assert helpers(module) == 0
    assert reknit.run(module, buffers={"o": [0]}).buffers["o"].words == [2]


def test_a_function_of_both_stages_can_not_ask_for_helper_lanes() -> None:
    with pytest.raises(InputError, match="uses features that are not available in 'compute' stage"):
        compile_slang(STAGES.replace("BODY", "helps()"), "a.slang")


def test_the_clock_of_the_device_is_two_words() -> None:
    """SPV_KHR_shader_clock: OpReadClockKHR gives a vector of two 32-bit integers, the low word first."""
    source = PRINTS[: PRINTS.index("    if")] + "    o[0] = getRealtimeClock().y + getRealtimeClockLow();\n}\n"
    module = valid(compile_slang(source, "a.slang"))
    clocks = [each for each in instructions(module.functions[0]) if each.op == op.ReadClockKHR]
    assert [as_int(each.value(0)) for each in clocks] == [1, 1]
