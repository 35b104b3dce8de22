"""Many files, each judged in a worker process within limits of its own, as `batch` does it.

    with Many(options, "lint", {...}) as many:
        many.run()         .reknit/lint.sqlite has what is known of files that did not change
        many.items()       what is said of each file, in their order
"""

import os
from argparse import Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, final

from reknit.cli.input import stage_of
from reknit.cli.limiting import limits_given
from reknit.cli.misuse import misuse
from reknit.cli.progress import Progress
from reknit.cli.terminal import remark
from reknit.files.formats import STANDARD
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.batching.reports import Item
    from reknit.batching.state import State
    from reknit.source.limits import Limits

INTERRUPTED: Final = 130


@final
class Many:
    """What became of each file, in their order, once the run is done."""

    __slots__ = ("plan", "state")

    def __init__(self, options: Namespace, recipe: str, given: dict[str, Any]) -> None:
        """Raises InputError and Misuse for what can't be done whatever the files hold."""
        from reknit.batching.batch import Plan
        from reknit.batching.inputs import Inputs
        from reknit.batching.recipe import recipe as recipe_named

        if STANDARD in options.files:
            raise misuse("RK0010", "standard input is judged alone, and other files are named beside it")
        exclude = [*(options.exclude or []), *(options.extend_exclude or [])]
        chosen = recipe_named(recipe, **reading_of(options), **given)
        inputs = Inputs(options.files, exclude, options.from_format is not None, True, options.respect_gitignore)
        self.plan: Plan = Plan(chosen, inputs, "", jobs_of(options), limits_of_each(options))
        self.state: State = _cache(options, recipe)

    def __enter__(self) -> "Many":
        return self

    def __exit__(self, *_: object) -> None:
        self.state.close()

    def run(self, quiet: bool = False) -> None:
        """Raises KeyboardInterrupt, which says how far it came."""
        from reknit.batching.batch import run

        progress = Progress("files", 0, quiet)

        def listen(done: int, total: int) -> None:
            progress.total = total
            progress.at(done)

        try:
            run(self.plan, self.state, listen)
        except KeyboardInterrupt:
            counts = self.state.counts()
            done = sum(count for verdict, count in counts.items() if verdict is not None)
            kept = ", which the next run knows" if self.state.path else ""
            raise KeyboardInterrupt(f"when {done} of {sum(counts.values())} files were judged{kept}") from None
        finally:
            progress.clear()

    def items(self) -> "Iterator[Item]":
        from reknit.batching.reports import items

        return items(self.state)


def _cache(options: Namespace, recipe: str) -> "State":
    """What is known of earlier runs. Where there is to be nothing of them, another run has it, or it lies with files
    that aren't trusted: a state that ends with this run."""
    from reknit.batching.state import NOWHERE, State

    if not options.cache or options.sandbox:
        return State(NOWHERE)
    try:
        make_cache(options.cache_dir)
        return State(os.path.join(options.cache_dir, f"{recipe}.sqlite"))
    except InputError as error:
        (fault,) = error.diagnostics
        if fault.code != "RK1407":  # another run is usual: an editor's, a commit's
            remark(f"results are not kept in {options.cache_dir}: {fault.message}\n")
        return State(NOWHERE)


def make_cache(folder: str) -> None:
    """The folder for what is known, in which git tracks nothing. Raises InputError (RK0007)."""
    from reknit.files.streams import write_bytes
    from reknit.source.diagnostic import Diagnostic
    from reknit.source.place import Place

    if os.path.isdir(folder):
        return
    try:
        os.makedirs(folder, mode=0o755, exist_ok=True)  # others may not write it, even if the umask is 0
    except OSError as error:
        message = f"the folder {folder} can't be made: {(error.strerror or str(error)).lower()}"
        help = "--state FILE names another place (of lint and check --cache-dir FOLDER)"
        raise InputError([Diagnostic("RK0007", message, Place(folder), help=help)]) from None
    write_bytes(os.path.join(folder, ".gitignore"), b"*\n")


def jobs_of(options: Namespace) -> int:
    """-j. Raises Misuse (RK0010)."""
    if options.jobs < 0:
        raise misuse("RK0010", f"-j {options.jobs}: it is a number of worker processes")
    return int(options.jobs)


def reading_of(options: Namespace) -> dict[str, Any]:
    """How inputs are read, as a recipe has it. Raises Misuse (RK0010)."""
    return {
        "from": options.from_format,
        "defines": macros_of(options.defines or []),
        "include": options.include,
        "conformance": conformances_of(options.conformance or []),
        "buffer_layout": options.buffer_layout,
        "matrix_layout": options.matrix_layout,
        "bit_fields": options.bit_fields,
        "stage": stage_of(options) or None,
        "target_env": options.target_env,
    }


def limits_of_each(options: Namespace) -> "Limits":
    """What is given, and for the rest what is usual."""
    from reknit.batching.job import MEMORY, SECONDS
    from reknit.source.limits import Limits

    given = limits_given(options)
    if given is None:
        return Limits(seconds=SECONDS, memory=MEMORY)
    return Limits(
        seconds=given.seconds if given.seconds is not None else SECONDS,
        memory=given.memory if given.memory is not None else MEMORY,
        nodes=given.nodes,
        sandbox=given.sandbox,
        roots=given.roots,
    )


def macros_of(given: list[str]) -> dict[str, str]:
    """-D NAME=TEXT, or NAME for 1."""
    parts = [setting.partition("=") for setting in given]
    return {name: text if equals else "1" for name, equals, text in parts}


def conformances_of(given: list[str]) -> list[list[Any]]:
    """--conformance TYPE:INTERFACE=N. Raises Misuse (RK0010)."""
    if not given:
        return []
    from reknit.front.slang.compile import conformance_of

    named: list[list[Any]] = []
    for setting in given:
        conformance = conformance_of(setting)
        if conformance is None:
            raise misuse("RK0010", f"--conformance {setting}: it is TYPE:INTERFACE or TYPE:INTERFACE=NUMBER")
        named.append(list(conformance))
    return named
