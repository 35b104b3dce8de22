"""Pointers from outside: addresses in buffers, push constants and parameters.

Layouts are those that slangc 2026.14 gives what a pointer leads to ("natural": by components, bools of 4 bytes, nothing
padded), by hand below and compared with its SPIR-V; `memory` is what the simulator has at an address.
"""

import struct
import subprocess
from pathlib import Path

import pytest
from kit import oracles

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.ir import enums, op
from reknit.ir.module import Module
from reknit.ir.walk import instructions
from reknit.spirv.write import write_module

MAIN = '[shader("compute")] [numthreads(1, 1, 1)] void main('
NODES = """
struct Inner { bool flag; float3 v; uint8_t b; }
struct Node { int value; float3x2 m; Node* next; Inner inner[2]; half h; int8_t tail; }
struct Given { Node* head; float* data; uint64_t number; }
ConstantBuffer<Given> given;
RWStructuredBuffer<Node*> list;
RWStructuredBuffer<int> out;
uniform int* plain;
""" + MAIN + """uniform Node* pushed)
{
    Node* n = given.head;
    out[0] = n->value + n.next->value + int(n.inner[1].v.y) + (n->inner[1].flag ? 100 : 0);
    given.data[1] = n->m[2][1];
    float* third = given.data + 2;
    *third = 2;
    Node* other = (Node*)given.number;
    other[1].value = 7;
    other->tail = int8_t(-3);
    other->h = half(1.5);
    out[1] = int((uint64_t)third - (uint64_t)given.data);
    out[2] = (list[1] - 1)->value;
    out[3] = pushed->value * 100 + *plain;
    out[4] = third > given.data ? 1 : 0;
    other->inner[0] = n->inner[1];
    third--;
    out[5] = third++ == given.data + 1 ? 2 : 3;
    int old;
    InterlockedAdd(n.next.value, 30, old);
    out[6] = old;
}
"""
# value at 0, m at 4, next at 32, inner at 40 and 60 (flag, v at 4, b at 16: 17 bytes), h at 78, tail at 80; 88 apart


def node() -> bytes:
    data = struct.pack("<i6fxxxxQ", 5, 0, 1, 2, 3, 4, 5.5, 0x10000 + 88)
    data += struct.pack("<I3fB3xI3fB", 0, 0, 0, 0, 0, 1, 3, 4, 5, 9)
    return data + bytes(88 - len(data)) + struct.pack("<i", 70) + bytes(84)


def words(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def run(module: Module) -> dict[str, list[int]]:
    given = {
        "given": [0x10000, 0, 0x20000, 0, 0x30000, 0], "list": [0, 0, 0x10000 + 88, 0], "out": [0] * 7,
        "globalParams": [0x20000, 0], "0x10000": words(node()), "0x20000": [3, 0, 0], "0x30000": [0] * 44,
    }  # fmt: skip
    result = reknit.run(module, buffers=given, push_constants=[0x10000, 0])
    assert not result.failed(), [str(message) for message in result.diagnostics]
    return {name: buffer.words for name, buffer in result.buffers.items()}


def float_bits(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def test_what_is_loaded_and_stored() -> None:
    stored = run(compile_slang(NODES, "a.slang", Settings()))
    assert stored["out"] == [5 + 70 + 4 + 100, 8, 5, 503, 1, 2, 70]
    assert stored["0x20000"] == [3, float_bits(5.5), float_bits(2)]
    assert stored["0x10000"][22] == 100
    memory = struct.pack(f"<{44}I", *stored["0x30000"])
    assert struct.unpack_from("<I3fB", memory, 40) == (1, 3, 4, 5, 9)
    assert struct.unpack_from("<eb", memory, 78) == (1.5, -3)
    assert struct.unpack_from("<i", memory, 88) == (7,)


def test_the_module_is_as_the_specification_has_it() -> None:
    """PhysicalStorageBuffer64 (SPIR-V 1.6, 3.4); an access by address has Aligned (VUID-StandaloneSpirv-04708)."""
    binary = write_module(compile_slang(NODES, "a.slang", Settings()))
    module = reknit.load(binary)
    assert module.memory_model[0].word(0) == enums.AddressingModelPhysicalStorageBuffer64
    held = [instr for function in module.functions for instr in instructions(function) if instr.op == op.Load]
    aligned = [load.word(2) for load in held if len(load.operands) > 1]
    assert {1, 4, 8} >= set(aligned) and 4 in aligned and 8 in aligned
    if oracles.find("spirv-val") is not None:
        assert oracles.spirv_val(binary, "vulkan1.3", "--scalar-block-layout") == (True, "")


def test_slangc_makes_the_same_of_it(tmp_path: Path) -> None:
    source, product = tmp_path / "a.slang", tmp_path / "a.spv"
    source.write_text(NODES)
    command = [*oracles.need("slangc"), str(source), "-target", "spirv", "-matrix-layout-row-major"]
    done = subprocess.run([*command, "-o", str(product)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert run(reknit.load(product)) == run(compile_slang(NODES, "a.slang", Settings()))


FUNCTIONS = """
struct Two { int a; float2 b; int16_t c[3]; }
struct All { int* words; Two* twos; int* table[2]; }
uniform All all;
RWStructuredBuffer<int> out;
struct View { int* base; int get(int i) { return base[i]; } [mutating] void move(int i) { base = base + i; } }
int total(int* p, uint n) { int sum = 0; for (uint i = 0; i < n; i++) sum += p[i]; return sum; }
void swap(inout int* a, inout int* b) { int* c = a; a = b; b = c; }
T first<T>(Ptr<T> p) { return *p; }
""" + MAIN + """)
{
    int* p = all.table[0];
    int* q = all.table[1];
    swap(p, q);
    View view = { all.words };
    view.move(2);
    out[0] = total(all.words, 3) * 100 + *p * 10 + q[0];
    out[1] = view.get(-1) * 10 + first<int>(view.base);
    all.twos[1].c[2] = int16_t(-4);
    float2* b = &(&all.twos[1])->b;
    b[0].y = 2.5;
    uint8_t* bytes = (uint8_t*)all.words;
    bytes[5] = uint8_t(1);
    int* none = nullptr;
    if (none) out[2] = 1;
}
"""


def test_functions_methods_and_parts() -> None:
    """words at 0x10000: 1 2 3 4; table[0] is words + 1, table[1] words + 3. A Two has 18 bytes and is aligned to 4: the
    second begins at 20, its b.y at 28, c[2] at 36."""
    given = {
        "globalParams": [0x10000, 0, 0x20000, 0, 0x10004, 0, 0, 0, 0x1000C, 0, 0, 0], "out": [0] * 3,
        "0x10000": [1, 2, 3, 4], "0x20000": [0] * 10,
    }  # fmt: skip
    result = reknit.run(compile_slang(FUNCTIONS, "a.slang", Settings()), buffers=given)
    assert not result.failed(), [str(message) for message in result.diagnostics]
    assert result.buffers["out"].words == [600 + 40 + 2, 23, 0]
    assert result.buffers["0x10000"].words == [1, 0x102, 3, 4]
    assert result.buffers["0x20000"].words == [0, 0, 0, 0, 0, 0, 0, float_bits(2.5), 0, 0xFFFC]


BYTES = """
struct P { uint k; int* at; }
RWByteAddressBuffer bytes;
uniform int* first;
""" + MAIN + """)
{
    P p = bytes.Load<P>(0);
    p.k = p.at[1];
    p.at = first;
    bytes.Store<P>(16, p);
    *bytes.Load<int*>(24) = 3;
}
"""


def test_pointers_in_byte_address_buffers() -> None:
    given = {"bytes": [9, 0, 0x10000, 0, 0, 0, 0, 0], "globalParams": [0x20000, 0], "0x10000": [5, 6], "0x20000": [7]}
    buffers = reknit.run(compile_slang(BYTES, "a.slang", Settings()), buffers=given).buffers
    assert buffers["bytes"].words == [9, 0, 0x10000, 0, 6, 0, 0x20000, 0]
    assert buffers["0x20000"].words == [3]


BOTH = """
struct Two { int a; float2 b; }
uniform Two* twos;
groupshared Two pair[2];
groupshared int values[3];
void fill(int* to) { *to = 7; to[1] = 8; }
""" + MAIN + """uniform int* numbers, uniform bool own)
{
    Two* two = &pair[0];
    two[1].b.y = 3;
    two[1].a = 9;
    twos[1] = two[1];
    int local = 4;
    int* chosen = own ? &local : numbers;
    *chosen += 3;
    fill(__getAddress(values[1]));
    fill(numbers + 1);
    numbers[3] = values[1] * 10 + values[2] + local;
}
"""


@pytest.mark.parametrize(("own", "stored"), [(1, [10, 7, 8, 78 + 7]), (0, [13, 7, 8, 78 + 4])])
def test_pointers_to_own_variables_beside_them(own: int, stored: list[int]) -> None:
    module = compile_slang(BOTH, "a.slang", Settings())
    given = {"globalParams": [0x20000, 0], "0x10000": [10, 0, 0, 0], "0x20000": [0] * 6}
    result = reknit.run(module, buffers=given, push_constants=[0x10000, 0, own, 0])
    assert not result.failed(), [str(message) for message in result.diagnostics]
    assert result.buffers["0x10000"].words == stored
    assert result.buffers["0x20000"].words == [0, 0, 0, 9, 0, float_bits(3)]


def test_what_coherent_stores_lead_to_is_decorated() -> None:
    source = "uniform float3* p; " + MAIN + ") { storeCoherent<4, MemoryScope.Device>(p + 1, float3(1)); }"
    binary = write_module(compile_slang(source, "a.slang", Settings()))
    notes = [note for note in reknit.load(binary).decorations if enums.DecorationCoherent in note.operands[1:]]
    assert [note.op for note in notes] == [op.MemberDecorate]
    assert oracles.validate(binary) == (True, "")


DRAWN = """
struct Matrices { float4x4 m; uint k; }
struct Passed { float4 at : SV_Position; float c; }
[shader("vertex")] Passed placed(float3 at, Matrices* with) { return { mul(with->m, float4(at, 1)), with->k }; }
[shader("fragment")] float4 coloured(Passed passed, Matrices* with) : SV_Target { return passed.c * with->k; }
"""


@pytest.mark.parametrize("entry", ["placed", "coloured"])
def test_pointers_of_graphics_stages_are_push_constants(entry: str) -> None:
    """As slangc has a pointer that is a parameter: the one member of its entryPointParams."""
    binary = write_module(compile_slang(DRAWN, "a.slang", Settings(entries=[entry])))
    module = reknit.load(binary)
    pushed = [one for one in module.globals if one.op == op.Variable and one.word(0) == enums.StorageClassPushConstant]
    assert [variable.name for variable in pushed] == ["entryPointParams"]
    assert oracles.validate(binary) == (True, "")


def test_what_points_to_nothing_in_particular() -> None:
    """slangc takes `void` for a word when it counts: p + 2 is 8 bytes on, where 7 is."""
    source = "uniform void* p; uniform uint i; RWStructuredBuffer<uint> out; " + MAIN
    source += ") { void* q = p + i; out[0] = ((uint*)q)[0]; }"
    given = {"globalParams": [0x10000, 0, 2, 0], "0x10000": [5, 6, 7], "out": [0]}
    assert reknit.run(compile_slang(source, "a.slang", Settings()), buffers=given).buffers["out"].words == [7]


OPEN = "struct Open { int count; int data[]; }\nuniform Open* p;\nRWStructuredBuffer<int> out;\n"


def test_a_struct_behind_a_pointer_may_end_in_an_array_without_a_size(tmp_path: Path) -> None:
    """Its struct is a Block (VUID-StandaloneSpirv-OpTypeRuntimeArray-04680): count at 0, data[i] at 4 + 4 i."""
    source = OPEN + MAIN + ") { out[0] = p->data[p.count]; p[0].data[1] = 9; }"
    module = compile_slang(source, "a.slang", Settings())
    accepted, said = oracles.validate(write_module(module))
    assert accepted, said
    memory = {"globalParams": [0x10000, 0], "0x10000": [2, 5, 6, 7], "out": [0]}
    after = reknit.run(module, buffers=memory).buffers
    assert after["out"].words == [7] and after["0x10000"].words == [2, 5, 9, 7]


@pytest.mark.parametrize(
    "source",
    [
        "struct Whole { Open one; }\nuniform Whole* w;\n" + MAIN + ") { out[0] = w->one.data[1]; }",
        "uniform Open* w;\n" + MAIN + ") { out[0] = w[1].data[0]; }",
        "StructuredBuffer<Open> w;\n" + MAIN + ") { out[0] = w[0].data[0]; }",
    ],
)
def test_such_a_struct_is_no_part_and_no_element(source: str) -> None:
    with pytest.raises(reknit.InputError, match="without a size"):
        compile_slang(OPEN + source, "a.slang", Settings())
