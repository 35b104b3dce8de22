"""split-critical-edges: flat functions of a kernel, and that a tree has no critical edge but one kind."""

import networkx
import pytest
from kit import oracles
from kit.random.trees import program

from reknit.ir.block import Block
from reknit.ir.cfg import predecessors, successors
from reknit.ir.text.parser import parse
from reknit.ir.tree import Case
from reknit.ir.verify import verify
from reknit.ir.walk import blocks
from reknit.passes.manager import run_passes
from reknit.passes.split_critical_edges import critical_edges
from reknit.spirv.write import write_module

HEAD = """\
Capability Kernel
Capability Addresses
Capability Linkage
MemoryModel Physical64 OpenCL
Decorate @f LinkageAttributes "f" Export

func @f(%v: u32, %c: bool) -> u32 flat {
"""

# Derived by hand: which edges are critical, as (source, target) numbers of the blocks in the order of the text.
FLAT = {
    "a fork to a join": (
        "a:\nBranchConditional %c, b, d\nb:\nBranch d\nd:\n%p = Phi 1u a, 2u b : u32\nreturn %p",
        [(0, 2)],
    ),
    "a loop entered in two places": (
        "a:\nBranchConditional %c, x, y\nx:\nBranchConditional %c, y, d\ny:\nBranchConditional %c, x, d\nd:\nreturn 2u",
        [(0, 1), (0, 2), (1, 2), (1, 3), (2, 1), (2, 3)],
    ),
}


@pytest.mark.parametrize("name", FLAT)
def test_flat(name: str) -> None:
    text, edges = FLAT[name]
    module = parse(HEAD + text + "\n}\n")
    module.version = 0x00010500  # later ones want two different labels of OpBranchConditional
    function = module.functions[0]
    function_blocks = list(function.blocks)
    assert not function.structured
    number = {block: index for index, block in enumerate(function_blocks)}
    found = critical_edges(function)
    assert [(number[source], number[target]) for source, target in found] == edges
    before = graph(function_blocks)
    changed = run_passes(module, "split-critical-edges").changed()
    assert changed == bool(edges)
    assert verify(module) == []
    assert critical_edges(function) == []
    new = [block for block in function.blocks if block not in number]
    assert len(new) == len(edges)
    after = graph(function.blocks)
    for block in new:  # taken out again, the graph is the one from before
        (source,) = after.predecessors(block)
        (target,) = after.successors(block)
        after.remove_node(block)
        after.add_edge(source, target)
    assert set(after.edges) == set(before.edges)
    accepted, message = oracles.spirv_val(write_module(module), "spv1.5")
    assert accepted, message
    assert not run_passes(module, "split-critical-edges").changed()


def graph(nodes: list[Block]) -> "networkx.DiGraph[Block]":
    found: networkx.DiGraph[Block] = networkx.DiGraph()
    found.add_nodes_from(nodes)
    for block in nodes:
        for target in successors(block):
            found.add_edge(block, target)
    return found


@pytest.mark.parametrize("seed", range(300, 330))
def test_a_tree_has_none_but_into_a_case_that_another_falls_into(seed: int) -> None:
    module = program(seed)
    for source in blocks(module.functions[0]):
        targets = successors(source)
        for target in targets:
            if len(targets) < 2 or len(predecessors(target)) < 2:
                continue
            region = target.region
            assert region is not None
            assert isinstance(region.owner, Case) and region.owner.fallthroughs and region.first is target
