"""Compile the core modules with mypyc: typed Python in, extension modules out.

    src/reknit/ir/block.py --mypyc--> build/mypyc-*/…/__native_block.c --cc (in parallel)--> objects
                                                            objects --link--> reknit_tree__mypyc.so  (a library's code)
                                                                    --link--> reknit/ir/block.so     (a shim each)

    python tools/compile_core.py          only compile, to see what mypyc has to say (in an environment that has mypy)

The modules of one of pyproject.toml's libraries share a file, in which a call from one into another is a C call. Each
module is a C file of its own, so that the compiler runs in parallel and only what changed is compiled again;
`docstrings.py` puts in the docstrings, which mypyc drops. Whether a machine can compile at all is found out by
compiling: `why_not` builds one small C file against Python's headers.
"""

import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from zlib import crc32

import core_modules
import docstrings
from toolchain import CannotCompile, Toolchain, toolchain

SETTINGS = """\
# The project's own checks are stricter than what compiling needs. The core uses these packages as untyped objects, so
# that its code is the same whether or not they are there when it is compiled.
[mypy]
[mypy-numpy.*,llvmlite.*,z3.*,distributed.*]
follow_imports = skip
ignore_missing_imports = True
"""


PROBE = """\
#include <Python.h>
PyMODINIT_FUNC PyInit_probe(void) { return PyModule_New("probe"); }
"""


def why_not() -> str | None:
    """None where C extensions can be compiled, else the reason in one line."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text(PROBE)
        try:
            tools = toolchain()
            tools.compile(source, source.with_suffix(".o"), [], None)
            tools.link([source.with_suffix(".o")], Path(folder, f"probe{tools.suffix}"), "probe")
        except CannotCompile as fault:
            return fault.reason
    return None


def compile_core(root: Path, libraries: dict[str, list[Path]], jobs: int) -> dict[Path, str]:
    """Compile the modules of each library (under root/src); gives each file that was built with its path in the wheel.

    Raises SystemExit with the compiler's messages where a module does not type-check or compile.
    """
    from mypy.version import __version__ as mypy_version
    from mypyc.build import mypycify

    tools = toolchain()
    flags = f"{crc32(repr(tools.flags).encode()):08x}"
    folder = Path("build", f"mypyc-{mypy_version}-{sys.implementation.cache_tag}-{flags}")
    here = Path.cwd()
    os.chdir(root)  # mypyc names its C files by path from here
    try:
        groups: list[tuple[list[str], str | None]] = [
            ([str(file.relative_to(root)) for file in libraries[name]], f"reknit_{name}") for name in libraries
        ]
        sources = [source for group, _ in groups for source in group]
        settings = folder / "mypy.ini"
        folder.mkdir(parents=True, exist_ok=True)
        settings.write_text(SETTINGS)
        # Of a library that mypyc finds unchanged it names neither the runtime's sources nor its headers; and what a
        # stopped build or another layout of a class left in its cache it takes as it is.
        shutil.rmtree(folder / "cache", ignore_errors=True)
        options = ["--config-file", str(settings), "--cache-dir", str(folder / "cache")]
        extensions: list[Any] = mypycify([*options, *sources], multi_file=True, separate=groups, target_dir=str(folder))
        found = list(dict.fromkeys(name for extension in extensions for name in extension.include_dirs))
        compiler = _Compiler(tools, folder, [*found, str(folder)], _documented(folder, sources))
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(compiler.precompile, [f"reknit_{name}" for name in libraries]))
            list(pool.map(compiler.compile, compiler.stale(extensions)))
            built = list(pool.map(compiler.link, extensions))
        return {(root / path).resolve(): target for path, target in built}
    except CannotCompile as fault:
        raise SystemExit(fault.message) from None
    finally:
        os.chdir(here)


def _object(folder: Path, source: Path) -> Path:
    return folder / "objects" / source.relative_to(folder).with_suffix(".o")


def _stale(product: Path, inputs: list[Path]) -> bool:
    if not product.exists():
        return True
    made = product.stat().st_mtime
    return any(path.stat().st_mtime > made for path in inputs)


def _documented(folder: Path, modules: list[str]) -> dict[Path, Path]:
    """The C file of each module, by mypyc's own one, with the module's docstrings. What is the same is not written."""
    made: dict[Path, Path] = {}
    (folder / "documented").mkdir(exist_ok=True)
    for module in modules:
        name = "___".join(Path(module).relative_to("src").with_suffix("").parts)
        source = folder / f"__native_{name}.c"
        made[source] = target = folder / "documented" / source.name
        texts = docstrings.docstrings(Path(module).read_text(encoding="utf-8"))
        code = docstrings.documented(source.read_text(encoding="utf-8"), texts)
        if not target.exists() or target.read_text(encoding="utf-8") != code:
            target.write_text(code, encoding="utf-8")
    return made


class _Compiler:
    """From mypyc's C files, or those with docstrings that were `written` of them, to libraries."""

    def __init__(self, tools: Toolchain, folder: Path, includes: list[str], written: dict[Path, Path]) -> None:
        self.tools = tools
        self.folder = folder
        self.includes = includes
        self.written = written
        self.headers: dict[str, Path] = {}

    def precompile(self, library: str) -> None:
        """What the C file of each module of a library begins with."""
        header = self.folder / f"{library}.h"
        included = ["Python.h", "CPy.h", f"__native_{library}.h", f"__native_internal_{library}.h"]
        self.tools.precompile(header, included, self.includes)
        self.headers[f"{library}__mypyc"] = header

    def stale(self, extensions: list[Any]) -> list[tuple[Path, str]]:
        """The C files to compile, each with its library; the longest first, so that the jobs end together."""
        stale: dict[Path, str] = {}
        for extension in extensions:
            for source in map(Path, extension.sources):
                inputs = [self.written.get(source, source), *map(Path, extension.depends)]
                if _stale(_object(self.folder, source), inputs):
                    stale.setdefault(source, extension.name)
        return sorted(stale.items(), key=lambda item: -item[0].stat().st_size)

    def compile(self, item: tuple[Path, str]) -> None:
        source, library = item
        product = _object(self.folder, source)
        product.parent.mkdir(parents=True, exist_ok=True)
        text = self.written.get(source, source)
        header = self.headers.get(library) if source in self.written else None
        self.tools.compile(text, product, self.includes, header)
        latest = max(path.stat().st_mtime for path in (source, text, product))  # mypyc dates its files a second ahead
        os.utime(product, (latest, latest))

    def link(self, extension: Any) -> tuple[Path, str]:
        """A library with its path in the wheel."""
        target = extension.name.replace(".", "/") + self.tools.suffix
        library = self.folder / "lib" / target
        objects = [_object(self.folder, Path(source)) for source in extension.sources]
        if _stale(library, objects):
            library.parent.mkdir(parents=True, exist_ok=True)
            self.tools.link(objects, library, extension.name)
        return library, target


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    if reason := why_not():
        print(f"can't compile here: {reason}")
        return 1
    libraries = compile_core(root, core_modules.libraries(), os.cpu_count() or 1)
    print(f"{len(libraries)} files in {os.path.commonpath(list(libraries.keys()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
