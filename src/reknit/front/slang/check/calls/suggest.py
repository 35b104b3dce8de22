"""The name that was probably meant: of those in scope, one that differs by a letter or two."""

from typing import Final

from reknit.front.slang.check.declare.declarations import Entry, Scope
from reknit.source.meter import spend

MAX_NAMES: Final = 2_000
"""In scope: among more, to compare each would take longer than all else of a fault."""


def nearest(scope: Scope, text: str) -> Entry | None:
    names: dict[str, Entry] = {}
    at: Scope | None = scope
    while at is not None:
        for name, entries in at.names.items():
            names.setdefault(name, entries[0])
        if at.container is not None:
            for name, entries in at.container.members.items():
                names.setdefault(name, entries[0])
        at = at.parent
    from difflib import get_close_matches

    if len(names) > MAX_NAMES:
        return None
    spend(len(names))
    close = get_close_matches(text, list(names), 1, 0.75)
    return names[close[0]] if close else None
