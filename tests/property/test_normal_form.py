"""The normal form on random programs: no fault that a run tells apart is proved, and what passes do is.

The judge of faults is the simulator, which knows nothing of terms. Other seeds: `PYTHONPATH=tests python -m
kit.random.faults FROM TO`.
"""

import pytest
from kit.proving import finding
from kit.random.faults import tried

from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import Hooks, run_passes

OPEN = {118: "lower-switches", 146: "eliminate-multi-level-breaks"}
"""By seed, the pass that is left open: flags of two programs whose loops carry different values."""


@pytest.mark.full(when=lambda seed: seed >= 12)
@pytest.mark.parametrize("seed", range(2500))
def test_no_fault_that_a_run_shows_is_proved(seed: int) -> None:
    totals = tried(seed, 8)
    assert not totals["FALSE"], dict(totals)


@pytest.mark.full(when=lambda seed: seed >= 16)
@pytest.mark.parametrize("seed", range(500))
def test_each_pass_of_reconverge_is_proved(seed: int) -> None:
    module = module_of(generate(seed))
    texts = [print_module(module)]
    names = [""]

    def changed(number: int, name: str, after: object) -> None:
        names.append(name)
        texts.append(print_module(module))

    run_passes(module, "reconverge", Hooks(print_changed=changed))
    for name, before, after in zip(names[1:], texts, texts[1:], strict=False):
        found = finding(parse(before), parse(after))
        assert found.proved or OPEN.get(seed) == name, f"{name}: {found.text()}"
