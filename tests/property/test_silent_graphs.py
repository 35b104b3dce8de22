"""Structurizing random graphs without a tangled operation: what is written is valid, and every lane takes its edges.

    silent_graph(family, seed)  ──run──▶ trace
                          └──▶ restructure ──spirv-val, own rules──run──▶ the same trace

Judges: spirv-val in process, reknit's rules, the simulator on the graph as it came.
"""

import pytest
from kit.oracles import need, validate
from kit.oracles.graph_runs import LANES, PIPELINE, by_rules, check_ways
from kit.random.silent_graphs import FAMILIES, as_fragment, end_otherwise, silent_graph, silent_module

from reknit.ir.module import Module
from reknit.passes.manager import run_passes
from reknit.spirv.write import write_module

GRAPHS = 15
GRAPHS_FULL = 2_000
NESTING = (128, 128, 12, 3, 1)


def judged(binary: bytes) -> tuple[bool, str]:
    accepted, message = validate(binary)
    agrees, finding = by_rules(binary)
    return accepted and agrees, message + finding


@pytest.mark.parametrize("family", FAMILIES)
def test_lanes_keep_their_ways(family: str, full: bool) -> None:
    need("slang-glslang")
    for seed in range(GRAPHS_FULL if full else GRAPHS):
        try:
            check_ways(
                silent_graph(family, seed), seed, NESTING[seed % 5], seed % 10 == 0, verdict=judged, make=silent_module
            )
        except AssertionError as fault:
            raise AssertionError(f"{family}, seed {seed}: {fault}") from fault


@pytest.mark.parametrize("family", FAMILIES)
def test_other_ends(family: str, full: bool) -> None:
    """With OpKill, OpTerminateInvocation and OpUnreachable among the ends."""
    need("slang-glslang")
    for seed in range(GRAPHS_FULL if full else GRAPHS):
        module: Module = silent_module(silent_graph(family, seed), LANES)
        end_otherwise(module, seed)
        as_fragment(module)
        run_passes(module, PIPELINE.format(NESTING[seed % 5], "outside"))
        accepted, message = judged(write_module(module))
        assert accepted, f"{family}, seed {seed}: {message}"
