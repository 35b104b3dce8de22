"""`reknit lint FILE...`: operations that depend on reconvergence which nothing promises; exit code 1 if there are any.

    FILES + reknit.toml -> findings (RK30xx) -> full | concise | json | sarif | github

A shading language is compiled with debug lines, so that messages point into the shader's own text. Many files, and
folders, are judged by worker processes (`many`).
"""

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from reknit.checks.lint.codes import TARGETS
from reknit.checks.lint.config import SUPPRESSIONS, Config, read_config
from reknit.cli.elsewhere import of_input
from reknit.cli.input import (
    add_entry,
    add_files,
    add_reading,
    is_many,
    keep,
    named_files,
    refuse_entry,
    settings_of,
)
from reknit.cli.known import Known, baseline_of
from reknit.cli.misuse import misuse
from reknit.cli.parser import Parser
from reknit.cli.shared_options import OUTPUT, add
from reknit.cli.terminal import wants_colour
from reknit.files.formats import STANDARD, read_format
from reknit.files.streams import lines_of, read_input, shown_name
from reknit.source.diagnostic import ERROR, WARNING, Diagnostic, InputError
from reknit.source.report import FORMATS, Report

if TYPE_CHECKING:
    from reknit.cli.fixing import Fixer


def parser() -> Parser:
    command = Parser(
        "lint",
        "Find operations whose result depends on which invocations run them together, where nothing in the shader "
        "promises that. Exits with 1 if there are any.",
        "FILE...",
        ("--exclude", "--from", "-D", "-I", "--jobs", "--baseline", "--target", "--full-subgroups", "--subgroup-sizes",
         "--fix", "--diff", "--format", "--json"),
        ("reknit lint blur.spv", "reknit lint shaders --target base --format concise"),
    )  # fmt: skip
    add_files(command)
    add_reading(command)
    add_entry(command)
    launch = command.group("guarantees")
    add(launch, "--target", choices=TARGETS)
    add(launch, "--full-subgroups")
    add(launch, "--subgroup-sizes", note=" (default: the powers of two from 1 to 128)")
    fixes = command.group("fixes")
    fix = fixes.add_mutually_exclusive_group()
    fix.add_argument("--fix", action="store_true", help="apply the safe fixes: declare modes, lower switches")
    fix.add_argument("--diff", action="store_true", help="print what --fix would change, and no findings")
    fixes.add_argument("--unsafe-fixes", action="store_true", help="with --fix or --diff: also if comments are lost")
    output = command.group(OUTPUT)
    add(output, "--format", choices=FORMATS)
    add(output, "--json", action="store_const", const="json", dest="format")
    return command


has_own_limits = is_many


def main(options: Namespace) -> int:
    try:
        config = read_config(options.config) if options.config else Config()
    except InputError as error:
        raise misuse(error) from None
    sizes = _sizes(options)
    config.launch = config.launch.declared(options.full_subgroups, sizes)
    if options.write_baseline and (options.fix or options.diff):
        raise misuse("RK0010", "--write-baseline keeps what is found, --fix and --diff mend it: one after the other")
    refuse_entry(options, options.files)
    known = baseline_of(options)
    if is_many(options):
        return _main_of_many(options, config, known, sizes)
    said = Report(options.format, lines_of, wants_colour(sys.stdout))
    files = named_files(options)
    fixer = _fixer(options, config)
    for path in files:
        left = known.left(findings(options, path, config), lines_of, shown_name(path))
        if fixer is not None and fixer.mend(path, left):
            left = known.left(findings(options, path, config), lines_of, shown_name(path))
        left = of_input(left, shown_name(path)) if len(files) > 1 else left
        sys.stdout.write(said.add([] if options.diff else left))
    return _end(said, len(files), config, known, fixer)


def _sizes(options: Namespace) -> list[int] | None:
    """Raises Misuse (RK0010)."""
    if options.subgroup_sizes is None:
        return None
    from reknit.cli.proving import sizes_of

    return sizes_of(options.subgroup_sizes)


def _main_of_many(options: Namespace, config: Config, known: Known, sizes: list[int] | None) -> int:
    from reknit.batching.batch import quoted
    from reknit.batching.verdicts import CRASHED
    from reknit.cli.many import Many

    given = {
        "target": options.target,
        "config": options.config,
        "full_subgroups": options.full_subgroups or None,
        "subgroup_sizes": sizes,
    }
    with Many(options, "lint", given) as many:
        many.run(options.format == "json")
        lines = quoted(many.plan)
        said = Report(options.format, lines, wants_colour(sys.stdout))
        fixer = _fixer(options, config)
        count = crashed = 0
        for item in many.items():
            count += 1
            crashed += item.verdict == CRASHED
            config.use(item.details.get(SUPPRESSIONS, []))
            left = known.left(item.diagnostics, lines, item.input)
            if fixer is not None and fixer.mend(item.input, left):
                left = known.left(findings(options, item.input, config), lines, item.input)
            sys.stdout.write(said.add([] if options.diff else of_input(left, item.input)))
    return max(_end(said, count, config, known, fixer), 2 if crashed else 0)


def _fixer(options: Namespace, config: Config) -> "Fixer | None":
    if not (options.fix or options.diff):
        return None
    from reknit.cli.fixing import Fixer

    return Fixer(options, config)


def _end(said: Report, count: int, config: Config, known: Known, fixer: "Fixer | None") -> int:
    """The last of what is said, of so many files, and the exit code."""
    if fixer is not None and fixer.options.diff:
        return 1 if fixer.fixed else 0
    sys.stdout.write(said.add([*config.unused(), *known.end()]) + said.end())
    if not said.counts and said.form == "full":
        rules = f" (rules: {', '.join(config.rules)})" if config.rules else ""
        print(f"no findings in {count} file{'' if count == 1 else 's'}{rules}")
    return 1 if said.counts[ERROR] + said.counts[WARNING] else 0


def findings(options: Namespace, path: str, config: Config) -> list[Diagnostic]:
    """What is found in one file; where it can't be read, why."""
    from reknit.checks.lint.api import lint_input

    try:
        format = read_format(path, options.from_format)
        data = read_input(path)
        keep(options, path, data)
        beside = "" if path == STANDARD else path
        wanted = options.target or config.target or None
        return lint_input(data, format, shown_name(path), beside, wanted, config, settings_of(options))
    except InputError as error:
        return error.diagnostics
