"""Every diagnostic code that the sources use has its page, and every page its code."""

import re
from pathlib import Path

import pytest
from kit.text.explain_pages import SECTIONS, sections

from reknit.source import explain

ROOT = Path(__file__).resolve().parents[3]
SOURCE = ROOT / "src" / "reknit"
LITERAL = re.compile(r"""["'](RK\d{4}|E\d{5})["']""")


def used() -> set[str]:
    found = {code for file in SOURCE.rglob("*.py") for code in LITERAL.findall(_code(file))}
    return found


def _code(file: Path) -> str:
    """The file without what stands in its docstrings, where a code is an example."""
    return re.sub(r'""".*?"""', "", file.read_text(), flags=re.S)


def test_every_code_has_a_page() -> None:
    assert sorted(code for code in used() - set(explain.codes())) == []


def test_every_page_has_a_code() -> None:
    assert sorted(set(explain.codes()) - used()) == []


def test_the_pages_in_use_are_the_pages_in_the_sources() -> None:
    assert list(explain.codes()) == sorted(file.stem for file in SOURCE.glob("source/explain/*.md"))


@pytest.mark.parametrize("code", sorted(file.stem for file in SOURCE.glob("source/explain/*.md")))
def test_a_page_opens_with_its_code_and_title(code: str) -> None:
    text = explain.page(code)
    assert text is not None
    assert text.startswith(f"# {code}: ")
    assert explain.title(code)


@pytest.mark.parametrize("code", explain.codes())
def test_a_page_has_the_four_sections(code: str) -> None:
    found = sections(code)
    assert list(found) == SECTIONS
    assert all(text.strip() for text in found.values())


def test_what_is_no_code_has_no_page() -> None:
    assert explain.page("RK9999") is None
    assert explain.page("../explain/RK0101") is None
    assert explain.page("__init__") is None
    assert explain.title("RK9999") == ""
