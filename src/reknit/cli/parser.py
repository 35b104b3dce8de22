"""The parser of a subcommand, the same in all of them, with the limits that it keeps, and values that several take."""

import os
from contextlib import nullcontext
from typing import TYPE_CHECKING, Final

from reknit.cli.misuse import misuse
from reknit.cli.options import Namespace, Options

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from reknit.source.limits import Limits


AUTO: Final = "auto"
COLOR: Final = (AUTO, "always", "never")
MOST_SECONDS: Final = 1_000_000  # twelve days; what waits for another program can't wait for ever

CONFIG_HELP: Final = "read this file (default: reknit.toml, or pyproject.toml with [tool.reknit], here or above)"
CONFIG_NAMES: Final = ("reknit.toml", "pyproject.toml")

LEAST_SECONDS: Final = 5.0
NO_LIMIT: Final = "none"
UNITS: Final = {"K": 10, "M": 20, "G": 30, "T": 40}


def new_parser(name: str, description: str) -> Options:
    """The options that every subcommand has; it declares its own besides."""
    command = Options(name, description)
    command.add_argument("--color", choices=COLOR, default=AUTO, help="colours: on terminals (auto), always or never")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--config", metavar="FILE", help=CONFIG_HELP)
    which.add_argument("--no-config", action="store_true", help="read no configuration")
    limits = command.add_argument_group("of untrusted inputs")
    limits.add_argument("--max-seconds", type=float, metavar="S", help="give up after that long")
    limits.add_argument(
        "--max-memory", metavar="SIZE", help="give up beyond that: 512M, 2G, 25%% of what is free, none (default 50%%)"
    )
    limits.add_argument("--max-nodes", type=int, metavar="N", help="give up after so many tokens, instructions, steps")
    limits.add_argument("--sandbox", action="store_true", help="no devices, no includes from elsewhere, no programs")
    limits.add_argument("--crash-files", metavar="FOLDER", help="where a fault of reknit's own leaves its input")
    limits.add_argument("--root", action="append", metavar="FOLDER", help="the sandbox includes from there, too")
    return command


def parse(parser: Options, name: str, arguments: list[str]) -> Namespace:
    """The options, with what the configuration says of those that aren't given; `config` is its path, or None. Raises
    Misuse for a configuration that can't be used."""
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    named = ""
    for word, value in zip(words, [*words[1:], ""], strict=False):
        if word == "--config":
            named = value
        elif word.startswith("--config="):
            named = word.removeprefix("--config=")
    asks = not {"--no-config", "-h", "--help"} & set(words)
    if asks and (named or _is_configured()):
        from reknit.cli.configured import parse_configured

        return parse_configured(parser, name, arguments, named)
    return parser.parse_args(arguments)


def _is_configured() -> bool:
    """Whether there may be a configuration for the current folder."""
    from reknit.source.reading import folders_upward

    try:
        folders = folders_upward(os.getcwd())
    except OSError:  # it is gone
        return False
    return any(os.path.isfile(os.path.join(folder, name)) for folder in folders for name in CONFIG_NAMES)


def limits_of(options: Namespace, leeway: int = 1) -> "AbstractContextManager[object]":
    """What the options limit, to be entered. Raises Misuse (RK0010). A command that counts --max-seconds by itself has
    a `leeway` by the clock: so many times that, and 5 s at least."""
    limits = limits_given(options)
    if limits is not None and limits.seconds is not None and leeway > 1:
        limits.seconds = max(limits.seconds * leeway, LEAST_SECONDS)
    return limits.on_this_process() if limits is not None else nullcontext()


def limits_given(options: Namespace) -> "Limits | None":
    """What the options limit; None where they limit nothing. Raises Misuse (RK0010)."""
    given = (options.max_seconds, _memory_of(options), options.max_nodes, options.sandbox or None, options.root)
    if given == (None,) * len(given):
        return None
    from reknit.source.limits import Limits

    if options.max_seconds is not None:
        check_seconds("--max-seconds", options.max_seconds)
    if options.max_nodes is not None and not 1 <= options.max_nodes < 1 << 62:
        raise misuse("RK0010", f"--max-nodes {options.max_nodes}: it is a number above 0, below 2^62")
    if options.root and not options.sandbox:
        raise misuse("RK0010", "--root is where the sandbox may include from: it goes with --sandbox")
    memory = _memory_of(options)
    return Limits(
        seconds=options.max_seconds,
        memory=memory,
        nodes=options.max_nodes,
        sandbox=options.sandbox,
        roots=options.root or (),
    )


def sandbox_of(options: Namespace) -> "Limits":
    """The sandbox alone, without a limit."""
    from reknit.source.limits import Limits

    return Limits(sandbox=True, roots=options.root or ())


def usual_limit(options: Namespace) -> "AbstractContextManager[object]":
    """The limit of memory where none is given, to be entered."""
    if options.max_memory is not None:
        return nullcontext()
    from reknit.source.memory import usual_memory

    return usual_memory()


def _memory_of(options: Namespace) -> int | None:
    """--max-memory, None for none. Raises Misuse (RK0010)."""
    text = options.max_memory
    if text is None or text == NO_LIMIT:
        return None
    if not text.endswith("%"):
        return _bytes_of("--max-memory", text)
    digits = text[:-1]
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 4 and 1 <= int(digits) <= 100):
        raise misuse("RK0010", f"--max-memory {text}: it is a share of the free memory, from 1% to 100%")
    from reknit.source.memory import usual_share

    return usual_share(int(digits) / 100) or None


def _bytes_of(option: str, text: str) -> int:
    """`512M`, `2G`, `1048576`."""
    digits = text.upper().removesuffix("IB").removesuffix("B")
    shift = UNITS.get(digits[-1:], 0)
    number = digits[:-1] if shift else digits
    if not (number.isascii() and number.isdecimal() and len(number) < 16 and 0 < int(number) << shift < 1 << 62):
        raise misuse("RK0010", f"{option} {text}: it is a number of bytes (512M, 2G), a share (25%), or none")
    return int(number) << shift


def check_seconds(option: str, seconds: float) -> None:
    """Raises Misuse (RK0010) unless one can wait that long."""
    if not 0 < seconds <= MOST_SECONDS:
        raise misuse("RK0010", f"{option} {seconds:g}: it is a number of seconds above 0, up to {MOST_SECONDS}")
