"""Sizes, offsets and strides by rule.

The numbers are from Vulkan's "Offset and Stride Assignment" for std430 and std140, and what slangc 2026.14 emits: where
slangc is installed, the last test asks it again.
"""

import re
import subprocess
from pathlib import Path

import pytest
from kit import oracles

from reknit.front.slang.layout import NATURAL, SCALAR, STD140, STD430, Contents, NoLayout, layout_of
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


@pytest.mark.parametrize(("option", "rule"), [((), STD430), (("-fvk-use-scalar-layout",), SCALAR)])
def test_slangc_agrees(option: tuple[str, ...], rule: str, tmp_path: Path) -> None:
    source = tmp_path / "q.slang"
    source.write_text(SOURCE)
    command = [*oracles.need("slangc"), str(source), "-target", "spirv-asm", "-entry", "main", *option]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    offsets = [int(number) for number in re.findall(r"OpMemberDecorate %Q_\w+ \d+ Offset (\d+)", said)]
    assert offsets == layout_of(OUTER, rule).offsets
    stride = re.findall(r"OpDecorate %_runtimearr_Q_\w+ ArrayStride (\d+)", said)
    assert stride == [str(layout_of(OUTER, rule).stride)]
