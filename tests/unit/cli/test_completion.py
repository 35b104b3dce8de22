"""`reknit completion`: what bash offers at a place of the command line, asked of bash itself."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from reknit.cli.commands import COMMANDS
from reknit.cli.main import main

ASK = "_shtab_reknit; printf '%s\\n' \"${COMPREPLY[@]}\""


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash, which is what is asked")
    made = tmp_path_factory.mktemp("completion") / "reknit.bash"
    with pytest.MonkeyPatch.context() as patch, made.open("w") as out:
        patch.setattr("sys.stdout", out)
        assert main(["completion", "bash"]) == 0
    return made


def offered(script: Path, folder: Path, *words: str) -> list[str]:
    """What the last of `words` can become."""
    line = " ".join(f"'{word}'" for word in words)
    ask = f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; {ASK}"
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, cwd=folder, check=False)
    assert done.stderr == ""
    return done.stdout.split()


def test_commands(script: Path, tmp_path: Path) -> None:
    assert sorted(offered(script, tmp_path, "reknit", "")) == sorted(COMMANDS)
    assert offered(script, tmp_path, "reknit", "expl") == ["explain"]


def test_options(script: Path, tmp_path: Path) -> None:
    assert offered(script, tmp_path, "reknit", "run", "--subgroup") == ["--subgroup-size", "--subgroups"]


def test_files(script: Path, tmp_path: Path) -> None:
    (tmp_path / "shader.spv").touch()
    (tmp_path / "notes.txt").touch()
    assert offered(script, tmp_path, "reknit", "run", "sh") == ["shader.spv"]


def test_codes(script: Path, tmp_path: Path) -> None:
    assert offered(script, tmp_path, "reknit", "explain", "RK0102") == ["RK0102"]


def test_fish(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What fish itself offers."""
    fish = shutil.which("fish")
    if fish is None:
        pytest.skip("no fish, which is what is asked")
    assert main(["completion", "fish"]) == 0
    script = tmp_path / "reknit.fish"
    script.write_text(capsys.readouterr().out)
    (tmp_path / "shader.spv").touch()
    lines = ["reknit expl", "reknit run --subg", "reknit lint --format gi", "reknit run sh", "reknit explain RK0102"]
    asked = "; echo; ".join([f"complete -C '{line}'" for line in lines])
    words = [fish, "--no-config", "-c", f"source {script}; {asked}"]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env={"HOME": str(tmp_path)})
    assert done.stderr == ""
    offered = [line.split("\t")[0] for line in done.stdout.split("\n") if line]
    assert offered == ["explain", "--subgroup-size", "github", "shader.spv", "RK0102"]


def test_powershell(capsys: pytest.CaptureFixture[str]) -> None:
    """The tables of the script; there is no PowerShell to ask."""
    assert main(["completion", "powershell"]) == 0
    script = capsys.readouterr().out
    assert "        'lint --format' = @('full', 'concise', 'json', 'sarif', 'github')\n" in script
    assert "        'completion ' = @('bash', 'zsh', 'tcsh', 'fish', 'powershell')\n" in script
    assert script.count("'") % 2 == 0 and script.count("{") == script.count("}")
    assert all(f"        '{name}' = @(" in script for name in COMMANDS)
    options = next(line for line in script.splitlines() if line.startswith("        'run' = @("))
    assert {"'-h'", "'--help-all'", "'--set'", "'--derivatives'", "'--root'"} <= set(re.split(r"[(), ]", options))


@pytest.mark.parametrize("shell, begins", [("zsh", "#compdef reknit"), ("tcsh", "complete reknit")])
def test_other_shells(shell: str, begins: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell]) == 0
    assert begins in capsys.readouterr().out
