"""Values that are packed into words and unpacked again: what comes back is proved, and nothing beside it.

Little by little: the lower half of `a | b << 16` is a, its upper half b (b is of 16 bits); Bitcast keeps the bits.
"""

import pytest
from kit.programs.pair_frame import module_text
from kit.proving import proved_by_terms

from reknit.ir.text.parser import parse

HALVES = """%a = UConvert {u} : u16
%b = UConvert {v} : u16
%wa = UConvert %a : u32
%wb = UConvert %b : u32
%hi = ShiftLeftLogical %wb, 16u : u32
%word = BitwiseOr %wa, %hi : u32
"""
LOWER = "%c = UConvert %word : u16\n%r = UConvert %c : u32\nOUT %r"
UPPER = "%down = ShiftRightLogical %word, 16u : u32\n%c = UConvert %down : u16\n%r = UConvert %c : u32\nOUT %r"
PLAIN = "%c = UConvert {{{}}} : u16\n%r = UConvert %c : u32\nOUT %r"


def proved(before: str, after: str) -> bool:
    both = "%x = BitwiseXor {u}, {v} : u32\n"  # what is loaded afterwards is loaded before
    return proved_by_terms(parse(module_text(both + before)), parse(module_text(after)))


def test_halves_of_a_word() -> None:
    assert proved(PLAIN.format("u"), HALVES + LOWER) and proved(PLAIN.format("v"), HALVES + UPPER)
    assert not proved(PLAIN.format("v"), HALVES + LOWER) and not proved(PLAIN.format("u"), HALVES + UPPER)


@pytest.mark.parametrize(
    "change",
    [
        ("%wb, 16u", "%wb, 15u"), ("%wb, 16u", "%wb, 17u"), ("%wb, 16u", "%wb, 8u"), ("%word, 16u", "%word, 15u"),
        ("%word, 16u", "%word, 8u"), ("BitwiseOr", "BitwiseAnd"), ("BitwiseOr", "IAdd"),
        ("%wb = UConvert %b : u32", "%wb = BitwiseOr {v}, 0u : u32"), ("%wa, %hi", "{u}, %hi"),
    ],
)  # fmt: skip
def test_other_places_of_a_word(change: tuple[str, str]) -> None:
    """Of the upper half; shifted otherwise, or with bits of something else in it, it is not b for every input."""
    other = (HALVES + UPPER).replace(*change)
    same = other == HALVES + UPPER or change[0] == "BitwiseOr" and change[1] == "IAdd"  # the halves don't overlap
    same = same or change[1].startswith("%wb = BitwiseOr")  # what is above 16 bits is shifted out
    assert proved(PLAIN.format("v"), other) <= same


def test_bit_casts() -> None:
    there = "%f = Bitcast {u} : f32\n%r = Bitcast %f : u32\nOUT %r"
    assert proved("%r = IAdd {u}, 0u : u32\nOUT %r", there)
    assert not proved("%r = IAdd {v}, 0u : u32\nOUT %r", there)
    wide = "%p = CompositeConstruct {u}, {v} : vec2<u32>\n%d = Bitcast %p : f64\n%q = Bitcast %d : vec2<u32>\n"
    for index, name, other in ((0, "u", "v"), (1, "v", "u")):
        part = f"%r = CompositeExtract %q {index} : u32\nOUT %r"
        assert proved(f"%r = IAdd {{{name}}}, 0u : u32\nOUT %r", wide + part)
        assert not proved(f"%r = IAdd {{{other}}}, 0u : u32\nOUT %r", wide + part)
    halves = "%h = Bitcast {u} : vec2<f16>\n%lo = CompositeExtract %h 0 : f16\n%hi = CompositeExtract %h 1 : f16\n"
    joined = "%p = CompositeConstruct {} : vec2<f16>\n%r = Bitcast %p : u32\nOUT %r"
    assert proved("%r = IAdd {u}, 0u : u32\nOUT %r", halves + joined.format("%lo, %hi"))
    assert not proved("%r = IAdd {u}, 0u : u32\nOUT %r", halves + joined.format("%hi, %lo"))
    assert not proved("%r = IAdd {u}, 0u : u32\nOUT %r", halves + joined.format("%lo, %lo"))
