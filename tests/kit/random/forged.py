"""Forged certificates: of a program and one that a run tells apart from it, none may be accepted.

    draw a program ─▶ a pass ─▶ a right pair and its certificate
                  └─▶ faults, perhaps behind the pass ─▶ a wrong pair
        ─▶ what the finder writes of the wrong pair, the right pair's lines under its heading, and either with lines
           dropped, doubled, swapped, merged, or with other numbers: accepted?
        ─▶ many runs, then `prove` by runs: refuted?     FALSE

`python -m kit.random.forged FROM TO [FAMILY]` goes through seeds.
"""

import random
import re
import sys
from collections import Counter
from typing import Final

from kit.pipelines import REWRITING
from kit.proving import promises_keep
from kit.random.faults import POLICIES, USUAL, Runs, by_runs, kept, planted, sample, told_apart

from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.ir.text.printer import print_module
from reknit.passes.manager import run_passes
from reknit.proof.certificate.check import Broken, check
from reknit.proof.certificate.find import Finder, find
from reknit.proof.certificate.steps import Rejected
from reknit.sim.entry import find_entry, function_of_entry
from reknit.source.diagnostic import InputError

ASKED: Final = 0.2
"""The share of faults that a few runs don't tell apart which are tried all the same."""
PASSES: Final = (
    "", "peel-loops", "peel-loops{count=2}", "unroll-loops", "simplify-cfg", "fold,dce", "cse", "lower-switches",
    "promote-variables", "eliminate-multi-level-breaks", REWRITING,
)  # fmt: skip

class Pair:
    """Two modules and the function of their first entry point."""

    def __init__(self, before: Module, after: Module) -> None:
        entry = before.entry_points[0].text(2)
        self.modules = [before, after]
        self.functions = [function_of_entry(find_entry(module, entry)) for module in self.modules]

    def found(self) -> list[str]:
        return find(self.modules, self.functions)[0]

    def written(self) -> list[str]:
        """What the finder would write, whether it holds or not."""
        try:
            return Finder(self.modules, self.functions).run()
        except Rejected:
            return []

    def accepts(self, lines: list[str]) -> bool:
        try:
            check(self.modules, self.functions, lines, 1)
        except Broken as broken:
            assert 1 <= broken.line <= len(lines) + 1, broken
            return False
        return True


def mutated(lines: list[str], rng: random.Random) -> list[str]:
    """Other lines, made of these."""
    lines = list(lines)
    for _ in range(rng.choice((1, 1, 2, 4))):
        if not lines:
            break
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        words, others = lines[at].split(" "), lines[other].split(" ")
        kind = rng.randrange(8)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(other, lines[at])
        elif kind == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 3:
            del words[rng.randrange(len(words))]
            lines[at] = " ".join(words)
        elif kind == 4:
            lines[at] = re.sub(r"\d+", lambda found: str(abs(int(found[0]) + rng.choice((-1, 0, 0, 1)))), lines[at])
        elif kind == 5:
            lines[at] = " ".join([*words, *others[1:]])
        elif kind == 6:
            words[-1] = others[-1]
            lines[at] = " ".join(words)
        else:
            head = rng.choice(words[1:] or ["b0"])
            lines.insert(at, f"loop {head} {rng.randrange(-1, 3)} {rng.randrange(3)} {rng.choice(others)}")
    return lines


def tried(seed: int, count: int, family: str = "") -> Counter[str]:
    """`count` faults of the program of a seed: how many forged certificates are rejected."""
    family = family or USUAL[seed % len(USUAL)]
    totals: Counter[str] = Counter()
    rng = random.Random(seed)
    found = sample(seed, family)
    before = parse(found.text)
    right = parse(found.text)
    try:
        run_passes(right, rng.choice(PASSES))
    except InputError:
        totals["no pass"] += 1
    pair = Pair(before, right)
    lines = pair.found()
    totals["right pairs"] += 1
    totals["right pairs with a certificate"] += bool(lines)
    if lines:
        for _ in range(4):
            totals["changed, of right pairs"] += 1
            pair.accepts(mutated(lines, rng))  # the verdict is right either way: it must not crash
    plain = Runs(before)
    for _ in range(count):
        fault = planted(print_module(rng.choice((before, right))), rng)
        if fault is None:
            continue
        after, name = fault
        try:
            keeps = promises_keep(before, after)
        except InputError:
            keeps = False  # it calls itself, say
        if not keeps:
            totals["promises less, or can't be run: no certificate is asked about it"] += 1
            continue
        runs = Runs(after)
        differs = told_apart(plain, runs, found, 1, 1, 2)
        if not differs and rng.random() > ASKED:
            continue
        wrong = Pair(before, after)
        totals["wrong pairs" if differs else "pairs that a few runs don't tell apart"] += 1
        accepted = "found" if wrong.found() else ""
        for own in (lines, wrong.written()):
            for at in range(6 if own else 0):
                totals["forged"] += 1
                if wrong.accepts(own if at == 0 else mutated(own, rng)):
                    accepted = accepted or "forged"
        if not accepted:
            continue
        totals[f"accepted, {accepted}"] += 1
        try:
            differs = differs or told_apart(plain, runs, found, len(POLICIES), 3, 4)
            word = by_runs(before, after, found) if differs else "not told apart"
        except InputError as error:
            word = error.diagnostics[0].code
        totals[f"accepted, {word}"] += 1
        if word == "refuted":
            totals["FALSE"] += 1
            print(f"seed {seed} {family}: {name} is accepted, {accepted}", flush=True)
            kept(f"forged-{seed}-{totals['FALSE']}", found.text, print_module(after))
    return totals


def main(first: int, last: int, family: str) -> None:
    totals: Counter[str] = Counter()
    for seed in range(first, last):
        totals.update(tried(seed, 12, family))
        if (seed + 1 - first) % 20 == 0:
            print(dict(totals), flush=True)
    print("\n".join(f"{what}: {count}" for what, count in sorted(totals.items())))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "")
