"""Shapes of control flow on which structurizers have failed: each becomes a tree that SPIR-V's validator accepts, and
every lane takes the way that it took in the graph.

The file lists blocks with their terminators; what a lane decides is made up here, many times over.
"""

import json
from collections.abc import Callable
from pathlib import Path

from kit.oracles import need
from kit.oracles.graph_runs import check_ways

SEEDS = 4
SHAPES = 25


def test_every_shape_becomes_a_tree(conformance: Callable[[str], Path], full: bool) -> None:
    need("slang-glslang")
    shapes = json.loads(conformance("hard_cfg_shapes.json").read_text())
    assert len(shapes) == SHAPES
    for shape in shapes:
        order = [shape["entry"], *[name for name in shape["nodes"] if name != shape["entry"]]]
        number = {name: index for index, name in enumerate(order)}
        targets = [[number[target] for target in shape["terminators"][name]["targets"]] for name in order]
        for seed in range(40 if full else SEEDS):
            check_ways(targets, seed, verify=seed == 0)
            check_ways(targets, seed, nesting=2)
