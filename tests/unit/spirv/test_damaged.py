"""Damaged input is a diagnostic, never another exception, and is answered in time."""

import contextlib
import random

import hypothesis
import hypothesis.strategies as some
from kit.oracles.work import Work
from kit.random import spirv_samples

from reknit.source.diagnostic import InputError
from reknit.spirv.asm import assemble
from reknit.spirv.dis import disassemble

WHOLE = [spirv_samples.some_instructions(seed, 200) for seed in range(3)]
TEXT = disassemble(spirv_samples.every_instruction(3))


def damaged(rand: random.Random) -> bytes:
    data = bytearray(rand.choice(WHOLE))
    for _ in range(rand.randrange(1, 6)):
        what = rand.randrange(5)
        at = rand.randrange(len(data))
        if what == 0:
            data[at] ^= 1 << rand.randrange(8)
        elif what == 1:
            del data[at:]
            data += b"\0" * (-len(data) % 4)
        elif what == 2:
            at &= ~3
            data[at : at + 4] = rand.randbytes(4)
        elif what == 3:
            other = rand.choice(WHOLE)
            start = rand.randrange(len(other)) & ~3
            data[at & ~3 : at & ~3] = other[start : start + 4 * rand.randrange(40)]
        else:
            del data[at & ~3 : (at & ~3) + 4 * rand.randrange(20)]
        if not data:
            break
    return bytes(data)


def test_binaries() -> None:
    rand = random.Random(1)
    read = refused = 0
    for _ in range(400):
        data = damaged(rand)
        try:
            text = disassemble(data, friendly=rand.random() < 0.5)
        except InputError:
            refused += 1
            continue
        read += 1
        assert text.startswith("; SPIR-V\n")
    assert read > 40
    assert refused > 40


@hypothesis.given(some.binary(max_size=400))
def test_any_bytes_behind_a_header(data: bytes) -> None:
    header = bytes.fromhex("03022307 00060100 00000000 40000000 00000000")
    for each in (data, header + data, header + data + bytes(-len(data) % 4)):
        try:
            disassemble(each)
        except InputError as fault:
            assert fault.diagnostics


def test_texts() -> None:
    rand = random.Random(2)
    for _ in range(60):
        text = TEXT[: rand.randrange(len(TEXT))]
        for _ in range(rand.randrange(6)):
            at = rand.randrange(len(text) + 1)
            text = text[:at] + rand.choice(['"', "%", "!", "=", ";", "\\", "Op", "\n", "(", "-", "|", "\0"]) + text[at:]
        try:
            assemble(text)
        except InputError as fault:
            assert fault.diagnostics


@hypothesis.given(some.text(alphabet='OpNameTyVid%=12 "\\!;\n(),|x.-', max_size=60))
def test_any_text(text: str) -> None:
    try:
        assemble(text)
    except InputError as fault:
        assert all(each.place is not None for each in fault.diagnostics)


def test_hostile_texts_are_little_work() -> None:
    for text in ('"' * 200_000, "\\" * 200_000, "%a = " * 100_000, "( " * 100_000, "OpName %a " + '"\\' * 100_000):
        with Work() as work, contextlib.suppress(InputError):
            assemble(text)
        assert work.calls < 4 * len(text)
