"""A test of LLVM's offload test suite: HLSL, what is bound, and what the buffer must hold afterwards.

    #--- source.hlsl     #--- pipeline.yaml (Shaders, Buffers, Results, DescriptorSets)     # RUN: lines

Source: the tests of wave operations in llvm/offload-test-suite (test/WaveOps).
"""

from reknit.fuzzing.export.hlsl import hlsl, shader_model
from reknit.fuzzing.meaning import meaning_of
from reknit.fuzzing.program import Program


def offload(program: Program) -> str:
    """Raises InputError (RK0013) for what HLSL has no words for."""
    expected = ", ".join(str(word) for word in meaning_of(program))
    lines = [
        "#--- source.hlsl",
        hlsl(program).rstrip(),
        "#--- pipeline.yaml",
        "---",
        "Shaders:",
        "  - Stage: Compute",
        "    Entry: main",
        "    DispatchSize: [1, 1, 1]",
        "Buffers:",
        "  - Name: Out",
        "    Format: UInt32",
        "    Stride: 4",
        f"    FillSize: {4 * program.lanes}",
        "  - Name: ExpectedOut",
        "    Format: UInt32",
        "    Stride: 4",
        f"    Data: [{expected}]",
        "Results:",
        "  - Result: Test",
        "    Rule: BufferExact",
        "    Actual: Out",
        "    Expected: ExpectedOut",
        "DescriptorSets:",
        "  - Resources:",
        "    - Name: Out",
        "      Kind: RWStructuredBuffer",
        "      DirectXBinding:",
        "        Register: 0",
        "        Space: 0",
        "      VulkanBinding:",
        "        Binding: 0",
        "...",
        "#--- end",
        "",
        f"# REQUIRES: WaveSize_{program.subgroup_size}",
        "",
        "# RUN: split-file %s %t",
        f"# RUN: %dxc_target -T {shader_model(program)} -Fo %t.o %t/source.hlsl",
        "# RUN: %offloader %t/pipeline.yaml %t.o",
    ]
    return "\n".join(lines) + "\n"
