"""A pattern does what `re.compile` gives does, and is compiled when it is first asked."""

import re

import pytest

from reknit.source.pattern import METHODS, pattern


@pytest.mark.parametrize("method", METHODS)
def test_each_method_is_that_of_the_compiled_expression(method: str) -> None:
    text, flags = r"([a-c])|x", re.IGNORECASE
    arguments = ("<>", "B1x") if method == "sub" else ("B1x",)
    lazy = getattr(pattern(text, flags), method)(*arguments)
    plain = getattr(re.compile(text, flags), method)(*arguments)
    if method == "finditer":
        lazy, plain = [str(match) for match in lazy], [str(match) for match in plain]
    assert str(lazy) == str(plain)


def test_nothing_is_compiled_before_it_is_used() -> None:
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.match("a")
    with pytest.raises(AttributeError):
        getattr(pattern("a"), "no_such_method")  # noqa: B009
