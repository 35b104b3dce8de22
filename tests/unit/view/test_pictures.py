"""Trees and graphs as text, SVG and DOT, of random control-flow trees.

What must be in a picture is counted in the tree itself; where boxes stand follows from what a nested picture is: a box
lies inside the box of what holds it, and apart from its neighbours.
"""

import re
from xml.etree import ElementTree

import pytest
from kit.random.trees import program

from reknit.ir.block import Block
from reknit.ir.build import new_block, new_function
from reknit.ir.cfg import successors
from reknit.ir.constants import bool_constant
from reknit.ir.edit import append_node
from reknit.ir.function import Function
from reknit.ir.module import Module
from reknit.ir.tree import Construct, If, Region
from reknit.ir.walk import blocks, constructs
from reknit.view.dot import graph_dot, tree_dot
from reknit.view.layout import Box, Layout
from reknit.view.picture import Picture
from reknit.view.text import ASCII, graph_text, tree_text
from reknit.view.tree_svg import functions_svg

SEEDS = range(12)


def main_of(module: Module) -> Function:
    return next(function for function in module.functions if function.name == "main")


def inside(inner: Box, outer: Box) -> bool:
    return (
        outer.x <= inner.x
        and outer.y <= inner.y
        and inner.x + inner.width <= outer.x + outer.width + 0.01
        and inner.y + inner.height <= outer.y + outer.height + 0.01
    )


def apart(one: Box, other: Box) -> bool:
    return (
        one.x + one.width <= other.x + 0.01
        or other.x + other.width <= one.x + 0.01
        or one.y + one.height <= other.y + 0.01
        or other.y + other.height <= one.y + 0.01
    )


def boxes_in(layout: Layout, region: Region) -> list[Box]:
    return [box for box in (layout.box_of(node) for node in region) if box is not None]


@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_lie_in_what_holds_them_and_apart_from_their_neighbours(seed: int) -> None:
    function = main_of(program(seed))
    layout = Layout(function)
    for construct in constructs(function):
        held = [layout.regions[region] for region in construct.regions() if region in layout.regions]
        assert all(inside(box, layout.constructs[construct]) for box in held)
        assert all(apart(one, other) for at, one in enumerate(held) for other in held[:at])
    for region, box in layout.regions.items():
        shown = boxes_in(layout, region)
        assert all(inside(one, box) for one in shown)
        assert all(apart(one, other) for at, one in enumerate(shown) for other in shown[:at])
        assert all(one.x >= 0 and one.x + one.width <= layout.width for one in shown)
        assert all(one.y + one.height <= layout.height for one in shown)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_svg_is_xml_and_shows_every_construct_once(seed: int) -> None:
    function = main_of(program(seed))
    picture = ElementTree.fromstring(functions_svg([function]))
    dashed = [one for one in picture.iter("{http://www.w3.org/2000/svg}rect") if one.get("rx") == "4"]
    assert len(dashed) == len(constructs(function))
    loose = [one for one in dashed if one.get("stroke-dasharray")]
    assert len(loose) == sum(1 for construct in constructs(function) if not construct.merged)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_graph_has_the_edges_of_the_graph(seed: int) -> None:
    function = main_of(program(seed))
    text = graph_dot(function)
    assert text.count("{") == text.count("}")
    numbers = {block: index for index, block in enumerate(blocks(function))}
    expected = [(numbers[block], numbers[target]) for block in blocks(function) for target in successors(block)]
    found = [(int(one), int(other)) for one, other in re.findall(r"^b(\d+) -> b(\d+)", text, re.MULTILINE)]
    assert found == expected
    assert text.count("subgraph ") == len(constructs(function)) + 1  # the legend


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tree_has_one_parent_for_each_node(seed: int) -> None:
    text = tree_dot(main_of(program(seed)))
    nodes = re.findall(r"^(\w+) \[", text, re.MULTILINE)[2:]  # after what holds for all nodes and edges
    children = re.findall(r"^\w+ -> (\w+);", text, re.MULTILINE)
    assert sorted(children) == sorted(node for node in nodes if node != "root")


@pytest.mark.parametrize("seed", SEEDS)
def test_text_shows_every_construct_and_jump(seed: int) -> None:
    function = main_of(program(seed))
    text = tree_text(function, ASCII)
    assert text.isascii()
    heads = re.findall(r"- (?:if|loop|switch|scope)\b", text)
    assert len(heads) == len(constructs(function))
    jumps = [block for block in blocks(function) if block.jump is not None]
    assert len(re.findall(r"\b(?:break|continue|fallthrough|return|unreachable)\b(?!ing)", text)) >= len(jumps)
    assert len(graph_text(function).splitlines()) == 1 + len(blocks(function))


def nested(depth: int) -> Function:
    module = Module()
    function = new_function(module, "main")
    condition = bool_constant(module, True)
    at: Block = function.entry()
    for _ in range(depth):
        inner = If(condition)
        region = at.region
        assert region is not None
        append_node(region, inner)
        new_block(region)
        new_block(inner.orelse)
        at = new_block(inner.then)
    return function


def test_pictures_need_no_recursion_and_linear_room() -> None:
    """2,000 ifs, one in the other, give twice the text of 1,000; numbers with a digit more are all that is added."""
    small, large = nested(1000), nested(2000)
    assert len(constructs(large)) == 2000
    assert len(tree_text(large)) < 2.2 * len(tree_text(small))
    assert len(graph_dot(large)) < 2.3 * len(graph_dot(small))
    assert len(functions_svg([large])) < 2.3 * len(functions_svg([small]))


def test_a_picture_is_text_and_drawing() -> None:
    module = program(0)
    picture = Picture(module, "main")
    assert str(picture) == tree_text(main_of(module))
    assert picture._repr_svg_() == picture.svg() == functions_svg([main_of(module)])
    assert isinstance(constructs(main_of(module))[0], Construct)
