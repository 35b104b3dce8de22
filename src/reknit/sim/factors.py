"""Outcomes of a dispatch whose parts have nothing to do with each other: the product of what each may do.

    subgroup 0: 5 ways to choose      5 + 4 runs, one part after another with the others' first choices
    subgroup 1: 5 ways to choose      25 outcomes, each put together of the words that its parts write

A part is a workgroup, or a subgroup of one that makes its choices for itself (`Choices.owners`).

Why this is all: let no word that a part writes, by any of its choices, be one that another reads or writes, by any of
its own. Then a part reads what the dispatch began with, or what it wrote itself, and what the others choose changes
neither what it reads nor how it goes on. What it writes stays. So a dispatch with any choices leaves in the words of
each part what the run in which it alone chose so left there. The accesses are those that `race_detector` saw.

Subgroups of one workgroup may meet in more than words: in Workgroup memory, in a barrier, in an operation of the
workgroup, in a choice of a tangle that has lanes of both, in what makes a workgroup converge again ("all invocations
leave that loop or selection via the header block's declared merge block"). So there is none of the first three in the
program, no atomic and no memory barrier that orders their accesses, after which not all of these are kept; no choice is
made by several subgroups; and each lane executes the same blocks in all runs, so that the others meet the same lanes at
the same places, whatever is chosen.
"""

import copy
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Protocol, final

from reknit.analysis.tangles.operations import WORKGROUP, group_of
from reknit.ir import op, traits
from reknit.ir.instr import Instr
from reknit.sim.budget import MAX_TOGETHER
from reknit.sim.choices import SHARED, Owner
from reknit.sim.counting import following_script
from reknit.sim.faults import bits_of
from reknit.sim.memory import Buffer
from reknit.sim.policy import Policy
from reknit.sim.result import Result
from reknit.sim.run import Program
from reknit.sim.trace import RUN, Trace

if TYPE_CHECKING:
    from reknit.sim.outcomes import Search



class Asking(Protocol):
    """The policy of a list of choices, or of lists of choices by part."""

    def __call__(self, script: list[int], apart: dict[Owner, list[int]] | None = None) -> Policy: ...


@final
class Way:
    """What a part does by its choices `script`, in a run in which the others took their first ones."""

    __slots__ = ("script", "result")

    def __init__(self, script: list[int], result: Result) -> None:
        self.script = script
        self.result = result


@final
class Factor:
    """The different results of one part; `writes` and `reads` are the words that it touches by any choice."""

    __slots__ = ("owner", "ways", "writes", "reads")

    def __init__(self, owner: Owner) -> None:
        self.owner = owner
        self.ways: dict[Any, Way] = {}
        self.writes: set[tuple[Buffer, int]] = set()
        self.reads: set[tuple[Buffer, int]] = set()


Touched = list[tuple[Buffer, int, int, int, bool]]
"""A buffer and a word of it, the workgroup and lane that touched it, and whether it was written."""


def factors_of(search: "Search", program: Program, policy_of: Asking) -> tuple[list[Factor], int, Result] | None:
    """The factors, how many runs they took, and the result of the first choices. There are none where parts meet, only
    one has a choice, or the first choices show that they are not alone; None where there are no parts."""
    watch = program.preparation.watch
    if watch is None or program.stage.quads or program.preparation.may_demote:
        return None
    count = prod(search.groups)
    by_subgroups = have_nothing_in_common(program)
    if count < 2 and not by_subgroups:
        return None
    first = search.once(program, policy_of([]))
    if not is_plain(first):
        return [], 1, first
    touched = touched_in(program)
    runs = 1
    if by_subgroups:
        parts = parts_of(program, first, count)
        if any(subgroup != SHARED for _, subgroup in parts):
            factors, taken = product_of(search, program, policy_of, first, touched, parts)
            runs += taken
            if factors:
                return factors, runs, first
    workgroups = [(group, SHARED) for group in range(count)]
    factors, taken = product_of(search, program, policy_of, first, touched, workgroups)
    return factors, runs + taken, first


def product_of(
    search: "Search", program: Program, policy_of: Asking, first: Result, touched: Touched, parts: list[Owner]
) -> tuple[list[Factor], int]:
    """The factors by parts, none where these meet or only one has a choice; and how many more runs they took. `touched`
    is of the `first` run."""
    chooses = [part for part in parts if prod(ways_of(first, part)) > 1]
    if len(chooses) < 2 or sum([prod(ways_of(first, part)) for part in chooses]) > search.most():
        return [], 0
    divided = {group for group, subgroup in parts if subgroup != SHARED}
    fine = bool(divided)
    factors = {part: Factor(part) for part in parts}
    size = program.preparation.subgroup_size
    names = names_of(program)
    add_touches(factors, touched, size)
    paths: dict[Owner, int] = {}
    runs = 0
    for part in chooses:
        script: list[int] | None = []
        while script is not None:
            result = first
            if script:
                result = search.once(program, policy_of([], {part: script}), fine)
                runs += 1
                if not is_plain(result) or runs > search.most():
                    return [], runs
                if fine:
                    taken = {lane: path for lane, path in paths_of(result.trace).items() if lane[0] in divided}
                    result.trace = None
                    if any(part_of(owner, factors) is None for owner in owners_in(result)) or taken != (paths or taken):
                        return [], runs
                    paths = taken
                add_touches(factors, touched_in(program), size)
            ways = ways_of(result, part)
            whole = script + [0] * (len(ways) - len(script))
            factors[part].ways.setdefault(left_by(factors[part], names, result), Way(whole, result))
            script = following_script(script, ways)
    listed = list(factors.values())
    if any(meet(one, other) for one in listed for other in listed if one.owner < other.owner):
        return [], runs
    chosen = [factor for factor in listed if factor.ways]
    for factor in chosen:  # by all words that it writes, which are known now
        distinct: dict[Any, Way] = {}
        for way in factor.ways.values():
            distinct.setdefault(left_by(factor, names, way.result), way)
        factor.ways = distinct
    return chosen, runs


def have_nothing_in_common(program: Program) -> bool:
    """Whether the subgroups of a workgroup can't meet in anything but words of buffers, and choices."""
    if program.preparation.lanes <= program.preparation.subgroup_size or program.preparation.shared:
        return False
    return not any(is_in_common(instr) for block in program.code for instr in block.instrs)


def is_in_common(instr: Instr) -> bool:
    if instr.op in traits.ATOMIC or instr.op == op.MemoryBarrier:
        return True
    return instr.op in traits.TANGLED and traits.TANGLED[instr.op] != "bits" and group_of(instr) == WORKGROUP


def owners_in(result: Result) -> list[Owner]:
    """The owners of choices that had several ways."""
    return [owner for owner, width in zip(result.owners, result.ways, strict=True) if width > 1]


def parts_of(program: Program, first: Result, count: int) -> list[Owner]:
    """The subgroups, and the workgroups of which several subgroups made a choice together."""
    shared = [group for group, subgroup in owners_in(first) if subgroup == SHARED]
    subgroups = -(-program.preparation.lanes // program.preparation.subgroup_size)
    parts: list[Owner] = []
    for group in range(count):
        parts.extend([(group, SHARED)] if group in shared else [(group, each) for each in range(subgroups)])
    return parts


def paths_of(trace: Trace | None) -> dict[Owner, int]:
    """By workgroup and lane: which blocks it executed, as one number."""
    paths: dict[Owner, int] = {}
    for event in trace.events if trace is not None else []:
        if event.kind == RUN:
            for lane in bits_of(event.mask):
                paths[event.group, lane] = hash((paths.get((event.group, lane), 0), event.block))
    return paths


def put_together(search: "Search", program: Program, factors: list[Factor], policy_of: Asking) -> bool:
    """Add the outcomes to those of the search; False where there are too many."""
    if prod([len(factor.ways) for factor in factors]) > MAX_TOGETHER:
        return False
    names = names_of(program)
    base = next(iter(factors[0].ways.values())).result
    for buffer in base.buffers.values():
        buffer.keep_in_pages()
    for picked in product(*[list(factor.ways.values()) for factor in factors]):
        result = copy.copy(base)
        result.buffers = {name: copy.copy(buffer) for name, buffer in base.buffers.items()}
        for buffer in result.buffers.values():
            buffer.undefined = dict(buffer.undefined)
        changes: dict[str, dict[int, int]] = {}
        result.decisions = []
        result.grouped = []
        result.chosen = []
        apart: dict[Owner, list[int]] = {}
        for factor, way in zip(factors, picked, strict=True):
            for owner, word in factor.writes:
                name = names[owner]
                target, source = result.buffers[name], way.result.buffers[name]
                changes.setdefault(name, {})[word] = source.word(word)
                target.undefined.pop(word, None)
                if word in source.undefined:
                    target.undefined[word] = source.undefined[word]
            apart[factor.owner] = way.script
            result.decisions.extend([each for each in way.result.decisions if is_of(each.owner, factor.owner)])
        for name, words in changes.items():
            result.buffers[name].put(words)
        search.add(result, policy_of([], apart))
    return True


def is_plain(result: Result) -> bool:
    return result.finished and not result.diagnostics and result.conflict is None and not result.partial


def part_of(owner: Owner, factors: dict[Owner, Factor]) -> Factor | None:
    """The part that choices and lanes of an owner are in."""
    return factors.get(owner, factors.get((owner[0], SHARED)))


def is_of(owner: Owner, part: Owner) -> bool:
    return owner[0] == part[0] and part[1] in (SHARED, owner[1])


def ways_of(result: Result, part: Owner) -> list[int]:
    """How many ways there were at each choice of a part."""
    return [width for owner, width in zip(result.owners, result.ways, strict=True) if is_of(owner, part)]


def touched_in(program: Program) -> Touched:
    """The words of buffers that were touched in the run that was just made."""
    watch = program.preparation.watch
    assert watch is not None
    return [
        (owner, word, touch.group, touch.inside, touch.access.writes())
        for (owner, word), touches in watch.touches.items()
        for touch in touches
        if isinstance(owner, Buffer)
    ]


def add_touches(factors: dict[Owner, Factor], touched: Touched, size: int) -> None:
    """Each to the part that has the lane."""
    for buffer, word, group, lane, writes in touched:
        factor = part_of((group, lane // size), factors)
        assert factor is not None
        (factor.writes if writes else factor.reads).add((buffer, word))


def meet(one: Factor, other: Factor) -> bool:
    """Whether a word that one of them writes is the other's, too; texels are not distinguished."""
    if any(owner.texture is not None for owner, _ in (*one.writes, *other.writes)):
        return True
    return bool(one.writes & (other.writes | other.reads) or one.reads & other.writes)


def left_by(factor: Factor, names: dict[Buffer, str], result: Result) -> Any:
    """What a part left in the words that it writes."""
    left: list[Any] = []
    for owner, word in sorted(factor.writes, key=lambda key: (names[key[0]], key[1])):
        buffer = result.buffers[names[owner]]
        left.append((names[owner], word, None if word in buffer.undefined else buffer.words[word]))
    return tuple(left)


def names_of(program: Program) -> dict[Buffer, str]:
    """How a result calls each buffer that can be written."""
    return {buffer: name for name, buffer in program.written().items()}
