"""`reknit lint FILE...`: operations that depend on reconvergence which nothing promises; exit code 1 if there are any.

    FILES + reknit.toml -> findings (RK30xx) -> full | concise | json | sarif | github

A shading language is compiled with debug lines, so that messages point into the shader's own text.
"""

import os
import sys
from argparse import ArgumentParser, Namespace

from reknit.checks.lint.codes import TARGETS
from reknit.checks.lint.config import Config, find_config, read_config
from reknit.cli.input import add_reading, keep, settings_of
from reknit.cli.misuse import misuse
from reknit.cli.parser import new_parser
from reknit.cli.terminal import wants_colour
from reknit.files.formats import STANDARD, read_format
from reknit.files.streams import lines_of, read_bytes, shown_name
from reknit.source.diagnostic import NOTE, Diagnostic, InputError
from reknit.source.report import FORMATS, report

TARGET_HELP = "what has to promise: base (SPIR-V alone), sucf, maximal (default: what each entry point declares)"
CONFIG_HELP = "read this file (default: reknit.toml, or pyproject.toml with [tool.reknit.lint], here or above)"


def parser() -> ArgumentParser:
    command = new_parser("lint", "Find the operations that depend on reconvergence which nothing promises.")
    command.add_argument("files", nargs="+", metavar="FILE", help="what to look at; - is standard input")
    add_reading(command)
    command.add_argument("--target", choices=TARGETS, help=TARGET_HELP)
    which = command.add_mutually_exclusive_group()
    which.add_argument("--config", metavar="FILE", help=CONFIG_HELP)
    which.add_argument("--no-config", action="store_true", help="read no configuration")
    command.add_argument("--format", default="full", choices=FORMATS, help="how to print findings (default full)")
    command.add_argument("--json", action="store_const", const="json", dest="format", help="the same as --format json")
    return command


def main(options: Namespace) -> int:
    try:
        config = _config(options)
    except InputError as error:
        raise misuse(error) from None
    diagnostics: list[Diagnostic] = []
    for path in options.files:
        diagnostics.extend(findings(options, path, config))
    bad = any(diagnostic.severity != NOTE for diagnostic in diagnostics)
    diagnostics.extend(config.unused())
    sys.stdout.write(report(diagnostics, options.format, lines_of, wants_colour(sys.stdout)))
    if not diagnostics and options.format == "full":
        count = len(options.files)
        print(f"no findings in {count} file{'' if count == 1 else 's'}")
    return 1 if bad else 0


def findings(options: Namespace, path: str, config: Config) -> list[Diagnostic]:
    """What is found in one file; where it can't be read, why."""
    from reknit.checks.lint.api import lint_input

    try:
        format = read_format(path, options.from_format)
        data = read_bytes(path)
        keep(options, path, data)
        beside = "" if path == STANDARD else path
        wanted = options.target or config.target or None
        return lint_input(data, format, shown_name(path), beside, wanted, config, settings_of(options))
    except InputError as error:
        return error.diagnostics


def _config(options: Namespace) -> Config:
    if options.no_config:
        return Config()
    path = options.config or find_config(os.getcwd())
    return read_config(path) if path else Config()
