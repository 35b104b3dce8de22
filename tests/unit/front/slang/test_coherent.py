"""HLSL's `globallycoherent` and GLSL's `coherent` become Coherent on the resource, or on the member of a block.

"Apply to a memory object declaration, or a structure type member. ... other invocations ... see" what is stored there
(SPIR-V 1.6, 3.20). The decorated names are those that slangc decorates (2026.14)."""

import pytest
from kit import oracles

from reknit.front.slang.compile import Settings, compile_slang
from reknit.ir import enums, op
from reknit.ir.module import Module
from reknit.spirv.write import write_module

MAIN = '[shader("compute")] [numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) '


def compiled(source: str, path: str) -> Module:
    module = compile_slang(source, path, Settings())
    assert oracles.validate(write_module(module)) == (True, "")
    return module


def coherent(module: Module) -> list[str]:
    """Names of variables; of members with their number."""
    found: list[str] = []
    for note in module.decorations:
        if note.op == op.Decorate and note.word(1) == enums.DecorationCoherent:
            found.append(note.instr(0).name)
        if note.op == op.MemberDecorate and note.word(2) == enums.DecorationCoherent:
            found.append(f"{note.instr(0).name} {note.word(1)}")
    return found


@pytest.mark.parametrize("path", ["a.slang", "a.hlsl"])
def test_resources_of_hlsl(path: str) -> None:
    source = """globallycoherent RWStructuredBuffer<uint> a; globallycoherent RWTexture2D<float> t;
        globallycoherent RWByteAddressBuffer b; RWStructuredBuffer<uint> c;
        globallycoherent RWStructuredBuffer<uint> many[2];
        """
    body = "{ a[i] = b.Load(4 * i) + c[i] + many[1][i]; t[uint2(i, 0)] = 1; }"
    assert sorted(coherent(compiled(source + MAIN + body, path))) == ["a", "b", "many", "t"]


def test_a_field_of_a_parameter_block() -> None:
    source = """struct Both { globallycoherent RWStructuredBuffer<uint> a; RWStructuredBuffer<uint> n; }
        ParameterBlock<Both> both;
        """
    assert coherent(compiled(source + MAIN + "{ both.a[i] = both.n[i]; }", "a.slang")) == ["both.a"]


def test_blocks_and_images_of_glsl() -> None:
    """A block of which all is coherent, an image, and a member of another block."""
    source = """#version 450
        layout(binding = 0) coherent buffer B { uint x[]; } b;
        layout(binding = 1, r32ui) coherent uniform uimage2D im;
        layout(binding = 2) buffer C { coherent uint z; uint y; };
        [shader("compute")] [numthreads(4, 1, 1)]
        void main() { b.x[gl_LocalInvocationIndex] = z + y + imageLoad(im, ivec2(0)).x; }
        """
    assert sorted(coherent(compiled(source, "a.slang"))) == ["C_std430 0", "b.x", "im"]
