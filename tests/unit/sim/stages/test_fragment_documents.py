"""The fragment shaders in `fragments`, each with what it leaves, worked out by hand.

    ## Title
    Why it is so, in words.
    drawing: full                    what is drawn: a name of DRAWINGS; corner unless it says so
    drivers: none, REASON            which of the drivers draw the same; all unless it says so
    interface: %depth                variables of its own
    ```rk                            how main goes on after `prelude.rk`, which has the pixel, its place in its quad
    ```rk declare, ```rk functions   what else the module has
    ```color [at 4 8]                location 0, row by row, `.` where nothing was drawn; `value` is location 1, and
                                     `color.2` sample 2
    ```out                           the first words of the storage buffer

Every case runs at four subgroup sizes, before and after the passes that rewrite, is valid SPIR-V both times, and is
drawn by the drivers that have what it needs.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, final

import pytest
from kit import oracles
from kit.oracles import drivers
from kit.pipelines import REWRITING

from reknit import Drawing, Primitive
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes
from reknit.sim.drawing import whole_picture
from reknit.sim.images import Image, Sampler
from reknit.sim.result import Result
from reknit.sim.run import run
from reknit.spirv.write import write_module
from reknit.vulkan.draw import draw_on

SIZES: Final = (4, 8, 32, 64)
FOLDER: Final = Path(__file__).parent / "fragments"
PRELUDE: Final = (FOLDER / "prelude.rk").read_text()
WORDS: Final = 16
PROMISE: Final = re.compile(
    r"ExecutionMode @main MaximallyReconvergesKHR\n|Extension \"SPV_KHR_maximal_reconvergence\"\n"
)


def triangle(*corners: list[float]) -> Primitive:
    """`kind` is 5, 6, 7 at the corners; `uv` is the position, and so is `line` of x."""
    places = [corner[:2] for corner in corners]
    inputs: dict[str, Sequence[Any]] = {"kind": [5, 6, 7], "uv": places, "line": [place[0] for place in places]}
    return Primitive(corners, inputs)


def all_of(width: int, height: int) -> Primitive:
    return triangle(*[list(corner[:2]) for corner in whole_picture(width, height).corners])


DRAWINGS: Final = {
    "corner": Drawing([4, 4], [triangle([0, 0], [3, 0], [0, 3])]),  # (0, 0) (1, 0) (0, 1); (1, 1) helps
    "diagonal": Drawing([4, 4], [triangle([0, 0], [4, 0], [0, 4])]),  # a whole quad, and two of which three help
    "full": Drawing([4, 4], [all_of(4, 4)]),  # four quads
    "quad": Drawing([2, 2], [all_of(2, 2)]),
    "two": Drawing([4, 2], [all_of(4, 2)]),  # two quads
    "seam": Drawing([2, 2], [triangle([0, 0], [2, 0], [0, 2]), triangle([2, 2], [0, 2], [2, 0])]),
    "samples": Drawing([2, 2], [triangle([0, 0], [2, 0], [0, 2])], samples=4),
    "masked": Drawing([2, 2], [all_of(2, 2)], samples=4, sample_mask=0b0110),
    "near": Drawing([2, 2], [all_of(2, 2)], compare="less", depth=0.5),
    "perspective": Drawing([4, 4], [triangle([0.5, 0.5, 0, 1], [2.5, 0.5, 0, 3], [0.5, 4.5, 0, 1])]),
    "tilted": Drawing([4, 2], [triangle([0, 0, 0], [8, 0, 1], [0, 4, 0])]),
    "last": Drawing([2, 2], [all_of(2, 2)], provoking="last"),
    "clockwise": Drawing([2, 2], [all_of(2, 2)], front="clockwise"),
    "point": Drawing([4, 2], [Primitive([[2, 1]], {"kind": [9], "uv": [[0, 0]], "line": [0]}, size=2)]),
}


@final
class Case:
    def __init__(self, path: Path, text: str) -> None:
        self.title, _, text = text.partition("\n")
        self.id = f"{path.stem}: {self.title}"
        self.drawing = "corner"
        self.drivers = ""
        self.parts = {"": "", "declare": "", "functions": "", "interface": ""}
        self.expected: list[tuple[str, list[int], list[str]]] = []
        prose, *blocks = text.split("```")
        for line in prose.splitlines():
            key, colon, value = line.partition(": ")
            if colon and key in ("drawing", "drivers", "interface"):
                if key == "interface":
                    self.parts["interface"] = value
                else:
                    setattr(self, key, value)
        for block in blocks[::2]:
            head, _, body = block.partition("\n")
            kind, *options = head.split()
            if kind == "rk":
                self.parts[" ".join(options)] = body
            else:
                sizes = [int(size) for size in options[1:]] if options[:1] == ["at"] else list(SIZES)
                self.expected.append((kind, sizes, [line for line in body.splitlines() if line]))
        assert self.expected, self.id

    def module(self) -> Module:
        text = PRELUDE.replace("BODY\n", self.parts[""]).replace("DECLARE\n", self.parts["declare"])
        text = text.replace("FUNCTIONS\n", self.parts["functions"]).replace("MORE", self.parts["interface"])
        return parse(text, self.id)

    def drawn(self) -> Drawing:
        return DRAWINGS[self.drawing]

    def claims(self, size: int) -> list[tuple[str, list[str]]]:
        return [(kind, rows) for kind, sizes, rows in self.expected if size in sizes]


CASES: Final = [
    Case(path, text) for path in sorted(FOLDER.glob("*.md")) for text in path.read_text().split("\n## ")[1:]
]

BUFFERS: Final = {
    "out": [0] * WORDS,
    "tex": Image([4, 4], "r32f", [x + 10.0 * y for y in range(4) for x in range(4)] + [50.0, 51, 60, 61], 2, Sampler()),
}


def shown(result: Result, kind: str) -> list[str]:
    """As the documents have it."""
    if kind == "out":
        words = result.buffers["out"].words
        return [" ".join([str(word) for word in words])]
    framebuffer = result.framebuffer
    assert framebuffer is not None
    location = 0 if kind.startswith("color") else 1
    sample = int(kind.partition(".")[2] or 0)
    width, height = framebuffer.size
    for attachment in framebuffer.attachments:
        if attachment.location == location:
            rows: list[str] = []
            for y in range(height):
                values = [attachment.at(x, y, sample) for x in range(width)]
                rows.append(" ".join(["." if value is None else f"{value[0]:g}" for value in values]))
            return rows
    return [" ".join(["."] * width)] * height


def compare(case: Case, result: Result, size: int, when: str) -> None:
    assert result.finished and not result.diagnostics, (case.id, when, result.diagnostics)
    for kind, rows in case.claims(size):
        given = shown(result, kind)
        wanted = [" ".join(row.split()) for row in rows]
        if kind == "out":
            given = [" ".join(given[0].split()[: len(wanted[0].split())])]
        assert given == wanted, f"{case.id}, {kind} {when}, subgroups of {size}: {given}"


@pytest.mark.parametrize("number", range(len(CASES)), ids=[case.id for case in CASES])
def test_what_is_left(number: int) -> None:
    """At one of the sizes, in turn."""
    check(CASES[number], [SIZES[number % len(SIZES)]])


@pytest.mark.full
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_is_left_at_every_size(case: Case) -> None:
    assert all(case.claims(size) for size in SIZES)
    check(case, SIZES)


def check(case: Case, sizes: Sequence[int]) -> None:
    module = case.module()
    valid, why = oracles.validate(write_module(module))
    assert valid, why
    rewritten = module.copy()
    run_passes(rewritten, REWRITING)
    valid, why = oracles.validate(write_module(rewritten))
    assert valid, why
    for size in sizes:
        for when, one in (("before", module), ("rewritten", rewritten)):
            compare(case, run(one, subgroup_size=size, buffers=BUFFERS, drawing=case.drawn()), size, when)


def on_driver(case: Case, driver: str, lanes: int) -> None:
    module = case.module()
    if driver == "swiftshader":  # which knows nothing of the mode, and keeps quads together all the same
        module = parse(PROMISE.sub("", print_module(module)), case.id)
    result = draw_on(drivers.target(driver, lanes), module, case.drawn(), buffers=BUFFERS)
    compare(case, result, lanes, f"on {driver}")


def drawn_by(case: Case) -> list[tuple[str, int]]:
    named = case.drivers.partition(",")[0].split()
    return [(driver, lanes) for driver, lanes in drivers.DRAWING if not named or driver in named]


PAIRS: Final = [(case, driver, lanes) for case in CASES for driver, lanes in drawn_by(case)]
def test_how_many_there_are() -> None:
    """`pytest tests/unit/sim/stages/test_fragment_documents.py --full` runs each at all sizes and draws each on all."""
    at = {size: sum(1 for case in CASES if case.claims(size)) for size in SIZES}
    drawn = {f"{driver}, {lanes} lanes": sum(1 for _, *other in PAIRS if other == [driver, lanes])
             for driver, lanes in drivers.DRAWING}  # fmt: skip
    print(f"{len(CASES)} fragment shaders with results by hand: by subgroup size {at}, drawn by {drawn}")
    assert min(at.values()) == len(CASES) >= 60 and drawn["lavapipe, 4 lanes"] == drawn["lavapipe, 8 lanes"] >= 60


SAMPLE: Final = PAIRS[:: len(PAIRS) // 4]


@pytest.mark.parametrize("case, driver, lanes", SAMPLE, ids=lambda part: part.id if isinstance(part, Case) else part)
def test_a_driver_draws_the_same(case: Case, driver: str, lanes: int) -> None:
    on_driver(case, driver, lanes)


@pytest.mark.full
@pytest.mark.parametrize("case, driver, lanes", PAIRS, ids=lambda part: part.id if isinstance(part, Case) else part)
def test_drivers_draw_the_same(case: Case, driver: str, lanes: int) -> None:
    on_driver(case, driver, lanes)
