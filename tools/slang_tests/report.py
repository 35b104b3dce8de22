"""Outcomes as tables and as JSON.

folder               pass  fail  unsupported      reasons, most frequent first
language-feature       31     2            9      4  RK5012: ...   first: tests/x.slang
"""

import json
from collections import Counter
from pathlib import Path

from slang_tests.pool import Outcome

STATUSES = ("pass", "fail", "unsupported")


def folder_of(test: str, depth: int) -> str:
    return "/".join(test.split("/")[:-1][:depth]) or "."


def table(outcomes: list[Outcome], depth: int = 3) -> str:
    """How many of each folder passed."""
    counts: dict[str, Counter[str]] = {}
    for outcome in outcomes:
        counts.setdefault(folder_of(outcome.test, depth), Counter())[outcome.status] += 1
    counts["all"] = Counter(outcome.status for outcome in outcomes)
    width = max(len(folder) for folder in counts)
    lines = [f"{'folder':{width}}" + "".join(f"{status:>13}" for status in STATUSES)]
    for folder, count in counts.items():
        lines.append(f"{folder:{width}}" + "".join(f"{count[status]:13}" for status in STATUSES))
    return "\n".join(lines)


def reasons(outcomes: list[Outcome]) -> str:
    """What failed and what isn't supported, grouped."""
    lines: list[str] = []
    for status in ("fail", "unsupported"):
        groups: dict[str, list[str]] = {}
        for outcome in outcomes:
            if outcome.status == status:
                groups.setdefault(outcome.reason, []).append(outcome.test)
        if groups:
            lines.append(f"\n{status}:")
        for reason, tests in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
            lines.append(f"{len(tests):5}  {reason}   (first: {tests[0]})")
    return "\n".join(lines)


def write_json(path: Path, outcomes: list[Outcome], skipped: dict[str, str]) -> None:
    found = {
        "counts": {status: sum(outcome.status == status for outcome in outcomes) for status in STATUSES},
        "tests": [
            {"test": outcome.test, "status": outcome.status, "reason": outcome.reason, "detail": outcome.detail}
            for outcome in outcomes
        ],
        "skipped": skipped,
    }
    path.write_text(json.dumps(found, indent=1) + "\n")
