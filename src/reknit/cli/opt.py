"""`reknit opt FILE`: run passes and print the module as .rk; the rest is as in `compile`.

With --bisect or --bisect-if nothing is written: it tells which run of a pass broke the module.
"""

from reknit.cli.bisecting import add_bisect, run_bisection
from reknit.cli.compile import rewrite
from reknit.cli.dispatching import report_dispatch
from reknit.cli.input import add_input, load_input
from reknit.cli.options import Namespace, Options
from reknit.cli.parser import new_parser
from reknit.cli.pipeline import add_pipeline, check_passes
from reknit.cli.writing import add_check
from reknit.files.formats import STANDARD, TEXT, WRITTEN


def parser() -> Options:
    command = new_parser("opt", "Read a shader, run the passes named with -p, and print it as .rk.")
    add_input(command)
    command.add_argument("-o", dest="out", metavar="OUT", default=STANDARD, help="where to write (standard output)")
    command.add_argument(
        "--to", dest="to_format", metavar="FORMAT", choices=WRITTEN, help=f"one of {', '.join(WRITTEN)}"
    )
    add_pipeline(command, "")
    add_bisect(command)
    command.add_argument("--quiet", action="store_true", help="don't tell what the passes did")
    command.add_argument("--json", action="store_true", help="print what was done as JSON; needs -o")
    add_check(command)
    return command


def main(options: Namespace) -> int:
    if options.bisect or options.bisect_if is not None:
        check_passes(options)
        module = load_input(options, quiet=options.json)
        if options.report_dispatch is not None:
            report_dispatch(module, options.report_dispatch, options.passes)
        return run_bisection(module, options)
    if options.out == STANDARD and options.to_format is None:
        options.to_format = TEXT
    return rewrite(options)
