"""What long buffers hold after runs is kept in pages, shared where it is the same."""

import random
from pathlib import Path

import pytest
from kit.bombs import at_offset

import reknit
from reknit.sim.buffers import MOST_WORDS, set_zeros
from reknit.sim.pages import LONG, PAGE, pages_of, words_of


def test_pages_hold_the_words() -> None:
    source = random.Random(1)
    for count in (0, 1, PAGE - 1, PAGE, PAGE + 1, 5 * PAGE + 7):
        words = [source.getrandbits(32) if at // PAGE % 2 else 0 for at in range(count)]
        assert words_of(pages_of(words, [])) == words


def test_pages_are_shared() -> None:
    words = [0] * (8 * PAGE)
    words[3 * PAGE] = 1
    first = pages_of(words, [])
    assert len({id(page) for page in first}) == 2  # one of zeros, one other
    words[5 * PAGE] = 2
    second = pages_of(words, first)
    assert [a is b for a, b in zip(first, second, strict=True)] == [True] * 5 + [False] + [True] * 2


SHADER = """RWStructuredBuffer<uint> o;
[shader("compute")] [numthreads(4, 1, 1)]
void main(uint3 t : SV_DispatchThreadID) { uint old; InterlockedAdd(o[0], 1, old); o[70000 + old] = t.x; }
"""


def test_results_and_outcomes_of_a_long_buffer(tmp_path: Path) -> None:
    """Four lanes take the numbers 0 to 3 in any order: 24 outcomes, each a permutation."""
    (tmp_path / "a.slang").write_text(SHADER)
    module = reknit.load(str(tmp_path / "a.slang"))
    words = reknit.run(module, buffers={"o": [0] * (LONG + 8000)}).buffers["o"].words
    assert len(words) == LONG + 8000 and words[0] == 4 and sorted(words[70000:70004]) == [0, 1, 2, 3]
    found = reknit.outcomes(module, buffers={"o": [0] * (LONG + 8000)}, subgroup_size=1, limit=2000)
    results = [outcome.result.buffers["o"] for outcome in found.outcomes]
    orders = {tuple(each.words[70000:70004]) for each in results}
    assert len(orders) == len(results) > 1
    assert all(sorted(order) == [0, 1, 2, 3] for order in orders)


def test_all_buffers_of_a_run_have_one_bound(tmp_path: Path) -> None:
    (tmp_path / "a.spvasm").write_text(at_offset(MOST_WORDS * 2, 3))  # each half of what there may be
    module = reknit.load(str(tmp_path / "a.spvasm"))
    with pytest.raises(reknit.InputError, match="RK1004.*together"):
        reknit.run(module)


@pytest.mark.parametrize("count", [0, 1, LONG - 1, LONG, LONG + 1, 2 * LONG - 1, 2 * LONG, 2 * LONG + 7])
def test_zeros_are_set_in_place(count: int) -> None:
    words = [1, 2, 3]
    kept = words
    set_zeros(words, count)
    assert kept is words and words == [0] * count
