"""`reknit completion SHELL`: the script that completes commands, options, files and codes.

    source <(reknit completion bash)          reknit comp<TAB>          reknit explain RK05<TAB>

The subcommands' own parsers, put below one, are what shtab writes the script for bash, zsh and tcsh from, and
`shells` those for fish and PowerShell.
"""

import sys
from argparse import ArgumentParser
from typing import TYPE_CHECKING, Final

from reknit.cli.commands import COMMANDS, command
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import new_parser

SHELLS: Final = ("bash", "zsh", "tcsh", "fish", "powershell")

if TYPE_CHECKING:
    from reknit.cli.shells import Offer

FILES: Final = ("FILE", "BEFORE", "AFTER", "OUT", "PATH")
FOLDERS: Final = ("DIR", "FOLDER")
"""How arguments that are paths are called in the help."""


def parser() -> Options:
    subcommand = new_parser(
        "completion", "Print the script that completes reknit's command line: source it in the shell."
    )
    subcommand.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    return subcommand


def main(options: Namespace) -> int:
    if options.shell in ("fish", "powershell"):
        from reknit.cli.shells import fish, powershell

        sys.stdout.write((fish if options.shell == "fish" else powershell)(offers()))
        return 0
    import shtab

    sys.stdout.write(shtab.complete(whole(), shell=options.shell) + "\n")
    return 0


def offers() -> "list[Offer]":
    """What can come after each command."""
    from reknit.cli.shells import Offer, Word
    from reknit.source.explain import codes

    listed: list[Offer] = []
    for name, what in COMMANDS.items():
        offer = Offer(name, what)
        for action in command(name).parser().full()._actions:
            metavar = str(action.metavar)
            kind = "file" if metavar in FILES or metavar.startswith("OUT") else "folder" if metavar in FOLDERS else ""
            values = [str(choice) for choice in action.choices or ()]
            values = list(codes()) if name == "explain" and action.dest == "code" else values
            word = Word(list(action.option_strings), action.nargs != 0, values, kind, action.help or "")
            (offer.options if action.option_strings else offer.operands).append(word)
        listed.append(offer)
    return listed


def whole() -> ArgumentParser:
    """All subcommands below one parser, which paths and codes are marked in."""
    import shtab

    from reknit.source.explain import codes

    top = ArgumentParser("reknit", allow_abbrev=False)
    below = top.add_subparsers()
    for name, what in COMMANDS.items():
        inner = command(name).parser().full()
        for action in inner._actions:
            if action.metavar in FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar in FOLDERS:
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
            elif name == "explain" and action.dest == "code":
                action.choices = codes()
        below.add_parser(name, parents=[inner], add_help=False, help=what, allow_abbrev=False)
    return top
