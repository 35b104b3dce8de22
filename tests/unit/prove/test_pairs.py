"""Pairs that differ in one thing, of every kind: none is ever called proved. Pairs that don't: none is refuted.

Why each differs, or doesn't, is arithmetic or the specification's, and stands beside it in `differing_pairs`.
"""

import pytest
from differing_pairs import differing

from reknit.ir.text.parser import parse
from reknit.prove.prove import prove

DIFFERING = differing()


@pytest.mark.parametrize("name", DIFFERING)
def test_what_differs_is_refuted(name: str, full: bool) -> None:
    if not full and list(DIFFERING).index(name) % 5:
        pytest.skip("one in five without --full")
    before, after = DIFFERING[name]
    verdict = prove(parse(before), parse(after))
    assert verdict.verdict == "refuted", verdict
