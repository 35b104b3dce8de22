"""What a random program is, before it is a module.

    Program ── Routine ── body: [Assign | Observe | Call | Choice | Repeat | Select | Region | Jump ...]

Words (u32) are all the data there is. Every routine has four local words v0 .. v3; the first start as its arguments,
the others as lane, lane + 1, 2, 3, each in its own place.
"""

from typing import final

from reknit.analysis.tangles.rules import MAXIMAL, RULES
from reknit.fuzzing.statements import Compound, Fork, Statement


@final
class Routine:
    """A function of `parameters` words that returns a word; routine 0 is the entry point and has neither."""

    __slots__ = ("parameters", "body")

    def __init__(self, parameters: int) -> None:
        self.parameters = parameters
        self.body: list[Statement] = []


@final
class Program:
    """A routine calls only routines of higher numbers. `lanes` is the size of the workgroup. `levels`: jumps may cross
    any number of constructs; otherwise they go only as SPIR-V can write them. `fragment`: it is a fragment shader of
    one subgroup. `rules` are those that its entry point declares."""

    __slots__ = ("seed", "lanes", "subgroup_size", "levels", "fragment", "rules", "routines")

    def __init__(self, seed: int, lanes: int, subgroup_size: int, levels: bool) -> None:
        self.seed = seed
        self.lanes = lanes
        self.subgroup_size = subgroup_size
        self.levels = levels
        self.fragment = False
        self.rules = MAXIMAL
        self.routines: list[Routine] = []

    def resize(self, subgroup_size: int) -> None:
        """Make it one for subgroups of another size; the workgroup stays at least as large, and a multiple."""
        self.subgroup_size = subgroup_size
        self.lanes = subgroup_size if self.fragment else max(self.lanes, subgroup_size)

    def declare_by_seed(self) -> None:
        """Have one program in three declare nothing, and one subgroup-uniform control flow."""
        self.rules = RULES[(self.seed + 2) % len(RULES)]

    def size(self) -> int:
        """How many statements it has."""
        return sum(len(body) for body in all_bodies(self))


def all_statements(program: Program) -> list[Statement]:
    """Every statement, outer before inner; the loop of a fork after it."""
    statements: list[Statement] = []
    for body in all_bodies(program):
        for statement in body:
            statements.append(statement)
            if isinstance(statement, Fork):
                statements.append(statement.loop)
    return statements


def all_bodies(program: Program) -> list[list[Statement]]:
    """Every list of statements, outer before inner."""
    bodies = [routine.body for routine in program.routines]
    at = 0
    while at < len(bodies):
        for statement in bodies[at]:
            if isinstance(statement, Compound):
                bodies.extend(statement.bodies())
        at += 1
    return bodies
