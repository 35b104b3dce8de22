"""How far a proof by runs is, for a command to show: a line a step, such as `main, subgroup size 8: input 3 of 24`."""

from collections.abc import Callable
from typing import Final

LISTENERS: Final[list[Callable[[str], None]]] = []


def step(text: str) -> None:
    """What is looked at now."""
    for listener in LISTENERS:
        listener(text)
