"""How many tests of each folder must pass, and which may fail: what others' tests found once must not go wrong again.

    floors.json      {"tests/compute": 312}                 a count for each folder; none of the tests is kept
    failing.json     {"tests/bugs/x.slang": "why"}          beside it: every test that fails, with the reason

With floors, any other test that fails is an error, and so is one of these that doesn't.
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


def unexpected(outcomes: list[Outcome], failing: dict[str, str]) -> list[str]:
    """A line for each test that fails and isn't known to, and for each that is known to and doesn't."""
    lines: list[str] = []
    for outcome in outcomes:
        if outcome.status == "fail" and outcome.test not in failing:
            lines.append(f"{outcome.test} fails: {outcome.reason}")
        elif outcome.status != "fail" and outcome.test in failing:
            lines.append(f"{outcome.test} no longer fails: take it out of the list")
    return lines


def judged_by(outcomes: list[Outcome], file: Path | None) -> int:
    """The exit code. Without a file of floors, no test may fail."""
    if file is None:
        return 1 if any(outcome.status == "fail" for outcome in outcomes) else 0
    low = below(outcomes, json.loads(file.read_text()))
    known = file.with_name("failing.json")
    other = unexpected(outcomes, json.loads(known.read_text()) if known.exists() else {})
    if low:
        print("\nbelow the floor:\n" + "\n".join(low))
    if other:
        print("\nnot as failing.json says:\n" + "\n".join(other))
    return 1 if low or other else 0
