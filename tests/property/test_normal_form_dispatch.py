"""The normal form on random programs with dynamic dispatch: no fault that a run shows is proved, and what passes do is.

Other seeds: `PYTHONPATH=tests python -m kit.random.dispatch_faults FROM TO`.
"""

import pytest
from kit.proving import finding
from kit.random.dispatch import random_program
from kit.random.dispatch_faults import tried

from reknit.ir.text.parser import parse
from reknit.passes.manager import run_passes


@pytest.mark.full(when=lambda seed: seed >= 4)
@pytest.mark.parametrize("seed", range(600))
def test_no_fault_that_a_run_shows_is_proved(seed: int) -> None:
    totals = tried(seed, 6)
    assert not totals["told apart, proved"], dict(totals)


@pytest.mark.full(when=lambda seed: seed >= 6)
@pytest.mark.parametrize("seed", range(100))
def test_specializing_dispatch_is_proved(seed: int) -> None:
    before, after = parse(random_program(seed)), parse(random_program(seed))
    run_passes(after, "specialize-dispatch")
    found = finding(before, after)
    assert found.proved, found.text()
