"""Lint for a module, a file or bytes, as scripts ask for it."""

import os

from reknit.checks.lint.codes import TARGETS
from reknit.checks.lint.config import Config, read_config
from reknit.checks.lint.lint import lint_module
from reknit.front.load import load_bytes, load_file
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
        module = source
    elif isinstance(source, bytes):
        module = load_bytes(source, None, "<bytes>", placed=True)
    else:
        module = load_file(os.fspath(source), placed=True)
    with trusting(module):
        return lint_module(module, wanted, chosen)
