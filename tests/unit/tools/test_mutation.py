"""Each fault changes one thing, and nothing that a test can't see is changed."""

import ast
from pathlib import Path

import pytest
from mutation import mutants_of, planted

pytestmark = pytest.mark.once

BEFORE = '''\
"""A page."""
LIMIT = 3


def clamp(value: int, most: int = 7) -> int:
    """At most."""
    assert value >= 0
    if not most and value < 1:
        raise ValueError(f"{value + 1}")
    if most >= 0:
        note(most)
    while value > most:
        value -= most
        continue
    note(value)
    column = room(capacity=2 * value)
    return value + 1
'''
FAULTS = [
    ("if not most and value < 1:", "if not most or value < 1:"),
    ("if not most and value < 1:", "if not most and value <= 1:"),
    ("if not most and value < 1:", "if not most and value < 2:"),
    ("if most >= 0:", "if most < 0:"),
    ("note(most)", "pass"),
    ("while value > most:", "while value >= most:"),
    ("value -= most", "value += most"),
    ("value -= most", "pass"),
    ("continue", "break"),
    ("note(value)", "pass"),
    ("return value + 1", "return value - 1"),
    ("return value + 1", "return value + 2"),
]


def test_one_line_changes_a_fault() -> None:
    lines = ast.unparse(ast.parse(BEFORE)).splitlines()
    found: list[tuple[str, str]] = []
    for mutant in mutants_of(Path("a.py"), BEFORE):
        after = planted(BEFORE, mutant.number).splitlines()
        changed = [(old.strip(), new.strip()) for old, new in zip(lines, after, strict=True) if old != new]
        assert len(changed) == 1 and BEFORE.splitlines()[mutant.line - 1].strip() == changed[0][0]
        found += changed
    assert sorted(found) == sorted(FAULTS)
