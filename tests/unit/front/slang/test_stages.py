"""Vertex and fragment shaders: which variables their parameters and results become, with which location or built-in.

Expected are what slangc (2026.14.1) and DXC (1.6) give the same sources, except for SV_TargetN: location N is DXC's and
HLSL's meaning of it, where slangc counts outputs in order of declaration.
"""

from typing import Any

import pytest
from kit.oracles import validate

from reknit.front.slang.compile import Settings, compile_slang
from reknit.front.slang.options import Options
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.opcodes import kind
from reknit.ir.walk import instructions
from reknit.sim.run import run
from reknit.sim.vertices import Vertices
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

VERTEX = """
struct In { float3 p : POSITION; float2 uv : TEXCOORD3; uint id : ID; float4x4 m : M; float arr[3] : ARR; bool b : B; };
struct Out {
    float4 pos : SV_Position; float2 uv : TEXCOORD3; nointerpolation uint id : ID; float2 clip : SV_ClipDistance0;
    float clip1 : SV_ClipDistance1; noperspective centroid float2x3 m : M; bool b : B;
};
[shader("vertex")] Out vs(In i, uint vid : SV_VertexID, float4 last : LAST)
{
    Out o;
    o.pos = float4(i.p, 1) * last; o.uv = i.uv + vid; o.id = i.id; o.clip = 1; o.clip1 = 2;
    o.m = float2x3(i.m[0].xyz, float3(i.arr[0], i.arr[1], i.arr[2])); o.b = i.b;
    return o;
}
"""
FRAGMENT = """
struct In { float4 pos : SV_Position; float2 uv : UV; bool b : B; };
struct Out { float4 c : SV_Target0; float d : SV_Depth; uint cov : SV_Coverage; float2 e : SV_Target2; };
[earlydepthstencil]
Out fs(In i, bool front : SV_IsFrontFace, uint pid : SV_PrimitiveID, uint s : SV_SampleIndex, uint cov : SV_Coverage)
{
    Out o;
    o.c = i.pos * (front ? 1 : 0.5) + pid + ddx(i.uv.x); o.d = i.uv.x; o.cov = cov; o.e = i.uv;
    if (s == 1 && i.b) discard;
    return o;
}
"""


def compiled(source: str, name: str = "a.slang", entry: str = "", stage: str = "", matrices: str = "") -> Module:
    """Of one entry point, and valid; `matrices` is how they lie that don't say it."""
    options = Options(matrix_layout=matrices)
    module = compile_slang(source, name, Settings(options, [entry] if entry else None, stage=stage))
    accepted, said = validate(write_module(module))
    assert accepted, said
    return module


def interface(module: Module) -> dict[str, set[str]]:
    """By variable, what decorates it: "Location 2", "BuiltIn Position", "Flat"."""
    said: dict[Instr, set[str]] = {instr: set() for instr in module.globals if instr.op == op.Variable}
    for mark in module.decorations:
        target = mark.operands[0]
        if isinstance(target, Instr) and target in said:
            word = kind("Decoration").of_value(mark.word(1))
            assert word is not None
            literal = f" {mark.word(2)}" if len(mark.operands) > 2 else ""
            if word.name == "BuiltIn":
                builtin = kind("BuiltIn").of_value(mark.word(2))
                assert builtin is not None
                literal = f" {builtin.name}"
            said[target].add(word.name + literal)
    return {variable.name: words for variable, words in said.items()}


def test_a_vertex_shader_passes_matrices_as_they_lie_in_slang() -> None:
    """A float4x4 has four locations either way, a float2x3 two rows, or three columns: B is after them."""
    assert interface(compiled(VERTEX))["result.b"] == {"Location 4"}
    declared = VERTEX.replace("centroid float2x3", "centroid column_major float2x3")
    for module in (compiled(VERTEX, matrices="column-major"), compiled(declared)):
        assert interface(module)["result.b"] == {"Location 5"}
    assert interface(compiled(VERTEX, matrices="column-major")) == {
        "i.p": {"Location 0"},
        "i.uv": {"Location 1"},
        "i.id": {"Location 2"},
        "i.m": {"Location 3"},
        "i.arr": {"Location 7"},
        "i.b": {"Location 10"},
        "vid": {"BuiltIn VertexIndex"},
        "base": {"BuiltIn BaseVertex"},
        "last": {"Location 11"},
        "result.pos": {"BuiltIn Position"},
        "result.uv": {"Location 0"},
        "result.id": {"Location 1", "Flat"},
        "ClipDistance": {"BuiltIn ClipDistance"},
        "result.m": {"Location 2", "NoPerspective", "Centroid"},
        "result.b": {"Location 5"},
    }


def test_a_location_has_a_row_where_matrices_lie_by_rows() -> None:
    """An input with the rows (1, 2, 3) and (4, 5, 6), at two locations; its second row is stored."""
    source = """
        RWStructuredBuffer<float3> out;
        [shader("vertex")] float4 vs(float2x3 m : M) : SV_Position { out[0] = m[1]; return 0; }
    """
    rows: list[Any] = [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]
    stored = run(compiled(source), subgroup_size=4, drawing=Vertices(1, attributes={"0": rows})).buffers["out"]
    assert stored.words[:3] == [0x40800000, 0x40A00000, 0x40C00000]  # 4, 5, 6


def test_a_vertex_shader_passes_matrices_by_rows_in_hlsl() -> None:
    """As DXC has it, whose SV_VertexID counts from the draw's first vertex."""
    found = interface(compiled(VERTEX.replace("bool b : B", "uint b : B"), "a.hlsl"))
    assert found["result.m"] == {"Location 2", "NoPerspective", "Centroid"}
    assert found["result.b"] == {"Location 4"}
    assert found["vid"] == {"BuiltIn VertexIndex"} and "base" not in found


def test_clip_distances_are_one_array() -> None:
    """A float2 and a float: three."""
    variable = next(each for each in compiled(VERTEX).globals if each.name == "ClipDistance")
    assert variable.type is not None
    array = variable.type.instr(1)
    assert array.op == op.TypeArray and array.instr(1).word(0) == 3


@pytest.mark.parametrize("name", ["a.slang", "a.hlsl"])
def test_a_fragment_shader(name: str) -> None:
    module = compiled(FRAGMENT, name)
    assert interface(module) == {
        "i.pos": {"BuiltIn FragCoord"},
        "i.uv": {"Location 0"},
        "i.b": {"Location 1", "Flat"},
        "front": {"BuiltIn FrontFacing"},
        "pid": {"BuiltIn PrimitiveId", "Flat"},
        "s": {"BuiltIn SampleId", "Flat"},
        "cov": {"BuiltIn SampleMask", "Flat"},
        "result.c": {"Location 0"},
        "result.d": {"BuiltIn FragDepth"},
        "result.cov": {"BuiltIn SampleMask"},
        "result.e": {"Location 2"},
    }
    modes = {mode.word(1) for mode in module.execution_modes}
    assert modes >= {
        enums.ExecutionModeOriginUpperLeft,
        enums.ExecutionModeDepthReplacing,
        enums.ExecutionModeEarlyFragmentTests,
    }


@pytest.mark.parametrize(("name", "result", "out"), [("a.slang", 1, 0), ("a.hlsl", 0, 1)])
def test_out_parameters_and_the_result(name: str, result: int, out: int) -> None:
    """slangc gives locations to out parameters first, DXC to the result."""
    source = "float2 vs(float4 a : A, out float3 b : B, out float4 p : SV_Position) : C { b = 1; p = a; return a.xy; }"
    found = interface(compiled(source, name, "vs"))
    assert found["result"] == {f"Location {result}"} and found["b"] == {f"Location {out}"}


def test_locations_that_are_asked_for() -> None:
    source = "float4 vs(float a : A, [[vk::location(1)]] float b : B, float c : C) : SV_Position { return a + b + c; }"
    found = interface(compiled(source))
    assert [found[name] for name in "abc"] == [{"Location 0"}, {"Location 1"}, {"Location 2"}]


def test_every_return_stores_the_outputs() -> None:
    source = "float4 fs(float a : A) : SV_Target { if (a > 1) return 1; for (;;) { if (a < 0) return 2; a -= 1; } }"
    module = compiled(source)
    stores = [
        instr
        for function in module.functions
        for instr in instructions(function)
        if instr.op == op.Store and isinstance(instr.operands[0], Instr) and instr.operands[0].name == "result"
    ]
    assert len([store for store in stores if store.instr(0).word(0) == enums.StorageClassOutput]) >= 2


@pytest.mark.parametrize(
    ("name", "entry", "stage", "model"),
    [
        ("a.frag.hlsl", "main", "", enums.ExecutionModelFragment),
        ("BlurPS.hlsl", "main", "", enums.ExecutionModelFragment),
        ("blur.vs.slang", "main", "", enums.ExecutionModelVertex),
        ("a.hlsl", "main", "vertex", enums.ExecutionModelVertex),
    ],
)
def test_the_stage_of_a_function_that_does_not_say_it(name: str, entry: str, stage: str, model: int) -> None:
    module = compiled("void main(float4 a : A) { }", name, entry, stage)
    assert module.entry_points[0].word(0) == model


PASSED = """
    struct V { float4 p : SV_Position; float2 uv : UV; uint i : SV_InstanceID; };
    [shader("vertex")] V vs(uint i : SV_InstanceID) { V v = (V)0; v.i = i; return v; }
    [shader("fragment")] float4 fs(V v, uint inner : SV_InnerCoverage) : SV_Target { return v.i * inner; }
"""


@pytest.mark.parametrize("name", ["a.slang", "a.hlsl"])
def test_an_instance_id_passes_from_stage_to_stage_at_a_location(name: str) -> None:
    """As slangc and DXC have it; both take SV_InnerCoverage as FullyCoveredEXT."""
    given = interface(compiled(PASSED, name, "vs"))
    assert given["i"] == {"BuiltIn InstanceIndex"}
    assert [given[each] for each in ("result.p", "result.uv", "result.i")] == [
        {"BuiltIn Position"},
        {"Location 0"},
        {"Location 1"},
    ]
    assert interface(compiled(PASSED, name, "fs")) == {
        "v.p": {"BuiltIn FragCoord"},
        "v.uv": {"Location 0"},
        "v.i": {"Location 1", "Flat"},
        "inner": {"BuiltIn FullyCoveredEXT"},
        "result": {"Location 0"},
    }


def test_what_hlsl_has_of_a_vertex_shaders_outputs_as_attributes() -> None:
    """DXC gives them locations in order of declaration; slangc refuses them (E30702)."""
    source = """
        float4 vs(
            uint layer : SV_RenderTargetArrayIndex, float2 clip : SV_ClipDistance, float cull : SV_CullDistance1,
            uint port : SV_ViewportArrayIndex
        ) : SV_Position { return layer + clip.xyxy + cull + port; }
    """
    found = interface(compiled(source, "a.hlsl"))
    assert found == {
        "layer": {"Location 0"},
        "clip": {"Location 1"},
        "cull": {"Location 2"},
        "port": {"Location 3"},
        "result": {"BuiltIn Position"},
    }
    with pytest.raises(InputError, match="a vertex shader takes no system value SV_RENDERTARGETARRAYINDEX here"):
        compiled(source)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("float4 vs() : SV_Position { return 0; } \n float2 f;", ""),
        ('[shader("fragment")] float4 fs() : SV_ClipDistance { return 1; }', "gives no system value SV_CLIPDISTANCE"),
        ('[shader("vertex")] float4 vs(uint a : A) : SV_VertexID { return a; }', "gives no system value SV_VERTEXID"),
        ("float4 fs(uint a : SV_VertexID) : SV_Target { return a; }", "takes no system value SV_VERTEXID here"),
        ("float3 vs() : SV_Position { return 0; }", "SV_POSITION is a 'vector<float,4>'"),
        ("float4 fs(float4 a : SV_TessFactor) : SV_Target { return a; }", "takes no system value SV_TESSFACTOR"),
        ("float4 fs(int8_t a : A) : SV_Target { return a; }", "SPIR-V has no 8-bit inputs and outputs"),
        ("float4 vs(double a : SV_ClipDistance) : SV_Position { return 1; }", "takes no system value SV_CLIPDISTANCE"),
        ('[shader("vertex")] double vs() : SV_ClipDistance { return 1; }', "SV_CLIPDISTANCE is a float"),
    ],
)
def test_what_cannot_pass(source: str, said: str) -> None:
    if not said:
        compiled(source)
        return
    with pytest.raises(InputError) as refused:
        compile_slang(source, "a.slang")
    assert said in str(refused.value)


OPTIONAL = """
struct At { float4 p : AT; }; struct Normal { float4 n : NORMAL; }; struct Placed { float4 p : SV_Position; };
[shader("vertex")] Placed takes(Conditional<At, true> at, Conditional<Normal, false> normal,
                                Conditional<float3, false> no : NO, Conditional<float3, true> tint : TINT)
{
    Placed placed = {};
    if (let a = at.get()) placed.p = a.p;
    if (let n = normal.get()) placed.p += n.n;
    if (let t = tint.get()) placed.p.xyz += t;
    return placed;
}
[shader("vertex")] Conditional<Placed, false> gives(At at) { Placed placed = { at.p }; return placed; }
"""


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("takes", {"at.p": {"Location 0"}, "tint": {"Location 1"}, "result.p": {"BuiltIn Position"}}),
        ("gives", {"at.p": {"Location 0"}}),
    ],
)
def test_a_conditional_without_a_value_is_no_variable(entry: str, expected: dict[str, set[str]]) -> None:
    assert interface(compiled(OPTIONAL, entry=entry)) == expected


@pytest.mark.parametrize("entry", ["takes", "gives"])
def test_a_void_field_passes_to_no_stage(entry: str) -> None:
    source = """
    struct With<T> { T nothing : SV_Target1; float4 color : SV_Target0; };
    [shader("fragment")] float4 takes(With<void> w) : SV_Target { return w.color; }
    [shader("fragment")] With<void> gives() { With<void> w; w.color = 1; return w; }
    """
    with pytest.raises(InputError) as refused:
        compile_slang(source, "a.slang", Settings(entries=[entry]))
    assert "'void' can't pass between stages" in str(refused.value)


def test_a_conditional_built_in_of_a_compute_shader() -> None:
    source = """
    RWStructuredBuffer<uint> o;
    struct Both { Conditional<uint3, false> group : SV_GroupID; Conditional<uint, true> index : SV_GroupIndex; };
    [numthreads(4, 1, 1)] void main(Both both, Conditional<uint3, false> thread : SV_DispatchThreadID)
    {
        if (let t = thread.get()) o[0] = t.x;
        if (let g = both.group.get()) o[1] = g.x;
        if (let i = both.index.get()) o[i] = i;
    }
    """
    built_in = interface(compiled(source))
    assert {"BuiltIn LocalInvocationIndex"} in built_in.values() and len(built_in) == 2


def test_a_built_in_is_no_struct() -> None:
    source = "struct S { uint3 a; }; [numthreads(4, 1, 1)] void main(S s : SV_GroupID) { }"
    with pytest.raises(InputError) as refused:
        compile_slang(source, "a.slang")
    assert "SV_GROUPID is no 'S'" in str(refused.value)


@pytest.mark.parametrize(
    ("source", "name", "named"),
    [
        ("namespace N { [numthreads(1, 1, 1)] [shader(\"compute\")] void one() { } } void two() { }", "a.slang",
         "only entry point is 'one'"),
        ("float4 vs() : SV_Position { return 0; } float4 ps(float4 a : A) : SV_Target { return a; } void f() { }",
         "a.hlsl", "entry points are 'vs' and 'ps'"),
        ("float4 f(float x) : SV_Target { return x; } void main(float a : A) { }", "a.hlsl",
         "only entry point is 'main'"),
        ("void f() { }", "a.hlsl", ""),
        (" ".join(f"[shader(\"vertex\")] void e{number}() {{ }}" for number in range(20)), "a.slang",
         "entry points are " + ", ".join(f"'e{number}'" for number in range(12)) + " and 8 more"),
    ],
)  # fmt: skip
def test_an_entry_point_that_is_not_there_is_reported_with_those_that_are(source: str, name: str, named: str) -> None:
    """In HLSL a function without attributes is one where each parameter has a semantic, as DXC asks of it."""
    for asked in ({"entries": ["nope"]}, {"entries": ["nope"], "stage": "vertex"}):
        with pytest.raises(InputError) as refused:
            compile_slang(source, name, Settings(**asked))
        assert [(each.code, each.help) for each in refused.value.diagnostics] == [
            ("E38000", f"the source's {named}" if named else "")
        ]


CLIPPED = """struct V
{
    float4 p : SV_Position; float2 a : SV_ClipDistance1; float b : SV_ClipDistance0; float c[2] : SV_CullDistance;
    nointerpolation int k : KIND; float2 w[2] : W;
};
[shader("vertex")]
V vs(uint i : SV_VertexID, uint n : SV_InstanceID, float3 at : POSITION, int kind : KIND)
{
    V v;
    v.p = float4(at, i);
    v.a = float2(10 + i, 20);
    v.b = 30 + n;
    v.c[0] = 40;
    v.c[1] = 41 + i;
    v.k = kind * 2;
    v.w[0] = float2(1, 2);
    v.w[1] = float2(3, 4 + i);
    return v;
}
"""


def test_what_a_vertex_leaves() -> None:
    """Clip distances in the order of their numbers, SV_ClipDistance0 first; the other outputs at locations in the order
    of the fields, an array's elements at one each."""
    given = Vertices(2, instances=2, attributes={"0": [[1, 2, 3], [4, 5, 6]], "1": [7, 8]})
    result = run(compile_slang(CLIPPED, "t.slang"), drawing=given)
    assert result.diagnostics == [] and result.vertices is not None
    found = [(each.index, each.instance, each.position, each.clip, each.cull, each.values) for each in result.vertices]
    assert found == [
        (
            i, n, [1.0 + 3 * i, 2.0 + 3 * i, 3.0 + 3 * i, float(i)], [30.0 + n, 10.0 + i, 20.0], [40.0, 41.0 + i],
            {"0": 14 + 2 * i, "1": [[1.0, 2.0], [3.0, 4.0 + i]]},
        )
        for n in (0, 1)
        for i in (0, 1)
    ]  # fmt: skip
