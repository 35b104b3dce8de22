"""The sample of `kit.engines`: both engines on programs of every corpus, at subgroup sizes in turn."""

import pytest
from kit import engines

pytest.importorskip("llvmlite", reason="native code needs llvmlite")

SAMPLE = ("shaders:150", "generated:900:5", "odd:900:1", "graphs:900:4", "images:900:5", "pointers:900:3")


def test_both_engines_give_the_same(full: bool) -> None:
    said: list[str] = []
    counts = engines.compared(list(engines.SAMPLE if full else SAMPLE), [*engines.SIZES], 8 if full else 2, said.append)
    assert said == [] and counts[engines.EQUAL] > 12, counts


@pytest.mark.full
@pytest.mark.once
def test_lavapipe_gives_the_same() -> None:
    said: list[str] = []
    counts = engines.compared(["lavapipe:0:40"], [*engines.SIZES], 1, said.append)
    assert said == [] and counts[engines.EQUAL] > 20, counts
