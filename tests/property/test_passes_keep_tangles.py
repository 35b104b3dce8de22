"""On random control-flow trees: every pass keeps who runs each point with whom, at every subgroup size.

The judge is the simulator, under three uses of the freedoms that OpSwitch leaves; it knows nothing of the passes. After
each pass the text form reads back to the same text, so that what is judged is what would be written.
"""

import pytest
from kit.random.trees import SUBGROUP_SIZES, program, results
from kit.text.pass_texts import apply

from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.contract import Pass
from reknit.passes.eliminate_phis import ELIMINATE_PHIS
from reknit.passes.manager import run_passes
from reknit.passes.promote_variables import PROMOTE_VARIABLES
from reknit.passes.tidy.simplify_cfg import SIMPLIFY_CFG

ORDERS = (
    (PROMOTE_VARIABLES, SIMPLIFY_CFG, ELIMINATE_PHIS, SIMPLIFY_CFG, PROMOTE_VARIABLES),
    (SIMPLIFY_CFG, PROMOTE_VARIABLES, SIMPLIFY_CFG),
)


@pytest.mark.parametrize("seed", range(100, 108))
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "-".join(transform.name for transform in order))
def test_lanes_meet_as_before(seed: int, order: tuple[Pass, ...]) -> None:
    module = program(seed)
    expected = results(module)
    module = program(seed)
    for transform in order:
        apply(module, transform)
        text = print_module(module)
        read = parse(text)
        assert print_module(read) == text
        assert results(read) == expected, transform.name


@pytest.mark.parametrize("seed", range(100, 108))
def test_simplifying_twice_is_simplifying_once(seed: int) -> None:
    module = program(seed)
    apply(module, PROMOTE_VARIABLES)
    apply(module, SIMPLIFY_CFG)
    text = print_module(module)
    assert not apply(module, SIMPLIFY_CFG)[0]
    assert print_module(module) == text


@pytest.mark.parametrize("seed", range(200, 216))
def test_reconverge_leaves_one_meaning(seed: int) -> None:
    """The whole pipeline: afterwards no freedom of OpSwitch shows, and where none showed before nothing changes."""
    module = program(seed)
    before = results(module)
    module = program(seed)
    run_passes(module, "reconverge")
    after = results(parse(print_module(module)))
    for size in SUBGROUP_SIZES:
        meant = {tuple(words) for used, _, words in before if used == size}
        found = {tuple(words) for used, _, words in after if used == size}
        assert len(found) == 1
        if len(meant) == 1:
            assert found == meant
