"""The name that was probably meant: of those in scope, one that differs by a letter or two."""

from reknit.front.slang.check.declare.declarations import Entry, Scope


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

    close = get_close_matches(text, list(names), 1, 0.75)
    return names[close[0]] if close else None
