"""Starting the driver's process, and what it means when it does not answer.

    request ─▶ python, with the driver's environment ─▶ answer
                    ├─ ended by a signal      RK1105, with the command of Vulkan that it was in
                    ├─ ran past the limit     RK1106; the process is ended
                    └─ says what is missing   RK1101, RK1102, RK1103, RK1104, RK1107, by what it is

Diagnostics name the device, once it was opened, and end with what the driver printed.
"""

import os
import signal
import subprocess
from typing import Final

from reknit.source.child import python_running, refuse_program
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.interrupt import look, seconds_left
from reknit.source.memory import lifted
from reknit.vulkan.protocol import Message, answer_in, packed
from reknit.vulkan.target import Target

START: Final = "from reknit.vulkan.child import main; sys.exit(main())"
ENDING: Final = 5.0  # seconds that an ended process may take to go
SAID: Final = 8  # lines of what the driver printed

INSTALL: Final = (
    "install a Vulkan loader and a driver (Debian: apt install libvulkan1 mesa-vulkan-drivers), or name a library "
    "with --libvulkan"
)


def ask(target: Target, message: Message, blobs: list[bytes], subgroup_size: int = 0) -> tuple[Message, list[bytes]]:
    """What the process answered. Raises InputError (RK11xx, RK0023)."""
    refuse_program("a Vulkan driver")
    message["library"] = target.library
    message["seconds"] = target.seconds
    with lifted():
        process = subprocess.Popen(
            python_running(START),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment_of(target, subgroup_size),
            start_new_session=True,
        )
    late = False
    try:
        most = seconds_left(target.seconds + target.grace, False)
        out, said = process.communicate(packed(message, blobs), timeout=most)
    except subprocess.TimeoutExpired:
        late = True
        process.kill()
        try:
            out, said = process.communicate(timeout=ENDING)
        except subprocess.TimeoutExpired as error:  # in the kernel, where no signal reaches it
            out, said = error.stdout or b"", error.stderr or b""
        look()
    except BaseException:
        process.kill()
        raise
    at, device, answer, blobs_back = answer_in(out)
    notes = [Note(f"it printed: {line}") for line in said.decode(errors="replace").splitlines()[-SAID:] if line.strip()]
    if answer is None:
        name = device or "the driver"
        if late:
            raise hung(name, at, target.seconds + target.grace, notes)
        raise crashed(name, at, process.returncode, notes)
    if not answer["ok"]:
        raise failed(answer, device, target, notes)
    return answer, blobs_back


def environment_of(target: Target, subgroup_size: int) -> dict[str, str]:
    """What is set for the driver's process. Mesa's software driver has subgroups as wide as its vectors, and a shader
    cache that does not distinguish widths; no other driver looks at these two."""
    environment = dict(os.environ)
    environment.update(target.environment)
    if 4 <= subgroup_size <= 16:
        environment["LP_NATIVE_VECTOR_WIDTH"] = str(32 * subgroup_size)
    if "LP_NATIVE_VECTOR_WIDTH" in environment:
        environment["MESA_SHADER_CACHE_DISABLE"] = "true"
    return environment


def hung(name: str, at: str, seconds: float, notes: list[Note]) -> InputError:
    message = f"{name} did not answer in {seconds:g} s, in {at or 'starting'}; its process was ended"
    help = "--seconds N gives it longer"
    return InputError([Diagnostic("RK1106", message, notes=notes, help=help)])


def crashed(name: str, at: str, code: int, notes: list[Note]) -> InputError:
    """A process that ended without an answer; a negative code is the signal's number."""
    how = f"exit code {code}"
    if code < 0:
        try:
            how = signal.Signals(-code).name
        except ValueError:
            how = f"signal {-code}"
    return InputError([Diagnostic("RK1105", f"{name} crashed in {at or 'starting'}: {how}", notes=notes)])


def failed(answer: Message, device: str, target: Target, notes: list[Note]) -> InputError:
    """The diagnostics of an answer that is a failure."""
    kind: str = answer["kind"]
    what: list[str] = answer["what"]
    if kind == "library":
        message = f"there is no Vulkan here: {what[0]}"
        return InputError([Diagnostic("RK1101", message, help=INSTALL)])
    if kind == "driver":
        return InputError([Diagnostic("RK1101", f"libvulkan finds no driver: {what[0]}", notes=notes, help=INSTALL)])
    if kind == "device":
        if not what:
            return InputError([Diagnostic("RK1101", "libvulkan finds no device", notes=notes, help=INSTALL)])
        message = f"no Vulkan device has {target.name!r} in its name"
        return InputError([Diagnostic("RK1102", message, help=f"there are: {', '.join(what)}")])
    if kind == "lacking":
        return InputError([Diagnostic("RK1103", f"{device} lacks {lacking}") for lacking in what])
    if kind == "size":
        return InputError([Diagnostic("RK1107", f"{device} lacks {lacking}") for lacking in what])
    if kind == "timeout":
        message = f"the shader did not end on {device} in {target.seconds:g} s"
        return InputError([Diagnostic("RK1106", message, notes=notes, help="--seconds N gives it longer")])
    if kind == "lost":
        message = f"{device} was lost: {what[0]}"
        return InputError([Diagnostic("RK1105", message, notes=notes)])
    return InputError([Diagnostic("RK1104", f"{device or 'the driver'}: {what[0]}", notes=notes)])
