"""What `prove` says of shaders before and after an optimizer: the verdict of each pair, and why it is no proof.

    python -m kit.verdicts FILE_OR_FOLDER ...       each against what `reknit compile -O` and `spirv-opt -O` make of it
    python -m kit.verdicts --draw 200 --seed 11 REPOSITORY ...      of modules that `kit.public_modules` draws there
    python -m kit.verdicts --terms FILE ...         by the normal form alone, without runs
    python -m kit.verdicts --only spirv-opt ...     one of the two optimizers
    python -m kit.verdicts --keep LINES ...         a line of JSON for each pair; pairs that it has aren't asked again

Ends with 1 where a pair got no verdict. What an optimizer refuses is left out and counted.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import reknit
from kit import oracles
from kit.public_modules import draw
from reknit.analysis.tangles.rules import DECLARED
from reknit.ir.module import Module
from reknit.proof.by_terms import by_terms
from reknit.source.diagnostic import InputError, InternalError

OURS: Final = "reknit"
THEIRS: Final = "spirv-opt"
NO_VERDICT: Final = "no verdict"
REFUSED: Final = "refused"


@dataclass
class Row:
    """What became of one pair."""

    file: str
    optimizer: str
    verdict: str
    reasons: list[str]
    seconds: float


def optimized(optimizer: str, path: Path) -> Module | None:
    """None where the optimizer refuses the file."""
    if optimizer == OURS:
        module = reknit.load(path)
        try:
            reknit.compile(module, "optimize")
        except InputError:
            return None
        return module
    command = oracles.find(THEIRS)
    if command is None:
        sys.exit("spirv-opt is not installed")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.spv")
        if subprocess.run([*command, "-O", str(path), "-o", str(out)], capture_output=True).returncode:
            return None
        return reknit.load(out)


def verdict_of(before: Module, after: Module, terms: bool) -> tuple[str, list[str], float]:
    """A verdict, why it is no proof, and how many seconds of processor time it took."""
    start = time.process_time()
    if terms:
        for point in before.entry_points:
            finding = by_terms(before, after, point.text(2), DECLARED)
            if not finding.proved:
                return "open", [finding.reason], time.process_time() - start
        return "proved", [], time.process_time() - start
    try:
        verdict = reknit.prove(before, after)
    except InputError as error:
        taken = time.process_time() - start
        first = error.diagnostics[0]
        return NO_VERDICT, [f"{first.code}: {first.message}", *(note.message for note in first.notes)], taken
    except InternalError as error:
        return NO_VERDICT, [str(error)], time.process_time() - start
    taken = time.process_time() - start
    if verdict.verdict == "proved":
        return "proved", [], taken
    coverage = verdict.coverage
    reasons = [verdict.reason] if verdict.reason else []
    reasons += [*coverage.weaker, *coverage.unsure]
    reasons += [finding.reason for finding in coverage.open_terms()]
    reasons += [f"{entry}: {why}" for entry, why in coverage.not_run.items()]
    if verdict.counterexample is not None:
        reasons.append(f"refuted by a run: {verdict.counterexample!s}"[:300])
    return verdict.verdict, reasons, taken


def ask(path: Path, optimizer: str, terms: bool) -> Row:
    try:
        before = reknit.load(path)
        after = optimized(optimizer, path)
    except InputError as error:
        return Row(path.name, optimizer, REFUSED, [str(error)[:200]], 0.0)
    if after is None:
        return Row(path.name, optimizer, REFUSED, ["by the optimizer"], 0.0)
    verdict, reasons, taken = verdict_of(before, after, terms)
    return Row(path.name, optimizer, verdict, reasons, round(taken, 2))


def told(rows: list[Row]) -> str:
    """Totals per optimizer, the slowest pairs, how often each reason is there, and each pair that isn't proved."""
    lines: list[str] = []
    for optimizer in (OURS, THEIRS):
        counts = Counter(row.verdict for row in rows if row.optimizer == optimizer)
        refused = counts.pop(REFUSED, 0)
        if counts:
            parts = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
            share = 100 * counts["proved"] / counts.total()
            lines.append(f"{optimizer}: {counts.total()} pairs: {parts}; {share:.1f} % proved; {refused} refused")
    slowest = sorted(rows, key=lambda row: -row.seconds)[:5]
    lines.append(f"slowest: {', '.join(f'{row.seconds:.1f} s {row.file} {row.optimizer}' for row in slowest)}")
    open = [row for row in rows if row.verdict not in ("proved", REFUSED)]
    reasons = Counter(f"{row.optimizer}, {row.verdict}: {row.reasons[0] if row.reasons else ''}" for row in open)
    lines += [f"{count:>5}  {reason}" for reason, count in reasons.most_common()]
    for row in open:
        lines.append(f"{row.file}, {row.optimizer}, {row.verdict}, {row.seconds:.1f} s")
        lines += [f"    {reason}" for reason in row.reasons]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="kit.verdicts")
    parser.add_argument("sources", nargs="+", type=Path)
    parser.add_argument("--terms", action="store_true")
    parser.add_argument("--only", choices=(OURS, THEIRS))
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--draw", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if asked.draw:
            paths = draw(asked.sources, asked.draw, asked.seed, Path(folder))
        else:
            paths = []
            for source in asked.sources:
                paths += sorted(source.glob("*.spv*")) if source.is_dir() else [source]
        rows: list[Row] = []
        if asked.keep is not None and asked.keep.exists():
            rows = [Row(**json.loads(line)) for line in asked.keep.read_text().splitlines()]
        known = {(row.file, row.optimizer) for row in rows}
        for path in paths:
            for optimizer in (OURS, THEIRS):
                if asked.only in (None, optimizer) and (path.name, optimizer) not in known:
                    rows.append(ask(path, optimizer, asked.terms))
                    if asked.keep is not None:
                        with asked.keep.open("a") as file:
                            file.write(json.dumps(asdict(rows[-1])) + "\n")
    sys.stdout.write(told(rows))
    if any(row.verdict == NO_VERDICT for row in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()
