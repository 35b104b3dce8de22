"""declare-reconvergence over random graphs that are valid without the mode: valid with it, too.

    graph(seed)  ──valid?──▶ declare-reconvergence, also before and after other passes ──▶ valid, with the mode
"""

import pytest
from kit.oracles import need, validate
from kit.oracles.graph_runs import by_rules
from kit.random import flow_graphs

from reknit.ir import enums
from reknit.passes.manager import run_passes
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module
from reknit.spirv.write import write_module

GRAPHS = 150
GRAPHS_FULL = 20_000
LOWER = "eliminate-phis, eliminate-multi-level-breaks"
PIPELINES = (
    "declare-reconvergence",
    f"declare-reconvergence, {LOWER}",
    f"declare-reconvergence, simplify-cfg, {LOWER}",
    f"simplify-cfg, {LOWER}, declare-reconvergence",
    f"declare-reconvergence, lower-continuing, {LOWER}, promote-variables",
)


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_valid_stays_valid(pipeline: str, full: bool) -> None:
    """A jump that needs a flag is refused by name where the pipeline ends with the pass; never more than a few."""
    need("slang-glslang")
    judged = refused = 0
    for seed in range(GRAPHS_FULL if full else GRAPHS):
        graph = flow_graphs.graph(seed, 30)
        graph.maximal = False
        data = flow_graphs.words(graph)
        if not validate(data)[0] or not by_rules(data)[0]:
            continue
        module = read_module(data)
        run_passes(module, pipeline)
        try:
            binary = write_module(module)
        except InputError as fault:
            assert fault.diagnostics[0].code == "RK0510" and pipeline.endswith("declare-reconvergence")
            refused += 1
            continue
        judged += 1
        modes = [mode.word(1) for mode in module.execution_modes]
        assert enums.ExecutionModeMaximallyReconvergesKHR in modes, f"seed {seed}"
        assert validate(binary) == (True, ""), f"seed {seed}"
        assert by_rules(binary) == (True, ""), f"seed {seed}"
    assert judged > (GRAPHS_FULL if full else GRAPHS) // 3 and refused < judged // 50
