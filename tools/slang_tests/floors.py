"""How many tests of each folder must pass: what others' tests found once must not go wrong again.

    {"tests/compute": 312}      a file of counts; none of the tests themselves is kept
"""

import json
from collections import Counter
from pathlib import Path

from slang_tests.pool import Outcome
from slang_tests.report import folder_of

DEPTH = 3


def passed(outcomes: list[Outcome]) -> Counter[str]:
    return Counter(folder_of(outcome.test, DEPTH) for outcome in outcomes if outcome.status == "pass")


def below(outcomes: list[Outcome], floors: dict[str, int]) -> list[str]:
    """A line for each folder that was run and passes fewer than its floor."""
    counts = passed(outcomes)
    ran = {folder_of(outcome.test, DEPTH) for outcome in outcomes}
    return [
        f"{folder}: {counts[folder]} passed, the floor is {floor}"
        for folder, floor in sorted(floors.items())
        if folder in ran and counts[folder] < floor
    ]


def judged_by(outcomes: list[Outcome], file: Path | None) -> int:
    """The exit code. Without a file of floors, no test may fail."""
    if file is None:
        return 1 if any(outcome.status == "fail" for outcome in outcomes) else 0
    lines = below(outcomes, json.loads(file.read_text()))
    if lines:
        print("\nbelow the floor:\n" + "\n".join(lines))
    return 1 if lines else 0
