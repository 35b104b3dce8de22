"""What reknit starts besides itself takes nothing from the current folder."""

import subprocess
import sys
from pathlib import Path

import pytest

import reknit
from reknit.checks.spirv_val import find_validator
from reknit.front.llvm import llvm_process
from reknit.front.llvm.printer import PRINTED, TEXT
from reknit.source.child import find_program, python_running
from reknit.source.diagnostic import InputError
from reknit.vulkan import process
from reknit.vulkan.target import Target

TRAPS = ("reknit", "json", "numpy", "llvmlite", "struct", "importlib", "site", "sitecustomize", "encodings", "signal")


@pytest.fixture
def trapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder whose modules leave a file behind when they are imported; PATH and sys.path name it too."""
    for name in TRAPS:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').write({name!r})\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), *sys.path])
    return tmp_path


def test_a_child_imports_its_parents_reknit(trapped: Path) -> None:
    code = "import reknit, json, struct, sys; print(reknit.__file__, json.__file__, sys.argv[1:])"
    done = subprocess.run(python_running(code, "one", "two"), capture_output=True, text=True)
    assert done.stderr == ""
    ours, theirs, arguments = done.stdout.split(" ", 2)
    assert ours == reknit.__file__
    assert Path(theirs).parent.name == "json" and arguments == "['one', 'two']\n"
    assert not (trapped / "sprung").exists()


def test_llvms_process_imports_nothing_from_the_current_folder(trapped: Path) -> None:
    llvm_process._KEEPER.close()  # one of an earlier test has imported what it needs
    status, text = llvm_process.ask(TEXT, b"define void @f() {\n  ret void\n}\n")
    assert status == PRINTED and "define void @f()" in text
    assert not (trapped / "sprung").exists()


def test_a_drivers_process_imports_nothing_from_the_current_folder(trapped: Path) -> None:
    """A library that is none: the process has started and answered by then."""
    with pytest.raises(InputError) as caught:
        process.ask(Target("", str(trapped / "no-such-library.so")), {"list": True}, [])
    assert [fault.code for fault in caught.value.diagnostics] == ["RK1101"]
    assert not (trapped / "sprung").exists()


@pytest.mark.parametrize("path", ["", ".", ":", "{}:.", "tools", "..:./tools"])
def test_tools_are_not_taken_from_the_current_folder(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for folder in (tmp_path, tmp_path / "tools", tmp_path / "here", tmp_path / "here" / "tools"):
        folder.mkdir(exist_ok=True)
        (folder / "spirv-val").write_text("#!/bin/sh\ntouch sprung\n")
        (folder / "spirv-val").chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("PATH", path.format(empty))
    assert find_program("spirv-val") is None
    assert find_validator() is None
    monkeypatch.setenv("PATH", f"{path.format(empty)}:{tmp_path / 'tools'}")
    assert find_program("spirv-val") == str(tmp_path / "tools" / "spirv-val")
