"""Sizes, offsets and strides by rule.

The numbers are from Vulkan's "Offset and Stride Assignment" for std430 and std140, and what slangc 2026.14 emits: where
slangc is installed, the last test asks it again.
"""

import re
import struct
import subprocess
from pathlib import Path

import pytest
from kit import oracles

import reknit
from reknit.front.slang.compile import Settings, compile_slang
from reknit.front.slang.layout import DX, NATURAL, SCALAR, STD140, STD430, Contents, NoLayout, layout_of
from reknit.front.slang.options import Options
from reknit.front.slang.symbols import Environment, Field, Interface, Struct
from reknit.front.slang.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    UINT8,
    VOID,
    ArrayType,
    ConstType,
    InterfaceType,
    MatrixType,
    OptionalType,
    StructType,
    Type,
    VectorType,
)

FLOAT2 = VectorType(FLOAT, ConstType(2))
FLOAT3 = VectorType(FLOAT, ConstType(3))
BY_ROWS = MatrixType(FLOAT, ConstType(2), ConstType(3))
BY_COLUMNS = MatrixType(FLOAT, ConstType(2), ConstType(3), False)


def array(type: Type, count: int) -> ArrayType:
    return ArrayType(type, ConstType(count))


def struct_of(name: str, *types: Type) -> StructType:
    made = Struct(name, hash(name) & 0xFFFF, 0, name, Environment([], []))
    made.fields = [Field(f"f{index}", index, 0, type) for index, type in enumerate(types)]
    return StructType(made, [])


@pytest.mark.parametrize(
    ("type", "std430", "std140", "scalar", "natural"),
    [
        (BOOL, (4, 4), (4, 4), (4, 4), (1, 1)),
        (HALF, (2, 2), (2, 2), (2, 2), (2, 2)),
        (FLOAT3, (12, 16), (12, 16), (12, 4), (12, 4)),
        (VectorType(BOOL, ConstType(4)), (16, 16), (16, 16), (16, 4), (4, 1)),
        (BY_ROWS, (32, 16), (32, 16), (24, 4), (24, 4)),
        (BY_COLUMNS, (24, 8), (48, 16), (24, 4), (24, 4)),
        (array(FLOAT, 3), (12, 4), (48, 16), (12, 4), (12, 4)),
        (array(FLOAT3, 2), (32, 16), (32, 16), (24, 4), (24, 4)),
        (OptionalType(INT), (8, 4), (16, 16), (8, 4), (5, 4)),
    ],
    ids=lambda value: str(value) if isinstance(value, Type) else None,
)
def test_size_and_alignment(
    type: Type, std430: tuple[int, int], std140: tuple[int, int], scalar: tuple[int, int], natural: tuple[int, int]
) -> None:
    for rule, expected in ((STD430, std430), (STD140, std140), (SCALAR, scalar), (NATURAL, natural)):
        found = layout_of(type, rule)
        assert (found.size, found.align) == expected, rule


INNER = struct_of("P", FLOAT, UINT8)
OUTER = struct_of("Q", INNER, UINT8, FLOAT3, UINT8, BY_COLUMNS, array(DOUBLE, 2), array(INNER, 2), UINT8)


def test_a_nested_struct_as_slangc_has_it() -> None:
    """std430 pads structs to their alignment; the scalar rules never do: 5 bytes, and the next member at 5."""
    assert layout_of(OUTER, STD430).offsets == [0, 8, 16, 28, 32, 56, 72, 88]
    assert layout_of(OUTER, STD430).stride == 96
    assert layout_of(OUTER, SCALAR).offsets == [0, 5, 8, 20, 24, 48, 64, 77]
    assert layout_of(OUTER, SCALAR).stride == 80
    assert layout_of(OUTER, NATURAL).size == 78


def test_rows_of_16_bytes() -> None:
    """Microsoft's HLSL reference, "Packing rules for constant variables": what doesn't fit into the rest of a row
    begins the next, arrays and structs always do, and what follows one may lie in its last row. A matrix of 3 columns
    of 8 bytes at 32 ends at 72, the doubles at 80 + 16 + 8, the second P at 112 + 16 + 5."""
    assert layout_of(OUTER, DX).offsets == [0, 5, 16, 28, 32, 80, 112, 133]
    assert layout_of(struct_of("R", FLOAT, FLOAT3, FLOAT2, FLOAT2, FLOAT), DX).offsets == [0, 4, 16, 24, 32]
    assert (layout_of(array(FLOAT, 3), DX).size, layout_of(array(FLOAT, 3), DX).stride) == (36, 48)


def test_an_existential_has_a_header() -> None:
    """(uint2, uint2, words): 16 bytes and the value, which is 16 bytes here."""
    interface = Interface("IFoo", 1, 0, "IFoo", Environment([], []))
    interface.any_value_size = 16
    foo = InterfaceType(interface, [])
    holder = struct_of("H", FLOAT, foo, FLOAT3, UINT8, array(foo, 2), INT)
    assert layout_of(holder, STD430).offsets == [0, 8, 48, 60, 64, 128]
    assert layout_of(holder, STD140).offsets == [0, 16, 48, 60, 64, 128]
    assert layout_of(foo, STD430).size == 32


def test_what_has_no_layout() -> None:
    with pytest.raises(NoLayout, match="'void'"):
        layout_of(VOID, STD430)
    deep: Type = INT
    for number in range(300):
        deep = struct_of(f"S{number}", deep)
    with pytest.raises(NoLayout, match="too deep"):
        layout_of(deep, STD430, Contents())


SOURCE = """\
struct P { float a; uint8_t b; }
struct Q { P a; uint8_t b; float3 c; uint8_t d; column_major float2x3 e; double f[2]; P g[2]; uint8_t h; }
RWStructuredBuffer<Q> q;
[shader("compute")] [numthreads(1, 1, 1)] void main() { q[0].h = 1; }
"""


def by_slangc(source: str, option: tuple[str, ...], folder: Path) -> tuple[list[int], str]:
    """The offsets of Q's members, and the assembly."""
    file = folder / "q.slang"
    file.write_text(source)
    command = [*oracles.need("slangc"), str(file), "-target", "spirv-asm", "-entry", "main", *option]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [int(number) for number in re.findall(r"OpMemberDecorate %Q_\w+ \d+ Offset (\d+)", said)], said


@pytest.mark.parametrize(("option", "rule"), [((), STD430), (("-fvk-use-scalar-layout",), SCALAR)])
def test_slangc_agrees(option: tuple[str, ...], rule: str, tmp_path: Path) -> None:
    offsets, said = by_slangc(SOURCE, option, tmp_path)
    assert offsets == layout_of(OUTER, rule).offsets
    stride = re.findall(r"OpDecorate %_runtimearr_Q_\w+ ArrayStride (\d+)", said)
    assert stride == [str(layout_of(OUTER, rule).stride)]


@pytest.mark.parametrize(
    ("option", "rule"), [((), STD140), (("-fvk-use-scalar-layout",), SCALAR), (("-fvk-use-dx-layout",), DX)]
)
def test_slangc_agrees_on_constant_buffers(option: tuple[str, ...], rule: str, tmp_path: Path) -> None:
    source = SOURCE.replace("RWStructuredBuffer<Q> q;", "ConstantBuffer<Q> q; RWStructuredBuffer<float> o;")
    assert (
        by_slangc(source.replace("q[0].h = 1", "o[0] = q.c.x"), option, tmp_path)[0] == layout_of(OUTER, rule).offsets
    )


LAYOUTS = """
struct S { float a; float3 b; float c[2]; float2x2 m; }
ConstantBuffer<S> given;
ByteAddressBuffer bytes;
uniform S* pointed;
RWStructuredBuffer<S> structured;
RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(1, 1, 1)]
void main(uniform S pushed)
{
    structured[1].c[1] = 1;
    structured[1].m[0] = float2(2, 3);
    o[0] = given.c[1];
    o[1] = pointed[1].b.x;
    o[2] = bytes.Load<S>(0).c[1];
    o[3] = pushed.c[1];
    o[4] = given.m[0].y;
}
"""


def floats(numbers: list[float]) -> list[int]:
    return list(struct.unpack(f"<{len(numbers)}I", struct.pack(f"<{len(numbers)}f", *numbers)))


@pytest.mark.parametrize(
    ("layout", "matrices", "words", "pushed", "stored", "read"),
    [  # words of S by std430: b at 4, c at 7, m at 10, 16 in all; by std140: c at 8 and 12, m at 16 and 20
        ("std", "", 22, 14, {16 + 8: 1, 16 + 10: 2, 16 + 11: 3}, [12, 11, 5, 8, 17]),
        ("gl", "", 22, 14, {16 + 8: 1, 16 + 10: 2, 16 + 11: 3}, [12, 11, 8, 8, 17]),
        # by components: b at 1, c at 4, m at 6, 10 in all
        ("scalar", "", 10, 10, {10 + 5: 1, 10 + 6: 2, 10 + 7: 3}, [5, 11, 5, 5, 7]),
        # in rows of four words: b at 1, c at 4 and 8, m at 12 and 16; the first row of columns is their first words
        ("dx", "column-major", 18, 18, {10 + 5: 1, 10 + 6: 2, 10 + 8: 3}, [8, 11, 5, 8, 16]),
    ],
)
def test_layouts_that_are_asked_for(
    layout: str, matrices: str, words: int, pushed: int, stored: dict[int, float], read: list[float]
) -> None:
    """A word of what is given is its own position; pointers are followed by components whatever is asked for."""
    module = compile_slang(LAYOUTS, "a.slang", Settings(Options(buffer_layout=layout, matrix_layout=matrices)))
    numbered = floats([float(word) for word in range(words)])
    pointed = floats([float(word) for word in range(20)])
    given = {"given": numbered, "bytes": numbered, "0x10000": pointed, "structured": [0] * 32, "o": [0] * 5}
    given["globalParams"] = [0x10000, 0]
    found = reknit.run(module, buffers=given, push_constants=numbered[:pushed]).buffers
    assert found["structured"].words == floats([float(stored.get(word, 0)) for word in range(32)])
    assert found["o"].words == floats([float(word) for word in read])


MICROSOFTS = """
struct S { uint a : 4; uint b : 28; };
struct T { int64_t a : 33; int b : 24; };
RWStructuredBuffer<S> out;
[numthreads(1, 1, 1)]
void main() { out[0].a = 5; out[0].b = sizeof(T); }
"""


def test_bit_fields_as_microsofts_compiler_packs_them() -> None:
    """The first in the most significant bits, and fields of types of another width by themselves: 8 + 4 bytes."""
    module = compile_slang(MICROSOFTS, "<test>", Settings(Options(bit_fields="msvc")))
    assert reknit.run(module, subgroup_size=4, buffers={"out": [0]}).buffers["out"].words == [5 << 28 | 12]
    module = compile_slang(MICROSOFTS, "<test>")
    assert reknit.run(module, subgroup_size=4, buffers={"out": [0]}).buffers["out"].words == [8 << 4 | 5]
