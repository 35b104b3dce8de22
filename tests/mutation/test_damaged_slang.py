"""Thousands of damaged Slang sources: InputError or a module without faults, no crash, no hang, no flood of memory.

A process takes a range of seeds; `python tests/mutation/slang_worker.py SEED 1` repeats one.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

WORKER = Path(__file__).with_name("slang_worker.py")
COUNT = 500
FULL_COUNT = 5000
CAP = 10.0  # seconds for one source
SECONDS = 500


def test_damage_is_answered(full: bool) -> None:
    count = FULL_COUNT if full else COUNT
    command = [sys.executable, str(WORKER), "0", str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, f"died with {done.returncode} at {done.stdout[-200:]!r}: {done.stderr[-2000:]}"
    lines = done.stdout.splitlines()
    assert len(lines) == count
    verdicts: Counter[str] = Counter()
    for line in lines:
        seed, seconds, verdict = line.split(" ", 2)
        assert not verdict.startswith("CRASH"), f"{seed}: {verdict}"
        assert float(seconds) < CAP, f"{seed} took {seconds} s"
        verdicts[verdict] += 1
    # Some must come through, some must not: else the damage or the seeds are no good.
    assert verdicts["refused"] > count // 10
    assert verdicts["read"] + verdicts["written"] > count // 20
