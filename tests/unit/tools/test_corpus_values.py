"""How the runner of public projects' shaders compares values: what is matched, told apart, and counted."""

from dataclasses import asdict
from pathlib import Path

import pytest
from corpus_runs import references, table, values
from corpus_runs.aligned import Unmatched, align, plain_name, semantic
from corpus_runs.kept import Kept
from corpus_runs.projects import Set
from corpus_runs.settled import settle
from corpus_runs.shaders import Shader
from corpus_runs.tried import (
    BEFORE,
    DIFFERS,
    DXC,
    NEAR,
    NOT_RUN,
    SAME,
    SETTLED,
    SIMULATED,
    SLANGC,
    UNDEFINED,
    VALID,
    Compared,
    Tried,
    from_json,
)
from kit import oracles

import reknit
from reknit.ir.module import Module

SUM = """#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer B { float b[]; };
void main() { b[gl_LocalInvocationIndex] += N; }
"""
COPY = """#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = FROM) readonly buffer From { uint data[]; } source;
layout(set = 0, binding = TO) buffer To { uint data[]; } target;
layout(set = 0, binding = 7) buffer Unused { uint data[]; } unused;
void main() { target.data[gl_LocalInvocationIndex] = source.data[gl_LocalInvocationIndex] ^ 1u; }
"""
HLSL = """
struct Pair { float a; float3 b; };
cbuffer Numbers : register(b0) { float scale; float3 offset; float4x4 turn; }
StructuredBuffer<Pair> pairs : register(t0);
Texture2D<float4> picture : register(t1);
SamplerState smooth : register(s1);
struct Varying { float4 position : SV_Position; float2 at : TEXCOORD0; float k : TEXCOORD1; float3 n : NORMAL; };
float4 main(Varying v) : SV_Target
{
    float4 sum = picture.Sample(smooth, v.at) + mul(turn, float4(v.n, 1));
    return sum * v.k + float4(pairs[1].b + offset, scale);
}
"""


def glsl(text: str, **macros: object) -> Module:
    oracles.need("glslangValidator")
    for name, value in macros.items():
        text = text.replace(name, str(value))
    return reknit.load(oracles.glslang(text))


def test_each_entry_point_is_compared() -> None:
    """A shader and the same one with another constant: what the driver stores is told apart, and named."""
    oracles.need("lavapipe")
    before, other = (reknit.to_bytes(glsl(SUM, N=number)) for number in ("3.0", "5.0"))
    assert values.compare(before, before) == [Compared(BEFORE, "main", SAME)]
    (found,) = values.compare(before, other)
    assert (found.with_, found.entry, found.verdict) == (BEFORE, "main", DIFFERS)
    assert found.why.startswith("simulated: 0.0 B b[0] is ") and "on the driver: 0.0 B b[0] is " in found.why


def test_resources_are_matched_by_name() -> None:
    """Bound the other way around, the same shader stores the same once its bindings are those of the other."""
    oracles.need("lavapipe")
    theirs, ours = glsl(COPY, FROM=0, TO=1), glsl(COPY, FROM=5, TO=0)
    assert align(theirs, ours, "main") == []
    assert values.compare_entry((theirs, ours), "main", ("theirs", "ours")) == (SAME, "")


def test_what_only_one_side_has_is_named() -> None:
    theirs = glsl(COPY, FROM=0, TO=1)
    assert align(theirs, glsl(COPY.replace("source.data[gl_LocalInvocationIndex] ^ ", ""), FROM=0, TO=1), "main") == [
        "the resource source"
    ]
    renamed = COPY.replace("source", "other").replace("FROM", "3").replace("From", "Other")
    with pytest.raises(Unmatched, match="other names"):
        align(theirs, glsl(renamed, TO=1), "main")


def test_a_buffer_is_no_image() -> None:
    image = "layout(set = 0, binding = 0, r32ui) uniform readonly uimage1D source;"
    with_image = COPY.replace("layout(set = 0, binding = FROM) readonly buffer From { uint data[]; } source;", image)
    with_image = with_image.replace("source.data[gl_LocalInvocationIndex]", "imageLoad(source, 0).x")
    with pytest.raises(Unmatched, match="a resource is a buffer in the reference and a stored image 1d here"):
        align(glsl(COPY, FROM=0, TO=1), glsl(with_image, TO=1), "main")


def test_texels_of_a_buffer_may_be_words() -> None:
    """As DXIL's RWBuffer comes to be: a buffer of words, where DXC's SPIR-V has a buffer of texels."""
    oracles.need("lavapipe")
    image = "layout(set = 0, binding = 0, r32ui) uniform readonly uimageBuffer source;"
    texels = COPY.replace("layout(set = 0, binding = FROM) readonly buffer From { uint data[]; } source;", image)
    texels = texels.replace("source.data[gl_LocalInvocationIndex]", "imageLoad(source, int(gl_LocalInvocationIndex)).x")
    theirs, ours = glsl(texels, TO=1), glsl(COPY, FROM=3, TO=4)
    assert align(theirs, ours, "main") == []
    assert values.compare_entry((theirs, ours), "main", ("theirs", "ours")) == (SAME, "")


def test_what_depends_on_what_nothing_has_written_is_undefined() -> None:
    """Two shaders that differ, of which one reads a variable before it is stored to (SPIR-V 3.3.8, OpVariable)."""
    oracles.need("lavapipe")
    unwritten = SUM.replace("b[gl_LocalInvocationIndex] += N", "float x; b[gl_LocalInvocationIndex] = x")
    verdict, why = values.compare_entry((glsl(SUM, N="3.0"), glsl(unwritten)), "main", ("theirs", "ours"))
    assert verdict == UNDEFINED and why.startswith("ours: ")


@pytest.mark.parametrize(
    "name, plain",
    [("in.var.TEXCOORD1", "in.var.texcoord1"), ("out.var.SV_Target", "out.var.sv_target0"), ("i.Pos", "")],
)
def test_semantics_are_spelled_alike(name: str, plain: str) -> None:
    """HLSL's semantics have no case, and an index of 0 where none is written (Microsoft Learn, HLSL "Semantics")."""
    assert semantic(name) == plain


def test_names_of_three_compilers() -> None:
    assert plain_name("$Globals") == plain_name("globalParams") != plain_name("globals")
    assert plain_name("counter.var.list") == plain_name("list.counter") == "list.counter"


@pytest.mark.parametrize("language, compilers", [("hlsl", [SLANGC, DXC]), ("dxil", [DXC])])
def test_a_source_beside_other_compilers(language: str, compilers: list[str], tmp_path: Path) -> None:
    """Three ways to SPIR-V, with bindings, locations and layouts of their own."""
    for tool in ("slangc", "dxc", "lavapipe"):
        oracles.need(tool)
    (tmp_path / "a.hlsl").write_text(HLSL)
    found = references.compare_sources(tmp_path, Set(language, ("*",)), Shader("a.hlsl", "fragment", "main"))
    assert [each.with_ for each in found] == compilers
    assert all(each.verdict in (SAME, NEAR) for each in found), found


def test_verdicts_are_counted_by_what_they_are_beside() -> None:
    def tried(*compared: Compared) -> Tried:
        return Tried("x", "main", "compute", "", VALID, "", list(compared))

    rows = [
        ("a/b", "hlsl", tried(Compared(DXC, "main", SAME), Compared(SLANGC, "main", NOT_RUN, "no %3"))),
        ("a/b", "hlsl", tried(Compared(DXC, "main", SIMULATED, "no driver"))),
    ]
    assert table.by_values(rows).splitlines()[2:] == [
        "| a/b | hlsl | compute | dxc | 1 |  |  | 1 |  |  |  |  |  |",
        "| a/b | hlsl | compute | slangc |  |  |  |  |  |  |  |  | 1 |",
        "| all | hlsl |  | dxc | 1 |  |  | 1 |  |  |  |  |  |",
        "| all | hlsl |  | slangc |  |  |  |  |  |  |  |  | 1 |",
        "| all |  |  |  | 1 |  |  | 1 |  |  |  |  | 1 |",
    ]
    assert table.not_run(rows).splitlines()[2:] == [
        "| 1 | not run | slangc | no _ |", "| 1 | simulated | dxc | no driver |",
    ]  # fmt: skip
    assert table.by_values([("a/b", "glsl", tried())]) == table.not_run([("a/b", "glsl", tried())]) == ""


def test_lines_that_have_more_names_are_read() -> None:
    tried = Tried("x", "main", "compute", "", VALID, "", [Compared(DXC, "main", SAME)])
    assert from_json({**asdict(tried), "another": 1}) == tried
    assert from_json({"path": "x", "entry": "", "stage": "", "variant": "", "outcome": VALID}).compared == []


def test_a_row_settles_what_differs(tmp_path: Path) -> None:
    rows = tmp_path / "rows.toml"
    rows.write_text("[[settled]]\nproject = 'a/b'\npaths = ['x']\nwith = ['dxc']\nwhy = '''two\nlines'''\n")
    compared = [Compared(DXC, "main", DIFFERS, "1 and 2"), Compared(SLANGC, "main", DIFFERS), Compared(DXC, "f", SAME)]
    found = [Kept("a/b", "", 0, "hlsl", "x", 1, "", [Tried("x", "main", "compute", "", VALID, "", compared)], True)]
    settle(found, rows)
    assert [(each.verdict, each.why) for each in compared] == [(SETTLED, "two lines"), (DIFFERS, ""), (SAME, "")]
