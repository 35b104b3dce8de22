"""The viewer as a page: one file without anything from elsewhere, for a browser, also from the disk.

    trace.html  <-  trace.css, the modules of `viewer/` in one script, the document as JSON

The modules are plain ES modules, so that tests can import them one by one; in the page they are one script, for a page
from the disk may not import. Nothing is built: `import` lines are left out, and `export` before a declaration.
"""

import re
from importlib.resources import files
from typing import Final

from reknit.view.svg_text import escaped
from reknit.view.trace_document import document_text

MODULES: Final = ("masks", "states", "values", "search", "words", "lanes", "panels", "graph", "trace")
"""Each before those that import it."""

_IMPORT: Final = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
_EXPORT: Final = re.compile(r"^export (?=const |let |function |class )", re.MULTILINE)


def page(document: dict[str, object]) -> str:
    """`document` is as docs/viewer.md says."""
    text = document_text(document).replace("<", "\\u003c")  # "</script>" in a source must not end the element
    parts = {
        "title": escaped(str(document["title"])),
        "style": _part("trace.css"),
        "script": script(),
        "document": text,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _part("trace.html"))


def script() -> str:
    """All modules as one script."""
    return "\n".join([_EXPORT.sub("", _IMPORT.sub("", _part(f"{name}.mjs"))) for name in MODULES])


def _part(name: str) -> str:
    return files("reknit.view").joinpath("viewer", name).read_text(encoding="utf-8")
