"""The viewer as a page: one file without anything from elsewhere, for a browser, also from the disk.

    viewer.html  <-  trace.html, viewer.css, trace.css, the modules of `viewer/` in one script, the document as JSON

The modules are plain ES modules, so that tests can import them one by one; in the page they are one script, for a page
from the disk may not import. Nothing is built: `import` lines are left out, and `export` before a declaration.
"""

import json
import re
from importlib.resources import files
from typing import Final

from reknit.view.svg_text import escaped

MODULES: Final = {
    "reknit-trace": (
        "page", "masks", "states", "values", "search", "words", "lanes", "panels", "graph", "drawn_svg", "trace",
    ),
    "reknit-passes": ("page", "graph", "passes"),
    "reknit-graph": ("page", "layers", "layout", "graph", "rows", "folding", "graphs"),
}  # fmt: skip
"""By the format of a document: each module before those that import it. The last is the page's, with its .html."""

_IMPORT: Final = re.compile(r"^import .*?;\n", re.MULTILINE | re.DOTALL)
_EXPORT: Final = re.compile(r"^export (?=const |let |function |class )", re.MULTILINE)


def document_text(document: dict[str, object]) -> str:
    """JSON without spaces, in one line."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False)


def page(document: dict[str, object]) -> str:
    """`document` is as docs/viewer.md says."""
    modules = MODULES[str(document["format"])]
    text = document_text(document).replace("<", "\\u003c")  # "</script>" in a source must not end the element
    parts = {
        "title": escaped(str(document["title"])),
        "style": _part("viewer.css") + _part(f"{modules[-1]}.css"),
        "body": _part(f"{modules[-1]}.html"),
        "script": script(modules),
        "document": text,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _part("viewer.html"))


def script(modules: tuple[str, ...]) -> str:
    """All modules as one script."""
    return "\n".join([_EXPORT.sub("", _IMPORT.sub("", _part(f"{name}.mjs"))) for name in modules])


def _part(name: str) -> str:
    return files("reknit.view").joinpath("viewer", name).read_text(encoding="utf-8")
