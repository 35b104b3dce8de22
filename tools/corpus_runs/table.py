"""Counts of what became of shaders: by project and stage, and why those that are not valid are not."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from corpus_runs.tried import (
    CRASHED,
    DISAGREES,
    INVALID,
    LIMIT,
    NOT_RUN,
    OTHER_STAGE,
    OUT_OF_SCOPE,
    REFUSED,
    SIMULATED,
    VALID,
    VERDICTS,
    Tried,
)

OUTCOMES = (VALID, REFUSED, INVALID, DISAGREES, CRASHED, LIMIT)
Row = tuple[str, str, Tried]
"""(project, language, what was tried)"""


def by_project(rows: Iterable[Row]) -> str:
    """A Markdown table: a line a project, language and stage. Stages that aren't read from a language have one line."""
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for project, language, tried in rows:
        stage = "others" if tried.outcome == OTHER_STAGE else tried.stage or "any"
        counts.setdefault((project, language, stage), Counter())[tried.outcome] += 1
    return _table(("project", "read as", "stage"), counts)


def by_variant(rows: Iterable[Row]) -> str:
    """A Markdown table: a line a language, and what its compiler was given."""
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for _, language, tried in rows:
        counts.setdefault((language, f"`{tried.variant}`" if tried.variant else ""), Counter())[tried.outcome] += 1
    return _table(("read as", "with"), counts)


def by_values(rows: Iterable[Row]) -> str:
    """A Markdown table: a line a project, language, stage and what is compared with, how many entry points came to
    what; "" where none was run."""
    counts: dict[tuple[str, ...], Counter[str]] = {}
    for project, language, tried in rows:
        for each in tried.compared:
            counts.setdefault((project, language, tried.stage or "any", each.with_), Counter())[each.verdict] += 1
    if not counts:
        return ""
    heads = ["project", "read as", "stage", "with", *VERDICTS]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    sums: dict[tuple[str, ...], Counter[str]] = {}
    for (_, language, _, compiler), found in list(counts.items()):
        keys: list[tuple[str, ...]] = [("all", language, "", compiler), ("all", "", "", "")]
        for key in keys:
            sums.setdefault(key, Counter()).update(found)
    for key, found in [*sorted(counts.items()), *sorted(sums.items(), key=lambda row: (row[0][1] == "", row[0]))]:
        lines.append(f"| {' | '.join([*key, *[str(found[verdict] or '') for verdict in VERDICTS]])} |")
    return "\n".join(lines)


def not_run(rows: Iterable[Row], most: int = 30) -> str:
    """A Markdown table: why values were not compared, or in the simulator alone, the most frequent first; "" where all
    were."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for _, _, tried in rows:
        for each in tried.compared:
            if each.verdict in (NOT_RUN, SIMULATED):
                counts[each.verdict, each.with_, without_names(each.why)] += 1
    if not counts:
        return ""
    lines = ["| count | came to | with | since |", "|---|---|---|---|"]
    lines += [
        f"| {count} | {verdict} | {word} | {_cell(why)} |" for (verdict, word, why), count in counts.most_common(most)
    ]
    return "\n".join(lines)


def _table(keys: tuple[str, ...], counts: Mapping[tuple[str, ...], Counter[str]]) -> str:
    """Without what has nothing that its compiler accepts; the last line is the sum."""
    heads = [*keys, "in scope", *OUTCOMES, "share", OTHER_STAGE]
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    total: Counter[str] = Counter()
    for key, found in sorted(counts.items()):
        total += found
        if any(count for outcome, count in found.items() if outcome != OUT_OF_SCOPE):
            lines.append(_line(key, found))
    return "\n".join([*lines, _line(("all", *[""] * (len(keys) - 1)), total)])


def _line(key: tuple[str, ...], found: Counter[str]) -> str:
    scope = sum(found[outcome] for outcome in OUTCOMES)
    share = f"{100 * found[VALID] / scope:.1f} %" if scope else ""
    counts = [str(found[outcome] or "") for outcome in OUTCOMES]
    return f"| {' | '.join([*key, str(scope), *counts, share, str(found[OTHER_STAGE] or '')])} |"


def reasons(rows: Iterable[Row], most: int = 40) -> str:
    """A Markdown table: what stands between shaders and `valid`, the most frequent first, an example each."""
    counts: Counter[tuple[str, str]] = Counter()
    example: dict[tuple[str, str], str] = {}
    for project, _, tried in rows:
        if tried.outcome in (VALID, OTHER_STAGE, OUT_OF_SCOPE):
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
