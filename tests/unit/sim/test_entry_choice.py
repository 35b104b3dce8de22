"""Which entry point is run where a module has several: the one that is named, or the only one that can be run."""

import pytest
from kit import oracles

import reknit
from reknit.ir.text.parser import parse
from reknit.sim.entry import find_entry
from reknit.source.diagnostic import InputError

TEXT = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %drawn "drawn"
OpEntryPoint GLCompute %main "main" %out
MORE
OpExecutionMode %main LocalSize 1 1 1
OpName %out "out"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%fn = OpTypeFunction %void
%block = OpTypeStruct %uint
%blocks = OpTypePointer StorageBuffer %block
%words = OpTypePointer StorageBuffer %uint
%zero = OpConstant %uint 0
%seven = OpConstant %uint 7
%out = OpVariable %blocks StorageBuffer
%drawn = OpFunction %void None %fn
%first = OpLabel
OpReturn
OpFunctionEnd
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpAccessChain %words %out %zero
OpStore %p %seven
OpReturn
OpFunctionEnd
"""
OTHER = """OpEntryPoint GLCompute %main "other" %out"""


def module(more: str = "") -> reknit.Module:
    return reknit.load(oracles.assemble(TEXT.replace("MORE", more), "spv1.4"))


def refused(more: str, name: str | None) -> list[tuple[str, str, str]]:
    with pytest.raises(InputError) as caught:
        reknit.run(module(more), entry=name)
    return [(fault.code, fault.message, fault.help) for fault in caught.value.diagnostics]


def test_the_only_compute_shader_needs_no_name() -> None:
    assert reknit.run(module(), subgroup_size=1, buffers={"out": [0]}).buffers["out"].words == [7]
    assert len(reknit.outcomes(module(), subgroup_size=1, buffers={"out": [0]}).outcomes) == 1


def test_one_of_several_is_named() -> None:
    ran = reknit.run(module(OTHER), entry="other", subgroup_size=1, buffers={"out": [0]})
    assert ran.buffers["out"].words == [7]
    message = "the module has several entry points"
    assert refused(OTHER, None) == [("RK1002", message, "name one of: main, other")]
    assert refused(OTHER, "none") == [("RK1002", "no entry point 'none'", "name one of: drawn, main, other")]
    assert [code for code, _, _ in refused(OTHER, "drawn")] == ["RK1020"]


def test_two_of_one_name() -> None:
    twice = parse('Capability Shader\nMemoryModel Logical GLSL450\nEntryPoint GLCompute @main "main"\n'
                  'EntryPoint TaskEXT @main "main"\nExecutionMode @main LocalSize 1 1 1\n'
                  'func @main() -> void {\n  return\n}\n')  # fmt: skip
    faults = []
    for name in (None, "main"):
        with pytest.raises(InputError) as caught:
            find_entry(twice, name)
        faults.append((caught.value.diagnostics[0].message, caught.value.diagnostics[0].help))
    assert faults == [
        ("the module has several entry points", "name one of: main (GLCompute), main (TaskEXT)"),
        (
            "several entry points are called 'main'",
            "a name can't tell them apart: give each a name of its own, or a module of its own",
        ),
    ]
    assert find_entry(twice, "main", (5,)).word(0) == 5  # GLCompute
