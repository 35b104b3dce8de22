"""`reknit reduce FILE --if CMD -o OUT`: the smallest module for which CMD still has exit code 0.

    FILE ──▶ leave something out, write it, run CMD on it ──▶ exit code 0: go on with that ──▶ OUT
"""

import sys
import time

from reknit.cli.input import add_input, load_input
from reknit.cli.misuse import misuse
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import check_seconds, new_parser
from reknit.cli.progress import duration
from reknit.cli.terminal import print_json, remark
from reknit.cli.writing import write_reduced
from reknit.files.formats import STANDARD, WRITTEN, write_format
from reknit.ir.module import Module
from reknit.source.diagnostic import ERROR, InputError

SECONDS = 600
INTERRUPTED = 130


def parser() -> Options:
    command = new_parser(
        "reduce",
        "Make a module small while a command still finds in it what it found at first. Functions, constructs, arms, "
        "cases, instructions and operands are left out as long as the rest verifies.",
    )
    add_input(command)
    command.add_argument(
        "--if",
        dest="command",
        required=True,
        metavar="CMD",
        help="a shell command, exit code 0 while the module is interesting; {} is the file, else it is the last word",
    )
    command.add_argument(
        "-o", dest="out", metavar="OUT", required=True, help="where to write; CMD gets this format too"
    )
    command.add_argument(
        "--to", dest="to_format", metavar="FORMAT", choices=WRITTEN, help=f"one of {', '.join(WRITTEN)}"
    )
    command.add_argument("--valid", action="store_true", help="spirv-val must accept it too, where it accepts FILE")
    command.add_argument("--time-limit", type=float, default=SECONDS, metavar="S", help=f"seconds (default {SECONDS})")
    command.add_argument(
        "--each", type=float, default=60.0, metavar="S", help="seconds for one run of CMD (default 60)"
    )
    command.add_argument("--quiet", action="store_true", help="report no progress")
    command.add_argument("--json", action="store_true", help="print what was done as JSON; not with -o -")
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
