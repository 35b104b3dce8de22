"""The oracles answer as their own documents say: a test that leans on one can trust what it hears."""

import pytest
from kit import oracles

pytestmark = pytest.mark.once

SHADER = "#version 450\nlayout(local_size_x = 4) in;\nvoid main() {}\n"

ASSEMBLY = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%entry = OpLabel
OpReturn
OpFunctionEnd
"""
# OpBranch to the function's entry block, which SPIR-V 1.6 2.16.1 forbids
INVALID = ASSEMBLY.replace("OpReturn", "OpBranch %entry")


def test_glslang_compiles_and_says_what_is_wrong() -> None:
    assert oracles.glslang(SHADER)[:4] == b"\x03\x02\x23\x07"  # SPIR-V's magic number
    with pytest.raises(ValueError, match="undeclared"):
        oracles.glslang(SHADER.replace("{}", "{ nothing = 1; }"))


def test_both_validators_accept_and_refuse_the_same() -> None:
    good, bad = oracles.assemble(ASSEMBLY), oracles.assemble(INVALID)
    assert oracles.spirv_val(good) == (True, "")
    assert oracles.validate(good) == (True, "")
    for accepted, message in (oracles.spirv_val(bad), oracles.validate(bad)):
        assert not accepted
        assert "entry" in message.lower() or "first block" in message.lower()


def test_assembly_goes_there_and_back() -> None:
    module = oracles.assemble(ASSEMBLY)
    assert oracles.assemble(oracles.disassemble(module)) == module
    with pytest.raises(ValueError, match="OpNonsense"):
        oracles.assemble("OpNonsense")


def test_spirv_tools_is_new_enough_to_know_maximal_reconvergence() -> None:
    mode = (
        ASSEMBLY.replace("OpMemoryModel", 'OpExtension "SPV_KHR_maximal_reconvergence"\nOpMemoryModel')
        .replace("%void =", "OpExecutionMode %main MaximallyReconvergesKHR\n%void =", 1)
    )
    assert oracles.spirv_val(oracles.assemble(mode)) == (True, "")
    assert oracles.validate(oracles.assemble(mode)) == (True, "")


def test_a_tool_that_does_not_exist_is_not_found() -> None:
    assert oracles.find("no-such-tool-at-all") is None
