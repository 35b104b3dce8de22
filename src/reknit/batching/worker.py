"""A worker process as its parent sees it: what it is given, what it answers, and what it means when it doesn't.

send(job) ──▶ read() ──▶ Reply                     it answered
                     ──▶ None                      part of an answer
                     ──▶ raises Died               by which signal or exit code, and what it said last
"""

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Final, final

from reknit.batching.job import HEAD, NO_BYTES, Job, clock_seconds, lengths
from reknit.batching.reply import Reply, reply_of
from reknit.batching.verdicts import CRASHED, OUT_OF_MEMORY, OUT_OF_TIME
from reknit.source.child import python_running
from reknit.source.diagnostic import Diagnostic, InternalError, Note
from reknit.source.memory import lifted
from reknit.source.place import Place

START: Final = "from reknit.batching.serve import serve; serve()"
ENDING: Final = 5.0
"""Seconds that a process which has closed its output may take to end."""
SAID: Final = 4096  # bytes of standard error that are looked at
HOARD: Final = 256 << 20
"""A worker that keeps so much more than at its start, and ..."""
JOBS: Final = 5_000
"""one that had so many inputs, is replaced: what compiled code leaks is bounded."""
NO_MEMORY: Final = ("MemoryError", "out of memory", "bad_alloc")


class Died(Exception):
    """`verdict` says whether a bound was passed."""

    def __init__(self, verdict: str, reason: str) -> None:
        super().__init__(reason)
        self.verdict = verdict
        self.reason = reason


@final
class Worker:
    """`job` is what it works on, None while it waits; `deadline` is when it is given up, by the clock. What it answers
    goes to `answers` by a thread of its own: (worker, reply), with None where it is gone."""

    def __init__(self, answers: "SimpleQueue[tuple[Worker, Reply | None]]") -> None:
        self.answers = answers
        self.said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        try:
            with lifted():
                self.process = subprocess.Popen(
                    python_running(START),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self.said,
                    start_new_session=True,  # Ctrl-C is for the parent, which ends its workers
                )
        except OSError:
            self.said.close()
            raise
        self.job: Job | None = None
        self.deadline = float("inf")
        self.late = False
        self.count = 0
        self.light = 0
        self.reader = threading.Thread(target=self._read_all, daemon=True)

    def greet(self, fingerprint: str) -> None:
        """Wait for its first word. Raises InternalError where it doesn't start, or is another reknit."""
        text, _ = self._frame()
        if not text:
            raise InternalError(f"a worker process could not be started: {self.end().reason}")
        if json.loads(text)["fingerprint"] != fingerprint:
            raise InternalError("reknit was changed while it ran: its workers are another version than it is")
        self.reader.start()

    def send(self, job: Job) -> None:
        """Raises Died where it is gone."""
        assert self.process.stdin is not None
        self.job = job
        limit = clock_seconds(job.limits)
        self.deadline = time.monotonic() + limit if limit is not None else float("inf")
        try:
            self.process.stdin.write(job.frame())
            self.process.stdin.flush()
        except OSError:
            raise self.end() from None

    def _read_all(self) -> None:
        while True:
            text, data = self._frame()
            if not text:
                self.answers.put((self, None))
                return
            self.answers.put((self, reply_of(text.decode(), data)))

    def _frame(self) -> tuple[bytes, bytes | None]:
        """Empty where the output has ended, also in the middle."""
        out = self.process.stdout
        assert out is not None
        try:
            head = out.read(HEAD)
            if len(head) < HEAD:
                return b"", None
            length, more = lengths(head)
            text, data = out.read(length), out.read(max(more, 0))
        except (OSError, ValueError):  # closed by `close`
            return b"", None
        if len(text) + len(data) < length + max(more, 0):
            return b"", None
        return text, None if more == NO_BYTES else data

    def answered(self, reply: Reply) -> None:
        """It waits again."""
        self.job = None
        self.deadline = float("inf")
        self.count += 1
        self.light = min(self.light or reply.held, reply.held)

    def is_tired(self, reply: Reply) -> bool:
        """Whether it should be replaced after this reply."""
        return self.count >= JOBS or reply.held - self.light > HOARD

    def stop(self) -> None:
        """End a worker that is past its deadline; `end` says so then."""
        self.late = True
        self._kill()

    def end(self) -> Died:
        """It is gone, or has closed its output: why."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(ENDING)
        self.process.kill()
        code = self.process.wait()
        self.said.seek(0, os.SEEK_END)
        self.said.seek(max(0, self.said.tell() - SAID))
        lines = [line.strip() for line in self.said.read().decode("utf-8", "replace").splitlines() if line.strip()]
        last = f": {lines[-1][:200]}" if lines else ""
        if self.late or -code == getattr(signal, "SIGPROF", 0):
            return Died(OUT_OF_TIME, "it took too long")
        if any(word in line for word in NO_MEMORY for line in lines[-3:]):
            return Died(OUT_OF_MEMORY, "it took too much memory")
        if code < 0:
            with suppress(ValueError):
                return Died(CRASHED, f"it was ended by {signal.Signals(-code).name}{last}")
        return Died(CRASHED, f"it ended with exit code {code}{last}")

    def _kill(self) -> None:
        """With what it has started."""
        if self.process.returncode is None and hasattr(os, "killpg"):
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()

    def close(self) -> None:
        """Nothing more is wanted of it."""
        self._kill()
        if self.reader.is_alive():
            self.reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was not written yet has no reader
                    pipe.close()
        self.process.wait()
        self.said.close()


def reply_of_the_dead(job: Job, died: Died) -> Reply:
    """What is said of an input whose worker ended."""
    place = Place(job.name)
    limits = job.limits
    if died.verdict == OUT_OF_TIME:
        message = f"the limit of {limits.seconds:g} s of processor time was exceeded"
        help = "--max-seconds N gives it longer, where the input is worth it"
        return Reply(OUT_OF_TIME, [Diagnostic("RK0020", message, place, help=help)])
    if died.verdict == OUT_OF_MEMORY:
        what = f"the limit of {limits.memory >> 20} MiB" if limits.memory is not None else "what the machine has"
        help = "--max-memory N allows more, where the input is worth it"
        return Reply(OUT_OF_MEMORY, [Diagnostic("RK0021", f"{what} of memory was exceeded", place, help=help)])
    message = f"the worker process died twice on this input: {died.reason}"
    note = Note("the other inputs were not affected")
    return Reply(CRASHED, [Diagnostic("RK1410", message, place, notes=[note])])
