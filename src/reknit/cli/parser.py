"""The parser of a subcommand, the same in all of them, and values that several of them take."""

import os
import sys
from argparse import ArgumentParser, HelpFormatter
from typing import Final, NoReturn

from reknit.cli.misuse import misuse
from reknit.source.visible import visible

AUTO: Final = "auto"
COLOR: Final = (AUTO, "always", "never")
MOST_SECONDS: Final = 1_000_000  # twelve days; what waits for another program can't wait for ever


def new_parser(name: str, description: str) -> ArgumentParser:
    """A subcommand's parser. Options are never abbreviated: a script must not break when one is added."""
    command = _Parser(prog=f"reknit {name}", description=description, allow_abbrev=False, formatter_class=_Formatter)
    command.add_argument("--color", choices=COLOR, default=AUTO, help="colours: on terminals (auto), always or never")
    return command


class _Formatter(HelpFormatter):
    """As wide as the terminal. argparse makes one for each option and would import shutil for that."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ is not None else 1).columns or 80
    except (OSError, ValueError):  # no terminal, or a stream that is closed
        return 80


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """An argument that is quoted may hold what steers a terminal."""
        super().error(visible(message))


def check_seconds(option: str, seconds: float) -> None:
    """Raises Misuse (RK0010) unless one can wait that long."""
    if not 0 < seconds <= MOST_SECONDS:
        raise misuse("RK0010", f"{option} {seconds:g}: it is a number of seconds above 0, up to {MOST_SECONDS}")
