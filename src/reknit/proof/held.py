"""What an outcome leaves, as proofs compare it: the words of buffers, and the numbers of a stage's outputs.

    before   buffer 0.1: 41 40    location 0 at (1, 0): 0.5          after may have either of the outcomes of before,
    after    buffer 0.1: 41 40    location 0 at (1, 0): nothing      and this is none: they are unlike in one number
"""

from typing import final

from reknit.sim.left import Key, Number
from reknit.sim.values import Shape

Words = tuple[tuple[int, ...], ...]


@final
class Held:
    """What an outcome leaves: the `words` of the buffers that can be written, by place, and the `numbers` of a stage's
    outputs. Of the words those in `open`, by buffer, may be anything, and of the numbers those in `keys`."""

    __slots__ = ("words", "numbers", "open", "keys", "bits")

    def __init__(
        self,
        words: Words,
        numbers: dict[Key, Number],
        open: tuple[frozenset[int], ...] = (),
        keys: frozenset[Key] = frozenset(),
    ) -> None:
        self.words = words
        self.numbers = numbers
        self.open = open if any(open) else ()
        self.keys = keys
        self.bits = tuple([(key, numbers[key].bits) for key in sorted(numbers)])

    def is_same(self, other: "Held") -> bool:
        return self.words == other.words and self.bits == other.bits

    def allows(self, other: "Held") -> bool:
        """Whether the other is the same but for what may be anything here."""
        if not self.open and not self.keys:
            return self.is_same(other)
        return self.distance(other) == 0 and list(map(len, self.words)) == list(map(len, other.words))

    def is_open_at(self, buffer: int, word: int) -> bool:
        return bool(self.open) and word in self.open[buffer]

    def sorting(self) -> tuple[object, ...]:
        return (self.words, self.bits)

    def distance(self, other: "Held") -> int:
        """In how many numbers they differ that are defined here."""
        total = len(self.unlike(other))
        for buffer, (mine, others) in enumerate(zip(self.words, other.words, strict=False)):
            for word, (left, right) in enumerate(zip(mine, others, strict=False)):
                total += left != right and not self.is_open_at(buffer, word)
        return total

    def only(self, outputs: dict[str, Shape]) -> "Held":
        """Without other outputs than these: what a location has that nothing is written to is undefined."""
        if all(where in outputs for where, _ in self.numbers):
            return self
        numbers = {key: number for key, number in self.numbers.items() if key[0] in outputs}
        return Held(self.words, numbers, self.open, self.keys)

    def text(self, key: Key) -> str:
        number = self.numbers.get(key)
        return "" if number is None else number.text()

    def unlike(self, other: "Held") -> list[Key]:
        """Which outputs differ that are defined here: in one of the two there may be none."""
        if self.bits == other.bits:
            return []
        keys = sorted({**self.numbers, **other.numbers})
        differ = [key for key in keys if _bits(self.numbers.get(key)) != _bits(other.numbers.get(key))]
        return [key for key in differ if key not in self.keys or key not in other.numbers]


def _bits(number: Number | None) -> int:
    return -1 if number is None else number.bits

