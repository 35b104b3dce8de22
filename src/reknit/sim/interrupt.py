"""Lets Ctrl-C through. Compiled code runs no Python of its own, which is where Python looks at signals that came.

This file stays plain: to call anything in it is to look.
"""

from typing import Final

OFTEN: Final = 4095
"""A mask of how many blocks are run between two looks."""


def look() -> None:
    """Raises KeyboardInterrupt if it was asked for."""
