"""The web site before Sphinx reads it: navigation, links, codes, pages of the viewer; and the check of its links."""

import posixpath
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest
import site_links
import site_pages
import site_references
from kit import ROOT
from kit.text import pages

from reknit.source import explain

pytestmark = pytest.mark.once

INDEX: Final = (ROOT / "docs" / "index.md").read_text()
MADE: Final = site_references.pages()


@pytest.fixture(scope="module")
def site() -> dict[str, str]:
    """Each page of the site, without what commands write, by its place."""
    texts = {source: (ROOT / source).read_text() for source in site_pages.sources()}
    return {site_pages.place(source): site_pages.on_site(source, text, {}) for source, text in texts.items()} | MADE


def test_every_page_is_in_the_navigation_once() -> None:
    entries = [posixpath.normpath(f"docs/{target}") for _, target in site_pages.ENTRY.findall(INDEX)]
    docs = [page.relative_to(ROOT).as_posix() for page in pages.DOCS if page.name != "index.md"]
    assert sorted(entries) == sorted([*docs, "CONTRIBUTING.md", "CHANGELOG.md", "src/reknit/source/explain"])


def test_every_section_of_the_start_page_is_a_table_of_contents() -> None:
    text = "# T\n\n## One\n\n- [A](a.md): x\n- [B](../CHANGELOG.md)\n\n## Two\n\n- [C](b/c.md)\n"
    tables = list(site_pages.navigation(text))
    assert [table.strip().splitlines()[2:] for table in tables] == [
        [":caption: One", "", "A <a>", "B <changes>", "```"],
        [":caption: Two", "", "C <b/c>", "```"],
    ]


def test_links_of_the_site_lead_to_its_pages(site: dict[str, str]) -> None:
    """And to headings that there are; Sphinx looks again when the site is built."""
    pictures = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.*")}
    wrong = []
    for name, text in site.items():
        for link, anchor in pages.links(text):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), link)) if link else name
            if "://" in link or target in pictures and target not in site:
                continue
            if target not in site or anchor and anchor not in pages.anchors(site[target]):
                wrong.append(f"{name}: {link}#{anchor}")
    assert wrong == []


def test_where_files_of_the_repository_are() -> None:
    assert site_pages.place("docs/lint.md") == "lint.md"
    assert site_pages.place("src/reknit/source/explain/RK0612.md") == "codes/RK0612.md"
    assert site_pages.place("examples/fallthrough.comp") == "examples/fallthrough.comp.md"
    assert site_pages.place("examples/reknit.ipynb") == site_pages.place("tools/demo.py") == ""


def test_links_codes_and_titles_of_a_page() -> None:
    text = (
        "# RK0612 here\n[a](../README.md) [b](lint.md#x) [c](../tools/demo.py) "
        "![d](pictures/e.svg) `RK0612` RK0612, RK9999\n"
        '```slang title="f.slang"\nRK0612\n```\n[two\nlines](../examples/waterfall.comp)\n'
    )
    assert site_pages.on_site("docs/cli.md", text, {0: "LIVE\n"}) == (
        f"# RK0612 here\n[a](index.md) [b](lint.md#x) [c]({site_pages.repository()}/blob/main/tools/demo.py) "
        "![d](pictures/e.svg) `RK0612` [RK0612](codes/RK0612.md), RK9999\n"
        "```{code-block} slang\n:caption: f.slang\n\nRK0612\n```\nLIVE\n[two\nlines](examples/waterfall.comp.md)\n"
    )


def test_a_page_of_the_viewer_is_below_the_command_that_writes_it(tmp_path: Path) -> None:
    shown = "```console\n$ reknit show examples/stairs.rk -o g.html\n```\n"
    text = f"```text\nx\n```\n{shown}```console\n$ reknit doctor\n```\n"
    found = site_pages.live("docs/page.md", text, tmp_path)
    assert list(found) == [1]
    assert 'src="live/page-g.html"' in found[1]
    assert "<html" in (tmp_path / "live" / "page-g.html").read_text()[:200]
    assert site_pages.live("docs/page.md", text.replace("-o g.html", ""), tmp_path) == {}


def test_a_page_of_the_viewer_that_no_command_writes(tmp_path: Path) -> None:
    text = "```console\n$ reknit show examples/none.rk -o g.html\n```\n"
    with pytest.raises(FileNotFoundError, match="g.html"):
        site_pages.live("docs/page.md", text, tmp_path)


def test_every_code_has_a_row_in_its_family() -> None:
    page = MADE["codes/index.md"]
    assert [code for code in explain.codes() if f"| [{code}]({code}.md) | {explain.title(code)}" not in page] == []
    assert "| [RK0605](RK0605.md) | a merge block of two headers (rule B05) |" in page


def test_an_example_opens_in_the_playground_where_there_is_one() -> None:
    opened = site_references.pages(playground=True)
    assert 'href="../playground/index.html#example=shapes.slang"' in opened["examples/shapes.slang.md"]
    assert "playground" not in opened["examples/fallthrough.comp.md"]
    assert "playground" not in MADE["examples/shapes.slang.md"]


def test_signatures_are_objects_that_the_search_knows() -> None:
    run = "### run\n\n```python\nrun(\n    x: int,\n    y: str='',\n) -> Result\n```\n"
    text = f"## a.b\n\n{run}\nText.\n\n### Kind\n\n```python\nKind()\n```\n"
    assert site_references.objects(text) == (
        "## a.b\n\n### run\n\n````{py:function} run(x: int, y: str='') -> Result\n:module: a.b\n````\n"
        "\nText.\n\n"
        "### Kind\n\n````{py:class} Kind()\n:module: a.b\n````\n"
    )


def test_links_of_built_pages(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "a.html").write_text(
        '<p id="x"></p><a href="#x"></a><a href="#y"></a><a href="b/c.html#z"></a><a href="b/"></a><img src="no.png">'
        '<a href="https://reknit.example/a"></a><a href="b/c.html#example=y"></a>'
    )
    (tmp_path / "b" / "c.html").write_text('<a name="z" href="../a.html#x"></a><iframe src="../d.html"></iframe>')
    assert site_links.broken(tmp_path) == [
        "a.html: #y: there is no such place in it",
        "a.html: b/: there is no such file",
        "a.html: no.png: there is no such file",
        "b/c.html: ../d.html: there is no such file",
    ]
    assert site_links.outside(tmp_path) == {"https://reknit.example/a": ["a.html"]}


@pytest.mark.full
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    """Takes a minute, and Sphinx from the package index."""
    command = [sys.executable, str(ROOT / "tools" / "docs_site.py"), str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "index.html").exists()
