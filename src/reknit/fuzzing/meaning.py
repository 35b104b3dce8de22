"""What a random program means, worked out statement by statement: the judge of the simulator.

    lanes {0 1 2 3} ─▶ [if {b, d}, e]     if: lanes {0 2} run b and d, lane 2 leaves the loop around
                                          e: lanes {0 1 3} together
    jumps put lanes aside until what they leave ends; nothing here knows tangles, frames or blocks

The source's meaning of reconvergence: lanes at a statement run it together, and lanes that left a statement early
meet the others behind it. Lanes that fall through to a case run it with those that the switch sent there. Only a fork
keeps its two arms apart, through the loop behind it.
"""

from typing import Final, final

from reknit.fuzzing.program import Program, Routine
from reknit.fuzzing.statements import (
    DEMOTE,
    UNTIL,
    Assign,
    Call,
    Choice,
    Compound,
    Exchange,
    Fork,
    Jump,
    Kill,
    Meet,
    Observe,
    Pick,
    Region,
    Repeat,
    Select,
    Statement,
)
from reknit.fuzzing.tangled_meaning import MASK, tangled_result
from reknit.fuzzing.words import LANE, LEAVES, LOCALS, NUMBER, Word

MIXER: Final = 2654435761
Lanes = list[int]


def meaning_of(program: Program) -> list[int]:
    """The words of `out`: one a lane, that of a lane which ended or became a helper as it was then."""
    return _Run(program).run()


@final
class _Activation:
    """A routine that some lanes run: their locals, and those that returned, with their results."""

    __slots__ = ("routine", "locals", "results")

    def __init__(self, routine: Routine, arguments: dict[int, list[int]]) -> None:
        self.routine = routine
        self.results: dict[int, int] = {}
        self.locals: dict[int, list[int]] = {}
        for lane, given in arguments.items():
            first = [lane, (lane + 1) & MASK, 2, 3]
            self.locals[lane] = [*given, *first[len(given) :]]
        assert all(len(locals) == LOCALS for locals in self.locals.values())


@final
class _Run:
    """`left` holds, for each statement that lanes are in, those that left it early; `again`, for each loop, those that
    went on with its next iteration."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.out = [0] * program.lanes
        self.helpers: dict[int, None] = {}
        self.left: dict[Statement, Lanes] = {}
        self.again: dict[Statement, Lanes] = {}
        self.words = 4 if program.lanes > 64 else 2

    def run(self) -> list[int]:
        lanes = list(range(self.program.lanes))
        main = _Activation(self.program.routines[0], {lane: [] for lane in lanes})
        self.body(main.routine.body, lanes, main)
        return self.out

    # --- words --------------------------------------------------------------------------------------------------------

    def word(self, word: Word, lane: int, here: _Activation) -> int:
        """An expression's value; the depth of expressions is bounded by the generator's."""
        if word.kind in LEAVES:
            if word.kind == NUMBER:
                return word.number
            return lane if word.kind == LANE else here.locals[lane][word.number]
        assert word.left is not None and word.right is not None
        left = self.word(word.left, lane, here)
        right = self.word(word.right, lane, here)
        if word.kind == "add":
            return (left + right) & MASK
        if word.kind == "sub":
            return (left - right) & MASK
        if word.kind == "mul":
            return (left * right) & MASK
        if word.kind == "xor":
            return left ^ right
        if word.kind == "and":
            return left & right
        return int(left < right if word.kind == "less" else left == right)

    def tangled_result(self, kind: str, word: Word, lanes: Lanes, here: _Activation) -> dict[int, int]:
        values = {lane: self.word(word, lane, here) for lane in lanes}
        return tangled_result(kind, lanes, values, self.program.subgroup_size, self.words)

    def split(self, word: Word, lanes: Lanes, here: _Activation) -> tuple[Lanes, Lanes]:
        """Those with a word that is not 0, and the others."""
        yes = [lane for lane in lanes if self.word(word, lane, here)]
        return yes, without(lanes, yes)

    # --- statements ---------------------------------------------------------------------------------------------------

    def body(self, statements: list[Statement], lanes: Lanes, here: _Activation) -> Lanes:
        """The lanes that come to the end."""
        for statement in statements:
            if not lanes:
                break
            lanes = self.statement(statement, lanes, here)
        return lanes

    def statement(self, statement: Statement, lanes: Lanes, here: _Activation) -> Lanes:
        """The lanes that go on behind it. Depth is bounded by the generator's."""
        if isinstance(statement, Jump):
            return self.jump(statement, lanes, here)
        if isinstance(statement, Kill):
            if statement.way != DEMOTE:
                return []
            self.helpers.update(dict.fromkeys(lanes))
            return lanes
        if isinstance(statement, Compound):
            loop = statement.loop if isinstance(statement, Fork) else statement
            self.left[loop] = []
            self.again[loop] = []
            end = self.compound(statement, lanes, here)
            del self.again[loop]
            return sorted(end + self.left.pop(loop))
        if isinstance(statement, Observe):
            seen = self.tangled_result(statement.tangled, statement.value, lanes, here)
            for lane in lanes:
                if lane not in self.helpers:
                    self.out[lane] = (self.out[lane] * MIXER + seen[lane] + statement.place) & MASK
            return lanes
        return lanes if isinstance(statement, Meet) else self.assign(statement, lanes, here)

    def assign(self, statement: Statement, lanes: Lanes, here: _Activation) -> Lanes:
        """What gives a local a value; gives the lanes that got one, all but those that ended in a call."""
        if isinstance(statement, Assign):
            local = statement.local
            new = self.valued(statement.value, statement.tangled, lanes, here)
        elif isinstance(statement, Pick):
            local = statement.local
            yes, no = self.split(statement.condition, lanes, here)
            new = self.valued(statement.left, statement.tangled, yes, here)
            new.update(self.valued(statement.right, statement.tangled, no, here))
        elif isinstance(statement, Exchange):
            local = statement.local
            shared = {lane: self.word(statement.value, lane, here) for lane in lanes}
            assert len(shared) == self.program.lanes, "all of the workgroup must come to a barrier"
            new = {lane: shared[(lane + statement.distance) % self.program.lanes] for lane in lanes}
        else:
            assert isinstance(statement, Call)
            local = statement.local
            given = {lane: [self.word(word, lane, here) for word in statement.arguments] for lane in lanes}
            called = _Activation(self.program.routines[statement.routine], given)
            for lane in self.body(called.routine.body, lanes, called):
                called.results[lane] = called.locals[lane][0]
            new = called.results
        for lane, value in new.items():
            here.locals[lane][local] = value
        return sorted(new)

    def valued(self, word: Word, tangled: str, lanes: Lanes, here: _Activation) -> dict[int, int]:
        if tangled:
            return self.tangled_result(tangled, word, lanes, here)
        return {lane: self.word(word, lane, here) for lane in lanes}

    def jump(self, statement: Jump, lanes: Lanes, here: _Activation) -> Lanes:
        if statement.target is None:
            for lane in lanes:
                value = here.locals[lane][0] if statement.value is None else self.word(statement.value, lane, here)
                here.results[lane] = value
            return []
        aside = self.again if statement.again else self.left
        if statement.target not in aside:
            return lanes  # what it left has been shrunk away
        aside[statement.target] += lanes
        return []

    def compound(self, statement: Compound, lanes: Lanes, here: _Activation) -> Lanes:
        """The lanes that come to its end without a jump out of it."""
        if isinstance(statement, Choice):
            yes, no = self.split(statement.condition, lanes, here)
            return self.body(statement.then, yes, here) + self.body(statement.orelse, no, here)
        if isinstance(statement, Repeat):
            return self.repeat(statement, lanes, self.trips(statement, lanes, here), here)
        if isinstance(statement, Select):
            return self.select(statement, lanes, here)
        if isinstance(statement, Region):
            return self.body(statement.body, lanes, here)
        assert isinstance(statement, Fork)
        trips = self.trips(statement.loop, lanes, here)
        yes, no = self.split(statement.condition, lanes, here)
        end: Lanes = []
        for arm, mine in ((statement.then, yes), (statement.orelse, no)):
            mine = self.body(arm, mine, here)
            end += self.repeat(statement.loop, mine, trips, here)
        return end

    def trips(self, statement: Repeat, lanes: Lanes, here: _Activation) -> dict[int, int]:
        return {lane: self.word(statement.trips, lane, here) & 3 for lane in lanes}

    def repeat(self, statement: Repeat, lanes: Lanes, trips: dict[int, int], here: _Activation) -> Lanes:
        """The lanes whose trips are over."""
        over: Lanes = []
        count = 0
        while lanes:
            if statement.form != UNTIL:
                done = [lane for lane in lanes if count >= trips[lane]]
                over += done
                lanes = without(lanes, done)
            count += 1
            lanes = self.body(statement.body, lanes, here)
            lanes = sorted(lanes + self.again[statement])
            self.again[statement] = []
            lanes = self.body(statement.continuing, lanes, here)
            if statement.form == UNTIL:
                done = [lane for lane in lanes if count >= trips[lane]]
                over += done
                lanes = without(lanes, done)
        return over

    def select(self, statement: Select, lanes: Lanes, here: _Activation) -> Lanes:
        label = {lane: self.word(statement.value, lane, here) & 3 for lane in lanes}
        named = {number for arm in statement.arms for number in arm.labels}
        end = lanes if not any(arm.default for arm in statement.arms) else []
        end = [lane for lane in end if label[lane] not in named]
        falling: Lanes = []
        for arm in statement.arms:
            mine = [lane for lane in lanes if label[lane] in arm.labels or (arm.default and label[lane] not in named)]
            mine = self.body(arm.body, sorted(mine + falling), here)
            falling = mine if arm.falls else []
            end = end + ([] if arm.falls else mine)
        return end + falling


def without(lanes: Lanes, some: Lanes) -> Lanes:
    gone = set(some)
    return [lane for lane in lanes if lane not in gone]
