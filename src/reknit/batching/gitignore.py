"""What of a folder git would not track: its .gitignore, those of the folders around and below, and .git/info/exclude.

    rules = rules_of("shaders")  ──▶  of the repository's root, ..., of shaders
    inner = below(rules, "shaders/old")                with shaders/old/.gitignore, where there is one
    ignores(inner, "shaders/old/a.spv", False)         the innermost file with a pattern for it decides

Outside of a repository only the files from the named folder on count. The user's own list (core.excludesFile) does
not: a project is judged alike on all machines.
"""

import os
from typing import TYPE_CHECKING, Final

from reknit.source.reading import MAX_BYTES, regular_file

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

Rules = tuple[tuple[str, "GitIgnoreSpec"], ...]
"""(folder, its patterns) from the outermost on."""

NAME: Final = ".gitignore"


def rules_of(folder: str) -> Rules:
    """What holds in a folder that is named. What ignores that folder itself doesn't: it was asked for."""
    inner = os.path.abspath(folder)
    chain = [inner]
    while not os.path.exists(os.path.join(chain[-1], ".git")):
        above = os.path.dirname(chain[-1])
        if above == chain[-1]:
            return below((), inner)
        chain.append(above)
    rules = _with((), chain[-1], os.path.join(chain[-1], ".git", "info", "exclude"))
    for each in reversed(chain):
        if each != chain[-1] and ignores(rules, each, True):
            rules = ()
        rules = below(rules, each)
    return rules


def below(rules: Rules, folder: str) -> Rules:
    """What holds in a folder of one where `rules` hold."""
    return _with(rules, folder, os.path.join(folder, NAME))


def ignores(rules: Rules, path: str, is_folder: bool) -> bool:
    """Whether a file or folder is ignored, of which the folders around are not."""
    whole = os.path.abspath(path)
    for folder, patterns in reversed(rules):
        shown = os.path.relpath(whole, folder).replace(os.sep, "/")
        decided = patterns.check_file(f"{shown}/" if is_folder else shown).include
        if decided is not None:
            return decided
    return False


def _with(rules: Rules, folder: str, path: str) -> Rules:
    try:
        with open(regular_file(path), "rb") as file:
            lines = file.read(MAX_BYTES).decode("utf-8", "surrogateescape").splitlines()
    except OSError:  # there is none; git goes on without one that it can't read, too
        return rules
    from pathspec import GitIgnoreSpec

    try:
        patterns = GitIgnoreSpec.from_lines(lines)
    except ValueError:  # a pattern that is none, which git passes over
        patterns = GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])
    return (*rules, (os.path.abspath(folder), patterns))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
