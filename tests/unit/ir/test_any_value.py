"""Where the parts of a value lie among the words that may hold any type: offsets by hand from the rules of AnyValue.

32 bits and bools: 4 bytes, aligned to 4. 16 bits: 2. 8 bits: 1. 64 bits: 8, aligned to 8. Vectors, matrices and arrays
element by element. A struct begins at, and ends at a multiple of, its largest alignment.
"""

import pytest

from reknit.ir.any_value import any_layout, interface_sizes
from reknit.ir.instr import Instr
from reknit.ir.text.parser import parse

TEXT = """%in = TypeStruct u8, u64
%ar = TypeArray u16, 3u
%S = TypeStruct {members}
"""


def layout(members: str) -> tuple[list[tuple[tuple[int, ...], int, int]], int]:
    module = parse(TEXT.replace("{members}", members), "any.rk")
    type = next(instr for instr in module.globals if instr.name == "S")
    found = any_layout(type, {})
    assert found.fault is None
    return [(field.path, field.offset, field.size) for field in found.fields], found.size


@pytest.mark.parametrize(
    ("members", "offsets", "size"),
    [
        ("u32, f32", [0, 4], 8),
        ("u16, u32", [0, 4], 8),
        ("u16, u8, u8, bool", [0, 2, 3, 4], 8),
        ("u32, u64", [0, 8], 16),
        ("vec3<f32>, u32", [0, 4, 8, 12], 16),  # a vector is not aligned as such
        ("u16, %ar", [0, 2, 4, 6], 8),
        ("u8, %in, u8", [0, 8, 16, 24], 32),  # the inner struct begins at 8 and takes 16
        ("mat2x2<f32>", [0, 4, 8, 12], 16),
        ("bool, u16", [0, 4], 8),  # padded to 4
    ],
)
def test_offsets(members: str, offsets: list[int], size: int) -> None:
    fields, total = layout(members)
    assert ([offset for _, offset, _ in fields], total) == (offsets, size)


def test_paths_lead_to_the_scalars() -> None:
    fields, _ = layout("u32, %in, vec2<u16>")
    assert [path for path, _, _ in fields] == [(0,), (1, 0), (1, 1), (2, 0), (2, 1)]


def test_what_has_no_words_is_named() -> None:
    module = parse("%s = TypeSampler\n%S = TypeStruct u32, %s\n", "any.rk")
    found = any_layout(module.globals[-1], {})
    assert found.fault is not None and found.fault.name == "s"


def test_an_interface_takes_what_it_declares_or_its_largest_type() -> None:
    text = """%I = TypeInterface "I" 0
%J = TypeInterface "J" 32
%K = TypeInterface "K" 0
%A = TypeStruct u32, u16
%B = TypeStruct u32, %J
%C = TypeStruct %K
"""
    module = parse(text, "any.rk")
    named: dict[str, Instr] = {instr.name: instr for instr in module.globals}
    tables = {
        named["I"]: [Instr(0, None, [named["A"], 0]), Instr(0, None, [named["B"], 1])],
        named["J"]: [Instr(0, None, [named["A"], 0])],
        named["K"]: [Instr(0, None, [named["C"], 0])],
    }
    sizes, cyclic = interface_sizes(tables)
    assert sizes == {named["J"]: 32, named["I"]: 4 + 16 + 32}
    assert cyclic == [named["K"]]
