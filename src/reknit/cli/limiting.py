"""The limits that a command's options set: of time, memory and work, and the sandbox."""

from argparse import Namespace
from contextlib import nullcontext
from typing import TYPE_CHECKING, Final

from reknit.cli.misuse import misuse

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from reknit.source.limits import Limits

MAX_SECONDS: Final = 1_000_000  # twelve days; what waits for another program can't wait for ever

MIN_SECONDS: Final = 5.0
NO_LIMIT: Final = "none"
UNITS: Final = {"K": 10, "M": 20, "G": 30, "T": 40}


def limits_of(options: Namespace, leeway: int = 1) -> "AbstractContextManager[object]":
    """What the options limit, to be entered. Raises Misuse (RK0010). A command that counts --max-seconds by itself has
    a `leeway` by the clock: so many times that, and 5 s at least."""
    limits = limits_given(options)
    if limits is not None and limits.seconds is not None and leeway > 1:
        limits.seconds = max(limits.seconds * leeway, MIN_SECONDS)
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
    if not 0 < seconds <= MAX_SECONDS:
        raise misuse("RK0010", f"{option} {seconds:g}: it is a number of seconds above 0, up to {MAX_SECONDS}")
