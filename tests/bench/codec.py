"""python -m tests.bench.codec [--sizes 1000,10000] [--shapes ifs,switch] [--seconds 60] [--no-peers]

    modules of growing size ──▶ our jobs, in this process ──▶ a table: seconds by size, growth exponent,
                            └─▶ spirv-val, spirv-opt (processes, same files, same run)      ratio to spirv-opt

Seconds are of processor time, the best of a few runs. A peer's include starting it, ours don't; the first line says how
long starting takes. What is predicted to take longer than --seconds at the next size is cut off and shown as `-`, a
peer that does as `>60`, one that refuses the module as `fails`. The exponent is that of the least-squares line through
the logarithms, from the first size that takes 2 ms; above 1.15 it is marked, since nothing of ours may grow faster than
n log n. Ratios are to spirv-opt with no pass and without validation, which only reads and writes. Files are kept in
.bench/.
"""

import argparse
import gc
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
if not any(Path(place, "reknit").is_dir() for place in sys.path if place):
    sys.path.insert(0, str(ROOT / "src"))

from bench.shapes import SHAPES, module  # noqa: E402
from kit import oracles  # noqa: E402
from kit.pipelines import REWRITING  # noqa: E402

from reknit.ir import block  # noqa: E402
from reknit.passes.manager import run_passes  # noqa: E402
from reknit.spirv import words  # noqa: E402
from reknit.spirv.read import read_module  # noqa: E402
from reknit.spirv.write import write_module  # noqa: E402

LOWER = "eliminate-phis, eliminate-continues, lower-switches{policy=always}"
YARDSTICK = "spirv-opt --skip-validation"
TOO_FAST_GROWTH = 1.15
FIRST_TOLD = 0.002  # seconds: what takes less says nothing about growth

Job = Callable[[bytes], float]


def timed(work: Callable[[], object]) -> float:
    gc.collect()
    started = time.process_time()
    kept = work()
    taken = time.process_time() - started
    del kept
    return taken


def columns(data: bytes) -> float:
    return timed(lambda: words.parse(data))


def read(data: bytes) -> float:
    return timed(lambda: read_module(data))


def write(data: bytes) -> float:
    known = read_module(data)
    return timed(lambda: write_module(known))


def round_trip(data: bytes) -> float:
    return timed(lambda: write_module(read_module(data)))


def lower(data: bytes) -> float:
    known = read_module(data)
    return timed(lambda: run_passes(known, LOWER))


def reconverge(data: bytes) -> float:
    known = read_module(data)
    return timed(lambda: run_passes(known, REWRITING))


JOBS: dict[str, Job] = {
    "read columns": columns,
    "read to tree": read,
    "write": write,
    "read, write": round_trip,
    "lower switches": lower,
    "reconverge": reconverge,
}


def best(job: Job, data: bytes) -> float:
    """The least of three runs, or of one that takes long."""
    least = job(data)
    for _ in range(2):
        if least < 3:
            least = min(least, job(data))
    return least


def peer(command: list[str], seconds: float) -> float:
    """User and system time of one run; infinity if it runs past `seconds`, not a number if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
    try:
        _, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return math.inf
    if process.returncode != 0:
        print(f"{Path(command[-1] if command[-1] != os.devnull else command[-3]).name}: {said.decode()[:100]!r}")
        return math.nan
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def exponent(sizes: list[int], seconds: list[float]) -> float | None:
    """The slope of the line through (log size, log seconds); None with less than two points that tell."""
    points = [(math.log(n), math.log(t)) for n, t in zip(sizes, seconds, strict=False) if FIRST_TOLD <= t < math.inf]
    if len(points) < 2:
        return None
    mean_n = sum(n for n, _ in points) / len(points)
    mean_t = sum(t for _, t in points) / len(points)
    return sum((n - mean_n) * (t - mean_t) for n, t in points) / sum((n - mean_n) ** 2 for n, _ in points)


def shown(seconds: float, limit: float) -> str:
    if seconds != seconds:
        return "fails"
    return f">{limit:.0f}" if seconds == math.inf else f"{seconds:.4f}" if seconds < 1 else f"{seconds:.2f}"


def row(name: str, sizes: list[int], seconds: list[float], limit: float, yardstick: list[float]) -> str:
    cells = [shown(value, limit) for value in seconds] + ["-"] * (len(sizes) - len(seconds))
    slope = exponent(sizes, seconds)
    growth = "" if slope is None else f"{slope:.2f}{' !' if slope > TOO_FAST_GROWTH else ''}"
    ratios: list[str] = []
    for place in range(len(sizes)):
        known = place < min(len(seconds), len(yardstick)) and seconds[place] < math.inf
        if not known or seconds[place] == 0 or yardstick[place] != yardstick[place]:
            ratios.append("-")
        elif yardstick[place] == math.inf:
            ratios.append(f">{limit / seconds[place]:.0f}x")
        else:
            ratios.append(f"{yardstick[place] / seconds[place]:.1f}x")
    return (
        "| " + " | ".join([name, *cells, growth, *(ratios if yardstick is not seconds else ["1"] * len(sizes))]) + " |"
    )


def measure(shape: str, sizes: list[int], limit: float, peers: bool) -> list[str]:
    """The rows of one shape."""
    folder = ROOT / ".bench"
    folder.mkdir(exist_ok=True)
    datas: list[bytes] = []
    paths: list[Path] = []
    for size in sizes:
        datas.append(module(shape, size))
        paths.append(folder / f"{shape}_{size}.spv")
        paths[-1].write_bytes(datas[-1])
    taken: dict[str, list[float]] = {}
    validator, optimizer = oracles.find("spirv-val"), oracles.find("spirv-opt")
    if peers and validator is not None and optimizer is not None:
        for name, start, end in (
            (YARDSTICK, [*optimizer, "--skip-validation"], ["-o", os.devnull]),
            ("spirv-opt, no pass", optimizer, ["-o", os.devnull]),
            ("spirv-val", validator, []),
        ):
            taken[name] = []
            for path in paths:
                environment = ["--target-env", "vulkan1.3"] if name == "spirv-val" else []
                taken[name].append(peer([*start, *environment, str(path), *end], limit))
                if taken[name][-1] == math.inf:
                    break
    for name, job in JOBS.items():
        taken[name] = []
        for data in datas:
            taken[name].append(best(job, data))
            if taken[name][-1] * 10 > limit:
                break
    yardstick = taken.get(YARDSTICK, [])
    rows = [row(name, sizes, seconds, limit, yardstick) for name, seconds in taken.items()]
    titles = [shape, *(f"{size:,}" for size in sizes), "exponent", *(f"x at {size:,}" for size in sizes)]
    return ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles), *rows, ""]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.codec", description=(__doc__ or "").split("\n\n")[2])
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--no-peers", action="store_true")
    given = parser.parse_args()
    gc.set_threshold(200_000, 30, 30)  # as the command line does
    build = "plain Python" if str(block.__file__).endswith(".py") else "the compiled core"
    print(f"reknit: {build}, Python {sys.version.split()[0]}")
    validator = oracles.find("spirv-val")
    if validator is not None and not given.no_peers:
        print(f"starting spirv-val takes {peer([*validator, '--version'], 10):.4f} s of each of its times")
    print()
    for shape in given.shapes.split(","):
        sizes = [int(size) for size in given.sizes.split(",")]
        print("\n".join(measure(shape, sizes, given.seconds, not given.no_peers)), flush=True)


if __name__ == "__main__":
    main()
