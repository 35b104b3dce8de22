"""What is outside of what is read is refused by name, and nothing is lowered after an error."""

import pytest

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.source.diagnostic import InputError

COMPUTE = 'RWStructuredBuffer<int> o;\n[shader("compute")] [numthreads(1, 1, 1)]\nvoid main() { o[0] = 1; }\n'
VERTEX = '[shader("vertex")] float4 vs(uint i : SV_VertexID) : SV_Position { return i; }\n'
GEOMETRY = "[maxvertexcount(3)] void gs(triangle float4 p[3] : SV_Position) { }\n"


def refusal(source: str, name: str = "a.slang", entries: list[str] | None = None) -> str:
    with pytest.raises(InputError) as refused:
        compile_slang(source, name, Settings(entries=entries))
    return str(refused.value)


def test_other_stages_beside_a_compute_shader_that_was_asked_for_are_left_out() -> None:
    module = compile_slang(VERTEX + GEOMETRY + COMPUTE, "a.slang", Settings(entries=["main"]))
    assert list(reknit.run(module, buffers={"o": [0]}).buffers["o"].words) == [1]


def test_stages_that_are_not_read_are_left_out_beside_one_that_is() -> None:
    module = compile_slang(GEOMETRY + VERTEX, "a.slang")
    assert [point.text(2) for point in module.entry_points] == ["vs"]


@pytest.mark.parametrize("name", ["a.slang", "a.hlsl"])
def test_a_source_of_other_stages_alone(name: str) -> None:
    assert "'gs' is a geometry shader; compute, vertex and fragment shaders are read" in refusal(GEOMETRY, name)


def test_another_stage_that_was_asked_for() -> None:
    said = refusal(GEOMETRY + COMPUTE, entries=["gs"])
    assert "'gs' is a geometry shader; compute, vertex and fragment shaders are read" in said


@pytest.mark.parametrize("used", ["t.Sample(s, float2(0)).x", "ddx(float(id.x))"])
def test_neighbours_of_what_has_none(used: str) -> None:
    """A workgroup of one invocation is made of no quads, and a vertex has none at all."""
    resources = "Texture2D t; SamplerState s;\n"
    compute = COMPUTE.replace("o[0] = 1", f"uint3 id = 0; o[0] = int({used})")
    assert "not available in 'compute' stage" in refusal(resources + compute)
    vertex = VERTEX.replace("return i", f"uint3 id = i; return {used}")
    assert "not available in 'vertex' stage" in refusal(resources + vertex)


def test_no_lowering_after_an_error() -> None:
    source = COMPUTE.replace("o[0] = 1", "o[0] = o[1] * int(block.k)")
    said = refusal("struct P { uint k; [[vk::offset(6)]] uint at; }\nParameterBlock<P> block;\n" + source)
    assert "'uint' can't lie at byte 6 of 'P': it is aligned to 4" in said
    assert "RK0009" not in said


@pytest.mark.parametrize("buffer", ["StructuredBuffer<int4>", "ByteAddressBuffer"])
def test_the_status_of_a_load_from_a_buffer(buffer: str) -> None:
    """OpImageSparseTexelsResident takes what image instructions give (SPIR-V 1.6, 3.49.10)."""
    used = COMPUTE.replace("o[0] = 1", "uint status; b.Load(4, status); o[0] = CheckAccessFullyMapped(status) ? 1 : 0")
    assert "not supported: the status of a load from a buffer" in refusal(f"{buffer} b;\n" + used)


@pytest.mark.parametrize("type", ["TensorView<float>", "TorchTensor<float>"])
def test_tensors_of_pytorch_are_refused_by_name(type: str) -> None:
    """Slang's user guide, "Using Slang to Write PyTorch Kernels"."""
    said = refusal(COMPUTE.replace("void main", f"void kernel({type} t) {{ }}\nvoid main"))
    assert f"not supported: tensors of PyTorch (`{type.partition('<')[0]}`)" in said


def test_pointers_to_what_has_other_bits() -> None:
    source = COMPUTE.replace("o[0] = 1", "int2* p = bit_cast<int2*>(__getAddress(data)); o[0] = p->x")
    assert "a pointer to 'int' can't be taken as one to 'vector<int,2>'" in refusal("groupshared int data;\n" + source)


def test_atomics_on_texels_without_a_format_for_them() -> None:
    source = COMPUTE.replace("o[0] = 1", "InterlockedAdd(t[uint2(0)], 1)")
    assert "atomics need texels of the format" in refusal('[format("rgba8ui")] RWTexture2D<uint> t;\n' + source)


@pytest.mark.parametrize(
    "line", ["#if HAS", "#if HAS && 1", "#if (HAS_BOTH)", "#if HAS_BOTH == 1 && defined A"]
)
def test_defined_out_of_a_macro(line: str) -> None:
    macros = "#define A 1\n#define B\n#define HAS (defined(A))\n#define HAS_BOTH defined A && defined(B)\n"
    module = compile_slang(f"{macros}{line}\n{COMPUTE}#endif\n", "a.slang")
    assert [function.name for function in module.functions] == ["main"]


def test_matrices_by_columns_in_interface_values_from_outside() -> None:
    """Their bytes would be read row by row."""
    types = "interface I { float get(); }\nstruct A : I { column_major float2x3 m; float get() { return m[1][0]; } }\n"
    source = COMPUTE.replace("o[0] = 1", "o[0] = int(given[0].get())")
    said = refusal(types + "StructuredBuffer<I> given;\n" + source)
    assert "by columns can't lie in an interface value that comes from outside" in said
    inside = COMPUTE.replace("o[0] = 1", "A a; a.m = float2x3(1, 2, 3, 4, 5, 6); I i = a; o[0] = int(i.get())")
    module = compile_slang(types + inside, "a.slang")
    assert list(reknit.run(module, buffers={"o": [0]}).buffers["o"].words) == [4]


@pytest.mark.parametrize(
    ("local", "arguments", "said"),
    [
        ("int a[N / M]", "10, 0", "the size of 'int[(10 / 0)]' can't be computed: (10 / 0) has no value"),
        ("int a[N - M]", "1, 3", "'int[-2]' has a size of -2, which must be between 0 and 2147483647"),
        ("vector<int, N> a", "9, 0", "'vector<int,9>' has a size of 9, which must be between 1 and 4"),
        ("vector<int, N> a", "0, 0", "'vector<int,0>' has a size of 0, which must be between 1 and 4"),
        ("vector<int, N % M> a = 0", "9, 0", "(9 % 0) is a size and has no value"),
        ("matrix<float, 2, N> a", "7, 0", "'matrix<float,2,7>' has a size of 7, which must be between 1 and 4"),
    ],
)
def test_sizes_that_generic_arguments_give(local: str, arguments: str, said: str) -> None:
    """What the checker says of a size that is written as a number, of one that is only known for an instance."""
    function = f"int f<int N, int M>() {{ {local}; return int(a[0]); }}\n"
    assert said in refusal(function + COMPUTE.replace("o[0] = 1", f"o[0] = f<{arguments}>()"))


SLOPES = """float f(float x) { return x * x; }
float slope(float x) { return fwd_diff(f)(diffPair(x, 1.0)).d; }
struct S { float x; float slope() { return fwd_diff(f)(diffPair(x, 1.0)).d; } }
interface I { float g(); }
struct A : I { float g() { return fwd_diff(f)(diffPair(2.0, 1.0)).d; } }
struct B : I { float g() { return 5; } }
float by<T : I>(T t) { return t.g(); }
DifferentialPair<float> given(RWStructuredBuffer<int> b) { return diffPair(1.0, 1.0); }
"""


@pytest.mark.parametrize(
    "used", ["slope(1)", "S(1).slope()", "by(A())", "createDynamicObject<I>(uint(o[0]), 0).g()", "given(o).p"]
)
def test_what_is_not_read_is_refused_where_an_entry_point_reaches_it(used: str) -> None:
    said = refusal(SLOPES + COMPUTE.replace("o[0] = 1", f"o[0] = int({used})"))
    assert "RK0910" in said and "RK0911" not in said


def test_what_is_not_read_is_no_obstacle_where_none_does() -> None:
    module = compile_slang(SLOPES + COMPUTE.replace("o[0] = 1", "o[0] = int(by(B()))"), "a.slang")
    assert list(reknit.run(module, buffers={"o": [0]}).buffers["o"].words) == [5]


def test_mistakes_are_reported_where_no_entry_point_reaches_them() -> None:
    assert "undefined identifier 'y'" in refusal("float g() { return y; }\n" + COMPUTE)


def test_what_is_not_read_outside_of_functions() -> None:
    assert "not supported: automatic differentiation" in refusal("static float d = fwd_diff(sin)(1);\n" + COMPUTE)
    pair = "DifferentialPair<float> pair(float x) { return diffPair(x, x); }\nstatic float d = pair(1.0).p;\n"
    assert "not supported: a call of 'pair'" in refusal(pair + COMPUTE.replace("o[0] = 1", "o[0] = int(d)"))


def test_what_is_not_read_in_a_signature_decides_no_overload() -> None:
    """The one that can't be told apart is the one that is meant."""
    overloads = "DifferentialPair<float> h(float x) { return diffPair(x, x); }\nfloat h(int x) { return 7; }\n"
    assert "not supported: a call of 'h'" in refusal(overloads + COMPUTE.replace("o[0] = 1", "o[0] = int(h(1.0))"))


@pytest.mark.parametrize(
    ("before", "used", "said"),
    [
        ("using namespace linalg;", "", "cooperative matrices and vectors (`linalg`)"),
        ("static int n = linalg::CoopMatMatrixUse.MatrixA;", "", "cooperative matrices and vectors (`linalg`)"),
        ("struct S : IDifferentiablePtrType { };", "", "automatic differentiation (`IDifferentiablePtrType`)"),
        ("", "o[0] = coopVecLoad<4>(o)[0];", "cooperative matrices and vectors (`coopVecLoad`)"),
        ("", "beginInvocationInterlock();", "ordered sections of fragment shaders"),
    ],
)
def test_what_the_language_has_and_is_not_read_is_named(before: str, used: str, said: str) -> None:
    assert f"not supported: {said}" in refusal(f"{before}\n{COMPUTE.replace('o[0] = 1;', used)}")


def test_a_name_of_the_source_is_not_the_language_s() -> None:
    source = "namespace linalg { int detach() { return 1; } }\nusing namespace linalg;\n"
    module = compile_slang(source + COMPUTE.replace("= 1", "= detach()"), "a.slang", Settings())
    assert list(reknit.run(module, buffers={"o": [0]}).buffers["o"].words) == [1]


def test_a_hull_shader_has_the_topology_of_its_output_as_a_mesh_shader_has() -> None:
    """Both have [outputtopology] (Microsoft's HLSL reference, "outputtopology" and "Mesh Shader")."""
    hull = '[domain("quad")] [outputtopology("triangle_ccw")] [patchconstantfunc("p")] void hs() { }\n'
    assert "'hs' is a hull shader" in refusal(hull, "a.hlsl")
    mesh = '[outputtopology("triangle")] [numthreads(32, 1, 1)] void ms() { }\n'
    assert "'ms' is a mesh shader" in refusal(mesh, "a.hlsl")
