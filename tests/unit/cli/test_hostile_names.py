"""Names of files are input: what would steer a terminal, or end a line, is shown as a number."""

import os
import sys
from pathlib import Path

import pytest

from reknit.cli.main import main

ROOT = Path(__file__).resolve().parents[3]
NAME = "a\x1b]0;owned\x07\n\u202eerror[RK0001]: forged"
COMMANDS = {
    "check": ["check", "@"],
    "check of nothing": ["check", "@missing.spv"],
    "check, concise": ["check", "@", "--format", "concise"],
    "check, github": ["check", "@", "--format", "github"],
    "lint": ["lint", "@"],
    "show": ["show", "@"],
    "run": ["run", "@"],
    "outcomes": ["outcomes", "@"],
    "trace": ["trace", "@"],
    "opt": ["opt", "@"],
    "compile": ["compile", "@", "-o", "@out.spv"],
    "compile to nowhere": ["compile", "@", "-o", "@nowhere/x.spv"],
    "an ending that is not known": ["compile", "@", "-o", "@out.zip"],
    "structurize": ["structurize", "@", "-o", "@out.spv"],
    "prove": ["prove", "@", "@"],
    "generate": ["generate", "@nowhere/out", "--count", "1"],
    "a certificate": ["prove", "@", "@", "--with", "@missing"],
    "a configuration": ["lint", "@", "--config", "@missing.toml"],
    "a buffer from a file": ["run", "@", "--set", "result=@@missing"],
    "crash files": ["check", "@", "--crash-files", "@missing"],
}


@pytest.mark.skipif(sys.platform == "win32", reason="no file can be called that there")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("broken", [False, True])
def test_a_hostile_name(
    command: str, broken: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    text = (ROOT / "examples" / "fallthrough.spvasm").read_text()
    Path(f"{NAME}.spvasm").write_text(text.replace("OpReturn", "OpRetur") if broken else text)
    words = [NAME + word[1:] if word.startswith("@") else word.replace("@@", "@" + NAME) for word in COMMANDS[command]]
    main([f"{word}.spvasm" if word == NAME else word for word in words])
    seen = capsys.readouterr()
    for stream in (seen.out, seen.err):
        assert not {"\x1b", "\x07", "\u202e"} & set(stream), os.fsencode(stream)
        assert "\nerror[RK0001]: forged" not in stream


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are text there")
@pytest.mark.parametrize(
    "command",
    [
        ["trace", "@", "-o", "out.html"],
        ["trace", "@", "-o", "out.json"],
        ["show", "@", "-o", "out.html"],
        ["opt", "@", "-p", "dce", "-o", "x.rk", "--explore", "out.html"],
        ["batch", "check", "@", "-j", "1", "--quiet", "--state", "s.sqlite", "--report", "out.html"],
    ],
)
def test_a_name_that_is_no_utf_8_is_shown_in_what_is_written(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"a\xff.spvasm")
    Path(name).write_text((ROOT / "examples" / "fallthrough.spvasm").read_text())
    assert main([name if word == "@" else word for word in command]) == 0
    (written,) = tmp_path.glob("out.*")
    assert "a\\udcff.spvasm" in written.read_text("utf-8", "surrogateescape").replace("a\udcff", "a\\udcff")
