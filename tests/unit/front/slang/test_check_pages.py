"""The pages of the checker's codes: what fails there gets that code and no other, what passes gets none."""

import pytest
from kit.text.explain_pages import examples
from kit.text.slang_checks import OPTIONS, PAGES, said


def test_there_are_pages() -> None:
    assert len(PAGES) >= 60


@pytest.mark.parametrize("code", PAGES)
def test_what_fails_there_gets_the_code(code: str) -> None:
    found = said(examples(code, "slang")[0], OPTIONS.get(code))
    assert [one.removeprefix("W ").split()[0] for one in found] == [code]


@pytest.mark.parametrize("code", PAGES)
def test_what_passes_there_is_sound(code: str) -> None:
    assert said(examples(code, "slang")[1], OPTIONS.get(code)) == []
