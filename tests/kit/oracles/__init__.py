"""The outside tools that tests compare against: where they are, and a function for each thing they are asked.

    find("spirv-val")            the command's first words, or None
    spirv_val(module, "vulkan1.3")   (accepted, message)     a process: any target environment
    validate(words)              (accepted, message)     in process, 0.3 ms, Vulkan 1.4 rules
    disassemble(words)           SPIR-V assembly         in process
    assemble(text, "vulkan1.3")  binary                  spirv-as
    glslang(source)              binary                  GLSL compute shader, Vulkan 1.2

`tools/get_oracles.py` installs them into .oracles/. `need("spirv-val")` skips the test, saying what to do, where one is
absent.
"""

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from kit import ROOT

ORACLES = ROOT / ".oracles"
FOLDERS = {
    "spirv-val": "spirv",
    "spirv-as": "spirv",
    "spirv-dis": "spirv",
    "spirv-opt": "spirv",
    "spirv-cfg": "spirv",
    "glslangValidator": "glslang",
    "slang-glslang": "slangpy",
    "lavapipe": "mesa",
    "swiftshader": "swiftshader",
    "dxc": "dxc",
    "slangc": "slangc",
}
OLDEST_SPIRV_TOOLS = 2024  # the first that knows the maximal reconvergence mode
SECONDS = 120

Module = bytes | str | os.PathLike[str]  # a binary, or the path of one


@functools.cache
def find(tool: str) -> list[str] | None:
    """The words that start `tool` (append its arguments), or None where it is not installed.

    For "slang-glslang" and "dxc" the one word is the library's path; for a Vulkan driver, the path of its manifest.
    """
    folder = ORACLES / FOLDERS.get(tool, tool)
    if tool == "slang-glslang":
        return _existing(folder / "libslang-glslang.so")
    if tool == "dxc":
        return _existing(folder / "libdxcompiler.so")
    if tool == "slangc" and (folder / "slangc").exists():
        return [str(folder / "slangc")]
    if tool == "lavapipe":
        return _existing(folder / "usr" / "share" / "vulkan" / "icd.d" / "lvp_icd.json")
    if tool == "swiftshader":
        return _existing(folder / "vk_swiftshader_icd.json")
    if (folder / "usr" / "bin" / tool).exists():
        return [str(ROOT / "tools" / "deb-root.sh"), "run", str(folder), tool]
    path = shutil.which(tool)
    if path is None or (tool.startswith("spirv-") and _age(path) < OLDEST_SPIRV_TOOLS):
        return None
    return [path]


def need(tool: str) -> list[str]:
    """`find`, or skip the running test and say what would bring the tool."""
    command = find(tool)
    if command is None:
        pytest.skip(f"no {tool} here: python3 tools/get_oracles.py {FOLDERS.get(tool, tool)} says why or brings it")
    return command


def spirv_val(module: Module, environment: str = "vulkan1.3", *options: str) -> tuple[bool, str]:
    """Whether spirv-val accepts `module` (bytes, or a file's path), and what it says."""
    command = need("spirv-val")
    with tempfile.TemporaryDirectory() as folder:
        path = _as_file(module, folder)
        done = _run([*command, "--target-env", environment, *options, path])
    return done.returncode == 0, (done.stdout + done.stderr).strip()


def assemble(text: str, environment: str = "vulkan1.3", *options: str) -> bytes:
    """SPIR-V assembly to a binary, by spirv-as. A text it refuses is a ValueError with its message."""
    command = need("spirv-as")
    with tempfile.TemporaryDirectory() as folder:
        source, product = Path(folder, "a.spvasm"), Path(folder, "a.spv")
        source.write_text(text)
        done = _run([*command, "--target-env", environment, *options, str(source), "-o", str(product)])
        if done.returncode != 0:
            raise ValueError(done.stdout + done.stderr)
        return product.read_bytes()


def glslang(source: str, stage: str = "comp", environment: str = "vulkan1.2") -> bytes:
    """GLSL to a SPIR-V binary. A shader it refuses is a ValueError with its message."""
    command = need("glslangValidator")
    with tempfile.TemporaryDirectory() as folder:
        text, product = Path(folder, f"a.{stage}"), Path(folder, "a.spv")
        text.write_text(source)
        done = _run([*command, "-V", "--target-env", environment, "-S", stage, str(text), "-o", str(product)])
        if done.returncode != 0:
            raise ValueError(done.stdout + done.stderr)
        return product.read_bytes()


def validate(module: bytes) -> tuple[bool, str]:
    """Whether SPIRV-Tools' validator, loaded into this process, accepts the binary, and what it says.

    Its rules are those of Vulkan 1.4; use `spirv_val` to name another environment or an option.
    """
    library = _library()
    with _captured() as said:
        accepted = bool(library.glslang_validateSPIRV(module, len(module) // 4))
    return accepted, said.text


def accepts(module: bytes) -> bool:
    """The same without what it says, which costs more to catch than a small module to validate."""
    return bool(_library().glslang_validateSPIRV(module, len(module) // 4))


def disassemble(module: bytes) -> str:
    """SPIR-V assembly of the binary with friendly names off, by SPIRV-Tools in this process; ValueError if it can't."""
    text = ctypes.c_char_p()
    with _captured() as said:
        done = bool(_library().glslang_disassembleSPIRVWithResult(module, len(module) // 4, ctypes.byref(text)))
    if not done or text.value is None:
        raise ValueError(said.text)
    return text.value.decode()


class _captured:
    """What C code writes to standard error while the block runs, as `.text`."""

    def __enter__(self) -> "_captured":
        self.text = ""
        self.file = tempfile.TemporaryFile()
        self.error = os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *fault: object) -> None:
        os.dup2(self.error, 2)
        os.close(self.error)
        self.file.seek(0)
        self.text = self.file.read().decode(errors="replace").strip()
        self.file.close()


def _library() -> ctypes.CDLL:
    return _load(need("slang-glslang")[0])


@functools.cache
def _load(path: str) -> ctypes.CDLL:
    library = ctypes.CDLL(path)
    library.glslang_validateSPIRV.restype = ctypes.c_bool
    library.glslang_validateSPIRV.argtypes = [ctypes.c_char_p, ctypes.c_int]
    library.glslang_disassembleSPIRVWithResult.restype = ctypes.c_bool
    library.glslang_disassembleSPIRVWithResult.argtypes = [
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.POINTER(ctypes.c_char_p),
    ]
    return library


def _existing(path: Path) -> list[str] | None:
    return [str(path)] if path.exists() else None


def _age(path: str) -> int:
    """The year in "SPIRV-Tools v2023.1 ..."; 0 where there is none."""
    words = _run([path, "--version"]).stdout.split()
    year = words[1].removeprefix("v").split(".")[0] if len(words) > 1 else ""
    return int(year) if year.isdigit() else 0


def _as_file(module: Module, folder: str) -> str:
    if not isinstance(module, bytes):
        return os.fspath(module)
    path = Path(folder, "a.spv")
    path.write_bytes(module)
    return str(path)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
