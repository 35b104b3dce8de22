"""How long structurizing takes, and how the time grows: python tests/bench/structurize.py [SHAPE ...] [SIZE ...]

    shape      blocks    structurize    flags    values     together    deepest
    ifs         1,001         0.05 s   0.04 s    0.03 s       0.12 s          2

    ifs        a chain of ifs with an arm each             ladder   i -> i+1, i+2: every block is dominated by the first
    loops      loops in loops, each with a break           star     one switch, and its targets go to each other
    near, far  random ways, nearby or over 2 % of all      tower    ifs in ifs

Seconds are of processor time. "exponent" is that of the growth between the smallest and the largest size of a shape.
"""

import math
import random
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

from reknit.front.cfg_module import module_of_graph  # noqa: E402
from reknit.ir.module import Module  # noqa: E402
from reknit.ir.tree import Construct  # noqa: E402
from reknit.passes.manager import run_passes  # noqa: E402

Targets = list[list[int]]
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
    "ifs": ifs, "loops": loops, "ladder": ladder, "star": star, "near": near, "far": far, "tower": tower,
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


def measure(targets: Targets) -> tuple[list[float], int, int]:
    """Seconds of each step, and how deep the tree is after the first."""
    module = module_of_graph([f"n{at}" for at in range(len(targets))], targets)
    taken: list[float] = []
    depth = 0
    for step in STEPS:
        start = process_time()
        run_passes(module, step)
        taken.append(process_time() - start)
        depth = depth or deepest(module)
    return taken, depth, len(targets)


def main(words: list[str]) -> int:
    sizes = [int(word) for word in words if word.isdigit()] or [1_000, 4_000, 16_000, 64_000]
    chosen = [word for word in words if word in SHAPES] or list(SHAPES)
    print(f"{'shape':<8}{'blocks':>9}{'structurize':>14}{'flags':>9}{'values':>9}{'together':>11}{'deepest':>10}")
    for name in chosen:
        rows: list[tuple[int, float]] = []
        for size in sizes:
            taken, depth, blocks = measure(SHAPES[name](size))
            rows.append((blocks, taken[0]))
            print(
                f"{name:<8}{blocks:>9,}{taken[0]:>12.2f} s{taken[1]:>7.2f} s{taken[2]:>7.2f} s{sum(taken):>9.2f} s"
                f"{depth:>10}",
                flush=True,
            )
        if len(rows) > 1:
            grows = math.log(rows[-1][1] / rows[0][1]) / math.log(rows[-1][0] / rows[0][0])
            print(f"{name:<8} exponent of structurize {grows:.2f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
