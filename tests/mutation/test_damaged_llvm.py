"""Thousands of damaged containers, bitcodes and texts of LLVM: InputError or a module, no crash, no hang, no flood.

LLVM itself ends its process at some of them: it runs apart, and reknit says that it gave up. A process takes a range of
seeds; `python tests/mutation/llvm_worker.py dxil SEED 1` repeats one.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import reknit
from reknit.front.llvm import llvm_process
from reknit.source.diagnostic import InputError
from reknit.source.resident import Resident

pytestmark = pytest.mark.once

WORKER = Path(__file__).with_name("llvm_worker.py")
COUNTS = {"dxil": 800, "bc": 600, "ll": 600}
FULL_TIMES = 10
CAP = 10.0  # seconds for one module
SECONDS = 500
SHADER = Path(__file__).resolve().parents[1] / "data" / "dxil" / "kinds" / "if_else.dxil"


@pytest.mark.parametrize("kind", COUNTS)
def test_damage_is_answered(kind: str, full: bool) -> None:
    count = COUNTS[kind] * (FULL_TIMES if full else 1)
    command = [sys.executable, str(WORKER), kind, "0", str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, f"died with {done.returncode} at {done.stdout[-200:]!r}: {done.stderr[-2000:]}"
    lines = done.stdout.splitlines()
    assert len(lines) == count
    verdicts: Counter[str] = Counter()
    for line in lines:
        seed, seconds, verdict = line.split(" ", 2)
        assert not verdict.startswith("CRASH"), f"{kind} {seed}: {verdict}"
        assert float(seconds) < CAP, f"{kind} {seed} took {seconds} s"
        verdicts[verdict] += 1
    # Some must come through, some must not: else the damage or the seeds are no good.
    assert verdicts["refused"] > count // 10
    assert verdicts["read"] > count // 20
    assert kind == "ll" or verdicts["LLVM gave up"] > 0


def test_llvm_that_dies_is_reported_and_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here it is made to wait for ever, and ended."""
    monkeypatch.setattr(llvm_process, "SECONDS", 0.3)
    monkeypatch.setattr(llvm_process, "_KEEPER", Resident("import time; time.sleep(100)"))
    with pytest.raises(InputError) as caught:
        reknit.load(SHADER)
    (fault,) = caught.value.diagnostics
    assert fault.code == "RK0803" and "LLVM gave up reading this bitcode: it took more than" in fault.message
    assert "in the container's part" in fault.notes[0].message
    monkeypatch.undo()
    assert reknit.load(SHADER).functions[0].name == "main"


def test_nothing_is_left_running() -> None:
    code = (
        "import sys, reknit\n"
        "from reknit.front.llvm import llvm_process\n"
        "reknit.load(sys.argv[1])\n"
        "print(llvm_process._KEEPER.process.running.pid)\n"
    )
    command = [sys.executable, "-W", "error", "-c", code, str(SHADER)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""
    assert not Path("/proc", done.stdout.strip(), "cmdline").exists()
