"""What a random program is, before it is a module: statements in lists, so that a shrinker can leave some out.

    Program ── Routine ── body: [Assign | Observe | Call | Choice | Repeat | Select | Region | Jump]
                                                   if       loop     switch   scope

Words (u32) are all the data there is. Every routine has four local words v0 .. v3; the first start as its arguments.
A jump names the statement that it leaves, so it stays right when statements around it go.
"""

from typing import Final, final

LOCALS: Final = 4

# Kinds of expressions: leaves, then operations on two expressions.
LANE: Final = "lane"
LOCAL: Final = "local"
NUMBER: Final = "number"
LEAVES: Final = (LANE, LOCAL, NUMBER)
OPERATIONS: Final = ("add", "sub", "xor", "and", "mul", "less", "equal")

# What a tangled operation gives of a word: who is here, how they sum up, whose is the first word ...
TANGLED: Final = ("ballot", "count", "sum", "first", "elect", "any", "all", "scan")
TELLING: Final = ("ballot", "count", "sum", "scan")

# Forms of loops: where the test is, and how it leaves.
WHILE: Final = "while"  # a branch to the end in the header, without a selection around it
UNTIL: Final = "until"  # a conditional back edge
ENDLESS: Final = "endless"  # left by a break in an if


@final
class Word:
    """An expression: `kind` is LANE, LOCAL (`number` says which), NUMBER, or an operation on `left` and `right`."""

    __slots__ = ("kind", "number", "left", "right")

    def __init__(self, kind: str, number: int = 0, left: "Word | None" = None, right: "Word | None" = None) -> None:
        self.kind = kind
        self.number = number
        self.left = left
        self.right = right


class Statement:
    """Base of all statements."""

    __slots__ = ()


@final
class Assign(Statement):
    """local = value; with `tangled`, local = that operation over the value."""

    __slots__ = ("local", "value", "tangled")

    def __init__(self, local: int, value: Word, tangled: str = "") -> None:
        self.local = local
        self.value = value
        self.tangled = tangled


@final
class Observe(Statement):
    """Fold a tangled operation over a value, and this place's number, into what the lane has seen."""

    __slots__ = ("tangled", "value", "place")

    def __init__(self, tangled: str, value: Word, place: int) -> None:
        self.tangled = tangled
        self.value = value
        self.place = place


@final
class Call(Statement):
    """local = routine number `routine` of `arguments`."""

    __slots__ = ("local", "routine", "arguments")

    def __init__(self, local: int, routine: int, arguments: list[Word]) -> None:
        self.local = local
        self.routine = routine
        self.arguments = arguments


class Compound(Statement):
    """Base of the statements that have bodies and can be left by a jump."""

    __slots__ = ()

    def bodies(self) -> list[list[Statement]]:
        """Its bodies in source order; editing one edits the statement."""
        raise AssertionError("a compound statement is one of Choice, Repeat, Select, Region")


@final
class Choice(Compound):
    """if condition != 0. One that is not `merged` has a lone jump as its first arm and an empty second one."""

    __slots__ = ("condition", "then", "orelse", "merged")

    def __init__(self, condition: Word, then: list[Statement], orelse: list[Statement], merged: bool = True) -> None:
        self.condition = condition
        self.then = then
        self.orelse = orelse
        self.merged = merged

    def bodies(self) -> list[list[Statement]]:
        return [self.then, self.orelse]


@final
class Repeat(Compound):
    """A loop of at most `trips` & 3 iterations (of at least one in the form UNTIL)."""

    __slots__ = ("form", "trips", "body", "continuing")

    def __init__(self, form: str, trips: Word) -> None:
        self.form = form
        self.trips = trips
        self.body: list[Statement] = []
        self.continuing: list[Statement] = []

    def bodies(self) -> list[list[Statement]]:
        return [self.body, self.continuing]


@final
class Arm(Statement):
    """A case: `labels` are small numbers, `falls` into the next one unless its body jumps away."""

    __slots__ = ("labels", "default", "falls", "body")

    def __init__(self, labels: list[int], default: bool, falls: bool) -> None:
        self.labels = labels
        self.default = default
        self.falls = falls
        self.body: list[Statement] = []


@final
class Select(Compound):
    """switch (value & 3) + offset, as an integer of `width` bits; a label's literal is label + offset, too."""

    __slots__ = ("value", "offset", "width", "signed", "arms")

    def __init__(self, value: Word, offset: int, width: int, signed: bool) -> None:
        self.value = value
        self.offset = offset
        self.width = width
        self.signed = signed
        self.arms: list[Arm] = []

    def bodies(self) -> list[list[Statement]]:
        return [arm.body for arm in self.arms]


@final
class Region(Compound):
    """One trip, to be left early."""

    __slots__ = ("body",)

    def __init__(self) -> None:
        self.body: list[Statement] = []

    def bodies(self) -> list[list[Statement]]:
        return [self.body]


@final
class Jump(Statement):
    """Leave `target`, or with `again` go on with its next iteration, or without a target return `value`."""

    __slots__ = ("target", "again", "value")

    def __init__(self, target: Compound | None, again: bool = False, value: Word | None = None) -> None:
        self.target = target
        self.again = again
        self.value = value


@final
class Routine:
    """A function of `parameters` words that returns a word; routine 0 is the entry point and has neither."""

    __slots__ = ("parameters", "body")

    def __init__(self, parameters: int) -> None:
        self.parameters = parameters
        self.body: list[Statement] = []


@final
class Program:
    """A routine calls only routines of higher numbers. `lanes` is the size of the workgroup."""

    __slots__ = ("seed", "lanes", "subgroup_size", "levels", "routines")

    def __init__(self, seed: int, lanes: int, subgroup_size: int, levels: bool) -> None:
        self.seed = seed
        self.lanes = lanes
        self.subgroup_size = subgroup_size
        self.levels = levels  # jumps may cross any number of constructs; otherwise only as SPIR-V can write them
        self.routines: list[Routine] = []

    def size(self) -> int:
        """How many statements it has."""
        return sum(len(body) for body in all_bodies(self))


def all_bodies(program: Program) -> list[list[Statement]]:
    """Every list of statements, outer before inner."""
    found = [routine.body for routine in program.routines]
    at = 0
    while at < len(found):
        for statement in found[at]:
            if isinstance(statement, Compound):
                found.extend(statement.bodies())
        at += 1
    return found
