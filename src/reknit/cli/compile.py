"""`reknit compile FILE -o OUT`: read, run passes, write.

    FILE --read--> module --passes--> module --write in the format of OUT--> OUT
"""

import sys
from argparse import Namespace

from reknit.cli.exploring import explore, write_explored
from reknit.cli.input import add_input, load_input
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.pipeline import add_pipeline, check_passes, run_pipeline
from reknit.cli.shared_options import OUTPUT, add, add_out
from reknit.cli.terminal import as_objects, complain, print_json
from reknit.cli.writing import add_check, write_output
from reknit.files.formats import STANDARD, write_format
from reknit.source.diagnostic import InputError

DEFAULT_PASSES = "reconverge"


def parser() -> Parser:
    command = Parser(
        "compile",
        "Read a shader, run passes on it and write the result. The default passes give each switch one meaning, "
        "whatever the implementation.",
        "FILE -o OUT",
        ("-o", "--to", "--from", "-D", "-I", "--passes", "-O", "--list-passes", "--explore", "--print-changed",
         "--prove", "--quiet", "--json"),
        ("reknit compile blur.slang -o blur.spv", "reknit compile blur.spv -o small.spv -O --prove"),
    )  # fmt: skip
    add_input(command)
    add_pipeline(command, DEFAULT_PASSES)
    output = command.group(OUTPUT)
    add_out(output)
    add_check(command)
    add(output, "--quiet", "--json")
    return command


def main(options: Namespace) -> int:
    if options.out is None:
        raise misuse("RK0010", "-o OUT is missing", "`-o -` writes to standard output; `reknit opt` does by itself")
    return rewrite(options)


def rewrite(options: Namespace) -> int:
    """What `compile` and `opt` do."""
    if options.json and options.out == STANDARD:
        raise misuse("RK0010", "--json and the module can't both go to standard output", "name a file with -o")
    try:
        format = write_format(options.out, options.to_format)
    except InputError as error:
        raise misuse(error) from None
    check_passes(options)
    try:
        return _rewrite(options, format)
    except InputError as error:
        if not options.json:
            raise
        print_json({"output": None, "passes": [], "diagnostics": as_objects(error.diagnostics)})
        return 1


def _rewrite(options: Namespace, format: str) -> int:
    module = load_input(options, quiet=options.json)
    explored = explore(options)
    options.prove = options.prove or options.prove_all
    if options.prove:
        from reknit.cli.proved_passes import proven

        report = proven(module, options, explored)
    else:
        report = run_pipeline(module, options, explored)
    if explored is not None:
        write_explored(explored, module, options, report)
    if report is None:
        return 1
    write_output(module, options, format)
    if options.json:
        passes = [
            {
                "name": entry.name,
                "changed": [function.name or f"%{function.id}" for function in entry.changed],
                "skipped": [function.name or f"%{function.id}" for function in entry.skipped],
                "seconds": round(entry.seconds, 6),
            }
            for entry in report.passes
        ]
        done = {"output": options.out, "passes": passes, "diagnostics": as_objects([*module.notes, *report.notes()])}
        if options.prove:
            done["proofs"] = [
                {"pass": name, "number": number, **proof.to_json()} for number, name, proof in options.proofs
            ]
        print_json(done)
    elif not options.quiet:
        complain(report.notes(), "concise")
    sys.stdout.flush()
    return 0
