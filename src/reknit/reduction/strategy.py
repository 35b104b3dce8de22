"""One strategy to make a module smaller: what it could work on, and the edit.

    targets(module) ──▶ [part, part, part ...]      edit(module, some of them)      the same list for equal modules

An edit may leave phis and definitions that are not right (`settle` makes them so), and is refused by an exception.
"""

from collections.abc import Callable, Sequence
from typing import final

from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.value import Value

Target = tuple[Value | int, ...]
"""What one edit is about; the first is where it is."""


@final
class Reduction:
    """`targets` lists what could go, in an order that is the same for equal modules; `edit` works on some of it."""

    __slots__ = ("name", "targets", "edit")

    def __init__(
        self,
        name: str,
        targets: Callable[[Module], list[Target]],
        edit: Callable[[Module, Sequence[Target]], None],
    ) -> None:
        self.name = name
        self.targets = targets
        self.edit = edit


def structured(module: Module) -> list[Function]:
    """The functions whose bodies are trees."""
    return [function for function in module.functions if function.structured and not function.is_declaration()]
