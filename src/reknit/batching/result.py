"""What a run came to, for scripts: counts, and its inputs one after the other as they are asked for.

done = reknit.batch("check", ["shaders/"])
done.counts             {"findings": 2, "clean": 40}
[item.input for item in done if item.verdict == "findings"]
"""

import os
import tempfile
from collections.abc import Iterator
from typing import Final, final

from reknit.batching.batch import Ran
from reknit.batching.reports import Item, items
from reknit.batching.state import State
from reknit.batching.verdicts import BAD, VERDICTS, counted

NAME: Final = "batch.sqlite"


@final
class Batch:
    """A run that has ended. It is true where nothing is wrong with any input. `known` counts the inputs whose result
    was known from an earlier run with the same state, `equal` those that have the contents of another input of the run.
    `replaced` names members that an archive has more than once: the last is the input."""

    __slots__ = ("counts", "total", "known", "equal", "replaced", "groups", "state", "folder")

    def __init__(self, state: State, ran: Ran, folder: "tempfile.TemporaryDirectory[str] | None" = None) -> None:
        counts = state.counts()
        self.counts = {verdict: counts[verdict] for verdict in VERDICTS if verdict in counts}
        self.total = ran.total
        self.known = ran.known
        self.equal = ran.equal
        self.replaced = ran.replaced
        self.groups = state.families()
        self.state = os.path.abspath(state.path)
        self.folder = folder  # of a state that was not named, which ends with this

    def __bool__(self) -> bool:
        return self.failed() == 0

    def __len__(self) -> int:
        return self.total

    def failed(self) -> int:
        """How many inputs have something wrong with them."""
        return sum(count for verdict, count in self.counts.items() if verdict in BAD)

    def __iter__(self) -> Iterator[Item]:
        """Every input, in order: read from the state as it is asked for, while no other run has it."""
        state = State(self.state)
        try:
            yield from items(state)
        finally:
            state.close()

    def __repr__(self) -> str:
        noun = "input" if self.total == 1 else "inputs"
        return f"<{self.total} {noun}{': ' * bool(self.counts)}{counted(self.counts)}>"
