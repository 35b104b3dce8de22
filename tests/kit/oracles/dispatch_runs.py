"""Programs with dispatch taken through passes, run, and who ran each method together."""

from kit.proving import assert_proved
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.verify import verify
from reknit.passes.manager import Hooks, run_passes
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.sim.trace import RUN, Trace

SIZES = [4, 8, 32, 64]
WATERFALL = "last GroupNonUniformBroadcastFirst"
"""A tag in each iteration: the loop of a waterfall corresponds to none before."""


def after(text: str, passes: str = "", open: str = "") -> Module:
    """The module of `text` after `passes`, checked after each, and proved for every input but where `open` has words of
    why that is open: those who call this run it."""
    module = parse(text, "dispatch.rk")
    if passes:
        before = module.copy()
        run_passes(module, passes, Hooks(verify_each=True))
        assert_proved(before, module, open)
    assert verify(module) == []
    return module


def execute(module: Module, size: int, policy: Policy | None = None) -> Result:
    result = run(module, subgroup_size=size, buffers={"out": [0] * 64}, trace=True, policy=policy)
    assert result.diagnostics == []
    return result


def who_runs(result: Result, function: str) -> list[int]:
    """The lanes of each time that a function of one block is entered; what goes on after a call has a plus."""
    assert result.trace is not None
    names = [name.split("#")[0] if "+" not in name else "" for name in result.trace.names]
    return sorted([event.mask for event in result.trace.events if event.kind == RUN and names[event.block] == function])


def per_subgroup(trace: Trace, mask: int) -> list[int]:
    """`mask` cut into subgroups, each from bit 0."""
    size = trace.subgroup_size
    return [mask >> start & (1 << size) - 1 for start in range(0, trace.lanes, size)]
