"""What SPIRV-Tools' validator says of a module, where it is installed.

    binary ──▶ spirv-val --target-env vulkan1.3 ──▶ one diagnostic, or none

The environment is that of `spirv.environment`, unless one is named. It stops at the first fault.
"""

import os
import re
from functools import cache
from time import monotonic
from typing import Final

from reknit.files.formats import ENVIRONMENTS as ENVIRONMENTS
from reknit.files.formats import MAGIC
from reknit.ir.opcodes import FIRST_OWN, info, kind
from reknit.source.child import find_program
from reknit.source.diagnostic import ERROR, NOTE, Diagnostic, Note
from reknit.source.digits import saturated
from reknit.source.interrupt import look, sandboxes, seconds_left
from reknit.source.memory import lifted
from reknit.source.place import Place
from reknit.spirv.environment import environment_of
from reknit.spirv.words import HEADER_WORDS

PROGRAM: Final = "spirv-val"
NOT_ASKED: Final = "RK0006"
SECONDS: Final = 300

MISSED_FOR: Final = 1.0  # seconds
_missed: Final[dict[str, float]] = {}  # PATH -> until when it is known that the program is not on it

STRINGS: Final = (
    "the module's words have their highest byte first: its strings are read as SPIR-V 2.2.1 has them, the first octet "
    "in the lowest-order bits of a word, but SPIRV-Tools takes them byte by byte"
)
_LINE: Final = re.compile(r"^(?P<kind>error|warning): (?:line )?(?P<line>\d+): (?P<text>.*)$")
_SINCE: Final = {"MaximallyReconvergesKHR": "SPIRV-Tools 2024.1 and later know it"}
_UNKNOWN: Final = re.compile(r"Invalid (?:(?P<kind>[a-z ]+) operand|opcode): (?P<value>\d+)")
_VERSION: Final = re.compile(r"SPIRV-Tools v[\w.]+")


def find_validator() -> str | None:
    """The program's path, or None. That it is nowhere on PATH is known for a second: looking takes as long as judging a
    small module."""
    path = os.environ.get("PATH", "")
    if sandboxes():
        return None
    if _missed.get(path, 0.0) > monotonic():
        return None
    program = find_program(PROGRAM)
    if program is None:
        _missed.clear()
        _missed[path] = monotonic() + MISSED_FOR
    return program


@cache
def validator_name(program: str) -> str:
    """`spirv-val of SPIRV-Tools v2026.4`; without the version where the program doesn't say it."""
    import subprocess

    try:
        with lifted():
            done = subprocess.run([program, "--version"], capture_output=True, timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return PROGRAM
    version = _VERSION.search(done.stdout.decode("utf-8", "replace"))
    return f"{PROGRAM} of {version[0]}" if version is not None else PROGRAM


def not_found(place: Place | None) -> Diagnostic:
    """RK0006, of one input or of all."""
    message = "spirv-val not found: the rules of SPIR-V itself were not checked"
    help = "install SPIRV-Tools (Debian: apt install spirv-tools) so that spirv-val is on PATH"
    return Diagnostic(NOT_ASKED, message, place, NOTE, help=help)


def judge(binary: bytes, name: str, environment: str | None = None, placed: bool = False) -> list[Diagnostic]:
    """RK0005 for each fault that spirv-val reports, RK0006 (a note) where it can't be asked. `placed` is whether the
    binary is what was read, so that a fault may point into it."""
    if sandboxes():
        message = "spirv-val was not asked, since the sandbox starts no outside programs"
        return [Diagnostic(NOT_ASKED, message, Place(name), NOTE)]
    program = find_validator()
    if program is None:
        return [not_found(Place(name))]
    import subprocess
    import tempfile

    target = environment if environment is not None else environment_of(binary)
    with tempfile.TemporaryDirectory(prefix="reknit-") as folder:
        path = os.path.join(folder, "module.spv")
        with open(path, "wb") as file:
            file.write(binary)
        try:
            most = seconds_left(SECONDS)
            with lifted():
                done = subprocess.run([program, "--target-env", target, path], capture_output=True, timeout=most)
        except (OSError, subprocess.TimeoutExpired) as error:
            look()
            return [Diagnostic(NOT_ASKED, f"spirv-val could not be run: {error}", Place(name), NOTE)]
    if done.returncode == 0:
        return []
    said = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace").strip().splitlines()
    if not said or not said[0].startswith(("error", "warning")):
        reason = said[0] if said else f"exit code {done.returncode}"
        return [Diagnostic(NOT_ASKED, f"spirv-val could not be run: {reason}", Place(name), NOTE)]
    newer = _newer(said[0])
    if newer:
        message = f"{validator_name(program)} is too old to judge the module: it doesn't know {newer}"
        return [Diagnostic(NOT_ASKED, message, Place(name), NOTE, help=_SINCE.get(newer, "install a newer one"))]
    fault = _diagnostic(said, name, f"judged for {target} by {validator_name(program)}")
    match = _LINE.match(said[0]) if placed else None
    if match is not None and fault.place is not None:
        fault.place.word = _word_of(binary, saturated(match["line"]))
    if binary[:4] == MAGIC[1]:
        fault.notes.append(Note(STRINGS))
    return [fault]


def _word_of(binary: bytes, number: int) -> int:
    """Where the instruction of a number begins, which counts from 1; -1 where there is none."""
    is_big = binary[:4] == MAGIC[1]
    at = HEADER_WORDS
    for _ in range(number - 1):
        size = int.from_bytes(binary[4 * at : 4 * at + 4], "big" if is_big else "little") >> 16
        if size == 0:
            return -1
        at += size
    return at if number > 0 and 4 * at < len(binary) else -1


def _newer(said: str) -> str:
    """What of SPIR-V the validator has never heard of; "" where its fault is another."""
    match = _UNKNOWN.search(said)
    if match is None:
        return ""
    value = saturated(match["value"])
    if match["kind"] is None:
        about = info(value)
        return f"Op{about.name}" if about is not None and value < FIRST_OWN else ""
    try:
        table = kind("".join(word.capitalize() for word in match["kind"].split()))
    except KeyError:
        return ""
    enumerant = table.of_value(value)
    return enumerant.name if enumerant is not None else ""


def _diagnostic(said: list[str], name: str, judged: str) -> Diagnostic:
    """The first line with its reason; what follows it as notes."""
    match = _LINE.match(said[0])
    text = match["text"] if match is not None else said[0].removeprefix("error: ")
    notes = [Note(line.strip()) for line in said[1:] if line.strip()]
    if match is not None:
        notes.append(Note(f"it is instruction {match['line']} of the module"))
    notes.append(Note(judged))
    return Diagnostic("RK0005", f"spirv-val: {text}", Place(name), ERROR, notes)
