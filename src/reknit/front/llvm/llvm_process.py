"""The process that LLVM runs in (`printer`): started when it is first asked, and anew when it died.

    ask(TEXT, b"define ...")  ──▶  (PRINTED, "; ModuleID ...") or (REFUSED, "<string>:1:8: error: ...")
                              ──▶  Died: LLVM crashed, or ran too long

A process that forks asks through one of its own. It ends with the process that started it: its input ends then.
"""

import atexit
import os
import subprocess
import tempfile
import threading
from contextlib import suppress
from typing import IO, Final, final

from reknit.front.llvm.printer import HEAD
from reknit.source.child import python_running
from reknit.source.interrupt import look, seconds_left
from reknit.source.memory import lifted

SECONDS: Final = 120.0
_SERVE: Final = "from reknit.front.llvm.printer import serve; serve()"
_LONGEST: Final = 200


class Died(Exception):
    """Why: what LLVM said last, or how the process ended."""


@final
class _Process:
    """`said` is its standard error, `owner` its parent process."""

    def __init__(self) -> None:
        self.owner = os.getpid()
        self.said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self.late = False
        with lifted():
            self.running = subprocess.Popen(
                python_running(_SERVE),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.said,
            )

    def ask(self, kind: bytes, data: bytes) -> tuple[bytes, bytes]:
        """Raises Died."""
        given, out = self.running.stdin, self.running.stdout
        assert given is not None and out is not None
        watch = threading.Timer(seconds_left(SECONDS), self._end)
        watch.daemon = True
        watch.start()
        try:
            given.write(HEAD.pack(kind, len(data)))
            given.write(data)
            given.flush()
            head = out.read(HEAD.size)
            if len(head) == HEAD.size:
                status, length = HEAD.unpack(head)
                text = out.read(length)
                if len(text) == length:
                    return status, text
        except OSError:
            pass  # it died while it was asked: reported below
        finally:
            watch.cancel()
        reason = self.reason()
        look()
        raise Died(reason)

    def _end(self) -> None:
        self.late = True
        self.running.kill()

    def reason(self) -> str:
        code = self.running.wait()
        if self.late:
            return f"it took more than {SECONDS:.0f} seconds"
        self.said.seek(0)
        lines = [line.strip() for line in self.said.read().decode("utf-8", "replace").splitlines()]
        errors = [line.removeprefix("LLVM ERROR: ") for line in lines if line.startswith("LLVM ERROR: ")]
        if errors:
            return errors[-1][:_LONGEST]
        return f"it ended with {code}" if code >= 0 else f"it ended by signal {-code}"

    def close(self) -> None:
        for pipe in (self.running.stdin, self.running.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not written yet has no reader
                    pipe.close()
        if self.owner == os.getpid():
            self.running.wait()
        self.said.close()


@final
class _Keeper:
    def __init__(self) -> None:
        self.process: _Process | None = None
        self.lock = threading.Lock()

    def ask(self, kind: bytes, data: bytes) -> tuple[bytes, bytes]:
        with self.lock:
            if self.process is None or self.process.owner != os.getpid():
                self.process = _Process()
            try:
                return self.process.ask(kind, data)
            except Died:
                self.process.close()
                self.process = None
                raise

    def close(self) -> None:
        if self.process is not None and self.process.owner == os.getpid():
            self.process.close()
            self.process = None


_KEEPER: Final = _Keeper()
atexit.register(_KEEPER.close)


def ask(kind: bytes, data: bytes) -> tuple[bytes, str]:
    """(PRINTED or REFUSED, text). Raises Died."""
    status, text = _KEEPER.ask(kind, data)
    return status, text.decode("utf-8", "surrogateescape")
