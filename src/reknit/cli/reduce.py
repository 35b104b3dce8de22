"""`reknit reduce FILE --if CMD -o OUT`: the smallest module for which CMD still has exit code 0.

    FILE ──▶ leave something out, write it, run CMD on it ──▶ exit code 0: go on with that ──▶ OUT
"""

import sys
import time
from argparse import Namespace

from reknit.cli.input import add_input, load_input
from reknit.cli.limiting import check_seconds
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser, number
from reknit.cli.progress import duration
from reknit.cli.shared_options import OUTPUT, add, add_out
from reknit.cli.terminal import print_json, remark
from reknit.cli.writing import write_reduced
from reknit.files.formats import STANDARD, write_format
from reknit.ir.module import Module
from reknit.source.diagnostic import ERROR, InputError

SECONDS = 600
INTERRUPTED = 130


def parser() -> Parser:
    command = Parser(
        "reduce",
        "Shrink a module while a command of yours still exits with 0 on it, for example a command that looks for the "
        "bug of a driver.",
        "FILE --if CMD -o OUT",
        ("--if", "-o", "--to", "--from", "--valid", "--time-limit", "--each", "--quiet", "--json"),
        (
            "reknit reduce crash.spv --if './crashes.sh {}' -o small.spv",
            "reknit reduce bad.spv --if '! spirv-val {}' -o small.spvasm",
        ),
    )
    add_input(command)
    search = command.group("search")
    search.add_argument(
        "--if",
        dest="command",
        required=True,
        metavar="CMD",
        help="shell command that exits with 0 while the module is still interesting; it gets the module's file as {}, "
        "or as its last argument",
    )
    search.add_argument(
        "--valid", action="store_true", help="keep the module valid by spirv-val, if FILE is; spirv-val must be on PATH"
    )
    search.add_argument(
        "--time-limit", type=number, default=SECONDS, metavar="S", help="stop after S seconds (default %(default)s)"
    )
    search.add_argument(
        "--each", type=number, default=60.0, metavar="S", help="stop a run of CMD after S seconds (default 60)"
    )
    output = command.group(OUTPUT)
    add_out(output, required=True)
    add(output, "--quiet", "--json")
    return command


def main(options: Namespace) -> int:
    if options.json and options.out == STANDARD:
        raise misuse("RK0010", "--json and the module can't both go to standard output", "name a file with -o")
    if options.sandbox:
        raise misuse("RK0010", "--if names an outside program, and --sandbox starts none", "leave --sandbox out")
    check_seconds("--time-limit", options.time_limit)
    check_seconds("--each", options.each)
    if not options.command.strip():
        raise misuse("RK0010", "--if: the command is empty", "a shell command, as 'my-driver {}'")
    try:
        format = write_format(options.out, options.to_format)
    except InputError as error:
        raise misuse(error) from None
    from reknit.reduction.interestingness import Outside
    from reknit.reduction.reduce import reduce

    module = load_input(options, quiet=options.json)
    reduced = reduce(
        module,
        Outside(options.command, format, options.each),
        valid=accepted if options.valid else None,
        seconds=options.time_limit,
        tell=None if options.quiet or options.json else _Lines(options.time_limit).tell,
        keep_interrupted=True,
    )
    write_reduced(reduced.module, options.out, format)
    if options.json:
        done = {"output": options.out, "before": reduced.before, "after": reduced.after}
        print_json({**done, "asked": reduced.asked, "finished": reduced.finished})
    elif not options.quiet:
        cut = "interrupted" if reduced.interrupted else f"stopped after {options.time_limit:g} seconds"
        end = "" if reduced.finished else f"; {cut}"
        sys.stderr.write(
            f"{reduced.before} -> {reduced.after} instructions and constructs, {reduced.asked} tried{end}\n"
        )
    return INTERRUPTED if reduced.interrupted else 0


class _Lines:
    """What was left out, a line each time; on a terminal with the time that is left at most."""

    def __init__(self, seconds: float) -> None:
        self.end = time.monotonic() + seconds
        self.timed = sys.stderr.isatty()

    def tell(self, line: str) -> None:
        left = f", at most {duration(max(self.end - time.monotonic(), 0))} more" if self.timed else ""
        remark(f"{line}{left}\n")


def accepted(module: Module) -> bool:
    """Whether spirv-val has no fault to find. Raises Misuse where there is none to ask."""
    from reknit.checks.spirv_val import find_validator, judge
    from reknit.spirv.write import write_module

    if find_validator() is None:
        raise misuse("RK0010", "--valid needs spirv-val on PATH", "leave it out: the result verifies anyway")
    try:
        binary = write_module(module)
    except InputError:
        return False
    return not any(fault.severity == ERROR for fault in judge(binary, module.path))
