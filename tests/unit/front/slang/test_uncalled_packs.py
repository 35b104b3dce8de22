"""Functions with parameter packs that nothing calls are checked, too."""

import pytest
from kit.text.slang_checks import said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int f<each T>(expand each T v) { return nowhere + 1; }", ["E30015 1:41"]),
        ("int f<each T>(expand each T v) { int x = 1; x = float2(1, 2); return x; }", ["E30019 1:55"]),
        ("struct S { int f<each T>(expand each T v) { return gone(); } }", ["E30015 1:52"]),
        # takes the second of two: wrong with one element only
        ("T second<each T>(expand each T v) where countof(T) == 2 { return __first(__trimFirst(v)); }", []),
        ("int f<each T : IInteger>(expand each T v) { int n = 0; expand n += (each v).toInt(); return n; }", []),
        # what is not supported is said where a function is made of it
        ("int f<each T>(expand each T v) { return fwd_diff(f)(v); }", []),
    ],
)
def test_what_is_wrong_with_every_length(text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_one_that_is_called_is_checked_once() -> None:
    calls = "int g() { return f(1) + f(1, 2); }"
    assert said(f"int f<each T>(expand each T v) {{ return nowhere; }} {calls}") == ["E30015 1:41"]
