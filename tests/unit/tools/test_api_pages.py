"""The page of the API is what the tool writes today, with every name, its signature and its text."""

import api_pages
import pytest

import reknit
from reknit import edit

pytestmark = pytest.mark.once


def test_the_page_is_what_is_written_today() -> None:
    assert api_pages.PAGE.read_text(encoding="utf-8") == api_pages.page()


def test_every_name_has_its_section_and_every_function_a_text() -> None:
    sections = {part.splitlines()[0]: part for part in api_pages.page().split("\n### ")[1:]}
    assert list(sections) and set(sections) == {*reknit.__all__, *edit.__all__}
    for name in reknit.__all__:
        assert len(sections[name].strip().splitlines()) > 2, f"{name} has no text"


def test_a_docstring_becomes_markdown() -> None:
    text = "One.\n\n    a(b)\n\nTwo:\n\n>>> 1 + 1\n2\n\nThree."
    assert api_pages.marked_up(text) == [
        "One.", "", "```text", "a(b)", "```", "", "Two:", "", "```pycon", ">>> 1 + 1", "2", "```", "", "Three.",
    ]  # fmt: skip
