"""Lint for a module, a file or bytes, as scripts ask for it."""

import os

from reknit.front.files import read_bytes, shown_name
from reknit.front.formats import STANDARD, read_format, told_by
from reknit.front.load import load_bytes
from reknit.ir.module import Module
from reknit.prove.lint.codes import TARGETS
from reknit.prove.lint.config import Config, read_config
from reknit.prove.lint.lint import lint_module
from reknit.source.diagnostic import Diagnostic, InputError


def lint_source(
    source: Module | str | os.PathLike[str] | bytes, target: str | None, config: str | None
) -> list[Diagnostic]:
    """What is found. Raises InputError: what reading raises, RK3020 (configuration), RK3022 (target)."""
    if target is not None and target not in TARGETS:
        message = f"'{target}' is no target of lint"
        raise InputError([Diagnostic("RK3022", message, help=f"one of {', '.join(TARGETS)}")])
    chosen = read_config(config) if config is not None else Config()
    wanted = target or chosen.target or None
    if isinstance(source, Module):
        return lint_module(source, wanted, config=chosen)
    if isinstance(source, bytes):
        found = told_by(source)
        return lint_module(load_bytes(source, found, "<bytes>"), wanted, source, found, chosen)
    path = os.fspath(source)
    format = read_format(path, None)
    data = read_bytes(path)
    module = load_bytes(data, format, shown_name(path), "" if path == STANDARD else path, debug=True)
    return lint_module(module, wanted, data, format, chosen)
