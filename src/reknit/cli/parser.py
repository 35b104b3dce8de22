"""The parser of a command's options: argparse's, with the options that every command has, help in two lengths and
errors of one line.

    reknit run -h            the options that matter most, in groups, with examples
    reknit run --help-all    every option
    reknit run --sett x=1    error[RK0010]: unknown option '--sett': did you mean '--set'?

An option goes into a group, which is made when it is first named: `parser.group("output").add_argument("--json", ...)`.
"""

import os
from argparse import (
    SUPPRESS,
    Action,
    ArgumentError,
    ArgumentParser,
    ArgumentTypeError,
    Namespace,
    RawDescriptionHelpFormatter,
    _ArgumentGroup,
)
from collections.abc import Collection
from typing import Any, Final, NoReturn

from reknit.cli.commands import command
from reknit.cli.misuse import misuse

AUTO: Final = "auto"
COLOR: Final = (AUTO, "always", "never")
CONFIG_NAMES: Final = ("reknit.toml", "pyproject.toml")
EVERY: Final = "options of every command"
LIMITS: Final = "limits for untrusted input"
HELP: Final = ("-h", "--help", "--help-all")


class Parser(ArgumentParser):
    """`operands` is how the usage names them, `basic` are the options that -h lists. Options are never abbreviated: a
    script must not break when one is added."""

    def __init__(
        self,
        name: str,
        description: str,
        operands: str = "",
        basic: Collection[str] = (),
        examples: Collection[str] = (),
    ) -> None:
        super().__init__(
            prog=f"reknit {name}",
            usage=" ".join(["reknit", name, *([operands] if operands else []), "[OPTIONS]"]),
            description=description,
            allow_abbrev=False,
            add_help=False,
            formatter_class=_Formatter,
        )
        self.basic = frozenset(basic)
        self.examples = examples
        self.groups: dict[str, _ArgumentGroup] = {}

    def group(self, title: str) -> _ArgumentGroup:
        if title not in self.groups:
            self.groups[title] = self.add_argument_group(title)
        return self.groups[title]

    def actions(self) -> list[Action]:
        """Every operand and option."""
        return self._actions

    def help_text(self, every: bool) -> str:
        """What --help-all prints, or -h, which leaves out options. The parser is good for nothing else afterwards."""
        from textwrap import fill

        options = [action for action in self.actions() if action.option_strings]
        hidden = [] if every else [action for action in options if self.basic.isdisjoint(action.option_strings)]
        for action in hidden:
            action.help = SUPPRESS
        self.description = fill(self.description or "", 78)
        said = ["\n".join(["examples:", *[f"  {example}" for example in self.examples]])] if self.examples else []
        if hidden:
            said.append(f"`{self.prog} --help-all` shows every option.")
        self.epilog = "\n\n".join(said)
        return self.format_help()

    def error(self, message: str) -> NoReturn:
        usage = f" (usage: {self.usage})" if "required" in message else ""
        raise misuse("RK0010", message.removeprefix("argument ") + usage)

    def _check_value(self, action: Action, value: Any) -> None:
        """argparse has no public hook for what it says of a value that is none of `choices`."""
        if action.choices is not None and value not in action.choices:
            known = [str(choice) for choice in action.choices]
            hint = did_you_mean(str(value), known) or f" (one of {', '.join(known)})"
            raise ArgumentError(action, f"unknown value '{value}'{hint}")


class _Formatter(RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=26)


class _Help(Action):
    """Prints the help and ends."""

    def __init__(self, option_strings: list[str], dest: str, help: str) -> None:
        super().__init__(option_strings, SUPPRESS, nargs=0, default=SUPPRESS, help=help)

    def __call__(
        self, parser: ArgumentParser, namespace: Namespace, values: object, option_string: str | None = None
    ) -> None:
        assert isinstance(parser, Parser)
        print(parser.help_text(option_string == HELP[-1]), end="")
        parser.exit()


def parser_of(name: str) -> Parser:
    """A command's parser: its own options, then those of every command."""
    parser: Parser = command(name).parser()
    add_common(parser)
    return parser


def add_common(parser: Parser) -> None:
    """The options of every command."""
    every = parser.group(EVERY)
    every.add_argument(*HELP[:2], action=_Help, help="show this help")
    every.add_argument(HELP[-1], action=_Help, help="show every option")
    every.add_argument(
        "--color", choices=COLOR, default=AUTO, help="colored output: on terminals (auto, default), always or never"
    )
    which = every.add_mutually_exclusive_group()
    which.add_argument(
        "--config",
        metavar="FILE",
        help="read options from FILE (default: reknit.toml, or pyproject.toml with [tool.reknit], in this folder or "
        "the nearest above)",
    )
    which.add_argument("--no-config", action="store_true", help="read no configuration file")
    every.add_argument("--crash-files", metavar="FOLDER", help="where to write a report if reknit itself fails")
    limits = parser.group(LIMITS)
    limits.add_argument("--max-seconds", type=number, metavar="S", help="stop after S seconds")
    limits.add_argument(
        "--max-memory",
        metavar="SIZE",
        help="stop beyond this much memory: 512M, 2G, 25%% of what is free, or none (default 50%%)",
    )
    limits.add_argument("--max-nodes", type=whole, metavar="N", help="stop after N tokens, instructions and steps")
    limits.add_argument(
        "--sandbox", action="store_true", help="allow no outside programs, no devices and no files from elsewhere"
    )
    limits.add_argument("--root", action="append", metavar="FOLDER", help="with --sandbox: also include from FOLDER")


def whole(word: str) -> int:
    """Raises ArgumentTypeError."""
    from reknit.source.digits import integer

    try:
        return integer(word)
    except ValueError:
        raise ArgumentTypeError(f"'{word}' is not a whole number") from None


def number(word: str) -> float:
    """Raises ArgumentTypeError."""
    try:
        return float(word)
    except ValueError:
        raise ArgumentTypeError(f"'{word}' is not a number") from None


def did_you_mean(word: str, known: Collection[str]) -> str:
    """The known word that is closest, or begins with `word`, as the end of a message; "" where none is close."""
    from difflib import get_close_matches

    begins = [each for each in known if len(word.strip("-")) > 1 and each.startswith(word)]
    names = {each.lstrip("-"): each for each in known}  # dashes, which all options share, make none alike
    close = [names[each] for each in get_close_matches(word[:80].lstrip("-"), names, 1)] or begins
    return f": did you mean '{close[0]}'?" if close else ""


def parse(parser: Parser, name: str, arguments: list[str]) -> Namespace:
    """The options, with what the configuration says of those that aren't given; `config` is its path, or None. Raises
    Misuse."""
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    named = ""
    for word, value in zip(words, [*words[1:], ""], strict=False):
        if word == "--config":
            named = value
        elif word.startswith("--config="):
            named = word.removeprefix("--config=")
    if {"--no-config", *HELP}.isdisjoint(words) and (named or _is_configured()):
        from reknit.cli.configured import parse_configured

        return parse_configured(parser, name, arguments, named)
    return parse_words(parser, arguments)


def parse_words(parser: Parser, words: list[str]) -> Namespace:
    """The options by the command line alone. Raises Misuse."""
    if any("\0" in word for word in words):  # which no system passes on, but a call of `main` may
        raise misuse("RK0010", "an argument has a NUL character in it")
    for word in words[: words.index("--")] if "--" in words else words:
        if {*HELP}.isdisjoint(words) and word.startswith("--") and " " not in word:
            _refuse_unknown(parser, word)  # argparse would report a missing operand first
        option = word.removesuffix("--")  # of a value "--" argparse makes an empty list
        if option != word and (option.endswith("=") or (len(option) == 2 and option[1] != "-")):
            raise misuse("RK0010", f"{option.rstrip('=')}: the value is missing")
    options, rest = parser.parse_known_args(words)
    for word in rest:
        if word.startswith("-") and word != "--":
            _refuse_unknown(parser, word)
    if rest:
        raise misuse("RK0010", f"unexpected argument '{rest[0]}' (usage: {parser.usage})")
    return options


def _refuse_unknown(parser: Parser, word: str) -> None:
    """Raises Misuse (RK0010) for an option that the command does not have."""
    known = [each for action in parser.actions() for each in action.option_strings]
    name = word.partition("=")[0]
    if word in known or name in known:
        return
    hint = did_you_mean(name, known) or f" (`{parser.prog} --help-all` lists all options)"
    raise misuse("RK0010", f"unknown option '{name}'{hint}")


def _is_configured() -> bool:
    """Whether there may be a configuration for the current folder."""
    from reknit.source.reading import folders_upward

    try:
        folders = folders_upward(os.getcwd())
    except OSError:  # it is gone
        return False
    return any(os.path.isfile(os.path.join(folder, name)) for folder in folders for name in CONFIG_NAMES)
