"""`reknit lint` and `check` of folders and of many files: what is taken, what is left out, workers, cache."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from kit import ROOT

from reknit.batching.inputs import Inputs
from reknit.batching.job import Job
from reknit.batching.pool import LocalPool
from reknit.batching.reply import Reply
from reknit.cli.main import main
from reknit.source.diagnostic import InputError

EXAMPLES = ROOT / "examples"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose modules each have one finding (RK3004), wherever they lie."""
    (tmp_path / ".git").mkdir()
    everywhere = ("a", "old/b", "old/deep/c", "build/d", ".hidden/e", "node_modules/f")
    for name in [f"{each}.spvasm" for each in everywhere]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(EXAMPLES / "fallthrough.spvasm", path)
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = x\n")
    (tmp_path / "part.glsl").write_text("float one() { return 1.0; }\n")
    (tmp_path / "tree.mesh").write_bytes(b"\0main(\1")
    (tmp_path / "part.slang").write_text("public uint one() { return 1; }\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *words: str, code: int = 1) -> list[str]:
    """The files with findings, in the order in which they are reported."""
    capsys.readouterr()
    assert main(["lint", "--json", "-j", "1", *words]) == code
    return [each["file"] for each in json.loads(capsys.readouterr().out)]


def test_what_a_folder_holds(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(capsys, ".") == ["a.spvasm", "build/d.spvasm", "old/b.spvasm", "old/deep/c.spvasm"]
    assert found(capsys, "old", "old/deep/../b.spvasm") == ["old/b.spvasm", "old/deep/c.spvasm"]
    assert found(capsys, ".hidden") == [".hidden/e.spvasm"]  # named
    assert found(capsys, "**/c.spvasm") == ["old/deep/c.spvasm"]


@pytest.mark.parametrize(
    "pattern, left",
    [
        ("old", ["a.spvasm", "build/d.spvasm"]),
        ("old/", ["a.spvasm", "build/d.spvasm"]),
        ("./old/deep", ["a.spvasm", "build/d.spvasm", "old/b.spvasm"]),
        ("?.spvasm", []),
        ("old/*", ["a.spvasm", "build/d.spvasm"]),
        ("deep/c.spvasm", ["a.spvasm", "build/d.spvasm", "old/b.spvasm", "old/deep/c.spvasm"]),  # it is not there
    ],
)
def test_excluded(pattern: str, left: list[str], project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(capsys, ".", "--exclude", pattern, code=1 if left else 0) == left


def test_one_excluded_file_and_one_named_twice(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "a.spvasm", "--exclude", "a.spvasm"]) == 0
    assert capsys.readouterr().out == "no findings in 0 files\n"
    assert main(["lint", "a.spvasm", "./a.spvasm", f"{project}/a.spvasm", "--format", "concise"]) == 1
    assert capsys.readouterr().out.count("RK3004") == 1


@pytest.mark.parametrize("command", ["lint", "check"])
@pytest.mark.parametrize("words", [["."], ["one.slang", "two.slang"]])
def test_what_is_found_in_an_included_file_names_the_input(
    command: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("part.h").write_text("#error no\n")
    for name in ("one", "two"):
        Path(f"{name}.slang").write_text('#include "part.h"\n[shader("compute")] void main() {}\n')
    assert main([command, "--json", "-j", "1", *words]) == 1
    said = [(each["file"], each["notes"]) for each in json.loads(capsys.readouterr().out) if each["code"] == "E15900"]
    assert said == [
        ("part.h", [{"message": "found in what one.slang is made of"}]),
        ("part.h", [{"message": "found in what two.slang is made of"}]),
    ]


@pytest.mark.parametrize("words", [["."], ["one.slang"]])
def test_included_files_are_named_as_their_folder_is(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By `-I parts`, in a worker process, too: an absolute name would be another in each checkout."""
    monkeypatch.chdir(tmp_path)
    Path("parts").mkdir()
    Path("parts/part.h").write_text("#error no\n")
    Path("one.slang").write_text('#include "part.h"\n[shader("compute")] void main() {}\n')
    assert main(["check", "--json", "-I", "parts", *words]) == 1
    (found,) = [each for each in json.loads(capsys.readouterr().out) if each["code"] == "E15900"]
    assert found["file"] == "parts/part.h"


def test_a_relative_folder_of_included_files_is_another_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.slang").write_text('#include "part.h"\n[shader("compute")] void main() {}\n')
    for name, text in (("a", ""), ("b", "#error no\n")):
        (tmp_path / name / "parts").mkdir(parents=True)
        (tmp_path / name / "parts" / "part.h").write_text(text)
    found = {}
    for name in ("a", "b"):
        monkeypatch.chdir(tmp_path / name)
        words = ["check", "--json", "-I", "parts", "--cache-dir", str(tmp_path / "known"), str(tmp_path)]
        main(words)
        found[name] = "E15900" in capsys.readouterr().out
    assert found == {"a": False, "b": True}


def git_says(project: Path) -> set[str]:
    """What git itself would not track."""
    git = shutil.which("git")
    if git is None:
        pytest.skip("no git to compare with")
    shutil.rmtree(project / ".git")
    subprocess.run([git, "init", "-q"], check=True)
    if (project / "exclude").exists():
        (project / ".git" / "info").mkdir(exist_ok=True)
        shutil.copy(project / "exclude", project / ".git" / "info" / "exclude")
    names = subprocess.run(
        [git, "-c", "core.excludesFile=", "ls-files", "-o", "-i", "--exclude-standard"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return set(names.stdout.splitlines())


IGNORING = {
    "a folder": {".gitignore": "build/\n"},
    "back in": {".gitignore": "*.spvasm\n!old/b.spvasm\n"},
    "nested": {".gitignore": "*.spvasm\n", "old/.gitignore": "!*.spvasm\n", "old/deep/.gitignore": "c.*\n"},
    "anchored": {".gitignore": "/b.spvasm\n/old/deep\n"},
    "of the repository": {"exclude": "a.spvasm\n", ".gitignore": "# nothing\n\n"},
    "no pattern": {".gitignore": "!\n[\nbuild\n\\\n"},
    "no text": {".gitignore": "\udcff\nbuild\n"},
}


@pytest.mark.parametrize("files", IGNORING.values(), ids=IGNORING)
def test_ignored_by_git(files: dict[str, str], project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, text in files.items():
        (project / name).write_text(text, errors="surrogateescape")
    ignored = git_says(project)
    everything = ["a.spvasm", "build/d.spvasm", "old/b.spvasm", "old/deep/c.spvasm"]
    left = [name for name in everything if name not in ignored]
    assert left != everything and found(capsys, ".", code=1 if left else 0) == left
    assert found(capsys, ".", "--no-respect-gitignore") == everything


def test_ignored_from_inside_and_when_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".gitignore").write_text("build\nc.spvasm\n")
    assert found(capsys, "build") == ["build/d.spvasm"]  # asked for
    assert found(capsys, "old/deep/c.spvasm", "old/deep") == ["old/deep/c.spvasm"]
    os.chdir("old")
    assert found(capsys, ".") == ["b.spvasm"]
    os.chdir("deep")
    assert found(capsys, ".", code=0) == []  # all of it is left out, which is not a typing error


def test_hostile_trees(project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    os.symlink("..", "old/around")
    os.symlink("loop.spvasm", "loop.spvasm")
    os.mkfifo("pipe.spvasm")
    os.mkfifo(".gitignore")
    text = (EXAMPLES / "fallthrough.spvasm").read_bytes()
    for name in (b"new\nline.spvasm", b"\xff.spvasm"):
        Path(os.fsdecode(name)).write_bytes(text)
    assert found(capsys, ".", "--exclude", "build") == [
        "a.spvasm", "new\nline.spvasm", "\udcff.spvasm", "old/b.spvasm", "old/deep/c.spvasm",
    ]  # fmt: skip
    assert main(["lint", ".", "--format", "concise", "-j", "1"]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in shown][1:4] == ["new\\nline.spvasm", "\\udcff.spvasm", "build/d.spvasm"]
    scandir = os.scandir

    def refuse(path: str) -> object:
        if os.path.basename(path) == "deep":
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert main(["lint", "old", "--format", "concise", "-j", "1"]) == 1
    assert "old/deep: error[RK0001]: the folder can't be read: permission denied" in capsys.readouterr().out


def test_nothing_there(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "empty").mkdir()
    for words in (["empty"], ["none/*.spv"], ["@none.txt"]):
        assert main(["lint", *words]) == 1
        assert "RK1401" in (said := capsys.readouterr().err) or "RK0001" in said
    assert main(["lint", ".", "-"]) == 2
    assert main(["lint", ".", "-j", "-1"]) == 2
    assert main(["check", ".", "--svg", "a.svg"]) == 2


def test_the_cache(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(capsys, "old") == ["old/b.spvasm", "old/deep/c.spvasm"]
    cache = project / ".reknit" / "lint.sqlite"
    assert (project / ".reknit" / ".gitignore").read_text() == "*\n"
    connection = sqlite3.connect(cache, isolation_level=None)
    connection.execute("UPDATE results SET reply = replace(reply, 'RK3004', 'RK3999')")  # so that one sees who answers
    connection.close()
    main(["lint", "old", "--format", "concise"])
    assert "RK3999" in capsys.readouterr().out
    for words in (["--no-cache"], ["--cache-dir", "other"], ["--sandbox"]):
        main(["lint", "old", "--format", "concise", *words])
        assert "RK3004" in capsys.readouterr().out
    connection = sqlite3.connect(cache, isolation_level=None)  # another run has it
    connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    main(["lint", "old", "--format", "concise"])
    seen = capsys.readouterr()
    assert "RK3004" in seen.out and seen.err == ""
    connection.close()
    cache.write_bytes(b"no database at all" * 100)
    main(["lint", "old", "--format", "concise"])
    seen = capsys.readouterr()
    assert "RK3004" in seen.out and "can't be used" in seen.err


def test_many_files_are_judged_as_one_is(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(16):
        shutil.copy(EXAMPLES / "fallthrough.spvasm", f"n{number:02}.spvasm")
    files = [f"n{number:02}.spvasm" for number in range(16)]
    for form in ("full", "concise", "github", "sarif"):
        main(["lint", *files[:2], "--format", form])
        few = capsys.readouterr().out
        main(["lint", *files, "--format", form, "--exclude", "n0[2-9].*", "--exclude", "n1*"])
        assert capsys.readouterr().out == few
    main(["check", *files, "-j", "2"])
    assert capsys.readouterr().out.startswith(("no findings in 16 files", "note[RK0006]"))


def test_an_interrupt_says_how_far_it_came(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[object] = []
    take = LocalPool.take

    def once(pool: LocalPool) -> list[tuple[Job, Reply]]:
        if taken:
            raise KeyboardInterrupt
        taken.append(pool)
        return take(pool)

    monkeypatch.setattr(LocalPool, "take", once)
    for name in ("a", "build/d"):  # no two with equal contents
        Path(f"{name}.spvasm").write_text(f"; {name}\n" + Path(f"{name}.spvasm").read_text())
    assert main(["lint", "a.spvasm", "build", "old/b.spvasm", "-j", "1"]) == 130
    assert "interrupted when 1 of 3 files were judged, which the next run knows\n" in capsys.readouterr().err


def test_suppressions_used_in_workers(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "reknit.toml").write_text('[per-file-ignores]\n"old/*" = ["RK3004"]\n"a.*" = ["RK3001"]\n')
    for _ in range(2):  # by workers, and from the cache
        assert main(["lint", ".", "--format", "concise"]) == 1
        shown = capsys.readouterr().out.splitlines()
        assert [line.partition(":")[0] for line in shown] == ["a.spvasm", "build/d.spvasm", "reknit.toml"]
        assert "RK3021" in shown[-1] and '"a.*"' in shown[-1]


def test_one_file_cannot_stop_the_others(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    functions = "".join(f"int a{n}() {{ return 1; }}\n" for n in range(3_000))
    Path("big.slang").write_text(f"[numthreads(1, 1, 1)] void main() {{}}\n{functions}")
    assert main(["lint", ".", "--max-nodes", "10000", "--format", "concise", "-j", "1"]) == 1
    shown = capsys.readouterr().out
    assert "big.slang" in shown and "RK0022" in shown and "old/deep/c.spvasm:90" in shown


SHADERS = [f"{name}.comp" for name in "bcdefg"]


@pytest.mark.parametrize("command", ["lint", "check"])
@pytest.mark.parametrize("words", [["glsl", "-j", "1"], [f"glsl/{name}" for name in SHADERS]], ids=["folder", "files"])
def test_a_compiler_that_is_missing_is_reported_once(
    words: list[str], command: str, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "glsl").mkdir()
    for name in SHADERS:
        (project / "glsl" / name).write_text("#version 450\nvoid main() {}\n")
    monkeypatch.setenv("PATH", str(project))
    for option, code in ((), "RK0003"), (("--sandbox",), "RK0023"):
        assert main([command, *words, *option, "--json"]) == 1
        (one,) = [each for each in json.loads(capsys.readouterr().out) if each["severity"] == "error"]
        assert (one["code"], one["file"]) == (code, "glsl/b.comp")
        assert one["message"].endswith("; 6 files were not judged")
        assert one["notes"][0]["message"] == "the same holds of glsl/c.comp, glsl/d.comp, glsl/e.comp and 2 more"
    assert main([command, f"glsl/{SHADERS[0]}", "--json"]) == 1
    (alone,) = [each for each in json.loads(capsys.readouterr().out) if each["severity"] == "error"]
    assert alone["message"].endswith("which is not on PATH")


def test_standard_names_are_imported_for_folders_alone(project: Path) -> None:
    script = "import sys; from reknit.cli.main import main; main(sys.argv[1:]); print('sqlite3' in sys.modules)"
    for words, loaded in ((["a.spvasm"], "False"), (["old"], "True")):
        done = subprocess.run([sys.executable, "-c", script, "lint", *words], capture_output=True, text=True)
        assert done.stdout.splitlines()[-1] == loaded


@pytest.mark.parametrize(
    ("name", "text", "taken"),
    [
        ("a.hlsl", "V vs(float3 p : POSITION) { return p; }", True),
        ("a.hlsl", "float4 ps(V v) : SV_Target0\n{ return 1; }", True),
        ("a.hlsl", "V VSMain(V v) { return v; }", True),
        ("a.hlsl", "V moved(V v, float3 by) { if (a ? b : c) { } if (n::f(by)) { } return v; }", False),
        ("a.hlsl", "struct V { float4 p : SV_Position; };", False),
        ("a.slang", "func f(x : int) -> int { return x; }", False),
        ("BlurPS.hlsl", '// of two\n#define WIDE \\\n  1\n#include "Blur.hlsli" /* all */\n', True),
        ("blur.comp", '#version 460\n#include "blur.glsl"\n', True),
        ("Common.hlsl", '#include "Blur.hlsli"\n', False),
        ("BlurPS.hlsl", '#include "Blur.hlsli"\nstruct V { int a; };', False),
    ],
)
def test_sources_that_show_an_entry_point(
    name: str, text: str, taken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x").mkdir()
    Path("x", name).write_text(text)
    if taken:
        assert [source.name for source in Inputs(["x"], project=True).sources()] == [f"x/{name}"]
        return
    with pytest.raises(InputError, match="RK1401.*no source in it has an entry point"):
        list(Inputs(["x"], project=True).sources())
