"""What nothing uses at module level goes; what others see of a module stays. Expected lists are by hand."""

import pytest
from kit import oracles

import reknit
from reknit.ir import enums, op
from reknit.ir.module import Module
from reknit.ir.text.parser import parse

TEXT = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" {interface}
OpExecutionMode %main LocalSize 1 1 1
OpName %half "half"
OpDecorate %half RelaxedPrecision
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %special SpecId 3
OpDecorate %size BuiltIn WorkgroupSize
OpDecorate %group RelaxedPrecision
%group = OpDecorationGroup
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%v3u = OpTypeVector %u32 3
%one = OpConstant %u32 1
%two = OpConstant %u32 2
%half = OpConstant %f32 0.5
%both = OpSpecConstantOp %u32 IAdd %one %two
%special = OpSpecConstant %u32 9
%size = OpConstantComposite %v3u %one %one %one
%block = OpTypeStruct %u32
%to_buffer = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %u32
%to_own = OpTypePointer Private %u32
%to_half = OpTypePointer Private %f32
%to_shared = OpTypePointer Workgroup %u32
%buffer = OpVariable %to_buffer StorageBuffer
%own = OpVariable %to_own Private
%other = OpVariable %to_half Private %half
%shared = OpVariable %to_shared Workgroup
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%start = OpLabel
OpStore %own %two
OpReturn
OpFunctionEnd
"""


def loaded(interface: str, version: tuple[int, int]) -> Module:
    from reknit.spirv.asm import assemble

    return reknit.load(assemble(TEXT.replace("{interface}", interface), version=version))


def left(module: Module) -> list[str]:
    """What stays at module level, as SPIR-V writes it: the opcode, or the value of a constant."""
    again = reknit.load(reknit.to_bytes(module))
    return [f"{each.operands[0]}" if each.op == op.Constant else type_name(each.op) for each in again.globals]


def type_name(code: int) -> str:
    from reknit.ir import opcodes

    about = opcodes.info(code)
    assert about is not None
    return about.name


ALWAYS = ["TypeVoid", "TypeInt", "TypeVector", "1"]
SEEN = ["SpecConstant", "ConstantComposite", "TypeStruct", "TypePointer"]


@pytest.mark.parametrize(("version", "interface"), [((1, 3), ""), ((1, 4), "%buffer %own %other %shared")])
def test_what_functions_do_not_name(version: tuple[int, int], interface: str) -> None:
    """%own is stored to; the descriptor, the specialized constant and the workgroup's size are seen from outside."""
    module = loaded(interface, version)
    reknit.compile(module, "drop-declarations")
    assert left(module) == [*ALWAYS, "2", *SEEN, "TypePointer", "Variable", "Variable", "TypeFunction"]
    fine, message = oracles.validate(reknit.to_bytes(module))
    assert fine, message


@pytest.mark.parametrize(("version", "interface"), [((1, 3), ""), ((1, 4), "%buffer %own %other %shared")])
def test_with_stores_that_nothing_reads(version: tuple[int, int], interface: str) -> None:
    """dce takes the store to %own, the only use of it and of 2."""
    module = loaded(interface, version)
    reknit.compile(module, "dce, drop-declarations")
    assert left(module) == [*ALWAYS, *SEEN, "Variable", "TypeFunction"]
    assert all("own" not in each.name for each in module.globals)
    fine, message = oracles.validate(reknit.to_bytes(module))
    assert fine, message


def test_bindings_that_nothing_uses() -> None:
    """%buffer, %special and the types that only they have go, if that is asked for; 2 is stored to %own."""
    module = loaded("%buffer %own %other %shared", (1, 4))
    reknit.compile(module, "drop-declarations{interface=drop}")
    assert left(module) == [*ALWAYS, "2", "ConstantComposite", "TypePointer", "Variable", "TypeFunction"]
    [own] = [each for each in module.globals if each.op == op.Variable]
    assert own.operands == [enums.StorageClassPrivate]
    fine, message = oracles.validate(reknit.to_bytes(module))
    assert fine, message


INPUTS = """OpCapability Shader
OpCapability SampleRateShading
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %plain %place %each %by_sample %block %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %plain Location 0
OpDecorate %place BuiltIn FragCoord
OpDecorate %each BuiltIn SampleId
OpDecorate %each Flat
OpDecorate %by_sample Location 1
OpDecorate %by_sample Sample
OpDecorate %S Block
OpMemberDecorate %S 0 Location 2
OpDecorate %color Location 0
%void = OpTypeVoid
%i32 = OpTypeInt 32 1
%f32 = OpTypeFloat 32
%v4f = OpTypeVector %f32 4
%S = OpTypeStruct %f32
%in_f32 = OpTypePointer Input %f32
%in_v4f = OpTypePointer Input %v4f
%in_i32 = OpTypePointer Input %i32
%in_S = OpTypePointer Input %S
%out_f32 = OpTypePointer Output %f32
%plain = OpVariable %in_f32 Input
%place = OpVariable %in_v4f Input
%each = OpVariable %in_i32 Input
%by_sample = OpVariable %in_f32 Input
%block = OpVariable %in_S Input
%color = OpVariable %out_f32 Output
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%start = OpLabel
OpReturn
OpFunctionEnd
"""


@pytest.mark.parametrize("member", ["", "OpMemberDecorate %S 0 Sample\n"])
def test_inputs_that_nothing_reads(member: str) -> None:
    """SampleId and Sample ask for an execution for each sample (Vulkan, "Sample Shading"), which others see; so does a
    member of a block, and then no input goes. Outputs stay."""
    from reknit.spirv.asm import assemble

    names = ["plain", "place", "each", "by_sample", "block", "color"]
    debug = "".join([f'OpName %{name} "{name}"\n' for name in names])
    text = INPUTS.replace("OpDecorate", f"{debug}OpDecorate", 1).replace("%void =", f"{member}%void =", 1)
    module = reknit.load(assemble(text, version=(1, 4)))
    reknit.compile(module, "drop-declarations")
    assert [each.name for each in module.globals if each.op == op.Variable] == names
    reknit.compile(module, "drop-declarations{interface=drop}")
    kept = names if member else ["each", "by_sample", "color"]
    assert [each.name for each in module.globals if each.op == op.Variable] == kept
    fine, message = oracles.validate(reknit.to_bytes(module))
    assert fine, message


def test_what_was_dropped_can_be_made_again() -> None:
    from reknit.ir.constants import int_constant
    from reknit.ir.types import int_type

    module = loaded("", (1, 3))
    reknit.compile(module, "dce, drop-declarations")
    again = int_constant(module, int_type(module, 32, False), 2)
    assert again in module.globals and len([each for each in module.globals if each.op == op.Constant]) == 2


def test_a_second_run_changes_nothing() -> None:
    module = loaded("", (1, 3))
    reknit.compile(module, "dce, drop-declarations")
    before = reknit.to_bytes(module)
    reknit.compile(module, "dce, drop-declarations")
    assert reknit.to_bytes(module) == before


def test_what_dynamic_dispatch_goes_by_stays() -> None:
    """No function names the interface, though which tables there are decides what a value may be."""
    text = """Capability Shader
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main"
ExecutionMode @main LocalSize 1 1 1
%IFoo = TypeInterface "IFoo" 16
%WT = TypeWitnessTable %IFoo
%unused = TypeFloat 64
func @main() -> void {
  return
}
"""
    module = parse(text)
    reknit.compile(module, "drop-declarations")
    assert [each.name for each in module.globals if each.name] == ["IFoo", "WT"]
