"""Getting outside tools: what is there is kept, what can't be had is a reason and leaves nothing behind."""

import sys
import time
from pathlib import Path

import get_oracles
import pytest
from get_oracles import Oracle, Unavailable

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(get_oracles, "ORACLES", tmp_path)
    return tmp_path


def oracle(version: str, code: str, seconds: int = 20) -> Oracle:
    def recipe(folder: Path, deadline: float) -> None:
        get_oracles.run([sys.executable, "-c", code], deadline, folder)

    return Oracle("thing", "something", version, seconds, recipe)


def test_a_second_run_finds_what_the_first_brought(elsewhere: Path) -> None:
    brings = "open('tool', 'w').close()"
    assert oracle("1", brings).get().startswith("installed in ")
    assert (elsewhere / "thing" / "tool").exists()
    assert oracle("1", "raise SystemExit('not asked again')").get() == "found"


def test_a_new_recipe_replaces_what_an_old_one_brought(elsewhere: Path) -> None:
    oracle("1", "open('old', 'w').close()").get()
    oracle("2", "open('new', 'w').close()").get()
    assert sorted(path.name for path in (elsewhere / "thing").iterdir()) == [".recipe", "new"]


def test_what_fails_is_skipped_with_its_last_line(elsewhere: Path) -> None:
    assert oracle("1", "print('first'); raise SystemExit('no such mirror')").get().endswith(": no such mirror")
    assert list(elsewhere.iterdir()) == []


def test_what_takes_too_long_is_skipped(elsewhere: Path) -> None:
    started = time.monotonic()
    assert "time limit" in oracle("1", "import time; time.sleep(60)", seconds=1).get()
    assert time.monotonic() - started < 30
    assert list(elsewhere.iterdir()) == []


def test_a_program_that_is_not_there_is_a_reason() -> None:
    with pytest.raises(Unavailable, match="no-such-program"):
        get_oracles.run(["no-such-program"], time.monotonic() + 10)
