"""Which configurations are found, and which of them may name code: docs/trust.md, sentence by sentence."""

import os
import shutil
from pathlib import Path

import pytest
from kit import ROOT

from reknit.cli.main import main
from reknit.files.trust import allowed, is_allowed, state_folder
from reknit.source.ownership import not_own
from reknit.source.reading import folders_upward

PASS = """open({ran!r}, "a").write("ran")
import reknit
def run(fn, ask, options): return reknit.Changed.no
P = None
"""
needs_owners = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows: docs/trust.md, Windows")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("REKNIT_TRUST", raising=False)
    place = tmp_path / "project"
    (place / ".git").mkdir(parents=True)
    (place / "inner").mkdir()
    for name in ("a.spvasm", "inner/a.spvasm"):
        shutil.copy(ROOT / "examples" / "break_ballot.spvasm", place / name)
    (place / "mine.py").write_text(PASS.format(ran=str(tmp_path / "RAN")))
    (place / "reknit.toml").write_text('[opt]\npasses = "mine.py:P"\nquiet = true\n')
    place.chmod(0o755)
    for name in ("mine.py", "reknit.toml"):
        (place / name).chmod(0o644)
    monkeypatch.chdir(place)
    return place


def ran(project: Path, *words: str) -> bool:
    """Whether `reknit opt` ran the file that the configuration names."""
    mark = project.parent / "RAN"
    mark.unlink(missing_ok=True)
    os.utime("mine.py" if Path("mine.py").exists() else "../mine.py", ns=(0, ran_times()))  # it is run again if changed
    main(["opt", "a.spvasm", *words])
    return mark.exists()


def ran_times(counted: list[int] = [0]) -> int:  # noqa: B006 - a counter
    counted[0] += 1_000_000_000
    return counted[0]


def test_code_of_a_configuration_is_not_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not ran(project)
    said = capsys.readouterr()
    assert said.out and said.err.count("\n") == 1  # one line, and the command goes on
    for word in ("reknit.toml", "RK0024", "passes", "`reknit trust .`"):
        assert word in said.err


def test_it_is_run_once_allowed_until_the_file_changes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trust"]) == 0
    assert "opt.passes = mine.py:P" in capsys.readouterr().out
    assert ran(project)
    assert allowed() == [(str(project / "reknit.toml"), "")]
    with open("reknit.toml", "a") as file:
        file.write("# more\n")
    assert not ran(project)
    assert allowed() == [(str(project / "reknit.toml"), "changed since")]
    assert main(["trust", "."]) == 0 and ran(project)
    assert len(allowed()) == 1
    assert main(["trust", "--remove"]) == 0 and not ran(project)
    assert allowed() == []


def test_what_is_held_is_the_users_alone(project: Path) -> None:
    main(["trust"])
    (entry,) = os.scandir(state_folder())
    assert entry.stat().st_mode & 0o777 == 0o600
    assert os.stat(state_folder()).st_mode & 0o777 == 0o700


@needs_owners
def test_a_list_that_others_may_write_is_not_read(project: Path) -> None:
    main(["trust"])
    os.chmod(state_folder(), 0o777)
    assert not is_allowed("reknit.toml") and allowed() == []
    os.chmod(state_folder(), 0o700)
    assert is_allowed("reknit.toml")
    (entry,) = os.scandir(state_folder())
    os.chmod(entry.path, 0o666)
    assert not is_allowed("reknit.toml")


def test_the_variable_allows_its_folders_and_none_below(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REKNIT_TRUST", os.pathsep.join(["/elsewhere", str(project)]))
    assert ran(project)
    for other in (str(project.parent), ".", "", str(project / "inner")):
        monkeypatch.setenv("REKNIT_TRUST", other)
        assert not ran(project)


def test_naming_the_file_allows_it(project: Path) -> None:
    assert ran(project, "--config", "reknit.toml")
    assert not ran(project, "--no-config")


@needs_owners
@pytest.mark.parametrize("what", [".", "reknit.toml", "mine.py"])
def test_what_others_may_write_is_not_run(what: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.chmod(what, 0o777)
    assert main(["trust"]) == (0 if what == "mine.py" else 1)
    assert ("RK0025" in capsys.readouterr().err) == (what != "mine.py")
    for words in ([], ["--config", "reknit.toml"]):
        assert not ran(project, *words)
        assert "every user may write it" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_what_belongs_to_another_user_is_not_run(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.chown("reknit.toml", 12345, -1)
    assert not ran(project, "--config", "reknit.toml")
    assert "it belongs to another user (uid 12345)" in capsys.readouterr().err
    assert main(["trust"]) == 1


@needs_owners
def test_the_private_group_may_write(project: Path) -> None:
    import grp
    import pwd

    os.chmod("reknit.toml", 0o664)
    user = pwd.getpwuid(os.geteuid()).pw_name
    group = grp.getgrgid(os.stat("reknit.toml").st_gid)
    assert (not_own("reknit.toml") == "") == (group.gr_name == user and set(group.gr_mem) <= {user})


def test_paths_are_from_the_folder_of_the_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main(["trust"])
    monkeypatch.chdir(project / "inner")
    assert ran(project)
    (project / "inner" / "mine.py").write_text("raise SystemExit('of another folder')\n")
    (project / "mine.py").touch()
    assert ran(project)


@pytest.mark.parametrize(
    "key, value, command",
    [
        ("include", '["../outside"]', "opt"), ("include", '["link"]', "opt"), ("baseline", '"../known.json"', "lint"),
        ("libvulkan", '"lib.so"', "devices"), ("if", '"true"', "reduce"), ("bisect-if", '"true"', "opt"),
        ("cluster", '"tcp://host:1"', "batch"), ("from", '"slangc"', "opt"), ("svg", '"/tmp/x.svg"', "check"),
        ("set", '["a=@../words"]', "run"), ("set", '["a=2x2:rgba8:@../words"]', "run"),
        ("dump-dot", '"../dots"', "opt"), ("state", '"../x.sqlite"', "batch"), ("passes", '"dce, x.py:y{n=1}"', "opt"),
    ],
)  # fmt: skip
def test_what_has_to_be_allowed(key: str, value: str, command: str, project: Path) -> None:
    from reknit.cli.configured import code_of, given_by
    from reknit.cli.parser import parser_of

    os.symlink(project.parent, project / "link")
    Path("reknit.toml").write_text(f"[{command}]\n{key} = {value}\n")
    given = given_by(parser_of(command), command, "reknit.toml")
    assert list(code_of("reknit.toml", given)) == [key]


@pytest.mark.parametrize(
    "text, command",
    [
        ('include = ["headers"]\ndefine = ["A=../b"]', "opt"), ('[opt]\npasses = "dce"\nfrom = "slang"', "opt"),
        ('[lint]\nbaseline = "known.json"\nformat = "json"\nfix = true', "lint"),
        ('[run]\nset = ["a=@words", "b=1,2"]\nsubgroup-size = 8', "run"),
    ],
)  # fmt: skip
def test_what_is_data(text: str, command: str, project: Path) -> None:
    from reknit.cli.configured import code_of, given_by
    from reknit.cli.parser import parser_of

    Path("reknit.toml").write_text(text)
    assert code_of("reknit.toml", given_by(parser_of(command), command, "reknit.toml")) == {}


def test_of_a_list_what_stays_inside_is_used(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("headers").mkdir()
    Path("headers/value.h").write_text("#define VALUE 5\n")
    Path("reknit.toml").write_text('include = ["../outside", "headers"]\n')
    Path("a.slang").write_text(
        '#include "value.h"\nRWStructuredBuffer<uint> o;\n'
        '[shader("compute")] [numthreads(1, 1, 1)] void main() { o[0] = VALUE; }\n'
    )
    assert main(["run", "a.slang"]) == 0
    assert "include is ignored" in capsys.readouterr().err


def test_folders_that_are_looked_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    inner = home / "project" / "shaders" / "deep"
    inner.mkdir(parents=True)
    up = [str(each) for each in (inner, inner.parent, home / "project", home)]
    assert folders_upward(str(inner)) == up  # the home folder is the end
    (home / "project" / ".git").write_text("gitdir: elsewhere\n")  # of a work tree beside
    assert folders_upward(str(inner)) == up[:3]
    outside = tmp_path / "srv" / "x"
    outside.mkdir(parents=True)
    assert folders_upward(str(outside)) == [str(outside)]  # in neither
    assert folders_upward("/") == ["/"]
    monkeypatch.setenv("HOME", "/")
    assert folders_upward(str(outside)) == [str(outside)]


def test_nothing_to_allow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    assert main(["trust"]) == 1
    assert "RK0025" in capsys.readouterr().err
    assert main(["trust", "--remove"]) == 0
    capsys.readouterr()
    assert main(["trust", "--list"]) == 0
    assert capsys.readouterr().out == "nothing is allowed\n"
    assert main(["trust", "nowhere"]) == 1
