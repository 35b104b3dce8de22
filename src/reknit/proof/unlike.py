"""What differs between the simulator and a device: scalars of buffers, and numbers of a fragment shader's outputs."""

from typing import final

from reknit.sim.elements import Element
from reknit.sim.left import Key, Number, label


@final
class Difference:
    """A scalar that differs: what the simulator has, what the device has, as bits."""

    __slots__ = ("buffer", "element", "expected", "actual")

    def __init__(self, buffer: str, element: Element, expected: int, actual: int) -> None:
        self.buffer = buffer
        self.element = element
        self.expected = expected
        self.actual = actual

    def to_json(self) -> dict[str, object]:
        return {
            "buffer": self.buffer,
            "element": self.element.name,
            "byte": self.element.offset,
            "simulator": self.expected,
            "device": self.actual,
        }


@final
class Unlike:
    """A number of a fragment shader's outputs, None where nothing was drawn."""

    __slots__ = ("key", "expected", "actual")

    def __init__(self, key: Key, expected: Number | None, actual: Number | None) -> None:
        self.key = key
        self.expected = expected
        self.actual = actual

    def to_json(self) -> dict[str, object]:
        return {
            "output": label(self.key),
            "simulator": None if self.expected is None else self.expected.bits,
            "device": None if self.actual is None else self.actual.bits,
        }
