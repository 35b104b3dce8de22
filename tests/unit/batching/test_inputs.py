"""What INPUT... names, in which order, and where outputs go."""

import os
import zipfile
from pathlib import Path

import pytest

import reknit
from reknit.batching import outputs
from reknit.batching.inputs import Inputs

from .conftest import SHADER

pytestmark = pytest.mark.once


def names(*words: str, exclude: list[str] | None = None, every: bool = False) -> list[str]:
    return [source.name for source in Inputs(words, exclude or [], every).sources()]


def places(*words: str) -> list[str]:
    return [source.place for source in Inputs(words).sources()]


@pytest.fixture(autouse=True)
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("x/b.spv", "x/a.comp", "x/sub/c.rk", "x/.git/d.spv", "x/readme.md", "y/b.spv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SHADER.format(size=1))
    return tmp_path


def test_folders() -> None:
    assert names("x") == ["x/a.comp", "x/b.spv", "x/sub/c.rk"]
    assert names("x", every=True) == ["x/a.comp", "x/b.spv", "x/readme.md", "x/sub/c.rk"]
    assert names("x", exclude=["*.comp", "sub"]) == ["x/b.spv"]
    assert places("x") == ["a.comp", "b.spv", "sub/c.rk"]
    assert places("x", "y") == ["x/a.comp", "x/b.spv", "x/sub/c.rk", "y/b.spv"]


def test_patterns_and_files() -> None:
    assert names("x/*.spv", "y/b.spv") == ["x/b.spv", "y/b.spv"]
    assert names("**/*.rk") == ["x/sub/c.rk"]
    assert names("x/readme.md", "x/missing.spv") == ["x/readme.md", "x/missing.spv"]  # named, so judged
    assert places("../" + Path.cwd().name + "/x/b.spv") == ["b.spv"]
    Path("we[ir]d.spv").write_text("")
    assert names("we[ir]d.spv") == ["we[ir]d.spv"]


def test_lists(tmp_path: Path) -> None:
    Path("list.txt").write_text("# a comment\nx/b.spv\n\ny\n")
    assert names("@list.txt") == ["x/b.spv", "y/b.spv"]
    Path("bad.txt").write_text("@list.txt\n")
    for word, code in (("@bad.txt", "RK1401"), ("@none.txt", "RK0001"), ("none/*.spv", "RK1401"), ("x/.git", "")):
        if code:
            with pytest.raises(reknit.InputError, match=code):
                names(word)
        else:
            assert names(word) == ["x/.git/d.spv"]  # a folder that is named, not found


def test_links_and_pipes_in_folders() -> None:
    os.symlink("../y", "x/linked")
    os.symlink("../y/b.spv", "x/z.spv")
    os.mkfifo("x/pipe.spv")
    assert names("x") == ["x/a.comp", "x/b.spv", "x/z.spv", "x/sub/c.rk"]
    done = reknit.batch("check", ["x/pipe.spv", "x/missing.spv", "/dev/zero"], jobs=1)
    assert done.counts == {"refused": 3}
    assert {each.code for item in done for each in item.diagnostics} == {"RK0001"}


def test_one_input_that_is_named_twice_comes_once() -> None:
    done = reknit.batch("check", ["x/sub", "x/sub/c.rk", "x/sub/../sub/c.rk"], jobs=1)
    assert done.total == 1


def test_two_inputs_never_have_one_output() -> None:
    Path("x/sub/c.rk.spv").write_bytes(b"")
    with pytest.raises(reknit.InputError, match="RK1406.*c.rk.spv"):
        reknit.batch("opt", "x/sub", passes="dce", out="out", jobs=1)
    Path("other/x").mkdir(parents=True)
    Path("other/x/c.rk").write_text(SHADER.format(size=1))
    with pytest.raises(reknit.InputError, match="RK1406"):
        reknit.batch("opt", ["x/sub/c.rk", "./x/sub/./c.rk", "../" + Path.cwd().name + "/x/sub/c.rk", "/x/sub/c.rk"],
                     passes="dce", out="out", jobs=1)  # fmt: skip


@pytest.mark.parametrize("out", ["out", "out.zip"])
def test_an_output_is_no_folder_of_another(out: str) -> None:
    """In an archive `a.rk` may be a member, and `a.rk/b.rk` another; between them in the order of names is `a.rk!`."""
    with zipfile.ZipFile("a.zip", "w") as archive:
        for name in ("a.rk/b.rk", "a.rk!.rk", "a.rk"):
            archive.writestr(name, SHADER.format(size=len(name)))
    with pytest.raises(reknit.InputError, match=r"RK1406\]: the output a.rk would be a file, and the folder"):
        reknit.batch("compile", "a.zip", to="rk", out=out, jobs=1)
    assert not Path(out, "a.rk").exists()
    done = reknit.batch("compile", "a.zip", out=out, jobs=1)  # a.rk.spv, a.rk/b.rk.spv
    assert done.counts == {"changed": 3}


def test_names_that_differ_in_case_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with zipfile.ZipFile("a.zip", "w") as archive:
        for name in ("ä/B.rk", "Ä/b.rk"):
            archive.writestr(name, SHADER.format(size=1))
    assert reknit.batch("compile", "a.zip", out="a.tar", jobs=1).counts == {"changed": 2}
    monkeypatch.setattr(outputs, "ignores_case", lambda folder: True)
    with pytest.raises(reknit.InputError, match=r"RK1406\]: two outputs would be one file, where case is ignored"):
        reknit.batch("compile", "a.zip", out="out", jobs=1)


def test_whether_a_folder_ignores_case() -> None:
    Path("lower").mkdir()
    try:
        Path("LOWER").mkdir()
    except FileExistsError:
        assert outputs.ignores_case("lower")
    else:
        assert not outputs.ignores_case("lower")


@pytest.mark.parametrize("limits", [None, reknit.Limits(sandbox=True)])
def test_a_name_that_no_file_can_have(limits: reknit.Limits | None) -> None:
    Path("list.txt").write_text("a\0.rk\nx/sub/c.rk\n")
    done = reknit.batch("compile", "@list.txt", out="out", jobs=1, limits=limits)
    assert [(item.verdict, [each.code for each in item.diagnostics]) for item in done] == [
        ("refused", ["RK0001"]),
        ("changed", []),
    ]


def test_where_all_inputs_are_outputs_that_is_said() -> None:
    with pytest.raises(reknit.InputError, match="RK1401.*where the outputs go"):
        reknit.batch("opt", "x", passes="dce", out="x", jobs=1)
    with pytest.raises(reknit.InputError, match="RK0007.*this is a file"):
        reknit.batch("opt", "x/b.spv", passes="dce", out="x/b.spv", jobs=1)
    nothing = reknit.batch("opt", "x", passes="dce", out="out", jobs=1, exclude=["x"])
    assert repr(nothing) == "<0 inputs>"


def test_outputs_are_no_inputs_of_the_next_run() -> None:
    for _ in range(2):
        done = reknit.batch("opt", ".", passes="dce", out="out", jobs=1, exclude=["b.spv", "a.comp"])
        assert done.total == 1
    assert [path.as_posix() for path in Path("out").rglob("*.spv")] == ["out/x/sub/c.rk.spv"]
