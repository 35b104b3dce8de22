"""The pages of Slang's codes of tokens and syntax: what fails there gets that code, what passes does not."""

import pytest
from kit.text.explain_pages import examples

from reknit.front.slang.options import Options
from reknit.front.slang.parse.file import parse_file
from reknit.source import explain

OTHERS = {"E30102", "E39999"}  # of the parser too, with other numbers
CHECKED = {"E29100"}  # of the checker, with such a number
PAGES = [code for code in explain.codes() if code.startswith(("E1", "E2")) and code not in CHECKED or code in OTHERS]


def told(text: str) -> list[str]:
    _, reports = parse_file("page.slang", text, Options(files={"page.slang": text}))
    return [one.code for one in reports.diagnostics]


def test_there_are_pages() -> None:
    assert len(PAGES) >= 55


@pytest.mark.parametrize("code", PAGES)
def test_what_fails_there_gets_the_code(code: str) -> None:
    """Nothing else is said before it; what a broken literal swallowed may be missed after it."""
    assert [one for one in told(examples(code, "slang")[0]) if one == code or one != "E10002"][0] == code


@pytest.mark.parametrize("code", PAGES)
def test_what_passes_there_is_sound(code: str) -> None:
    assert told(examples(code, "slang")[1]) == []
