"""The pages that show commands: what they print is what the page says."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from kit import ROOT
from kit.text import pages
from kit.text.console_blocks import blocks, furnish, run

pytestmark = pytest.mark.once

WITH_BLOCKS = [page for page in pages.PAGES if blocks(page.read_text())]
OUTSIDE_HOSTS = {"github.com", "pre-commit.com", "shader-slang.org"}


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def test_some_pages_show_commands() -> None:
    assert {page.name for page in WITH_BLOCKS} >= {"README.md", "getting-started.md", "examples.md"}


@pytest.mark.parametrize("page", WITH_BLOCKS, ids=name_of)
def test_commands_print_what_the_page_says(page: Path, tmp_path: Path) -> None:
    furnish(tmp_path)
    for step in [step for block in blocks(page.read_text()) for step in block]:
        assert step.run(tmp_path) == step.output, step.command


@pytest.mark.parametrize("page", pages.PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    for link, anchor in pages.links(page.read_text()):
        if "://" not in link:
            target = page.parent / link if link else page
            assert target.exists(), link
            assert not anchor or anchor in pages.anchors(target.read_text()), f"{link}#{anchor}"


def test_addresses_outside_are_few_and_known() -> None:
    """Nothing here asks the network: a new address is looked at by a person, and listed."""
    links = {link for page in pages.PAGES for link, _ in pages.links(page.read_text()) if "://" in link}
    assert {urlsplit(link).netloc for link in links} == OUTSIDE_HOSTS


def test_the_picture_in_the_readme_is_what_show_draws(tmp_path: Path) -> None:
    picture = tmp_path / "a.svg"
    assert run(f"reknit show {ROOT / 'examples' / 'fallthrough.spvasm'} -o {picture}", tmp_path) == ""
    assert picture.read_text() == (ROOT / "docs" / "fallthrough.svg").read_text()


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "docs" / "getting-started.md"], ids=lambda page: page.name)
def test_python_prints_what_its_comments_say(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for code in re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        expected = re.findall(r"^print\(.*\)\s+# (.*)$", code, re.MULTILINE)
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stdout.splitlines() == expected
        assert expected
