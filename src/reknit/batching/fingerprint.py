"""Which reknit and which outside programs made a result: what is kept is theirs alone.

fingerprint()  ──▶  digest of the package's own files        tools(recipe, format)  ──▶  "spirv-val of SPIRV-Tools ..."
"""

import hashlib
import os
from functools import cache
from typing import Final

from reknit.batching.recipe import CHECK, PROVE, RUN
from reknit.files.formats import DXC, FROM_LLVM, GLSL, SLANGC
from reknit.source.memory import lifted

_PACKAGE: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_COMPILED: Final = (".so", ".pyd")


@cache
def fingerprint() -> str:
    """A digest of the sources, and of what of them is compiled."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(_PACKAGE):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            path = os.path.join(folder, name)
            digest.update(os.path.relpath(path, _PACKAGE).encode())
            if name.endswith(_COMPILED):  # made of the sources; a digest of them takes longer than all the others
                digest.update(str(os.stat(path).st_size).encode())
            else:
                with open(path, "rb") as file:
                    digest.update(file.read())
    return digest.hexdigest()[:32]


@cache
def tools(recipe: str, format: str) -> str:
    """The programs and packages outside of reknit that have a part in a result."""
    names: list[str] = []
    if recipe == CHECK:
        from reknit.checks.spirv_val import find_validator, validator_name

        program = find_validator()
        names.append(validator_name(program) if program is not None else "no spirv-val")
    if format in (GLSL, DXC, SLANGC):
        from reknit.front.shaders import find_compiler

        names.append(_program(find_compiler(format)))
    if format in FROM_LLVM or recipe == RUN:
        names.append(_package("llvmlite"))
    if recipe == PROVE:
        names.append(_package("z3-solver"))
    return ", ".join(names)


def _program(path: str | None) -> str:
    """What a program says of its version."""
    if path is None:
        return "none"
    import subprocess

    from reknit.front.glslang_library import is_library

    if is_library(path):
        return path  # with its version in it
    try:
        with lifted():
            done = subprocess.run([path, "--version"], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return os.path.basename(path)
    return f"{os.path.basename(path)} {hashlib.sha256(done.stdout + done.stderr).hexdigest()[:16]}"


def _package(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"no {name}"
