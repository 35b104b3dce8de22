"""`--report-dispatch [json]`: each call through an interface, before any pass, on standard error.

    text    notes, with the source                  what else is known below each
    json    a list of objects, a call each

The picture of `reknit show --report-dispatch` has the same.
"""

import sys

from reknit.cli.dispatch_mode import DISPATCH
from reknit.cli.parser import Parser
from reknit.cli.shared_options import add
from reknit.cli.terminal import complain
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError

TEXT = "text"
JSON = "json"


def add_report_dispatch(parser: Parser) -> None:
    add(parser.group(DISPATCH), "--report-dispatch", nargs="?", const=TEXT, choices=(TEXT, JSON))


def report_dispatch(module: Module, form: str, passes: str = "") -> None:
    """The dynamic calls of a module as it is, and what they cost where `passes` lower them."""
    from reknit.analysis.typeflow.report import as_json, dispatch_sites, gathered

    sites = dispatch_sites(module)
    mode = mode_of(passes)
    if form == JSON:
        from json import dumps

        sys.stderr.write(dumps(as_json(gathered(sites), mode), indent=2) + "\n")
        return
    from reknit.analysis.typeflow.notes import NO_SITES, notes

    if not sites:
        sys.stderr.write(NO_SITES)
    complain(notes(sites, mode))


def mode_of(passes: str) -> str:
    """How `lower-dispatch` goes from type to type in a pipeline; its default where that has none."""
    from reknit.analysis.typeflow.report import SWITCH
    from reknit.passes.catalog import catalog
    from reknit.passes.pipeline_text import parse_pipeline

    try:
        specs = parse_pipeline(passes, catalog()) if passes else []
    except InputError:
        return SWITCH  # running them tells
    modes = [str(spec.options["mode"]) for spec in specs if spec.transform.name == "lower-dispatch"]
    return modes[0] if modes else SWITCH
