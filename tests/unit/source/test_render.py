"""Diagnostics as text: the layout is rustc's, written out by hand (arrow, gutter, carets, note, help)."""

from collections import Counter

from reknit.source.diagnostic import NOTE, WARNING, Diagnostic, Note
from reknit.source.place import Place
from reknit.source.render import render, render_all, summary

SOURCE = {"blur.slang": ["a", "\tfoo(x);", "switch (kind) {", "  bad\x07bell"]}
NO_PAGE = "RK0000"  # has no page to explain it, so no line that points at one


def test_a_diagnostic_with_everything() -> None:
    said = Diagnostic(
        NO_PAGE,
        "this ballot's tangle is implementation-defined",
        Place("blur.slang", 3, 9, 4),
        WARNING,
        [Note("they diverge here", Place("blur.slang", 1, 1)), Note("nothing joins them")],
        "use reconverge",
    )
    assert render(said, SOURCE) == "\n".join(
        [
            "warning[RK0000]: this ballot's tangle is implementation-defined",
            " --> blur.slang:3:9",
            "  |",
            "3 | switch (kind) {",
            "  |         ^^^^",
            "note: they diverge here",
            " --> blur.slang:1:1",
            "  |",
            "1 | a",
            "  | ^",
            "note: nothing joins them",
            "help: use reconverge",
        ]
    )


def test_carets_stand_under_their_words_after_a_tab() -> None:
    lines = render(Diagnostic(NO_PAGE, "m", Place("blur.slang", 2, 2, 3)), SOURCE).split("\n")
    assert lines[3:] == ["2 |     foo(x);", "  |     ^^^"]  # a tab is four columns


def test_carets_stay_within_their_line() -> None:
    lines = render(Diagnostic(NO_PAGE, "m", Place("blur.slang", 1, 1, 50)), SOURCE).split("\n")
    assert lines[-1] == "  | ^"
    lines = render(Diagnostic(NO_PAGE, "m", Place("blur.slang", 1, 90, 5)), SOURCE).split("\n")
    assert lines[-1] == "  |  ^"  # just past the end, where something is missing


def test_control_characters_do_not_reach_the_terminal() -> None:
    assert "\x07" not in render(Diagnostic(NO_PAGE, "m", Place("blur.slang", 4, 1)), SOURCE)


def test_the_gutter_is_as_wide_as_the_longest_line_number() -> None:
    source = {"f": ["x"] * 120}
    said = Diagnostic(NO_PAGE, "m", Place("f", 7, 1), notes=[Note("n", Place("f", 120, 1))])
    lines = render(said, source).split("\n")
    assert lines[1] == "   --> f:7:1"
    assert lines[3] == "  7 | x"
    assert lines[8] == "120 | x"


def test_places_that_can_not_be_quoted_are_named() -> None:
    assert render(Diagnostic(NO_PAGE, "m", Place("a.spv", word=7)), {}) == "error[RK0000]: m\n --> a.spv:word 7"
    assert render(Diagnostic(NO_PAGE, "m", Place("gone", 3, 1)), {}) == "error[RK0000]: m\n --> gone:3:1"
    past_the_end = Place("blur.slang", 99, 1)
    assert render(Diagnostic(NO_PAGE, "m", past_the_end), SOURCE) == "error[RK0000]: m\n  --> blur.slang:99:1"
    assert render(Diagnostic(NO_PAGE, "m"), SOURCE) == "error[RK0000]: m"


def test_a_line_without_a_column_is_underlined_whole() -> None:
    text = render(Diagnostic(NO_PAGE, "m", Place("f", 1, 0)), {"f": ["  a = b;  "]})
    assert text == "error[RK0000]: m\n --> f:1\n  |\n1 |   a = b;  \n  |   ^^^^^^"


def test_the_source_may_be_a_function() -> None:
    assert "1 | line of f" in render(Diagnostic(NO_PAGE, "m", Place("f", 1, 1)), lambda file: [f"line of {file}"])


def test_colour_changes_nothing_but_colour() -> None:
    import re

    said = Diagnostic(NO_PAGE, "m", Place("blur.slang", 3, 9, 4), notes=[Note("n")], help="h")
    coloured = render(said, SOURCE, colour=True)
    assert "\x1b[" in coloured and "\x1b[" not in render(said, SOURCE)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == render(said, SOURCE)


def test_the_summary_counts_by_severity() -> None:
    error, warning, note = (Diagnostic(NO_PAGE, "m", severity=one) for one in ("error", WARNING, NOTE))
    assert summary(Counter(each.severity for each in (warning, error, error, note))) == "2 errors, 1 warning, 1 note"
    assert summary({}) == "no findings"
    assert render_all([], SOURCE) == ""
    assert render_all([error, warning], SOURCE) == "error[RK0000]: m\n\nwarning[RK0000]: m\n\n1 error, 1 warning\n"


def test_of_a_long_line_what_is_around_the_carets_is_quoted() -> None:
    """160 columns of it, the carets 40 after their beginning, and dots where something is left out."""
    source = {"f": ["x" * 1000 + "BAD" + "y" * 1_000_000]}
    lines = render(Diagnostic(NO_PAGE, "m", Place("f", 1, 1001, 3)), source).split("\n")
    assert lines[1] == " --> f:1:1001"
    assert lines[3] == "1 | ..." + "x" * 40 + "BAD" + "y" * 117 + "..."
    assert lines[4] == "  | " + " " * 43 + "^^^"
    at_start = render(Diagnostic(NO_PAGE, "m", Place("f", 1, 1)), source).split("\n")
    assert at_start[3] == "1 | " + "x" * 160 + "..."
    at_end = render(Diagnostic(NO_PAGE, "m", Place("f", 1, 1_001_003)), source).split("\n")
    assert at_end[3] == "1 | ..." + "y" * 160
    assert at_end[4] == "  | " + " " * 162 + "^"
    whole = render(Diagnostic(NO_PAGE, "m", Place("f", 1)), source).split("\n")
    assert whole[4] == "  | " + "^" * 160


def test_a_message_that_quotes_megabytes_is_cut() -> None:
    said = Diagnostic(NO_PAGE, "no name: " + "x" * 1_000_000, notes=[Note("y" * 3000)], help="z" * 3000)
    lines = render(said, {}).split("\n")
    assert lines[0] == "error[RK0000]: no name: " + "x" * 100 + "..." + "x" * 100
    assert lines[1:] == ["note: " + "y" * 100 + "..." + "y" * 100, "help: " + "z" * 100 + "..." + "z" * 100]


def test_a_message_that_is_cut_keeps_its_end() -> None:
    """What is wrong is said behind what is quoted: a word of 5,000 digits, and 3,000 words of a list."""
    number = Diagnostic(NO_PAGE, f"'{'9' * 5000}' is no number")
    assert number.message == "'" + "9" * 99 + "..." + "9" * 99 + "' is no number"
    many = Diagnostic(NO_PAGE, "one two " * 3000 + "are too many")
    assert len(many.message) == 2003 and many.message.startswith("one two ") and many.message.endswith("are too many")
