"""Options by a configuration: every command, what goes first, what is refused."""

import json
import shutil
from pathlib import Path

import pytest
from kit import ROOT

from reknit.checks.lint.config import OPTIONS
from reknit.cli.commands import COMMANDS
from reknit.cli.configured import keys_of
from reknit.cli.main import main
from reknit.cli.parser import parser_of
from reknit.files.config import LINT, SHARED, TABLES

SHADER = """RWStructuredBuffer<uint> result;
[shader("compute")] [numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { result[id.x] = VALUE + WaveGetLaneCount(); }
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(ROOT / "examples" / "break_ballot.spvasm", tmp_path / "a.spvasm")
    (tmp_path / "a.slang").write_text(SHADER)
    (tmp_path / "inner").mkdir()
    (tmp_path / ".git").mkdir()  # the root of the project: no configuration is looked for above it
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words(capsys: pytest.CaptureFixture[str], *options: str) -> list[int]:
    capsys.readouterr()
    assert main(["run", "a.slang", "--json", *options]) == 0
    values: list[int] = json.loads(capsys.readouterr().out)["buffers"]["result"]["words"]
    return values


def test_the_tables_are_the_commands() -> None:
    assert set(TABLES) == set(COMMANDS)


def test_shared_keys_are_options_and_lint_names_its_own() -> None:
    known = {key for name in COMMANDS for key in keys_of(parser_of(name))}
    assert set(SHARED) <= known
    assert {*keys_of(parser_of("lint"))} <= {*OPTIONS, *LINT}
    assert {*OPTIONS} <= {*keys_of(parser_of("lint"))}


def test_every_option_is_a_key_or_says_why_not() -> None:
    """Nothing that a command takes by a long name is beyond a configuration but what prints and ends."""
    for name in COMMANDS:
        parser = parser_of(name)
        keys = keys_of(parser)
        for action in parser.actions():
            longs = [word[2:] for word in action.option_strings if word.startswith("--")]
            kind = type(action).__name__
            if longs and longs[0] not in keys:
                assert longs[0] in ("config", "no-config", "root", "crash-files", "prove=require") or kind in (
                    "_StoreConstAction", "_Help", "_ListPasses",
                ), (name, longs)  # fmt: skip


def test_what_the_command_line_says_goes_first(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("reknit.toml").write_text('define = ["VALUE=100"]\n[run]\nsubgroup-size = 4\n')
    assert words(capsys) == [104] * 4
    assert words(capsys, "--subgroup-size", "8") == [108] * 4
    assert words(capsys, "-D", "VALUE=200") == [204] * 4
    assert main(["run", "a.slang", "--no-config"]) == 1  # VALUE is not defined


def test_pyproject_and_folders_above(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("pyproject.toml").write_text('[tool.other]\nx = "reknit"\n')
    assert main(["run", "a.slang"]) == 1
    Path("pyproject.toml").write_text(
        '[tool.reknit]\ninclude = ["headers"]\n[tool.reknit.run]\nsubgroup-size = 4\n'
    )
    Path("headers").mkdir()
    Path("headers/value.h").write_text("#define VALUE 5\n")
    Path("inner/a.slang").write_text('#include "value.h"\n' + SHADER)
    monkeypatch.chdir(project / "inner")  # the folder of headers is named from the file
    assert words(capsys) == [9] * 4
    assert words(capsys, "--config", "../pyproject.toml") == [9] * 4
    Path("reknit.toml").write_text("")  # closer, and says nothing
    assert main(["run", "a.slang"]) == 1


@pytest.mark.parametrize(
    "text, said",
    [
        ("exclud = []", "did you mean 'exclude'?"),
        ("[lnit]", "did you mean 'lint'?"),
        ("[lint]\nformt = 'json'", "did you mean 'format'?"),
        ("[lint]\nformat = 'jsn'", "one of full, concise, json, sarif, github"),
        ("[lint]\nignore = []\n[run]\nx = 1\n[check]\ntarget-envv = 1", ""),  # tables of other commands are theirs
        ("ignore = []\n[lint]\nignore = []", "keep one of them"),
        ("lint = 1", "lint is not a table"),
        ("exclude = 'a'", "exclude is not a list of texts"),
        ("exclude = [1]", "exclude is not a list of texts"),
        ("jobs = 'two'", "jobs can't be 'two'"),
        ("jobs = true", "jobs is neither a text nor a number"),
        ("respect-gitignore = 1", "respect-gitignore is neither true nor false"),
        ('[lint]\nbaseline = "a\\u0000b"', "baseline has a NUL character in it"),
        ('exclude = ["a\\u0000b"]', "exclude has a NUL character in it"),
        ("root = ['/']", "'root' is not known"),
        ("format = 'json'", "others go into a command's table, as [lint]"),
        ("max-memory = 'much'", "--max-memory much"),
    ],
)
def test_what_is_refused(text: str, said: str, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("reknit.toml").write_text(text)
    assert main(["lint", "a.spvasm"]) == (2 if said else 0)
    assert said in capsys.readouterr().err
    assert main(["lint", "a.spvasm", "--no-config"]) == 0
    assert main(["lint", "--help"]) == 0


def test_excluded_by_a_configuration_above(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy("a.spvasm", "inner/a.spvasm")
    shutil.copy("a.spvasm", "inner/b.spvasm")
    Path("reknit.toml").write_text('exclude = ["inner/a.spvasm", "*.slang"]\n[lint]\ntarget = "base"\n')
    lint = ["lint", ".", "--format", "concise", "-j", "1"]

    def files(*options: str) -> list[str]:
        capsys.readouterr()
        main([*lint, *options])
        return [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]

    assert files() == ["a.spvasm", "inner/b.spvasm"]
    assert files("--exclude", "*.slang") == ["a.spvasm", "inner/a.spvasm", "inner/b.spvasm"]
    assert files("--extend-exclude", "b.*") == ["a.spvasm"]
    monkeypatch.chdir(project / "inner")
    assert files() == ["b.spvasm"]
    assert main(["lint", "a.spvasm"]) == 0  # named, and left out all the same: a hook names what was edited


def test_a_sandbox_takes_no_options_from_a_file_that_lies_around(project: Path) -> None:
    Path("reknit.toml").write_text('define = ["VALUE=100"]\n')
    assert main(["run", "a.slang", "--sandbox"]) == 1
    assert main(["run", "a.slang", "--sandbox", "--config", "reknit.toml"]) == 0


def test_a_folder_that_is_gone(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def gone() -> str:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr("os.getcwd", gone)
    assert main(["explain", "RK3001"]) == 0
    for words in (["lint", "."], ["batch", "check", "."]):
        assert main(words) == 1
        assert "error[RK0001]: the current folder is gone" in capsys.readouterr().err


def test_a_parser_has_no_two_options_with_one_key() -> None:
    for name in COMMANDS:
        names = [word for action in parser_of(name).actions() for word in action.option_strings]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "text",
    [
        "a" + ".a" * 5000 + " = 1\n",
        "[a" + ".a" * 100 + "]\n",
        "a = {b" + ".b" * 5000 + " = 1}\n",
        ("[" + "a." * 60 + "b]\n") * 2000,
        "#" * (1 << 20) + "\n",
    ],
)
def test_what_is_long_to_parse_is_refused_first(
    text: str, project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tomllib.loads", lambda text: pytest.fail("it was parsed"))
    (project / "reknit.toml").write_text(text)
    assert main(["run", "a.slang"]) == 2
    assert "error[RK3020]: configuration: it" in capsys.readouterr().err


def test_rows_of_dots_and_long_lists_are_no_long_keys(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ", ".join([f'"old/part.{at}.slang"' for at in range(200)])
    (project / "reknit.toml").write_text(f"# {'.' * 5000}\nexclude = [{names}]\n")
    assert words(capsys, "-D", "VALUE=5")
