"""Pairs that differ in one thing, of every kind: none is ever called proved. Pairs that don't: none is refuted.

Why each differs, or doesn't, is arithmetic or the specification's; `differing_pairs` and `equal_pairs` name it.
"""

import pytest
from kit.programs.differing_pairs import differing, unlike
from kit.programs.equal_pairs import equal

from reknit.ir.text.parser import parse
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.source.diagnostic import InputError

DIFFERING = differing()
UNLIKE = unlike()
EQUAL = equal()


def seldom(names: list[str]) -> pytest.MarkDecorator:
    """Without --full, one in six of a list."""
    return pytest.mark.full(when=lambda name: names.index(name) % 6)


def test_there_are_as_many_as_there_should_be() -> None:
    assert len(DIFFERING) + len(UNLIKE) >= 200 and len(EQUAL) >= 50


@seldom(list(DIFFERING))
@pytest.mark.parametrize("name", DIFFERING)
def test_what_differs_is_refuted(name: str) -> None:
    before, after = DIFFERING[name]
    verdict = prove(parse(before), parse(after))
    assert verdict.verdict == "refuted", verdict


@pytest.mark.parametrize("name", UNLIKE)
def test_what_is_not_alike_outside_is_not_compared(name: str) -> None:
    before, after = UNLIKE[name]
    with pytest.raises(InputError) as caught:
        prove(parse(before), parse(after))
    assert caught.value.diagnostics[0].code == "RK1301"


@seldom(list(EQUAL))
@pytest.mark.parametrize("name", EQUAL)
def test_what_is_equal_is_not_refuted(name: str) -> None:
    before, after = EQUAL[name]
    verdict = prove(parse(before), parse(after))
    assert verdict.verdict in ("sampled", "proved for the domain", "proved"), verdict.reason
    by_runs = prove(parse(before), parse(after), Question(by_terms=False))
    assert by_runs.verdict in ("sampled", "proved for the domain"), by_runs.reason
