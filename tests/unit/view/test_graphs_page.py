"""The page of graphs: what it has is the function's blocks, edges and constructs; it folds, and stays usable where they
are many. Its layout is the one of the pictures, held equal in Node."""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from kit.random.trees import program
from kit.viewer.browser import in_browser, in_chromium
from kit.viewer.crossings import assert_nothing_is_crossed

import reknit
from reknit.cli.main import main
from reknit.view.graph_document import graphs_document
from reknit.view.graph_svg import Drawing

EXAMPLES = Path(__file__).parents[3] / "examples"
VIEWER = Path(reknit.__file__).parent / "view" / "viewer"
SCRIPTS = Path(__file__).parents[2] / "kit" / "viewer"
NODE = shutil.which("node")
in_node = pytest.mark.skipif(NODE is None, reason="node is not installed")


def documents(module: reknit.Module) -> list[Any]:
    found: Any = json.loads(json.dumps(graphs_document("x", module, module.functions)))
    return list(found["functions"])


def test_blocks_edges_and_operations() -> None:
    """The README's switch: four blocks, of which two have an operation that depends on who runs it. Lanes choose their
    case by their own value, so that all are together before the switch and behind it only."""
    [one] = documents(reknit.load(EXAMPLES / "fallthrough.spvasm"))
    names = [lines[0] for lines in one["boxes"]]
    assert names == ["%entry", "%zero", "%others", "%merge"]
    edges = {(names[a], names[b], kind, title) for a, b, kind, title in one["edges"]}
    assert edges == {
        ("%entry", "%zero", "step", "case 0"), ("%entry", "%others", "critical", "default"),
        ("%zero", "%others", "fallthrough", ""), ("%others", "%merge", "merge", ""),
    }  # fmt: skip
    assert one["tangled"] == [1, 2]
    assert one["code"][1][0] == "%ones = GroupNonUniformIAdd Subgroup Reduce 1u : u32"
    assert one["constructs"] == [["switch %kind", -1]] and one["within"] == [-1, 0, 0, -1]
    heads = [row for row in one["tree"] if row[2] < 0]
    assert heads == [[0, "switch %kind", -2], [1, "case 0:", -1], [1, "default:", -1]]
    assert [signs[:2] for signs in one["uniformity"]["subgroup"]] == ["TL", "tl", "tl", "TL"]
    for block, signs in enumerate(one["uniformity"]["subgroup"]):
        assert [sign == "-" for sign in signs[2:]] == [" = " not in line for line in one["code"][block]]


def test_loops_without_a_tree_are_folded() -> None:
    """0 -> 1 -> 2 -> 3 -> 2, 3 -> 1, 3 -> 4, by hand: the loop at 2 is in the loop at 1."""
    module = reknit.load(b"n0 -> n1\nn1 -> n2\nn2 -> n3\nn3 -> n2 n1 n4\nn4 ret\n", format="cfg")
    one = next(each for each in documents(module) if len(each["boxes"]) == 5)
    heads = [text for text, _ in one["constructs"]]
    assert sorted(heads) == ["loop at %n1", "loop at %n2"]
    inner, outer = heads.index("loop at %n2"), heads.index("loop at %n1")
    assert one["constructs"][inner][1] == outer and one["constructs"][outer][1] == -1
    assert one["within"] == [-1, outer, inner, inner, -1]


def in_javascript(file: str, given: object) -> Any:
    assert NODE is not None
    words = [NODE, str(SCRIPTS / file), VIEWER.as_uri()]
    done = subprocess.run(words, input=json.dumps(given), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.once
@in_node
def test_the_page_lays_out_as_the_pictures_do() -> None:
    """Of random programs: each box and each line, to a tenth of a pixel."""
    drawings = [Drawing(function, False) for seed in range(6) for function in program(seed).functions]
    given = [
        {
            "boxes": [[number, lines] for number, lines in enumerate(one.lines)],
            "edges": [[edge.source, edge.target, edge.look(), edge.title] for edge in one.edges.all],
        }
        for one in drawings
    ]
    count = 0
    for drawing, found in zip(drawings, in_javascript("layout.mjs", given), strict=True):
        for box, node in zip(drawing.layout.boxes, found["nodes"], strict=True):
            assert node[:4] == pytest.approx(box)
        for index, edge in enumerate(found["edges"]):
            path = drawing.layout.path(index)
            assert re.sub(r"[-\d.]+", "n", edge[3]) == re.sub(r"[-\d.]+", "n", path)
            numbers = [[float(each) for each in re.findall(r"-?[\d.]+", text)] for text in (edge[3], path)]
            assert numbers[0] == pytest.approx(numbers[1], abs=0.11)
            label = drawing.layout.labels[index]
            assert edge[5:] == ([] if label is None else pytest.approx(list(label[:2])))
            count += 1
    assert count > 200


@pytest.mark.once
@in_node
def test_what_is_folded_is_one_box() -> None:
    """Of random programs with random constructs folded: a block is in the box of the outermost folded construct around
    it, every edge between two boxes is drawn and no other, and nothing is crossed."""
    numbers = random.Random(7)
    given = []
    for seed in range(8):
        for one in documents(program(seed)):
            closed = [at for at in range(len(one["constructs"])) if numbers.random() < 0.3]
            given.append({"one": one, "closed": closed})
    assert sum(len(each["closed"]) for each in given) > 10
    for each, found in zip(given, in_javascript("folded.mjs", given), strict=True):
        one, folds, graph, box = each["one"], set(each["closed"]), found["graph"], found["box"]
        for block, inner in enumerate(one["within"]):
            outermost = -1
            while inner >= 0:
                outermost = inner if inner in folds else outermost
                inner = one["constructs"][inner][1]
            assert graph["nodes"][box[block]][4] == (block if outermost < 0 else -2 - outermost)
        between = {(box[source], box[target]) for source, target, *_ in one["edges"]}
        folded = {(at, at) for at, node in enumerate(graph["nodes"]) if node[4] < -1}
        assert {tuple(edge[:2]) for edge in graph["edges"]} == between - folded
        lying = [node[:4] for node in graph["nodes"]]
        lying += [[edge[5], edge[6], len(edge[4]) * 6.7 + 8, 15] for edge in graph["edges"] if edge[4]]
        assert_nothing_is_crossed(lying, [edge[3] for edge in graph["edges"]], graph["width"], graph["height"])


def test_the_page_is_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "g.html"
    words = ["show", str(EXAMPLES / "shapes.slang"), "-o", str(out)]
    assert main(words) == 0 and out.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert capsys.readouterr().out == ""
    assert main([*words, "--fake"]) == 2 and "draws edges of the graph" in capsys.readouterr().err


def chain(blocks: int, path: Path) -> Path:
    """A chain, each block of it with an edge past the next one."""
    lines = [f"n{at} -> n{at + 1} n{min(at + 2, blocks - 1)}" for at in range(blocks - 2)]
    path.write_text("\n".join([*lines, f"n{blocks - 2} -> n{blocks - 1}", f"n{blocks - 1} ret"]) + "\n")
    return path


def branches(count: int, path: Path) -> Path:
    """A Slang shader: `count` times a subgroup sum in a branch, else a loop that lanes leave one by one: 9 blocks."""
    text = "if ((id.x + {0}) % 3 == 1) s += WaveActiveSum({0}); else for (uint i = 0; i < id.x; ++i) s ^= i;"
    head = '[shader("compute")][numthreads(64,1,1)] void main(uint3 id : SV_DispatchThreadID) { uint s = 0;'
    body = [text.format(at) for at in range(count)]
    path.write_text("\n".join(["RWStructuredBuffer<uint> r;", head, *body, "r[id.x] = s; }"]))
    return path


def page_of(path: Path) -> str:
    out = path.with_suffix(".html")
    assert main(["show", str(path), "-o", str(out)]) == 0
    return out.read_text(encoding="utf-8")


@pytest.mark.once
@in_chromium
def test_constructs_are_folded_and_found(tmp_path: Path) -> None:
    """Two branches, each with a loop: folded from the tree, from the graph, all at once. What is found in a folded one
    unfolds it. The box that is folded stays where it was. By hand: a loop has a head, two arms, what follows them, and
    what continues; what remains of the function is two blocks, a block behind each branch, and the branches."""
    seen = in_browser(page_of(branches(2, tmp_path / "b.slang")), tmp_path, (SCRIPTS / "folding.js").read_text())
    assert seen["whole"] == 20 and seen["rows"] == ["if", "loop", "if", "if", "loop", "if"]
    assert seen["loop"] == 16 and seen["box"][0].startswith("▸ loop") and seen["box"][1:] == ["5 blocks"]
    assert seen["stays"] and seen["spoken"].endswith("5 blocks folded") and seen["expanded"] == "false"
    assert seen["all"] == 6 and seen["edges"] == [[at, at + 1] for at in range(5)]
    assert seen["bars"] == [False, False, True, False, True, False]
    assert seen["found"] == 2 and "WaveActiveSum" not in seen["tip"] and "GroupNonUniformIAdd" in seen["tip"]
    assert "Load %s : u32   ; uniform(subgroup)" in seen["tip"] and "may be divergent" in seen["tip"]
    assert seen["opened"] > 5 and seen["inner"] > 5
    assert seen["keys"] == ["folded", "unfolded"] and seen["labels"] == []


@pytest.mark.once
@in_chromium
@pytest.mark.parametrize(
    ("blocks", "open", "frame"),
    [(10, 1000, 20), (1000, 1000, 20), pytest.param(20_000, 5000, 50, marks=pytest.mark.full)],
)
def test_graphs_of_any_size(blocks: int, open: int, frame: int, tmp_path: Path) -> None:
    """Milliseconds until a chain is drawn, and of the median frame while moving in it. Found by name, a block is
    brought into view."""
    code = (SCRIPTS / "sizes.js").read_text().replace("WANTED", f"%n{blocks * 7 // 9}")
    seen = in_browser(page_of(chain(blocks, tmp_path / "g.cfg")), tmp_path, code)
    print(f"{blocks} blocks: open {seen['ready']:.0f} ms, frame {seen['frame']:.1f} ms, layout {seen['fold']:.0f} ms")
    assert seen["count"] == blocks and "of" in seen["found"]
    assert seen["inView"] == [True] * 4 and seen["lit"].startswith(f"%n{blocks * 7 // 9}") and seen["whole"]
    assert seen["ready"] < open and seen["frame"] < frame
