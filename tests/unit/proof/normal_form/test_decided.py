"""What the normal form says of pairs worked out by hand: none that differs is proved, and which are that don't.

Why each differs, or doesn't, is arithmetic or the specification's; `differing_pairs` and `equal_pairs` name it.
"""

from kit.programs.differing_pairs import differing
from kit.programs.equal_pairs import equal
from kit.proving import proved_by_terms

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
