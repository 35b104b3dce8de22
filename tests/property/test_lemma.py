"""The lemma that proofs without a run rest on, on runs of random programs at 4, 8, 32 and 64 lanes a subgroup.

Programs outside of its premises are run as well, and counted by the reason; none of the others differs anywhere.
"""

from collections import Counter

import pytest
from kit.lemma import of_seed

PART = 50
CUT = 15
"""Of the first part, in each run of the tests."""


@pytest.mark.full(when=lambda part: part >= 1)
@pytest.mark.parametrize("part", range(100))
def test_who_executes_a_block_together_is_who_comes_by_it(part: int) -> None:
    """5,000 programs in 100 parts."""
    totals: Counter[str] = Counter()
    for seed in range(part * PART, part * PART + (PART if part else CUT)):
        totals.update(of_seed(seed))
    assert totals["within: runs that differ"] == 0, dict(totals)
    assert totals["within: runs"] > totals["outside: runs"], dict(totals)
    assert totals["runs that fail"] == 0, dict(totals)
