"""Ways to damage a module: by bits, by words, by instructions, by text.

whole module ──1 to 3 of these──▶ a module that may be anything

bits and words      flip, swap, cut off, put a piece of another module in
instructions        another id for an operand, gone, twice, swapped, another opcode or word count, another target
text                characters and lines the same way, and words that mean something
"""

import random
import struct
from collections.abc import Callable

from reknit.ir import op

HEADER = 5
TARGETS = (op.Branch, op.BranchConditional, op.Switch, op.SelectionMerge, op.LoopMerge)
TOKENS = (
    '"', "%", "!", "=", ";", "\\", "{", "}", "(", ")", "<", ">", ",", ":", "@", "-", "0x", "4294967296", "case", "loop",
    "if %x", "switch", "fallthrough", "break", "continue @l", "default: {", "} continuing {", "func @f() -> void {",
    "Phi", "OpPhi", "OpLabel", "OpFunctionEnd", "ptr<", "vec4<", "None", "u32", "\n", "\0", "é", "\u2028",
)  # fmt: skip

Words = list[int]


def words_of(data: bytes) -> Words:
    return list(struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]))


def bytes_of(words: Words) -> bytes:
    return struct.pack(f"<{len(words)}I", *words)


def starts_of(words: Words) -> list[int]:
    """Where instructions start, as far as the word counts make sense."""
    starts: list[int] = []
    at = HEADER
    while at < len(words):
        starts.append(at)
        at += max(1, words[at] >> 16)
    return starts


def pick(rand: random.Random, words: Words) -> tuple[int, int]:
    """(where an instruction starts, its length); (end, 0) if there is none."""
    starts = starts_of(words)
    if not starts:
        return len(words), 0
    at = rand.choice(starts)
    return at, min(max(1, words[at] >> 16), len(words) - at)


def flip(rand: random.Random, words: Words, other: Words) -> None:
    at = rand.randrange(len(words))
    words[at] ^= 1 << rand.randrange(32)


def swap_words(rand: random.Random, words: Words, other: Words) -> None:
    a, b = rand.randrange(len(words)), rand.randrange(len(words))
    words[a], words[b] = words[b], words[a]


def cut(rand: random.Random, words: Words, other: Words) -> None:
    del words[rand.randrange(1, len(words) + 1) :]


def splice(rand: random.Random, words: Words, other: Words) -> None:
    start, length = pick(rand, other)
    at, _ = pick(rand, words)
    words[at:at] = other[start : start + length * rand.randrange(1, 6)]


def other_id(rand: random.Random, words: Words, other: Words) -> None:
    at, length = pick(rand, words)
    if length > 1 and len(words) > 3:
        words[at + rand.randrange(1, length)] = rand.randrange(min(words[3], 1 << 20) + 3)


def delete(rand: random.Random, words: Words, other: Words) -> None:
    at, length = pick(rand, words)
    del words[at : at + length]


def duplicate(rand: random.Random, words: Words, other: Words) -> None:
    at, length = pick(rand, words)
    to, _ = pick(rand, words)
    words[to:to] = words[at : at + length]


def exchange(rand: random.Random, words: Words, other: Words) -> None:
    at, length = pick(rand, words)
    moved = words[at : at + length]
    del words[at : at + length]
    to, _ = pick(rand, words)
    words[to:to] = moved


def other_opcode(rand: random.Random, words: Words, other: Words) -> None:
    at, length = pick(rand, words)
    if length:
        words[at] = words[at] & 0xFFFF0000 | rand.choice((rand.randrange(450), rand.randrange(6000), op.Branch, op.Phi))


def other_count(rand: random.Random, words: Words, other: Words) -> None:
    at, length = pick(rand, words)
    if length:
        words[at] = words[at] & 0xFFFF | rand.choice((0, 1, length + 1, length - 1, 0xFFFF)) << 16


def other_target(rand: random.Random, words: Words, other: Words) -> None:
    """A branch, merge or switch goes to another label."""
    labels = [words[at + 1] for at in starts_of(words) if words[at] & 0xFFFF == op.Label and at + 1 < len(words)]
    jumps = [at for at in starts_of(words) if words[at] & 0xFFFF in TARGETS]
    if not labels or not jumps:
        return
    at = rand.choice(jumps)
    places = [at + place for place in range(1, words[at] >> 16) if at + place < len(words)]
    known = [place for place in places if words[place] in labels]
    if known:
        words[rand.choice(known)] = rand.choice(labels)


DAMAGES: tuple[Callable[[random.Random, Words, Words], None], ...] = (
    flip, swap_words, cut, splice, other_id, other_id, delete, duplicate, exchange, other_opcode, other_count,
    other_target, other_target, other_target,
)  # fmt: skip


def damaged(seed: int, whole: list[bytes]) -> bytes:
    """One of `whole` with damage; rarely cut within a word or with its bytes the other way round."""
    rand = random.Random(seed)
    words = words_of(rand.choice(whole))
    other = words_of(rand.choice(whole))
    for _ in range(rand.choice((1, 1, 1, 2, 3))):
        if words:
            rand.choice(DAMAGES)(rand, words, other)
    data = bytes_of(words)
    kind = rand.randrange(40)
    if kind == 0:
        return data[: rand.randrange(len(data) + 1)]
    if kind == 1:
        return struct.pack(f">{len(words)}I", *words)
    return data


def damaged_text(seed: int, whole: list[str]) -> str:
    rand = random.Random(seed)
    text = rand.choice(whole)
    for _ in range(rand.choice((1, 1, 2, 4))):
        kind = rand.randrange(7)
        at = rand.randrange(len(text) + 1)
        lines = text.split("\n")
        line = rand.randrange(len(lines))
        if kind == 0:
            text = text[:at] + rand.choice(TOKENS) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + rand.randrange(1, 9) :]
        elif kind == 2:
            text = text[:at]
        elif kind == 3:
            del lines[line]
            text = "\n".join(lines)
        elif kind == 4:
            lines.insert(rand.randrange(len(lines) + 1), lines[line])
            text = "\n".join(lines)
        elif kind == 5:
            words = lines[line].split(" ")
            words[rand.randrange(len(words))] = rand.choice((rand.choice(TOKENS), rand.choice(text.split() or [""])))
            lines[line] = " ".join(words)
            text = "\n".join(lines)
        else:
            lines[line], lines[-1 - line] = lines[-1 - line], lines[line]
            text = "\n".join(lines)
    return text
