"""What SPIRV-Tools' validator says of a module, where it is installed.

    binary ──▶ spirv-val --target-env vulkan1.3 ──▶ one diagnostic, or none

The environment is told by the SPIR-V version, unless one is named: 1.0 vulkan1.0, 1.3 vulkan1.1, 1.5 vulkan1.2,
1.6 vulkan1.3; versions between them take the next. A module with OpenCL's memory model is judged as plain SPIR-V
(spv1.x). It stops at the first fault.
"""

import os
import re
import shutil
from typing import Final

from reknit.source.diagnostic import ERROR, NOTE, Diagnostic, Note
from reknit.source.place import Place
from reknit.spirv.words import HEADER_WORDS

PROGRAM: Final = "spirv-val"
SECONDS: Final = 300
VULKAN_BY_MINOR: Final = (
    "vulkan1.0",
    "vulkan1.1",
    "vulkan1.1",
    "vulkan1.1",
    "vulkan1.1spv1.4",
    "vulkan1.2",
    "vulkan1.3",
)

ENVIRONMENTS: Final = (
    "vulkan1.0", "vulkan1.1", "vulkan1.1spv1.4", "vulkan1.2", "vulkan1.3", "vulkan1.4",
    "spv1.0", "spv1.1", "spv1.2", "spv1.3", "spv1.4", "spv1.5", "spv1.6",
    "opencl1.2", "opencl2.0", "opencl2.1", "opencl2.2", "opengl4.5",
)  # fmt: skip

_MEMORY_MODEL: Final = 14  # OpMemoryModel: addressing model, memory model
_FUNCTION: Final = 54  # OpFunction
_OPENCL: Final = 2
_LINE = re.compile(r"^(?P<kind>error|warning): (?:line )?(?P<line>\d+): (?P<text>.*)$")
_TOO_OLD = re.compile(r"Invalid execution mode operand: 6023")


def find_validator() -> str | None:
    """The program's path, or None."""
    return shutil.which(PROGRAM)


def environment_of(binary: bytes) -> str:
    """The environment that goes with a module's version and memory model."""
    minor = min(_word(binary, 1) >> 8 & 0xFF, 6)
    return f"spv1.{minor}" if _memory_model(binary) == _OPENCL else VULKAN_BY_MINOR[minor]


def _memory_model(binary: bytes) -> int:
    """The second operand of OpMemoryModel, which stands before all functions; 0 where there is none."""
    at = HEADER_WORDS
    head = _word(binary, at)
    while head >> 16 and head & 0xFFFF not in (_MEMORY_MODEL, _FUNCTION):
        at += head >> 16
        head = _word(binary, at)
    return _word(binary, at + 2) if head & 0xFFFF == _MEMORY_MODEL else 0


def _word(binary: bytes, at: int) -> int:
    """Word `at` of a module of either endianness; 0 behind its end."""
    word = binary[4 * at : 4 * at + 4]
    return int.from_bytes(word, "little" if binary[:1] == b"\x03" else "big")


def judge(binary: bytes, name: str, environment: str | None = None) -> list[Diagnostic]:
    """RK0005 for each fault that spirv-val reports, RK0006 (a note) where it can't be asked."""
    program = find_validator()
    if program is None:
        message = "spirv-val not found: the rules of SPIR-V itself were not checked"
        help = "install SPIRV-Tools (Debian: apt install spirv-tools) so that spirv-val is on PATH"
        return [Diagnostic("RK0006", message, Place(name), NOTE, help=help)]
    import subprocess
    import tempfile

    target = environment if environment is not None else environment_of(binary)
    with tempfile.TemporaryDirectory(prefix="reknit-") as folder:
        path = os.path.join(folder, "module.spv")
        with open(path, "wb") as file:
            file.write(binary)
        try:
            done = subprocess.run([program, "--target-env", target, path], capture_output=True, timeout=SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            return [Diagnostic("RK0006", f"spirv-val could not be run: {error}", Place(name), NOTE)]
    if done.returncode == 0:
        return []
    said = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace").strip().splitlines()
    if not said or not said[0].startswith(("error", "warning")):
        reason = said[0] if said else f"exit code {done.returncode}"
        return [Diagnostic("RK0006", f"spirv-val could not be run: {reason}", Place(name), NOTE)]
    if _TOO_OLD.search(said[0]) is not None:
        message = "this spirv-val is too old to judge the module: it doesn't know MaximallyReconvergesKHR"
        return [Diagnostic("RK0006", message, Place(name), NOTE, help="SPIRV-Tools 2024.1 and later know it")]
    return [_diagnostic(said, name, target)]


def _diagnostic(said: list[str], name: str, environment: str) -> Diagnostic:
    """The first line with its reason; what follows it as notes."""
    match = _LINE.match(said[0])
    text = match["text"] if match is not None else said[0].removeprefix("error: ")
    notes = [Note(line.strip()) for line in said[1:] if line.strip()]
    if match is not None:
        notes.append(Note(f"it is instruction {match['line']} of the module"))
    notes.append(Note(f"judged for {environment}"))
    return Diagnostic("RK0005", f"spirv-val: {text}", Place(name), ERROR, notes)
