"""`reknit.batch`: a run as a script asks for it."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from reknit.batching.batch import Plan, quoted, run
from reknit.batching.inputs import Inputs
from reknit.batching.outputs import check_out
from reknit.batching.pictures import pictures_of
from reknit.batching.recipe import WRITES, recipe
from reknit.batching.reports import check_report, write_report
from reknit.batching.result import NAME, Batch
from reknit.batching.state import State
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.source.limits import Limits

_Path = str | os.PathLike[str]


def batch(
    name: str,
    inputs: Sequence[_Path],
    out: _Path | None,
    jobs: int,
    state: _Path | None,
    cluster: str | None,
    limits: Limits | None,
    exclude: Sequence[str],
    reports: Sequence[_Path],
    pictures: bool,
    options: Mapping[str, object],
) -> Batch:
    """Raises InputError."""
    chosen = recipe(name, **{option: _plain(value) for option, value in options.items()})
    if out is not None and name not in WRITES:
        message = f"the recipe {name} writes nothing, so that there is no out"
        raise InputError([Diagnostic("RK0010", message, help=f"recipes that do: {', '.join(WRITES)}")])
    if out is not None:
        check_out(os.fspath(out))
    if jobs < 0:
        raise InputError([Diagnostic("RK0010", f"jobs={jobs}: it is a number of worker processes")])
    paths = [os.fspath(path) for path in reports]
    for path in paths:
        check_report(path)
    words = [os.fspath(path) for path in inputs]
    given = Inputs(words, exclude, "from" in chosen.options)
    plan = Plan(chosen, given, os.fspath(out) if out is not None else "", jobs, limits, cluster or "")
    folder = tempfile.TemporaryDirectory(prefix="reknit-") if state is None else None
    kept = State(os.path.join(folder.name, NAME) if folder is not None else os.fspath(state or ""))
    try:
        done = Batch(kept, run(plan, kept), folder)
        drawn = pictures_of(plan, kept) if pictures else {}
        for path in paths:
            write_report(path, kept, f"reknit batch {name} {' '.join(words)}", drawn, quoted(plan))
        return done
    finally:
        kept.close()


def _plain(value: Any) -> Any:
    """An option as JSON has it: the bytes and numbers of buffers, keys that are ids."""
    if isinstance(value, bytes | bytearray):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if hasattr(value, "tolist"):  # an array, or a number of one
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, list | tuple | range):
        return [_plain(each) for each in value]
    return value
