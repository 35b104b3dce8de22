"""What a source may write and Vulkan's SPIR-V has no form for is refused by name, what is near to it is as SPIR-V asks.

Texels of three dimensions are not compared, only two dimensions are gathered, cubes have no offsets, atomics are of
numbers in shared memory, and one variable stands for a built-in. SPIRV-Tools' validator judges what is compiled.
"""

import struct

import pytest
from kit.oracles import validate

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.ir import enums, op
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

COMPUTE = '[shader("compute")] [numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) { %s }\n'


def compiled(source: str, name: str = "a.slang") -> Module:
    module = compile_slang(source, name, Settings(entries=["main"]))
    accepted, said = validate(write_module(module))
    assert accepted, said
    return module


def refusal(source: str, name: str = "a.slang") -> str:
    with pytest.raises(InputError) as refused:
        compile_slang(source, name, Settings(entries=["main"]))
    return str(refused.value)


# ---- textures

TEXTURES = (
    "RWStructuredBuffer<float> o; SamplerState s; SamplerComparisonState c; Texture1D line; Texture3D box; "
    "DepthTexture3D depths; Sampler3DShadow shadows; TextureCube sky; Texture2D flat;\n"
)


@pytest.mark.parametrize(
    ("used", "said"),
    [
        ("box.SampleCmpLevelZero(c, float3(0), 0.5)", "no comparisons with textures of three dimensions"),
        ("depths.SampleCmpLevelZero(c, float3(0), 0.5)", "no comparisons with textures of three dimensions"),
        ("shadows.SampleCmpLevelZero(float3(0), 0.5)", "no comparisons with textures of three dimensions"),
        ("depths.GatherCmp(c, float3(0), 0.5).x", "gathers from textures of two dimensions and cubes"),
        ("box.Gather(s, float3(0)).x", "gathers from textures of two dimensions and cubes"),
        ("line.Gather(s, 0).x", "gathers from textures of two dimensions and cubes"),
        ("sky.SampleLevel(s, float3(0), 0, int2(1)).x", "an offset with 'TextureCube"),
    ],
)
def test_texels_that_spirv_has_no_instruction_for(used: str, said: str) -> None:
    """SPIR-V 1.6, OpImageGather and ConstOffset; Vulkan, VUID-StandaloneSpirv-OpImage-04777."""
    refused = refusal(TEXTURES + COMPUTE % f"o[0] = {used};")
    assert said in refused and "a.slang:2:" in refused


@pytest.mark.parametrize(
    "used",
    [
        "line.SampleCmpLevelZero(c, 0, 0.5)", "sky.SampleCmpLevelZero(c, float3(0), 0.5)",
        "sky.GatherCmp(c, float3(0), 0.5).x", "flat.Gather(s, float2(0), int2(1)).x",
        "box.SampleLevel(s, float3(0), 0, int3(1)).x",
    ],
)  # fmt: skip
def test_texels_that_it_has_one_for(used: str) -> None:
    compiled(TEXTURES + COMPUTE % f"o[0] = {used};")


# ---- atomics

NUMBERS = (
    "RWStructuredBuffer<half2> pairs; RWStructuredBuffer<float2> floats; RWStructuredBuffer<int2> ints; "
    "RWStructuredBuffer<int2x2> rows; RWStructuredBuffer<Atomic<half2> > own;\n"
)


@pytest.mark.parametrize(
    ("used", "type"),
    [
        ("__atomic_add(floats[0], float2(1))", "vector<float,2>"),
        ("InterlockedAdd(ints[0], int2(1))", "vector<int,2>"),
        ("__atomic_increment(ints[0])", "vector<int,2>"),
        ("__atomic_compare_exchange(ints[0], int2(1), int2(2))", "vector<int,2>"),
        ("__atomic_add(rows[0], int2x2(1, 2, 3, 4))", "matrix<int,2,2>"),
        ("__atomic_exchange(pairs[0], half2(1))", "vector<half,2>"),
        ("own[0].load()", "vector<half,2>"),
    ],
)
def test_atomics_are_of_numbers(used: str, type: str) -> None:
    """SPIR-V 1.6, 3.52.18: their result is a scalar."""
    refused = refusal(NUMBERS + COMPUTE % f"{used};")
    assert f"there is no such atomic operation of '{type}'" in refused and "a.slang:2:" in refused


def test_pairs_of_halves_are_added_as_one() -> None:
    """By hand: (0.5, 1) and four times (0.5, 2) are (2.5, 9). SPV_NV_shader_atomic_fp16_vector, as slangc writes it."""
    module = compiled(NUMBERS + COMPUTE % "__atomic_reduce_add(pairs[0], half2(0.5h, 2.0h));")
    assert [mark.word(0) for mark in module.capabilities].count(enums.CapabilityAtomicFloat16VectorNV) == 1
    assert not any(mark.word(0) == enums.CapabilityAtomicFloat16AddEXT for mark in module.capabilities)
    first, sum = (struct.unpack("<I", struct.pack("<2e", *pair))[0] for pair in ((0.5, 1.0), (2.5, 9.0)))
    assert list(reknit.run(module, buffers={"pairs": [first]}).buffers["pairs"].words) == [sum]


@pytest.mark.parametrize("used", ["InterlockedAdd(mine, 1)", "uint l = 0; InterlockedMax(l, t)"])
@pytest.mark.parametrize("name", ["a.slang", "a.hlsl"])
def test_atomics_need_memory_that_is_shared(used: str, name: str) -> None:
    """Vulkan, VUID-StandaloneSpirv-None-04686; slangc: E41403."""
    source = "groupshared uint shared; static uint mine;\n" + COMPUTE % f"{used};"
    assert "this is a variable of one invocation" in refusal(source, name)


COUNTERS = """
struct Counter {
    uint plain; Atomic<uint> own;
    uint copied() { return own.load(); }
    property uint value { [constref] get { return own.load(); } }
    [constref] uint read() { return own.load(); }
    [mutating] void next() { own.add(1); count(plain); }
    static void count(inout uint x) { InterlockedAdd(x, 1); }
}
RWStructuredBuffer<Counter> counters; RWStructuredBuffer<uint> o; groupshared Counter shared; static uint mine;
void twice(inout uint x) { Counter.count(x); Counter.count(x); }
void second(inout Counter c) { c.own.add(2); }
void reset(out uint x) { InterlockedExchange(x, 9); }
uint read(__constref Atomic<uint> x) { return x.load(); }
uint byValue(Atomic<uint> x) { return x.load(); }
"""


@pytest.mark.parametrize(
    ("used", "left"),
    [
        ("counters[0].next();", [14, 24]),
        ("twice(counters[0].plain);", [18, 20]),
        ("second(counters[0]);", [10, 28]),
        ("reset(counters[0].plain);", [9, 20]),
        ("InterlockedAdd(counters[0].plain, counters[0].value + counters[0].read());", [170, 20]),
        ("InterlockedAdd(counters[0].plain, read(counters[0].own));", [90, 20]),
        ("if (t == 0) { shared.plain = 1; } GroupMemoryBarrierWithGroupSync(); shared.next(); twice(shared.plain); "
         "GroupMemoryBarrierWithGroupSync(); counters[0].plain = shared.plain;", [13, 20]),
    ],
)  # fmt: skip
def test_atomics_on_parameters_are_done_on_what_the_caller_has(used: str, left: list[int]) -> None:
    """From (10, 20), by four lanes, by hand: 4 times 1, 8 times 1, 4 times 2, 9, 4 times 40, 4 times 20, and 1 + 4 + 8
    in shared memory. slangc has it so, too: its copies are none where a pointer will do."""
    module = compiled(COUNTERS + COMPUTE % used)
    result = reknit.run(module, subgroup_size=4, buffers={"counters": [10, 20], "o": [0]})
    assert list(result.buffers["counters"].words) == left


@pytest.mark.parametrize(
    "used",
    ["o[0] = counters[0].copied();", "o[0] = byValue(counters[0].own);", "twice(mine);", "uint x = 0; twice(x);"],
)
def test_atomics_on_copies(used: str) -> None:
    """slangc: E41403."""
    assert "this is a variable of one invocation" in refusal(COUNTERS + COMPUTE % used)


def test_hlsl_copies_parameters() -> None:
    source = "groupshared uint shared;\nvoid add(inout uint x) { InterlockedAdd(x, 1); }\n" + COMPUTE % "add(shared);"
    assert "this is a variable of one invocation" in refusal(source, "a.hlsl")


# ---- built-ins and locations


def inputs_of(module: Module) -> list[int]:
    """The built-ins of the entry point's inputs."""
    variables = [
        variable
        for variable in module.globals
        if variable.op == op.Variable and variable.word(0) == enums.StorageClassInput
    ]
    return [
        mark.word(2)
        for mark in module.decorations
        if mark.op == op.Decorate and mark.word(1) == enums.DecorationBuiltIn and mark.operands[0] in variables
    ]


def test_one_variable_for_a_built_in() -> None:
    """Slang's SV_VertexID is VertexIndex - BaseVertex. Vulkan, VUID-StandaloneSpirv-OpEntryPoint-09658."""
    source = """
    struct Given { uint vertex : SV_VertexID; uint instance : SV_InstanceID; }
    [shader("vertex")] float4 main(
        Given given, uint first : SV_StartVertexLocation, int firstInstance : SV_StartInstanceLocation,
        uint whole : SV_VulkanVertexID) : SV_Position
    { return float4(given.vertex + first, given.instance, firstInstance, whole); }
    """
    assert sorted(inputs_of(compiled(source))) == sorted(
        [
            enums.BuiltInVertexIndex, enums.BuiltInBaseVertex, enums.BuiltInInstanceIndex,
            enums.BuiltInBaseInstance,
        ]
    )  # fmt: skip


def test_a_fragment_shader_that_takes_a_built_in_twice() -> None:
    source = """
    [shader("fragment")] float4 main(float4 a : SV_Position, float4 b : SV_Position, uint c : SV_Coverage,
        uint d : SV_Coverage) : SV_Target { return a + b + c + d; }
    """
    assert sorted(inputs_of(compiled(source))) == sorted([enums.BuiltInFragCoord, enums.BuiltInSampleMask])


@pytest.mark.parametrize(
    ("outputs", "said"),
    [
        ("float a : SV_Depth; float b : SV_DepthLessEqual;", "both SV_DEPTH and SV_DEPTHLESSEQUAL"),
        ("float4 a : SV_Target1; float4 b : SV_Target1;", "are both at output location 1"),
    ],
)
def test_an_output_that_is_given_twice(outputs: str, said: str) -> None:
    """Vulkan, VUID-StandaloneSpirv-OpEntryPoint-08722 and -09659."""
    source = f'struct F {{ {outputs} }}\n[shader("fragment")] F main() {{ F f; f.a = 0; f.b = 1; return f; }}\n'
    assert said in refusal(source)


def test_two_inputs_of_one_location() -> None:
    """A float2x2 takes two locations, 1 and 2. Vulkan, VUID-StandaloneSpirv-OpEntryPoint-08721."""
    source = """
    [shader("fragment")] float4 main([[vk::location(1)]] float2x2 a : A, [[vk::location(2)]] float4 b : B) : SV_Target
    { return a[0].xyxy + b; }
    """
    assert "are both at input location 2" in refusal(source)


# ---- arrays of no elements

NONE = """
RWStructuredBuffer<int> o; groupshared Few shared; static int own[0]; uniform int given[0]; ConstantBuffer<Few> few;
RWStructuredBuffer<Few> many;
int kept(int[0] none, int value) { return value; }
int[0] nothing() { return {}; }
void changed(inout int[0] none, inout int value) { value += 1; }
"""
FEW = "struct Few { int a; int none[0]; int b; }\n"


@pytest.mark.parametrize(
    ("used", "stored"),
    [
        ("o[0] = kept({}, 7);", 7),
        ("int[0] none = nothing(); int[0] more = none; o[0] = more.getCount() + 1;", 1),
        ("int none[0]; int value = 1; changed(none, value); o[0] = value;", 2),
        ("int none[0]; none[o[1]] = 5; o[0] = 3;", 3),
        ("own[o[1]] = 5; o[0] = 3;", 3),
        ("Few given = { 1, {}, 2 }; o[0] = 10 * given.a + given.b;", 12),
        ("Few each[2] = { { 1, {}, 2 }, { 3, {}, 4 } }; o[0] = each[o[1]].b;", 2),
        ("many[1] = { 1, {}, 2 }; o[0] = many[1].b;", 2),
        ("shared.b = 4; o[0] = shared.b;", 4),
        ("Tuple<int[0], int> both = makeTuple(nothing(), 6); o[0] = both._1;", 6),
    ],
)
def test_arrays_of_no_elements(used: str, stored: int) -> None:
    """SPIR-V 1.6, OpTypeArray: "Length must be at least 1". The fields beside one lie as if it were not there."""
    module = compiled(FEW + NONE + COMPUTE % used)
    assert next(iter(reknit.run(module, buffers={"o": [0, 0], "many": [0] * 4}).buffers["o"].words)) == stored


def test_arrays_of_no_elements_between_stages() -> None:
    source = """
    struct V { float4 at : SV_Position; float none[0] : NONE; float2 uv : UV; }
    [shader("vertex")] V main(float none[0] : NONE, float2 uv : UV) { V v = {}; v.uv = uv; return v; }
    """
    module = compiled(source)
    variables = [instr for instr in module.globals if instr.op == op.Variable]
    assert len(variables) == 3
