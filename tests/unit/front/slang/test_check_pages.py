"""The pages of the checker's codes: what fails there gets that code and no other, what passes gets none."""

import pytest
from kit.text.explain_pages import examples
from kit.text.slang_checks import OPTIONS, PAGES, run, said

from reknit.front.slang.lexer import lex
from reknit.front.slang.report import Reports
from reknit.front.slang.sources import Sources, position


def test_there_are_pages() -> None:
    assert len(PAGES) >= 60


@pytest.mark.parametrize("code", PAGES)
def test_what_fails_there_gets_the_code(code: str) -> None:
    found = said(examples(code, "slang")[0], OPTIONS.get(code))
    assert [one.removeprefix("W ").split()[0] for one in found] == [code]


@pytest.mark.parametrize("code", PAGES)
def test_what_passes_there_is_sound(code: str) -> None:
    assert said(examples(code, "slang")[1], OPTIONS.get(code)) == []


@pytest.mark.parametrize("code", [code for code in PAGES if code != "E29100"])  # of SPIR-V's words, in its block
def test_what_is_underlined_is_whole_tokens(code: str) -> None:
    """A message points at the first character of a token, or underlines some from the first to the last."""
    text = examples(code, "slang")[0]
    tokens = lex(text, 0, Reports(Sources()))
    names = dict(zip(tokens.ats, tokens.texts, strict=True))
    ends = {at + len(name) for at, name in names.items()}
    _, reports = run(text, OPTIONS.get(code))
    for one in reports.diagnostics:
        assert one.place is not None
        at = position(0, one.place.line, one.place.column)
        assert at in names
        assert one.place.length == 1 or at + one.place.length in ends
