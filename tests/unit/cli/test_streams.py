"""Streams, disks and clocks as a shell may hand them over: closed, full, empty, without an end.

What a shell does to a process is done to one here; what is asked of the message is that it says which stream or file.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from kit import ROOT

from reknit.cli.main import main
from reknit.files import streams
from reknit.source.diagnostic import InputError

EXAMPLE = str(ROOT / "examples" / "fallthrough.spvasm")
FULL = Path("/dev/full")  # Linux: every write to it says that no space is left


def in_shell(line: str, stdin: bytes = b"") -> tuple[int, str]:
    """The exit code and standard error of a shell's line, in which `$R` is reknit."""
    line = line.replace("$R", f"'{sys.executable}' -m reknit").replace("$E", f"'{EXAMPLE}'")
    done = subprocess.run(["sh", "-c", line], input=stdin, capture_output=True)
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("command", ["opt $E", "explain", "--help", "run --help", "compile $E -o - --to spv --quiet"])
def test_a_full_disk_is_reported(command: str) -> None:
    if not FULL.exists():
        pytest.skip("no /dev/full here")
    code, err = in_shell(f"$R {command} > {FULL}")
    assert code == 1
    assert err.startswith("error[RK0007]: standard output can't be written: no space left on device")


@pytest.mark.parametrize(
    "line, code",
    [
        ("$R opt $E >&-", 0),  # nobody wants to see it
        ("$R opt - <&-", 1),
        ("$R opt missing.spv 2>&-", 1),
        ("$R run $E --json >&- 2>&- <&-", 0),
    ],
)
def test_closed_streams_are_no_fault(line: str, code: int) -> None:
    found, err = in_shell(line)
    assert found == code
    assert "Traceback" not in err and "RK0009" not in err


@pytest.mark.parametrize("command", ["check", "lint", "run", "opt", "show"])
def test_an_empty_pipe_is_no_clean_shader(command: str) -> None:
    """`compiler | reknit lint -` must not say "no findings" where the compiler failed."""
    code, err = in_shell(f"$R {command} - 1>&2")
    assert code == 1
    assert "error[RK0002]: it is empty" in err and "--> <stdin>" in err
    assert in_shell("$R opt --from rk -")[0] == 0  # an empty text is a module


def test_a_pipe_in_a_format_that_nothing_tells_is_named() -> None:
    code, err = in_shell("$R show - 1>&2", b"import common;\nvoid main() { }\n")
    assert code == 1 and "read as .rk: --from names another" in err


def test_a_file_without_an_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "MAX_BYTES", 2 << 20)
    at_most, more = tmp_path / "a.spv", tmp_path / "b.spv"
    for path, size in ((at_most, 2 << 20), (more, (2 << 20) + 1)):
        with open(path, "wb") as file:
            file.truncate(size)
    assert streams.read_bytes(str(at_most)) == bytes(2 << 20)
    with pytest.raises(InputError, match="RK0001.*more than 2 MiB") as caught:
        streams.read_bytes(str(more))
    assert str(caught.value.diagnostics[0].place) == str(more)


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "1e20"])
@pytest.mark.parametrize(
    "words",
    [
        ["reduce", EXAMPLE, "--if", "true", "-o", "x.rk", "--each"],
        ["reduce", EXAMPLE, "--if", "true", "-o", "x.rk", "--time-limit"],
        ["run", EXAMPLE, "--on", "vulkan", "--seconds"],
    ],
    ids=["each", "time-limit", "seconds"],
)
def test_seconds_that_no_clock_has(words: list[str], seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words, seconds]) == 2
    assert f"{words[-1]} {float(seconds):g}: it is a number of seconds" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["4x4:rgba8:zeros", "linear:repeat"])
def test_a_buffer_of_a_proof_is_no_image(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", EXAMPLE, EXAMPLE, "--set", f"kinds={value}"]) == 1
    assert "'kinds' is no " in capsys.readouterr().err


def test_names_that_an_encoding_lacks_are_printed_as_numbers(tmp_path: Path) -> None:
    shader = tmp_path / "a.spvasm"
    shader.write_text(Path(EXAMPLE).read_text().replace('"Result"', '"Résultat"').replace('"result"', '""'))
    done = subprocess.run(
        [sys.executable, "-m", "reknit", "run", str(shader)],
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"rules: maximal\nR\\xe9sultat")


def test_compile_names_the_line_of_a_switch_it_lowers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Line 88 of the example is its OpSwitch."""
    assert Path(EXAMPLE).read_text().splitlines()[87].split() == ["OpSwitch", "%kind", "%others", "0", "%zero"]
    assert main(["compile", EXAMPLE, "-o", str(tmp_path / "a.spv")]) == 0
    assert capsys.readouterr().err.startswith(f"{EXAMPLE}:88:16: note[RK2101]: switch was lowered")


def test_a_crash_of_check_keeps_its_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import reknit.checks.check as checking

    def broken(*_: object) -> None:
        raise ZeroDivisionError("on purpose")

    monkeypatch.setattr(checking, "check_input", broken)
    monkeypatch.chdir(tmp_path)
    assert main(["check", EXAMPLE]) == 2
    (copy,) = tmp_path.glob("reknit-crash-*.spvasm")
    assert copy.read_bytes() == Path(EXAMPLE).read_bytes()
    assert f"reknit check {copy.name}" in capsys.readouterr().err


def test_a_trace_without_an_end_is_given_up_while_it_fits_into_memory() -> None:
    """`run` may take a hundred times as many steps: it keeps no events."""
    from reknit.cli.commands import command

    given = {name: command(name).parser().parse_args([EXAMPLE]).max_steps for name in ("run", "trace")}
    assert given == {"run": 100_000_000, "trace": 1_000_000}


@pytest.mark.parametrize("ending", ["rk", "spvasm", "slang", "hlsl", "cfg", "amber"])
@pytest.mark.parametrize(
    "data, what", [(b"\n//\0", "0x00 is a NUL"), (b"\n//\xff\0", "0x00 is a NUL"), (b"\n//\xff", "0xff is not UTF-8")]
)
def test_what_is_no_text_is_not_read_as_one(
    data: bytes, what: str, ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_bytes(data)
    assert main(["run", str(path)]) == 1
    if ending == "hlsl" and 0 not in data:  # in a comment, as DXC has it
        assert "error[E38000]: the source has no entry point" in capsys.readouterr().err
        return
    place = f"{path}:2:{data.index(0 if 0 in data else 0xFF)}"
    assert f"error[RK0008]: byte {what}, so this is no text\n --> {place}" in capsys.readouterr().err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="RLIMIT_FSIZE is of POSIX")
@pytest.mark.parametrize(
    "words",
    [
        ["compile", "$E", "-o", "out.spv"],
        ["show", "$E", "-o", "out.svg"],
        ["trace", "$E", "-o", "out.html"],
        ["generate", "out", "--count", "1"],
        ["batch", "compile", "$E", "-o", "out", "--jobs", "1", "--quiet"],
        ["lint", "$E", "--write-baseline", "--baseline", "out.json"],
    ],
)
def test_a_file_that_does_not_fit_is_reported_and_nothing_is_left(words: list[str], tmp_path: Path) -> None:
    """No file of the process may have more than 64 bytes, as on a disk that is full."""
    import resource
    import signal

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails instead (EFBIG)

    command = [sys.executable, "-m", "reknit", *[EXAMPLE if word == "$E" else word for word in words]]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, preexec_fn=bounded)
    err = said.stderr.decode()
    assert said.returncode in (1, 2) and ("RK0007" in err or "RK1408" in err), err
    assert "Traceback" not in err and "RK0009" not in err
    left = [path for path in tmp_path.rglob("*") if path.is_file() and ".reknit" not in path.parts]
    assert left == []
