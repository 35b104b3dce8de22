"""Counts of what became of shaders: by project and stage, and why those that are not valid are not."""

import re
from collections import Counter
from collections.abc import Iterable

from corpus_runs.one import CRASHED, DISAGREES, INVALID, LIMIT, OUT_OF_SCOPE, REFUSED, VALID, Tried

OUTCOMES = (VALID, REFUSED, INVALID, DISAGREES, CRASHED, LIMIT)
Row = tuple[str, str, Tried]
"""(project, language, what was tried)"""


def by_project(rows: Iterable[Row]) -> str:
    """A Markdown table: a line a project, language and stage."""
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    for project, language, tried in rows:
        counts.setdefault((project, language, tried.stage or "any"), Counter())[tried.outcome] += 1
    lines = [
        "| project | read as | stage | in scope | " + " | ".join(OUTCOMES) + " | valid |",
        "|---|---|---|" + "---|" * (len(OUTCOMES) + 2),
    ]
    total: Counter[str] = Counter()
    for (project, language, stage), found in sorted(counts.items()):
        total += found
        lines.append(_line(f"{project} | {language} | {stage}", found))
    lines.append(_line("all | | ", total))
    return "\n".join(lines)


def _line(head: str, found: Counter[str]) -> str:
    scope = sum(found[outcome] for outcome in OUTCOMES)
    share = f"{100 * found[VALID] / scope:.1f} %" if scope else ""
    counts = " | ".join(str(found[outcome] or "") for outcome in OUTCOMES)
    return f"| {head} | {scope} | {counts} | {share} |"


def reasons(rows: Iterable[Row], most: int = 40) -> str:
    """A Markdown table: what stands between shaders and `valid`, the most frequent first, an example each."""
    counts: Counter[tuple[str, str]] = Counter()
    example: dict[tuple[str, str], str] = {}
    for project, _, tried in rows:
        if tried.outcome in (VALID, OUT_OF_SCOPE):
            continue
        key = (tried.outcome, without_names(tried.reason))
        counts[key] += 1
        example.setdefault(key, f"{project}: {tried.path}")
    lines = ["| count | outcome | reason | for example |", "|---|---|---|---|"]
    for (outcome, reason), count in counts.most_common(most):
        lines.append(f"| {count} | {outcome} | {_cell(reason)} | {_cell(example[outcome, reason])} |")
    rest = len(counts) - most
    return "\n".join(lines) + (f"\n\n{rest} other reasons have fewer." if rest > 0 else "")


def without_names(reason: str) -> str:
    """The reason, so that two shaders with one have the same: ids, numbers and quoted names are left out."""
    plain = re.sub(r"'[^']*'", "'_'", reason)
    plain = re.sub(r"%[\w.]+|@[\w.$]+|`[^`]*`", "_", plain)
    return re.sub(r"(?<![A-Za-z0-9])\d{3,}", "N", plain)[:160]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
