"""The lines of messages/*.slang: each is a source, and says after it what reknit says of it.

    struct A { int x; A y; };    // E41001 1:8        code, line and column; warnings with a W before; or `sound`

Codes and places are those of slangc 2026.14.1, but for pages whose name begins with "own",
which say so.
"""

from pathlib import Path

import pytest
from kit.text import slang_checks

from reknit.front.slang.parse.file import parse_file
from reknit.source.diagnostic import ERROR

PAGES = sorted((Path(__file__).resolve().parent / "messages").glob("*.slang"))
CASES = [
    pytest.param(*line.rsplit("  // ", 1), id=f"{page.stem}-{number}")
    for page in PAGES
    for number, line in enumerate(page.read_text().splitlines(), 1)
    if line and not line.startswith("//")
]


@pytest.mark.parametrize(("source", "expected"), CASES)
def test_what_is_said(source: str, expected: str) -> None:
    assert said(source.replace("\\n", "\n")) == ([] if expected == "sound" else expected.split(", "))


def said(source: str) -> list[str]:
    """Of the parser or, if it found no error, of the checker."""
    _, reports = parse_file("t.slang", source)
    if any(one.severity == ERROR for one in reports.diagnostics):
        return slang_checks.noted(reports)
    return slang_checks.said(source)
