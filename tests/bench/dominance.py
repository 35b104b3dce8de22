"""python -m tests.bench.dominance [--sizes 1000,10000] [--shapes chain,random] [--seconds 20] [--no-peers]

    graphs of growing size ──▶ dominators, post-dominators and loops, on the bare graph ──▶ a table as of tests.bench
                           └─▶ networkx, the same graph in the same run                     ratio to networkx

Sizes are in blocks. Seconds are of processor time, the best of up to three runs. What is predicted to take longer than
--seconds at the next size is left out. networkx gets the graph in its own form, which is not timed; for post-dominators
it gets the acyclic graph that ours work out first, turned around.
"""

import argparse
import gc
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
if not any(Path(place, "reknit").is_dir() for place in sys.path if place):
    sys.path.insert(0, str(ROOT / "src"))

import networkx  # noqa: E402
from bench.codec import TOO_FAST_GROWTH, exponent, shown, timed  # noqa: E402

from reknit.analysis.natural_loops import natural_loops  # noqa: E402
from reknit.analysis.post_dominance import post_dominators  # noqa: E402
from reknit.ir import dominators  # noqa: E402
from reknit.ir.dominators import immediate_dominators  # noqa: E402

Graph = list[list[int]]


def chain(size: int) -> Graph:
    return [[node + 1] for node in range(size - 1)] + [[]]


def diamonds(size: int) -> Graph:
    """if c { } else { } if c { } else { } ..."""
    graph: Graph = []
    for _ in range(size // 3):
        at = len(graph)
        graph += [[at + 1, at + 2], [at + 3], [at + 3]]
    return [*graph, []]


def nest(size: int) -> Graph:
    """loop { loop { ... } }: headers down, then the ends of the bodies, each of which goes back or on."""
    half = size // 2
    headers = [[node + 1] for node in range(half)]
    latches = [[half - 1 - rank, half + rank + 1] for rank in range(half)]
    return [*headers, *latches, []]


def tangle(size: int) -> Graph:
    """Each node is reached from some earlier one; as many edges again go anywhere. Most loops are irreducible."""
    state = 12345
    graph: Graph = [[] for _ in range(size)]
    for node in range(1, size):
        state = (state * 1103515245 + 12345) % (1 << 31)
        graph[state % node].append(node)
        state = (state * 1103515245 + 12345) % (1 << 31)
        start = state % size
        state = (state * 1103515245 + 12345) % (1 << 31)
        if state % size not in graph[start]:
            graph[start].append(state % size)
    return graph


def near(size: int) -> Graph:
    """As a large shader: edges go a few blocks on, one in eight a few blocks back."""
    state = 54321
    graph: Graph = [[node + 1] for node in range(size - 1)] + [[]]
    for node in range(1, size - 1):
        state = (state * 1103515245 + 12345) % (1 << 31)
        back = state >> 8 & 7 == 0
        target = max(1, node - (state >> 12) % 16) if back else min(size - 1, node + 2 + (state >> 12) % 16)
        if target not in graph[node]:
            graph[node].append(target)
    return graph


SHAPES: dict[str, Callable[[int], Graph]] = {
    "chain": chain,
    "diamonds": diamonds,
    "nest": nest,
    "near": near,
    "tangle": tangle,
}


def ours(graph: Graph) -> float:
    return timed(lambda: immediate_dominators(0, graph))


def ours_post(graph: Graph) -> float:
    return timed(lambda: post_dominators(graph))


def ours_loops(graph: Graph) -> float:
    return timed(lambda: natural_loops(graph))


def theirs(graph: Graph) -> float:
    known = networkx.DiGraph()
    known.add_nodes_from(range(len(graph)))
    known.add_edges_from((source, target) for source, row in enumerate(graph) for target in row)
    return timed(lambda: networkx.immediate_dominators(known, 0))


def theirs_post(graph: Graph) -> float:
    known = networkx.DiGraph()
    acyclic = post_dominators(graph)[1]
    known.add_edges_from((target, source) for source, row in enumerate(acyclic) for target in row)
    return timed(lambda: networkx.immediate_dominators(known, len(graph)))


def series(job: Callable[[Graph], float], graphs: list[Graph], limit: float) -> list[float]:
    taken: list[float] = []
    for place, graph in enumerate(graphs):
        least = job(graph)
        for _ in range(2):
            if least < 1:
                least = min(least, job(graph))
        taken.append(least)
        slope = exponent([len(one) for one in graphs], taken) or 1.0
        if place + 1 < len(graphs) and least * (len(graphs[place + 1]) / len(graph)) ** slope > limit:
            break
    return taken


def row(name: str, sizes: list[int], taken: list[float], peer: list[float] | None) -> str:
    cells = [shown(value, 0) for value in taken] + ["-"] * (len(sizes) - len(taken))
    slope = exponent(sizes, taken)
    growth = "" if slope is None else f"{slope:.2f}{' !' if slope > TOO_FAST_GROWTH else ''}"
    ratio = ""
    if peer:
        at = min(len(peer), len(taken)) - 1
        ratio = f"{peer[at] / taken[at]:.0f}x at {sizes[at]:,}"
    return "| " + " | ".join([name, *cells, growth, ratio]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.dominance")
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--no-peers", action="store_true")
    given = parser.parse_args()
    gc.set_threshold(200_000, 30, 30)  # as the command line does
    build = "plain Python" if str(dominators.__file__).endswith(".py") else "the compiled core"
    print(f"reknit: {build}, Python {sys.version.split()[0]}, networkx {networkx.__version__}\n")
    sizes = [int(size) for size in given.sizes.split(",")]
    started = time.monotonic()
    for shape in given.shapes.split(","):
        graphs = [SHAPES[shape](size) for size in sizes]
        print("| " + " | ".join([shape, *(f"{size:,}" for size in sizes), "exponent", "networkx takes"]) + " |")
        print("|" + "---|" * (len(sizes) + 3))
        for name, job, other in (
            ("dominators", ours, theirs),
            ("post-dominators", ours_post, theirs_post),
            ("loops", ours_loops, None),
        ):
            taken = series(job, graphs, given.seconds)
            if given.no_peers:
                print(row(name, sizes, taken, None), flush=True)
                continue
            peer = series(other, graphs, given.seconds) if other is not None else None
            print(row(name, sizes, taken, peer), flush=True)
            if peer is not None:
                print(row(f"{name}, networkx", sizes, peer, None), flush=True)
        print()
    print(f"{time.monotonic() - started:.0f} s in all")


if __name__ == "__main__":
    main()
