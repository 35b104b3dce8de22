"""How long structurizing takes, and how the time grows: python tests/bench/structurize.py [SHAPE ...] [SIZE ...]

    shape      blocks    structurize    flags    values     together    deepest    out    flags
    ifs         1,001         0.05 s   0.04 s    0.03 s       0.12 s          2   1.00    0.000

    ifs      a chain of ifs with an arm each              ladder      i -> i+1, i+2: the first block dominates all
    loops    four loops in each other, each with a break  star        one switch, and its targets go to each other
    nests    the same, a hundred in each other            tower       ifs in ifs
    near     random ways nearby, mostly irreducible       reducible   the same with loops of one entrance
    far      random ways ahead, over 2 % of all blocks

Seconds are of processor time, with garbage collected as the command `reknit` has it. `out`: blocks out a block in;
`flags`: of the jumps, how many cross several levels. "exponent" is that of the growth between the smallest and the
largest size of a shape.
"""

import gc
import math
import random
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import final

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

from reknit.front.cfg_module import module_of_graph  # noqa: E402
from reknit.ir.module import Module  # noqa: E402
from reknit.ir.tree import Construct  # noqa: E402
from reknit.passes.manager import run_passes  # noqa: E402
from reknit.passes.structurize.summary import Summary  # noqa: E402

Targets = list[list[int]]
WIDTHS = (14, 9, 9, 11, 10, 7, 8)
STEPS = ("structurize", "eliminate-phis, eliminate-multi-level-breaks", "promote-variables")


def ifs(count: int) -> Targets:
    return [*[row for at in range(0, count - 1, 2) for row in ([at + 1, at + 2], [at + 2])], []]


def loops(count: int) -> Targets:
    """Groups of four nested loops: headers, a body with a break of the innermost but one, latches."""
    targets: Targets = []
    while len(targets) + 12 < count:
        at = len(targets)
        end = at + 11
        targets += [[at + 1, end], [at + 2, at + 10], [at + 3, at + 9], [at + 4, at + 8]]
        targets += [[at + 5, at + 6], [at + 9], [at + 7], [at + 3], [at + 2], [at + 1], [at], [at + 12 - 0]]
        targets[end] = [end + 1]
    return [*targets, []]


def nests(count: int) -> Targets:
    """Nests of loops, each with a break of its own: header i goes on or to exit i, which goes to the header around."""
    deep = 100
    targets: Targets = []
    while len(targets) + 2 * deep < count:
        at = len(targets)
        end = at + 2 * deep
        targets += [[at + place + 1 if place < deep - 1 else at + place, at + deep + place] for place in range(deep)]
        targets += [[at + place - 1 if place else end] for place in range(deep)]
    return [*targets, []]


def reducible(count: int) -> Targets:
    """Ways ahead, nearby, and ways back to a block that dominates: those on a path which all ways lead through."""
    rng = random.Random(4)
    targets: Targets = []
    heads = [0]
    for at in range(count - 1):
        if at % 8 == 0:  # all ways from before lead here
            heads.append(at)
        limit = min(count - 1, at - at % 8 + 8)
        row = [min(at + 1, count - 1), rng.randint(min(at + 1, limit), limit)]
        if rng.random() < 0.25:
            row[1] = heads[-1 - min(len(heads) - 1, int(rng.expovariate(1)))]
        targets.append(row)
    return [*targets, []]


def ladder(count: int) -> Targets:
    return [[min(at + 1, count - 1), min(at + 2, count - 1)] if at < count - 1 else [] for at in range(count)]


def star(count: int) -> Targets:
    rng = random.Random(1)
    row = [list(range(1, count - 1))]
    return [*row, *[[rng.randrange(at + 1, count), rng.randrange(at + 1, count)] for at in range(1, count - 1)], []]


def near(count: int) -> Targets:
    rng = random.Random(2)
    targets: Targets = []
    for at in range(count - 1):
        targets.append([min(count - 1, at + rng.randint(1, 3)), max(0, min(count - 1, at + rng.randint(-4, 8)))])
    return [*targets, []]


def far(count: int) -> Targets:
    rng = random.Random(3)
    reach = max(4, count // 50)
    return [[min(count - 1, at + rng.randint(1, reach)) for _ in range(2)] if at < count - 1 else []
            for at in range(count)]  # fmt: skip


def tower(count: int) -> Targets:
    """x0 ? x1 : end0 ... with a block behind each if, from the inside out."""
    half = count // 2
    return [*[[at + 1, count - 1 - at] if at + 1 < count - 1 - at else [at + 1] for at in range(half)],
            *[[at + 1] if at < count - 1 else [] for at in range(half, count)]]  # fmt: skip


SHAPES: dict[str, Callable[[int], Targets]] = {
    "ifs": ifs, "loops": loops, "nests": nests, "ladder": ladder, "star": star, "near": near, "reducible": reducible,
    "far": far, "tower": tower,
}  # fmt: skip


def deepest(module: Module) -> int:
    most = 0
    work = [(module.functions[0].body, 0)]
    while work:
        region, depth = work.pop()
        most = max(most, depth)
        for node in region:
            if isinstance(node, Construct):
                work.extend((inner, depth + 1) for inner in node.regions())
    return most


@final
class Measured:
    """Seconds of each step, how deep the tree is, and what it took."""

    def __init__(self, targets: Targets) -> None:
        module = module_of_graph([f"n{at}" for at in range(len(targets))], targets)
        self.blocks = len(targets)
        self.seconds: list[float] = []
        self.depth = 0
        self.flags = 0.0
        gc.collect()  # what the size before left
        for step in STEPS:
            start = process_time()
            run_passes(module, step)
            self.seconds.append(process_time() - start)
            if not self.depth:
                self.depth = deepest(module)
                tree = Summary(module.functions[0])
                self.flags = tree.flags / max(tree.jumps, 1)
        self.growth = Summary(module.functions[0]).blocks / self.blocks


def row(name: str, blocks: str, cells: list[str]) -> str:
    return f"{name:<10}{blocks:>9}" + "".join(f"{cell:>{width}}" for cell, width in zip(cells, WIDTHS, strict=True))


def main(words: list[str]) -> int:
    sizes = [int(word) for word in words if word.isdigit()] or [1_000, 4_000, 16_000, 64_000]
    chosen = [word for word in words if word in SHAPES] or list(SHAPES)
    gc.set_threshold(200_000, 30, 30)  # as `reknit.cli.main` does
    print(row("shape", "blocks", ["structurize", "flags", "values", "together", "deepest", "out", "flags"]), flush=True)
    for name in chosen:
        rows: list[tuple[int, float]] = []
        for size in sizes:
            found = Measured(SHAPES[name](size))
            rows.append((found.blocks, found.seconds[0]))
            cells = [f"{seconds:.2f} s" for seconds in (*found.seconds, sum(found.seconds))]
            cells += [str(found.depth), f"{found.growth:.2f}", f"{found.flags:.3f}"]
            print(row(name, f"{found.blocks:,}", cells), flush=True)
        if len(rows) > 1:
            grows = math.log(rows[-1][1] / rows[0][1]) / math.log(rows[-1][0] / rows[0][0])
            print(f"{name:<10} exponent of structurize {grows:.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
