"""What `prove` says of shaders before and after an optimizer: the verdict of each pair, and why it is no proof.

    python -m kit.verdicts FILE.spv ...             each against what `reknit compile -O` and `spirv-opt -O` make of it
    python -m kit.verdicts --terms FILE.spv ...     by the normal form alone, without runs
    python -m kit.verdicts --only spirv-opt ...     one of the two optimizers

Ends with 1 where a pair got no verdict. What an optimizer refuses is left out and counted.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

import reknit
from kit import oracles
from reknit.analysis.tangles.rules import DECLARED
from reknit.ir.module import Module
from reknit.proof.by_terms import by_terms
from reknit.source.diagnostic import InputError

OURS: Final = "reknit"
THEIRS: Final = "spirv-opt"
NO_VERDICT: Final = "no verdict"


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


def verdict_of(before: Module, after: Module, terms: bool) -> tuple[str, str]:
    """A verdict, and why it is no proof."""
    if terms:
        for point in before.entry_points:
            finding = by_terms(before, after, point.text(2), DECLARED)
            if not finding.proved:
                return "open", finding.reason
        return "proved", ""
    try:
        verdict = reknit.prove(before, after)
    except InputError as error:
        first = error.diagnostics[0]
        return NO_VERDICT, f"{first.code}: {first.message}"
    open = [finding.reason for finding in verdict.coverage.open_terms()]
    return verdict.verdict, verdict.reason or "; ".join(open)


def main() -> None:
    parser = argparse.ArgumentParser(prog="kit.verdicts")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--terms", action="store_true")
    parser.add_argument("--only", choices=(OURS, THEIRS))
    parser.add_argument("--labels", action="store_true")
    asked = parser.parse_args()
    verdicts: dict[str, Counter[str]] = {}
    reasons: dict[tuple[str, str, str], list[str]] = {}
    slowest: list[tuple[float, str]] = []
    refused: Counter[str] = Counter()
    for path in asked.files:
        for optimizer in (OURS, THEIRS):
            if asked.only not in (None, optimizer):
                continue
            try:
                before = reknit.load(path)
                after = optimized(optimizer, path)
            except InputError:
                after = None
            if after is None:
                refused[optimizer] += 1
                continue
            start = time.process_time()
            verdict, reason = verdict_of(before, after, asked.terms)
            slowest.append((time.process_time() - start, f"{path.name} {optimizer}"))
            verdicts.setdefault(optimizer, Counter())[verdict] += 1
            if verdict != "proved":
                reasons.setdefault((optimizer, verdict, reason), []).append(path.name)
    for optimizer, counts in verdicts.items():
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
        share = 100 * counts["proved"] / counts.total()
        sys.stdout.write(f"{optimizer}: {told}; {share:.1f} % proved; {refused[optimizer]} refused\n")
    slowest.sort(reverse=True)
    sys.stdout.write(f"slowest: {', '.join(f'{seconds:.1f} s {label}' for seconds, label in slowest[:5])}\n")
    for (optimizer, verdict, reason), names in sorted(reasons.items(), key=lambda item: -len(item[1])):
        shown = f"   {' '.join(names[:6])}" if asked.labels else ""
        sys.stdout.write(f"{len(names):>5}  {optimizer}, {verdict}: {reason}{shown}\n")
    if any(counts[NO_VERDICT] for counts in verdicts.values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
