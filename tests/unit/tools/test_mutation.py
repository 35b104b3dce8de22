"""Each fault changes one thing, and nothing that a test can't see is changed."""

import ast
from pathlib import Path
from typing import Any

import pytest
from mutation import mutants_of, planted, replace_code

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


def test_a_loaded_function_gets_the_code_of_another_text(tmp_path: Path) -> None:
    """Methods, what a property calls, and what refers to its class by super(); one that was imported by name, too."""
    before = """class Base:
    def count(self):
        return 1

class Above(Base):
    def count(self):
        self.seen = super().count()
        return 2
    @property
    def many(self):
        return [each + 1 for each in (1, 2)]

def first(low):
    return low < 1

def made(by):
    other = by * 2
    return lambda x: x + by, lambda: other < 7
made_before = made(3)

def noted(many):
    print(max(each for each in many))
    return len([each for each in many]), (lambda: many[0] < 5)
"""
    place = tmp_path / "loaded_and_replaced.py"
    place.write_text(before)
    names: dict[str, Any] = {}
    exec(compile(before, str(place), "exec"), names)
    first, above = names["first"], names["Above"]()
    assert (above.count(), above.seen, above.many, first(1)) == (2, 1, [2, 3], False)
    add, small = names["made_before"]
    assert (add(4), small()) == (7, True)
    first_is_small = names["noted"]([4, 5])[1]
    assert first_is_small()
    after = before.replace("low <", "low <=").replace("self.seen = super().count()", "pass").replace("each +", "each -")
    after = after.replace("x + by", "x - by").replace("other < 7", "other < 6")
    after = after.replace("print(max(each for each in many))", "pass").replace("many[0] < 5", "many[0] < 4")
    replace_code(str(place), before, after)
    above.seen = 0
    assert (above.count(), above.seen, above.many, first(1)) == (2, 0, [0, 1], True)
    assert (add(4), small()) == (1, False)
    assert not first_is_small()
