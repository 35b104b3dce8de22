"""What a test's inputs are: a tree of values, whose leaves are words, buffers and resources.

set g = new Things{ 4, ubuffer(data=[1 2], stride=4) }   ->   Made("Things", Group([("", Data), ("", Memory)]))
"""

from typing import final


@final
class Data:
    """Words as they are."""

    __slots__ = ("words",)

    def __init__(self, words: list[int]) -> None:
        self.words = words


@final
class Memory:
    """A buffer: `words` hold one value each; a `stride` of 1 or 2 packs them. `addresses` are names of other buffers
    whose addresses belong at places of the words."""

    __slots__ = ("words", "stride", "count", "counter", "format", "addresses", "output")

    def __init__(self) -> None:
        self.words: list[int] = []
        self.stride = 0
        self.count = 0
        self.counter = -1
        self.format = ""  # of texels
        self.addresses: list[tuple[int, str]] = []
        self.output = False

    def packed(self) -> list[int]:
        """The words that the buffer holds, as long as its count of elements says."""
        words = self.words
        if self.stride in (1, 2):
            per, bits = 4 // self.stride, 8 * self.stride
            mask = (1 << bits) - 1
            words = [
                sum((value & mask) << (bits * at) for at, value in enumerate(words[start : start + per]))
                for start in range(0, len(words), per)
            ]
        needed = -(-self.count * self.stride // 4)
        return words + [0] * (needed - len(words))


@final
class Group:
    """`{...}`: fields by name, or by position where the name is ""."""

    __slots__ = ("fields",)

    def __init__(self) -> None:
        self.fields: list[tuple[str, Node]] = []


@final
class Row:
    """`[...]`: elements."""

    __slots__ = ("elements",)

    def __init__(self) -> None:
        self.elements: list[Node] = []


@final
class Made:
    """`new T{...}`, or what a buffer of constants holds. `type` is "" where the place tells it."""

    __slots__ = ("type", "content")

    def __init__(self, type: str, content: "Node") -> None:
        self.type = type
        self.content = content


@final
class Opaque:
    """A texture, sampler or acceleration structure. `options` are what stands in its parentheses: "size" -> "4"."""

    __slots__ = ("kind", "options", "output")

    def __init__(self, kind: str, options: dict[str, str] | None = None) -> None:
        self.kind = kind
        self.options: dict[str, str] = options if options is not None else {}
        self.output = False


Node = Data | Memory | Group | Row | Made | Opaque
