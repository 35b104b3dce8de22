"""An input that crashes, has no end or takes all memory ends its own worker, and no other input suffers."""

import time
from pathlib import Path

import pytest

import reknit
from reknit.cli.main import main

from .conftest import PASSES, SHADER


def test_one_input_cannot_stop_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for size in (1, 101, 102, 103, 104, 105, 2, 3):
        (folder / f"{size:03}.rk").write_text(SHADER.format(size=size))
    passes = tmp_path / "passes.py"
    passes.write_text(PASSES.format(marker=str(tmp_path / "tried"), place="many"))
    began = time.monotonic()
    done = reknit.batch(
        "opt",
        folder,
        passes=f"{passes}:ACT",
        out=tmp_path / "out",
        jobs=2,
        state=tmp_path / "state.sqlite",
        limits=reknit.Limits(seconds=1, memory=200 << 20),
    )
    assert time.monotonic() - began < 60
    verdicts = {Path(item.input).stem: item for item in done}
    assert {name: item.verdict for name, item in verdicts.items()} == {
        "001": "changed",  # .rk in, .spv out
        "002": "changed",
        "003": "changed",
        "101": "crashed",
        "102": "out of memory",
        "103": "out of time",
        "104": "changed",  # its worker died once, and the second did not
        "105": "refused",
    }
    codes = {
        name: [each.code for each in item.diagnostics if each.severity == "error"] for name, item in verdicts.items()
    }
    assert codes["101"] == ["RK1410"] and codes["102"] == ["RK0021"] and codes["103"] == ["RK0020"]
    assert codes["105"] == ["RK2008"]
    died = verdicts["101"].diagnostics[0]
    assert "SIGSEGV" in died.message and died.place is not None and died.place.file == verdicts["101"].input
    assert (tmp_path / "tried").exists()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "001.rk.spv", "002.rk.spv", "003.rk.spv", "104.rk.spv",
    ]  # fmt: skip


def test_a_fault_of_our_own_is_named_and_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("passes.py").write_text(PASSES.format(marker="tried", place="one"))
    Path("a.rk").write_text(SHADER.format(size=101))
    words = ["opt", "a.rk", "-p", "passes.py:ACT", "-j", "1", "--report", "r.html"]
    assert main(["batch", *words]) == 2
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "1 input: 1 crashed"
    assert "RK1410" in out and "a.rk" in out
    assert "SIGSEGV" in Path("r.html").read_text()


def test_a_sandbox_is_of_each_input(tmp_path: Path) -> None:
    """What lies above the input's folder is not included, and the lines of what was not read are not shown."""
    (tmp_path / "secret.h").write_text("int secret_of_this_machine;\n")
    (tmp_path / "in").mkdir()
    entry = '[shader("compute")]\n[numthreads(1, 1, 1)]\nvoid main() {}\n'
    (tmp_path / "in" / "a.slang").write_text('#include "../secret.h"\n' + entry)
    (tmp_path / "in" / "b.slang").write_text(entry)
    done = reknit.batch("compile", tmp_path / "in", jobs=1, limits=reknit.Limits(sandbox=True))
    assert done.counts == {"refused": 1, "changed": 1}
    assert "secret_of" not in str([item.to_json() for item in done])


def test_limits_of_the_command_line_are_of_each_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes are counted for each input alone, so that many inputs don't use up what one may have."""
    monkeypatch.chdir(tmp_path)
    for size in range(1, 9):
        Path(f"{size}.rk").write_text(SHADER.format(size=size))
    assert main(["batch", "check", ".", "-j", "1", "--max-nodes", "5000", "--quiet"]) == 0
