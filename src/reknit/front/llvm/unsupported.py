"""What is outside the subset that is read: raised where it is met, reported with the instruction and its place."""

from typing import Final, final

OUTSIDE: Final = "RK0805"


@final
class Refusal(Exception):
    """`what` completes "this instruction ...". Refusals that name an `operation` and have the same `what` are one
    cause: one diagnostic, which lists the operations."""

    def __init__(self, what: str, help: str = "", operation: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.help = help
        self.operation = operation
