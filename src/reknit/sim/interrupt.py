"""Lets Ctrl-C through, and reports progress of a run. Compiled code runs no Python of its own, which is where Python
looks at signals that came.

This file stays plain: to call anything in it is to look.
"""

from collections.abc import Callable
from typing import Final

OFTEN: Final = 4095
"""A mask of how many blocks are run between two looks."""

LISTENERS: Final[list[Callable[[], None]]] = []
"""Called at each look, some thousand times a second."""


def look() -> None:
    """Raises KeyboardInterrupt if it was asked for."""
    for listener in LISTENERS:
        listener()
