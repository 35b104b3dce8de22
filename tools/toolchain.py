"""The C compiler that builds Python's extension modules here: gcc and clang by their options, Microsoft's by its own.

    toolchain() ──▶ Unix        the commands that Python was built with, as `sysconfig` has them
                └─▶ Microsoft   as setuptools finds it, which needs setuptools
"""

import os
import shlex
import subprocess
import sysconfig
from pathlib import Path
from typing import Any, Protocol


class CannotCompile(Exception):
    """`reason` is one line; `message` what was run and all that it said."""

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.message = message or reason


class Toolchain(Protocol):
    flags: tuple[str, ...]
    suffix: str

    def precompile(self, header: Path, included: list[str], includes: list[str]) -> None:
        """Make `header`, which includes others, something that `compile` can begin with."""

    def compile(self, source: Path, product: Path, includes: list[str], header: Path | None) -> None:
        """Compile a C file. Raises CannotCompile."""

    def link(self, objects: list[Path], library: Path, module: str) -> None:
        """Make an extension module. Raises CannotCompile."""


def toolchain() -> Toolchain:
    """Raises CannotCompile where Python names no compiler."""
    return Microsoft() if os.name == "nt" else Unix()


class Unix:
    """gcc or clang, on Linux and macOS."""

    # -O2 takes half as long again to compile and gains 3 % on the codec, nothing on graph algorithms.
    # Only the functions by which Python imports a module are seen from outside, so that the loader has no names to look
    # up: 3 of 7 ms for all of the core. mypyc's headers define a library's table of what it uses of another one in each
    # file, which is one table where such definitions are common.
    flags: tuple[str, ...] = (
        *("-O1", "-fno-strict-overflow", "-fwrapv", "-fvisibility=hidden", "-fcommon"),
        *("-DNDEBUG", "-g0", "-w"),
    )

    def __init__(self) -> None:
        self.compiler = shlex.split(sysconfig.get_config_var("CC") or "")
        self.linker = shlex.split(sysconfig.get_config_var("LDSHARED") or "")
        self.suffix = str(sysconfig.get_config_var("EXT_SUFFIX") or ".so")
        if not self.compiler or not self.linker:
            raise CannotCompile("Python names no C compiler")
        position = shlex.split(sysconfig.get_config_var("CCSHARED") or "-fPIC")
        self.options = [*self.flags, *position]

    def precompile(self, header: Path, included: list[str], includes: list[str]) -> None:
        """The headers that each file of a library begins with, parsed once."""
        header.write_text("".join(f"#include <{name}>\n" for name in included))
        _run([*self._command(includes), "-x", "c-header", str(header), "-o", f"{header}.gch"])

    def compile(self, source: Path, product: Path, includes: list[str], header: Path | None) -> None:
        prefix = ["-include", str(header)] if header is not None else []
        _run([*self._command(includes), *prefix, "-c", str(source), "-o", str(product)])

    def link(self, objects: list[Path], library: Path, module: str) -> None:
        _run([*self.linker, *map(str, objects), "-o", str(library)])

    def _command(self, includes: list[str]) -> list[str]:
        python = [sysconfig.get_path("include"), sysconfig.get_path("platinclude")]
        return [*self.compiler, *self.options, *(f"-I{folder}" for folder in [*includes, *python])]


class Microsoft:
    """cl.exe and link.exe, which setuptools finds by the registry and Visual Studio's own tools."""

    flags: tuple[str, ...] = ("/O1", "/DNDEBUG", "/w", "/MD", "/nologo")

    def __init__(self) -> None:
        try:
            from setuptools._distutils.ccompiler import new_compiler
            from setuptools._distutils.errors import DistutilsError
        except ImportError:
            raise CannotCompile("setuptools, which finds the C compiler, is missing") from None
        self.suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
        self.faults: type[Exception] = DistutilsError
        self.tools: Any = new_compiler("msvc")
        try:
            self.tools.initialize()
        except DistutilsError as fault:
            raise CannotCompile(f"there is no Microsoft Visual C++: {fault}") from None

    def precompile(self, header: Path, included: list[str], includes: list[str]) -> None:
        """Left out: the file for it depends on the name of each source."""

    def compile(self, source: Path, product: Path, includes: list[str], header: Path | None) -> None:
        python = [sysconfig.get_path("include"), sysconfig.get_path("platinclude"), *self.tools.include_dirs]
        folders = [f"/I{folder}" for folder in [*includes, *python]]
        self._spawn([self.tools.cc, "/c", *self.flags, *folders, f"/Tc{source}", f"/Fo{product}"])

    def link(self, objects: list[Path], library: Path, module: str) -> None:
        import sys

        folders = [*self.tools.library_dirs, str(Path(sys.base_exec_prefix, "libs"))]
        paths = [f"/LIBPATH:{folder}" for folder in folders]
        init = f"/EXPORT:PyInit_{module.rpartition('.')[2]}"
        import_library = f"/IMPLIB:{library.with_suffix('.lib')}"
        options = ["/nologo", "/DLL", "/INCREMENTAL:NO", "/MANIFEST:NO", *paths, init, import_library]
        self._spawn([self.tools.linker, *options, *map(str, objects), f"/OUT:{library}"])

    def _spawn(self, command: list[str]) -> None:
        try:
            self.tools.spawn(command)
        except self.faults as fault:
            raise CannotCompile(f"{command[0]} can't build an extension: {fault}", shlex.join(command)) from None


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as fault:
        raise CannotCompile(f"{command[0]} does not run: {fault}") from None
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
        message = f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
        raise CannotCompile(f"{command[0]} can't build an extension: {lines[0]}", message)
