"""`reknit completion SHELL`: the script that completes commands, options, files and codes in bash, zsh or tcsh.

    source <(reknit completion bash)          reknit comp<TAB>          reknit explain RK05<TAB>

The subcommands' own parsers, put below one, are what shtab writes the script from.
"""

import sys
from argparse import ArgumentParser, Namespace
from typing import Final

from reknit.cli.commands import COMMANDS, command
from reknit.cli.parser import new_parser

SHELLS: Final = ("bash", "zsh", "tcsh")

FILES: Final = ("FILE", "BEFORE", "AFTER", "OUT", "PATH")
FOLDERS: Final = ("DIR", "FOLDER")
"""How arguments that are paths are called in the help."""


def parser() -> ArgumentParser:
    subcommand = new_parser(
        "completion", "Print the script that completes reknit's command line: source it in the shell."
    )
    subcommand.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    return subcommand


def main(options: Namespace) -> int:
    import shtab

    sys.stdout.write(shtab.complete(whole(), shell=options.shell) + "\n")
    return 0


def whole() -> ArgumentParser:
    """All subcommands below one parser, which paths and codes are marked in."""
    import shtab

    from reknit.source.explain import codes

    top = ArgumentParser("reknit", allow_abbrev=False)
    below = top.add_subparsers()
    for name, what in COMMANDS.items():
        inner = command(name).parser()
        for action in inner._actions:
            if action.metavar in FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar in FOLDERS:
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
            elif name == "explain" and action.dest == "code":
                action.choices = codes()
        below.add_parser(name, parents=[inner], add_help=False, help=what, allow_abbrev=False)
    return top
