"""Random programs in which merge-ifs, peel-loops and unroll-loops have something to do, as on others they seldom have.

    if c { a; b } else { d }       ──▶    if c { a } else { d }; if c { b }           cut: one if becomes two in a row
    loop: i = 0; i < trips & 3     ──▶    loop: i = 0; i < 0, 1, 2 or 3               fixed: the count is known

How often a pass fires is counted, and every outcome is kept (`reknit.fuzzing.differential`).
"""

import random
from typing import Final

import pytest
from kit.oracles import need, validate

from reknit.fuzzing.differential import Difference, check
from reknit.fuzzing.generate import generate
from reknit.fuzzing.program import Program
from reknit.fuzzing.statements import Assign, Call, Choice, Compound, Repeat, Statement
from reknit.fuzzing.to_module import module_of
from reknit.fuzzing.words import LOCAL, NUMBER, Word
from reknit.passes.manager import run_passes

FIRST_SEED: Final = 60_000
CI: Final = 24
FULL: Final = 1_000
LEAVES_VALUES: Final = ", eliminate-phis, eliminate-multi-level-breaks"


def bodies(program: Program) -> list[list[Statement]]:
    found = [routine.body for routine in program.routines]
    at = 0
    while at < len(found):
        for statement in found[at]:
            if isinstance(statement, Compound):
                found.extend(statement.bodies())
        at += 1
    return found


def locals_of(word: Word) -> set[int]:
    found = {word.number} if word.kind == LOCAL else set()
    for part in (word.left, word.right):
        if part is not None:
            found |= locals_of(part)
    return found


def assigned(statements: list[Statement]) -> set[int]:
    found: set[int] = set()
    for statement in statements:
        if isinstance(statement, (Assign, Call)):
            found.add(statement.local)
        if isinstance(statement, Compound):
            for body in statement.bodies():
                found |= assigned(body)
    return found


def cut(program: Program, seed: int) -> int:
    """Cut ifs in two whose condition the first half doesn't change; gives their number. Jumps out of the if go along
    with the half they stand in."""
    chance = random.Random(seed)
    cuts = 0
    for body in bodies(program):
        for statement in list(body):
            if not isinstance(statement, Choice) or not statement.merged:
                continue
            then, orelse = len(statement.then), len(statement.orelse)
            first = Choice(statement.condition, [], [])
            first.then = statement.then[: chance.randrange(then + 1)]
            first.orelse = statement.orelse[: chance.randrange(orelse + 1)]
            if locals_of(statement.condition) & (assigned(first.then) | assigned(first.orelse)):
                continue
            statement.then = statement.then[len(first.then) :]
            statement.orelse = statement.orelse[len(first.orelse) :]
            if leaves(first.then, statement) or leaves(first.orelse, statement):
                statement.then = first.then + statement.then
                statement.orelse = first.orelse + statement.orelse
                continue
            body.insert(body.index(statement), first)
            cuts += 1
    return cuts


def leaves(statements: list[Statement], target: Compound) -> bool:
    """Whether a jump in `statements` names `target`."""
    for statement in statements:
        if getattr(statement, "target", None) is target:
            return True
        if isinstance(statement, Compound) and any(leaves(body, target) for body in statement.bodies()):
            return True
    return False


def fix(program: Program, seed: int) -> int:
    """Let every loop have a known number of trips; gives how many there are."""
    chance = random.Random(seed)
    fixed = 0
    for body in bodies(program):
        for statement in body:
            if isinstance(statement, Repeat):
                statement.trips = Word(NUMBER, chance.randrange(4))
                fixed += 1
    return fixed


def fires(program: Program, pipeline: str, name: str) -> bool:
    report = run_passes(module_of(program), pipeline)
    return any(entry.name == name and entry.changed for entry in report.passes)


WAYS: Final = {
    "merge-ifs": ("promote-variables, cse, merge-ifs", "promote-variables, cse, merge-ifs, reconverge"),
    "simplify-ifs": (
        "promote-variables, simplify-ifs{limit=12}",
        "promote-variables, simplify-ifs, merge-ifs, reconverge",
    ),
    "peel-loops": (
        "promote-variables, peel-loops{count=2}" + LEAVES_VALUES,
        "promote-variables, lcssa, peel-loops, reconverge",
    ),
    "unroll-loops": (
        "promote-variables, fold, unroll-loops{limit=2000}" + LEAVES_VALUES,
        "promote-variables, fold, unroll-loops{limit=2000}, reconverge",
    ),
}


@pytest.mark.parametrize("name", WAYS)
def test_it_fires_and_keeps_every_outcome(name: str, full: bool) -> None:
    need("slang-glslang")
    fired = 0
    for seed in range(FIRST_SEED, FIRST_SEED + (FULL if full else CI)):
        program = generate(seed)
        cut(program, seed)
        fix(program, seed)
        pipeline = WAYS[name][seed % 2]
        if fires(program, pipeline, name):
            fired += 1
        elif not full:
            continue
        try:
            check(program, pipeline, validate)
        except Difference as fault:
            pytest.fail(f"seed {seed}, {pipeline}: {fault}")
    print(f"{name} fired on {fired} programs")
    assert fired >= (FULL // 20 if full else 3)
