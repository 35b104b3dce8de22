"""`reknit check FILE...`: what is wrong with shaders; exit code 1 if there is an error.

    FILES -> control flow by its rules, faults of reading and of the tree, spirv-val's verdict
          -> full | concise | json | sarif | github, and --svg a drawing

`full` also shows faults of the tree inside the text of their functions.
"""

import sys
from argparse import Namespace

from reknit.cli.input import add_entry, add_files, add_reading, is_many, keep, named_files, refuse_entry, settings_of
from reknit.cli.known import Known, baseline_of
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.shared_options import OUTPUT, add
from reknit.cli.terminal import tell, wants_colour
from reknit.files.formats import STANDARD, ending, read_format
from reknit.files.streams import lines_of, read_input, shown_name, write_text
from reknit.source.diagnostic import ERROR, Diagnostic, InputError
from reknit.source.report import FORMATS, Report

OF_FORM = "RK04"  # what faults of a module's form are called


def parser() -> Parser:
    command = Parser(
        "check",
        "Check shaders for errors: in reading them, in their control flow, and, where spirv-val is installed, by all "
        "rules of SPIR-V. Exits with 1 if there is an error.",
        "FILE...",
        ("--exclude", "--from", "-D", "-I", "--entry", "--target-env", "--jobs", "--baseline", "--svg", "--format",
         "--json"),
        ("reknit check blur.spv", "reknit check shaders --format github"),
    )  # fmt: skip
    add_files(command)
    add_reading(command)
    add_entry(command)
    output = command.group(OUTPUT)
    output.add_argument("--svg", metavar="OUT", help="draw the functions that break a rule of control flow")
    add(output, "--format", choices=FORMATS)
    add(output, "--json", action="store_const", const="json", dest="format")
    return command


has_own_limits = is_many


def main(options: Namespace) -> int:
    if options.svg is not None and (len(options.files) > 1 or is_many(options)):
        raise misuse("RK0010", "--svg draws one FILE")
    if options.svg is not None and ending(options.svg) != "svg":
        raise misuse("RK0010", f"--svg {options.svg}: what is drawn is SVG", "let the name end in .svg")
    refuse_entry(options, options.files)
    known = baseline_of(options)
    if is_many(options):
        return _main_of_many(options, known)
    said = Report(options.format, lines_of, wants_colour(sys.stdout))
    places: list[str] = []
    files = named_files(options)
    for path in files:
        left = known.left(findings(options, path, places), lines_of, shown_name(path))
        if len(files) > 1:
            from reknit.cli.elsewhere import of_input

            of_input(left, shown_name(path))
        sys.stdout.write(said.add(left))
    return _end(said, len(files), places, known)


def _main_of_many(options: Namespace, known: Known) -> int:
    from reknit.batching.batch import quoted
    from reknit.batching.verdicts import CRASHED
    from reknit.checks.spirv_val import find_validator, not_found
    from reknit.cli.elsewhere import of_input
    from reknit.cli.many import Many

    with Many(options, "check", {}) as many:
        many.run(options.format == "json")
        lines = quoted(many.plan)
        said = Report(options.format, lines, wants_colour(sys.stdout))
        count = crashed = 0
        for item in many.items():
            count += 1
            crashed += item.verdict == CRASHED
            sys.stdout.write(said.add(of_input(known.left(item.diagnostics, lines, item.input), item.input)))
    if find_validator() is None:  # which is said once for all
        sys.stdout.write(said.add([not_found(None)]))
    return max(_end(said, count, [], known), 2 if crashed else 0)


def _end(said: Report, count: int, places: list[str], known: Known) -> int:
    """The last of what is said, of so many files, and the exit code."""
    sys.stdout.write(said.add(known.end()) + said.end())
    if said.form == "full":
        tell("".join(places))
    if not said.counts and said.form == "full":
        judge = judges() if count else ""
        print(f"no findings in {count} file{'' if count == 1 else 's'}{f', nor by {judge}' if judge else ''}")
    return 1 if said.counts[ERROR] else 0


def judges() -> str:
    """Which other validator was asked; "" where there is none, as when a baseline has all that was found."""
    from reknit.checks.spirv_val import find_validator, validator_name

    program = find_validator()
    return validator_name(program) if program is not None else ""


def findings(options: Namespace, path: str, places: list[str]) -> list[Diagnostic]:
    """What is wrong with one file; to `places` goes the text of its functions with the faults of their form in it."""
    from reknit.checks.check import check_input

    try:
        format = read_format(path, options.from_format)
        data = read_input(path)
    except InputError as error:
        return error.diagnostics
    keep(options, path, data)
    beside = "" if path == STANDARD else path
    checked = check_input(data, format, shown_name(path), beside, options.target_env, settings_of(options))
    if options.svg is not None and checked.case is not None:
        from reknit.view.fault_svg import faults_svg

        write_text(options.svg, faults_svg(checked.case))
    if checked.module is not None and any(diagnostic.code.startswith(OF_FORM) for diagnostic in checked.diagnostics):
        from reknit.ir.verify.dump import faulty_text

        places.append(f"\n{faulty_text(checked.module)}")
    return checked.diagnostics
