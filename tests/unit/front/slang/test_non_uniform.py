"""`NonUniformResourceIndex` and `nonuniform` become NonUniform on whatever takes the descriptor that the index chooses.

Where the descriptor that an instruction accesses is not dynamically uniform, the operand that is the resource (the
pointer, image or sampled image) must be decorated NonUniform (VUID-RuntimeSpirv-NonUniform-06274). The capabilities are
those of SPIR-V 1.6, 3.31: one for each kind of array. Expected instructions are by hand from these."""

import pytest
from kit import oracles

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.ir import enums, op, traits
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.spirv.write import write_module

MAIN = '[shader("compute")] [numthreads(4, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n'
BUFFERS = "StructuredBuffer<uint> places; RWStructuredBuffer<float4> o;\n"
NAMES = {
    op.AccessChain: "AccessChain", op.Load: "Load", op.ImageTexelPointer: "ImageTexelPointer", op.Image: "Image",
    op.SampledImage: "SampledImage", op.CopyObject: "CopyObject",
}  # fmt: skip


def compiled(source: str, path: str = "a.slang") -> Module:
    """Dispatch, which SPIR-V has no instructions for, is lowered."""
    module = compile_slang(BUFFERS + source, path, Settings())
    if "interface" in source:
        reknit.compile(module, "specialize-dispatch, lower-dispatch")
    assert oracles.validate(write_module(module)) == (True, "")
    return module


def marked(module: Module) -> dict[Instr, None]:
    return {
        note.instr(0): None
        for note in module.decorations
        if note.op == op.Decorate and note.word(1) == enums.DecorationNonUniform
    }


def decorated(module: Module) -> list[str]:
    """The names of decorated instructions, in order of the code."""
    marks = marked(module)
    return [NAMES[instr.op] for function in module.functions for instr in function.instructions() if instr in marks]


def capabilities(module: Module) -> list[int]:
    """Those of SPV_EXT_descriptor_indexing but the one for arrays without a size."""
    last = enums.CapabilityStorageTexelBufferArrayNonUniformIndexing
    asked = range(enums.CapabilityShaderNonUniform, last + 1)
    found = [each.word(0) for each in module.capabilities]
    return [each for each in found if each in asked and each != enums.CapabilityRuntimeDescriptorArray]


def choices(module: Module) -> tuple[list[Instr], list[Instr]]:
    """Pointers and handles of descriptors that an index chooses which is no constant: (all, those not decorated)."""
    marks = marked(module)
    found: dict[Instr, None] = {}
    for function in module.functions:
        for instr in function.instructions():
            base = instr.operands[0] if instr.operands else None
            name = NAMES.get(instr.op, "")
            if not name or not isinstance(base, Instr):
                continue
            if base.op == op.Variable and base.block is None and name == "AccessChain":
                assert base.type is not None
                if base.type.instr(1).op in (op.TypeArray, op.TypeRuntimeArray) and as_int(instr.value(1)) is None:
                    found[instr] = None
            elif any(operand in found for operand in instr.operands if isinstance(operand, Instr)) and (
                name != "Load" or (instr.type is not None and instr.type.op in traits.HANDLE)
            ):
                found[instr] = None
    return list(found), [instr for instr in found if instr not in marks]


INDEX = "NonUniformResourceIndex(places[id.x])"
SAMPLED = enums.CapabilitySampledImageArrayNonUniformIndexing
STORED = enums.CapabilityStorageImageArrayNonUniformIndexing
TEXELS = enums.CapabilityUniformTexelBufferArrayNonUniformIndexing
STORED_TEXELS = enums.CapabilityStorageTexelBufferArrayNonUniformIndexing
STRUCTURED = enums.CapabilityStorageBufferArrayNonUniformIndexing
KINDS = [
    ("Texture2D t[4];", "o[0] = t[I][id.xy];", "AccessChain Load", SAMPLED),
    ("Texture2D t[];", "o[0] = t[I].Load(int3(0));", "AccessChain Load", SAMPLED),
    ("Texture2D t[4]; SamplerState s;", "o[0] = t[I].SampleLevel(s, 0, 0);", "AccessChain Load SampledImage", SAMPLED),
    ("Texture2D t; SamplerState s[];", "o[0] = t.SampleLevel(s[I], 0, 0);", "AccessChain Load SampledImage", SAMPLED),
    ("Sampler2D t[4];", "o[0] = t[I].SampleLevel(0, 0);", "AccessChain Load", SAMPLED),
    ("Sampler2D t[];", "o[0] = t[I].Load(int3(0));", "AccessChain Load Image", SAMPLED),
    ("RWTexture2D<float4> t[4];", "t[I][id.xy] = 1;", "AccessChain Load", STORED),
    ("RWTexture2D<uint> t[];", "uint n; InterlockedAdd(t[I][id.xy], 1, n);", "AccessChain ImageTexelPointer", STORED),
    ("Buffer<float4> t[4];", "o[0] = t[I][3];", "AccessChain Load", TEXELS),
    ("RWBuffer<float4> t[4];", "t[I][3] = 1;", "AccessChain Load", STORED_TEXELS),
    ("StructuredBuffer<float4> t[4];", "o[0] = t[I][3];", "AccessChain AccessChain", STRUCTURED),
    ("RWStructuredBuffer<uint> t[];", "t[I][3] = 1;", "AccessChain AccessChain", STRUCTURED),
    ("RWStructuredBuffer<uint> t[];", "InterlockedAdd(t[I][3], 1);", "AccessChain AccessChain", STRUCTURED),
    ("ByteAddressBuffer t[4];", "o[0] = t[I].Load(4);", "AccessChain AccessChain", STRUCTURED),
    ("RWByteAddressBuffer t[];", "t[I].Store(4, 1);", "AccessChain AccessChain", STRUCTURED),
    (
        "struct C { float k; float4 v; }; ConstantBuffer<C> t[4];", "o[0] = t[I].v;", "AccessChain AccessChain",
        enums.CapabilityUniformBufferArrayNonUniformIndexing,
    ),
]  # fmt: skip


IN_BOTH = [("a.slang", *kind) for kind in KINDS] + [("a.hlsl", *kind) for kind in KINDS if "Sampler2D" not in kind[0]]


@pytest.mark.parametrize(("path", "declared", "used", "names", "capability"), IN_BOTH)
def test_each_kind_of_descriptor(path: str, declared: str, used: str, names: str, capability: int) -> None:
    """The index is a copy, as glslang has it, so that its value has no mark where it is used otherwise."""
    module = compiled(f"{declared}\n{MAIN}{{ {used.replace('I]', INDEX + ']')} }}", path)
    assert decorated(module) == ["CopyObject", *names.split()]
    assert capabilities(module) == [enums.CapabilityShaderNonUniform, capability]
    assert "SPV_EXT_descriptor_indexing" in [each.text(0) for each in module.extensions]


FLOWS = f"""RWStructuredBuffer<uint> t[4];
interface IPick {{ uint pick(uint i); void put(uint i, out uint to); }}
struct A : IPick {{ uint d; uint pick(uint i) {{ return i + d; }} void put(uint i, out uint to) {{ to = i; }} }}
struct B : IPick {{ uint d; uint pick(uint i) {{ return d; }} void put(uint i, out uint to) {{ to = d; }} }}
IPick make(uint k) {{ if (k == 0) {{ A a = {{1}}; return a; }} B b = {{2}}; return b; }}
struct H {{ uint a; uint b; }}
groupshared uint g;
static uint own;
uint twice(uint i) {{ return i * 2; }}
uint said(uint i) {{ return NonUniformResourceIndex(i); }}
void deep(uint v, inout H h) {{ h.a = v; }}
void deeper(uint v, inout H h) {{ deep(v, h); }}
uint read(RWStructuredBuffer<uint> b, uint n) {{ return b[n]; }}
T same<T>(T value) {{ return value; }}
{MAIN}{{ uint i = places[id.x]; uint m = {INDEX}; STATEMENT }}
"""
STATEMENTS = (
    "t[m][0] = 1;",
    "t[(m + 1) & 3][0] = 1;",
    "t[int(min(m, 3))][0] = 1;",
    "t[i > 2 ? m : 0][0] = 1;",
    "uint2 both = uint2(0, m); t[both.y][0] = 1;",
    "uint all[3] = { 0, 1, m }; t[all[id.y]][0] = 1;",
    "t[twice(m)][0] = 1;",
    "t[said(i)][0] = 1;",
    "t[same(m)][0] = 1;",
    "H h = {}; deeper(m, h); t[h.a][0] = 1;",
    "uint w = 0; for (int k = 0; k < 2; k++) { t[w][0] = 1; w = m; }",
    "g = m; t[g][0] = 1;",
    "own = m; t[own][0] = 1;",
    "IPick p = make(i); t[p.pick(m)][0] = 1;",
    "IPick p = make(i); uint to; p.put(m, to); t[to][0] = 1;",
    "RWStructuredBuffer<uint> one = t[m]; one[0] = one[1];",
    "o[0] = read(t[m], 3);",
    "t[WaveReadLaneAt(m, 1)][0] = 1;",
    "let f = (uint k) => k + m; t[f(1)][0] = 1;",
)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_mark_goes_with_the_number(statement: str) -> None:
    """Before passes and after those of `optimize`, which fold, merge, promote and clone."""
    module = compiled(FLOWS.replace("STATEMENT", statement))
    found, missing = choices(module)
    assert found and not missing
    reknit.compile(module, "optimize")
    assert oracles.validate(write_module(module)) == (True, "")
    found, missing = choices(module)
    assert found and not missing
    assert not choices(reknit.load(write_module(module)))[1]


@pytest.mark.parametrize(
    "statement",
    [
        "t[i][0] = 1;",
        "t[i][m] = 1;",  # an element of one descriptor
        "t[t[m][0]][0] = i;",  # what a buffer holds has no mark of its own
        "t[NonUniformResourceIndex(2)][0] = 1;",
    ],
)
def test_what_has_no_mark(statement: str) -> None:
    module = compiled(FLOWS.replace("STATEMENT", statement))
    _, missing = choices(module)
    chosen = "t[m]" in statement
    assert [NAMES[instr.op] for instr in missing] == ([] if "(2)" in statement else ["AccessChain"] * 2)
    assert (STRUCTURED in capabilities(module)) == chosen


def test_nothing_is_declared_without_a_mark() -> None:
    module = compiled(
        f"Texture2D t[4];\n{MAIN}{{ o[0] = t[places[id.x]][id.xy] + t[NonUniformResourceIndex(2)][id.xy]; }}"
    )
    assert decorated(module) == [] and capabilities(module) == []
    assert "SPV_EXT_descriptor_indexing" not in [each.text(0) for each in module.extensions]


HANDLES = (
    "o[0] = nonuniform(h)[3];",
    "Buffer<float4>.Handle k = nonuniform(h); o[0] = k[3];",
    "Buffer<float4> b = nonuniform(h); o[0] = b[3];",
    "Buffer<float4> b = ResourceDescriptorHeap[NonUniformResourceIndex(uint2(h).x)]; o[0] = b[3];",
)


@pytest.mark.parametrize("used", HANDLES)
def test_handles(used: str) -> None:
    module = compiled(f"uniform Buffer<float4>.Handle h;\n{MAIN}{{ {used} }}")
    found, missing = choices(module)
    assert [NAMES[instr.op] for instr in found] == ["AccessChain", "Load"] and not missing
    assert capabilities(module) == [enums.CapabilityShaderNonUniform, TEXELS]


def test_a_handle_without_a_mark() -> None:
    module = compiled(f"uniform Buffer<float4>.Handle h;\n{MAIN}{{ o[0] = h[3] + h[4]; }}")
    assert decorated(module) == [] and capabilities(module) == []


RUN = f"""RWStructuredBuffer<uint> t[4]; RWByteAddressBuffer b[2]; RWStructuredBuffer<uint> r;
{MAIN}{{ uint i = {INDEX}; r[id.x] = t[i][1] + b[NonUniformResourceIndex(i & 1)].Load(4); InterlockedAdd(t[i][0], 1); }}
"""


@pytest.mark.parametrize("size", [4, 8, 32, 64])
@pytest.mark.parametrize("pipeline", ["", "optimize"])
def test_it_is_run(size: int, pipeline: str) -> None:
    """Places 3 1 3 0; element 1 of t[n] is 10 n + 1, word 1 of b[n] 100 n + 7: 31 + 107, 11 + 107, 31 + 107, 1 + 7."""
    module = compiled(RUN)
    if pipeline:
        reknit.compile(module, pipeline)
    given = {f"t[{n}]": [0, 10 * n + 1] for n in range(4)} | {f"b[{n}]": [0, 100 * n + 7] for n in range(2)}
    result = reknit.run(module, subgroup_size=size, buffers={"places": [3, 1, 3, 0], "r": [0] * 4, **given})
    assert list(result.buffers["r"].words) == [138, 118, 138, 8]
    assert [list(result.buffers[f"t[{n}]"].words) for n in range(4)] == [[1, 1], [1, 11], [0, 21], [2, 31]]


def test_an_index_is_evaluated_once() -> None:
    """Of the receiver of a method: n goes up by one with each call, so 1, 2, 3; b[0] gets 7, b[1] 5 more."""
    source = """RWByteAddressBuffer b[4]; RWStructuredBuffer<Atomic<uint>> a; RWStructuredBuffer<uint> r;
[shader("compute")] [numthreads(1, 1, 1)]
void main() {
    uint n = 0; uint old;
    b[n++].Store(0, 7); r[0] = n;
    b[n++].InterlockedAdd(0, 5, old); r[1] = n;
    a[n++].add(3); r[2] = n;
}"""
    given = {f"b[{n}]": [0] for n in range(4)}
    result = reknit.run(compiled(source), subgroup_size=4, buffers={"a": [0] * 4, "r": [0] * 3, **given})
    assert list(result.buffers["r"].words) == [1, 2, 3] and list(result.buffers["a"].words) == [0, 0, 3, 0]
    assert [list(result.buffers[f"b[{n}]"].words) for n in range(4)] == [[7], [5], [0], [0]]
