"""Functions that nothing can call go, and what is said of them behind the last function with them."""

import reknit

TEXT = """OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
%set = OpExtInstImport "NonSemantic.Test"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%a = OpLabel
OpReturn
OpFunctionEnd
%unused = OpFunction %void None %fn
%b = OpLabel
OpReturn
OpFunctionEnd
%c = OpExtInst %void %set 1 %unused
%d = OpExtInst %void %set 2 %c
%e = OpExtInst %void %set 3 %main
"""


def test_what_is_said_of_a_dropped_function_goes() -> None:
    """%c names %unused and %d names %c; %e names what stays (SPV_KHR_non_semantic_info: they may be removed)."""
    module = reknit.load(TEXT.encode(), format="spvasm")
    reknit.compile(module, "drop-functions")
    again = reknit.load(reknit.to_bytes(module))
    assert len(again.functions) == 1
    assert [instr.word(1) for instr in again.closing] == [3]
