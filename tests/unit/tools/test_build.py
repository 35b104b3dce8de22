"""The build: the core is compiled as a whole or not at all, and a machine that can't compile is told why."""

import ast
import os
import sysconfig
from pathlib import Path

import compile_core
import core_modules
import pytest
import toolchain

import reknit

on_unix = pytest.mark.skipif(os.name == "nt", reason="Microsoft's compiler is not found through sysconfig")
INSTALLED = Path(reknit.__file__).parent
SOURCES = core_modules.PACKAGE


def test_what_is_installed_is_compiled_where_it_can_be() -> None:
    compiled, total = core_modules.compiled()
    plain = INSTALLED == SOURCES or compile_core.why_not() is not None
    assert compiled == (0 if plain else total)


def test_every_source_file_is_installed() -> None:
    kinds = ("*.py", "*.md", "*.txt", "py.typed")
    named = {file.relative_to(SOURCES) for kind in kinds for file in SOURCES.rglob(kind)}
    assert sorted(name for name in named if not (INSTALLED / name).exists()) == []


def test_the_lists_of_core_modules_name_modules() -> None:
    files = [file for library in core_modules.libraries().values() for file in library]
    assert SOURCES / "source" / "place.py" in files
    assert SOURCES / "source" / "columns.py" not in files  # chooses what it is when imported
    assert not [file for file in files if file.name == "__init__.py"]
    assert len(files) == len(set(files))


@pytest.mark.once
def test_a_library_of_the_core_imports_from_those_before_it_alone() -> None:
    """`reknit check` loads the first one alone; mypyc has no order for two that import each other."""
    libraries = core_modules.libraries()
    place = {file: index for index, name in enumerate(libraries) for file in libraries[name]}
    for file, index in place.items():
        for module, line in imports(file):
            target = place.get(SOURCES.parent / f"{module.replace('.', '/')}.py", -1)
            assert target <= index, f"{file.name}:{line} imports {module}, of a later library"


def imports(file: Path) -> list[tuple[str, int]]:
    """The modules of reknit that a file names in its imports, also those for types alone, with lines."""
    found: list[tuple[str, int]] = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("reknit"):
            found += [(f"{node.module}.{alias.name}", node.lineno) for alias in node.names]
            found.append((node.module or "", node.lineno))
    return found


def test_a_pattern_takes_modules_out_again(tmp_path: Path) -> None:
    for name in ("__init__.py", "a.py", "b.py", "c.txt"):
        (tmp_path / name).touch()
    assert core_modules.files(tmp_path, ["*.py", "!b.py"]) == [tmp_path / "a.py"]
    assert core_modules.files(tmp_path, ["!b.py", "*.py"]) == [tmp_path / "a.py", tmp_path / "b.py"]


@on_unix
@pytest.mark.once
def test_a_machine_without_a_compiler_is_reported_so(monkeypatch: pytest.MonkeyPatch) -> None:
    known = sysconfig.get_config_var
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: "no-such-compiler" if name == "CC" else known(name))
    assert "no-such-compiler does not run" in (compile_core.why_not() or "")
    monkeypatch.setattr(sysconfig, "get_config_var", lambda name: None)
    assert compile_core.why_not() == "Python names no C compiler"


@on_unix
@pytest.mark.once
def test_a_machine_without_pythons_headers_is_reported_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if compile_core.why_not() is not None:
        pytest.skip("no C compiler here whose message could be read")
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    assert "Python.h" in (compile_core.why_not() or "")


class FakeVisualStudio:
    """What setuptools' class for Microsoft's compiler has after `initialize`."""

    cc = "cl.exe"
    linker = "link.exe"
    include_dirs = ["C:/sdk/include"]
    library_dirs = ["C:/sdk/lib"]

    def __init__(self) -> None:
        self.commands: list[list[str]] = []

    def spawn(self, command: list[str]) -> None:
        self.commands.append(command)


@pytest.mark.once
def test_microsofts_compiler_gets_its_own_options(tmp_path: Path) -> None:
    """By the documentation of cl and link: options begin with a slash, /Fo and /OUT name what is written."""
    windows = toolchain.Microsoft.__new__(toolchain.Microsoft)
    windows.tools = studio = FakeVisualStudio()
    windows.faults = RuntimeError
    windows.compile(Path("a.c"), Path("a.o"), ["inc"], Path("prefix.h"))
    windows.link([Path("a.o")], Path("a.pyd"), "reknit.ir.block")
    compiled, linked = studio.commands
    assert compiled[:2] == ["cl.exe", "/c"] and {"/Iinc", "/IC:/sdk/include", "/Tca.c", "/Foa.o"} <= set(compiled)
    assert linked[0] == "link.exe" and {"/DLL", "/EXPORT:PyInit_block", "a.o", "/OUT:a.pyd"} <= set(linked)
    assert not [word for word in compiled[1:] + linked[1:] if word.startswith("-")]
