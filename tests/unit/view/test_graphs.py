"""Pictures of graphs: the kind of each edge, and layouts in which nothing lies over anything else.

Kinds are told by hand from the definitions in the module's text (`reknit.view.edges`); the graphs are those that
docs/control-flow.md explains. Layouts are held to what a layered picture is: every edge that doesn't go back goes down.
"""

import random
from xml.etree import ElementTree

import pytest
from kit.random.trees import program
from kit.viewer.crossings import assert_nothing_is_crossed

from reknit.ir.function import Function
from reknit.ir.text.parser import parse
from reknit.ir.walk import blocks
from reknit.view.dot import graph_dot
from reknit.view.edges import Edges
from reknit.view.flow_svg import Flow
from reknit.view.graph_layout import GraphLayout
from reknit.view.graph_picture import graphs_svg
from reknit.view.graph_svg import Drawing
from reknit.view.layers import SPACE, Layers, closest_places
from reknit.view.words import Words

SEEDS = range(12)


def flat(*lines: str) -> Function:
    """A flat function; a block a line: `name: instruction`."""
    text = ["func @main(%c: bool, %k: u32) -> void flat {"]
    for line in lines:
        name, _, ending = line.partition(": ")
        text += [f"%{name}:", *ending.split("; ")]
    return parse("\n".join([*text, "}"])).functions[0]


def kinds(function: Function, fake: bool = False) -> dict[str, str]:
    """"a>b" -> the kind, with ! if the edge is critical."""
    edges = Edges(function, Words(function), fake, fake)
    names = [block.name or str(block.id) for block in edges.blocks] + ["end"]
    return {f"{names[e.source]}>{names[e.target]}": e.kind + "!" * e.critical for e in edges.all}


def test_an_if_without_else_has_a_critical_edge() -> None:
    function = flat("pre: BranchConditional %c %then %post", "then: Branch %post", "post: return")
    assert kinds(function) == {"pre>then": "step", "pre>post": "step!", "then>post": "step"}


def test_merge_instructions_tell_breaks_continues_and_merges() -> None:
    function = flat(
        "entry: Branch %head",
        "head: LoopMerge %after %next None; BranchConditional %c %body %after",
        "body: SelectionMerge %join None; BranchConditional %c %then %join",
        "then: BranchConditional %c %next %join",
        "join: Branch %next",
        "next: Branch %head",
        "after: return",
    )
    assert kinds(function) == {
        "entry>head": "step",
        "head>body": "step",
        "head>after": "break",
        "body>then": "step",
        "body>join": "merge!",
        "then>next": "continue!",
        "then>join": "merge!",
        "join>next": "continue",
        "next>head": "back",
    }


def test_without_merge_instructions_leaving_a_natural_loop_is_a_break() -> None:
    function = flat(
        "entry: Branch %head",
        "head: BranchConditional %c %body %out",
        "body: BranchConditional %c %head %out",
        "out: return",
    )
    assert kinds(function) == {
        "entry>head": "step",
        "head>body": "step",
        "head>out": "break!",
        "body>head": "back!",
        "body>out": "break!",
    }


def test_a_fake_edge_goes_from_the_back_edge_to_where_the_exits_meet() -> None:
    """The loop {3, 6} is left from 3 alone, to 9; an endless loop's back edge goes to the function's end."""
    function = flat("entry: Branch %3", "3: BranchConditional %c %6 %9", "6: Branch %3", "9: return")
    found = kinds(function, True)
    assert {edge for edge, kind in found.items() if kind == "fake"} == {"6>9"}
    assert found["9>end"] == "return"
    endless = flat("entry: BranchConditional %c %1 %7", "1: Branch %6", "6: Branch %1", "7: return")
    assert {edge for edge, kind in kinds(endless, True).items() if kind == "fake"} == {"6>end"}


def test_words_at_edges_say_what_chooses_them() -> None:
    function = flat("a: Switch %k %d 1 %b 2 %c1 7 %b", "b: Branch %d", "c1: Branch %d", "d: return")
    edges = Edges(function, Words(function))
    assert [edge.title for edge in edges.all[:3]] == ["default", "1, 7", "2"]


def test_a_legend_has_what_occurs_and_names_are_quoted() -> None:
    function = flat("pre: BranchConditional %c %then %post", "then: Branch %post", "post: return")
    function.blocks[1].name = 'a "\\ b\n\x07'
    text = graph_dot(function)
    assert [look for look in ("step", "back", "critical", "return") if f"legend_{look} " in text] == [
        "step",
        "critical",
        "return",
    ]
    assert '\\"\\\\' in text.replace("%", "") and "\x07" not in text
    picture = ElementTree.fromstring(graphs_svg([function]))
    assert sum(1 for one in picture.iter("{http://www.w3.org/2000/svg}rect") if one.get("class") == "b") == 3


def random_graph(seed: int, nodes: int) -> tuple[list[tuple[int, int]], list[bool], list[int]]:
    numbers = random.Random(seed)
    edges = [(numbers.randrange(node), node) for node in range(1, nodes)]
    edges += [(numbers.randrange(nodes), numbers.randrange(nodes)) for _ in range(nodes)]
    return edges, [target <= source for source, target in edges], list(range(nodes))


@pytest.mark.parametrize("seed", SEEDS)
def test_layers_go_down_and_neighbours_keep_apart(seed: int) -> None:
    edges, back, order = random_graph(seed, 40)
    sizes = [(30.0 + 7 * (node % 5), 20.0 + 4 * (node % 3)) for node in order]
    layers = Layers(sizes, edges, back, order, len(sizes))
    for index, (source, target) in enumerate(edges):
        if not back[index]:
            assert layers.y[source] + sizes[source][1] < layers.y[target]
    for row in layers.rows:
        for left, right in zip(row, row[1:], strict=False):
            room = layers.x[right] - layers.widths[right] / 2 - layers.x[left] - layers.widths[left] / 2
            assert room >= SPACE - 0.01
    assert all(width <= layers.width + 0.01 for width in (layers.x[n] + layers.widths[n] / 2 for n in order))
    # Lines at the side that share a lane lead to the same node, or share no space between layers.
    side = [
        (layers.lane[index], target, sorted((layers.layer[source] + 1, layers.layer[target])))
        for index, (source, target) in enumerate(edges)
        if layers.lane[index] >= 0
    ]
    for at, (lane, target, (top, bottom)) in enumerate(side):
        for other, aim, (other_top, other_bottom) in side[:at]:
            assert lane != other or target == aim or bottom < other_top or other_bottom < top


def assert_clear(layout: GraphLayout) -> None:
    paths = [layout.path(edge) for edge in range(len(layout.edges))]
    labels = [label for label in layout.labels if label is not None]
    assert_nothing_is_crossed([*layout.boxes, *labels], paths, layout.width, layout.height)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_line_crosses_a_box_or_a_word(seed: int) -> None:
    """Any graph, with words at half of its lines, also at those that go back."""
    numbers = random.Random(seed)
    edges, _, order = random_graph(seed, 30)
    sizes = [(30.0 + 60 * (node % 5), 20.0 + 40 * (node % 3)) for node in order]
    words = ["", "", "case 17", "default", "x"]
    named = [(source, target, numbers.choice(words)) for source, target in edges]
    assert_clear(GraphLayout(sizes, named, [True] * len(named), 0.0))


def test_no_line_crosses_in_drawn_functions() -> None:
    """A switch of many cases that fall through, a ladder with lines from everywhere to one block, loops in loops."""
    cases = " ".join(f"{value} %c{value}" for value in range(12))
    switch = ["entry: SelectionMerge %end None; Switch %k %end " + cases]
    switch += [f"c{value}: BranchConditional %c %c{value + 1} %end" for value in range(11)] + ["c11: Branch %end"]
    loops = ["entry: Branch %h0"]
    for depth in range(9):
        loops.append(f"h{depth}: BranchConditional %c %h{depth + 1} %{f'b{depth - 1}' if depth else 'out'}")
    loops += ["h9: Branch %b8", *[f"b{depth}: Branch %h{depth}" for depth in range(9)], "out: return"]
    for function in (flat(*switch, "end: return"), ladder(24), flat(*loops)):
        assert_clear(Drawing(function, False).layout)


def test_places_are_the_closest_that_keep_order() -> None:
    """Two boxes that wish for the same place part evenly; one that is free stays where it wants to be."""
    assert closest_places([0.0, 0.0, 500.0], [10.0, 10.0, 10.0], [1.0, 1.0, 1.0]) == [-18.0, 18.0, 500.0]
    assert SPACE == 26.0


@pytest.mark.parametrize("seed", SEEDS)
def test_boxes_of_a_flow_lie_in_their_frames_and_apart(seed: int) -> None:
    function = next(one for one in program(seed).functions if one.name == "main")
    flow = Flow(function)
    for region, place in flow.regions.items():
        inner = [flow.places[node] for node in region]
        for one in inner:
            assert place.x - 0.01 <= one.x and one.x + one.width <= place.x + place.width + 0.01
            assert place.y - 0.01 <= one.y and one.y + one.height <= place.bottom() + 0.01
        for upper, lower in zip(inner, inner[1:], strict=False):
            assert upper.bottom() < lower.y
    assert all(place.x + place.width <= flow.width for place in flow.places.values())
    picture = ElementTree.fromstring(graphs_svg([function]))
    shown = [one for one in picture.iter("{http://www.w3.org/2000/svg}rect") if one.get("class") == "b"]
    assert len(shown) == len(blocks(function))
    assert graphs_svg([function]) == graphs_svg([function])


def ladder(rungs: int) -> Function:
    """A row of diamonds, and from each of them a way back to the first: long edges both ways."""
    lines = ["entry: Branch %a0"]
    for at in range(rungs):
        lines += [
            f"a{at}: BranchConditional %c %b{at} %z",
            f"b{at}: BranchConditional %c %a0 %a{at + 1}",
        ]
    return flat(*lines, f"a{rungs}: Branch %z", "z: return")


def test_a_large_graph_takes_linear_room() -> None:
    small, large = ladder(300), ladder(600)
    assert len(graphs_svg([large])) < 2.4 * len(graphs_svg([small]))
    assert len(graph_dot(large, True)) < 2.3 * len(graph_dot(small, True))
