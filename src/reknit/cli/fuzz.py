"""`reknit fuzz`: random programs through passes; a folder for each that comes out wrong.

    seed, seed + 1, ...  ──▶ each pass, each pipeline ──▶ OUT/seed-17/  program.rk  reduced.rk  failure.txt
    100 programs, 0 failures
"""

import os
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reknit.cli.misuse import misuse
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import new_parser
from reknit.cli.terminal import print_json, remark, tell
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.fuzzing.fuzz import Failure, Fuzzer

INTERRUPTED = 130


def parser() -> Options:
    command = new_parser(
        "fuzz",
        "Generate random programs, take them through passes, and compare every result with what the program allows. A "
        "failure is shrunk and written to a folder that says how to see it again.",
    )
    command.add_argument("--seed", type=int, default=0, metavar="N", help="the first program's seed (default 0)")
    command.add_argument("--count", type=int, default=100, metavar="N", help="how many programs (default 100)")
    command.add_argument(
        "-p", "--passes", metavar="PASSES", help="only this pipeline (default: each pass and pipeline)"
    )
    command.add_argument(
        "--random-passes", action="store_true", help="a pipeline of 1 to 8 passes with options, drawn from each seed"
    )
    command.add_argument(
        "--features", default="", metavar="NAMES", help="what the programs may hold besides, with commas; or all"
    )
    command.add_argument(
        "--all", action="store_true", help="every program through every pipeline, not one each in turn"
    )
    command.add_argument("--validator", action="store_true", help="ask spirv-val too, besides our own rules")
    command.add_argument("--on", default="sim", metavar="DEVICE", help="run the result on vulkan or vulkan:NAME too")
    command.add_argument("--most", type=int, default=10, metavar="N", help="stop after N failures (default 10)")
    command.add_argument(
        "-o", dest="out", default="reknit-fuzz", metavar="DIR", help="for failures (default reknit-fuzz)"
    )
    command.add_argument("--quiet", action="store_true", help="only the closing line")
    command.add_argument("--json", action="store_true", help="print JSON")
    return command


def main(options: Namespace) -> int:
    from reknit.checks.spirv_val import find_validator
    from reknit.fuzzing.features import features_of
    from reknit.fuzzing.fuzz import Fuzzer, checked_pipelines, validator_of
    from reknit.vulkan.target import target_of

    if options.count < 1 or options.most < 1:
        raise misuse("RK0010", "--count and --most are at least 1")
    if options.random_passes and (options.passes is not None or options.all):
        raise misuse("RK0010", "--random-passes draws the pipelines", "leave out -p and --all")
    if options.validator and find_validator() is None:
        raise misuse("RK0010", "--validator needs spirv-val on PATH")
    try:
        device = target_of(options.on)
        features = features_of(options.features)
        chosen: list[str | None] = [None] if options.random_passes else [*checked_pipelines(options.passes)]
    except InputError as error:
        raise misuse(error) from None
    fuzzer = Fuzzer(validator_of(options.validator), device, features=features)
    return run(options, fuzzer, chosen)


def run(options: Namespace, fuzzer: "Fuzzer", chosen: Sequence[str | None]) -> int:
    """Go through the seeds, each with pipelines of `chosen`, of which None is one that the seed draws; an interrupt
    ends it with what was found so far."""
    from reknit.cli.progress import Progress

    failures: list[Failure] = []
    interrupted = False
    progress = Progress("programs", options.count * (len(chosen) if options.all else 1), options.quiet)
    fuzzer.tell = lambda done: progress.at(done - 1, f", {len(failures)} failed" if failures else "")
    try:
        for failure in fuzzer.failures(options.seed, options.count, chosen, options.all, options.most):
            failures.append(failure)
            progress.clear()
            keep(options, failure)
    except KeyboardInterrupt:
        interrupted = True
    progress.clear()
    done = {"programs": fuzzer.programs, "failures": len(failures), "skipped_by_device": fuzzer.skipped}
    if options.json:
        listed = [
            {"seed": failure.seed, "passes": failure.shortest, "stage": failure.stage, "what": failure.what}
            for failure in failures
        ]
        print_json({**done, "found": listed, "interrupted": interrupted})
    else:
        tell(closing(fuzzer.programs, len(failures), fuzzer.skipped, interrupted, options.out) + "\n")
    if interrupted:
        return INTERRUPTED
    return 1 if failures else 0


def closing(programs: int, failures: int, skipped: int, interrupted: bool, out: str) -> str:
    """`100 programs, 0 failures`."""
    text = f"{programs} program{'' if programs == 1 else 's'}, {failures} failure{'' if failures == 1 else 's'}"
    if failures:
        text += f" in {out}"
    if skipped:
        text += f"; {skipped} were nothing for the device"
    return text + ("; interrupted" if interrupted else "")


def keep(options: Namespace, failure: "Failure") -> None:
    """Write a failure to a folder of its own. Raises InputError (RK0007) where that can't be."""
    from reknit.cli.pipeline import make_folder
    from reknit.files.streams import write_bytes
    from reknit.fuzzing.fuzz import text_of

    folder = os.path.join(options.out, f"seed-{failure.seed}")
    number = 1
    while os.path.exists(os.path.join(folder, "failure.txt")):
        number += 1
        folder = os.path.join(options.out, f"seed-{failure.seed}-{number}")
    make_folder(folder)
    rerun = ["reknit", "fuzz", "--seed", str(failure.seed), "--count", "1", "-p", failure.pipeline]
    rerun += ["--features", options.features] if options.features else []
    rerun += ["--validator"] * options.validator + (["--on", options.on] if options.on != "sim" else [])
    look = ["reknit", "opt", "reduced.rk", "-p", failure.shortest, "--verify-each", "--prove"]
    look += ["--subgroup-sizes", str(failure.program.subgroup_size)]
    lines = [
        f"{failure.stage}: {failure.what}",
        "",
        f"seed {failure.seed}, passes {failure.pipeline}",
        f"again:        {shlex.join(rerun)}",
        f"what is left: {shlex.join(look)}",
    ]
    write_bytes(os.path.join(folder, "program.rk"), text_of(failure.original).encode())
    write_bytes(os.path.join(folder, "reduced.rk"), text_of(failure.program).encode())
    write_bytes(os.path.join(folder, "failure.txt"), ("\n".join(lines) + "\n").encode())
    if not options.quiet and not options.json:
        statements = f"{failure.original.size()} -> {failure.program.size()} statements"
        what = f"{failure.stage}: {failure.what}"
        remark(f"seed {failure.seed}, {failure.shortest}: {what}\n  {folder} ({statements})\n")
