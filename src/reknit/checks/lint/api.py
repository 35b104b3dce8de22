"""Lint for a module, a file or bytes, as scripts ask for it."""

import os

from reknit.checks.lint.codes import TARGETS
from reknit.checks.lint.config import Config, read_config
from reknit.checks.lint.lint import lint_input, lint_module
from reknit.files.formats import STANDARD, read_format
from reknit.files.streams import read_bytes, shown_name
from reknit.ir.module import Module
from reknit.ir.verify.trusting import trusting
from reknit.source.diagnostic import Diagnostic, InputError


def lint_source(
    source: Module | str | os.PathLike[str] | bytes, target: str | None, config: str | None
) -> list[Diagnostic]:
    """What is found. Raises InputError: what reading raises, RK3020 (configuration), RK3022 (target), and what `verify`
    says of a module whose parts don't fit together."""
    if target is not None and target not in TARGETS:
        message = f"'{target}' is no target of lint"
        raise InputError([Diagnostic("RK3022", message, help=f"one of {', '.join(TARGETS)}")])
    chosen = read_config(config) if config is not None else Config()
    wanted = target or chosen.target or None
    if isinstance(source, Module):
        with trusting(source):
            return lint_module(source, wanted, chosen)
    if isinstance(source, bytes):
        return lint_input(source, None, "<bytes>", "", wanted, chosen)
    path = os.fspath(source)
    format = read_format(path, None)
    return lint_input(read_bytes(path), format, shown_name(path), "" if path == STANDARD else path, wanted, chosen)
