"""Buffers as a caller gives them and gets them back.

    {"out": [1, 2, 3], "0.1": b"...", "in": numpy array}   ->   words of the variable with that name or set.binding

A name is that of the variable, else of its block type, else of the block's only member (what GLSL calls a block without
an instance name by), else "variable.member", else "set.binding". One that is not given is zeros: as long as its type
says, a run-time array as long as there are invocations.
"""

import math
import struct
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sized
from itertools import islice, repeat
from operator import index
from typing import TYPE_CHECKING, Any, Final, final

from reknit.sim.arrays import array_bytes, elements_of, is_array, wrong
from reknit.sim.builtins import Triple
from reknit.sim.images import Image, fill_image, share_image, texel_numbers
from reknit.sim.layout import Layout
from reknit.sim.memory import ARGUMENT, Buffer
from reknit.sim.pages import LONG, PAGE, changed, count_of, pages_of, words_of
from reknit.sim.texture import Texture
from reknit.sim.values import FLOAT_KIND

if TYPE_CHECKING:
    from numpy import number
    from numpy.typing import NDArray

    from reknit.sim.shadow.sources import Source

MAX_WORDS: Final = 1 << 26
"""Of a buffer that was not set, or set word by word, and of all buffers of a run together: 256 MiB on a device."""


@final
class BufferResult:
    """What a buffer holds after a run: `words` are 32 bits each; `type` is its type's instruction; `texture` says how
    large an image is and what its texels are; `address` is where the buffer began, 0 where no pointer is an address.
    `undefined` are the words that may be anything, ascending, each with where that comes from. Of a run that follows
    floats as sets (`shadow.bounds`), `sets` says by byte what it may be."""

    __slots__ = (
        "name", "set", "binding", "index", "layout", "type", "texture", "address", "undefined", "sets", "_words",
        "_pages",
    )  # fmt: skip

    def __init__(self, buffer: Buffer) -> None:
        self.name = buffer.label()
        self.set = buffer.set
        self.binding = buffer.binding
        self.index = buffer.index
        self._pages: list[bytes] = []
        self._words: list[int] | None = None
        if len(buffer.words) < LONG:
            self._words = list(buffer.words)
        else:
            buffer.left = self._pages = pages_of(buffer.words, buffer.left)
        self.layout = buffer.layout
        self.type = buffer.type
        self.texture: Texture | None = buffer.texture
        self.address = buffer.address
        self.undefined: dict[int, Source] = {}
        self.sets: dict[int, Source] = {}

    @property
    def words(self) -> list[int]:
        if self._words is None:
            self._words = words_of(self._pages)
            self._pages = []
        return self._words

    @words.setter
    def words(self, words: list[int]) -> None:
        self._words = words
        self._pages = []

    def keep_in_pages(self) -> None:
        """So that copies share what they have in common, where it is more than a page."""
        if self._words is not None and len(self._words) > PAGE:
            self._pages = pages_of(self._words, [])
            self._words = None

    def put(self, changes: Mapping[int, int]) -> None:
        """Other words at some places. What it shares with copies of it stays as it is."""
        if self._words is None:
            self._pages = changed(self._pages, changes)
            return
        words = list(self._words)
        for at, word in changes.items():
            words[at] = word
        self._words = words

    def word(self, at: int) -> int:
        return self._words[at] if self._words is not None else int.from_bytes(self.data(at, 1), "little")

    def __repr__(self) -> str:
        words = self.first(8)
        return f"<{self.name} (set {self.set}, binding {self.binding}): {words}>"

    def count(self) -> int:
        """Of words."""
        return len(self._words) if self._words is not None else count_of(self._pages)

    def data(self, first: int = 0, count: int | None = None) -> bytes:
        """Words from the `first` on, so many or all, little-endian: of a long buffer only the pages they lie in."""
        end = self.count() if count is None else min(first + count, self.count())
        if self._words is not None:
            return in_order(array("I", self._words[first:end])).tobytes()
        low = first // PAGE
        pages = b"".join(self._pages[low : -(-end // PAGE)])
        part = pages[4 * (first - low * PAGE) : 4 * (end - low * PAGE)]
        return part if sys.byteorder == "little" else in_order(array("I", part)).tobytes()

    def array(self) -> "NDArray[number]":
        """The words as a numpy array: of the elements' type if the buffer is an array of scalars or of vectors
        without gaps, else uint32. Vectors are rows."""
        import numpy

        data = numpy.array(self.words, dtype=numpy.uint32)
        component, count = elements_of(self.layout)
        if component is None:
            return data
        letter = "f" if component.kind == FLOAT_KIND else "i" if component.signed else "u"
        typed: NDArray[number] = data.view(numpy.dtype(f"{letter}{component.width // 8}"))
        return typed.reshape(-1, count) if count > 1 and len(typed) % count == 0 else typed

    def first(self, count: int) -> str:
        """The first words as text, `?` for what may be anything."""
        words = struct.iter_unpack("<I", self.data(0, count))
        shown = ["?" if at in self.undefined else str(word) for at, (word,) in enumerate(words)]
        return " ".join(shown) + " ..." * (self.count() > count)

    def contents(self) -> tuple[object, ...]:
        """What another run has to leave too, to have the same result: -1 for what may be anything. Of more words than a
        page has, in pages."""
        if not self.undefined:
            if self._words is None:
                return tuple(self._pages)
            if len(self._words) > PAGE:
                return tuple(pages_of(self._words, []))
            return tuple(self._words)
        return tuple([-1 if at in self.undefined else word for at, word in enumerate(self.words)])

    def to_json(self) -> dict[str, object]:
        document: dict[str, object] = {"set": self.set, "binding": self.binding, "words": self.words}
        if self.undefined:
            document["undefined"] = list(self.undefined)
        texture = self.texture
        if texture is not None:
            document["image"] = {
                "dimension": texture.name(),
                "format": texture.format.name,
                "size": texture.size(),
                "levels": texture.levels,
                **({"samples": texture.samples} if texture.samples else {}),
                "texels": [plain(number) for number in self.texels()],
            }
        return document

    def texels(self) -> list[int | float]:
        """The components of all texels of an image, as numbers: in the order that `Texture` shows."""
        return texel_numbers(self.texture, self.words) if self.texture is not None else []


def in_order(words: "array[int]") -> "array[int]":
    """With the bytes of each word as devices have them, the lowest first."""
    if sys.byteorder == "big":
        words.byteswap()
    return words


@final
class Zeros:
    """So many words of zero, as what a buffer starts with: it takes no memory."""

    __slots__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        return repeat(0, self.count)

    def check(self, name: str, path: str) -> None:
        """Raises InputError (RK1004)."""
        if self.count > MAX_WORDS:
            raise wrong(f"buffer {name!r} was given more than {MAX_WORDS} words", path)


def plain(number: int | float) -> int | float | str:
    """JSON has no infinities and no NaN."""
    return number if math.isfinite(number) else str(number)


def to_words(name: str, given: Any, path: str, layout: Layout | None = None) -> list[int]:
    """Words from a sequence of integers, from bytes, or from an array, whose numbers are those of the `layout`. Raises
    InputError (RK1004)."""
    raw: bytes | None = None
    if isinstance(given, bytes | bytearray):
        raw = bytes(given)
    elif isinstance(given, Zeros):
        given.check(name, path)
        return [0] * given.count
    elif is_array(given):
        raw = array_bytes(name, given, layout, path)
    if raw is not None:
        raw += b"\0" * (-len(raw) % 4)
        packed = array("I")
        packed.frombytes(raw)
        if sys.byteorder == "big":
            packed.byteswap()
        return packed.tolist()
    if not isinstance(given, Iterable):
        what = "no sequence of 32-bit words, no array and no bytes"
        raise wrong(f"buffer {name!r}: {type(given).__name__} is {what}", path)
    least = len(given) if isinstance(given, Sized) else 0  # a range of any length takes no memory
    numbers = list(islice(given, MAX_WORDS + 1)) if least <= MAX_WORDS else []
    if max(least, len(numbers)) > MAX_WORDS:
        raise wrong(f"buffer {name!r} was given more than {MAX_WORDS} words", path)
    try:
        return array("I", numbers).tolist()
    except (OverflowError, TypeError):
        pass  # a negative one, or one that is no word: one by one
    words: list[int] = []
    for word in numbers:
        if not hasattr(word, "__index__") or not -(1 << 31) <= index(word) < 1 << 32:
            raise wrong(f"buffer {name!r}: {word!r} is not a 32-bit word", path)
        words.append(index(word) & 0xFFFFFFFF)
    return words


def carried(result: Mapping[str, BufferResult]) -> dict[str, Any]:
    """What a run left in its buffers and images, as what the next one starts with."""
    given: dict[str, Any] = {}
    for label, buffer in result.items():
        texture = buffer.texture
        left: Any = buffer.words
        if texture is not None:
            texels = struct.pack(f"<{len(buffer.words)}I", *buffer.words)
            left = Image(texture.size(), texture.format.name, texels, texture.levels, None, texture.samples)
        given[position(buffer) if buffer.set >= 0 else label] = left
    return given


def find_buffer(name: str, buffers: list[Buffer], path: str) -> Buffer:
    """The buffer that a caller's name means."""
    for names in (_variable, _block, _member, _path, position, _element):
        matching = [buffer for buffer in buffers if names(buffer) == name]
        if matching and all(buffer.owner() is matching[0].owner() for buffer in matching):
            return matching[0]  # variables of one memory
        if matching and (names is position or names is _element):
            return matching[0]
        if matching:
            where = ", ".join([position(buffer) for buffer in matching])
            raise wrong(f"several buffers are called {name!r}", path, f"name it by set and binding: {where}")
    known = ", ".join(dict.fromkeys([f"{buffer.label()} ({position(buffer)})" for buffer in buffers]))
    raise wrong(f"no buffer {name!r}", path, f"there are: {known}" if known else "the program has none")


def _variable(buffer: Buffer) -> str:
    return buffer.name


def _block(buffer: Buffer) -> str:
    return buffer.type.name


def _member(buffer: Buffer) -> str:
    return buffer.member


def _path(buffer: Buffer) -> str:
    return f"{buffer.name}.{buffer.member}"


def _element(buffer: Buffer) -> str:
    """As `position`, of the first element of an array, too: "0.1[0]"."""
    return f"{buffer.set}.{buffer.binding}[{buffer.index}]"


def position(buffer: Buffer | BufferResult) -> str:
    if buffer.set == ARGUMENT:
        return f"argument {buffer.index}"
    if buffer.set < 0 or buffer.binding < 0:
        return "push constants"
    base = f"{buffer.set}.{buffer.binding}"
    return f"{base}[{buffer.index}]" if buffer.index else base


def fill(buffers: list[Buffer], given: Mapping[str, Any], extent: Triple, path: str) -> None:
    """Give every buffer the words it starts a run with; `extent` is how many invocations there are along each axis.
    Raises InputError (RK1004) where they don't fit its type."""
    invocations = extent[0] * extent[1] * extent[2]
    total = 0
    chosen: dict[Buffer, tuple[str, Any]] = {}
    for name, data in given.items():
        buffer = find_buffer(name, buffers, path)
        owner = buffer.owner()
        if isinstance(data, Image) and owner.texture is None:
            raise wrong(f"{name!r} is a buffer, not an image", path)
        layout = owner.layout if owner.texture is None else None
        chosen[owner] = (name, data if isinstance(data, Image | Zeros) else to_words(name, data, path, layout))
    for buffer in buffers:
        if buffer.alias is None:
            if buffer.texture is not None:
                name, data = chosen.get(buffer, (buffer.label(), None))
                fill_image(buffer, name, data, extent, path)
            elif buffer in chosen:
                name, words = chosen[buffer]
                count = words.count if isinstance(words, Zeros) else len(words)
                check_length(name, buffer.layout, count, path)
                if isinstance(words, Zeros):
                    words.check(name, path)
                    set_zeros(buffer.words, count)
                else:
                    buffer.words[:] = words
            else:
                set_zeros(buffer.words, words_needed(buffer.layout, invocations, buffer.label(), path))
            total += len(buffer.words)
            if total > MAX_WORDS:
                help = "set them with --set, to what the shader needs"
                raise wrong(f"its buffers have more than {MAX_WORDS} words together", path, help)
    for buffer in buffers:
        if buffer.alias is not None and buffer.texture is not None:
            share_image(buffer, buffer.alias)
        elif buffer.alias is not None and buffer.alias not in chosen:
            needed = words_needed(buffer.layout, invocations, buffer.label(), path)
            buffer.words.extend([0] * (needed - len(buffer.words)))


def set_zeros(words: list[int], count: int) -> None:
    """In place, a part at a time: another list of that length beside it would take as much memory again."""
    part = [0] * min(count, LONG)
    words[:] = part
    for _ in range(count // LONG - 1):
        words.extend(part)
    if count > LONG:
        words.extend(part[: count % LONG])


def words_needed(layout: Layout, invocations: int, name: str, path: str = "") -> int:
    """How long a buffer is that was not set, in words. Raises InputError (RK1004) where that is too much."""
    size = layout.size
    tail = layout.runtime_array()
    if tail is not None:
        size = max(size, tail[0] + tail[1].stride * invocations)
    needed = -(-size // 4)
    if needed > MAX_WORDS:
        raise wrong(f"buffer {name!r} has {needed} words; the most is {MAX_WORDS}", path)
    return needed


def check_length(name: str, layout: Layout, words: int, path: str) -> None:
    least = -(-layout.size // 4)
    if words < least:
        raise wrong(f"buffer {name!r} was given {words} words; its type has {least}", path)
    if layout.runtime_array() is None and words > least + 3:
        raise wrong(f"buffer {name!r} was given {words} words; its type has only {least}", path)
