"""Which failures of a run are equal: by their messages without names and numbers."""

import pytest

from reknit.batching.groups import plain


@pytest.mark.parametrize(
    ("message", "group"),
    [
        ("block '%a' is not dominated by \"b\"", "block _ is not dominated by _"),
        ("%merge has 3 values, 0x20 of them", "_ has _ values, _ of them"),
        ("the archive can't be read: it isn't one", "the archive can't be read: it isn't one"),
        ("it can't be read: not a gzip file (b'\\xdb\\xf3')", "it can't be read: not a gzip file (_)"),
    ],
)
def test_names_and_numbers_are_left_out(message: str, group: str) -> None:
    assert plain(message) == group
