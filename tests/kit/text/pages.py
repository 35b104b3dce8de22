"""The documentation's pages, and what they are made of.

    PAGES                   README.md, CONTRIBUTING.md, docs/ with its folders
    fences(text)            blocks of code, with what stands behind their backticks
    links(text)             links outside of code: where to, and to which heading
    anchors(text)           what GitHub calls a page's headings
    files(text)             files that a page has its reader save: blocks with a title
"""

import re
from collections.abc import Iterator
from typing import Final

from kit import ROOT

DOCS: Final = sorted((ROOT / "docs").rglob("*.md"))
PAGES: Final = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS]
FENCE: Final = re.compile(r"^(?P<ticks>`{3,})(?P<info>[^`\n]*)\n(?P<code>.*?)^(?P=ticks)$\n?", re.MULTILINE | re.DOTALL)
LINK: Final = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
INLINE: Final = re.compile(r"`[^`\n]*`")
HEADING: Final = re.compile(r"^#+ (.*)$", re.MULTILINE)
TITLE: Final = re.compile(r'title="([^"]+)"')


def fences(text: str) -> Iterator[tuple[str, str]]:
    """(information, code) of each block."""
    return ((match["info"], match["code"]) for match in FENCE.finditer(text))


def of_language(text: str, language: str) -> list[str]:
    """The code of the blocks in a language, whatever else stands behind their backticks."""
    return [code for info, code in fences(text) if info.split(" ", 1)[0] == language]


def prose(text: str) -> str:
    return FENCE.sub("", text)


def links(text: str) -> list[tuple[str, str]]:
    found = LINK.findall(INLINE.sub("", prose(text)))
    return [(str(target), str(anchor)) for target, anchor in found]


def anchors(text: str) -> set[str]:
    """Lower case, hyphens for spaces, without other signs; the second of equal ones ends in -1."""
    known: dict[str, int] = {}
    for heading in HEADING.findall(prose(text)):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        known[name] = known.get(name, 0) + 1
    return {f"{name}-{n}" if n else name for name, count in known.items() for n in range(count)}


def files(text: str) -> dict[str, str]:
    """The contents of each file by its name."""
    named = ((TITLE.search(info), code) for info, code in fences(text))
    return {title[1]: code for title, code in named if title is not None}
