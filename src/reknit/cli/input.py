"""The options of a command that reads a file, and reading it.

    FILE [--from FORMAT]   ->   module

The contents stay with the options, so that a crash can keep the input it came from, standard input too.
"""

from argparse import ArgumentParser, Namespace

from reknit.cli.terminal import complain
from reknit.front.files import read_bytes, shown_name
from reknit.front.formats import READ, STANDARD, read_format
from reknit.front.load import load_bytes
from reknit.ir.module import Module
from reknit.source.diagnostic import ERROR, WARNING


def add_input(parser: ArgumentParser) -> None:
    """FILE and --from."""
    parser.add_argument("file", metavar="FILE", help="what to read; - is standard input")
    parser.add_argument("--from", dest="from_format", metavar="FORMAT", choices=READ, help=f"one of {', '.join(READ)}")


def load_input(options: Namespace, quiet: bool = False, placed: bool = False) -> Module:
    """The module in FILE; what reading it had to say goes to standard error unless `quiet`. `placed` is as for
    `front.load.load_bytes`. Raises InputError."""
    module = load(options, options.file, placed)
    for note in module.notes:
        if note.severity == ERROR:  # `check` judges; here it only means that passes will leave a function alone
            note.severity = WARNING
    if not quiet:
        complain(module.notes)
    return module


def load(options: Namespace, path: str, placed: bool = False) -> Module:
    """The module in `path`, whose contents are kept in `options`. Raises InputError."""
    format = read_format(path, options.from_format)
    data = read_bytes(path)
    options.working_on = (path, data)
    options.all_read = {**all_read(options), path: data}
    return load_bytes(data, format, shown_name(path), "" if path == STANDARD else path, placed)


def all_read(options: Namespace) -> dict[str, bytes]:
    """Every input that was read, by path."""
    kept: dict[str, bytes] = getattr(options, "all_read", {})
    return kept


def read_so_far(options: Namespace) -> tuple[str | None, bytes | None]:
    """The path and contents of the last input that was read."""
    kept: tuple[str | None, bytes | None] = getattr(options, "working_on", (None, None))
    return kept
