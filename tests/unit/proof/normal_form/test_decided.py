"""What the normal form says of pairs worked out by hand: none that differs is proved, and which are that don't.

Why each differs, or doesn't, is arithmetic or the specification's; `differing_pairs` and `equal_pairs` name it.
"""

from kit.programs.differing_pairs import differing
from kit.programs.equal_pairs import equal
from kit.programs.miscompiles import shader
from kit.proving import finding, proved_by_terms

from reknit.ir.text.parser import parse

DECIDED = {
    "x + 0", "x * 1", "x xor 0", "x and all", "not not x", "minus minus x", "a sum's order", "comparison turned round",
    "comparison negated", "an if turned round", "signedness of a product", "rotated by 0", "unordered turned round",
    "an undefined value that is not taken", "a mode more", "a float control more",
}  # fmt: skip
"""What needs no more than the identities that `fold` knows, and what is free by itself."""


def test_nothing_that_differs_is_proved() -> None:
    assert [name for name, pair in differing().items() if proved_by_terms(*map(parse, pair))] == []


def test_what_is_equal_is_proved() -> None:
    proved = {name for name, pair in equal().items() if proved_by_terms(*map(parse, pair))}
    assert proved >= DECIDED, DECIDED - proved


LANES = "%c = ULessThan %lane, {} : bool\nif %c {{\nSEE a\n}}"


def test_the_first_place_is_named() -> None:
    """Of a ballot that more lanes reach: what the store of its result says, at its line, in each of the two."""
    before, after = (shader(LANES.format(text)) for text in ("2u", "3u"))
    found = finding(before, after)
    assert not found.proved
    assert found.reason == "OpStore is reached under another condition: 2 > lane_id before, 3 > lane_id after"
    assert len(found.places) == 2 and found.places[0].endswith("before") and found.places[1].endswith("after")
