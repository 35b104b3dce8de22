"""Make a failing program small: leave out statements, put a statement's body in its place, while it still fails.

    [a, if c {b, d}, e]  ─▶  [if c {b, d}, e]  ─▶  [b, d, e]  ─▶  [d]

`fails` is asked with the program edited in place; what it doesn't fail without is put back. Jumps whose target goes are
no longer jumps.
"""

from collections.abc import Callable
from typing import Final

from reknit.fuzzing.program import Program, all_bodies, all_statements
from reknit.fuzzing.statements import Compound, Select, Statement

QUESTIONS: Final = 4000


def shrink(program: Program, fails: Callable[[Program], bool], most: int = QUESTIONS) -> int:
    """Shrink `program` in place; gives the number of questions asked, at most about `most`."""
    asked = 0
    progress = True
    while progress and asked < most:
        progress = False
        for body in all_bodies(program):
            width = len(body)
            while width:
                at = 0
                while at < len(body) and asked < most:
                    asked += 1
                    if without(body, at, width, program, fails):
                        progress = True
                    else:
                        at += width
                width //= 2
            for at in range(len(body) - 1, -1, -1):
                if asked < most and unwrapped(body, at, program, fails):
                    progress = True
                asked += 1
        for select in selects(program):
            for at in range(len(select.arms) - 1, -1, -1):
                asked += 1
                arm = select.arms.pop(at)
                if fails(program):
                    progress = True
                else:
                    select.arms.insert(at, arm)
    return asked


def without(body: list[Statement], at: int, width: int, program: Program, fails: Callable[[Program], bool]) -> bool:
    """Leave out `width` statements if the program then fails, too."""
    kept = body[at : at + width]
    del body[at : at + width]
    if fails(program):
        return True
    body[at:at] = kept
    return False


def unwrapped(body: list[Statement], at: int, program: Program, fails: Callable[[Program], bool]) -> bool:
    """Put one of the bodies of statement `at` in its place if the program then fails, too."""
    statement = body[at]
    if not isinstance(statement, Compound):
        return False
    for inner in statement.bodies():
        body[at : at + 1] = inner
        if fails(program):
            return True
        body[at : at + len(inner)] = [statement]
    return False


def selects(program: Program) -> list[Select]:
    return [statement for statement in all_statements(program) if isinstance(statement, Select)]
