"""Compile the core modules with mypyc: typed Python in, extension modules out.

    src/reknit/ir/block.py --mypyc--> build/mypyc-*/…/__native_block.c --cc (in parallel)--> objects
                                                                    objects --ld--> reknit__mypyc.so   (all code)
                                                                              ld--> reknit/ir/block.so (a shim each)

    python tools/compile_core.py          only compile, to see what mypyc has to say (in an environment that has mypy)

All modules share one library, so that a call from one into another is a C call. Each module is a C file of its own, so
that the compiler runs in parallel and only what changed is compiled again; `docstrings.py` puts in the docstrings,
which mypyc drops. Whether a machine can compile at all is found out by compiling: `why_not` builds one small C file
against Python's headers.
"""

import os
import shlex
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import core_modules
import docstrings

OPTIMIZE = "-O1"  # -O2 takes half as long again to compile and gains 3 % on the codec, nothing on graph algorithms
SETTINGS = """\
# The project's own checks are stricter than what compiling needs. The core uses these packages as untyped objects, so
# that its code is the same whether or not they are there when it is compiled.
[mypy]
[mypy-numpy.*,llvmlite.*]
follow_imports = skip
ignore_missing_imports = True
"""
FLAGS = ["-fno-strict-overflow", "-fwrapv", "-DNDEBUG", "-g0", "-w"]


def why_not() -> str | None:
    """None where C extensions can be compiled, else the reason in one line."""
    command = _compiler()
    if not command:
        return "Python names no C compiler"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "probe.c")
        source.write_text("#include <Python.h>\nint probe(void) { return PY_VERSION_HEX != 0; }\n")
        library = Path(folder, "probe.so")
        steps = [
            [*command, "-fPIC", *_includes([]), "-c", str(source), "-o", str(source.with_suffix(".o"))],
            [*_linker(), str(source.with_suffix(".o")), "-o", str(library)],
        ]
        for step in steps:
            try:
                done = subprocess.run(step, capture_output=True, text=True, timeout=60)
            except (OSError, subprocess.TimeoutExpired) as fault:
                return f"{step[0]} does not run: {fault}"
            if done.returncode != 0:
                lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
                return f"{step[0]} can't build an extension: {lines[0]}"
    return None


def compile_core(root: Path, files: list[Path], jobs: int) -> dict[Path, str]:
    """Compile `files` (under root/src); gives each built library with its path in the wheel.

    Raises SystemExit with the compiler's messages where a module does not type-check or compile.
    """
    from mypy.version import __version__ as mypy_version
    from mypyc.build import mypycify

    folder = Path("build", f"mypyc-{mypy_version}-{sys.implementation.cache_tag}{OPTIMIZE}")
    here = Path.cwd()
    os.chdir(root)  # mypyc names its C files by path from here
    try:
        sources = [str(file.relative_to(root)) for file in files]
        settings = folder / "mypy.ini"
        folder.mkdir(parents=True, exist_ok=True)
        settings.write_text(SETTINGS)
        options = ["--config-file", str(settings), "--cache-dir", str(folder / "cache")]
        extensions = mypycify([*options, *sources], multi_file=True, group_name="reknit", target_dir=str(folder))
        found = list(dict.fromkeys(name for extension in extensions for name in extension.include_dirs))
        includes = [*found, str(folder)]
        written = _documented(folder, sources)
        stale = [
            Path(source)
            for extension in extensions
            for source in extension.sources
            if _stale(
                _object(folder, Path(source)),
                [written.get(Path(source), Path(source)), *map(Path, extension.depends)],
            )
        ]
        stale.sort(key=lambda source: -source.stat().st_size)  # the longest first: the jobs end together
        _precompile(folder, includes)
        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(lambda source: _compile(folder, source, written.get(source) or source, includes), stale))
            built = list(pool.map(lambda extension: _link(folder, extension.name, extension.sources), extensions))
        return {(root / path).resolve(): target for path, target in built}
    finally:
        os.chdir(here)


def _compiler() -> list[str]:
    return shlex.split(sysconfig.get_config_var("CC") or "")


def _linker() -> list[str]:
    return shlex.split(sysconfig.get_config_var("LDSHARED") or "")


def _includes(folders: list[str]) -> list[str]:
    return [f"-I{folder}" for folder in [*folders, sysconfig.get_path("include"), sysconfig.get_path("platinclude")]]


def _object(folder: Path, source: Path) -> Path:
    return folder / "objects" / source.relative_to(folder).with_suffix(".o")


def _stale(product: Path, inputs: list[Path]) -> bool:
    if not product.exists():
        return True
    made = product.stat().st_mtime
    return any(path.stat().st_mtime > made for path in inputs)


def _flags(includes: list[str]) -> list[str]:
    position = shlex.split(sysconfig.get_config_var("CCSHARED") or "-fPIC")
    return [OPTIMIZE, *FLAGS, *position, *_includes(includes)]


def _precompile(folder: Path, includes: list[str]) -> None:
    """Python's and mypyc's headers, which each file begins with, parsed once: a fifth of the whole time."""
    header = folder / "prefix.h"
    header.write_text("#include <Python.h>\n#include <CPy.h>\n")
    _run([*_compiler(), *_flags(includes), "-x", "c-header", str(header), "-o", f"{header}.gch"])


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


def _compile(folder: Path, source: Path, written: Path, includes: list[str]) -> None:
    """Compile mypyc's file `source`, as it is `written`."""
    product = _object(folder, source)
    product.parent.mkdir(parents=True, exist_ok=True)
    generated = source.name.startswith("__native") or source.parent != folder  # the rest is mypyc's own library
    prefix = ["-include", str(folder / "prefix.h")] if generated else []
    _run([*_compiler(), *_flags(includes), *prefix, "-c", str(written), "-o", str(product)])
    latest = max(path.stat().st_mtime for path in (source, written, product))  # mypyc dates its files a second ahead
    os.utime(product, (latest, latest))


def _link(folder: Path, name: str, sources: list[str]) -> tuple[Path, str]:
    target = name.replace(".", "/") + (sysconfig.get_config_var("EXT_SUFFIX") or ".so")
    library = folder / "lib" / target
    objects = [_object(folder, Path(source)) for source in sources]
    if _stale(library, objects):
        library.parent.mkdir(parents=True, exist_ok=True)
        _run([*_linker(), *map(str, objects), "-o", str(library)])
    return library, target


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")


def main() -> int:
    root = Path(__file__).resolve().parent.parent
    if reason := why_not():
        print(f"can't compile here: {reason}")
        return 1
    files = core_modules.files(root / "src" / "reknit", core_modules.patterns())
    libraries = compile_core(root, files, os.cpu_count() or 1)
    print(f"{len(libraries)} libraries in {os.path.commonpath(list(libraries.keys()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
