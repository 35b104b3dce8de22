"""`reknit doctor`: what reknit runs on, and which outside programs it finds, with their versions."""

import os
import platform
import subprocess
import sys
from argparse import Namespace
from typing import Final

from reknit.cli.on_device import add_library
from reknit.cli.parser import Parser
from reknit.cli.shared_options import OUTPUT, add
from reknit.cli.terminal import print_json, tell
from reknit.source.child import find_program
from reknit.source.diagnostic import InputError
from reknit.source.memory import lifted
from reknit.source.version import VERSION, core

PROGRAMS: Final = {
    "spirv-val": ("--version", "`check` asks it about the rules of SPIR-V"),
    "glslangValidator": ("--version", "GLSL is read through it"),
    "glslang": ("--version", "GLSL is read through it, where there is no glslangValidator"),
    "slangc": ("-v", "Slang and HLSL are read through it with --from slangc"),
    "dxc": ("--version", "HLSL is read through it with --from dxc"),
    "dot": ("-V", "draws what `show -o x.dot` writes"),
}
SECONDS: Final = 20


def parser() -> Parser:
    command = Parser(
        "doctor",
        "Show which Python, packages, outside programs and Vulkan devices reknit finds, and what is missing for which "
        "command.",
        "",
        ("--libvulkan", "--json"),
        ("reknit doctor",),
    )
    add_library(command)
    add(command.group(OUTPUT), "--json")
    return command


def main(options: Namespace) -> int:
    facts = {
        "reknit": f"{VERSION}, in {os.path.dirname(os.path.dirname(os.path.abspath(__file__)))}",
        "python": f"{platform.python_version()} ({platform.python_implementation()}, {sys.platform})",
        "core": core() + ("" if core() == "compiled" else ": the same results, slower than compiled by a C compiler"),
        "librt": _package("librt", "plain columns are used instead"),
        "numpy": _package("numpy", "buffers can't be had as arrays"),
        "llvmlite": _package("llvmlite", ".ll, .bc and .dxil can't be read; it comes with reknit[llvm]"),
        "native code": _native(),
        "slangpy": _package("slangpy", "GLSL is read through programs on PATH alone; it comes with reknit[glsl]"),
        "pygls": _package("pygls", "`reknit lsp` can't serve an editor; it comes with reknit[lsp]"),
    }
    programs = {name: _program(name, flag) for name, (flag, _) in PROGRAMS.items()}
    vulkan = _vulkan(options.libvulkan)
    if options.json:
        print_json({**facts, "programs": programs, "vulkan": vulkan})
        return 0
    width = max(map(len, facts))
    for name, fact in facts.items():
        print(f"{name:<{width}} {fact}")
    print("\noutside programs on PATH; none is needed for .spv, .spvasm and .rk")
    for name, path in programs.items():
        tell(f"  {name:<17} {path or 'not found'}  ({PROGRAMS[name][1]})\n")
    print("\nVulkan devices, for `run --on vulkan` and `compare`; `reknit devices` tells more")
    for line in vulkan:
        print(f"  {line}")
    return 0


def _native() -> str:
    from reknit.sim.jit.cache import described

    return described()


def _vulkan(library: str) -> list[str]:
    """The names of the devices, or why there are none."""
    from reknit.vulkan.run import devices
    from reknit.vulkan.target import Target

    try:
        return [device["name"] for device in devices(Target("", library))]
    except InputError as error:
        return [f"none: {diagnostic.message}" for diagnostic in error.diagnostics]


def _package(name: str, without: str) -> str:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return f"not found: {without}"


def _program(name: str, flag: str) -> str | None:
    """Its version's first line and path, or None."""
    path = find_program(name)
    if path is None:
        return None
    try:
        with lifted():
            done = subprocess.run(
                [path, flag],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                stdin=subprocess.DEVNULL,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{path}, which does not run: {error}"
    lines = [line.strip() for line in (done.stdout + "\n" + done.stderr).splitlines() if line.strip()]
    return f"{path}: {lines[0]}" if lines else path
