"""`reknit opt FILE`: run passes and print the module as .rk; the rest is as in `compile`.

With --bisect or --bisect-if nothing is written: it tells which run of a pass broke the module.
"""

from argparse import Namespace

from reknit.cli.bisecting import add_bisect, run_bisection
from reknit.cli.compile import rewrite
from reknit.cli.dispatching import report_dispatch
from reknit.cli.input import add_input, load_input
from reknit.cli.parser import Parser
from reknit.cli.pipeline import add_pipeline, check_passes
from reknit.cli.shared_options import OUTPUT, add, add_out
from reknit.cli.writing import add_check
from reknit.files.formats import STANDARD, TEXT


def parser() -> Parser:
    command = Parser(
        "opt",
        "Read a shader, run the passes that -p names, and print it as .rk, reknit's text form.",
        "FILE",
        ("-o", "--to", "--from", "-D", "-I", "--passes", "-O", "--list-passes", "--print-changed", "--prove",
         "--bisect", "--bisect-if", "--quiet"),
        ("reknit opt blur.spv", 'reknit opt blur.spv -p "lower-switches,simplify-cfg" --print-changed'),
    )  # fmt: skip
    add_input(command)
    add_pipeline(command, "")
    add_bisect(command)
    output = command.group(OUTPUT)
    add_out(output, default=STANDARD)
    add_check(command)
    add(output, "--quiet", "--json")
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
