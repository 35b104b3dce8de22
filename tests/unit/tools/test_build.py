"""The build: the core is compiled as a whole or not at all, and a machine that can't compile is told why."""

import sysconfig
from pathlib import Path

import compile_core
import core_modules
import pytest

import reknit

INSTALLED = Path(reknit.__file__).parent
SOURCES = core_modules.PACKAGE


def test_what_is_installed_is_compiled_where_it_can_be() -> None:
    compiled, total = core_modules.compiled()
    plain = INSTALLED == SOURCES or compile_core.why_not() is not None
    assert compiled == (0 if plain else total)


def test_every_source_file_is_installed() -> None:
    kinds = ("*.py", "*.md", "*.json", "py.typed")
    named = {file.relative_to(SOURCES) for kind in kinds for file in SOURCES.rglob(kind)}
    assert sorted(name for name in named if not (INSTALLED / name).exists()) == []


def test_the_list_of_core_modules_names_modules() -> None:
    files = core_modules.files(SOURCES, core_modules.patterns())
    assert SOURCES / "source" / "place.py" in files
    assert SOURCES / "source" / "columns.py" not in files  # chooses what it is when imported
    assert not [file for file in files if file.name == "__init__.py"]


def test_a_pattern_takes_modules_out_again(tmp_path: Path) -> None:
    for name in ("__init__.py", "a.py", "b.py", "c.txt"):
        (tmp_path / name).touch()
    assert core_modules.files(tmp_path, ["*.py", "!b.py"]) == [tmp_path / "a.py"]
    assert core_modules.files(tmp_path, ["!b.py", "*.py"]) == [tmp_path / "a.py", tmp_path / "b.py"]


@pytest.mark.once
def test_a_machine_without_a_compiler_is_reported_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_core, "_compiler", lambda: ["no-such-compiler"])
    assert "no-such-compiler does not run" in (compile_core.why_not() or "")
    monkeypatch.setattr(compile_core, "_compiler", list)
    assert compile_core.why_not() == "Python names no C compiler"


@pytest.mark.once
def test_a_machine_without_pythons_headers_is_reported_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if compile_core.why_not() is not None:
        pytest.skip("no C compiler here whose message could be read")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    assert "Python.h" in (compile_core.why_not() or "")
