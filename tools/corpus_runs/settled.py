"""Values that differ where a specification says which of the two is right: the rows of settled.toml.

{"project": "o/n", "paths": ["a.hlsl"], "with": ["slangc"], "why": "..."}  ->  differs becomes settled, for that reason
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path

from corpus_runs.kept import Kept
from corpus_runs.tried import DIFFERS, SETTLED

ROWS = Path(__file__).parent / "settled.toml"


def settle(found: Iterable[Kept], path: Path = ROWS) -> None:
    """Change the verdicts of what has a row."""
    rows = tomllib.loads(path.read_text())["settled"]
    reasons = {
        (row["project"], each, word): " ".join(row["why"].split())
        for row in rows
        for each in row["paths"]
        for word in row["with"]
    }
    for each in found:
        for tried in each.tried:
            for compared in tried.compared:
                reason = reasons.get((each.project, tried.path, compared.with_))
                if reason is not None and compared.verdict == DIFFERS:
                    compared.verdict, compared.why = SETTLED, reason
