"""Debug lines and what is not semantic stand wherever spirv-val lets them, and come back from there word for word.

    OpBranch %next                OpReturn
    %1 = OpExtInst DebugNoScope   OpFunctionEnd
    %next = OpLabel               %2 = OpExtInst Kernel ...      %3 = OpExtInst ArgumentInfo ...

What each module is allowed to be is SPIRV-Tools' verdict; what must come out is what went in.
"""

import pytest
from kit import oracles

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.verify.run import verify
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

HEAD = """OpCapability Shader
OpExtension "SPV_KHR_non_semantic_info"
%debug = OpExtInstImport "NonSemantic.Shader.DebugInfo.100"
%cl = OpExtInstImport "OpenCL.DebugInfo.100"
%old = OpExtInstImport "DebugInfo"
%reflection = OpExtInstImport "NonSemantic.ClspvReflection.5"
%own = OpExtInstImport "NonSemantic.Of.Ours"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 4 1 1
%file = OpString "light.comp"
%name = OpString "main"
OpSource GLSL 450 %file "void main() {}"
OpName %main "main"
OpModuleProcessed "by hand"
OpDecorate %sum RelaxedPrecision
"""
BODY = """%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%pick = OpTypeFunction %uint %uint %bool
%local = OpTypePointer Function %uint
%yes = OpConstantTrue %bool
%one = OpConstant %uint 1
%four = OpConstant %uint 4
%code = OpExtInst %void %debug DebugSource %file
%unit = OpExtInst %void %debug DebugCompilationUnit %one %four %code %one
%clcode = OpExtInst %void %cl DebugSource %file
%clunit = OpExtInst %void %cl DebugCompilationUnit 1 4 %clcode HLSL
%main = OpFunction %void None %fn
%start = OpLabel
%kept = OpVariable %local Function
%more = OpVariable %local Function
OpSelectionMerge %meet None
OpBranchConditional %yes %then %meet
%then = OpLabel
%called = OpFunctionCall %uint %choose %one %yes
OpBranch %meet
%meet = OpLabel
%x = OpPhi %uint %one %start %called %then
%y = OpPhi %uint %called %then %four %start
%sum = OpIAdd %uint %x %y
OpBranch %loop
%loop = OpLabel
OpLoopMerge %end %next None
OpBranchConditional %yes %next %end
%next = OpLabel
OpBranch %loop
%end = OpLabel
OpReturn
OpFunctionEnd
%choose = OpFunction %uint None %pick
%a = OpFunctionParameter %uint
%c = OpFunctionParameter %bool
%body = OpLabel
%got = OpSelect %uint %c %a %four
OpReturnValue %got
OpFunctionEnd
"""
EXTRA = {
    "line": "OpLine %file 7 3",
    "no line": "OpNoLine",
    "scope": "%extra = OpExtInst %void %debug DebugScope %unit",
    "no scope": "%extra = OpExtInst %void %debug DebugNoScope",
    "debug line": "%extra = OpExtInst %void %debug DebugLine %code %one %one %one %one",
    "scope of OpenCL": "%extra = OpExtInst %void %cl DebugScope %clunit",
    "no scope of OpenCL": "%extra = OpExtInst %void %cl DebugNoScope",
    "no scope of the first set": "%extra = OpExtInst %void %old DebugNoScope",
    "reflection": "%extra = OpExtInst %void %reflection ArgumentInfo %file",
    "reflection of a function": "%extra = OpExtInst %void %reflection Kernel %main %name %one %one %file",
    "of a set of its own": "%extra = OpExtInst %void %own 17 %one",
}
ROWS = BODY.splitlines()


def with_extra(text: str, place: int) -> str:
    rows = ROWS[:place] + [text] + ROWS[place:]
    return HEAD + "\n".join(rows) + "\n"


def comes_back(data: bytes) -> Module:
    """Read and written, over the text form as well, to the same words; what `verify` finds nothing wrong with."""
    module = read_module(data)
    assert module.notes == []
    assert write_module(module) == data
    text = print_module(read_module(data))
    again = parse(text)
    assert print_module(again) == text
    assert [str(fault) for fault in verify(again)] == []
    assert write_module(again) == data
    module = read_module(data)
    assert [str(fault) for fault in verify(module)] == []
    return module


# Places where the validator accepts each kind: SPIRV-Tools 2026.4 counts 18 to 41 of the 54, and those of a function's
# description are the ones after it.
LEAST = {"reflection of a function": 2}


def places(kind: str) -> list[tuple[int, bytes]]:
    """Where spirv-val allows the instruction, with the module. It is not asked about DebugLine before a phi, which its
    rules forbid and which ends its process."""
    oracles.need("slang-glslang")
    found: list[tuple[int, bytes]] = []
    for place in range(len(ROWS) + 1):
        if kind == "debug line" and place < len(ROWS) and " OpPhi " in ROWS[place]:
            continue
        data = assemble(with_extra(EXTRA[kind], place))
        if oracles.validate(data)[0]:
            found.append((place, data))
    return found


@pytest.mark.parametrize("kind", EXTRA)
def test_every_place_that_spirv_val_allows(kind: str) -> None:
    allowed = places(kind)
    for _, data in allowed:
        comes_back(data)
    assert len(allowed) >= LEAST.get(kind, 18)


@pytest.mark.parametrize("kind", EXTRA)
def test_every_other_place_is_read_or_refused(kind: str) -> None:
    for place in range(len(ROWS) + 1):
        try:
            write_module(read_module(assemble(with_extra(EXTRA[kind], place))))
        except InputError as refused:
            assert refused.diagnostics[0].code in ("RK0110", "RK0112", "RK0113", "RK0114", "RK0513")


@pytest.mark.parametrize("kind", EXTRA)
def test_passes_leave_the_module_valid(kind: str) -> None:
    """Blocks are joined, phis and functions go: what stood beside them stands where it may, or is gone."""
    for place, data in places(kind):
        for passes in ("simplify-cfg,dce", "eliminate-phis,inline,simplify-cfg", "structurize,reconverge"):
            module = read_module(data)
            run_passes(module, passes)
            assert [str(fault) for fault in verify(module)] == [], (place, passes)
            accepted, message = oracles.validate(write_module(module))
            assert accepted, f"{place} {passes}: {message}"


def test_by_hand_after_a_terminator_and_the_last_function() -> None:
    """spirv-opt leaves DebugNoScope after a terminator; clspv describes kernels after the last function."""
    data = assemble(
        HEAD
        + BODY.replace(
            "OpReturn\nOpFunctionEnd", "OpReturn\n%n = OpExtInst %void %debug DebugNoScope\nOpFunctionEnd", 1
        )
        + "%k = OpExtInst %void %reflection Kernel %main %name %one %one %file\n"
        + "%i = OpExtInst %void %reflection ArgumentInfo %file\n"
        + "%w = OpExtInst %void %reflection ArgumentStorageBuffer %k %one %one %one %i\n"
    )
    module = comes_back(data)
    assert [line.id != 0 for line in module.functions[0].closing] == [True]
    assert len(module.closing) == 3


def test_by_hand_references_forward() -> None:
    """A composite names its members and they name it (SPV_KHR_relaxed_extended_instruction)."""
    text = HEAD.replace("OpMemoryModel", "OpMemoryModel", 1).replace(
        'OpExtension "SPV_KHR_non_semantic_info"',
        'OpExtension "SPV_KHR_non_semantic_info"\nOpExtension "SPV_KHR_relaxed_extended_instruction"',
    ) + BODY.replace(
        "%main = OpFunction",
        "%whole = OpExtInstWithForwardRefsKHR %void %debug DebugTypeComposite "
        "%file %one %code %one %one %unit %file %four %one %part\n"
        "%part = OpExtInst %void %debug DebugTypeMember %file %whole %code %one %one %one %four %one\n"
        "%main = OpFunction",
        1,
    )
    comes_back(assemble(text))


def test_by_hand_lines_before_a_parameter() -> None:
    """They are printed before the function, with the number of the parameter."""
    text = HEAD + BODY.replace("%c = OpFunctionParameter", "OpLine %file 3 9\nOpNoLine\n%c = OpFunctionParameter")
    data = assemble(text)
    comes_back(data)
    printed = [line for line in print_module(read_module(data)).splitlines() if line.startswith("leading")]
    number = read_module(data).sources[0].id
    assert printed == [f"leading parameter 1 Line %{number} 3 9", "leading parameter 1 NoLine"]
    with pytest.raises(InputError) as refused:
        parse("leading parameter 1 NoLine\nfunc @f(%a: u32) {\n  return\n}\n")
    assert [fault.code for fault in refused.value.diagnostics] == ["RK0310"]


def test_a_bound_far_above_the_ids() -> None:
    """Every consumer takes bounds up to 4194303 (SPIR-V 1.6, 2.17); a module from which much went keeps its bound."""
    words = bytearray(assemble(HEAD + BODY))
    words[12:16] = (4_194_303).to_bytes(4, "little")
    comes_back(bytes(words))


def test_by_hand_ids_that_read_like_types() -> None:
    """`u32` may have the id 32, and `f16` the id 16: the text says so as it does of any other id."""
    filler = "".join(f"%f{number} = OpConstant %float {number}\n" for number in range(2, 15))
    text = (
        "OpCapability Shader\nOpCapability Linkage\nOpCapability Float16\nOpMemoryModel Logical GLSL450\n"
        "%float = OpTypeFloat 32\n%void = OpTypeVoid\n" + filler + "%half = OpTypeFloat 16\n"
    )
    data = assemble(text)
    assert next(one for one in read_module(data).globals if one.operands == [16]).id == 16
    comes_back(data)
