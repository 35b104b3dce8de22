"""Where jobs are done: worker processes of this machine. `cluster` has the other place, with the same verbs.

    put(job) while there is room() ──▶ take() ──▶ [(job, reply), ...] as they come, in any order

A worker that dies is replaced, and its input tried once more; one that passed a bound is not.
"""

import os
import time
from queue import Empty, SimpleQueue
from typing import Final, Protocol, final

from reknit.batching.fingerprint import fingerprint
from reknit.batching.job import Job
from reknit.batching.reply import Reply
from reknit.batching.verdicts import CRASHED, OUT_OF_MEMORY
from reknit.batching.worker import Died, Worker, reply_of_the_dead
from reknit.source.diagnostic import Diagnostic, InputError, InternalError

TRIES: Final = 2


class Place(Protocol):
    """Where jobs are done."""

    def room(self) -> bool:
        """Whether another job may be put."""

    def busy(self) -> bool:
        """Whether a reply is to come."""

    def put(self, job: Job) -> None:
        """Begin with it."""

    def take(self) -> list[tuple[Job, Reply]]:
        """Wait for at least one reply."""

    def close(self) -> None:
        """End what is going on."""


def processors() -> int:
    """How many this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@final
class LocalPool:
    """`size` worker processes, started with the first job each."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.idle: list[Worker] = []
        self.working: list[Worker] = []
        self.answers: SimpleQueue[tuple[Worker, Reply | None]] = SimpleQueue()

    def room(self) -> bool:
        return len(self.working) < self.size

    def busy(self) -> bool:
        return bool(self.working)

    def put(self, job: Job) -> None:
        while True:
            worker = self.idle.pop() if self.idle else self._new()
            try:
                worker.send(job)
                break
            except Died as died:  # ended from outside while it waited, or by what it had before
                worker.close()
                job.tries += 1
                if job.tries > TRIES:
                    raise InternalError(f"worker processes end before they get an input: {died.reason}") from None
        self.working.append(worker)

    def _new(self) -> Worker:
        """Raises InputError (RK0010) where the system starts no more processes."""
        try:
            worker = Worker(self.answers)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            message = f"-j {self.size}: worker process {len(self.working) + 1} can't be started: {reason}"
            help = "a smaller -j, or higher limits of the system (ulimit -n, ulimit -u)"
            raise InputError([Diagnostic("RK0010", message, help=help)]) from None
        try:
            worker.greet(fingerprint())
        except BaseException:
            worker.close()
            raise
        return worker

    def take(self) -> list[tuple[Job, Reply]]:
        done: list[tuple[Job, Reply]] = []
        while not done and self.working:
            next_deadline = min(worker.deadline for worker in self.working)
            wait = None if next_deadline == float("inf") else max(0.0, next_deadline - time.monotonic())
            try:
                worker, reply = self.answers.get(timeout=wait)
            except Empty:
                for late in self.working:
                    if late.deadline <= time.monotonic():
                        late.deadline = float("inf")
                        late.stop()
                continue
            answered = self._answered(worker, reply)
            if answered is not None:
                done.append(answered)
        return done

    def _answered(self, worker: Worker, reply: Reply | None) -> tuple[Job, Reply] | None:
        """What is said of the worker's input; None where it is tried once more, and of a worker that had none."""
        job = worker.job
        if worker not in self.working or job is None:
            return None
        self.working.remove(worker)
        if reply is None:
            died = worker.end()
            worker.close()
            job.tries += 1
            if died.verdict == CRASHED and job.tries < TRIES:
                self.put(job)
                return None
            return job, reply_of_the_dead(job, died)
        worker.answered(reply)
        if reply.verdict == OUT_OF_MEMORY or worker.is_tired(reply):
            worker.close()
        else:
            self.idle.append(worker)
        return job, reply

    def close(self) -> None:
        for worker in [*self.working, *self.idle]:
            worker.close()
        self.working.clear()
        self.idle.clear()
