"""Whether the text of the output buffers is the expected one.

    x.slang.expected.txt     line by line; below "type: float" and the like numbers may differ by 1 in 5,000 or so
    filecheck-buffer=BUF     by the checks in the test's own source

What the text has after its expected lines doesn't count.
"""

from pathlib import Path

from slang_tests.directives import Directive, read_source
from slang_tests.filecheck import mismatch
from slang_tests.output import REAL

TOLERANCE = 0.0001
SMALLEST = 2.2250738585072014e-308


def expected_file(path: Path, number: int) -> Path | None:
    """The file beside a test that holds its output: one for the test of that number, else for all the file's."""
    names = [f"{path.name}.{number}.expected.txt"] if number else []
    for name in (*names, f"{path.name}.expected.txt"):
        if path.with_name(name).exists():
            return path.with_name(name)
    return None


def has_expected(path: Path, directive: Directive) -> bool:
    return "filecheck-buffer" in directive.options or expected_file(path, directive.number) is not None


def difference(path: Path, source: str, directive: Directive, lines: list[str]) -> str | None:
    """None where `lines` are what the test expects."""
    prefix = directive.options.get("filecheck-buffer")
    if prefix is not None:
        return mismatch(source, prefix, "\n".join(lines) + "\n")
    file = expected_file(path, directive.number)
    assert file is not None
    return compare(lines, read_source(file).rstrip().splitlines())


def compare(actual: list[str], wanted: list[str]) -> str | None:
    if len(actual) < len(wanted):
        return f"{len(actual)} lines where {len(wanted)} are expected"
    type = ""
    for at, (mine, other) in enumerate(zip(actual, wanted, strict=False), 1):
        mine, other = mine.strip(), other.strip()
        if mine.startswith("type:"):
            type = mine.removeprefix("type:").strip()
        if not (mine == other or (type in REAL and not mine.startswith("type:") and close(mine, other))):
            return f"line {at} is {mine}, expected {other}"
    return None


def close(mine: str, other: str) -> bool:
    a, b = number(mine), number(other)
    if a == b:
        return True
    total = abs(a) + abs(b)
    if a == 0 or b == 0 or total < SMALLEST:
        return abs(a - b) < TOLERANCE * SMALLEST
    return abs(a - b) < TOLERANCE * total


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
