"""What drivers give, held against `outcomes`: each observed result is one of them, or the headline says what lets it
differ.

    python -m kit.observed 0 300                    compute shaders by their seeds (`kit.random.observable`)
    python -m kit.observed 0 60 --fragment          fragment shaders
    python -m kit.observed 7 8 --show               with the text of the program
    python -m kit.observed 0 50 --only shuffles     of one family

    result ── one of the outcomes ───────────────────────────────────────────▶ allowed
              ├─ its floats are within their bounds ─────────────────────────▶ bounded
              │ no: the words that differ from the closest outcome, probe by probe
              ├─ each is of a probe that a row left open can reach ──────────▶ named
              ├─ not all choices were gone through, and the headline says so ▶ sampled
              └─ else ───────────────────────────────────────────────────────▶ wrong

A word that outcomes shows as undefined is equal to any. Only programs whose results differ, between drivers with equal
subgroup sizes or between one and the simulator, say something; they are counted by what differs.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from kit import oracles
from kit.oracles import drivers
from kit.random.observable import Observable, observable
from reknit.ir.freedoms import FREEDOMS
from reknit.proof.devices import BOUNDED as WITHIN
from reknit.proof.devices import REFUTED, Comparer, Comparison
from reknit.sim.result import Result
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module

ALLOWED: Final = "allowed"
BOUNDED: Final = "bounded"
NAMED: Final = "named"
SAMPLED: Final = "sampled"
WRONG: Final = "wrong"
NOT_RUN: Final = "not run"
LIMIT: Final = 2048
GIVEN: Final = {FREEDOMS["subgroup-mapping"].treatments["outcomes"].text: "subgroup-mapping"}
"""What a headline says of a row that the question has fixed."""
DRIVERS: Final = (("lavapipe", 4), ("lavapipe", 8), ("swiftshader", 4))

Key = tuple[Any, ...]
"""Where a word is: a buffer and its number, or an output and its place."""


@dataclass(slots=True)
class Seen:
    """A driver's result. `rows` are those that let it differ, of what is named."""

    driver: str
    verdict: str
    rows: list[str] = field(default_factory=list)
    differs: bool = False
    why: str = ""


@dataclass(slots=True)
class Judged:
    program: "Program"
    seen: list[Seen]
    apart: bool
    """Whether two drivers with subgroups of one size differ."""

    @property
    def counts(self) -> bool:
        return self.apart or any(each.differs for each in self.seen)

    @property
    def wrong(self) -> list[Seen]:
        return [each for each in self.seen if each.verdict == WRONG]


class Program(Protocol):
    """What is judged: a shader with its inputs, and which rows may reach which of its words."""

    @property
    def text(self) -> str: ...

    def comparer(self) -> Comparer: ...

    def drivers(self) -> Sequence[tuple[str, int]]: ...

    def words(self, result: Result) -> dict[Key, int]: ...

    def undefined(self, result: Result) -> set[Key]: ...

    def rows(self, key: Key) -> frozenset[str]: ...


@dataclass(slots=True)
class Compute:
    made: Observable

    @property
    def text(self) -> str:
        return self.made.text

    def comparer(self) -> Comparer:
        module = read_module(oracles.glslang(self.text))
        return Comparer(module, groups=(self.made.groups, 1, 1), buffers=self.made.buffers(), limit=LIMIT)

    def drivers(self) -> Sequence[tuple[str, int]]:
        faults = [name for probe in self.made.probes for name in probe.faults()]
        return [each for each in DRIVERS if each[0] not in faults]

    def words(self, result: Result) -> dict[Key, int]:
        return {("Out", at): word for at, word in enumerate(result.buffers["Out"].words)}

    def undefined(self, result: Result) -> set[Key]:
        return {("Out", at) for at in getattr(result.buffers["Out"], "undefined", {})}

    def rows(self, key: Key) -> frozenset[str]:
        return self.made.probe_of(key[1]).rows


def judge(program: Program, size: int, result: Result, comparer: Comparer, name: str) -> Seen:
    """A driver's result against the outcomes at its subgroup size."""
    search = comparer.allowed(size)
    theirs = program.words(result)
    differs = theirs != program.words(comparer.simulated(size))
    comparison: Comparison | None = None
    closest: dict[Key, tuple[int, int]] | None = None
    open = {each.freedom for each in [*search.open, *search.bounded]}
    open |= {GIVEN[text] for text in search.given if text in GIVEN}
    for outcome in search.outcomes:
        ours, free = program.words(outcome.result), program.undefined(outcome.result)
        unlike = {key: (ours.get(key, -1), theirs.get(key, -1)) for key in {**ours, **theirs} if key not in free}
        unlike = {key: both for key, both in unlike.items() if both[0] != both[1]}
        if not unlike:
            return Seen(name, ALLOWED, [], differs)
        comparison = comparison if comparison is not None else compared(comparer, result)
        if comparison.verdict == WITHIN:
            return Seen(name, BOUNDED, sorted(open), differs)
        unnamed = {key: both for key, both in unlike.items() if not program.rows(key) & open}
        if not unnamed:
            rows = sorted({row for key in unlike for row in program.rows(key) & open})
            return said(comparison, Seen(name, NAMED, rows, differs))
        if closest is None or len(unnamed) < len(closest):
            closest = unnamed
    listed = ", ".join([f"{key}: {ours} or {their}" for key, (ours, their) in sorted((closest or {}).items())[:4]])
    verdict = WRONG if search.whole or "execution-order" in open else SAMPLED
    return Seen(name, verdict, sorted(open), differs, f"{listed}; {search!r}, {search.coverage}")


def compared(comparer: Comparer, result: Result) -> Comparison:
    """What `compare` says, which tries packings only where they decide whether it is "not allowed"."""
    comparison = comparer.judge(result, packings=False)
    return comparer.judge(result) if comparison.verdict == REFUTED else comparison


def said(comparison: Comparison, seen: Seen) -> Seen:
    """What is named may not be called "not allowed" by `compare` either."""
    if comparison.verdict == REFUTED:
        seen.verdict, seen.why = WRONG, f"compare says that it is not allowed: {comparison.coverage}"
    return seen


def judged(program: Program) -> Judged:
    comparer = program.comparer()
    seen: list[Seen] = []
    found: dict[tuple[str, int], dict[Key, int]] = {}
    for driver, lanes in program.drivers():
        name = f"{driver}-{lanes}"
        try:
            result = comparer.on(drivers.target(driver, lanes, 20.0), lanes)
        except InputError as refusal:
            seen.append(Seen(name, NOT_RUN, why=str(refusal).splitlines()[0]))
            continue
        assert result.subgroup_size == lanes, result.subgroup_size
        found[driver, lanes] = program.words(result)
        seen.append(judge(program, lanes, result, comparer, name))
    apart = any(
        one != other
        for (_, size), one in found.items()
        for (_, same), other in found.items()
        if size == same
    )
    return Judged(program, seen, apart)


def go_through(seeds: Iterable[int], fragment: bool, only: str, show: bool) -> int:
    """Judge programs and print what is wrong, then the counts; the number of wrong ones."""
    programs = wrong = apart = counted = 0
    verdicts: Counter[str] = Counter()
    differing: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    refusals: Counter[str] = Counter()
    started = time.monotonic()
    for seed in seeds:
        program = made(seed, fragment, only)
        try:
            result = judged(program)
        except (InputError, ValueError) as refusal:
            print(f"seed {seed}: {refusal}\n{program.text if show else ''}", flush=True)
            refusals["no program"] += 1
            continue
        programs += 1
        apart += result.apart
        counted += result.counts
        for each in result.seen:
            if each.verdict == NOT_RUN:
                refusals[f"{each.driver}: {each.why[:90]}"] += 1
                continue
            differing[each.driver] += each.differs
            if result.counts:
                verdicts[each.verdict] += 1
                rows.update(each.rows if each.verdict == NAMED else [])
            if each.verdict in (WRONG, SAMPLED) or show:
                print(f"seed {seed}, {each.driver}: {each.verdict}; {each.rows}; {each.why}", flush=True)
        wrong += bool(result.wrong)
        if programs % 25 == 0:
            print(f"... {programs} programs, {counted} with results that differ, {wrong} wrong", flush=True)
        if show:
            print(program.text)
    print(
        f"{programs} programs, {counted} with results that differ ({apart} between drivers; from the simulator: "
        f"{dict(differing)}), {wrong} wrong; {time.monotonic() - started:.0f} s\n"
        f"results of those that differ: {dict(verdicts)}\nrows: {dict(rows.most_common())}\n{dict(refusals)}"
    )
    return wrong


def made(seed: int, fragment: bool, only: str = "") -> Program:
    if fragment:
        from kit.random.observable_fragments import observable_fragment

        return observable_fragment(seed, only)
    return Compute(observable(seed, only))


def main(arguments: list[str]) -> None:
    only = arguments[arguments.index("--only") + 1] if "--only" in arguments else ""
    first, last = int(arguments[0]), int(arguments[1])
    wrong = go_through(range(first, last), "--fragment" in arguments, only, "--show" in arguments)
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main(sys.argv[1:])
