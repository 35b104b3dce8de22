"""A run: every input through one recipe, each once.

    inputs ── listed ──▶ state
    task ── read, key ──▶ known? ──▶ done                      with the result of an equal input, or of an earlier run
                          worked on now? ──▶ waits for that
                          else ──▶ a place to work ──▶ reply ──▶ kept and done, output written

In memory are the inputs that are being worked on, however many there are.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from typing import Final, final

from reknit.batching.archives import Reader
from reknit.batching.inputs import Inputs, Source, all_are_outputs, read_file
from reknit.batching.job import MEMORY, SECONDS, Job
from reknit.batching.keys import Keyed, Keys, still_holds
from reknit.batching.outputs import Outputs, check_out, output_name
from reknit.batching.pool import LocalPool, Place, processors
from reknit.batching.recipe import WRITES, Recipe
from reknit.batching.reply import Reply
from reknit.batching.state import State, Stored, Task
from reknit.batching.verdicts import REFUSED
from reknit.files.streams import refuse_link
from reknit.source.diagnostic import InputError
from reknit.source.limits import Limits
from reknit.source.render import Lines

MAX_WAITING: Final = 500
"""Tasks that wait for one job: the same contents may be there a hundred thousand times."""

Listener = Callable[[int, int], None]
"""Hears how many inputs of how many are done."""


@final
class Plan:
    """What a run is: `out` is a folder, an archive, or "" where nothing is written; `jobs` of 0 are as many as there
    are processors; `cluster` is the address of a Dask scheduler, "" for this machine."""

    __slots__ = ("recipe", "inputs", "out", "jobs", "limits", "cluster")

    def __init__(
        self,
        recipe: Recipe,
        inputs: Inputs,
        out: str = "",
        jobs: int = 0,
        limits: Limits | None = None,
        cluster: str = "",
    ) -> None:
        self.recipe = recipe
        self.inputs = inputs
        self.out = out
        self.jobs = jobs
        self.limits = limits if limits is not None else Limits(seconds=SECONDS, memory=MEMORY)
        self.cluster = cluster

    def identity(self, keys: Keys) -> str:
        """The same for the same command."""
        words = [keys.identity(), self.out, *self.inputs.given, "", *self.inputs.exclude.patterns]
        return "\0".join(words).encode("utf-8", "backslashreplace").decode()  # names need not be UTF-8

    def place(self) -> Place:
        """Where its jobs are done. Raises InputError (RK1420)."""
        if self.cluster:
            from reknit.batching.cluster import Cluster

            return Cluster(self.cluster)
        return LocalPool(self.jobs or processors())


def quoted(plan: Plan) -> Lines:
    """The files whose lines a report may show: debug information may name any, which a sandbox doesn't trust."""
    if plan.limits.sandbox:
        return {}
    from reknit.files.streams import lines_of

    return lines_of


@final
class Ran:
    """How a run went: how many inputs there were; how many results were `known` before it, and how many are those of
    an `equal` input of the same run; members of archives that a later one of the same name `replaced`; whether it went
    on with a run that was ended."""

    __slots__ = ("total", "known", "equal", "replaced", "resumed")

    def __init__(self) -> None:
        self.total = 0
        self.known = 0
        self.equal = 0
        self.replaced: list[str] = []
        self.resumed = False


def run(plan: Plan, state: State, listen: Listener | None = None) -> Ran:
    """Do what isn't done. Raises InputError; what was done until then, or until an interrupt, stays in the state."""
    ran = Ran()
    try:
        _run(plan, state, listen, ran)
    except sqlite3.Error as error:  # a full disk, or a file that was changed by something else
        raise state.unusable(str(error)) from None
    return ran


def _run(plan: Plan, state: State, listen: Listener | None, ran: Ran) -> None:
    if plan.out:
        check_out(plan.out)
    keys = Keys(plan.recipe, plan.limits)
    ran.resumed = state.begin(plan.identity(keys))
    outputs = Outputs(plan.out, plan.recipe.written()) if plan.out and plan.recipe.name in WRITES else None
    ran.total, ran.replaced = state.add(_sources(plan, outputs), outputs is not None)
    if ran.total == 0 and outputs is not None and outputs.held:
        raise all_are_outputs(plan.out)
    if outputs is not None:
        outputs.begin(state)
    place = plan.place()
    try:
        _Going(plan, state, keys, outputs, place, ran, listen).on()
    finally:
        place.close()
    if outputs is not None:
        outputs.finish(state)
    state.finish()


def _sources(plan: Plan, outputs: Outputs | None) -> Iterator[Source]:
    """The inputs, each with the name of its output."""
    for source in plan.inputs.sources():
        if outputs is None:
            yield source
        elif not outputs.holds(source):
            if source.place:
                source.place = output_name(source.place, outputs.format)
            source.fault = source.fault or outputs.refuses(source)
            yield source


@final
class _Going:
    """A run under way. `waiting` has the tasks with the contents of a job that is being done, by its key."""

    __slots__ = (
        "plan", "state", "keys", "outputs", "place", "ran", "listen", "contents", "waiting", "keyed", "done", "text",
    )  # fmt: skip

    def __init__(
        self,
        plan: Plan,
        state: State,
        keys: Keys,
        outputs: Outputs | None,
        place: Place,
        ran: Ran,
        listen: Listener | None,
    ) -> None:
        self.plan = plan
        self.state = state
        self.keys = keys
        self.outputs = outputs
        self.place = place
        self.ran = ran
        self.listen = listen
        self.contents = Contents(plan.limits)
        self.waiting: dict[str, list[Task]] = {}
        self.keyed: dict[int, Keyed] = {}
        self.done = 0
        self.text = plan.recipe.text()

    def on(self) -> None:
        """Until every task is done."""
        try:
            for task in self.state.tasks():
                self.begin(task)
            while self.place.busy():
                self.collect()
        finally:
            self.contents.close()

    def begin(self, task: Task) -> None:
        """One task: done at once, waiting for another, or a job."""
        source = task.source
        try:
            if source.fault is not None:
                raise InputError([source.fault])
            keyed = self.keys.of(source, self.contents.of(source))
        except InputError as error:
            self.keep([task], f"unread {task.number}", Reply(REFUSED, error.diagnostics), False)
            return
        if keyed.key in self.waiting:
            self.waiting[keyed.key].append(task)
            self.ran.equal += 1
            while len(self.waiting.get(keyed.key, ())) > MAX_WAITING:
                self.collect()
            return
        stored = self.state.stored(keyed.key)
        if stored is not None and still_holds(stored):
            self.state.done(task, keyed.key, stored)
            if stored.is_new:
                self.ran.equal += 1
            else:
                self.ran.known += 1
            self.write([task], stored)
            return
        while not self.place.room():
            self.collect()
        self.waiting[keyed.key] = [task]
        self.keyed[task.number] = keyed
        limits = self.plan.limits
        self.place.put(Job(task.number, self.text, keyed.data, keyed.format, keyed.shown, keyed.path, limits))

    def collect(self) -> None:
        """Wait for replies, and keep them."""
        for job, reply in self.place.take():
            keyed = self.keyed.pop(job.number)
            self.keep(self.waiting.pop(keyed.key), keyed.key, reply, keyed.is_lasting(reply))

    def keep(self, tasks: list[Task], key: str, reply: Reply, lasting: bool) -> None:
        self.write(tasks, self.state.keep(tasks, key, reply, lasting))

    def write(self, tasks: list[Task], stored: Stored) -> None:
        """What is to be written of tasks that are done. A run that is ended before goes through here again."""
        for task in tasks:
            if self.outputs is not None and stored.output is not None:
                self.outputs.put(task.source, stored.output)
            self.done += 1
            if self.listen is not None:
                self.listen(self.done, self.ran.total)


@final
class Contents:
    """What inputs hold; the archive that was read last stays open."""

    __slots__ = ("limits", "reader", "at")

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.reader: Reader | None = None
        self.at = -1

    def of(self, source: Source) -> bytes:
        """Raises InputError (RK0001, RK0023, RK1402, RK1405)."""
        if source.member < 0:
            if self.limits.sandbox:
                with Limits(sandbox=True, roots=self.limits.roots):
                    refuse_link(source.path)
            return read_file(source.path)
        if self.reader is None or self.reader.path != source.path or source.member <= self.at:
            self.close()
            self.reader = Reader(source.path)
        self.at = source.member
        return self.reader.read(source.member, source.name.removeprefix(source.path.replace(os.sep, "/") + "/"))

    def close(self) -> None:
        if self.reader is not None:
            self.reader.close()
            self.reader = None
