"""Lint for a module, a file or bytes, as the command and scripts ask for it."""

import os
from typing import TYPE_CHECKING

from reknit.checks.control_flow import judge_columns
from reknit.checks.lint.codes import TARGETS
from reknit.checks.lint.config import Config, read_config
from reknit.checks.lint.plain import has_no_findings, is_likely_plain
from reknit.files.formats import BINARY, DXC, STANDARD, format_of, read_format
from reknit.files.streams import read_input, shown_name
from reknit.source.diagnostic import Diagnostic, InputError
from reknit.spirv.environment import environment_of
from reknit.spirv.words import parse

if TYPE_CHECKING:
    from reknit.front.slang.compile import Settings
    from reknit.ir.module import Module


def lint_source(
    source: "Module | str | os.PathLike[str] | bytes", target: str | None, config: str | None
) -> list[Diagnostic]:
    """What is found. Raises InputError: what reading raises, RK3020 (configuration), RK3022 (target), and what `verify`
    says of a module whose parts don't fit together."""
    if target is not None and target not in TARGETS:
        message = f"'{target}' is no target of lint"
        raise InputError([Diagnostic("RK3022", message, help=f"one of {', '.join(TARGETS)}")])
    chosen = read_config(config) if config is not None else Config()
    wanted = target or chosen.target or None
    if isinstance(source, bytes):
        return lint_input(source, None, "<bytes>", "", wanted, chosen)
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        format = read_format(path, None)
        return lint_input(read_input(path), format, shown_name(path), "" if path == STANDARD else path, wanted, chosen)
    from reknit.checks.lint.lint import lint_module
    from reknit.ir.verify.trusting import trusting

    with trusting(source):
        return lint_module(source, wanted, chosen)


def lint_input(
    data: bytes,
    format: str | None,
    name: str,
    path: str,
    target: str | None,
    config: Config,
    settings: "Settings | None" = None,
) -> list[Diagnostic]:
    """What is found in the contents of a file; a `format` of None has the contents tell it. No tree is built where the
    words of a binary tell that there is nothing to say."""
    columns = parse(data, name) if (format if format is not None else format_of(data)) == BINARY else None
    if columns is not None and is_likely_plain(columns):
        judged = judge_columns(columns, name, environment_of(data), True)
        if has_no_findings(judged):
            return []
    from reknit.checks.lint.lint import lint_own
    from reknit.ir.verify.trusting import trusting

    if columns is not None:
        from reknit.ir.source_places import Places
        from reknit.source.place import Place
        from reknit.spirv.read import read_columns

        module = read_columns(columns, name, Places(lambda at: Place(name, word=at)))
    else:
        from reknit.front.load import load_bytes

        module = load_bytes(data, format, name, path, placed=True, settings=settings)
    if format == DXC:
        module.language = ""  # it says itself what it declares: dxc emits a mode only where it is asked to
    with trusting(module):
        return lint_own(module, target, config)
