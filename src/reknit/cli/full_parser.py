"""argparse's parser of a subcommand's options: for --help, mistakes, configurations, and what is written seldom."""

import os
import sys
from argparse import Action, ArgumentParser, BooleanOptionalAction, HelpFormatter
from collections.abc import Callable
from typing import Any, NoReturn

from reknit.cli.options import Options
from reknit.source.digits import is_decimal
from reknit.source.visible import visible


def full_parser(options: Options) -> ArgumentParser:
    """Options are never abbreviated: a script must not break when one is added."""
    parser = _Parser(
        prog=f"reknit {options.name}",
        description=options.description,
        allow_abbrev=False,
        formatter_class=_Formatter,
    )
    parser.register("action", "boolean", BooleanOptionalAction)
    parser.register("action", "prints", _Prints)
    groups = {
        group: parser.add_argument_group(group.title) if group.title else parser.add_mutually_exclusive_group()
        for group in options.groups
    }
    for argument in options.arguments:
        home = parser if argument.group is None else groups[argument.group]
        home.add_argument(*argument.names, **argument.settings)
    parser.set_defaults(**options.defaults)
    return parser


class _Prints(Action):
    """Prints a text and ends, as --help does."""

    def __init__(self, text: Callable[[], str], **settings: Any) -> None:
        super().__init__(nargs=0, **settings)
        self.text = text

    def __call__(self, parser: ArgumentParser, *_: object) -> None:
        print(self.text(), end="")
        parser.exit()


class _Formatter(HelpFormatter):
    """As wide as the terminal. argparse makes one for each option and would import shutil for that."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    given = os.environ.get("COLUMNS", "")
    if is_decimal(given) and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ is not None else 1).columns or 80
    except (OSError, ValueError):  # no terminal, or a stream that is closed
        return 80


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """An argument that is quoted may hold what steers a terminal."""
        super().error(visible(message))

    def print_help(self, file: Any = None) -> None:
        """argparse's own takes no notice where it can't be written."""
        (sys.stdout if file is None else file).write(self.format_help())
