"""The statements of a random program, in lists, so that a shrinker can leave some out.

    simple     Assign  Observe  Pick (a phi)  Call  Exchange, Meet (barriers)  Kill  Jump
    compound   Choice  Repeat  Select  Region  Fork
               if      loop    switch  scope   if, then a loop that both arms enter by themselves

A jump names the statement that it leaves, so it stays right when statements around it go.
"""

from typing import Final, final

from reknit.fuzzing.words import Word

# Forms of loops: where the test is, and how it leaves.
WHILE: Final = "while"  # a branch to the end in the header, without a selection around it
UNTIL: Final = "until"  # a conditional back edge
ENDLESS: Final = "endless"  # left by a break in an if

# How a lane of a fragment shader ends, or (the last one) stops to store anything.
DISCARD: Final = "discard"  # OpKill
TERMINATE: Final = "terminate"
DEMOTE: Final = "demote"


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


@final
class Pick(Statement):
    """local = condition != 0 ? left : right, through two blocks and a phi; with `tangled`, each block has that
    operation over its own word."""

    __slots__ = ("local", "condition", "left", "right", "tangled")

    def __init__(self, local: int, condition: Word, left: Word, right: Word, tangled: str = "") -> None:
        self.local = local
        self.condition = condition
        self.left = left
        self.right = right
        self.tangled = tangled


@final
class Exchange(Statement):
    """local = the `value` of lane (lane + distance) % lanes, through shared memory between barriers of the workgroup;
    stands only where all of the workgroup come."""

    __slots__ = ("local", "value", "distance")

    def __init__(self, local: int, value: Word, distance: int) -> None:
        self.local = local
        self.value = value
        self.distance = distance


@final
class Meet(Statement):
    """A barrier of the subgroup."""

    __slots__ = ()


@final
class Kill(Statement):
    """`way` is DISCARD, TERMINATE or DEMOTE; only in fragment shaders."""

    __slots__ = ("way",)

    def __init__(self, way: str) -> None:
        self.way = way


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
class Fork(Compound):
    """if condition != 0 {then} else {orelse}, then `loop`, entered from both arms, which don't meet before it; all
    meet after it. Only the loop can be left by a jump, not the fork."""

    __slots__ = ("condition", "then", "orelse", "loop")

    def __init__(self, condition: Word, loop: Repeat) -> None:
        self.condition = condition
        self.then: list[Statement] = []
        self.orelse: list[Statement] = []
        self.loop = loop

    def bodies(self) -> list[list[Statement]]:
        return [self.then, self.orelse, self.loop.body, self.loop.continuing]


@final
class Jump(Statement):
    """Leave `target`, or with `again` go on with its next iteration, or without a target return `value`."""

    __slots__ = ("target", "again", "value")

    def __init__(self, target: Compound | None, again: bool = False, value: Word | None = None) -> None:
        self.target = target
        self.again = again
        self.value = value
