"""What is known of a run, in one SQLite file: killed at any moment, it goes on from there.

    about     the file's version; which run this is, and whether it has finished
    tasks     an input a row, listed anew by each run; `key` and `verdict` once it is done
    results   by key: what a recipe makes of contents. `lasting` ones are for all runs, the others for the one that they
              are of: another run may have other limits

A result and that its input is done are one transaction. A state is one run's at a time: SQLite's lock is kept until the
end, and is gone with the process.
"""

import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator
from typing import Final, final

from reknit.batching.groups import group_of
from reknit.batching.inputs import Source
from reknit.batching.reply import Reply
from reknit.batching.verdicts import VERDICTS
from reknit.source.diagnostic import Diagnostic, InputError, Note
from reknit.source.ownership import folder_not_own, not_own
from reknit.source.place import Place

VERSION: Final = "1"
MAGIC: Final = 0x72656B6E  # SQLite's application id: "rekn"
TABLES: Final = """
CREATE TABLE IF NOT EXISTS about (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tasks (
    number INTEGER PRIMARY KEY, name BLOB, path BLOB, member INTEGER, place BLOB, origin BLOB UNIQUE, fault TEXT,
    key TEXT, verdict TEXT, family TEXT
);
CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY, round INTEGER, lasting INTEGER, used INTEGER, verdict TEXT, family TEXT, reply TEXT,
    output BLOB
);
CREATE UNIQUE INDEX IF NOT EXISTS places ON tasks (place) WHERE place IS NOT NULL;
"""
INSERT: Final = "INSERT INTO tasks (number, name, path, member, place, origin, fault) VALUES (?,?,?,?,?,?,?)"
BESIDE: Final = ("", "-wal", "-shm", "-journal")
"""Endings of the files that SQLite reads as one."""
NOWHERE: Final = ""
"""The path of a state that ends with its process: SQLite keeps it in a temporary file."""
PAGE: Final = 500
"""Tasks that are in memory at once."""
MAX_GROUPS: Final = 5_000
MAX_NAMED: Final = 1_000
"""Members with a name that an archive has more than once."""
DAYS: Final = 30
"""A result that no run has asked for in so long is dropped."""
A_DAY: Final = 86_400


@final
class Task:
    """An input of the run, by its number in the order of all."""

    __slots__ = ("number", "source")

    def __init__(self, number: int, source: Source) -> None:
        self.number = number
        self.source = source


@final
class Stored:
    """A result as it is kept: `reply` is its JSON. `is_new` is whether it was made since the state was opened."""

    __slots__ = ("verdict", "family", "reply", "output", "is_new")

    def __init__(self, verdict: str, family: str, reply: str, output: bytes | None, is_new: bool = True) -> None:
        self.verdict = verdict
        self.family = family
        self.reply = reply
        self.output = output
        self.is_new = is_new


@final
class State:
    """An open state file. Raises InputError: RK1407 (another run has it), RK1408 (it is something else, or others may
    have written it)."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.round = 0
        self.oldest_new = 0  # the row of the first result that is made from here on
        self.today = int(time.time()) // A_DAY
        self.connection: sqlite3.Connection
        whose = foreign(path)
        if whose:
            raise self.unusable(whose)
        try:
            self.connection = sqlite3.connect(path, timeout=0, isolation_level=None)
        except sqlite3.Error as error:
            raise self.unusable(str(error)) from None
        try:
            self._open()
        except sqlite3.OperationalError as error:
            self.close()
            if "locked" not in str(error):
                raise self.unusable(str(error)) from None
            message = f"the state {path} is in use by another run"
            help = "wait for it to end, or name another file with --state"
            raise InputError([Diagnostic("RK1407", message, Place(path), help=help)]) from None
        except sqlite3.DatabaseError as error:
            self.close()
            raise self.unusable(str(error)) from None

    def _open(self) -> None:
        run = self.connection.execute
        (magic,) = run("PRAGMA application_id").fetchone()
        (tables,) = run("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and magic != MAGIC:
            raise sqlite3.DatabaseError("it is a database of another program")
        run("PRAGMA locking_mode=EXCLUSIVE")
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=NORMAL")
        run("BEGIN IMMEDIATE")
        run(f"PRAGMA application_id={MAGIC}")
        for statement in TABLES.split(";"):
            run(statement)
        if self._about("version", VERSION) != VERSION:
            raise sqlite3.DatabaseError("it was written by another version of reknit")
        self._set("version", VERSION)
        run("COMMIT")

    def unusable(self, reason: str) -> InputError:
        message = f"the state {self.path} can't be used: {reason}"
        help = "name another file with --state; a state may be deleted, which only takes time"
        return InputError([Diagnostic("RK1408", message, Place(self.path), help=help)])

    def close(self) -> None:
        self.connection.close()

    def _about(self, name: str, otherwise: str) -> str:
        row = self.connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        return otherwise if row is None else str(row[0])

    def _set(self, name: str, value: str) -> None:
        self.connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (name, value))

    def begin(self, identity: str) -> bool:
        """Start a run, or go on with the one of that identity which has not finished: whether it goes on."""
        run = self.connection.execute
        goes_on = self._about("finished", "1") == "0" and self._about("identity", "") == identity
        self.round = int(self._about("round", "0")) + (0 if goes_on else 1)
        run("BEGIN IMMEDIATE")
        self._set("round", str(self.round))
        self._set("identity", identity)
        self._set("finished", "0")
        run("DELETE FROM tasks")
        run("DELETE FROM results WHERE NOT lasting AND round <> ?", (self.round,))
        (last,) = run("SELECT ifnull(max(rowid), 0) FROM results").fetchone()
        self.oldest_new = last + 1
        run("COMMIT")
        return goes_on

    def finish(self) -> None:
        """All inputs are done."""
        run = self.connection.execute
        run("BEGIN IMMEDIATE")
        self._set("finished", "1")
        run("DELETE FROM results WHERE used < ?", (self.today - DAYS,))
        run("COMMIT")

    def add(self, sources: Iterable[Source], placed: bool) -> tuple[int, list[str]]:
        """The inputs of the run, of which one that is named twice is one: how many, and the names of members that an
        archive has more than once, a thousand at most. Of these the last is the input: it is what unpacking leaves.
        Where outputs are `placed`, raises InputError (RK1406) for two at one place."""
        run = self.connection.execute
        run("BEGIN IMMEDIATE")
        number = 0
        replaced: dict[str, None] = {}
        for source in sources:
            place = os.fsencode(source.place) if placed and source.place else None
            fault = None if source.fault is None else Reply("", [source.fault]).text()
            origin = os.fsencode(source.origin())
            row = (
                number, os.fsencode(source.name), os.fsencode(source.path), source.member, place, origin, fault,
            )  # fmt: skip
            try:
                run(INSERT, row)
            except sqlite3.IntegrityError:
                before = run("SELECT member FROM tasks WHERE origin = ?", (origin,)).fetchone()
                if before is None:
                    raise self._clash(source, place) from None
                if before[0] != source.member and len(replaced) < MAX_NAMED:
                    replaced[source.name] = None
                if before[0] >= source.member:
                    continue
                run("DELETE FROM tasks WHERE origin = ?", (origin,))
                try:
                    run(INSERT, row)
                except sqlite3.IntegrityError:
                    raise self._clash(source, place) from None
            number += 1
        (count,) = run("SELECT count(*) FROM tasks").fetchone()
        run("COMMIT")
        return count, list(replaced)

    def _clash(self, source: Source, place: bytes | None) -> InputError:
        (other,) = self.connection.execute("SELECT name FROM tasks WHERE place = ?", (place,)).fetchone()
        return _one_place(f"two inputs would be written to {source.place}", os.fsdecode(other), source.name)

    def check_places(self, ignoring_case: bool) -> None:
        """Raises InputError (RK1406) for two outputs of which one is a folder of the other, or that differ in case
        alone where that is ignored. In this order a folder's name is followed by what lies in it."""

        def order(place: bytes) -> bytes:
            text = os.fsdecode(place)
            return os.fsencode(text.casefold() if ignoring_case else text).replace(b"/", b"\0")

        self.connection.create_function("place_order", 1, order)
        rows = self.connection.execute(
            "SELECT place_order(place) AS sorted, place, name FROM tasks WHERE place IS NOT NULL ORDER BY sorted"
        )
        before, before_place, before_name = b"", b"", b""
        for here, place, name in rows:
            names = os.fsdecode(before_name), os.fsdecode(name)
            first, second = os.fsdecode(before_place), os.fsdecode(place)
            if before and here == before:
                raise _one_place(f"two outputs would be one file, where case is ignored: {first} and {second}", *names)
            if before and here.startswith(before + b"\0"):
                raise _one_place(f"the output {first} would be a file, and the folder of {second}", *names)
            before, before_place, before_name = here, place, name

    def tasks(self) -> Iterator[Task]:
        """Those that aren't done, in order; a few in memory at once."""
        last = -1
        while True:
            rows = self.connection.execute(
                "SELECT number, name, path, member, place, fault FROM tasks WHERE number > ? AND key IS NULL "
                "ORDER BY number LIMIT ?",
                (last, PAGE),
            ).fetchall()
            for row in rows:
                yield Task(row[0], _source(row[1:]))
            if len(rows) < PAGE:
                return
            last = rows[-1][0]

    def stored(self, key: str) -> Stored | None:
        """What is known of a key."""
        row = self.connection.execute(
            "SELECT verdict, family, reply, output, used, rowid FROM results WHERE key = ?", (key,)
        ).fetchone()
        if row is None:
            return None
        if row[4] != self.today:
            self.connection.execute("UPDATE results SET used = ? WHERE key = ?", (self.today, key))
        output = None if row[3] is None else zlib.decompress(row[3])
        return Stored(row[0], row[1], row[2], output, row[5] >= self.oldest_new)

    def keep(self, tasks: Iterable[Task], key: str, reply: Reply, lasting: bool) -> Stored:
        """A result, and that these inputs are done with it."""
        run = self.connection.execute
        stored = Stored(reply.verdict, group_of(reply), reply.text(), reply.output)
        output = None if reply.output is None else zlib.compress(reply.output, 1)
        run("BEGIN IMMEDIATE")
        run(
            "INSERT OR REPLACE INTO results VALUES (?,?,?,?,?,?,?,?)",
            (key, self.round, int(lasting), self.today, stored.verdict, stored.family, stored.reply, output),
        )
        for task in tasks:
            self.done(task, key, stored)
        run("COMMIT")
        return stored

    def done(self, task: Task, key: str, stored: Stored) -> None:
        """An input has the result with that key."""
        self.connection.execute(
            "UPDATE tasks SET key = ?, verdict = ?, family = ? WHERE number = ?",
            (key, stored.verdict, stored.family, task.number),
        )

    def counts(self) -> dict[str, int]:
        """How many inputs have each verdict."""
        return dict(self.connection.execute("SELECT verdict, count(*) FROM tasks GROUP BY verdict"))

    def families(self) -> list[tuple[str, str, int]]:
        """(verdict, group, how many inputs) of the groups of equal failures: by verdict worst first, then the largest,
        then the one that comes first. At most MAX_GROUPS."""
        ranks = " ".join(f"WHEN '{verdict}' THEN {rank}" for rank, verdict in enumerate(VERDICTS))
        return self.connection.execute(
            "SELECT verdict, family, count(*) FROM tasks WHERE family <> '' GROUP BY verdict, family "
            f"ORDER BY CASE verdict {ranks} END, count(*) DESC, min(number) LIMIT {MAX_GROUPS}"
        ).fetchall()

    def rows(self, verdict: str = "", family: str = "", most: int = -1) -> Iterator[tuple[Task, str, Stored]]:
        """(task, key, result) of each input that is done, in order; of a group at most so many."""
        where = "WHERE tasks.verdict = ? AND tasks.family = ? " if family else ""
        cursor = self.connection.execute(
            "SELECT number, name, path, member, place, fault, tasks.key, results.verdict, results.family, reply, "
            f"output FROM tasks JOIN results ON results.key = tasks.key {where}ORDER BY number LIMIT ?",
            (verdict, family, most) if family else (most,),
        )
        for row in cursor:
            output = None if row[10] is None else zlib.decompress(row[10])
            yield Task(row[0], _source(row[1:6])), row[6], Stored(row[7], row[8], row[9], output)


def foreign(path: str) -> str:
    """Why others may have written the state at `path`, "" if they can't have. A missing one is made so that only the
    user may write it, even if the umask is 0."""
    if path == NOWHERE:
        return ""
    try:
        fault = folder_not_own(os.path.dirname(os.path.abspath(path)))
        if fault:
            return f"its folder: {fault}"
        for ending in BESIDE:
            if os.path.lexists(path + ending) and (fault := not_own(path + ending, links=False)):
                return fault if not ending else f"of {os.path.basename(path)}{ending}, {fault}"
        if not os.path.lexists(path):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o644))
    except FileExistsError:
        return ""  # another run has just made it, which the lock decides
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return ""


def _one_place(message: str, first: str, second: str) -> InputError:
    help = "leave one out with --exclude; of several INPUTs, the folder above them can be named in their place"
    return InputError([Diagnostic("RK1406", message, Place(second), notes=[Note(f"{first} and {second}")], help=help)])


def _source(row: tuple[bytes, bytes, int, bytes | None, str | None]) -> Source:
    from reknit.batching.reply import reply_of

    name, path, member, place, fault = row
    diagnostic = None if fault is None else reply_of(fault, None).diagnostics[0]
    return Source(os.fsdecode(name), os.fsdecode(path), member, os.fsdecode(place or b""), diagnostic)
