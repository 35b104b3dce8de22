"""Functions with parameter packs that nothing calls: what is wrong with them whatever the length of their packs.

    int f<each T>(expand each T v) { return nowhere; }     checked with packs of 1, 2 and 8: E30015 in all three

An error of some lengths only is none of the function: it may be what a call of it would never ask for.
"""

from typing import Final

from reknit.front.slang.check.context import Context
from reknit.front.slang.check.declare.declarations import FunctionEntry
from reknit.front.slang.report import UNSUPPORTED, Reports
from reknit.source.diagnostic import ERROR, Diagnostic

_LENGTHS: Final = (1, 2, 8)


def check_uncalled(ctx: Context) -> None:
    """Once all that is called was checked."""
    for template in ctx.templates:
        if any(instance.busy for instance in template.instances.values()):
            continue
        errors = _errors(ctx, template, _LENGTHS[0])
        for length in _LENGTHS[1:]:
            if errors:
                also = [_identity(error) for error in _errors(ctx, template, length)]
                errors = [error for error in errors if _identity(error) in also]
        ctx.reports.take(errors)


def _identity(error: Diagnostic) -> tuple[str, int, int]:
    place = error.place
    return error.code, 0 if place is None else place.line, 0 if place is None else place.column


def _errors(ctx: Context, template: FunctionEntry, length: int) -> list[Diagnostic]:
    """What is wrong with packs of this length. Nothing is kept of what its body asks for."""
    reports, ctx.reports = ctx.reports, Reports(ctx.sources)
    structs = ctx.program.structs
    before = len(ctx.variadic), len(ctx.tried), len(ctx.synthesized), len(structs)
    ctx.bodies.check(template.instance(length))
    del ctx.variadic[before[0] :], ctx.tried[before[1] :], ctx.synthesized[before[2] :], structs[before[3] :]
    said, ctx.reports = ctx.reports.diagnostics, reports
    return [each for each in said if each.severity == ERROR and each.code != UNSUPPORTED]
