"""`run --vertices N --size WxH`: what the vertex shader stores is there for the fragment shader, and afterwards."""

import json
from pathlib import Path

import pytest

from reknit.cli.main import main

# Vertex i adds 10^i to the first word of @counts and stores i + 1 at texel (i, 0); each pixel adds 1000 and reads.
SHADER = """Capability Shader
Capability StorageImageWriteWithoutFormat
MemoryModel Logical GLSL450
EntryPoint Vertex @corners "corners" %index %position %counts %marks
EntryPoint Fragment @pixels "pixels" %color %counts %marks
ExecutionMode @pixels OriginUpperLeft
names %index, %position, %color, %counts, %marks
Decorate %index BuiltIn VertexIndex
Decorate %position BuiltIn Position
Decorate %color Location 0
Decorate %Block Block
MemberDecorate %Block 0 Offset 0
Decorate %counts DescriptorSet 0
Decorate %counts Binding 0
Decorate %marks DescriptorSet 0
Decorate %marks Binding 1
%index = Variable Input : ptr<Input, u32>
%position = Variable Output : ptr<Output, vec4<f32>>
%color = Variable Output : ptr<Output, vec2<u32>>
%Block = TypeStruct u32
%counts = Variable StorageBuffer : ptr<StorageBuffer, %Block>
%image = TypeImage u32 2D 0 0 0 2 R32ui
%marks = Variable UniformConstant : ptr<UniformConstant, %image>

func @corners() -> void {
  %i = Load %index : u32
  %word = AccessChain %counts, 0u : ptr<StorageBuffer, u32>
  %first = IEqual %i, 0u : bool
  %second = IEqual %i, 1u : bool
  %some = Select %second, 10u, 100u : u32
  %much = Select %first, 1u, %some : u32
  %old = AtomicIAdd %word, Device, 0u, %much : u32
  %held = Load %marks : %image
  %at = CompositeConstruct %i, 0u : vec2<u32>
  %next = IAdd %i, 1u : u32
  %texel = CompositeConstruct %next, 0u, 0u, 0u : vec4<u32>
  ImageWrite %held, %at, %texel
  %right = IEqual %i, 1u : bool
  %low = IEqual %i, 2u : bool
  %x = Select %right, 3.0f, -1.0f : f32
  %y = Select %low, 3.0f, -1.0f : f32
  %corner = CompositeConstruct %x, %y, 0.0f, 1.0f : vec4<f32>
  Store %position, %corner
  return
}

func @pixels() -> void {
  %held = Load %marks : %image
  %at = CompositeConstruct 2u, 0u : vec2<u32>
  %texel = ImageRead %held, %at : vec4<u32>
  %mark = CompositeExtract %texel 0 : u32
  %word = AccessChain %counts, 0u : ptr<StorageBuffer, u32>
  %old = AtomicIAdd %word, Device, 0u, 1000u : u32
  %low = UMod %old, 1000u : u32
  %both = CompositeConstruct %low, %mark : vec2<u32>
  Store %color, %both
  return
}
"""


def test_what_vertices_store_is_there_for_fragments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1 + 10 + 100, on the 5 that is given; four pixels add 1000 each, and see 116 below; texel 2 is 3."""
    path = tmp_path / "count.rk"
    path.write_text(SHADER)
    given = ["--set", "counts=5", "--set", "marks=4x1:r32ui:zeros"]
    assert main(["run", str(path), "--vertices", "3", "--size", "2x2", *given, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["diagnostics"] == [] and result["buffers"]["counts"]["words"] == [4116]
    assert result["buffers"]["marks"]["words"] == [1, 2, 3, 0]
    (color,) = result["framebuffer"]["outputs"]
    assert [pixel["value"] for pixel in color["pixels"]] == [[116, 3]] * 4
