"""The report of dispatch sites for people: a note a site, in Slang's words, with what else is known of it below.

note[E50102]: generated dynamic dispatch code for this site. 2 possible types: 'A, B'
  --> shade.slang:12:9
   |
12 |     return obj.foo(v);
   |               ^
note: IFoo.foo in run, called from main (10:2): switch of 2, payload 8 bytes
note: A: made in main (8:5) -> argument of run (10:2)
note: B: made in main (9:5) -> argument of run (10:2)
"""

from typing import Final

from reknit.analysis.typeflow.provenance import Step, name_of
from reknit.analysis.typeflow.report import DIRECT, SWITCH, Site, gathered
from reknit.source.diagnostic import NOTE, Diagnostic, Note
from reknit.source.place import Place

NO_SITES: Final = "no call of this module goes through an interface: there are no dispatch sites\n"

MAX_CALLERS: Final = 4


def notes(sites: list[Site], mode: str = SWITCH) -> list[Diagnostic]:
    """A note for each call and set of types. `mode` is that of `lower-dispatch`."""
    return [_note(site, mode) for site in gathered(sites)]


def _note(site: Site, mode: str) -> Diagnostic:
    where = site.place
    more = [Note(f"{facts(site)}: {site.cost(mode)}")]
    more.extend([Note(f"{type}: {path_text(site.why[type], where)}") for type in site.types])
    return Diagnostic(site.code(), message(site), where, NOTE, more)


def message(site: Site) -> str:
    """Slang's words for what is dispatched; ours for what need not be."""
    types = ", ".join(site.types)
    kind = "type" if site.interface else "function"
    if site.code() == DIRECT:
        if not site.types:
            return "this site needs no dynamic dispatch: no value ever comes to it"
        return f"this site needs no dynamic dispatch: '{types}' is its only possible {kind}"
    said = f"{len(site.types)} possible {kind}s: '{types}'"
    if site.arguments:
        arguments = ", ".join(site.arguments)
        return (
            f"generated specialized dynamic dispatch code for this site. {said}. "
            f"specialization arguments: '{arguments}'."
        )
    return f"generated dynamic dispatch code for this site. {said}"


def facts(site: Site, where: str = "") -> str:
    """`IFoo.foo in run, called from main (10:2)`. `where` comes after what is called."""
    said = f"{site.what()}{where} in {name_of(site.context.function)}"
    callers = [shown(step, site.place) for step in site.called_from[:MAX_CALLERS]]
    if not callers:
        return said
    rest = len(site.called_from) - MAX_CALLERS
    last = f"{rest} more" if rest > 0 else callers.pop()
    return f"{said}, called from {' and '.join([', '.join(callers), last] if callers else [last])}"


def path_text(steps: list[Step], site: Place) -> str:
    """The steps in one line."""
    return " -> ".join([shown(step, site) for step in steps])


def shown(step: Step, site: Place) -> str:
    """A step with its line and column; with its file, where that is another than the site's."""
    place = step.place
    if place is None or place.line <= 0 or place.file == site.file:
        return str(step)
    return f"{step.what} ({place})"
