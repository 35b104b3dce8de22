"""What a long buffer holds after a run, in pages: those of zeros are one, and those that the run before left, too.

    words of a buffer ──▶ [zeros, b"...", zeros, ...]        4 bytes a word, and none for pages that are shared

A run has its words in a list, which its kernels index. Results are kept by the hundred, one an outcome, and mostly
differ in a few words, so that they share what they have in common.
"""

from array import array
from collections.abc import Mapping
from typing import Final

PAGE: Final = 4096
"""Words of a page."""
LONG: Final = 16 * PAGE
"""Buffers of fewer words are kept as they are."""

_ZERO_WORDS: Final = [0] * PAGE
_ZEROS: Final = bytes(4 * PAGE)


def pages_of(words: list[int], before: list[bytes]) -> list[bytes]:
    """The pages of `words`; `before` are those of another result of the same buffer, which are shared where they are
    equal."""
    pages: list[bytes] = []
    for first in range(0, len(words), PAGE):
        part = words[first : first + PAGE]
        if part == _ZERO_WORDS:
            pages.append(_ZEROS)
            continue
        page = array("I", part).tobytes()
        number = len(pages)
        pages.append(before[number] if number < len(before) and before[number] == page else page)
    return pages


def count_of(pages: list[bytes]) -> int:
    """Of words."""
    return (len(pages) - 1) * PAGE + len(pages[-1]) // 4 if pages else 0


def changed(pages: list[bytes], changes: Mapping[int, int]) -> list[bytes]:
    """The same with other words at some places: only the pages that these are in are others."""
    others = list(pages)
    parts: dict[int, array[int]] = {}
    for at, word in changes.items():
        number = at // PAGE
        if number not in parts:
            parts[number] = array("I", pages[number])
        parts[number][at % PAGE] = word
    for number, part in parts.items():
        others[number] = part.tobytes()
    return others


def words_of(pages: list[bytes]) -> list[int]:
    held = array("I")
    for page in pages:
        held.frombytes(page)
    return held.tolist()
