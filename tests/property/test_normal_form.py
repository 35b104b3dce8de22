"""The normal form on random programs: no fault that a run tells apart is proved, and what passes do is.

The judge of faults is the simulator, which knows nothing of terms. A seed has about two faults that it tells apart;
`PYTHONPATH=tests python -m kit.random.faults FROM TO` goes through others.
"""

from collections import Counter

import pytest
from kit.proving import finding
from kit.random.faults import USUAL, tried

from reknit.fuzzing.generate import generate
from reknit.fuzzing.to_module import module_of
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import Hooks, run_passes

OPEN = {118: "lower-switches", 146: "eliminate-multi-level-breaks"}
"""By seed, the pass that is left open: flags of two programs whose loops carry different values."""


@pytest.mark.full(when=lambda part: part >= 1)
@pytest.mark.parametrize("part", range(1000))
def test_no_fault_that_a_run_shows_is_proved(part: int) -> None:
    """10 seeds a part, 10,000 in all; of the first part one of each family, with fewer faults."""
    totals: Counter[str] = Counter()
    for seed in range(part * 10, part * 10 + (10 if part else len(USUAL))):
        totals.update(tried(seed, 16 if part else 5))
    assert not totals["FALSE"], dict(totals)
    assert any(what.startswith("told apart") for what in totals), dict(totals)


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
