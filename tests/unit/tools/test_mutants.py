"""The job of mutants: every room has an area, and nothing is left out of what is counted."""

from pathlib import Path

import mutants
import pytest
from mutant_areas import AREAS
from mutants import Measured, nearest, table_of
from mutation import Mutant

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / "src" / "reknit"
GENERATED = {"ir/op.py", "ir/enums.py", "ir/opcodes.py", "spirv/rules/catalog.py"}
ALONE = {"__main__.py"}


def test_each_source_belongs_to_one_area() -> None:
    """Rules are of their own area, and those that are data are of none."""
    found: dict[str, list[str]] = {}
    for area, (patterns, _) in AREAS.items():
        for path in mutants._sources(patterns):
            found.setdefault(str(path.relative_to("reknit")), []).append(area)
    names = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.py") if path.name != "__init__.py"}
    assert set(found) == names - GENERATED - ALONE
    assert {name: areas for name, areas in found.items() if len(areas) != 1} == {}


def test_the_nearest_tests_are_there() -> None:
    for _, tests in AREAS.values():
        for test in tests:
            name, _, function = test.removeprefix("!").partition("::")
            assert (ROOT / name).exists(), test
            assert not function or f"def {function}(" in (ROOT / name).read_text(), test


def test_quick_tests_and_special_ones_in_turns() -> None:
    """`slow` reaches few lines; it fits in 6 seconds together with the quickest, and alone in no time at all."""
    seconds = {"quick": 0.5, "wide": 1.0, "slow": 5.0}
    lines = {"quick": 100, "wide": 200, "slow": 3}
    assert list(nearest(list(seconds), seconds, lines, 60)) == ["quick", "slow", "wide"]
    assert list(nearest(list(seconds), seconds, lines, 6)) == ["quick", "slow"]
    assert list(nearest(list(seconds), seconds, lines, 2)) == ["quick", "wide"]
    assert list(nearest(["slow"], seconds, lines, 0)) == ["slow"]
    assert nearest(["slow"], seconds, lines, 0) == {"slow": 5.0 * mutants.SLOWER + mutants.GRACE}


def test_tests_of_the_lines_around_in_turns() -> None:
    """The line that one test reaches comes before the line that two do."""
    seconds = {"quick": 0.5, "wide": 1.0, "late": 2.0, "last": 3.0}
    lines = {"quick": 1, "wide": 2, "late": 3, "last": 4}
    assert list(nearest(list(seconds), seconds, lines, 60)) == ["quick", "wide", "late", "last"]
    around = [["wide", "late"], ["last", "elsewhere"]]
    assert list(nearest(list(seconds), seconds, lines, 60, around)) == ["quick", "last", "wide", "late"]


TEXT = """\
def f(a):
    if (
        a
        < 1
    ):
        return g(
            a,
            1,
        )
    return 2
"""


def test_a_later_line_of_a_statement_is_reached_with_it() -> None:
    """Line 4 has no code of its own. Line 8 is of the `return` in line 6, which no test reaches, not of the `if`."""
    starts = mutants._starts(TEXT)
    assert [starts[line] for line in (2, 3, 4, 5, 6, 7, 8, 9, 10)] == [2, 2, 2, 2, 6, 6, 6, 6, 10]
    measured = Measured({"a.py:2": ["t1"], "a.py:3": ["t1", "t2"]}, {"t1": 1, "t2": 1})

    def reaching(line: int) -> list[str]:
        return mutants._reaching(Mutant(Path("a.py"), 0, line, "", ""), measured, starts)

    assert reaching(3) == ["t1", "t2"] and reaching(4) == ["t1"] and reaching(8) == []


def test_what_no_test_kills_is_counted() -> None:
    everything = [Mutant(Path("reknit/sim/a.py"), n, n, "", "") for n in range(10)]
    everything += [Mutant(Path("reknit/sim/ops/b.py"), n, n, "", "") for n in range(10)]
    chosen = everything[:4] + everything[10:16]
    killed = {*everything[:3], everything[10]}
    # (3 + 2) / (4 + 4) = 0.625 ± 1.96 sqrt(0.625 * 0.375 / 8) = 0.335; 3/10 ± 0.284; (4 + 2) / 14 = 0.4286 ± 0.259
    assert table_of("sim", everything, chosen, killed).splitlines()[2:] == [
        "| sim | 10 | 4 | 3 | 75 % ± 34 |",
        "| sim/ops | 10 | 6 | 1 | 17 % ± 28 |",
        "| **sim** | 20 | 10 | 4 | 40 % ± 26 |",
    ]


def test_what_imports_alone_reach() -> None:
    """Line 1 is executed when the module is imported; the tests of the file's other lines are asked for it."""
    measured = Measured({"a.py:1": [], "a.py:5": ["t2", "t1"], "b.py:1": ["t3"]}, {"t1": 1, "t2": 1, "t3": 1})
    assert measured.is_imported(Mutant(Path("a.py"), 0, 1, "", ""))
    assert not measured.is_imported(Mutant(Path("a.py"), 0, 5, "", ""))
    assert not measured.is_imported(Mutant(Path("a.py"), 0, 9, "", ""))  # nothing executes it
    assert measured.of_file(Path("a.py")) == ["t1", "t2"]
