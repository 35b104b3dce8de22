"""An outside command as the judge of a module.

    "grep -q Ballot {}"     {} is a file with the module; without {} the file is the last word
    exit code 0             what is looked for is there
"""

import os
import shlex
import signal
import subprocess
import tempfile
from contextlib import suppress
from typing import Final, final

from reknit.files.save import save_bytes
from reknit.ir.module import Module
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.memory import lifted

PLACE: Final = "{}"
SECONDS: Final = 300.0


@final
class Outside:
    """Asks `command` about modules, which it gets as files of `format` (spv, spvasm or rk). `asked` counts, `ended`
    those of them for which it took too long."""

    __slots__ = ("command", "format", "seconds", "asked", "ended")

    def __init__(self, command: str, format: str, seconds: float = SECONDS) -> None:
        self.command = command
        self.format = format
        self.seconds = seconds
        self.asked = 0
        self.ended = 0

    def __call__(self, module: Module) -> bool:
        """Whether the command ends with 0. A module that its format has no words for is none that is looked for."""
        try:
            data = save_bytes(module, self.format)
        except InputError:
            return False
        return self.of_bytes(data)

    def of_bytes(self, data: bytes) -> bool:
        """The same, of a file's contents. One that takes longer than `seconds` counts as not found.

        Raises InputError (RK1311) where the command can't be run at all.
        """
        self.asked += 1
        with tempfile.TemporaryDirectory(prefix="reknit-") as folder:
            path = os.path.join(folder, f"module.{self.format}")
            with open(path, "wb") as file:
                file.write(data)
            quoted = shlex.quote(path)
            line = self.command.replace(PLACE, quoted) if PLACE in self.command else f"{self.command} {quoted}"
            try:
                with lifted():
                    code, errors = _run(line, self.seconds)
            except subprocess.TimeoutExpired:
                self.ended += 1
                return False
            except OSError as error:
                raise InputError([Diagnostic("RK1311", f"the command can't be run: {error}")]) from None
        if code in (126, 127):  # what a shell says of a command that it can't run or find
            said = errors.decode("utf-8", "replace").strip().splitlines()
            message = f"the command can't be run: {said[-1] if said else self.command}"
            raise InputError([Diagnostic("RK1311", message)])
        return code == 0


def _run(line: str, seconds: float) -> tuple[int, bytes]:
    """The exit code and what it said of a shell's command. It ends with all that it started, whatever ends the wait.
    Raises OSError, TimeoutExpired."""
    process = subprocess.Popen(
        line,
        shell=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        errors = process.communicate(timeout=seconds)[1]
    except BaseException:
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.communicate()
        raise
    return process.returncode, errors
