"""Thousands of damaged modules and texts through everything: InputError or a result, no crash, no hang, bounded memory.

A process takes a range of seeds under a limit on its memory; where it dies or hangs, the last seed it began is the one.
`python tests/mutation/worker.py binary SEED 1` repeats one.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

WORKER = Path(__file__).with_name("worker.py")
COUNTS = {"binary": 5000, "rk": 1500, "spvasm": 1500}
FULL_TIMES = 10
CAP = 10.0  # seconds of processor time for one module
SECONDS = 500  # for a part on plain Python and a busy machine; it takes a tenth of that
PARTS = 4


def lines_of(kind: str, first: int, count: int) -> list[str]:
    """What the worker printed, a line a module."""
    command = [sys.executable, str(WORKER), kind, str(first), str(count)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired as fault:
        said = fault.stdout.decode() if isinstance(fault.stdout, bytes) else ""
        pytest.fail(f"{kind}: hangs; the last seed is {said.splitlines()[-1:]}")
    assert done.returncode == 0, f"{kind}: died with {done.returncode} at {done.stdout[-200:]!r}: {done.stderr[-2000:]}"
    return done.stdout.splitlines()


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", COUNTS)
def test_damage_is_answered(kind: str, part: int, full: bool) -> None:
    count = COUNTS[kind] // PARTS * (FULL_TIMES if full else 1)
    lines = lines_of(kind, part * count, count)
    assert len(lines) == count
    verdicts: Counter[str] = Counter()
    for line in lines:
        seed, seconds, verdict = line.split(" ", 2)
        assert not verdict.startswith("CRASH"), f"{kind} {seed}: {verdict}"
        assert float(seconds) < CAP, f"{kind} {seed} took {seconds} s"
        verdicts[verdict] += 1
    # Some must come through, some must not: else the damage or the seeds are no good.
    assert verdicts["refused"] > count // 10
    assert verdicts["ran"] > count // 50
