"""Clang, where it is there: as the front-end of a GPU, and as the compiler of this machine.

`clang` on PATH, or the one that the package ziglang carries (`python -m ziglang clang`).
"""

import ctypes
import random
import shutil
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from kit.random.c_kernels import GIVEN, LANES, MADE, Kernel

TARGETS = ("spir64", "amdgcn-amd-amdhsa", "spirv64")
_BOTH = ["-fwrapv", "-ffp-contract=off", "-w"]


@cache
def clang() -> list[str] | None:
    found = shutil.which("clang")
    if found is not None:
        return [found]
    return [sys.executable, "-m", "ziglang", "clang"] if find_spec("ziglang") is not None else None


def inputs(seed: int) -> tuple[list[int], int]:
    """The words that invocations read, and the argument n."""
    source = random.Random(seed)
    corners = (0xFFFFFFFF, 0x80000000)
    given = [
        source.choice((source.randrange(10), source.getrandbits(32), source.getrandbits(8), *corners))
        for _ in range(LANES * GIVEN)
    ]
    return given, source.choice((0, 1, 5, source.getrandbits(32)))


def native(seed: int, folder: Path) -> list[int]:
    """What the C of a kernel stores on this machine, without optimization."""
    command = clang()
    assert command is not None
    source, library = folder / f"{seed}.c", folder / f"{seed}.so"
    source.write_text(Kernel(seed).native)
    words = [*command, "-O0", *_BOTH, "-fPIC", "-c", str(source), "-o", str(source.with_suffix(".o"))]
    subprocess.run(words, check=True)
    linker = shutil.which("cc") or shutil.which("ld")
    assert linker is not None
    subprocess.run([linker, "-shared", str(source.with_suffix(".o")), "-o", str(library)], check=True)
    run = ctypes.CDLL(str(library)).run
    given, n = inputs(seed)
    out = (ctypes.c_uint32 * (LANES * MADE))()
    for lane in range(LANES):
        run(lane, (ctypes.c_uint32 * len(given))(*given), out, n)
    return list(out)


def llvm_ir(seed: int, folder: Path, target: str, level: int) -> str:
    """The kernel as Clang gives it to a target's back-end."""
    command = clang()
    assert command is not None
    source, out = folder / f"{seed}.cl", folder / f"{seed}.ll"
    source.write_text(Kernel(seed).opencl)
    words = [*command, "-target", target, "-x", "cl", "-cl-std=CL3.0", "-cl-no-stdinc", "-nogpulib", f"-O{level}"]
    subprocess.run([*words, *_BOTH, "-S", "-emit-llvm", str(source), "-o", str(out)], check=True)
    return out.read_text()
