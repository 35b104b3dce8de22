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
    outputs."""

    __slots__ = ("words", "numbers", "bits")

    def __init__(self, words: Words, numbers: dict[Key, Number]) -> None:
        self.words = words
        self.numbers = numbers
        self.bits = tuple([(key, numbers[key].bits) for key in sorted(numbers)])

    def is_same(self, other: "Held") -> bool:
        return self.words == other.words and self.bits == other.bits

    def sorting(self) -> tuple[object, ...]:
        return (self.words, self.bits)

    def distance(self, other: "Held") -> int:
        """In how many numbers they differ."""
        return len(self.unlike(other)) + distance(self.words, other.words)

    def only(self, outputs: dict[str, Shape]) -> "Held":
        """Without other outputs than these: what a location has that nothing is written to is undefined."""
        if all(where in outputs for where, _ in self.numbers):
            return self
        return Held(self.words, {key: number for key, number in self.numbers.items() if key[0] in outputs})

    def text(self, key: Key) -> str:
        number = self.numbers.get(key)
        return "" if number is None else number.text()

    def unlike(self, other: "Held") -> list[Key]:
        """Which outputs differ: in one of the two there may be none."""
        if self.bits == other.bits:
            return []
        keys = sorted({**self.numbers, **other.numbers})
        return [key for key in keys if _bits(self.numbers.get(key)) != _bits(other.numbers.get(key))]


def _bits(number: Number | None) -> int:
    return -1 if number is None else number.bits


def distance(words: Words, other_words: Words) -> int:
    """In how many words they differ."""
    total = 0
    for mine, other in zip(words, other_words, strict=False):
        total += sum(1 for left, right in zip(mine, other, strict=False) if left != right)
    return total
