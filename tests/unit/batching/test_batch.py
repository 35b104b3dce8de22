"""One recipe over many inputs: results don't depend on workers, nothing is done twice, nothing is lost."""

import errno
import json
import os
import signal
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path

import pytest
from kit import ROOT
from kit.oracles.sarif import sarif_faults

import reknit
from reknit.batching.batch import Plan, Ran, run
from reknit.batching.inputs import Inputs, Source
from reknit.batching.keys import Keys
from reknit.batching.recipe import recipe
from reknit.batching.reply import Reply
from reknit.batching.state import State
from reknit.cli.main import main
from reknit.source.child import python_running

from .conftest import SHADER

pytestmark = pytest.mark.once

REPORTS = ("r.jsonl", "r.csv", "r.sarif", "r.html")


def ran(state: Path, *words: object, name: str = "check", out: str = "", **options: object) -> Ran:
    """A run with one worker, as it went."""
    kept = State(str(state))
    try:
        return run(Plan(recipe(name, **options), Inputs([str(word) for word in words]), out, 1), kept)
    finally:
        kept.close()


def test_reports_are_the_same_with_one_worker_and_with_two(shaders: Path, tmp_path: Path) -> None:
    contents: list[list[bytes]] = []
    for jobs in (1, 2):
        folder = tmp_path / f"j{jobs}"
        folder.mkdir()
        done = reknit.batch(
            "check", shaders, jobs=jobs, reports=[folder / name for name in REPORTS], pictures=jobs == 2
        )
        assert done.counts == {"findings": 2, "clean": 13}
        assert (done.known, done.equal) == (0, 1)  # the one with the words of another
        contents.append([(folder / name).read_bytes() for name in REPORTS[:3]])
    assert contents[0] == contents[1]
    lines = [json.loads(line) for line in contents[0][0].splitlines()]
    names = [Path(line["input"]).name for line in lines]
    assert names == [f"{size:02}.rk" for size in range(1, 13)] + ["again.rk", "broken.rk", "unknown.rk"]
    assert {line["verdict"] for line in lines[-2:]} == {"findings"}
    assert lines[-2]["diagnostics"][0]["file"].endswith("shaders/sub/broken.rk")
    sarif = json.loads(contents[0][2])["runs"][0]
    rules = [rule["id"] for rule in sarif["tool"]["driver"]["rules"]]
    assert [result["ruleId"] for result in sarif["results"]] == [rules[one["ruleIndex"]] for one in sarif["results"]]
    assert rules == sorted({each["code"] for line in lines for each in line["diagnostics"]})
    assert sarif_faults(contents[0][2]) == []


def test_output_that_equals_the_input_is_unchanged_byte_for_byte(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    module = reknit.load(ROOT / "examples" / "fallthrough.spvasm")
    reknit.save(module, folder / "before.spv")
    first = reknit.batch("opt", folder, passes="reconverge", out=tmp_path / "once")
    assert first.counts == {"changed": 1}
    again = reknit.batch("opt", tmp_path / "once", passes="dce", out=tmp_path / "twice")
    assert again.counts == {"unchanged": 1}
    assert (tmp_path / "twice" / "before.spv").read_bytes() == (tmp_path / "once" / "before.spv").read_bytes()
    assert (tmp_path / "once" / "before.spv").read_bytes() != (folder / "before.spv").read_bytes()


def test_results_are_known_by_contents(shaders: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.sqlite"
    first, again = ran(state, shaders), ran(state, shaders)
    assert (first.known, first.equal) == (0, 1)
    assert (again.known, again.equal) == (15, 0)
    (shaders / "03.rk").write_text(SHADER.format(size=77))
    os.rename(shaders / "sub" / "broken.rk", shaders / "elsewhere.rk")
    assert ran(state, shaders).known == 14
    other = ran(state, shaders, target_env="vulkan1.2")  # options are part of it
    assert (other.known, other.equal) == (0, 1)
    kept = State(str(state))
    try:
        from reknit.batching.reports import items

        named = [item for item in items(kept) if item.verdict == "findings"]
    finally:
        kept.close()
    assert [Path(item.input).name for item in named] == ["elsewhere.rk", "unknown.rk"]
    for item in named:  # the same words in another place: what is said names that place
        place = item.diagnostics[0].place
        assert place is not None and place.file == item.input


def test_included_files_are_part_of_the_contents(tmp_path: Path) -> None:
    """Also one that appears in a folder that is looked at first."""
    state = tmp_path / "state.sqlite"
    for name in ("near", "far"):
        (tmp_path / name).mkdir()
    (tmp_path / "far" / "size.h").write_text("#define SIZE 4\n")
    text = '#include "size.h"\n[shader("compute")]\n[numthreads(SIZE, 1, 1)]\nvoid main() {}\n'
    (tmp_path / "a.slang").write_text(text)
    include = [str(tmp_path / "near"), str(tmp_path / "far")]

    def known() -> int:
        return ran(state, tmp_path / "a.slang", name="compile", out=str(tmp_path / "out"), include=include).known

    assert [known(), known()] == [0, 1]
    (tmp_path / "far" / "size.h").write_text("#define SIZE 8\n")
    assert [known(), known()] == [0, 1]
    (tmp_path / "near" / "size.h").write_text("#define SIZE 16\n")
    assert [known(), known()] == [0, 1]
    module = reknit.load(tmp_path / "out" / "a.slang.spv")
    assert module.execution_modes[0].word(2) == 16


def test_suppressions_by_file_are_of_that_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same words in two files, of which the configuration says different things; and an edit of it."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "examples" / "fallthrough.spvasm").read_text()
    for name in ("old.spvasm", "new.spvasm"):
        Path(name).write_text(text)
    config = Path("reknit.toml")
    config.write_text('[per-file-ignores]\n"old.*" = ["RK3004"]\n')
    words = ("batch", "lint", "new.spvasm", "old.spvasm", "-j", "1", "--report", "r.jsonl", "--quiet")

    def verdicts() -> list[str]:
        main(list(words))
        return [json.loads(line)["verdict"] for line in Path("r.jsonl").read_text().splitlines()]

    assert verdicts() == ["findings", "clean"]
    config.write_text('ignore = ["RK3004"]\n')
    assert verdicts() == ["clean", "clean"]


def test_what_another_program_includes_is_not_kept() -> None:
    """Which files dxc opens isn't known here; what exceeded a limit may not, next time."""
    keys = Keys(recipe("check", **{"from": "dxc"}), reknit.Limits())
    source = Source("a.hlsl", "a.hlsl", -1, "a.hlsl")
    plain = keys.of(source, b"void main() {}")
    including = keys.of(source, b'#include "a.h"')
    assert plain.is_lasting(Reply("clean")) and not including.is_lasting(Reply("clean"))
    assert not any(plain.is_lasting(Reply(verdict)) for verdict in ("crashed", "out of time", "out of memory"))
    assert plain.key != including.key


COMMAND = "from reknit.cli.main import program; program()"


def test_killed_and_resumed(tmp_path: Path) -> None:
    """SIGKILL to the parent in the middle: what was done is not done again, and the end is as if nothing had been."""
    folder = tmp_path / "in"
    folder.mkdir()
    for size in range(1, 151):
        (folder / f"{size:03}.rk").write_text(SHADER.format(size=size))
    words = ["batch", "compile", "in", "-o", "out", "--state", "state.sqlite", "-j", "1", "--quiet"]
    process = subprocess.Popen(python_running(COMMAND, *words), cwd=tmp_path, stdout=subprocess.PIPE)
    out = tmp_path / "out"
    until = time.monotonic() + 60
    while len(list(out.glob("*.spv"))) < 20:
        assert process.poll() is None and time.monotonic() < until
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    written = len([name for name in os.listdir(out) if name.endswith(".spv")])
    assert 20 <= written < 150
    kept = State(str(tmp_path / "state.sqlite"))
    done = sum(count for verdict, count in kept.counts().items() if verdict is not None)
    kept.close()
    assert written <= done <= written + 1  # kept before it is written
    again = subprocess.run(
        python_running(COMMAND, *words, "--json"), cwd=tmp_path, capture_output=True, text=True, check=True
    )
    said = json.loads(again.stdout)
    counts = {"total": 150, "known": done, "equal": 0, "replaced": []}
    assert said == {**counts, "verdicts": {"changed": 150}, "groups": []}
    fresh = reknit.batch("compile", folder, out=tmp_path / "fresh", jobs=1)
    assert fresh.total == 150
    names = sorted(name for name in os.listdir(out) if name.endswith(".spv"))  # one may have been half written
    assert names == sorted(os.listdir(tmp_path / "fresh"))
    assert all((out / name).read_bytes() == (tmp_path / "fresh" / name).read_bytes() for name in names)


def test_two_runs_on_one_state(shaders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = str(tmp_path / "state.sqlite")
    held = State(state)
    assert main(["batch", "check", str(shaders), "--state", state]) == 1
    assert "RK1407" in capsys.readouterr().err
    held.close()
    assert main(["batch", "check", str(shaders / "01.rk"), "--state", state]) == 0
    (tmp_path / "text.sqlite").write_text("this is no database, whatever its name says" * 100)
    assert main(["batch", "check", str(shaders), "--state", str(tmp_path / "text.sqlite")]) == 1
    assert "RK1408" in capsys.readouterr().err


def test_a_full_disk_is_named_and_what_was_done_stays(shaders: Path, tmp_path: Path) -> None:
    state = tmp_path / "state.sqlite"
    plan = Plan(recipe("compile"), Inputs([str(shaders)]), str(tmp_path / "out"), 1)
    kept = State(str(state))
    (pages,) = kept.connection.execute("PRAGMA page_count").fetchone()
    kept.connection.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(reknit.InputError, match="RK1408.*full"):
        run(plan, kept)
    done = sum(count for verdict, count in kept.counts().items() if verdict is not None)
    kept.close()
    again = ran(state, shaders, name="compile", out=str(tmp_path / "out"))
    assert again.resumed and again.total == 15 and again.known >= done


def test_exit_codes_and_misuse(
    shaders: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["batch", "lint", "shaders", "-j", "1"]) == 1  # one can't be read
    out = capsys.readouterr().out
    assert out.startswith("15 inputs: 2 refused, 13 clean (1 equal to another input)\n")
    assert (tmp_path / ".reknit" / ".gitignore").read_text() == "*\n"
    for words in (
        ["check", "shaders", "-o", "out"],
        ["check", "shaders", "-p", "dce"],
        ["opt", "shaders"],
        ["opt", "shaders", "-p", "no-such-pass"],
        ["check", "shaders", "--report", "r.txt"],
        ["compile", "shaders", "-o", ""],
        ["compile", "shaders", "-o", os.devnull],
        ["compile", "shaders", "-o", "out.rar"],
        ["compile", "shaders", "-o", "out.TAR.ZST"],
        ["check", "shaders", "-j", "-1"],
        ["lint", "shaders", "--config", "shaders/notes.txt"],
    ):
        assert main(["batch", *words]) == 2, words
    assert main(["batch", "check", "shaders/none*.rk"]) == 1
    assert "RK1401" in capsys.readouterr().err


def test_a_system_that_starts_no_more_processes(
    shaders: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def refuses(*words: object, **options: object) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "Popen", refuses)
    assert main(["batch", "check", str(shaders), "-j", "300"]) == 1
    assert "-j 300: worker process 1 can't be started" in capsys.readouterr().err


def test_a_run_by_its_values(tmp_path: Path) -> None:
    """Values by hand, from the README: lanes with the kinds 0, 0, 1, 2 and nothing between the labels."""
    example = ROOT / "examples" / "fallthrough.spvasm"
    done = reknit.batch("run", example, buffers={"kinds": [0, 0, 1, 2]}, subgroup_size=4, out=tmp_path / "out")
    assert done and done.counts == {"ran": 1}
    result = json.loads((tmp_path / "out" / "fallthrough.spvasm.json").read_text())
    assert result["buffers"]["result"]["words"] == [22, 22, 20, 20]
    proofs = reknit.batch("prove", example)
    (item,) = proofs
    assert item.verdict == "proved" and item.details["changed"]


@pytest.mark.skipif(find_spec("distributed") is not None, reason="distributed is installed")
def test_a_cluster_needs_a_package_that_is_named() -> None:
    with pytest.raises(reknit.InputError, match="RK1420.*distributed"):
        reknit.batch("check", ROOT / "examples" / "fallthrough.spvasm", cluster="tcp://127.0.0.1:8786")
