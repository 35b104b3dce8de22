"""Where the links of built HTML pages lead.

    links(folder)   each address that a page names, with the pages that name it
    broken(folder)  those within the folder that lead to no file, or to no place in it
    outside(folder) those that lead elsewhere
"""

from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

NAMES: Final = {"a": "href", "link": "href", "img": "src", "script": "src", "iframe": "src"}


class Page(HTMLParser):
    """What a page links to, and the places in it that links can name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def has(self, place: str) -> bool:
        return not place or place in self.places

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        for name in ("id", "name"):
            if (place := given.get(name)) is not None:
                self.places.add(place)
        if (address := given.get(NAMES.get(tag, ""))) is not None:
            self.links.append(address)


def pages(folder: Path) -> dict[Path, Page]:
    return {path: Page(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.html"))}


def broken(folder: Path) -> list[str]:
    """A line a link. A fragment with `=` is what a script of the page reads, and no place."""
    known = pages(folder.resolve())
    lines: list[str] = []
    for path, page in known.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                lines.append(f"{path.relative_to(folder.resolve())}: {link}: there is no such file")
            elif target in known and "=" not in parts.fragment and not known[target].has(unquote(parts.fragment)):
                lines.append(f"{path.relative_to(folder.resolve())}: {link}: there is no such place in it")
    return lines


def outside(folder: Path) -> dict[str, list[str]]:
    """The pages that name each address, by address."""
    found: dict[str, list[str]] = {}
    for path, page in pages(folder).items():
        for link in dict.fromkeys(page.links):
            if urlsplit(link).scheme in ("http", "https"):
                found.setdefault(link, []).append(path.relative_to(folder).as_posix())
    return dict(sorted(found.items()))
