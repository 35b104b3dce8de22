"""Outcomes of a dispatch whose workgroups have nothing to do with each other: the product of what each may do.

    workgroup 0: 5 ways to choose     5 + 5 runs, one workgroup after another with the others' first choices
    workgroup 1: 5 ways to choose     25 outcomes, each put together of the words that its workgroups write

Why this is all: let no word that a workgroup writes, by any of its choices, be one that another reads or writes, by any
of its own. Then a workgroup reads what the dispatch began with, or what it wrote itself, and what the others choose
changes neither what it reads nor how it goes on. What it writes stays. So a dispatch with any choices leaves in the
words of each workgroup what the run in which it alone chose so left there. The accesses are those that `race_detector`
saw; choices are made by the workgroup that runs, one after another in the order of workgroups.
"""

import copy
from collections.abc import Callable
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final, final

from reknit.sim.counting import following_script
from reknit.sim.memory import Buffer
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import Program

if TYPE_CHECKING:
    from reknit.sim.outcomes import Search

MOST_OUTCOMES: Final = 4096  # that are put together


@final
class Way:
    """What a workgroup does by its choices `script`, in a run in which the others took their first ones: `whole`."""

    __slots__ = ("script", "whole", "result")

    def __init__(self, script: list[int], whole: list[int], result: Result) -> None:
        self.script = script
        self.whole = whole
        self.result = result


@final
class Factor:
    """The different results of one workgroup; `writes` and `reads` are the words that it touches by any choice."""

    __slots__ = ("group", "ways", "writes", "reads")

    def __init__(self, group: int) -> None:
        self.group = group
        self.ways: dict[Any, Way] = {}
        self.writes: set[tuple[Buffer, int]] = set()
        self.reads: set[tuple[Buffer, int]] = set()


def factors_of(
    search: "Search", program: Program, policy_of: Callable[[list[int]], Policy]
) -> tuple[list[Factor], int] | None:
    """The factors, and how many runs they took; None where workgroups meet, or only one has a choice."""
    watch = program.preparation.watch
    if watch is None or program.stage.quads or program.preparation.may_demote or prod(search.groups) < 2:
        return None
    first = search.once(program, policy_of([]))
    runs = 1
    chooses = [group for group in range(len(first.starts)) if width_of(first, group) > 1]
    if len(chooses) < 2 or not is_plain(first):
        return None
    names = names_of(program)
    factors = [Factor(group) for group in range(len(first.starts))]
    add_touches(factors, program)
    for group in chooses:
        begin = first.starts[group]
        script: list[int] | None = []
        while script is not None:
            result = search.once(program, policy_of([0] * begin + script)) if script else first
            runs += 1 if script else 0
            if not is_plain(result) or runs > search.limit:
                return None
            if script:
                add_touches(factors, program)
            ways = ways_of(result, group)
            whole = script + [0] * (len(ways) - len(script))
            way = Way(whole, [0] * begin + whole, result)
            factors[group].ways.setdefault(left_by(factors[group], names, result), way)
            script = following_script(script, ways)
    if any(meet(one, other) for one in factors for other in factors if one.group < other.group):
        return None
    chosen = [factor for factor in factors if factor.ways]
    for factor in chosen:  # by all words that it writes, which are known now
        distinct: dict[Any, Way] = {}
        for way in factor.ways.values():
            distinct.setdefault(left_by(factor, names, way.result), way)
        factor.ways = distinct
    return chosen, runs


def put_together(
    search: "Search", program: Program, factors: list[Factor], policy_of: Callable[[list[int]], Policy]
) -> bool:
    """Add the outcomes to those of the search; False where there are too many."""
    if prod([len(factor.ways) for factor in factors]) > MOST_OUTCOMES:
        return False
    names = names_of(program)
    base = next(iter(factors[0].ways.values())).result
    for picked in product(*[list(factor.ways.values()) for factor in factors]):
        result = copy.copy(base)
        result.buffers = {name: copy.copy(buffer) for name, buffer in base.buffers.items()}
        for buffer in result.buffers.values():
            buffer.words = list(buffer.words)
            buffer.undefined = dict(buffer.undefined)
        result.decisions = []
        result.chosen = []
        script: list[int] = []
        for factor, way in zip(factors, picked, strict=True):
            for owner, word in factor.writes:
                target, source = result.buffers[names[owner]], way.result.buffers[names[owner]]
                target.words[word] = source.words[word]
                target.undefined.pop(word, None)
                if word in source.undefined:
                    target.undefined[word] = source.undefined[word]
            script.extend(way.script)
            begin, end = decisions_of(way.result, factor.group)
            result.decisions.extend(way.result.decisions[begin:end])
        search.add(result, policy_of(script))
    return True


def is_plain(result: Result) -> bool:
    return result.finished and not result.diagnostics and result.conflict is None and not result.partial


def ways_of(result: Result, group: int) -> list[int]:
    """How many ways there were at each choice of a workgroup."""
    end = result.starts[group + 1] if group + 1 < len(result.starts) else len(result.ways)
    return result.ways[result.starts[group] : end]


def width_of(result: Result, group: int) -> int:
    return prod(ways_of(result, group))


def decisions_of(result: Result, group: int) -> tuple[int, int]:
    at = result.decided[group]
    return at, result.decided[group + 1] if group + 1 < len(result.decided) else len(result.decisions)


def add_touches(factors: list[Factor], program: Program) -> None:
    """The words of buffers that each workgroup touched in the run that was just made."""
    watch = program.preparation.watch
    assert watch is not None
    for (owner, word), touches in watch.touches.items():
        if isinstance(owner, Buffer):
            for touch in touches:
                factor = factors[touch.group]
                (factor.writes if touch.access.writes() else factor.reads).add((owner, word))


def meet(one: Factor, other: Factor) -> bool:
    """Whether a word that one of them writes is the other's, too; texels are not distinguished."""
    if any(owner.texture is not None for owner, _ in (*one.writes, *other.writes)):
        return True
    return bool(one.writes & (other.writes | other.reads) or one.reads & other.writes)


def left_by(factor: Factor, names: dict[Buffer, str], result: Result) -> Any:
    """What a workgroup left in the words that it writes."""
    left: list[Any] = []
    for owner, word in sorted(factor.writes, key=lambda key: (names[key[0]], key[1])):
        buffer = result.buffers[names[owner]]
        left.append((names[owner], word, None if word in buffer.undefined else buffer.words[word]))
    return tuple(left)


def names_of(program: Program) -> dict[Buffer, str]:
    """How a result calls each buffer that can be written."""
    return {buffer: name for name, buffer in program.written().items()}
