"""Compute shaders of operations on floats: a body computes %y from what the invocation loads, and out[lane] holds it.

    float_shader("  %y = FAdd %x, 2.0f : f32")                            %x is in[lane]
    float_shader("  %y = FMul %a, %c : f32", "abc", lanes=1)              %a, %b, %c are in[3 lane] and what follows
    float_shader(body, modes="ExecutionMode @main DenormPreserve 32", capabilities="Capability DenormPreserve")
"""

import struct

from reknit.ir.module import Module
from reknit.ir.text.parser import parse

TEXT = """\
Capability Shader
Capability GroupNonUniformArithmetic
{capabilities}
%glsl = ExtInstImport "GLSL.std.450"
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %out, %in, %lane_id
ExecutionMode @main LocalSize {lanes} 1 1
{modes}
names @main, %out, %in
{decorations}
Decorate %words ArrayStride 4
MemberDecorate %Words 0 Offset 0
Decorate %Words Block
Decorate %out DescriptorSet 0
Decorate %out Binding 0
Decorate %in DescriptorSet 0
Decorate %in Binding 1
Decorate %lane_id BuiltIn LocalInvocationIndex
%words = TypeRuntimeArray f32
%Words = TypeStruct %words
%out = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%in = Variable StorageBuffer : ptr<StorageBuffer, %Words>
%lane_id = Variable Input : ptr<Input, u32>
{types}func @main() -> void {{
  %lane = Load %lane_id : u32
{loads}
{body}
  %q = AccessChain %out, 0u, %lane : ptr<StorageBuffer, f32>
  Store %q, %y
  return
}}
"""


def float_shader(
    body: str,
    names: str = "x",
    lanes: int = 4,
    *,
    modes: str = "",
    decorations: str = "",
    capabilities: str = "",
    types: str = "",
) -> Module:
    """`names` has a letter for each float that an invocation loads; `types` are lines of types, constants and
    variables."""
    return parse(
        TEXT.format(
            body=body,
            lanes=lanes,
            loads=loads(names),
            modes=modes,
            decorations=decorations,
            capabilities=capabilities,
            types=types,
        )
    )


def loads(names: str) -> str:
    lines = [] if len(names) == 1 else [f"  %n = IMul %lane, {len(names)}u : u32"]
    lines += [f"  %n{at} = IAdd %n, {at}u : u32" for at in range(1, len(names))]
    for at, name in enumerate(names):
        place = "%lane" if len(names) == 1 else f"%n{at or ''}"
        lines.append(f"  %p{name} = AccessChain %in, 0u, {place} : ptr<StorageBuffer, f32>")
    return "\n".join([*lines, *[f"  %{name} = Load %p{name} : f32" for name in names]])


def word(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def value_of(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])
