"""Lint says something of each fragment shader in which it shows whether helper invocations take part in what groups do
(`kit.random.natural_helpers`)."""

import pytest
from kit.random import natural_helpers
from kit.random.natural_helpers import differs, helped, judged

from reknit.checks.lint.lint import lint_module
from reknit.ir.text.parser import parse

CI = 40
FULL = 2_000


def test_what_helper_invocations_change_is_reported(full: bool) -> None:
    tried, missed, codes = judged(FULL if full else CI)
    print(f"{tried} programs, findings {dict(codes)}")
    assert not missed


def test_what_is_missed_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The net itself: with RK3011 kept back, it shows in programs that lint is silent about."""

    def others(module: object) -> list[object]:
        return [each for each in lint_module(module) if each.code != "RK3011"]  # type: ignore[arg-type]

    monkeypatch.setattr(natural_helpers, "lint_module", others)
    _, missed, _ = judged(10)
    assert missed


def test_programs_are_those_of_their_seeds() -> None:
    assert helped(3).text == helped(3).text != helped(4).text
    parse(helped(3).text)
    assert any(differs(helped(seed)) for seed in range(10))
