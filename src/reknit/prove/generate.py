"""Random programs that always end and never race, for each seed one.

    seed ──▶ how large, how many lanes, which jumps ──▶ statements, from the outside in ──▶ Program

What they hold: ifs, loops (test first, test last, endless, no trip at all), switches (fallthrough, several labels, the
default anywhere or nowhere, selectors of 16 to 64 bits, extreme labels), scopes, calls of any depth with results,
breaks, continues, returns, values that pass over joins, and conditions that depend on what tangled operations gave. A
lane writes only its own word, and loops count their trips, so no schedule shows in the result.
"""

import random
from typing import Final, final

from reknit.prove.program import (
    ENDLESS,
    LANE,
    LOCAL,
    LOCALS,
    NUMBER,
    OPERATIONS,
    TANGLED,
    TELLING,
    UNTIL,
    WHILE,
    Arm,
    Assign,
    Call,
    Choice,
    Compound,
    Jump,
    Observe,
    Program,
    Region,
    Repeat,
    Routine,
    Select,
    Statement,
    Word,
)

DEPTH: Final = 5  # of nested statements
SIZES: Final = ((4, 8), (4, 8), (8, 8), (8, 8), (8, 16), (32, 32), (64, 64))  # (subgroup size, lanes)
OFFSETS: Final = (0, 0, 0, 0, 0x7FFFFFFE, 0xFFFFFFFE)  # the last two wrap: labels around the extremes and around zero


def generate(seed: int, statements: int = 0) -> Program:
    """The program of `seed`, of about `statements` statements (0: that, too, depends on the seed)."""
    return _Author(seed, statements).write()


@final
class _Author:
    def __init__(self, seed: int, statements: int) -> None:
        self.random = random.Random(seed)
        size, lanes = self.random.choice(SIZES)
        self.program = Program(seed, lanes, size, self.random.random() < 0.5)
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
        return Word(self.random.choice(OPERATIONS), 0, self.word(depth + 1), self.word(depth + 1))

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
        """Mostly one that tells different tangles apart."""
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
        kind = self.random.randrange(21 if depth < DEPTH else 9)
        if kind < 4:
            return self.observe()
        if kind < 7:
            tangled = self.tangled() if self.random.random() < 0.3 else ""
            return Assign(self.random.randrange(LOCALS), self.word(), tangled)
        if kind < 9:
            later = range(self.routine + 1, len(self.program.routines))
            if later and self.loops < 2 and self.random.random() < 0.4:
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

    def call(self, routine: int) -> Call:
        arguments = [self.word(1) for _ in range(self.program.routines[routine].parameters)]
        return Call(self.random.randrange(LOCALS), routine, arguments)

    def jump(self, around: list[Compound]) -> Statement:
        targets = around if self.program.levels else near(around)
        again = [target for target in targets if isinstance(target, Repeat)]
        if not targets or self.random.random() < 0.06:
            if not around and self.random.random() < 0.9:
                return self.observe()
            return Jump(None, False, self.word())
        if again and self.random.random() < 0.5:
            return Jump(self.random.choice(again), True)
        leave = [target for target in targets if self.program.levels or not isinstance(target, Choice)]
        return Jump(self.random.choice(leave))

    def choice(self, around: list[Compound], depth: int) -> Choice:
        made = Choice(self.bit(), [], [])
        loops = [target for target in around if isinstance(target, Repeat)]
        if loops and self.random.random() < 0.2:
            jump = self.jump([loops[-1]])
            if isinstance(jump, Jump) and jump.target is not None:
                made.merged = False  # a way out of the loop, no selection
                made.then.append(jump)
                return made
        self.fill(made.then, [*around, made], depth + 1)
        if self.random.random() < 0.5:
            self.fill(made.orelse, [*around, made], depth + 1)
        return made

    def repeat(self, around: list[Compound], depth: int) -> Repeat:
        trips = Word(NUMBER, self.random.randrange(4)) if self.random.random() < 0.4 else self.word()
        made = Repeat(self.random.choice((WHILE, WHILE, UNTIL, ENDLESS)), trips)
        self.loops += 1
        self.fill(made.body, [*around, made], depth + 1)
        if self.random.random() < 0.4:
            self.left -= 1
            made.continuing.append(self.observe())
        self.loops -= 1
        return made

    def select(self, around: list[Compound], depth: int) -> Select:
        width = self.random.choice((32, 32, 32, 32, 32, 64, 16))
        value = Word(LANE) if self.random.random() < 0.4 else self.word()
        if self.random.random() < 0.05:
            value = Word(NUMBER, self.random.randrange(4))
        made = Select(value, self.random.choice(OFFSETS), width, self.random.random() < 0.5)
        labels = [0, 1, 2, 3, 4]
        self.random.shuffle(labels)
        count = self.random.randrange(1, 6)
        default = self.random.randrange(count + 1)  # the last number: no default
        for index in range(count):
            mine = [labels.pop() for _ in range(self.random.choice((0, 1, 1, 1, 2, 3))) if labels]
            if mine or index == default:
                made.arms.append(Arm(mine, index == default, self.random.random() < 0.5))
        for arm in made.arms:
            if self.random.random() < 0.85:
                self.fill(arm.body, [*around, made], depth + 1)
            if self.random.random() < 0.5:
                arm.body.append(self.observe())
        return made


def near(around: list[Compound]) -> list[Compound]:
    """What SPIR-V can leave from here: the innermost loop, and the innermost switch or scope if it is inside that."""
    found: list[Compound] = []
    for target in reversed(around):
        if isinstance(target, Repeat):
            found.append(target)
            break
        if isinstance(target, (Select, Region)) and not found:
            found.append(target)
    return found
