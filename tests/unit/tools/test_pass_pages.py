"""The page of passes is what the tool writes today, and tells of every pass in the catalog what it does and needs."""

import pass_pages
import pytest

from reknit.passes.catalog import PASSES
from reknit.passes.contract import Pass

pytestmark = pytest.mark.once


def test_the_page_is_what_is_written_today() -> None:
    assert pass_pages.PAGE.read_text(encoding="utf-8") == pass_pages.page()


@pytest.mark.parametrize("transform", PASSES, ids=lambda transform: transform.name)
def test_every_pass_has_its_section(transform: Pass) -> None:
    sections = pass_pages.page().split("\n## ")[1:]
    (found,) = [section for section in sections if section.splitlines()[0] == transform.name]
    assert found.splitlines()[2][1:-1] == transform.summary[1:]
    for fact in (*transform.needs, *transform.gives, *transform.loses):
        assert fact in found
    for option in transform.options:
        assert f"| `{option.name}` | " in found
    assert found.count("```text") >= 1 and found.count("```") % 2 == 0


def test_indented_parts_of_a_text_are_examples() -> None:
    text = "One.\n\n    a\n\n      b\n\nTwo\n    - x\n      y.\n"
    assert pass_pages.marked_up(text) == [
        "One.", "", "```text", "a", "", "  b", "```", "", "Two", "- x", "  y.",
    ]  # fmt: skip
