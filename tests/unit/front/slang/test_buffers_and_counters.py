"""Atomics of byte-address buffers in other types than words, appending and consuming, texels by level and sample.

Values are worked out by hand in each test; SPIR-V's validator judges what is only compiled.
"""

import struct

import pytest
from kit.oracles import validate

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.ir import enums, op
from reknit.ir.constants import as_int
from reknit.ir.instr import Instr
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.source.diagnostic import InputError
from reknit.spirv.write import write_module

MAIN = '[shader("compute")] [numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) { %s }\n'


def compiled(source: str, name: str = "a.slang") -> Module:
    module = compile_slang(source, name, Settings(entries=["main"]))
    accepted, said = validate(write_module(module))
    assert accepted, said
    return module


def words(source: str, name: str = "a.slang", **buffers: list[int]) -> dict[str, list[int]]:
    given = {key.replace("_counter", ".counter"): value for key, value in buffers.items()}
    result = reknit.run(compiled(source, name), subgroup_size=4, buffers=given)
    return {key: list(value.words) for key, value in result.buffers.items()}


def test_adding_floats_in_a_byte_address_buffer() -> None:
    """0.5 + 4 times 1.5 = 6.5 at byte 4; the word at byte 0 counts what the others saw: 4 stores of t add up to 6."""
    body = "float old; b.InterlockedAddF32(4, 1.5, old); b.InterlockedAdd(0, t); b.InterlockedAddF32(4, 0);"
    start = struct.unpack("<I", struct.pack("<f", 0.5))[0]
    found = words("RWByteAddressBuffer b;\n" + MAIN % body, b=[0, start, 0, 0])
    assert found["b"][0] == 6
    assert struct.unpack("<f", struct.pack("<I", found["b"][1]))[0] == 6.5


def test_atomics_of_64_bits_in_a_byte_address_buffer() -> None:
    """2^32 - 1 plus 4: 3 and a carry. The signed maximum of -5 and t is 3, the unsigned one of 2^64 - 5 is itself."""
    body = """
    uint64_t old; int64_t was;
    b.InterlockedAdd64(0, uint64_t(1), old); b.InterlockedAddI64(8, -1, was);
    b.InterlockedMax64(16, int64_t(t), was); b.InterlockedMaxU64(24, uint64_t(t));
    """
    most = 0xFFFFFFFF
    given = [most, 0, 0, 0, 0xFFFFFFFB, most, 0xFFFFFFFB, most]
    found = words("RWByteAddressBuffer b;\n" + MAIN % body, b=given)
    assert found["b"] == [3, 1, 0xFFFFFFFC, most, 3, 0, 0xFFFFFFFB, most]


def test_floats_are_exchanged_and_compared_by_their_bits() -> None:
    """-0.0 and 0.0 have other bits: nothing is stored for the wrong one."""
    body = """
    if (t == 0) {
        float old; b.InterlockedExchangeFloat(0, 2.0, old); o[0] = asuint(old);
        b.InterlockedCompareExchangeFloatBitwise(4, 0.0, 1.0, old); o[1] = asuint(old);
        b.InterlockedCompareStoreFloatBitwise(8, 0.0, 1.0);
    }
    """
    minus_zero, one, two = 0x80000000, 0x3F800000, 0x40000000
    source = "RWByteAddressBuffer b; RWStructuredBuffer<uint> o;\n" + MAIN % body
    found = words(source, b=[one, minus_zero, 0, 0], o=[0, 0])
    assert found["b"] == [two, minus_zero, one, 0] and found["o"] == [one, minus_zero]


@pytest.mark.parametrize("name", ["a.slang", "a.hlsl"])
def test_appending_and_consuming(name: str) -> None:
    """The counters go from 1 to 5 and from 3 down to -1; three get an element, one gets zero: 10 + 20 + 30."""
    source = "AppendStructuredBuffer<uint> a; ConsumeStructuredBuffer<uint2> c; RWStructuredBuffer<uint> sum;\n"
    body = "uint2 got = c.Consume(); a.Append(got.x); InterlockedAdd(sum[0], got.y);"
    found = words(source + MAIN % body, name, a=[9] * 6, a_counter=[1], c=[1, 10, 2, 20, 3, 30], c_counter=[3], sum=[0])
    assert found["a"][0] == 9 and sorted(found["a"][1:5]) == [0, 1, 2, 3] and found["a"][5] == 9
    assert found["a.counter"] == [5] and found["c.counter"] == [0xFFFFFFFF] and found["sum"] == [60]


def test_counters_of_a_structured_buffer_in_hlsl() -> None:
    """Four increments give 0 to 3, which add up to 6; then one decrement gives 3."""
    body = "InterlockedAdd(o[0], b.IncrementCounter()); GroupMemoryBarrierWithGroupSync(); "
    body += "if (t == 0) o[1] = b.DecrementCounter();"
    found = words("RWStructuredBuffer<uint> b; RWStructuredBuffer<uint> o;\n" + MAIN % body, "a.hlsl", o=[0, 0])
    assert found["o"] == [6, 3]


def test_buffers_of_an_array_have_no_atomics_of_other_types() -> None:
    source = "RWByteAddressBuffer b[2];\n" + MAIN % "b[t & 1].InterlockedAddF32(0, 1.0);"
    with pytest.raises(InputError) as refused:
        compile_slang(source, "a.slang")
    assert "atomic operations on 'float' in an array of buffers are not supported" in str(refused.value)


def levels_and_samples(module: Module) -> list[tuple[int, int | None]]:
    """Of each fetch the kind of its image operand, and that operand's value."""
    found: list[tuple[int, int | None]] = []
    for instr in instructions(module.functions[0]):
        if instr.op == op.ImageFetch:
            value = instr.value(3)
            while isinstance(value, Instr) and value.op == op.CompositeExtract and isinstance(value.operands[0], Instr):
                made = value.operands[0]
                value = made.value(-1) if made.op == op.CompositeConstruct else made.value(value.word(1))
            found.append((instr.word(2), as_int(value)))
    return found


def test_texels_by_level_and_by_sample() -> None:
    """mips[2][xy] is a fetch at level 2, sample[1][xy] one of sample 1: as Load(int3(xy, 2)) and Load(xy, 1)."""
    textures = "Texture2D t2; Texture2DMS<float4> ms; RWStructuredBuffer<float4> o;\n"
    named = compiled(textures + MAIN % "o[t] = t2.mips[2][int2(t, 1)] + ms.sample[1][int2(t, 1)];")
    loaded = compiled(textures + MAIN % "o[t] = t2.Load(int3(t, 1, 2)) + ms.Load(int2(t, 1), 1);")
    assert levels_and_samples(named) == levels_and_samples(loaded) == [(enums.ImageOperandsLod, 2), (64, 1)]


def test_arrays_of_resources_in_structs_take_any_index() -> None:
    source = """
    StructuredBuffer<uint> parts[2]; RWStructuredBuffer<uint> o;
    struct Split { StructuredBuffer<uint> all[2]; uint get(uint i) { return all[i & 1][i >> 1]; } };
    """
    compiled(source + MAIN % "Split s; s.all = parts; o[t] = s.get(t);")


def test_enumerators_are_names_of_their_scope_in_hlsl() -> None:
    source = "namespace A { namespace B { enum Enum { W = 2, H = W * 3 }; } }\nRWStructuredBuffer<uint> o;\n"
    assert words(source + MAIN % "o[t] = A::B::H + A::B::W;", "a.hlsl", o=[0] * 4)["o"] == [8] * 4
    with pytest.raises(InputError):
        compile_slang("enum class E { W }; RWStructuredBuffer<uint> o;\n" + MAIN % "o[t] = W;", "a.hlsl")


def test_vectors_of_specialization_constants() -> None:
    """They are made where they are used: ConstantComposite takes no specialization constants."""
    source = "[[vk::constant_id(0)]] const uint n = 3; RWStructuredBuffer<uint> o;\n"
    assert words(source + MAIN % "uint2 v = uint2(n, 1); o[t] = v.x + v.y;", o=[0] * 4)["o"] == [4] * 4


@pytest.mark.parametrize("name", ["FloatE4M3", "CoopMat", "GetAttributeAtVertex"])
def test_what_is_not_read_is_refused_by_name(name: str) -> None:
    with pytest.raises(InputError) as refused:
        compile_slang(f"{name} x;\n" + MAIN % "", "a.slang")
    assert "RK0910" in str(refused.value) and f"(`{name}`)" in str(refused.value)


def test_pairs_of_halves_are_added_in_one_word() -> None:
    """The instruction is that of SPV_NV_shader_atomic_fp16_vector, which gives both halves as they were."""
    module = compiled("RWByteAddressBuffer b;\n" + MAIN % "b.Store(0, b._NvInterlockedAddFp16x2(4, t));")
    assert any(instr.op == op.AtomicFAddEXT for instr in instructions(module.functions[0]))
    assert any(mark.text(0) == "SPV_NV_shader_atomic_fp16_vector" for mark in module.extensions)


def test_the_size_of_the_workgroup() -> None:
    """4 by 1 by 1. Two entry points of different sizes have none in common."""
    source = "RWStructuredBuffer<uint> o;\n" + MAIN % "o[t] = 100 * WorkgroupSize().x + 10 * WorkgroupSize().y;"
    assert words(source, o=[0] * 4)["o"] == [410] * 4
    with pytest.raises(InputError) as refused:
        compile_slang(source + '[shader("compute")] [numthreads(8, 1, 1)] void other() { }', "a.slang")
    assert "the size of the workgroup is not the same for all entry points" in str(refused.value)


def test_this_type_is_a_name_like_any_other_in_hlsl() -> None:
    source = "RWStructuredBuffer<uint> o;\nvoid put(uint This) { o[This] = This + 1; }\n"
    assert words(source + MAIN % "put(t);", "a.hlsl", o=[0] * 4)["o"] == [1, 2, 3, 4]
