"""A Python process for what may crash, hang or take all memory: started at the first request, and again if it has died.

    llvm = Resident("from reknit.front.llvm.printer import main; main()")
    llvm.ask(b"t", b"define ...")  ──▶  (b"k", b"; ModuleID ...")
                                   ──▶  Died: it crashed, or took too long

`code` answers requests by `source/answering.py`. After a fork the forked process starts one of its own. Whatever ends a
request early (an interrupt or a limit, for instance) kills the process, too, within a second, whatever it is doing. It
ends with the process that started it.
"""

import atexit
import os
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress
from time import monotonic
from typing import IO, Final, final

from reknit.source.answering import ANSWERED, ASKED
from reknit.source.child import python_running
from reknit.source.interrupt import look, memory_left, seconds_left, waited
from reknit.source.memory import lifted

SECONDS: Final = 120.0
_MAX_LENGTH: Final = 200


class Died(Exception):
    """Why: what it said last, or how it ended."""


@final
class _Process:
    """`said` is its standard error, `owner` its parent process."""

    def __init__(self, code: str, files: tuple[int, ...]) -> None:
        """Raises OSError."""
        self.owner = os.getpid()
        self.said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self.late: float | None = None
        with lifted():
            self.running = subprocess.Popen(
                python_running(code, *map(str, files)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.said,
                pass_fds=files,
            )

    def ask(self, kind: bytes, data: bytes, seconds: float) -> tuple[bytes, bytes]:
        """Raises Died."""
        given, out = self.running.stdin, self.running.stdout
        assert given is not None and out is not None
        watch = threading.Timer(seconds_left(seconds), self._end, [seconds])
        watch.daemon = True
        start = monotonic()
        try:
            watch.start()
        except RuntimeError as error:
            raise Died(f"it can't be watched: {error}") from None
        try:
            given.write(ASKED.pack(kind, len(data), memory_left()))
            given.write(data)
            given.flush()
            head = out.read(ANSWERED.size)
            if len(head) == ANSWERED.size:
                status, length = ANSWERED.unpack(head)
                reply = out.read(length)
                if len(reply) == length:
                    return status, reply
        except OSError:
            pass  # it died while it was asked: reported below
        finally:
            watch.cancel()
            waited(monotonic() - start)
        reason = self.reason()
        look()
        raise Died(reason)

    def _end(self, seconds: float) -> None:
        self.late = seconds
        self.running.kill()

    def reason(self) -> str:
        code = self.running.wait()
        if self.late is not None:
            return f"it took more than {self.late:.0f} seconds"
        self.said.seek(0)
        lines = [line.strip() for line in self.said.read().decode("utf-8", "replace").splitlines()]
        errors = [line.removeprefix("LLVM ERROR: ") for line in lines if line.startswith("LLVM ERROR: ")]
        if errors:
            return errors[-1][:_MAX_LENGTH]
        return f"it exited with code {code}" if code >= 0 else f"it was killed by signal {_signal_text(-code)}"

    def has_ended(self) -> bool:
        return self.owner == os.getpid() and self.running.poll() is not None

    def close(self) -> None:
        """Ends it, whatever it is at."""
        if self.owner == os.getpid():
            self.running.kill()
        for pipe in (self.running.stdin, self.running.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not written yet has no reader
                    pipe.close()
        if self.owner == os.getpid():
            self.running.wait()
        self.said.close()


def _signal_text(number: int) -> str:
    """`11 (SIGSEGV)`."""
    try:
        return f"{number} ({signal.Signals(number).name})"
    except ValueError:  # a real-time signal
        return str(number)


@final
class Resident:
    """`starts` counts the processes there were: what one keeps, the next does not have. `files` are descriptors that
    the process inherits, whose numbers are its arguments."""

    def __init__(self, code: str, files: tuple[int, ...] = ()) -> None:
        self.code = code
        self.files = files
        self.starts = 0
        self.process: _Process | None = None
        self.asked = False
        """Whether the process has a request that it hasn't answered: what comes next from it answers that one."""
        self.owner = os.getpid()
        self._lock = threading.RLock()
        atexit.register(self.close)

    def lock(self) -> threading.RLock:
        """Of this process: where it forked, another thread may have held the lock, and isn't there to let it go."""
        if self.owner != os.getpid():
            self.owner = os.getpid()
            self._lock = threading.RLock()
        return self._lock

    def start(self) -> None:
        """It is ready the sooner when it is asked. Raises Died where there can't be one."""
        with self.lock():
            known = self.process
            if known is not None and (self.asked or known.has_ended()):
                self.close()
            if self.process is None or self.process.owner != os.getpid():
                self.asked = False
                try:
                    self.process = _Process(self.code, self.files)
                except OSError as error:
                    raise Died(f"it can't be started: {error.strerror or error}") from None
                self.starts += 1

    def ask(self, kind: bytes, data: bytes, seconds: float = SECONDS) -> tuple[bytes, bytes]:
        """Raises Died."""
        with self.lock():
            self.start()
            assert self.process is not None
            self.asked = True
            try:
                reply = self.process.ask(kind, data, seconds)
                self.asked = False
                return reply
            finally:
                if self.asked:  # a second interrupt may keep this from being done: `start` does it then
                    self.close()

    def close(self) -> None:
        process, self.process = self.process, None
        if process is not None and process.owner == os.getpid():
            process.close()
