"""How far a command is, in one line on a terminal that is overwritten: nothing where standard error is a file.

    37 of 100 programs, 12.3 a second, 5 s left
"""

import os
import sys
import time
from typing import Final, final

from reknit.proof.progress import LISTENERS
from reknit.source.visible import visible_line

PAUSE: Final = 0.1
"""Seconds between two lines that are shown."""
WIDEST: Final = 78
AT_FIRST: Final = 0.5
"""What takes less is over before it can be read."""


@final
class Progress:
    """`noun` is what is counted, in the plural; `total` how many there will be, 0 where that is not known."""

    def __init__(self, noun: str, total: int = 0, quiet: bool = False) -> None:
        self.noun = noun
        self.total = total
        self.shown = not quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self.begun = time.monotonic()
        self.last = self.begun + AT_FIRST - PAUSE
        self.width = 0

    def at(self, done: int, more: str = "") -> None:
        """So many are done."""
        if self.shown:
            self.show(progress_text(self.noun, done, self.total, time.monotonic() - self.begun) + more)

    def show(self, text: str) -> None:
        """Another line in the place of the last, as often as one can read it."""
        now = time.monotonic()
        if self.shown and now - self.last >= PAUSE:
            self.last = now
            line = visible_line(text)[:WIDEST]
            sys.stderr.write("\r" + line.ljust(self.width))
            sys.stderr.flush()
            self.width = len(line)

    def clear(self) -> None:
        """Take the line away, before anything else is written."""
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()
            self.width = 0


def progress_text(noun: str, done: int, total: int, seconds: float) -> str:
    """Without a rate until one is known."""
    text = f"{done} of {total} {noun}" if total else f"{done} {noun}"
    if done < 1 or seconds <= 0:
        return text
    rate = done / seconds
    text += f", {rate:.1f} a second" if rate >= 0.1 else f", {60 * rate:.1f} a minute"
    return f"{text}, {duration((total - done) / rate)} left" if total > done else text


def duration(seconds: float) -> str:
    """`5 s`, `3 min`, `2.5 h`."""
    if seconds < 100:
        return f"{round(seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


@final
class ProofSteps:
    """What a proof looks at, while it is looked at; `last` is the last of it."""

    def __init__(self, quiet: bool = False) -> None:
        self.last = "the beginning"
        self.line = Progress("steps", 0, quiet)

    def __enter__(self) -> "ProofSteps":
        LISTENERS.append(self.take)
        return self

    def __exit__(self, *_: object) -> None:
        LISTENERS.remove(self.take)
        self.line.clear()

    def take(self, text: str) -> None:
        self.last = text
        self.line.show(f"{text}, {duration(time.monotonic() - self.line.begun)} so far")
