"""The pages of the web site as Sphinx reads them, made from the repository's.

python tools/site_pages.py OUT [--playground]

    docs/index.md      its sections and links are the site's navigation
    docs/x.md          x.md, its links turned to where their targets are on the site
    examples/x.slang   examples/x.slang.md, the file as it is
    explain/RK0102.md  codes/RK0102.md, and codes/index.md with all of them        site_references.py
    docs/api.md        api.md, each function and class an object that the search knows

A link to another file of the repository leads to the repository. A block of code with a title has it above. Below a
block of commands of which one writes a page of the viewer there is that page, made by that command.
"""

import posixpath
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "src"), str(ROOT / "tests")]

import site_references  # noqa: E402
from kit.text import console_blocks  # noqa: E402
from kit.text.pages import FENCE, TITLE  # noqa: E402

MOVED: Final = {
    "README.md": "index.md",
    "docs": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "examples": "examples/index.md",
    "src/reknit/source/explain": "codes/index.md",
}
PICTURES: Final = (".svg", ".png")
EXPLAIN: Final = "src/reknit/source/explain/"
LANGUAGES: Final = {"accepted": "spvasm", "rejected": "spvasm", "outcomes": "text", "stops": "text", "sh": "bash"}
LINK: Final = re.compile(
    r"(?P<literal>^#.*$|`[^`\n]*`)|(?P<opening>!?\[[^\]]*\]\()(?P<target>[^)#\s]*)(?P<rest>(?:#[^)\s]*)?\))"
    r"|(?<![\w-])(?P<code>RK\d{4}|E\d{5})(?![\w-])",
    re.MULTILINE,
)
WRITES: Final = re.compile(r"(?:^|\s)(?:-o|--explore|--report)\s+(\S+\.html)\b")
ENTRY: Final = re.compile(r"^- \[([^\]]+)\]\(([^)#]+)\)", re.MULTILINE)


def lay_out(pages: Path, playground: bool) -> None:
    """Write all pages into a folder, with what the viewer's commands make in `_extra`."""
    theme = ROOT / "tools" / "docs_theme"
    (pages / "_static").mkdir(parents=True)
    (pages / "_extra").mkdir()
    shutil.copy(theme / "conf.py", pages)
    for name in ("reknit.css", "reknit.js"):
        shutil.copy(theme / name, pages / "_static")
    for source in sources():
        target = pages / place(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / source).read_text(encoding="utf-8")
        target.write_text(on_site(source, text, live(source, text, pages / "_extra")), encoding="utf-8")
    for path in sorted((ROOT / "docs").rglob("*")):
        if path.suffix in PICTURES:
            copy = pages / path.relative_to(ROOT / "docs")
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    for name, text in site_references.pages(playground).items():
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text(text, encoding="utf-8")


def sources() -> list[str]:
    """The repository's pages that are on the site, as paths from its root."""
    docs = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
    codes = [f"{EXPLAIN}{code}.md" for code in sorted(site_references.all_codes())]
    return [*docs, "CONTRIBUTING.md", "CHANGELOG.md", *codes]


def place(path: str) -> str:
    """Where a file of the repository is on the site; "" if it isn't."""
    if path in MOVED:
        return MOVED[path]
    if path.startswith(EXPLAIN):
        return f"codes/{path.removeprefix(EXPLAIN)}"
    if path.startswith("examples/") and path.removeprefix("examples/") in site_references.examples():
        return f"{path}.md"
    on_site = path.startswith("docs/") and path.endswith((".md", *PICTURES))
    return path.removeprefix("docs/") if on_site else ""


def repository() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["urls"]["Repository"])


def on_site(source: str, text: str, embedded: dict[int, str]) -> str:
    """A page's text with links, blocks and codes as the site has them; `embedded` is what follows a block."""
    parts: list[str] = []
    at = 0
    for number, match in enumerate(FENCE.finditer(text)):
        parts.append(outside_of_code(source, text[at : match.start()]))
        parts.append(fence(match["ticks"], match["info"], match["code"]))
        parts.append(embedded.get(number, ""))
        at = match.end()
    parts.append(outside_of_code(source, text[at:]))
    page = "".join(parts)
    if source == "docs/api.md":
        page = site_references.objects(page)
    if source == "docs/index.md":
        page += "".join(navigation(text))
    if source.startswith(EXPLAIN):
        page = f"---\norphan: true\n---\n\n[All codes](index.md)\n\n{page}"
    return page


def outside_of_code(source: str, text: str) -> str:
    def turned(match: re.Match[str]) -> str:
        if match["literal"] is not None:
            return match[0]
        if (code := match["code"]) is not None:
            known = code in site_references.all_codes() and not source.endswith(f"/{code}.md")
            return f"[{code}]({relative(source, f'codes/{code}.md')})" if known else str(code)
        return f"{match['opening']}{moved(source, match['target'])}{match['rest']}"

    return LINK.sub(turned, text)


def moved(source: str, target: str) -> str:
    """A link's target from where its page is on the site."""
    if not target or "://" in target:
        return target
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
    there = place(path)
    return relative(source, there) if there else f"{repository()}/blob/main/{path}"


def relative(source: str, there: str) -> str:
    return posixpath.relpath(there, posixpath.dirname(place(source)) or ".")


def fence(ticks: str, info: str, code: str) -> str:
    """A block in a language that the site can colour, under its title where it has one."""
    word = info.split(" ", 1)[0]
    language = LANGUAGES.get(word, word)
    title = TITLE.search(info)
    if title is not None:
        return f"{ticks}{{code-block}} {language}\n:caption: {title[1]}\n\n{code}{ticks}\n"
    return f"{ticks}{language}\n{code}{ticks}\n"


def live(source: str, text: str, folder: Path) -> dict[int, str]:
    """The viewer's pages that a page's commands write, as what follows each block, by its number."""
    found: dict[int, str] = {}
    steps = console_blocks.blocks(text)
    if not any(WRITES.search(step.command) for block in steps for step in block):
        return found
    (folder / "live").mkdir(exist_ok=True)
    numbers = [number for number, match in enumerate(FENCE.finditer(text)) if match["info"] == "console"]
    with tempfile.TemporaryDirectory() as name:
        where = Path(name)
        console_blocks.furnish(where)
        for number, block in zip(numbers, steps, strict=True):
            for step in block:
                step.run(where)
                for page in WRITES.findall(step.command):
                    address = f"live/{Path(source).stem}-{page}"
                    shutil.move(where / page, folder / address)
                    found[number] = found.get(number, "") + embed(source, address, step.command)
    return found


def embed(source: str, address: str, command: str) -> str:
    link = relative(source, address)
    frame = f'<iframe src="{link}" loading="lazy" title="{escape(command)}"></iframe>'
    return (
        f'\n```{{raw}} html\n<figure class="viewer">{frame}\n'
        f'<figcaption>What that command wrote. <a href="{link}">The page by itself</a></figcaption></figure>\n```\n\n'
    )


def navigation(text: str) -> Iterator[str]:
    """A hidden table of contents for each section of docs/index.md."""
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        entries = [(title, moved("docs/index.md", target)) for title, target in ENTRY.findall(section)]
        lines = [f"{title} <{target.removesuffix('.md')}>" for title, target in entries]
        yield "\n```{toctree}\n:hidden:\n:caption: " + section.split("\n", 1)[0] + "\n\n" + "\n".join(lines) + "\n```\n"


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]), "--playground" in sys.argv[2:])
