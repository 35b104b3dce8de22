"""One word of a declaration, mode, decoration or operand changed: "proved" only where a sentence says it can't matter.

A fixed sample; `python -m kit.word_mutants --count 20000 FILES...` takes any number of modules of others.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from kit import ROOT
from kit.word_mutants import accepted, mutants, wrong

import reknit
from reknit.source.diagnostic import InputError

FEW = 1
PARTS = 12
EACH = 15
SOURCES = sorted((ROOT / "examples").glob("*.spvasm")) + sorted((ROOT / "tests" / "slang").glob("*.slang"))


def modules(part: int) -> Iterator[tuple[Path, bytes]]:
    for path in SOURCES[part::PARTS]:
        try:
            module = reknit.load(path)
            reknit.compile(module)
            data = reknit.to_bytes(module)
        except InputError:
            continue
        if len(data) < 12_000 and accepted(data):
            yield path, data


@pytest.mark.full(when=lambda part: part >= FEW)
@pytest.mark.parametrize("part", range(PARTS))
def test_no_mutant_is_proved(part: int) -> None:
    faults: list[str] = []
    count = 0
    chosen = list(modules(part))
    random.Random(part).shuffle(chosen)
    for path, data in chosen[:3]:
        for each in mutants(data, f"{part}/{path.name}", EACH):
            count += 1
            if why := wrong(data, each):
                faults.append(f"{path.name}: {why}")
    assert faults == []
    assert count >= EACH
