"""The pages that show Python: each statement prints what the page says."""

from pathlib import Path

import pytest
from kit.text import pages
from kit.text.python_blocks import BLOCK, printed

pytestmark = pytest.mark.once

PAGES = [page for page in pages.PAGES if BLOCK.search(page.read_text())]


def test_some_pages_show_python() -> None:
    assert {page.name for page in PAGES} >= {"api.md", "edit.md", "first-pass.md"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_statements_print_what_the_page_says(page: Path) -> None:
    for example, output in printed(page.read_text(encoding="utf-8")):
        raised = f"Traceback (most recent call last):\n    ...\n{example.exc_msg}"
        assert output == (example.want if example.exc_msg is None else raised), example.source
