"""Which files a result is said to depend on: all that were looked for, but those that reknit itself makes or is."""

import os
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

from reknit.batching.opened import Opened, digest_of


def looked_for(*paths: Path) -> list[str]:
    """The names of those that count."""
    opened = Opened()
    with opened:
        for path in paths:
            if path.exists():
                path.read_bytes()
    return [os.path.basename(file) for file, _ in opened.files("")]


def test_a_project_in_a_folder_that_is_called_as_a_temporary_one() -> None:
    """An included file in /tmp/reknit-demo is as good as any: a result of it ends with an edit of the file."""
    with tempfile.TemporaryDirectory(prefix="reknit-") as folder:
        source = Path(folder, "size.h")
        source.write_text("#define SIZE 4\n")
        assert looked_for(source) == ["size.h"]
        opened = Opened()
        with opened, tempfile.TemporaryDirectory(prefix="reknit-") as own:
            product = Path(own, "product.spv")
            product.write_bytes(b"")
            number, beside = tempfile.mkstemp()
            os.close(number)
            Path(beside).write_bytes(b"")
            source.read_bytes()
        os.unlink(beside)
        assert [file for file, _ in opened.files("")] == [str(source)]


def test_sources_that_a_package_brings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    for name in ("noise.slang", "module.py"):
        (tmp_path / name).write_text("")
    assert looked_for(tmp_path / "module.py", tmp_path / "noise.slang") == ["noise.slang"]


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pipes by these names")
def test_a_pipe_has_no_contents(tmp_path: Path) -> None:
    """Where an included file was, there may be a pipe in a later run; to read it would wait for ever."""
    os.mkfifo(tmp_path / "size.h")
    assert digest_of(str(tmp_path / "size.h")) == ""
