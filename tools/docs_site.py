"""The documentation as a web site: python tools/docs_site.py [OUT]

    README.md, CHANGELOG.md, CONTRIBUTING.md, docs/, examples/, laid out as here  ──mkdocs──▶  OUT (site/)

A link that leads nowhere, or to a heading that there is not, ends it with an error.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import wheels
from environment import ROOT, say

MKDOCS = "mkdocs>=1.6,<2"
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "docs", "examples")
SETTINGS = """\
site_name: reknit
site_description: Knows which invocations of a shader run together, and rewrites its control flow without changing that.
theme: readthedocs
docs_dir: pages
validation:
  links:
    not_found: warn
    anchors: warn
    unrecognized_links: ignore  # of files that are shown as they are
nav:
"""


def main(arguments: list[str]) -> int:
    out = Path(arguments[0] if arguments else ROOT / "site").resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_out(folder / "pages")
        (folder / "mkdocs.yml").write_text(SETTINGS + navigation(), encoding="utf-8")
        python = wheels.new_environment(folder / "environment", MKDOCS)
        wheels.run([str(python), "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)], cwd=folder)
    say(f"{len(list(out.rglob('*.html')))} pages in {out}")
    return 0


def lay_out(pages: Path) -> None:
    pages.mkdir()
    for name in PAGES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, pages / name)
        else:
            shutil.copy(ROOT / name, pages / name)


def navigation() -> str:
    """The start page, then each page of docs/ by its own title, in the order in which the README names them."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    place = {page: readme.find(page.name) % (len(readme) + 1) for page in (ROOT / "docs").glob("*.md")}
    docs = sorted(place, key=lambda page: (place[page], page.name))
    lines = ["  - reknit: README.md"]
    for page in docs:
        title = page.read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ")
        lines.append(f"  - '{title}': docs/{page.name}")
    return "\n".join([*lines, "  - Contributing: CONTRIBUTING.md", "  - Changes: CHANGELOG.md", ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
