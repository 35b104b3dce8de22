"""Where lanes stand in a loose run: crowds at the start of a code block, and the calls that they are in."""

from typing import final

from reknit.sim.positions import Position


@final
class Activation:
    """A call that lanes are in: where it was made from, and the code block that goes on after it."""

    __slots__ = ("position", "call", "back", "above")

    def __init__(self, position: Position, call: int, back: int, above: "Activation | None") -> None:
        self.position = position
        self.call = call
        self.back = back
        self.above = above


@final
class Crowd:
    """Lanes at the start of code block `at`, by class: disjoint masks."""

    __slots__ = ("at", "classes", "call")

    def __init__(self, at: int, classes: list[int], call: Activation | None) -> None:
        self.at = at
        self.classes = classes
        self.call = call

    def mask(self) -> int:
        lanes = 0
        for part in self.classes:
            lanes |= part
        return lanes
