"""Exit codes, messages and streams of the command, as a shell sees them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kit import ROOT

from reknit.cli.commands import COMMANDS
from reknit.cli.main import main

EXAMPLE = str(ROOT / "examples" / "fallthrough.spvasm")
INPUT = ["--subgroup-size", "4", "--set", "kinds=0,0,1,2"]


def shell(*words: str, stdin: bytes = b"", cwd: Path | None = None) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-m", "reknit", *words], input=stdin, capture_output=True, cwd=cwd)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--help"]) == 0
    assert f"usage: reknit {name}" in capsys.readouterr().out


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert [name for name in COMMANDS if f"\n  {name} " not in out] == []


@pytest.mark.parametrize(
    "words, said",
    [
        ([], "usage"),
        (["rnu"], "did you mean 'run'"),
        (["run"], "required: FILE"),
        (["run", EXAMPLE, "--no-such"], "--no-such"),
        (["run", EXAMPLE, "--subgroup", "4"], "--subgroup"),  # not an abbreviation
        (["run", EXAMPLE, "--subgroup-size", "3"], "power of two"),
        (["run", EXAMPLE, "--set", "kinds"], "NAME=1,2,3"),
        (["run", EXAMPLE, "--set", "kinds=1,x"], "'x' is not a 32-bit number"),
        (["run", EXAMPLE, "--set", "kinds=4294967296"], "32 bits"),
        (["run", EXAMPLE, "--set", "kinds=1e400"], "'1e400' is not a 32-bit number"),
        (["run", EXAMPLE, "--spec", "1=1e400"], "ID=NUMBER"),
        (["run", EXAMPLE, "--set", "kinds=1", "--set", "kinds=2"], "twice"),
        (["run", EXAMPLE, "--set", "kinds=zeros:many"], "zeros"),
        (["run", EXAMPLE, "--groups", "0,1,1"], "--groups"),
        (["run", EXAMPLE, "--partition", "lane"], "label, value"),
        (["run", EXAMPLE, "--fallthrough", "random"], "random:SEED"),
        (["run", EXAMPLE, "--spec", "1"], "ID=NUMBER"),
        (["compile", EXAMPLE], "-o OUT is missing"),
        (["compile", EXAMPLE, "-o", "x.png"], ".spvasm"),
        (["compile", EXAMPLE, "-o", "x.spv", "-p", "lower-swiches"], "did you mean 'lower-switches'"),
        (["compile", EXAMPLE, "-o", "x.spv", "-p", "a{"], "there is no pass 'a'"),
        (["compile", EXAMPLE, "-o", "-", "--json"], "standard output"),
        (["show", EXAMPLE, "-o", "x.png"], ".svg"),
        (["show", EXAMPLE, "--fake"], "--fake draws edges of the graph"),
        (["explain", "RK12"], "no code RK12"),
        (["check", EXAMPLE, "--svg", "x.png"], ".svg"),
        (["run", EXAMPLE, "--max-steps", "0"], "at least 1"),
        (["outcomes", EXAMPLE, "--limit", "0"], "at least 1"),
    ],
    ids=lambda value: " ".join(value).replace(EXAMPLE, "FILE") if isinstance(value, list) else None,
)
def test_misuse_is_2_and_says_why(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
    assert not Path("x.spv").exists()


def test_bad_inputs_are_1_and_name_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "folder.spv").mkdir()
    for name, data in {
        "empty.spv": b"",
        "text.spv": b"void main() {}",
        "short.spv": b"\x03\x02\x23\x07\x00",
        "binary.rk": b"\xff\xfe",
        "binary.spvasm": b"\xff\xfe",
        "typo.spvasm": b"OpCapabilty Shader",
        "noise.rk": b"func (",
        "what": b"",
        "what.txt": b"",
    }.items():
        (tmp_path / name).write_bytes(data)
    for path in [*sorted(tmp_path.iterdir()), tmp_path / "missing.spv"]:
        assert main(["run", str(path)]) == 1, path
        err = capsys.readouterr().err
        assert err.startswith("error[RK"), path
        assert f"--> {path}" in err


def test_run_prints_the_documented_json(capsys: pytest.CaptureFixture[str]) -> None:
    """What is left open: the values 0, 1 and 2 of the example come together at its default, some by fallthrough."""
    assert main(["run", EXAMPLE, *INPUT, "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert [each["freedom"] for each in out.pop("left_open")] == ["switch-partition", "fallthrough"]
    assert out == {
        "entry": "main",
        "subgroup_size": 4,
        "on": "sim",
        "rules": "maximal",
        "buffers": {"result": {"set": 0, "binding": 1, "words": [22, 22, 20, 20]}},
        "diagnostics": [],
    }


def test_a_run_that_can_not_start_has_the_same_shape(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", EXAMPLE, "--set", "nothing=1", "--json"]) == 1
    out = json.loads(capsys.readouterr().out)
    assert set(out) == {"entry", "subgroup_size", "on", "buffers", "diagnostics"}
    assert out["diagnostics"][0]["code"] == "RK1004"


def test_outcomes_print_the_documented_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["outcomes", EXAMPLE, *INPUT, "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["exhaustive"] is True
    words = sorted(outcome["buffers"]["result"]["words"] for outcome in out["outcomes"])
    assert words == [
        [22, 22, 10, 10], [22, 22, 20, 20], [32, 32, 10, 30], [32, 32, 30, 10], [42, 42, 40, 40],
    ]  # fmt: skip
    assert all("witness" in outcome for outcome in out["outcomes"])


@pytest.mark.parametrize(
    "options, words",
    [
        (["--fallthrough", "always"], [42, 42, 40, 40]),
        (["--partition", "value"], [22, 22, 10, 10]),
        (["--schedule", "fifo"], [22, 22, 20, 20]),
        (["--schedule", "random:7"], [22, 22, 20, 20]),
    ],
)
def test_policies(options: list[str], words: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", EXAMPLE, *INPUT, "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["buffers"]["result"]["words"] == words


def test_buffers_from_files_and_zeros(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "kinds.bin"
    data.write_bytes(b"".join(word.to_bytes(4, "little") for word in (0, 0, 1, 2)))
    for given in (f"kinds=@{data}", "kinds=0x0, 0, 1, 2", "0.0=0,0,1,2"):
        assert main(["run", EXAMPLE, "--subgroup-size", "4", "--set", given, "--set", "result=zeros:4", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["buffers"]["result"]["words"] == [22, 22, 20, 20]


def test_what_goes_wrong_while_it_runs_is_a_finding(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", EXAMPLE, "--subgroup-size", "4", "--set", "kinds=1"]) == 1  # lanes 1 to 3 read past the end
    assert "RK1014" in capsys.readouterr().err


def test_compile_writes_and_tells_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.spv"
    assert main(["compile", EXAMPLE, "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["output"] == str(out)
    assert [entry["name"] for entry in told["passes"] if entry["changed"]] == ["lower-switches", "promote-variables"]
    assert out.read_bytes()[:4] == b"\x03\x02\x23\x07"


def test_a_binary_that_no_pass_changes_comes_out_as_it_went_in(tmp_path: Path) -> None:
    first, second = tmp_path / "a.spv", tmp_path / "b.spv"
    assert main(["compile", EXAMPLE, "-o", str(first), "-p", ""]) == 0
    assert main(["compile", str(first), "-o", str(second), "-p", ""]) == 0
    assert first.read_bytes() == second.read_bytes()


def test_what_is_shown_of_passes_goes_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dots = tmp_path / "dots"
    options = ["--print-after", "lower-switches", "--print-changed", "--time-passes", "--dump-dot", str(dots)]
    assert main(["opt", EXAMPLE, "-p", "reconverge", *options]) == 0
    captured = capsys.readouterr()
    assert "// after pass 8, lower-switches" in captured.err
    assert "// after pass 7" not in captured.err
    assert "+++ after it" in captured.err
    assert " ms  promote-variables" in captured.err
    assert len(list(dots.glob("*.main.graph.dot"))) == 11  # the input, and after each of ten passes
    assert len(list(dots.glob("*.main.tree.dot"))) == 11


def test_the_whole_road_through_standard_input_and_output() -> None:
    code, text, _ = shell("opt", EXAMPLE)
    assert code == 0
    code, binary_run, _ = shell("run", "-", *INPUT, "--json", stdin=text.encode())
    assert code == 0
    assert json.loads(binary_run)["buffers"]["result"]["words"] == [22, 22, 20, 20]
    done = subprocess.run(
        [sys.executable, "-m", "reknit", "compile", "-", "-o", "-", "--to", "spv", "--quiet"],
        input=text.encode(),
        capture_output=True,
    )
    assert done.stdout[:4] == b"\x03\x02\x23\x07"
    assert done.stderr == b""
    assert shell("show", "-", stdin=done.stdout)[0] == 0


def test_a_reader_that_goes_away_is_no_fault() -> None:
    reader, writer = os.pipe()
    process = subprocess.Popen([sys.executable, "-m", "reknit", "show", EXAMPLE], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    os.close(reader)
    _, err = process.communicate()
    assert (process.returncode, err) == (141, b"")


def test_colour_only_on_a_terminal() -> None:
    _, _, err = shell("run", "missing.spv")
    assert "\x1b" not in err


def test_a_terminal_has_colour_unless_no_color_is_set() -> None:
    pty = pytest.importorskip("pty")
    for variable, coloured in (("", True), ("1", False)):
        master, slave = pty.openpty()
        variables = {**os.environ, "NO_COLOR": variable, "TERM": "xterm"}
        subprocess.run([sys.executable, "-m", "reknit", "run", "missing.spv"], stderr=slave, env=variables)
        os.close(slave)
        assert (b"\x1b[1;31merror" in os.read(master, 10_000)) is coloured
        os.close(master)


def test_a_crash_leaves_what_shows_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import reknit.cli.show as command

    def broken(*_: object) -> str:
        raise ZeroDivisionError("on purpose")

    source = Path(EXAMPLE).read_bytes()
    monkeypatch.setattr(command, "_shown", broken)
    monkeypatch.chdir(tmp_path)
    assert main(["show", EXAMPLE]) == 2
    err = capsys.readouterr().err
    assert "error[RK0009]" in err and "on purpose" in err and "Traceback" not in err
    (details,) = tmp_path.glob("reknit-crash-*.txt")
    copy = details.with_suffix(".spvasm")
    assert copy.read_bytes() == source
    assert f"reknit show {copy.name}" in err
    assert "ZeroDivisionError: on purpose" in details.read_text()
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert main(["show", copy.name]) == 0


def test_an_input_that_breaks_a_rule_is_reported_instead_of_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # The address of `sum` is a number, which running it would stumble over.
    text = Path(EXAMPLE).read_text().replace("%lane = OpVariable %_ptr_Function_uint", "%lane = OpVariable %uint")
    Path("a.spvasm").write_text(text)
    assert main(["run", "a.spvasm"]) == 1
    err = capsys.readouterr().err
    assert "RK04" in err and "its type is not a pointer" in err
    assert list(tmp_path.glob("reknit-crash-*")) == []


def test_version_and_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("reknit 0.1.0 (")
    assert main(["explain", "rk0001"]) == 0
    assert capsys.readouterr().out.startswith("# RK0001: ")
    assert main(["explain", "b26"]) == 0  # by the rule's own name
    assert capsys.readouterr().out.startswith("# RK0626: ")
    assert main(["explain", "--json"]) == 0
    assert {"code": "RK0001", "title": "a file can't be read"} in json.loads(capsys.readouterr().out)
    for number, code in (("102", "RK0102"), ("0102", "RK0102"), ("30050", "E30050")):
        assert main(["explain", number]) == 0
        assert capsys.readouterr().out.startswith(f"# {code}:")


def test_doctor_finds_what_is_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "spirv-val"
    program.write_text("#!/bin/sh\necho SPIRV-Tools v2030.1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path) + os.pathsep + "/bin")
    assert main(["doctor", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["programs"]["spirv-val"] == f"{program}: SPIRV-Tools v2030.1"
    assert facts["programs"]["dxc"] is None


def test_a_crash_in_a_folder_that_is_not_writable_goes_into_one_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not into the folder of temporary files itself, where another user may have put a link by the name."""
    import tempfile

    import reknit.cli.show as command

    def broken(*_: object) -> str:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(command, "_shown", broken)
    monkeypatch.setattr(os, "access", lambda path, mode: path != os.curdir)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert main(["show", EXAMPLE]) == 2
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700 and len(list(folder.glob("reknit-crash-*"))) == 2
    assert str(folder) in capsys.readouterr().err
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    assert main(["show", EXAMPLE]) == 2
    assert "--crash-files" in capsys.readouterr().err
