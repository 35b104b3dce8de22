"""What an untrusted input may reach: files below its own folder and the roots, regular ones, and no other program."""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import reknit
from reknit.cli.main import main
from reknit.files.streams import read_named
from reknit.front.slang.compile import Settings
from reknit.front.slang.options import Options
from reknit.source import reading
from reknit.source.diagnostic import InputError
from reknit.source.limits import Limits
from reknit.source.place import Place

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no pipes and links by these names")

SECRET = "root:x:0:0:secret"
SLANG = '[shader("compute")] [numthreads(1, 1, 1)]\nvoid main() {}\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with an input's surroundings: a folder of its own, one beside it, and what is a trap."""
    own, other = tmp_path / "own", tmp_path / "other"
    (own / "sub").mkdir(parents=True)
    other.mkdir()
    (own / "a.h").write_text("")
    (own / "sub" / "b.h").write_text('#include "../a.h"\n')
    (own / "m.slang").write_text("struct M {}")
    (other / "c.h").write_text(f"{SECRET}\n")
    (other / "n.slang").write_text("struct N {}")
    (own / "link.h").symlink_to(other / "c.h")
    (own / "away").symlink_to(other)
    (own / "inner.h").symlink_to(own / "a.h")
    os.mkfifo(own / "pipe.h")
    monkeypatch.setattr(reading, "_READ", {})
    monkeypatch.chdir(own)
    yield own


def code_of(text: str, limits: Limits, search_paths: list[str] | None = None) -> str:
    """The code of the first diagnostic about a source; "" where it is read."""
    Path("x.slang").write_text(text + SLANG)
    try:
        with limits:
            reknit.load("x.slang", settings=Settings(Options({}, search_paths)))
    except InputError as error:
        assert SECRET not in str(error)
        return error.diagnostics[0].code
    return ""


@pytest.mark.parametrize(
    ("line", "open", "closed"),
    [
        ('#include "a.h"', "", ""),
        ('#include "sub/b.h"', "", ""),
        ('#include "inner.h"', "", ""),
        ('#include "sub/../a.h"', "", ""),
        ("import m;", "", ""),
        ('#include "../other/c.h"', "E20001", "RK0023"),
        ('#include "link.h"', "E20001", "RK0023"),
        ('#include "away/c.h"', "E20001", "RK0023"),
        ('#include "/etc/passwd"', None, "RK0023"),
        ('#include "../../../../../../../../etc/no-such-file"', "E15300", "RK0023"),
        ('import "../other/n";', "", "RK0023"),
        ('#include "pipe.h"', "E15300", "E15300"),
        ('#include "/dev/zero"', "E15300", "RK0023"),
        ('#include "sub"', "E15300", "E15300"),
        ('#include "none.h"', "E15300", "E15300"),
    ],
)
def test_what_a_source_includes(line: str, open: str | None, closed: str, home: Path) -> None:
    if open is not None:
        assert code_of(f"{line}\n", Limits()) == open
    assert code_of(f"{line}\n", Limits(sandbox=True)) == closed


def test_roots_are_included_from(home: Path) -> None:
    line = 'import "../other/n";\n'
    assert code_of(line, Limits(sandbox=True, roots=["../other"])) == ""
    assert code_of(line, Limits(sandbox=True), ["../other"]) == "", "-I names a root, too"
    with Limits(sandbox=True):
        assert code_of(line, Limits(sandbox=True, roots=["../other"])) == "RK0023", "both must allow it"
    with Limits(sandbox=True), pytest.raises(InputError, match="RK0023"):
        reknit.load(b'#include "a.h"\n' + SLANG.encode(), format="slang")  # what comes as bytes lies nowhere


def test_an_input_that_is_no_regular_file(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in ("pipe.h", "/dev/zero"):
        assert main(["check", path, "--from", "spv", "--sandbox"]) == 1
        assert "RK0001" in capsys.readouterr().out
    assert main(["check", "/dev/zero", "--from", "spv"]) == 1
    assert "more than 256 MiB" in capsys.readouterr().out


def test_a_script_names_files(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.amber").write_text("#!amber\nSHADER compute c SPIRV-ASM FILE ../other/c.h\n")
    assert main(["run", "x.amber", "--sandbox"]) == 1
    said = capsys.readouterr().err
    assert "x.amber:2" in said and "RK0023" in said
    Path("x.amber").write_text("#!amber\nSHADER compute c SPIRV-ASM FILE pipe.h\n")
    assert main(["run", "x.amber"]) == 1
    assert "no regular file" in capsys.readouterr().err


def test_lines_of_other_files_are_not_quoted(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`#line` calls any file the source, and a message about it would show the line."""
    Path("../other/secret").write_text(f"{SECRET}\n")
    Path("x.slang").write_text(f'#line 1 "{home.parent}/other/secret"\nint f() {{ return nothing; }}\n{SLANG}')
    assert main(["check", "x.slang"]) == 1
    assert SECRET not in capsys.readouterr().out
    Path("x.slang").write_text(f'#line 1 "{home.parent}/other/c.h"\nint f() {{ return nothing; }}\n{SLANG}')
    assert main(["check", "x.slang"]) == 1
    assert SECRET in capsys.readouterr().out, "what has a shader's ending is quoted: it is where the source came from"
    for command in (["check", "x.slang"], ["run", "x.slang"], ["compile", "x.slang", "-o", "x.spv"]):
        assert main([*command, "--sandbox"]) == 1
        seen = capsys.readouterr()
        assert SECRET not in seen.out + seen.err


def test_an_input_that_is_a_link_is_not_followed_out_of_its_folder(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder from elsewhere may have a link to any file, whose words would be in messages."""
    (home / "sub" / "x.rk").symlink_to(home.parent / "other" / "c.h")
    (home / "sub" / "y.rk").symlink_to(home / "a.h")
    for words in (["check", "sub/x.rk"], ["lint", "sub"], ["show", "sub/x.rk"], ["batch", "check", "sub", "-j", "1"]):
        main(words)
        assert "root" in "".join(capsys.readouterr())
        assert main([*words, "--sandbox"]) == 1
        said = "".join(capsys.readouterr())
        assert "RK0023" in said and "root:x" not in said and "`root`" not in said
    assert main(["check", "sub", "--sandbox", "--root", ".", "--root", "../other"]) == 1
    assert "`root`" in capsys.readouterr().out
    with Limits(sandbox=True), pytest.raises(InputError, match="RK0023"):
        reknit.load("sub/x.rk")


def test_no_program_is_started(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    tools = home / "bin"
    tools.mkdir()
    for name in ("glslangValidator", "spirv-val", "dxc", "slangc"):
        (tools / name).write_text(f"#!/bin/sh\ntouch {home}/started\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    Path("x.comp").write_text("void main() {}")
    Path("x.rk").write_text("Capability Shader\nMemoryModel Logical GLSL450\n")
    for words in (["check", "x.comp"], ["opt", "x.rk", "--from", "dxc"], ["opt", "x.rk", "--from", "slangc"]):
        assert main([*words, "--sandbox"]) == 1
        seen = capsys.readouterr()
        assert "RK0023" in seen.out + seen.err
    main(["check", "x.rk", "--sandbox"])
    assert main(["run", "x.rk", "--on", "vulkan", "--sandbox"]) in (1, 2)
    assert main(["reduce", "x.rk", "--if", f"touch {home}/started", "-o", "y.rk", "--sandbox"]) == 2
    assert not (home / "started").exists()


def test_a_fault_of_reknit_leaves_files_where_it_is_asked_to(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(*_: object) -> None:
        raise IndexError("planted")

    monkeypatch.setattr("reknit.front.load.load_bytes", fault)
    Path("x.cfg").write_text("a -> b\nb ret\n")
    before = set(os.listdir())
    assert main(["opt", "x.cfg", "--sandbox"]) == 2
    said = capsys.readouterr().err
    assert "RK0009" in said and "IndexError: planted" in said and "--crash-files" in said
    assert set(os.listdir()) == before
    with tempfile.TemporaryDirectory() as folder:
        assert main(["opt", "x.cfg", "--sandbox", "--crash-files", folder]) == 2
        assert len(os.listdir(folder)) == 2
    capsys.readouterr()
    assert main(["opt", "x.cfg", "--crash-files", "no/such/folder"]) == 2
    assert "RK0007" in capsys.readouterr().err


def test_a_name_that_no_file_can_have(home: Path) -> None:
    place = Place("x.amber", 2)
    with pytest.raises(InputError, match="RK0001"):
        read_named("c\0.h", "", place)
    with Limits(sandbox=True), pytest.raises(InputError, match="RK0023"):
        read_named("c\0.h", "", place)
