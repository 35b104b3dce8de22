"""The verbs of the API have the garbage collector look rarely while they run, and leave it as it was."""

import gc
import inspect

import pytest

import reknit
from reknit.source.collecting import RARELY, collecting_rarely
from reknit.source.diagnostic import InputError


@collecting_rarely
def threshold(deeper: int = 0) -> tuple[int, int, int]:
    """A verb, which may ask another."""
    return threshold(deeper - 1) if deeper else gc.get_threshold()


def test_a_verb_runs_with_few_collections() -> None:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    try:
        assert threshold() == RARELY
        assert threshold(2) == RARELY
        assert gc.get_threshold() == (700, 10, 10)
        gc.set_threshold(0)  # whoever turned it off wants it off
        assert threshold()[0] == 0
        assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)


def test_a_verb_that_raises_leaves_the_collector_as_it_was() -> None:
    before = gc.get_threshold()
    with pytest.raises(InputError):
        reknit.load(b"no shader")
    assert gc.get_threshold() == before


def test_verbs_show_their_own_signatures() -> None:
    assert list(inspect.signature(reknit.load).parameters)[0] == "source"
    assert reknit.load.__name__ == "load"
    assert (reknit.check.__doc__ or "").startswith("What is wrong with a module")
