"""The pages that show commands: what they print is what the page says."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from kit import ROOT
from kit.text import pages
from kit.text.console_blocks import blocks, furnish, run

from reknit.cli.commands import COMMANDS

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


PYTHON = [(page, code) for page in pages.PAGES for code in pages.of_language(page.read_text(), "python")]
PRINTS = [(page, code) for page, code in PYTHON if "print(" in code]


@pytest.mark.parametrize("page, code", PRINTS, ids=lambda value: name_of(value) if isinstance(value, Path) else "")
def test_python_prints_what_its_comments_say(page: Path, code: str, tmp_path: Path) -> None:
    furnish(tmp_path)
    expected = re.findall(r"^print\(.*\)\s+# (.*)$", code, re.MULTILINE)
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == expected
    assert expected


SETTINGS = [(page, code) for page in pages.PAGES for code in pages.of_language(page.read_text(), "yaml")]


@pytest.mark.parametrize("page, code", SETTINGS, ids=lambda value: name_of(value) if isinstance(value, Path) else "")
def test_workflows_on_pages(page: Path, code: str) -> None:
    """They are YAML, run commands that there are, and name this project's hook and the inputs of its action."""
    text = yaml.safe_load(code)
    steps = [step for job in text.get("jobs", {}).values() for step in job["steps"]]
    for step in steps:
        words = step.get("run", "").split()
        assert words[:1] != ["reknit"] or words[1] in COMMANDS
        if step.get("uses", "").startswith("reknit/"):
            action = yaml.safe_load((ROOT / "action.yml").read_text())
            assert set(step["with"]) <= set(action["inputs"])
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert {hook["id"] for repository in text.get("repos", []) for hook in repository["hooks"]} <= hooks
    assert steps or "repos" in text


@pytest.mark.parametrize("page", pages.PAGES, ids=name_of)
def test_settings_on_pages_are_toml(page: Path) -> None:
    for code in pages.of_language(page.read_text(), "toml"):
        assert tomllib.loads(code)


def test_the_guide_names_files_that_there_are() -> None:
    named = re.findall(r"`((?:src|tests|tools|docs)/[\w./-]+)`", (ROOT / "CONTRIBUTING.md").read_text())
    made_there = ["src/reknit/passes/values/sink_loads.py", "tests/unit/passes/documents/sink-loads.md"]  # as examples
    missing = [path for path in named if not (ROOT / path).exists()]
    assert missing == [*made_there, "src/reknit/source/explain/RK1234.md"]
