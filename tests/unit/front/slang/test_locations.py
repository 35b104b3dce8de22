"""Locations of what is in structs, of what asks for one, and of SV_Target of a struct.

Expected are what slangc (2026.14.1) and DXC (1.6) give the same sources, but the numbers of SV_Target in Slang, which
are DXC's: slangc counts outputs in order of declaration. What is refused has two parts at one location: DXC refuses it
too, or writes what spirv-val refuses.
"""

import pytest
from kit.oracles import validate

from reknit.front.slang.compile import Settings, compile_slang
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

PAIR = "struct Pair { float4 m : M; float4 n : N; };\n"
SAID = "struct Said { [[vk::location(1)]] float4 m : M; [[vk::location(0)]] float4 n : N; };\n"
LATE = "struct Late { [[vk::location(2)]] float4 m : M; [[vk::location(3)]] float4 n : N; };\n"
TWO = "struct Two { float4 x; float4 y; };\n"


def locations(source: str, name: str) -> dict[str, int]:
    stage = "" if "[shader" in source else "fragment"
    module = compile_slang(source, name, Settings(entries=["main"], stage=stage))
    accepted, said = validate(write_module(module))
    assert accepted, said
    found: dict[str, int] = {}
    for mark in module.decorations:
        target = mark.operands[0]
        if isinstance(target, Instr) and target.op == op.Variable and mark.word(1) == enums.DecorationLocation:
            found[target.name] = mark.word(2)
    return found


def pixel(structs: str, parameters: str) -> str:
    return f'{structs}[shader("fragment")] void main({parameters}) {{ }}'


@pytest.mark.parametrize(
    ("structs", "parameters", "slang", "hlsl"),
    [
        (PAIR, "Pair p, [[vk::location(1)]] float4 t : T", {"p.m": 2, "p.n": 3, "t": 1}, None),
        (PAIR, "[[vk::location(2)]] Pair p", {"p.m": 2, "p.n": 3}, {"p.m": 0, "p.n": 1}),
        (SAID, "[[vk::location(2)]] Said p", {"p.m": 3, "p.n": 2}, {"p.m": 1, "p.n": 0}),
        (
            SAID + LATE,
            "Said p, Late q",
            {"p.m": 1, "p.n": 0, "q.m": 4, "q.n": 5},
            {"p.m": 1, "p.n": 0, "q.m": 2, "q.n": 3},
        ),
        (LATE, "float4 c : C, Late p, float4 d : D", {"c": 0, "p.m": 3, "p.n": 4, "d": 5}, None),
        (
            LATE + "struct Outer { [[vk::location(1)]] Late b; [[vk::location(6)]] float4 y : Y; };",
            "Outer c, float4 d : D",
            {"c.b.m": 3, "c.b.n": 4, "c.y": 6, "d": 7},
            None,
        ),
        (
            "struct At { float4 p : SV_Position; float4 c : COLOR; };",
            "At a : TEXCOORD",
            {"a.p": 0, "a.c": 1},
            {"a.p": 0, "a.c": 1},
        ),
    ],
)
def test_inputs(structs: str, parameters: str, slang: dict[str, int], hlsl: dict[str, int] | None) -> None:
    assert locations(pixel(structs, parameters), "a.slang") == slang
    if hlsl is not None:
        assert locations(pixel(structs, parameters), "a.hlsl") == hlsl


@pytest.mark.parametrize("name", ["a.slang", "a.hlsl"])
@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "struct O { Two s : SV_Target1; float4 c : SV_Target0; }; O main() { O o = (O)0; return o; }",
            {"result.s.x": 1, "result.s.y": 2, "result.c": 0},
        ),
        ("Two main() : SV_Target2 { return (Two)0; }", {"result.x": 2, "result.y": 3}),
        (
            "struct O { float4 c : SV_Target3; float d : SV_Depth; }; O main() : SV_Target { return (O)0; }",
            {"result.c": 0, "result.d": 1},
        ),
    ],
)
def test_outputs_of_a_struct_count_on(source: str, expected: dict[str, int], name: str) -> None:
    assert locations(TWO + source, name) == expected


def test_a_result_is_after_the_parameters_in_slang() -> None:
    source = """
    struct O { float4 p : SV_Position; float2 u : U; };
    [shader("vertex")] O main([[vk::location(3)]] out float4 b : B) { b = 0; return (O)0; }
    """
    assert locations(source, "a.slang") == {"b": 3, "result.u": 4}


@pytest.mark.parametrize("name", ["a.slang", "a.hlsl"])
@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            "struct O { float4 c : SV_Target0; Two s : SV_Target1; float4 d : SV_Target2; }; O main() { return (O)0; }",
            "'result.s.y' and 'result.d' are both at output location 2",
        ),
        (
            "struct O { float4 a : SV_Target0; float4 b : SV_Target0; }; O main() { return (O)0; }",
            "'result.a' and 'result.b' are both at output location 0",
        ),
        (
            "struct O { float4 a[2] : SV_Target0; float4 b : SV_Target1; }; O main() { return (O)0; }",
            "'result.a' and 'result.b' are both at output location 1",
        ),
        (
            "void main([[vk::location(1)]] float4 s[3] : S, [[vk::location(2)]] float4 t : T) { }",
            "'s' and 't' are both at input location 2",
        ),
        (
            "struct O { float d : SV_Depth; float e : SV_DepthGreaterEqual; }; O main() { return (O)0; }",
            "gives both SV_DEPTH and SV_DEPTHGREATEREQUAL ('result.d' and 'result.e'): they are one built-in",
        ),
        ("float4 main(Two t : SV_Position) : SV_Target { return t.x; }", "SV_POSITION is no 'Two'"),
    ],
)
def test_two_parts_at_one_place_are_refused(source: str, said: str, name: str) -> None:
    with pytest.raises(InputError) as refused:
        compile_slang(TWO + source, name, Settings(entries=["main"], stage="fragment"))
    assert said in str(refused.value)


def test_two_colors_at_one_location_for_dual_source_blending() -> None:
    source = """
    struct O
    {
        [[vk::location(0), vk::index(0)]] float4 a : SV_Target0;
        [[vk::location(0), vk::index(1)]] float4 b : SV_Target1;
    };
    [shader("fragment")] O main() { return (O)0; }
    """
    assert locations(source, "a.slang") == {"result.a": 0, "result.b": 0}


def test_locations_that_are_said_of_some_fields_only() -> None:
    """slangc: E39023."""
    source = pixel("struct S { [[vk::location(2)]] float4 m : M; float4 n : N; };", "S s")
    with pytest.raises(InputError) as refused:
        compile_slang(source, "a.slang")
    assert "mixing explicit and implicit locations is not supported (see 'n' and 'm')" in str(refused.value)


def test_a_built_in_is_one_variable_for_all_parameters() -> None:
    source = pixel("struct T { float4 a : SV_Position; };", "T t, float4 p : SV_Position")
    module = compile_slang(source, "a.slang")
    accepted, said = validate(write_module(module))
    assert accepted, said
    assert len([instr for instr in module.globals if instr.op == op.Variable]) == 1
