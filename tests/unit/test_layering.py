"""The folders are layers, and imports go down only.

    source < ir < analysis < passes < spirv < files < front < sim < vulkan < checks < proof < fuzzing < reduction
           < view < editor < batching < cli < the package itself

Also: no module is part of an import cycle, and starting up does not import what costs time.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import reknit

pytestmark = pytest.mark.once

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "reknit"
LAYERS = [
    *("source", "ir", "analysis", "passes", "spirv", "files", "front"),
    *("sim", "vulkan", "checks", "proof", "fuzzing", "reduction", "view", "editor", "batching", "cli"),
]
TOP = len(LAYERS)
SLOW_TO_IMPORT = [
    *("numpy", "rich", "llvmlite", "z3", "pygls", "lsprotocol", "distributed", "dask", "sqlite3"),
    *("dataclasses", "asyncio", "importlib.resources"),
]

MODULES = {
    ".".join(["reknit", *file.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__"): file
    for file in sorted(PACKAGE.rglob("*.py"))
}


def layer(module: str) -> int:
    """The module's place in LAYERS; the package's own modules are TOP."""
    parts = module.split(".")
    if len(parts) > 1 and (PACKAGE / parts[1]).is_dir():
        return LAYERS.index(parts[1])
    return TOP


def imports(module: str, at_start_only: bool) -> list[tuple[str, int]]:
    """(imported module of reknit, line) in order; `at_start_only` leaves out functions and TYPE_CHECKING blocks."""
    found: list[tuple[str, int]] = []
    work: list[ast.AST] = [ast.parse(MODULES[module].read_text())]
    while work:
        node = work.pop()
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(module, node)
            for alias in node.names:
                name = f"{base}.{alias.name}"
                found.append((name if name in MODULES else base, node.lineno))
        elif at_start_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        elif at_start_only and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            work += node.orelse
        else:
            work += ast.iter_child_nodes(node)
    return sorted((name, line) for name, line in found if name.split(".")[0] == "reknit")


def _absolute(module: str, node: ast.ImportFrom) -> str:
    if node.level == 0:
        return node.module or ""
    package = module.split(".") if MODULES[module].name == "__init__.py" else module.split(".")[:-1]
    return ".".join([*package[: len(package) - node.level + 1], *([node.module] if node.module else [])])


def cyclic(graph: dict[str, set[str]]) -> list[str]:
    """What stays when modules that import none of the rest are taken away again and again: cycles, what is above."""
    left = {module: set(used) for module, used in graph.items()}
    while ready := [module for module, used in left.items() if not used & left.keys()]:
        for module in ready:
            del left[module]
    return sorted(left)


def test_every_folder_has_its_layer() -> None:
    folders = [folder.name for folder in PACKAGE.iterdir() if folder.is_dir() and folder.name != "__pycache__"]
    assert sorted(folders) == sorted(LAYERS)


def test_no_folder_has_the_name_of_something_in_the_api() -> None:
    """Importing `reknit.prove.x` would put the package `reknit.prove` in the place of the function."""
    assert sorted(set(LAYERS) & set(reknit.__all__)) == []


@pytest.mark.parametrize("module", list(MODULES))
def test_imports_go_down(module: str) -> None:
    above = [
        f"line {line}: {name}" for name, line in imports(module, at_start_only=False) if layer(name) > layer(module)
    ]
    assert above == []


def test_no_module_is_imported_in_a_cycle() -> None:
    assert cyclic({module: {name for name, _ in imports(module, at_start_only=True)} for module in MODULES}) == []


def test_a_cycle_would_be_seen() -> None:
    assert cyclic({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert cyclic({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["a", "b", "c"]


@pytest.mark.parametrize("start", [name for name in ("reknit", "reknit.cli.main") if name in MODULES])
def test_starting_up_imports_nothing_slow(start: str) -> None:
    script = f"import sys; before = set(sys.modules); import {start}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert start in done.stdout.split()
    assert sorted(set(SLOW_TO_IMPORT) & set(done.stdout.split())) == []
