"""Where jobs are done: the workers of a Dask cluster. Each of them keeps a worker process as `pool` has, so that
limits, deaths and retries are the same there.

    Cluster("tcp://host:8786")  ──▶  put(job) ──▶ a Dask task ──▶ LocalPool of one process, there ──▶ reply

A Dask worker that goes away takes its tasks with it: Dask gives them to the others. dask and distributed are imported
when a Cluster is made.
"""

import threading
from concurrent.futures import CancelledError
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Final, final

from reknit.batching.fingerprint import fingerprint, tools
from reknit.batching.job import HEAD, NO_BYTES, Job, frame, job_of, lengths
from reknit.batching.pool import LocalPool
from reknit.batching.recipe import recipe_of
from reknit.batching.reply import Reply, reply_of
from reknit.source.diagnostic import Diagnostic, InputError, Note

if TYPE_CHECKING:
    pass

EACH: Final = 3
"""Jobs under way for each thread of the cluster: one done, others on their way."""
SECONDS: Final = 10
PATIENCE: Final = 30
"""Seconds without a worker: one that is started anew may take as long."""
AGAIN: Final = "the same command goes on with what is left"
DEATHS: Final = 10
"""How many Dask workers may go away with a task before it is given up: that is not the input's fault."""

_OWN: Final = threading.local()


def answer(frame_of_job: bytes, version: str) -> bytes:
    """On a Dask worker: the frame of the reply. Raises RuntimeError where this is not the reknit that asks, or where it
    has other outside programs: results are kept as that one's."""
    text, _ = lengths(frame_of_job[:HEAD])
    job = job_of(frame_of_job[HEAD : HEAD + text], frame_of_job[HEAD + text :])
    if version != version_for(job):
        raise RuntimeError(OTHER)
    pool: LocalPool | None = getattr(_OWN, "pool", None)
    if pool is None:
        pool = _OWN.pool = LocalPool(1)
    pool.put(job)
    ((_, reply),) = pool.take()
    return frame(reply.text(), reply.output)


def version_for(job: Job) -> str:
    """Of reknit, and of what it asks to do the job."""
    return f"{fingerprint()} {tools(recipe_of(job.recipe).name, job.format or '')}"


OTHER: Final = "another reknit"


@final
class Cluster:
    """Raises InputError: RK1420 (distributed is not installed, or no scheduler answers at the address)."""

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            help = "pip install 'reknit[cluster]'"
            raise InputError(
                [
                    Diagnostic(
                        "RK1420", f"a cluster needs Dask's distributed, which can't be imported: {error}", help=help
                    )
                ]
            ) from None
        self.address = address
        self.client: Client[Any]
        try:
            self.client = Client(address, timeout=SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            help = "`dask scheduler` prints its address as it starts, such as tcp://127.0.0.1:8786"
            message = f"no scheduler of Dask answers at {address}: {error}"
            raise InputError([Diagnostic("RK1420", message, help=help)]) from None
        self.done: SimpleQueue[Any] = SimpleQueue()
        self.jobs: dict[str, Job] = {}
        self.most = EACH
        self._count()

    def _count(self) -> None:
        self.most = EACH * max(1, self._threads())

    def _threads(self) -> int:
        """Those that do jobs now. Raises InputError (RK1421) where the scheduler does not say."""
        said: SimpleQueue[Any] = SimpleQueue()

        def ask() -> None:
            try:
                said.put(self.client.scheduler_info(n_workers=-1)["workers"])
            except Exception as error:
                said.put(error)

        threading.Thread(target=ask, daemon=True).start()  # what was stopped, or is cut off, answers never
        try:
            workers = said.get(timeout=SECONDS)
        except Empty:
            workers = TimeoutError(f"it has not answered for {SECONDS} s")
        if isinstance(workers, Exception):
            raise self._lost(f"the scheduler at {self.address} is gone: {_first_line(workers)}")
        return sum(worker["nthreads"] for worker in workers.values())

    def room(self) -> bool:
        return len(self.jobs) < self.most

    def busy(self) -> bool:
        return bool(self.jobs)

    def put(self, job: Job) -> None:
        try:
            future = self.client.submit(answer, job.frame(), version_for(job), pure=False, retries=0)
        except Exception as error:  # a connection that ends has several
            raise self._lost(f"the scheduler at {self.address} is gone: {_first_line(error)}", job) from None
        self.jobs[future.key] = job
        future.add_done_callback(self.done.put)

    def take(self) -> list[tuple[Job, Reply]]:
        """Raises InputError (RK1421) where a Dask worker can't do jobs, or there is none."""
        idle = 0
        while True:
            try:
                future = self.done.get(timeout=SECONDS)
                got: bytes = future.result(timeout=SECONDS)
                break
            except Empty:
                pass
            except TimeoutError:  # its worker went away before it was asked for the result: it is done again
                future.add_done_callback(self.done.put)
            except Exception as error:
                raise self._failed(self.jobs.pop(future.key), error) from None
            idle = 0 if self._threads() else idle + 1
            if idle * SECONDS >= PATIENCE:
                raise self._lost(f"the cluster at {self.address} has had no worker for {PATIENCE} s")
        text, data = lengths(got[:HEAD])
        output = None if data == NO_BYTES else got[HEAD + text :]
        self._count()
        return [(self.jobs.pop(future.key), reply_of(got[HEAD : HEAD + text].decode(), output))]

    def _lost(self, message: str, job: Job | None = None) -> InputError:
        notes = [Note(f"it was to work on {job.name}")] if job is not None else []
        return InputError([Diagnostic("RK1421", message, notes=notes, help=AGAIN)])

    def _failed(self, job: Job, error: Exception) -> InputError:
        said = _first_line(error)
        if said == OTHER:
            message = f"a worker of the cluster at {self.address} has another reknit, or other programs that it asks"
            help = "install the same versions, with the same files, on all of them"
        elif isinstance(error, ImportError):
            message = f"a worker of the cluster at {self.address} can't import reknit: {said}"
            help = "install reknit in the environment of the workers"
        elif isinstance(error, OSError | CancelledError):
            return self._lost(f"the scheduler at {self.address} is gone: {said}", job)
        else:
            message = f"the cluster at {self.address} gave up an input: {said}"
            help = AGAIN
        return InputError([Diagnostic("RK1421", message, notes=[Note(f"it was working on {job.name}")], help=help)])

    def close(self) -> None:
        self.client.close(timeout=SECONDS)


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
