"""simplify-ifs: what its document doesn't show, that the order of a pipeline is checked."""

import pytest
from kit import oracles
from kit.proving import assert_refines
from kit.text.pass_texts import body

import reknit
from reknit.ir import op
from reknit.ir.debug import is_line
from reknit.ir.text.printer import print_module
from reknit.ir.walk import instructions
from reknit.passes.manager import Hooks, run_passes
from reknit.source.diagnostic import InputError


def test_values_that_two_returns_give_meet_in_a_phi() -> None:
    """So the pass says that it may make phis, and the order check knows."""
    arms = "if %c { Store %p, 5u\nreturn 1u } else { Store %p, 6u\nreturn 2u }\nunreachable"
    callee = f"func @f(%c: bool, %p: ptr<StorageBuffer, u32>) -> u32 {{ {arms} }}\n"
    main = "%odd = INotEqual %lane, 1u : bool\n%x = FunctionCall @f, %odd, %slot : u32\nStore %slot, %x\nreturn"
    module = body(main, callee)
    before = module.copy()
    run_passes(module, "eliminate-phis, simplify-ifs", Hooks(verify_each=True))
    assert "Phi" in print_module(module)
    assert_refines(before, module)
    with pytest.raises(InputError, match="simplify-ifs undoes no-phis|needs no-phis"):
        run_passes(module, "eliminate-phis, simplify-ifs, eliminate-multi-level-breaks")


DEBUGGED = """OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
%set = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %out
OpExecutionMode %main LocalSize 4 1 1
%file = OpString "a.comp"
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%zero = OpConstant %u32 0
%one = OpConstant %u32 1
%seven = OpConstant %u32 7
%in = OpTypePointer Input %u32
%block = OpTypeStruct %u32
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %u32
%id = OpVariable %in Input
%out = OpVariable %to_block StorageBuffer
%source = OpExtInst %void %set DebugSource %file
%unit = OpExtInst %void %set DebugCompilationUnit %one %one %source %one
%expression = OpExtInst %void %set DebugExpression
%size = OpConstant %u32 32
%type = OpExtInst %void %set DebugTypeBasic %file %size %one %zero
%local = OpExtInst %void %set DebugLocalVariable %file %type %source %one %one %unit %zero
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%start = OpLabel
%index = OpLoad %u32 %id
%mine = OpIEqual %bool %index %one
OpSelectionMerge %end None
OpBranchConditional %mine %then %end
OpLine %file 3 0
%then = OpLabel
OpLine %file 4 0
%more = OpIAdd %u32 %index %seven
%said = OpExtInst %void %set DebugValue %local %more %expression
OpNoLine
OpBranch %end
%end = OpLabel
%value = OpPhi %u32 %index %start %more %then
%word = OpAccessChain %to_word %out %zero
OpStore %word %value
OpReturn
OpFunctionEnd
"""


def test_lines_and_debug_information_are_no_instructions_of_an_arm() -> None:
    """So that debug and release builds are the same code; that %local is %more holds in the arm alone."""
    release = "".join(f"{line}\n" for line in DEBUGGED.splitlines() if "Line" not in line and "DebugValue" not in line)
    modules = [reknit.load(text.encode(), format="spvasm") for text in (DEBUGGED, release)]
    codes = []
    for module in modules:
        before = module.copy()
        run_passes(module, "simplify-ifs{invert=false}", Hooks(verify_each=True))
        assert_refines(before, module)
        codes.append([each.op for each in instructions(module.functions[0]) if not is_line(each)])
        fine, message = oracles.validate(reknit.to_bytes(module))
        assert fine, message
    assert codes[0] == codes[1] and op.Select in codes[0]
