"""Values as a reader sees them: by type, little-endian as in memory (SPIR-V 1.6, 2.2.1; the values by hand)."""

import reknit
from reknit.view.buffers import rows, show_buffers

SHADER = """
               OpCapability Shader
               OpCapability Int64
               OpCapability Float16
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %mixed
               OpExecutionMode %main LocalSize 2 1 1
               OpName %mixed "mixed"
               OpMemberName %Block 0 "n"
               OpMemberName %Block 2 "pair"
               OpDecorate %Block Block
               OpMemberDecorate %Block 0 Offset 0
               OpMemberDecorate %Block 1 Offset 4
               OpMemberDecorate %Block 2 Offset 8
               OpMemberDecorate %Block 3 Offset 16
               OpMemberDecorate %Block 4 Offset 24
               OpDecorate %tail ArrayStride 4
               OpDecorate %mixed DescriptorSet 1
               OpDecorate %mixed Binding 2
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
        %int = OpTypeInt 32 1
      %float = OpTypeFloat 32
      %ulong = OpTypeInt 64 0
     %v2int  = OpTypeVector %int 2
       %tail = OpTypeRuntimeArray %float
      %Block = OpTypeStruct %int %float %v2int %ulong %tail
        %ptr = OpTypePointer StorageBuffer %Block
      %mixed = OpVariable %ptr StorageBuffer
       %main = OpFunction %void None %fn
          %e = OpLabel
               OpReturn
               OpFunctionEnd
"""


def test_members_by_type_and_name() -> None:
    module = reknit.load(SHADER.encode(), format="spvasm")
    # -1, 1.5, (7, -7), 2^40 + 1, and two floats: 0.25, infinity
    words = [0xFFFFFFFF, 0x3FC00000, 7, 0xFFFFFFF9, 1, 0x100, 0x3E800000, 0x7F800000]
    result = reknit.run(module, buffers={"mixed": words})
    assert show_buffers(module, result.buffers, 32) == (
        "mixed:  (set 1, binding 2)\n"
        "  n: i32 = -1\n"
        "  1: f32 = 1.5\n"
        "  pair: vec2<i32> = (7, -7)\n"
        "  3: u64 = 1099511627777\n"
        "  4: f32[2]\n"
        "    0 | 0.25  inf\n"
    )
    assert "  n: i32 = 0xffffffff\n" in show_buffers(module, result.buffers, 32, 16)


def test_rows_are_subgroups_while_they_fit() -> None:
    assert rows(["1", "22", "3", "4", "5"], 4) == ["0 |  1 22  3  4", "4 |  5"]
    assert rows([], 4) == ["(empty)"]
    assert all(len(row) <= 100 for row in rows([str(10**12)] * 64, 32))


def test_long_buffers_are_cut_and_say_so() -> None:
    shown = rows(["0"] * 10_000, 8)
    assert len(shown) == 65
    assert shown[-1] == "... 9488 more; --json has all"  # 10,000 without 64 rows of 8
