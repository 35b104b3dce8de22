"""Fragment shaders as SPIR-V assembly, with the types that tests need, and pictures of what they leave.

    shader("%x = OpLoad %v2f %uv ...", inputs="flat kind u32", modes=["EarlyFragmentTests"])

Always there: the input %uv (location 0, a vec2), the output %color (location 0, a vec4), the types %f32 %u32 %i32 %bool
%v2f %v3f %v4f %v4u, the constants %u0 ... %u5 and %f0 %f1 %f2 %fh (0.5), and the storage buffer %out of run-time u32.
"""

from collections.abc import Sequence

import reknit
from reknit.ir.module import Module
from reknit.sim.result import Result

TYPES = """%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%f32 = OpTypeFloat 32
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%v2f = OpTypeVector %f32 2
%v3f = OpTypeVector %f32 3
%v4f = OpTypeVector %f32 4
%v2u = OpTypeVector %u32 2
%v4u = OpTypeVector %u32 4
%u0 = OpConstant %u32 0
%u1 = OpConstant %u32 1
%u2 = OpConstant %u32 2
%u3 = OpConstant %u32 3
%u4 = OpConstant %u32 4
%u5 = OpConstant %u32 5
%f0 = OpConstant %f32 0
%f1 = OpConstant %f32 1
%f2 = OpConstant %f32 2
%fh = OpConstant %f32 0.5
%f100 = OpConstant %f32 100
%true = OpConstantTrue %bool
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%out_p = OpTypePointer StorageBuffer %block
%word_p = OpTypePointer StorageBuffer %u32
%out = OpVariable %out_p StorageBuffer
%uv_p = OpTypePointer Input %v2f
%uv = OpVariable %uv_p Input
%color_p = OpTypePointer Output %v4f
%color = OpVariable %color_p Output
"""


def variable(name: str, storage: str, type: str, *decorations: str) -> tuple[str, list[str], str]:
    """A variable more: what declares it, its decorations, its name."""
    text = f"%{name}_p = OpTypePointer {storage} {type}\n%{name} = OpVariable %{name}_p {storage}\n"
    return text, [f"OpDecorate %{name} {decoration}" for decoration in decorations], f"%{name}"


def shader(
    body: str,
    *variables: tuple[str, list[str], str],
    modes: Sequence[str] = (),
    capabilities: Sequence[str] = (),
    extensions: Sequence[str] = (),
    types: str = "",
    stage: str = "Fragment",
) -> Module:
    """`body` are the instructions of the entry point after its first label, its OpReturn left out at the end."""
    interface = " ".join(["%uv", "%color", "%out", *[name for _, _, name in variables]])
    needs = ["Shader", "GroupNonUniformBallot", "GroupNonUniformArithmetic", "GroupNonUniformQuad", *capabilities]
    lines = [f"OpCapability {name}" for name in needs]
    lines += [f'OpExtension "{name}"' for name in extensions]
    lines += ["OpMemoryModel Logical GLSL450", f'OpEntryPoint {stage} %main "main" {interface}']
    lines += [f"OpExecutionMode %main {mode}" for mode in (*(["OriginUpperLeft"] * (stage == "Fragment")), *modes)]
    names = ["uv", "color", "out", *[name[1:] for _, _, name in variables]]
    lines += [f'OpName %{name} "{name}"' for name in names]
    lines += ["OpDecorate %uv Location 0", "OpDecorate %color Location 0", "OpDecorate %words ArrayStride 4"]
    lines += ["OpDecorate %block Block", "OpMemberDecorate %block 0 Offset 0"]
    lines += ["OpDecorate %out DescriptorSet 0", "OpDecorate %out Binding 0"]
    for _, decorations, _ in variables:
        lines += decorations
    text = "\n".join(lines) + "\n" + TYPES + types + "".join([declared for declared, _, _ in variables])
    text += f"%main = OpFunction %void None %fn\n%start = OpLabel\n{body}\nOpReturn\nOpFunctionEnd\n"
    return reknit.load(text.encode(), format="spvasm")


def pixels(result: Result, component: int = 0, location: int = 0, sample: int = 0) -> list[list[float | None]]:
    """A component of the output at a location, row by row; None where nothing was drawn."""
    framebuffer = result.framebuffer
    assert framebuffer is not None
    [attachment] = [each for each in framebuffer.attachments if each.location == location]
    width, height = framebuffer.size
    rows: list[list[float | None]] = []
    for y in range(height):
        values = [attachment.at(x, y, sample) for x in range(width)]
        rows.append([None if value is None else value[component] for value in values])
    return rows


def ends(result: Result) -> list[str]:
    """How each lane ended: w, h or d."""
    assert result.framebuffer is not None
    return [fragment.end[0] for fragment in result.framebuffer.fragments]
