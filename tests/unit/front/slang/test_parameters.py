"""Shader parameters that say where they lie and what they are: offsets, push constants, specialization constants."""

import pytest

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.front.slang.options import Options
from reknit.ir import op
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError

MAIN = '[shader("compute")] [numthreads(1, 1, 1)] void main() { %s }\n'
OUT = "RWStructuredBuffer<int> o;\n"


def compiled(source: str, main: str, layout: str = "std", name: str = "a.slang") -> Module:
    return compile_slang(OUT + source + MAIN % main, name, Settings(Options(buffer_layout=layout)))


def refusal(source: str, main: str = "o[0] = 1;") -> str:
    with pytest.raises(InputError) as refused:
        compiled(source, main)
    return str(refused.value)


PLACED = """
struct S { [[vk::offset(32)]] int2 a; int b; [[vk::offset(16)]] int4 c; }
ConstantBuffer<S> s;
cbuffer C { int3 v : packoffset(c1.y); int w : packoffset(c0.w); int x; }
"""


def test_fields_that_say_where_they_lie() -> None:
    """a at byte 32, b after it at 40, c at 16; v at row 1, component 1, w at row 0, component 3, and x after that."""
    given = {"s": list(range(12)), "C": list(range(8)), "o": [0] * 6}
    module = compiled(PLACED, "o[0] = s.a.y; o[1] = s.b; o[2] = s.c.z; o[3] = v.x; o[4] = w; o[5] = x;")
    assert reknit.run(module, buffers=given).buffers["o"].words == [9, 10, 6, 5, 3, 4]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("struct S { int a; [[vk::offset(2)]] int b; }; ConstantBuffer<S> s;", "'int' can't lie at byte 2 of 'S'"),
        ("struct S { int4 a; [[vk::offset(8)]] int b; }; ConstantBuffer<S> s;", "say where they lie overlap at byte 8"),
        ("struct S { [[vk::offset(o)]] int b; };", "'vk::offset' takes a constant number of bytes"),
        ("cbuffer C { int a : packoffset(x0); }", "'packoffset' takes a register and a component of it"),
        (
            "struct S { [[vk::offset(8)]] int a; Texture2D t; }; ParameterBlock<S> s;",
            "'S' has resources: its other fields can't say where they lie",
        ),
    ],
)
def test_places_that_can_not_be(source: str, said: str) -> None:
    assert said in refusal(source, "o[0] = s.a;" if "ParameterBlock" in source else "o[0] = 1;")


@pytest.mark.parametrize("type", ["S", "ConstantBuffer<S>"])
@pytest.mark.parametrize(
    ("layout", "name", "at"),
    [  # float3 is aligned to 16 by std430, to 4 by components; slangc's rows of 16 bytes are DXC's components
        ("std", "a.slang", (4, 8)), ("scalar", "a.slang", (1, 5)), ("dx", "a.slang", (1, 8)), ("dx", "a.hlsl", (1, 5)),
    ],
)  # fmt: skip
def test_push_constants(type: str, layout: str, name: str, at: tuple[int, int]) -> None:
    source = f"struct S {{ int a; int3 b; int c[2]; }};\n[[vk::push_constant]] {type} p;\n"
    module = compiled(source, "o[0] = p.a; o[1] = p.b.x; o[2] = p.c[1];", layout, name)
    size = {(4, 8): 9, (1, 5): 6, (1, 8): 9}[at]
    assert [one.text(2) for one in module.entry_points] == ["main"]
    found = reknit.run(module, buffers={"o": [0] * 3}, push_constants=list(range(size))).buffers
    assert found["o"].words == [0, *at]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("struct S { int a; Texture2D t; }; [[vk::push_constant]] S p;", "push constants can't hold 'S'"),
    ],
)
def test_what_push_constants_can_not_be(source: str, said: str) -> None:
    assert said in refusal(source)


PUSHED = OUT + """
[[vk::push_constant]] int p;
[[vk::push_constant]] int q;
[shader("compute")] [numthreads(1, 1, 1)] void one(uniform int k) { o[0] = k; }
[shader("compute")] [numthreads(1, 1, 1)] void other() { o[0] = q + 1; }
[shader("compute")] [numthreads(1, 1, 1)] void main(uniform int k) { BODY }
"""


@pytest.mark.parametrize(("entry", "value"), [("one", 7), ("other", 8)])
def test_blocks_of_push_constants_of_which_an_entry_point_uses_one(entry: str, value: int) -> None:
    """As slangc has it: each block begins at byte 0, and those that the entry point doesn't use are not there."""
    module = compile_slang(PUSHED.replace("BODY", ""), "a.slang", Settings(entries=[entry]))
    assert reknit.run(module, buffers={"o": [0] * 3}, push_constants=[7]).buffers["o"].words[0] == value


@pytest.mark.parametrize("body", ["o[0] = p + q;", "o[0] = k + p;"])
def test_two_blocks_of_push_constants_in_one_entry_point(body: str) -> None:
    with pytest.raises(InputError, match="can't both be push constants: an entry point can have one block"):
        compile_slang(PUSHED.replace("BODY", body), "a.slang", Settings(entries=["main"]))


CHOSEN = """
[[vk::constant_id(3)]] const int a = 5;
[SpecializationConstant] const uint b = 6;
[vk::constant_id(0)] const bool c = true;
[vk::constant_id(7)] const float d = 0.5;
[vk::constant_id(8)] const double f = 0.0;
static const int e = a * 2;
"""


def test_specialization_constants() -> None:
    """5 + 10, 6, 1, 0.5 as words; with a = 7, b (number 1, which is free) = 8, c false, d and f 0.125 others."""
    module = compiled(CHOSEN, "o[0] = a + e; o[1] = int(b); o[2] = c; o[3] = asint(float(d + f));")
    assert reknit.run(module, buffers={"o": [0] * 4}).buffers["o"].words == [15, 6, 1, 0x3F000000]
    chosen = reknit.run(module, buffers={"o": [0] * 4}, spec={3: 7, 1: 8, 0: False, 7: 0.125, 8: 0.125})
    assert chosen.buffers["o"].words == [21, 8, 0, 0x3E800000]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        (
            CHOSEN + "struct T<let N : int> { int s[N]; }\nstatic T<a> t;",
            "not supported: a generic argument that is a specialization constant",
        ),
        (CHOSEN + "struct T { int s[e]; }\nRWStructuredBuffer<T> t;", "how many elements '(a * 2)' are isn't known"),
        (
            CHOSEN + '[shader("compute")] [numthreads(a, 1, 1)] void g() { }',
            "a workgroup's size that depends on a specialization constant",
        ),
        ("[vk::constant_id(0)] const int2 v = int2(1, 2);", "'v' can't be a specialization constant"),
    ],
)
def test_where_specialization_constants_can_not_be(source: str, said: str) -> None:
    assert said in refusal(source, "o[0] = v.x;" if " v " in source else "o[0] = 1;")


def test_plain_fields_of_structs_in_arrays_of_arrays() -> None:
    """grid[a][b].v[i] is word a * 24 + b * 12 + i * 4 of globalParams: 16 bytes an int, three of them a struct."""
    source = (
        "RWStructuredBuffer<int> o;\nstruct Part { RWStructuredBuffer<int> data; int v[3]; }\n"
        "uniform Part grid[2][2];\n"
        '[shader("compute")] [numthreads(1, 1, 1)]\n'
        "void main() { int k = o[0]; o[0] = grid[k][0].v[1]; o[1] = grid[0][k].v[2]; }\n"
    )
    words = [0] * 48
    words[24 + 4], words[12 + 8] = 9, 7
    result = reknit.run(compile_slang(source, "a.slang"), buffers={"o": [1, 0], "globalParams": words})
    assert list(result.buffers["o"].words) == [9, 7]


def test_the_format_of_a_texture_that_an_entry_point_takes() -> None:
    source = "[shader(\"compute\")] [numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex, "
    source += "[format(\"r32f\")] RWTexture1D<float> sums) { sums.InterlockedAddF32(0, float(t)); }"
    module = compile_slang(source, "a.slang", Settings())
    assert [type.word(6) for type in module.globals if type.op == op.TypeImage] == [3]  # R32f (SPIR-V 1.6, 3.11)


def test_a_struct_with_resources_begins_and_ends_as_structs_do() -> None:
    """std140: the inner struct takes 16 bytes, so that what follows it is at 16 (OpenGL 4.6, 7.6.2.2, rule 9); slangc
    (2026.14.1) has the same."""
    source = """
        struct Inner { float x; int y; RWStructuredBuffer<float> out; }
        struct Outer { Inner a; uint b; }
        ParameterBlock<Outer> block;
        uniform Outer loose;
        [shader("compute")] [numthreads(1, 1, 1)] void main()
        {
            block.a.out[0] = block.a.x + block.a.y + block.b;
            loose.a.out[0] = loose.a.x + loose.a.y + loose.b;
        }
    """
    words = [0x3F000000, 2, 99, 99, 30]  # 0.5, 2, padding, 30
    module = compile_slang(source, "a.slang")
    result = reknit.run(module, subgroup_size=4, buffers={"block": words, "globalParams": [*words, *[0] * 3]})
    stored = [buffer.words[0] for buffer in result.buffers.values()]
    assert stored == [0x42020000, 0x42020000]  # 32.5


ROWS = """
RWStructuredBuffer<int> cells[2][3];
struct Part { RWStructuredBuffer<int> data[2]; }
uniform Part parts[3];
int sum(RWStructuredBuffer<int> row[3]) { return row[0][0] + 10 * row[1][0] + 100 * row[2][0]; }
int second(int64_t i) { return cells[i][1][0]; }
"""


def test_an_array_of_arrays_of_resources_is_one_array() -> None:
    """cells[i][j] is descriptor 3 i + j, parts[i].data[j] descriptor 2 i + j; n holds n + 1, or n + 10."""
    main = "uint16_t i = uint16_t(o[0]); o[0] = cells[i][2][0]; o[1] = sum(cells[i]); o[2] = parts[2].data[i][0];"
    module = compiled(ROWS, main + " o[3] = second(i);")
    kinds = [instr for instr in module.globals if instr.op == op.TypeArray]
    assert not [instr for instr in kinds if instr.instr(0).op == op.TypeArray]  # VUID-StandaloneSpirv-Uniform-06807
    given = {f"cells[{n}]": [n + 1] for n in range(6)} | {f"parts.data[{n}]": [n + 10] for n in range(6)}
    assert reknit.run(module, buffers={"o": [1, 0, 0, 0], **given}).buffers["o"].words == [6, 654, 15, 5]


def test_only_the_outer_array_of_resources_is_without_a_length() -> None:
    assert "only the outer one can be without a length" in refusal("Texture2D t[2][];", "o[0] = 1;")


def test_an_array_of_structs_with_resources_is_an_array_of_structs() -> None:
    """std140: two structs of 32 bytes, each with another that ends at 16, and what follows them at 64; slangc
    (2026.14.1) has the same."""
    source = """
        struct Inmost { float w; Texture2D t; }
        struct Inner { Inmost i; int y; RWStructuredBuffer<float> out; }
        struct Outer { Inner e[2]; float z; }
        ParameterBlock<Outer> block;
        RWStructuredBuffer<int> k;
        [shader("compute")] [numthreads(1, 1, 1)] void main()
        {
            k[1] = int(block.e[k[0]].i.w) + block.e[k[0]].y + int(block.z);
        }
    """
    words = [0] * 20
    words[8], words[12], words[16] = 0x40000000, 30, 0x43960000  # e[1]: 2.0 and 30; 300.0
    result = reknit.run(compile_slang(source, "a.slang"), subgroup_size=4, buffers={"block": words, "k": [1, 0]})
    assert list(result.buffers["k"].words) == [1, 332]
