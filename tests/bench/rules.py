"""python -m tests.bench.rules [--sizes 1000,10000,100000,1000000] [--shapes ifs,nest_ifs] [--seconds 20]

    modules of growing size ──▶ every rule of control flow, in this process ──▶ seconds by size, growth exponent,
                            ├─▶ reknit.check and reknit.lint, all of them               how many times faster
                            └─▶ SPIRV-Tools' validator: a process, and in this process

Seconds are of processor time, the best of a few rows of runs; a process's include starting it. `reknit.check` also asks
spirv-val where it is on PATH, so that it must not be there. Nests stay within the limit of
1,023 constructs, so their larger sizes are several nests in a row.
"""

import argparse
import math
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
if not any(Path(place, "reknit").is_dir() for place in sys.path if place):
    sys.path.insert(0, str(ROOT / "src"))

from bench.codec import exponent, peer, shown, timed  # noqa: E402
from bench.shapes import SHAPES, Sheet, module  # noqa: E402
from kit import oracles  # noqa: E402

import reknit  # noqa: E402
from reknit.ir import op  # noqa: E402
from reknit.spirv import words  # noqa: E402
from reknit.spirv.rules import graph  # noqa: E402
from reknit.spirv.rules.judge import judge  # noqa: E402

MAX_DEPTH = 700  # constructs of a nest: at 10,000 instructions one nest
ROW = 0.03  # seconds that runs in a row take together
SLOW = 8.0  # seconds that the validator in process is predicted to take before larger sizes are left out


def nest_ifs(sheet: Sheet, size: int) -> None:
    """if { if { ... } }, 14 instructions for each."""
    from bench.shapes import MAIN

    sheet.begin(MAIN)
    while sheet.count < size - 30:
        closing: list[int] = []
        for _ in range(min(MAX_DEPTH, (size - sheet.count) // 9)):
            then, after = sheet.id(), sheet.id()
            truth = sheet.test()
            sheet.add(op.SelectionMerge, after, 0)
            sheet.add(op.BranchConditional, truth, then, after)
            sheet.add(op.Label, then)
            closing.append(after)
        while closing:
            after = closing.pop()
            sheet.step()
            sheet.add(op.Branch, after)
            sheet.add(op.Label, after)
    sheet.end()


def nest_loops(sheet: Sheet, size: int) -> None:
    """loop { loop { ... } }, each left at the end of its continue construct."""
    from bench.shapes import MAIN

    sheet.begin(MAIN)
    while sheet.count < size - 30:
        closing: list[tuple[int, int, int]] = []
        for _ in range(min(MAX_DEPTH, (size - sheet.count) // 14)):
            header, body, following, after = (sheet.id() for _ in range(4))
            sheet.add(op.Branch, header)
            sheet.add(op.Label, header)
            sheet.add(op.LoopMerge, after, following, 0)
            sheet.add(op.Branch, body)
            sheet.add(op.Label, body)
            closing.append((header, following, after))
        while closing:
            header, following, after = closing.pop()
            sheet.step()
            sheet.add(op.Branch, following)
            sheet.add(op.Label, following)
            truth = sheet.test()
            sheet.add(op.BranchConditional, truth, header, after)
            sheet.add(op.Label, after)
    sheet.end()


def breaks(sheet: Sheet, size: int) -> None:
    """One loop with a long row of ifs that break out of it."""
    from bench.shapes import MAIN

    sheet.begin(MAIN)
    header, following, after = (sheet.id() for _ in range(3))
    sheet.add(op.Branch, header)
    sheet.add(op.Label, header)
    body = sheet.id()
    sheet.add(op.LoopMerge, after, following, 0)
    sheet.add(op.Branch, body)
    sheet.add(op.Label, body)
    while sheet.count < size - 10:
        then, merge = sheet.id(), sheet.id()
        truth = sheet.test()
        sheet.add(op.SelectionMerge, merge, 0)
        sheet.add(op.BranchConditional, truth, then, merge)
        sheet.add(op.Label, then)
        sheet.step()
        sheet.add(op.Branch, after)
        sheet.add(op.Label, merge)
    sheet.add(op.Branch, following)
    sheet.add(op.Label, following)
    sheet.add(op.Branch, header)
    sheet.add(op.Label, after)
    sheet.end()


MORE: dict[str, Callable[[Sheet, int], None]] = {"nest_ifs": nest_ifs, "nest_loops": nest_loops, "breaks": breaks}
SHOWN = ("functions", "ifs", "switch", "breaks", "nest_ifs", "nest_loops")


def made(shape: str, size: int) -> bytes:
    """A module of about `size` instructions."""
    if shape in SHAPES:
        return module(shape, size)
    sheet = Sheet()
    MORE[shape](sheet, size)
    return sheet.data()


def rules(data: bytes) -> object:
    return judge(words.parse(data))


def least(work: Callable[[bytes], object], data: bytes) -> float:
    """Seconds of one run among many in a row, as a batch of modules has them: the least of five such rows, or of one
    run that takes long."""
    known = timed(lambda: work(data))
    if known > 1:
        return known
    count = max(1, int(ROW / known))
    for _ in range(5):
        known = min(known, timed(lambda: [work(data) for _ in range(count)]) / count)
    return known


def measure(shape: str, sizes: list[int], limit: float) -> list[str]:
    """The rows of one shape, each with its ratio to check: check, the rules of control flow in it, lint, the validator
    here and as a process."""
    folder = ROOT / ".bench"
    folder.mkdir(exist_ok=True)
    mine: list[float] = []
    rows: dict[str, list[float]] = {}
    validator = oracles.find("spirv-val")
    in_process = oracles.find("slang-glslang") is not None
    for size in sizes:
        data = made(shape, size)
        assert [one.code for one in reknit.check(data)] in ([], ["RK0006"])
        assert not judge(words.parse(data)), shape
        mine.append(least(reknit.check, data))
        rows.setdefault("rules of control flow", []).append(least(rules, data))
        rows.setdefault("reknit.lint", []).append(least(reknit.lint, data))
        if in_process:
            known = rows.setdefault("SPIRV-Tools in process", [])
            if not known or 10 * known[-1] < SLOW:
                known.append(least(oracles.accepts, data))
        if validator is not None:
            path = folder / f"rules_{shape}_{size}.spv"
            path.write_bytes(data)
            known = rows.setdefault("spirv-val", [])
            if not known or known[-1] < math.inf:
                known.append(peer([*validator, "--target-env", "vulkan1.3", os.fspath(path)], limit))
    out = [_row("reknit.check", sizes, mine, limit, mine)]
    out += [_row(name, sizes, seconds, limit, mine) for name, seconds in rows.items()]
    titles = [shape, *(f"{size:,}" for size in sizes), "exponent", *(f"x of check at {size:,}" for size in sizes)]
    return ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles), *out, ""]


def _short(seconds: float, limit: float) -> str:
    return f"{1e6 * seconds:.0f} µs" if seconds < 0.01 else shown(seconds, limit)


def _row(name: str, sizes: list[int], seconds: list[float], limit: float, mine: list[float]) -> str:
    cells = [_short(value, limit) for value in seconds] + ["-"] * (len(sizes) - len(seconds))
    slope = exponent(sizes, seconds)
    ratios: list[str] = []
    for place in range(len(sizes)):
        if seconds is mine:
            ratios.append("1")
        elif place >= len(seconds) or seconds[place] != seconds[place]:
            ratios.append("-")
        else:
            more = ">" if seconds[place] == math.inf else ""
            ratio = (limit if more else seconds[place]) / mine[place]
            ratios.append(f"{more}{ratio:.{0 if ratio >= 10 else 1}f}")
    return "| " + " | ".join([name, *cells, "" if slope is None else f"{slope:.2f}", *ratios]) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.rules", description=(__doc__ or "").split("\n\n")[2])
    parser.add_argument("--sizes", default="1000,10000,100000,1000000")
    parser.add_argument("--shapes", default=",".join(SHOWN))
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    build = "plain Python" if str(graph.__file__).endswith(".py") else "the compiled core"
    print(f"reknit: {build}, Python {sys.version.split()[0]}, {time.strftime('%Y-%m')}\n")
    for shape in given.shapes.split(","):
        sizes = [int(size) for size in given.sizes.split(",")]
        print("\n".join(measure(shape, sizes, given.seconds)), flush=True)


if __name__ == "__main__":
    main()
