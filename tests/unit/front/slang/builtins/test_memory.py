"""Values in buffers, byte-address buffers and atomics, on the simulator.

Layouts are stated as bytes by hand; `test_layout` has where they come from.
"""

import struct

import pytest
from unit.front.slang.builtins.bench import Shader, execute

from reknit.front.slang import hir
from reknit.front.slang.builtins import emit, find_method
from reknit.front.slang.builtins.atomics import change, compare_exchange
from reknit.front.slang.builtins.bytes import load, store
from reknit.front.slang.builtins.constants import number
from reknit.front.slang.builtins.emitter import Unsupported
from reknit.front.slang.builtins.stored import load as load_stored
from reknit.front.slang.builtins.stored import store as store_stored
from reknit.front.slang.builtins.structured import element_pointer
from reknit.front.slang.layout import STD430
from reknit.front.slang.symbols import Environment, Field, Struct
from reknit.front.slang.types import (
    BOOL,
    FLOAT,
    HALF,
    INT,
    UINT,
    UINT8,
    UINT64,
    ArrayType,
    ConstType,
    MatrixType,
    ResourceType,
    StructType,
    TupleType,
    Type,
    VectorType,
)
from reknit.ir import enums, op
from reknit.ir.instr import Instr
from reknit.ir.value import Value

FLOAT3 = VectorType(FLOAT, ConstType(3))
BYTES = ResourceType("RWByteAddressBuffer", None)


def struct_of(*types: Type) -> StructType:
    made = Struct("S", 1, 0, "S", Environment([], []))
    made.fields = [Field(f"f{index}", 10 + index, 0, type) for index, type in enumerate(types)]
    return StructType(made, [])


def words(raw: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(raw) // 4}I", raw))


def copied(type: Type, rule: str, raw: bytes) -> list[int]:
    """What a buffer of one element holds after an element of another was loaded and stored there, by one lane."""
    shader = Shader(1)
    shader.emitter.buffer_rule = rule
    source_type, source = shader.buffer(type, "source")
    target_type, target = shader.buffer(type, "target")
    zero = shader.emitter.word(0)
    value = load_stored(shader.emitter, type, element_pointer(shader.emitter, source_type, source, zero), rule)
    pointer = element_pointer(shader.emitter, target_type, target, zero)
    store_stored(shader.emitter, type, pointer, value, rule)
    return execute(shader, {"source": raw, "target": bytes(len(raw))}, 4, 1)["target"]


def test_a_struct_with_bools_and_matrices_in_std430() -> None:
    """bool at 0; float3 at 16; float2x3 by rows at 32 and 48; two bools at 64; size 80."""
    type = struct_of(BOOL, FLOAT3, MatrixType(FLOAT, ConstType(2), ConstType(3)), ArrayType(BOOL, ConstType(2)))
    raw = struct.pack("<I12x3f4x3f4x3f4xII8x", 1, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 1, 0)
    assert copied(type, STD430, raw) == words(raw)


def test_a_bool_is_any_word_but_zero() -> None:
    assert copied(struct_of(BOOL, BOOL), STD430, struct.pack("<II", 7, 0)) == [1, 0]


def test_a_column_major_matrix() -> None:
    """float2x3 by columns: three of two floats, 8 bytes apart."""
    type = MatrixType(FLOAT, ConstType(2), ConstType(3), False)
    raw = struct.pack("<6f", 1.0, 4.0, 2.0, 5.0, 3.0, 6.0)
    assert copied(type, STD430, raw) == words(raw)


def test_nested_structs_and_tuples() -> None:
    """{ int; { float3; half } x 2 }: the inner ones 16 bytes apart, from 16 on."""
    inner = TupleType([FLOAT3, HALF])
    raw = struct.pack("<i12x3fe2x3fe2x", -5, 1.0, 2.0, 3.0, 0.5, 4.0, 5.0, 6.0, 1.5)
    assert copied(struct_of(INT, ArrayType(inner, ConstType(2))), STD430, raw) == words(raw)


# ---- byte-address buffers


def moved(type: Type, raw: bytes, source: int, target: int) -> bytes:
    """The buffer after a value at byte `source` was stored at `target`."""
    shader = Shader(1)
    made = shader.parameter(BYTES, "data")
    value = load(shader.emitter, type, made, shader.emitter.word(source))
    store(shader.emitter, type, made, shader.emitter.word(target), value)
    return struct.pack(f"<{len(raw) // 4}I", *execute(shader, {"data": raw}, 4, 1)["data"])


def test_a_struct_by_the_scalar_rule() -> None:
    """{ float; float3; bool; half; uint8_t }: at 0, 4, 16, 20, 22; 23 bytes, and the one after them stays."""
    type = struct_of(FLOAT, FLOAT3, BOOL, HALF, UINT8)
    raw = struct.pack("<f3fIeBB", 1.0, 2.0, 3.0, 4.0, 1, 0.5, 200, 99) + bytes([7]) * 24
    assert moved(type, raw, 0, 24) == raw[:24] + raw[:23] + b"\x07"


def test_narrow_numbers_leave_their_neighbours() -> None:
    raw = bytes(range(1, 9))
    assert moved(UINT8, raw, 6, 1) == bytes([1, 7, 3, 4, 5, 6, 7, 8])
    assert moved(HALF, raw, 0, 6) == bytes([1, 2, 3, 4, 5, 6, 1, 2])


def test_64_bits_are_two_words() -> None:
    raw = struct.pack("<QQ", 0x0102030405060708, 0)
    assert moved(UINT64, raw, 0, 8) == raw[:8] * 2


def call_method(
    shader: Shader, receiver: ResourceType, name: str, types: list[Type], operands: list[Value]
) -> Value | None:
    method = find_method(receiver, name)
    assert method is not None
    signature = method.resolve(types, [], receiver)
    assert signature is not None
    arguments: list[hir.Expr] = [hir.Undefined(0, one) for one in (receiver, *signature.params)]
    call = hir.Intrinsic(0, signature.result, signature.name, signature.type_arguments, arguments)
    return emit(shader.emitter, call, [receiver, *signature.params], operands)


@pytest.mark.parametrize("size", [4, 8, 32, 64])
def test_atomics_in_a_byte_address_buffer(size: int) -> None:
    """64 lanes add their number: 0 + 1 + ... + 63 = 2016; the largest is 63. Each found what those before it left."""
    shader = Shader(64)
    made = shader.parameter(BYTES, "data")
    old = shader.local(UINT)
    word = shader.emitter.word
    call_method(shader, BYTES, "InterlockedAdd", [UINT, UINT, UINT], [made, word(4), shader.index, old])
    call_method(shader, BYTES, "InterlockedMax", [UINT, UINT], [made, word(0), shader.index])
    shader.give(UINT, "old", shader.emitter.emit(op.Load, shader.emitter.u32, [old]))
    found = execute(shader, {"data": bytes(8)}, size, 64)
    assert found["data"] == [63, 2016]
    total = 0
    for old_value, lane in sorted(zip(found["old"], range(64), strict=True)):
        assert old_value == total
        total += lane


def test_dimensions() -> None:
    shader = Shader(1)
    made = shader.parameter(BYTES, "data")
    kind, structs = shader.buffer(FLOAT3, "structs")
    outs = [shader.local(UINT) for _ in range(3)]
    call_method(shader, BYTES, "GetDimensions", [UINT], [made, outs[0]])
    call_method(shader, kind, "GetDimensions", [UINT, UINT], [structs, *outs[1:]])
    for index, out in enumerate(outs):
        shader.give(UINT, f"result{index}", shader.emitter.emit(op.Load, shader.emitter.u32, [out]))
    found = execute(shader, {"data": bytes(20), "structs": bytes(36)}, 4, 1)
    assert [found[f"result{index}"] for index in range(3)] == [[20], [3], [12]]


# ---- atomics


def shared(shader: Shader, type: Type) -> Instr:
    """A groupshared variable."""
    made = shader.emitter.ir_type(type)
    storage = enums.StorageClassWorkgroup
    variable = Instr(op.Variable, shader.emitter.pointer(storage, made), [storage], "shared")
    shader.module.globals.append(variable)
    return variable


@pytest.mark.parametrize(
    ("name", "type", "expected"),
    [("Add", INT, 28), ("Max", INT, 7), ("Or", UINT, 7), ("Xor", UINT, 0), ("Sub", INT, -28)],
)
def test_changes_of_shared_memory(name: str, type: Type, expected: int) -> None:
    """Lanes 0 to 7 with their numbers, from 0: sum 28, xor 0 ^ 1 ^ ... ^ 7 = 0."""
    shader = Shader(8)
    place = shared(shader, type)
    emitter = shader.emitter
    scope, none = emitter.word(enums.ScopeWorkgroup), emitter.word(0)
    emitter.effect(op.AtomicStore, [place, scope, none, number(emitter, type, 0)])
    barrier(shader)
    value = shader.index if type is UINT else emitter.emit(op.Bitcast, emitter.ir_type(INT), [shader.index])
    change(emitter, name, type, place, value)
    barrier(shader)
    shader.give(type, "result", emitter.emit(op.AtomicLoad, emitter.ir_type(type), [place, scope, none]))
    found = execute(shader, {}, 4, 8)["result"]
    assert found == [expected & 0xFFFFFFFF] * 8


def barrier(shader: Shader) -> None:
    from unit.front.slang.builtins.bench import signature_of

    signature = signature_of("GroupMemoryBarrierWithGroupSync", [])
    emit(shader.emitter, hir.Intrinsic(0, signature.result, signature.name, [], []), [], [])


def test_compare_exchange_lets_one_win() -> None:
    shader = Shader(8)
    made = shader.parameter(BYTES, "data")
    pointer = shader.emitter.emit(
        op.AccessChain,
        shader.emitter.pointer(enums.StorageClassStorageBuffer, shader.emitter.u32),
        [made, shader.emitter.word(0), shader.emitter.word(0)],
    )
    one = shader.emitter.emit(op.IAdd, shader.emitter.u32, [shader.index, shader.emitter.word(1)])
    shader.give(UINT, "old", compare_exchange(shader.emitter, UINT, pointer, shader.emitter.word(0), one))
    found = execute(shader, {"data": bytes(4)}, 4, 8)
    assert found["old"].count(0) == 1
    assert found["data"] == [found["old"].index(0) + 1]


def test_what_has_no_instruction_is_refused() -> None:
    shader = Shader(1)
    place = shared(shader, FLOAT)
    with pytest.raises(Unsupported, match="no atomic or of 'float'"):
        change(shader.emitter, "Or", FLOAT, place, number(shader.emitter, FLOAT, 1))
