"""`reknit fuzz`: random programs through passes; a folder for each that comes out wrong.

    seed, seed + 1, ...  ──▶ each pass, each pipeline ──▶ OUT/seed-17/  program.rk  reduced.rk  failure.txt
    100 programs, 0 failures
"""

import os
import shlex
from argparse import Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser, whole
from reknit.cli.shared_options import OUTPUT, add
from reknit.cli.terminal import print_json, remark, tell
from reknit.source.diagnostic import InputError

if TYPE_CHECKING:
    from reknit.fuzzing.fuzz import Failure, Fuzzer

INTERRUPTED = 130


def parser() -> Parser:
    command = Parser(
        "fuzz",
        "Generate random programs, run passes on them, and compare each result with what the program allows. A program "
        "that fails is shrunk and written to a folder, with the command that shows the failure again.",
        "",
        ("--seed", "--count", "--passes", "--random-passes", "--features", "--all", "--validator", "--on", "--most",
         "-o", "--quiet", "--json"),
        ("reknit fuzz --count 1000", "reknit fuzz -p lower-switches --features all --seed 7"),
    )  # fmt: skip
    programs = command.group("programs")
    add(programs, "--seed")
    add(programs, "--count", default=100)
    add(programs, "--features", default="")
    tested = command.group("what is tested")
    add(tested, "--passes", note=" (default: each pass and each pipeline)")
    tested.add_argument("--random-passes", action="store_true", help="run 1 to 8 random passes on each program")
    tested.add_argument("--all", action="store_true", help="run every pipeline on every program, not one in turn")
    tested.add_argument("--validator", action="store_true", help="also ask spirv-val, which must be on PATH")
    tested.add_argument(
        "--on", default="sim", metavar="DEVICE", help="also run each result on vulkan, or vulkan:NAME"
    )
    tested.add_argument("--most", type=whole, default=10, metavar="N", help="stop after N failures (default 10)")
    output = command.group(OUTPUT)
    output.add_argument(
        "-o", dest="out", default="reknit-fuzz", metavar="DIR", help="folder for failures (default %(default)s)"
    )
    add(output, "--quiet", "--json")
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
