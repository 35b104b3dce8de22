"""What is said of a run that takes long, on a terminal.

    still running after 10 seconds; Ctrl-C ends it, --max-steps N gives it up sooner
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from reknit.cli.terminal import remark
from reknit.source.interrupt import LISTENERS

AFTER: Final = (10, 60, 300)
"""Seconds. 100 million instructions, where a run is given up, take a minute or two, in plain Python six."""


@contextmanager
def patience() -> Iterator[None]:
    """Says now and then that what runs inside goes on."""
    begun = time.monotonic()
    waits = list(AFTER) if sys.stderr.isatty() else []

    def say() -> None:
        if waits and time.monotonic() - begun >= waits[0]:
            remark(f"still running after {waits.pop(0)} seconds; Ctrl-C ends it, --max-steps N gives it up sooner\n")

    LISTENERS.append(say)
    try:
        yield
    finally:
        LISTENERS.remove(say)
