"""z3 takes Ctrl-C for itself and answers that it was interrupted; it is asked for no longer than limits leave."""

import os
import signal
import sys
import threading
from typing import Any

import pytest

from reknit.proof.solver import ask
from reknit.source.limits import LimitExceeded, Limits

z3 = pytest.importorskip("z3")


class Hard(z3.Solver):  # type: ignore[misc, name-defined]
    """Has more to do than what it is asked: minutes of multiplications, whatever the limit of steps."""

    def check(self, *assumptions: Any) -> Any:
        x, y, z = z3.BitVecs("x y z", 64)
        self.set("rlimit", 0)
        self.add(x * y * z == 0x123456789ABCDEF1, x > 1, y > 1, z > 1, x * x + y * y * z == 77777777777 * x)
        return super().check(*assumptions)


class Words:
    """Any terms."""

    def __init__(self, terms: object) -> None:
        self.terms = terms

    def kind_of(self, term: int) -> int:
        return 1

    def of(self, term: int, kind: int) -> Any:
        return z3.BitVec("reach", 8) != 0 if kind == -1 else z3.BitVec(f"v{term}", 8)


@pytest.fixture(autouse=True)
def hard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(z3, "Solver", Hard)
    monkeypatch.setattr("reknit.proof.solver.words.Words", Words)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX does")
def test_an_interrupt_ends_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            ask.Solver()(None, 0, 1, 2)  # type: ignore[arg-type]
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)


def test_a_limit_ends_the_proof() -> None:
    with pytest.raises(LimitExceeded), Limits(seconds=0.3):
        ask.Solver()(None, 0, 1, 2)  # type: ignore[arg-type]
