"""The examples on the pages of rules: `whole` makes a module of one.

What is not a whole module on a page is the body of a compute shader's main function, with some names defined before it.
"""

from reknit.spirv.asm import assemble

BEFORE = """\
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%bool = OpTypeBool
%i32 = OpTypeInt 32 1
%ptr = OpTypePointer Function %i32
%cond = OpConstantTrue %bool
%value = OpConstant %i32 1
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
"""
UNDER_THE_MODE = ("RK0642", "RK0643", "RK0644")
FROM_1_6 = ("RK0629",)


def whole(code: str, text: str) -> bytes:
    """The module of an example."""
    if "OpCapability" not in text:
        before = BEFORE
        if code in UNDER_THE_MODE:
            before = before.replace("OpMemory", 'OpExtension "SPV_KHR_maximal_reconvergence"\nOpMemory')
            before = before.replace("%void = ", "OpExecutionMode %main MaximallyReconvergesKHR\n%void = ")
        text = f"{before}{text}\nOpFunctionEnd\n"
    return assemble(text, version=(1, 6) if code in FROM_1_6 else (1, 3))
