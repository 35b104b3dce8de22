"""python -m tests.bench.corpus [--count 5000] [--statements 40] [--workers 2] [FILE ...]

    COUNT random programs, and the FILEs (.spv, .spvasm)  ──▶  check, lint, compile, each in process  ──▶  what 100,000
                                                               divided among the workers                   would take

Making the programs and reading the files is not counted; what a module takes is counted whole: judging its bytes, lint,
reading, the passes of `compile`, writing. Workers take turns, so that each has a share of every size.
"""

import argparse
import multiprocessing
import os
import sys
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
if not any(Path(place, "reknit").is_dir() for place in sys.path if place):
    sys.path.insert(0, str(ROOT / "src"))

import reknit  # noqa: E402
from reknit.fuzzing.features import BARRIERS, CLUSTERS, JOINS, OPERATIONS, PLAIN, QUADS, SIZES, VOTES  # noqa: E402
from reknit.fuzzing.generate import generate  # noqa: E402
from reknit.fuzzing.to_module import module_of  # noqa: E402
from reknit.ir import block  # noqa: E402
from reknit.source.diagnostic import ERROR, InputError  # noqa: E402

MANY: Final = 100_000
WRITTEN: Final = (SIZES, OPERATIONS, CLUSTERS, QUADS, VOTES, JOINS, BARRIERS)
"""What programs may hold besides that SPIR-V writes as it stands, and without labels of outer constructs."""
VERBS: Final = ("check", "lint", "load", "compile", "to_bytes")


class Share:
    """What one worker counted."""

    def __init__(self) -> None:
        self.modules = 0
        self.instructions = 0
        self.refused = 0
        self.waited = 0.0
        self.seconds = dict.fromkeys(VERBS, 0.0)


def modules(first: int, step: int, count: int, statements: int, files: list[str]) -> list[bytes]:
    """Every `step`th of the programs and files, as SPIR-V."""
    found = []
    for number in range(first, count + len(files), step):
        name = f"program {number}" if number < count else files[number - count]
        try:
            if number < count:
                features = (PLAIN, *WRITTEN) if number // step % 2 else (PLAIN,)
                found.append(reknit.to_bytes(module_of(generate(number, statements, features))))
            elif name.endswith(".spv"):
                found.append(Path(name).read_bytes())
            else:
                found.append(reknit.to_bytes(reknit.load(name)))
        except InputError as refused:
            print(f"left out: {name}: {refused.diagnostics[0].code}", file=sys.stderr)
    return found


def work(first: int, step: int, count: int, statements: int, files: list[str]) -> Share:
    share = Share()
    for data in modules(first, step, count, statements, files):
        share.modules += 1
        share.instructions += instructions(data)
        start = time.perf_counter()
        one(data, share)
        share.waited += time.perf_counter() - start
    return share


def one(data: bytes, share: Share) -> None:
    at = time.process_time()

    def counted(verb: str) -> None:
        nonlocal at
        now = time.process_time()
        share.seconds[verb] += now - at
        at = now

    faults = reknit.check(data)
    counted("check")
    if any(fault.severity == ERROR for fault in faults):
        share.refused += 1
        return
    try:
        reknit.lint(data)
        counted("lint")
        module = reknit.load(data)
        counted("load")
        reknit.compile(module)
        counted("compile")
        reknit.to_bytes(module)
        counted("to_bytes")
    except InputError:
        share.refused += 1


def instructions(data: bytes) -> int:
    words = memoryview(data).cast("I")
    at, count = 5, 0
    while at < len(words):
        at += max(words[at] >> 16, 1)
        count += 1
    return count


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.corpus")
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--count", type=int, default=5_000)
    parser.add_argument("--statements", type=int, default=40)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    os.environ["PATH"] = "/nonexistent"  # `check` would ask spirv-val besides
    build = "plain Python" if str(block.__file__).endswith(".py") else "the compiled core"
    tasks = [(n, given.workers, given.count, given.statements, given.files) for n in range(given.workers)]
    with multiprocessing.Pool(given.workers) as pool:
        shares = pool.starmap(work, tasks)
    count = sum(share.modules for share in shares)
    mean = sum(share.instructions for share in shares) / count
    refused = sum(share.refused for share in shares)
    print(f"reknit: {build}; {count} modules of {mean:.0f} instructions on average, {refused} refused")
    total = sum(sum(share.seconds.values()) for share in shares)
    for verb in VERBS:
        seconds = sum(share.seconds[verb] for share in shares)
        print(f"  {verb:9} {seconds / count * 1e3:7.2f} ms a module  {seconds / total:4.0%}")
    waited = max(share.waited for share in shares)
    print(f"{MANY:,} modules, {given.workers} workers: {waited / count * MANY:.0f} s, of processor time", end=" ")
    print(f"{total / count * MANY:.0f} s")


if __name__ == "__main__":
    main()
