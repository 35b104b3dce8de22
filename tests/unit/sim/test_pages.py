"""What long buffers hold after runs is kept in pages, shared where it is the same."""

import json
import random
from array import array
from pathlib import Path

import pytest
from kit.bombs import at_offset

import reknit
from reknit.cli.main import main
from reknit.sim.buffers import MAX_WORDS, Zeros, set_zeros
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


def test_parts_of_a_result_are_those_of_its_words(tmp_path: Path) -> None:
    (tmp_path / "a.slang").write_text(SHADER)
    module = reknit.load(str(tmp_path / "a.slang"))
    for count in (70004, LONG + 8000):
        given = [at * 2654435761 % (1 << 32) for at in range(count)]
        paged, listed = [reknit.run(module, buffers={"o": given}).buffers["o"] for _ in range(2)]
        words = listed.words
        for first, length in ((0, 3), (4095, 3), (PAGE, PAGE), (65535, 9000), (count - 1, 10), (count, 5)):
            expected = array("I", words[first : first + length]).tobytes()
            assert paged.data(first, length) == listed.data(first, length) == expected
        assert paged.count() == count and paged.data() == listed.data() == array("I", words).tobytes()
        assert paged.first(2) == f"{words[0]} {words[1]} ..."


def test_zeros_of_the_command_line_are_a_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.slang").write_text(SHADER)
    assert main(["run", str(tmp_path / "a.slang"), "--set", "o=zeros:80000", "--json"]) == 0
    words = json.loads(capsys.readouterr().out)["buffers"]["o"]["words"]
    assert len(words) == 80000 and words[0] == 4 and set(words[1:70000] + words[70004:]) == {0}
    module = reknit.load(str(tmp_path / "a.slang"))
    with pytest.raises(reknit.InputError, match="RK1004"):
        reknit.run(module, buffers={"o": Zeros(MAX_WORDS + 1)})  # type: ignore[dict-item]


def test_outcomes_of_long_buffers_show_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two lanes take the numbers 0 and 1 in either order; the elements that differ lie in two pages."""
    text = SHADER.replace("4, 1, 1", "2, 1, 1").replace("70000 + old", "69631 + old")
    (tmp_path / "a.slang").write_text(text)
    main(["outcomes", str(tmp_path / "a.slang"), "--set", "o=zeros:80000", "--subgroup-size", "1"])
    out = capsys.readouterr().out
    assert "elements 69631-69632 differ\n" in out and 69632 % PAGE == 0
    assert "outcome 1 | 0 1\n" in out and "outcome 2 | 1 0\n" in out


def test_all_buffers_of_a_run_have_one_bound(tmp_path: Path) -> None:
    (tmp_path / "a.spvasm").write_text(at_offset(MAX_WORDS * 2, 3))  # each half of what there may be
    module = reknit.load(str(tmp_path / "a.spvasm"))
    with pytest.raises(reknit.InputError, match="RK1004.*together"):
        reknit.run(module)


@pytest.mark.parametrize("count", [0, 1, LONG - 1, LONG, LONG + 1, 2 * LONG - 1, 2 * LONG, 2 * LONG + 7])
def test_zeros_are_set_in_place(count: int) -> None:
    words = [1, 2, 3]
    kept = words
    set_zeros(words, count)
    assert kept is words and words == [0] * count
