"""`reknit completion SHELL`: the script that completes commands, options, files and codes.

    source <(reknit completion bash)          reknit comp<TAB>          reknit explain RK05<TAB>

The subcommands' own parsers, put below one, are what shtab writes the script for bash, zsh and tcsh from, and
`shells` those for fish and PowerShell.
"""

import sys
from argparse import Action, ArgumentParser, Namespace
from typing import TYPE_CHECKING, Final

from reknit.cli.commands import COMMANDS
from reknit.cli.parser import Parser, parser_of
from reknit.cli.shared_options import INPUT

SHELLS: Final = ("bash", "zsh", "tcsh", "fish", "powershell")

if TYPE_CHECKING:
    from reknit.cli.shells import Offer

FILES: Final = ("FILE", "BEFORE", "AFTER", "OUT", "PATH")
FOLDERS: Final = ("DIR", "FOLDER")
"""How arguments that are paths are called in the help."""


def parser() -> Parser:
    command = Parser(
        "completion",
        "Print the script that lets a shell complete reknit's commands, options, files and codes.",
        "SHELL",
        (),
        ("source <(reknit completion bash)", "reknit completion fish | source"),
    )
    command.group(INPUT).add_argument("shell", choices=SHELLS, metavar="SHELL", help="%(choices)s")
    return command


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
        for action in parser_of(name).actions():
            metavar = str(action.metavar)
            kind = "file" if metavar in FILES or metavar.startswith("OUT") else "folder" if metavar in FOLDERS else ""
            values = [str(choice) for choice in action.choices or ()]
            values = list(codes()) if name == "explain" and action.dest == "code" else values
            word = Word(list(action.option_strings), action.nargs != 0, values, kind, _help_of(action))
            (offer.options if action.option_strings else offer.operands).append(word)
        listed.append(offer)
    return listed


def _help_of(action: Action) -> str:
    choices = ", ".join(map(str, action.choices or ()))
    return (action.help or "") % {"default": action.default, "choices": choices}


def whole() -> ArgumentParser:
    """All subcommands below one parser, which paths and codes are marked in."""
    import shtab

    from reknit.source.explain import codes

    top = ArgumentParser("reknit", allow_abbrev=False)
    top.add_argument("--help-all", action="store_true", help="show every option")
    top.add_argument("--version", action="store_true", help="print the version")
    below = top.add_subparsers()
    for name, what in COMMANDS.items():
        inner = parser_of(name)
        for action in inner.actions():
            if action.metavar in FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar in FOLDERS:
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
            elif name == "explain" and action.dest == "code":
                action.choices = codes()
        below.add_parser(name, parents=[inner], add_help=False, help=what, allow_abbrev=False)
    return top
