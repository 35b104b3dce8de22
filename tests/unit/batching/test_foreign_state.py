"""The state of a run that others may have written is not read."""

import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from kit import ROOT

from reknit.batching.state import State, foreign
from reknit.cli.main import main
from reknit.source.diagnostic import InputError

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows: docs/trust.md, Windows")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(ROOT / "examples" / "break_ballot.spvasm", tmp_path / "a.spvasm")
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
def test_a_file_that_others_may_write(folder: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / f"x.sqlite{ending}").touch()
    os.chmod(f"x.sqlite{ending}", 0o666)
    assert "every user may write it" in foreign("x.sqlite")
    with pytest.raises(InputError, match="RK1408"):
        State("x.sqlite")
    assert main(["batch", "check", "a.spvasm", "--state", "x.sqlite", "--quiet"]) == 1
    assert "RK1408" in capsys.readouterr().err


def test_a_folder_that_others_may_write(folder: Path) -> None:
    (folder / "open").mkdir()
    os.chmod("open", 0o777)
    assert "its folder: every user may write it" in foreign("open/x.sqlite")
    os.chmod("open", 0o1777)  # sticky, as /tmp
    assert foreign("open/x.sqlite") == ""


def test_a_link(folder: Path) -> None:
    (folder / "elsewhere.sqlite").touch()
    os.symlink("elsewhere.sqlite", "x.sqlite")
    assert foreign("x.sqlite") == "it is a symbolic link"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_a_file_of_another_user(folder: Path) -> None:
    (folder / "x.sqlite").touch()
    os.chown("x.sqlite", 12345, -1)
    assert foreign("x.sqlite") == "it belongs to another user (uid 12345)"


def test_one_is_made_that_others_cant_write(folder: Path) -> None:
    before = os.umask(0)
    try:
        State("x.sqlite").close()
        assert main(["batch", "check", "a.spvasm", "--quiet"]) == 0
    finally:
        os.umask(before)
    assert os.stat("x.sqlite").st_mode & 0o022 == 0
    assert os.stat(".reknit").st_mode & 0o022 == 0
    assert main(["batch", "check", "a.spvasm", "--quiet"]) == 0


@pytest.mark.parametrize("command", [["batch", "check", "a.spvasm", "--quiet"], ["lint", "."]])
def test_without_the_usual_one_the_run_goes_on(
    folder: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(command)
    (state,) = Path(".reknit").glob("*.sqlite")
    before = sqlite3.connect(state).execute("SELECT key, used FROM results").fetchall()
    assert before
    state.chmod(0o666)
    capsys.readouterr()
    assert main(command) == code
    assert "every user may write it" in capsys.readouterr().err
    assert sqlite3.connect(state).execute("SELECT key, used FROM results").fetchall() == before
