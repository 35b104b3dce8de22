"""Make the playground: a folder of static files in which reknit runs in the browser, by Pyodide.

    python tools/playground.py OUT                     fetches Pyodide by npm, into .oracles/pyodide
    python tools/playground.py OUT --pyodide FOLDER    takes it from there
    python -m http.server --directory OUT              any host of static files will do; no other is asked

Node compiles reknit with Pyodide's own Python, so that a first result takes a fifth of a second and not one.
"""

import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "playground"
VERSION: Final = "314.0.7"
KEPT: Final = ROOT / ".oracles" / "pyodide"
OF_PYODIDE: Final = (
    "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip",
)  # fmt: skip
OF_PAGE: Final = ("index.html", "playground.css", "playground.mjs", "link.mjs", "worker.mjs")
LICENSES: Final = f"""\
Pyodide {VERSION} (pyodide.*, python_stdlib.zip): Mozilla Public License 2.0, https://github.com/pyodide/pyodide; in it
CPython, under the Python Software Foundation License, https://docs.python.org/3/license.html.
mypy_extensions (in reknit.zip): MIT License, https://github.com/python/mypy_extensions.
reknit, in all the rest:

"""
LEFT_OUT: Final = ("cli", "vulkan", "fuzzing", "reduction", "batching")
"""What a page never asks for."""
SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "fallthrough.spvasm": {"size": 4, "buffers": {"kinds": [0, 0, 1, 2]}},
    "shared_labels.spvasm": {"size": 4, "buffers": {"kinds": [0, 2, 0, 1]}},
    "shapes.slang": {"size": 4},
    "ballot_loop.rk": {"size": 4},
    "ballot_loop_moved.rk": {"size": 4},
}
"""How an example is run; others with 32 lanes and zeros."""


def examples() -> list[dict[str, Any]]:
    """The examples that are texts reknit reads without another program."""
    found = []
    for path in sorted((ROOT / "examples").iterdir()):
        format = path.suffix[1:]
        if format in ("slang", "hlsl", "rk", "spvasm"):
            found.append({"name": path.name, "format": format, "text": path.read_text(), **SETTINGS.get(path.name, {})})
    return sorted(found, key=lambda each: list(SETTINGS).index(each["name"]) if each["name"] in SETTINGS else 99)


def pyodide(folder: Path | None) -> Path:
    """Where Pyodide is. Raises SystemExit where it can't be had."""
    place = folder or KEPT / "package"
    if folder is None and not (place / "pyodide.mjs").exists():
        npm = shutil.which("npm")
        if npm is None:
            sys.exit("npm is not on PATH, which brings Pyodide: name its folder with --pyodide")
        KEPT.mkdir(parents=True, exist_ok=True)
        subprocess.run([npm, "pack", "--silent", f"pyodide@{VERSION}"], cwd=KEPT, check=True)
        with tarfile.open(KEPT / f"pyodide-{VERSION}.tgz") as packed:
            packed.extractall(KEPT, filter="data")
    lacking = [name for name in OF_PYODIDE if not (place / name).exists()]
    if lacking:
        sys.exit(f"{place} lacks {', '.join(lacking)}")
    return place


def sources(folder: Path) -> None:
    """What is compiled: reknit without what a page never asks for, and the one module that it imports besides."""
    package = ROOT / "src" / "reknit"

    def unwanted(at: str, names: list[str]) -> list[str]:
        return [name for name in names if name == "__pycache__" or (Path(at) == package and name in LEFT_OUT)]

    shutil.copytree(package, folder / "reknit", ignore=unwanted)
    spec = importlib.util.find_spec("mypy_extensions")
    assert spec is not None and spec.origin is not None
    shutil.copy(spec.origin, folder / "mypy_extensions.py")


def make(out: Path, folder: Path | None = None) -> None:
    """Write the folder. Raises SystemExit where something is missing."""
    place = pyodide(folder)
    node = shutil.which("node")
    if node is None:
        sys.exit("node is not on PATH, which compiles reknit with Pyodide's Python")
    out.mkdir(parents=True, exist_ok=True)
    for name in OF_PYODIDE:
        shutil.copy(place / name, out / name)
    for name in OF_PAGE:
        shutil.copy(PAGE / name, out / name)
    (out / "licenses.txt").write_text(LICENSES + (ROOT / "LICENSE").read_text())
    (out / "examples.json").write_text(json.dumps(examples()))
    with tempfile.TemporaryDirectory() as taken:
        sources(Path(taken))
        words = [node, str(PAGE / "pack.mjs"), str(place), taken, str(out / "reknit.zip")]
        subprocess.run(words, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the playground, a folder of static files.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--pyodide", type=Path, help="a folder with Pyodide's core files (default: by npm)")
    options = parser.parse_args()
    make(options.out, options.pyodide)
    total = sum(path.stat().st_size for path in options.out.iterdir())
    print(f"{options.out}: {total / 1e6:.1f} MB; serve it with python -m http.server --directory {options.out}")


if __name__ == "__main__":
    main()
