"""Random programs that always end and never race, for each seed one.

    seed ──▶ how large, how many lanes, which jumps ──▶ statements, from the outside in ──▶ Program

What they hold: ifs, loops (test first, test last, endless, no trip at all), switches (fallthrough, several labels, the
default anywhere or nowhere, selectors of 16 to 64 bits, extreme labels), scopes, calls of any depth with results,
breaks, continues, returns, values that pass over joins, and conditions that depend on what tangled operations gave. A
lane writes only its own word, and loops count their trips, so no schedule shows in the result.
"""

import random
from collections.abc import Sequence
from typing import Final, final

from reknit.fuzzing.features import (
    BARRIERS,
    CLUSTERS,
    CONTINUING,
    ENTRIES,
    EXITS,
    JOINS,
    KILLS,
    OPERATIONS,
    PLAIN,
    QUADS,
    SIZES,
    VOTES,
    check_features,
)
from reknit.fuzzing.program import Program, Routine
from reknit.fuzzing.statements import (
    DEMOTE,
    DISCARD,
    ENDLESS,
    TERMINATE,
    UNTIL,
    WHILE,
    Arm,
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
from reknit.fuzzing.words import (
    LANE,
    LOCAL,
    LOCALS,
    MORE_TANGLED,
    NUMBER,
    QUAD_READS,
    QUAD_VOTES,
    TANGLED,
    TELLING,
    Word,
)
from reknit.fuzzing.words import OPERATIONS as ARITHMETIC

DEPTH: Final = 5  # of nested statements
USUAL: Final = ((4, 8), (4, 8), (8, 8), (8, 8), (8, 16), (32, 32), (64, 64))  # (subgroup size, lanes)
MORE_SIZES: Final = (*USUAL, (4, 32), (16, 16), (16, 32), (32, 64), (64, 128), (128, 128))
OFFSETS: Final = (0, 0, 0, 0, 0x7FFFFFFE, 0xFFFFFFFE)  # the last two wrap: labels around the extremes and around zero


def generate(seed: int, statements: int = 0, features: Sequence[str] = ()) -> Program:
    """The program of `seed`, of about `statements` statements (0: that, too, depends on the seed), which may hold what
    `features` name besides (`fuzzing.features`). Raises InputError (RK0010) for a feature that there is not."""
    return _Author(seed, statements, check_features(features)).write()


@final
class _Author:
    """`gone`: some lane may have left main. `closed`: inside a continuing part, which nothing but its end leaves."""

    def __init__(self, seed: int, statements: int, features: dict[str, None]) -> None:
        self.random = random.Random(seed)
        self.features = features
        size, lanes = self.random.choice(MORE_SIZES if SIZES in features else USUAL)
        self.program = Program(seed, lanes, size, self.random.random() < 0.5 and PLAIN not in features)
        if KILLS in features and self.random.random() < 0.3:
            self.program.fragment = True
            self.program.lanes = size
        self.gone = False
        self.closed = False
        self.left = statements if statements else self.random.choice((6, 10, 15, 22, 30))
        self.places = 0
        self.loops = 0
        self.routine = 0

    def write(self) -> Program:
        routines = self.random.choice((1, 1, 1, 2, 3))
        for number in range(routines):
            self.program.routines.append(Routine(0 if number == 0 else self.random.randrange(3)))
        share = self.left // routines
        for number in range(routines):
            self.routine = number
            self.left = share
            body = self.program.routines[number].body
            body.append(self.observe())
            if number == 0:
                body += self.opening()
            if number + 1 < routines:
                body.append(self.call(number + 1))
            while self.left > 0:
                self.fill(body, [], 0)
            body.append(self.observe())
        return self.program

    # --- values -------------------------------------------------------------------------------------------------------

    def word(self, depth: int = 0) -> Word:
        kind = self.random.randrange(6 if depth < 2 else 4)
        if kind == 0:
            return Word(NUMBER, self.random.choice((0, 1, 2, 3, 5, 6, 0x55, 0x3C, 0xFFFFFFFF)))
        if kind == 1:
            return Word(LANE)
        if kind < 4:
            return Word(LOCAL, self.random.randrange(LOCALS))
        return Word(self.random.choice(ARITHMETIC), 0, self.word(depth + 1), self.word(depth + 1))

    def bit(self) -> Word:
        """A condition: a bit or two of a word, so that lanes differ often."""
        if self.random.random() < 0.12:
            return Word(NUMBER, self.random.randrange(2))
        varied = Word(LANE) if self.random.random() < 0.3 else self.word(1)
        return Word("and", 0, varied, Word(NUMBER, self.random.choice((1, 2, 3, 4, 5))))

    def observe(self) -> Observe:
        self.places += 1
        return Observe(self.tangled(), self.word(1), self.places)

    def tangled(self) -> str:
        """Mostly one that distinguishes tangles."""
        if OPERATIONS in self.features and self.random.random() < 0.4:
            kinds = MORE_TANGLED if CLUSTERS in self.features else MORE_TANGLED[:-1]
            return self.random.choice(kinds)
        if VOTES in self.features and self.random.random() < 0.1:
            return self.random.choice(QUAD_VOTES)
        return self.random.choice(TANGLED if self.random.random() < 0.3 else TELLING)

    # --- statements ---------------------------------------------------------------------------------------------------

    def fill(self, body: list[Statement], around: list[Compound], depth: int) -> None:
        """A few statements at the end of `body`; after a jump rarely any."""
        for _ in range(self.random.randrange(1, 5)):
            if self.left <= 0:
                return
            self.left -= 1
            statement = self.statement(around, depth)
            body.append(statement)
            if isinstance(statement, Jump) and self.random.random() < 0.85:
                return

    def statement(self, around: list[Compound], depth: int) -> Statement:
        if self.features and self.random.random() < 0.2:
            special = self.special(around, depth)
            if special is not None:
                return special
        kind = self.random.randrange(21 if depth < DEPTH else 9)
        if kind < 4:
            return self.observe()
        if kind < 7:
            tangled = self.tangled() if self.random.random() < 0.3 else ""
            return Assign(self.random.randrange(LOCALS), self.word(), tangled)
        if kind < 9:
            later = range(self.routine + 1, len(self.program.routines))
            if self.closed and self.program.fragment:
                later = range(0)  # inlined, an invocation's end would stand in a continuing part
            loops = 1 if self.features else 2
            if later and self.loops < loops and self.random.random() < 0.4:
                return self.call(self.random.choice(later))
            return self.jump(around)
        if kind < 13:
            return self.choice(around, depth)
        if kind < 15:
            if self.loops == 3:
                return self.observe()
            return self.repeat(around, depth)
        if kind < 20:
            return self.select(around, depth)
        scope = Region()
        self.fill(scope.body, [*around, scope], depth + 1)
        return scope

    def special(self, around: list[Compound], depth: int) -> Statement | None:
        """What a feature adds; None if the feature drawn has nothing for this place."""
        features = [feature for feature in (BARRIERS, ENTRIES, JOINS, KILLS, QUADS) if feature in self.features]
        if not features:
            return None
        if self.program.fragment:
            features += [feature for feature in features if feature == KILLS] * 2
        feature = self.random.choice(features)
        everyone = self.routine == 0 and depth == 0 and not self.gone
        if feature == JOINS:
            tangled = self.tangled() if self.random.random() < 0.5 else ""
            return Pick(self.random.randrange(LOCALS), self.bit(), self.word(1), self.word(1), tangled)
        if feature == ENTRIES and depth + 1 < DEPTH and self.loops < 3:
            return self.fork(around, depth)
        if feature == BARRIERS:
            if everyone and not self.program.fragment and self.random.random() < 0.8:
                return self.exchange()
            return Meet()
        if feature == QUADS and everyone:
            return self.read_quad()
        if feature == KILLS and self.program.fragment and not self.closed:
            ending = self.random.choice((DISCARD, TERMINATE, DEMOTE, DEMOTE))
            self.gone = self.gone or ending != DEMOTE
            return Kill(ending) if depth else Choice(self.bit(), [Kill(ending)], [])
        return None

    def opening(self) -> list[Statement]:
        """While all are surely there, what needs all: at the start of main."""
        statements: list[Statement] = []
        if BARRIERS in self.features and not self.program.fragment and self.random.random() < 0.3:
            statements.append(self.exchange())
        if QUADS in self.features and self.random.random() < 0.3:
            statements.append(self.read_quad())
        return statements

    def exchange(self) -> Exchange:
        distance = self.random.choice((1, 2, 5, self.program.lanes - 1))
        return Exchange(self.random.randrange(LOCALS), self.word(1), distance)

    def read_quad(self) -> Observe:
        self.places += 1
        return Observe(self.random.choice(QUAD_READS), self.word(1), self.places)

    def fork(self, around: list[Compound], depth: int) -> Fork:
        fork = Fork(self.bit(), self.loop())
        # An arm is no path out of the scope that the fork is: what is left from here is a loop, or left inside the arm.
        outside = nearest(around) if PLAIN in self.features else near(around)
        outside = [target for target in outside if isinstance(target, Repeat)]
        for arm in fork.bodies()[:2]:
            if arm is fork.then or self.random.random() < 0.7:
                self.fill(arm, outside, depth + 1)
        self.trips(fork.loop, around, depth + 1)
        return fork

    def call(self, routine: int) -> Call:
        self.gone = self.gone or self.program.fragment  # the routine may end some
        arguments = [self.word(1) for _ in range(self.program.routines[routine].parameters)]
        return Call(self.random.randrange(LOCALS), routine, arguments)

    def jump(self, around: list[Compound]) -> Statement:
        targets = around if self.program.levels else near(around)
        again = [target for target in targets if isinstance(target, Repeat)]
        if PLAIN in self.features:
            targets = nearest(around)
        if not targets or self.random.random() < 0.06:
            if self.closed or not around and self.random.random() < 0.9:
                return self.observe()
            self.gone = self.gone or self.routine == 0
            return Jump(None, False, self.word())
        if again and self.random.random() < 0.5:
            return Jump(self.random.choice(again), True)
        leave = [target for target in targets if self.program.levels or not isinstance(target, Choice)]
        return Jump(self.random.choice(leave))

    def choice(self, around: list[Compound], depth: int) -> Choice:
        choice = Choice(self.bit(), [], [])
        loops = [target for target in around if isinstance(target, Repeat)]
        if loops and self.random.random() < 0.2:
            jump = self.jump(around if PLAIN in self.features else [loops[-1]])
            if isinstance(jump, Jump) and jump.target is not None:
                choice.merged = False  # a path out of the loop, no selection
                choice.then.append(jump)
                return choice
        if EXITS in self.features and around and self.random.random() < 0.2:
            jump = self.jump(around)
            if isinstance(jump, Jump) and jump.target is not None:
                choice.merged = False
                choice.then.append(jump)
                return choice
        self.fill(choice.then, [*around, choice], depth + 1)
        if self.random.random() < 0.5:
            self.fill(choice.orelse, [*around, choice], depth + 1)
        return choice

    def repeat(self, around: list[Compound], depth: int) -> Repeat:
        loop = self.loop()
        self.trips(loop, around, depth)
        return loop

    def loop(self) -> Repeat:
        """A loop, still empty."""
        trips = Word(NUMBER, self.random.randrange(4)) if self.random.random() < 0.4 else self.word()
        return Repeat(self.random.choice((WHILE, WHILE, UNTIL, ENDLESS)), trips)

    def trips(self, loop: Repeat, around: list[Compound], depth: int) -> None:
        """What a loop repeats."""
        self.loops += 1
        self.fill(loop.body, [*around, loop], depth + 1)
        if self.random.random() < 0.4:
            self.left -= 1
            if CONTINUING in self.features and self.random.random() < 0.6:
                closed = self.closed
                self.closed = True
                self.left = max(self.left, 3)
                self.fill(loop.continuing, [], depth + 1)
                self.closed = closed
            else:
                loop.continuing.append(self.observe())
        self.loops -= 1

    def select(self, around: list[Compound], depth: int) -> Select:
        width = self.random.choice((32, 32, 32, 32, 32, 64, 16))
        value = Word(LANE) if self.random.random() < 0.4 else self.word()
        if self.random.random() < 0.05:
            value = Word(NUMBER, self.random.randrange(4))
        select = Select(value, self.random.choice(OFFSETS), width, self.random.random() < 0.5)
        labels = [0, 1, 2, 3, 4]
        self.random.shuffle(labels)
        count = self.random.randrange(1, 6)
        default = self.random.randrange(count + 1)  # the last number: no default
        for index in range(count):
            mine = [labels.pop() for _ in range(self.random.choice((0, 1, 1, 1, 2, 3))) if labels]
            if mine or index == default:
                select.arms.append(Arm(mine, index == default, self.random.random() < 0.5))
        for arm in select.arms:
            if self.random.random() < 0.85:
                self.fill(arm.body, [*around, select], depth + 1)
            if self.random.random() < 0.5:
                arm.body.append(self.observe())
        return select


def near(around: list[Compound]) -> list[Compound]:
    """What SPIR-V can leave from here: the innermost loop, and the innermost switch or scope if it is inside that."""
    targets: list[Compound] = []
    for target in reversed(around):
        if isinstance(target, Repeat):
            targets.append(target)
            break
        if isinstance(target, (Select, Region)) and not targets:
            targets.append(target)
    return targets


def nearest(around: list[Compound]) -> list[Compound]:
    """What `break` leaves in languages without labels."""
    for target in reversed(around):
        if isinstance(target, (Select, Region, Repeat)):
            return [target]
    return []
