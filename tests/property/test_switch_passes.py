"""Random control-flow trees through the switch passes: every lane records whom it ran each point with.

What the source means is one of the freedoms that OpSwitch leaves: one tangle for each case construct, and all meet at a
label that is reached by fallthrough. So the program before, run that way, says what the program after must do under
every freedom. The mode is not declared: some of these programs have regions that nobody waits behind, which it has no
way to write.
"""

import pytest
from kit.random.trees import SUBGROUP_SIZES, Writer

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.ir.walk import blocks
from reknit.passes.crossed import crossed_construct
from reknit.passes.manager import run_passes
from reknit.sim.policy import Policy
from reknit.sim.run import run

SOURCE = Policy("label", "always")
WEAKEST = (Policy("value", "never"), Policy("label", "never", "fifo"), Policy("value", "always"))


def recorded(module: Module, size: int, policy: Policy) -> list[int]:
    result = run(module, subgroup_size=size, policy=policy, max_steps=200_000)
    assert [str(diagnostic) for diagnostic in result.diagnostics] == []
    return list(result.buffers["out"].words)


@pytest.mark.parametrize("exits", ["merge", "sentinel"])
def test_lowered_trees_do_what_the_source_means(exits: str, full: bool) -> None:
    passes = (
        f"eliminate-phis, eliminate-continues{{all}}, lower-switches{{exit={exits}, policy=always, declare=false}}, "
        "eliminate-multi-level-breaks"
    )
    lowered = 0
    for seed in range(1000 if full else 40):
        size = SUBGROUP_SIZES[seed % len(SUBGROUP_SIZES)]
        expected = recorded(Writer(seed).module, size, SOURCE)
        module = Writer(seed).module
        codes = {note.code for note in run_passes(module, passes).notes()}
        if codes - {"RK2101"}:
            continue  # declined: a switch is still as free as it was, or a region that nobody waits behind is left
        assert [block for block in blocks(module.functions[0]) if crossed_construct(block) is not None] == []
        lowered += "RK2101" in codes
        for policy in WEAKEST:
            assert recorded(module, size, policy) == expected, f"seed {seed}"
        once = parse(print_module(module))
        run_passes(once, passes)
        assert print_module(once) == print_module(parse(print_module(module))), f"seed {seed} changes again"
    assert lowered > 10
