"""Output files: all of the new contents or what was there before, under the same name, with the same mode."""

import os
import stat
import sys
import threading
from pathlib import Path

import pytest
from kit import ROOT

import reknit
from reknit.files.formats import read_format
from reknit.files.streams import write_bytes
from reknit.source.diagnostic import InputError

OLD = b"old contents"
NEW = b"new" * 1000


def test_a_file_is_replaced_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "out.spv"
    write_bytes(str(path), OLD)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~_umask()
    path.chmod(0o640)
    write_bytes(str(path), NEW)
    assert path.read_bytes() == NEW and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["out.spv"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_a_reader_meanwhile_sees_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.spv"
    path.write_bytes(OLD)
    with open(path, "rb") as reader:
        write_bytes(str(path), NEW)
        assert reader.read() == OLD


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "to").mkdir()
    link = tmp_path / "link.spv"
    link.symlink_to(tmp_path / "to" / "real.spv")
    for data in (OLD, NEW):  # the first makes the file that it leads to
        write_bytes(str(link), data)
        assert link.is_symlink() and (tmp_path / "to" / "real.spv").read_bytes() == data
    assert os.listdir(tmp_path / "to") == ["real.spv"]


def test_nothing_is_left_where_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.spv"
    path.write_bytes(OLD)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(InputError) as caught:
        write_bytes(str(path), NEW)
    assert caught.value.diagnostics[0].code == "RK0007"
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == ["out.spv"]

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_bytes(str(path), NEW)
    assert path.read_bytes() == OLD and os.listdir(tmp_path) == ["out.spv"]


def test_pipes_and_devices_are_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_bytes(str(pipe), NEW)
    reader.join()
    assert got == [NEW] and stat.S_ISFIFO(pipe.stat().st_mode)
    write_bytes(os.devnull, NEW)
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="names of open files are Linux's")
def test_an_open_file_by_its_number_is_written_to(tmp_path: Path) -> None:
    """`-o /dev/stdout > out.spv`: the shell's file gets it, not another one of its name."""
    path = tmp_path / "out.spv"
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        before = os.fstat(handle).st_ino
        write_bytes(f"/dev/fd/{handle}", NEW)
        assert path.stat().st_ino == before and path.read_bytes() == NEW
    finally:
        os.close(handle)


def test_what_may_not_be_written_stays(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("nothing is forbidden to root")
    path = tmp_path / "out.spv"
    path.write_bytes(OLD)
    path.chmod(0o444)
    with pytest.raises(InputError):
        write_bytes(str(path), NEW)
    path.chmod(0o644)
    tmp_path.chmod(0o555)  # no new files, but this one
    try:
        write_bytes(str(path), NEW)
    finally:
        tmp_path.chmod(0o755)
    assert path.read_bytes() == NEW


@pytest.mark.parametrize("name", ["folder", "folder/", "new/", "missing/out.spv", "nul\0.spv"])
def test_what_can_be_no_file_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError) as caught:
        write_bytes(f"{tmp_path}/{name}", NEW)
    assert caught.value.diagnostics[0].code == "RK0007"
    assert os.listdir(tmp_path) == ["folder"] and os.listdir(tmp_path / "folder") == []


def test_a_name_without_a_format_is_a_folder_or_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a folder has no format"):
        read_format(str(tmp_path), None)
    with pytest.raises(InputError, match="there is no file of this name, and the name has no ending"):
        read_format(str(tmp_path / "shader"), None)
    (tmp_path / "shader").write_bytes(b"")
    with pytest.raises(InputError, match="the name has no ending to tell the format"):
        read_format(str(tmp_path / "shader"), None)


def test_text_in_utf16_with_a_byte_order_mark(tmp_path: Path) -> None:
    """What PowerShell 5 writes where a program's output goes into a file."""
    text = (ROOT / "examples" / "fallthrough.spvasm").read_text()
    for form in ("utf-16-le", "utf-16-be"):
        path = tmp_path / f"{form}.spvasm"
        path.write_bytes(f"\ufeff{text}".encode(form))
        assert reknit.text(reknit.load(path)) == reknit.text(reknit.load(ROOT / "examples" / "fallthrough.spvasm"))
    with pytest.raises(reknit.InputError, match="RK0008"):
        reknit.load((tmp_path / "utf-16-le.spvasm").read_bytes()[2:], format="spvasm")
