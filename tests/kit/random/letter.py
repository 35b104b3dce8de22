"""Small programs with switches, loops and calls, and every result that the extension's letter allows: a judge that
shares nothing with the simulator.

    [("switch", 0, [([0], False, True, [SEE]), ([1], True, False, [SEE])])]
        ──text_of──▶  .rk        ──results──▶  {(word, word, word, word), ...}

A tangle is a list of lanes that goes through the statements. SPV_KHR_maximal_reconvergence, "Divergence": a switch
makes at least one tangle a case and at most one a selector value, so any partition of a case's values. "Reconvergence":
at a case that is reached by fallthrough, "T(L) may include a subset of non-escaping invocations in T(S)", so any
partition of the tangles that come there. All else meets: after an if, a switch, a loop, a call, and at a continue
target. Choices are made anew at each execution; all are gone through by a list of numbers, as an odometer counts.
"""

import random
from collections.abc import Iterator
from typing import Any, Final, final

from kit.text.preludes import compute

LANES: Final = 4
ROWS: Final = 24  # of input numbers, one a lane each
PRELUDE: Final = compute(LANES, ["out", "in"], maximal=True)
MIXER: Final = 31
WAYS: Final[dict[str, list[str]]] = {
    "main": [],
    "function": ["return"],
    "switch": ["break"],
    "loop": ["break", "continue"],
    "switch in loop": ["break", "continue"],
}
Statement = tuple[Any, ...]
Body = list[Statement]
Lanes = list[int]


@final
class Letter:
    """`functions[0]` is the entry point; `inputs[row * LANES + lane]` is what decides in `row`."""

    def __init__(self, functions: list[Body], inputs: list[int]) -> None:
        self.functions = functions
        self.inputs = inputs


# --- what it is ---------------------------------------------------------------------------------------------------


def generated(seed: int) -> Letter:
    """Statements: ("see", place), ("if", row, then, else), ("switch", row, arms), ("loop", trips, body), ("call",
    function), ("break",) of the innermost switch or loop, ("continue",), ("return",). An arm is (labels, default,
    falls, body)."""
    author = _Author(seed)
    helper = author.body(1, "function", False)
    main = author.body(2, "main", True)
    rng = author.rng
    inputs = [rng.randrange(3) if rng.random() < 0.9 else rng.randrange(6) for _ in range(ROWS * LANES)]
    return Letter([main, helper], inputs)


@final
class _Author:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.places = 0

    def see(self) -> Statement:
        self.places += 1
        return ("see", self.places)

    def body(self, depth: int, inside: str, calls: bool) -> Body:
        made = [self.statement(depth, inside, calls) for _ in range(self.rng.randint(1, 2))]
        return [*made, self.see()] if self.rng.random() < 0.6 else made

    def jump(self, inside: str) -> Body:
        """A jump for some lanes, in an if."""
        ways = WAYS[inside]
        return [("if", self.row(), [(self.rng.choice(ways),)], [])] if ways and self.rng.random() < 0.3 else []

    def row(self) -> int:
        return self.rng.randrange(ROWS - 3)

    def statement(self, depth: int, inside: str, calls: bool) -> Statement:
        draw = self.rng.random()
        if depth == 0 or draw < 0.15:
            return self.see()
        if calls and draw < 0.3:
            return ("call", 1)
        if draw < 0.45:
            then = [*self.body(depth - 1, inside, calls), *self.jump(inside)]
            return ("if", self.row(), then, self.body(depth - 1, inside, calls) if self.rng.random() < 0.5 else [])
        if draw < 0.6:
            return ("loop", self.rng.randint(1, 2), [*self.jump("loop"), *self.body(depth - 1, "loop", calls)])
        within = "switch in loop" if "loop" in inside else "switch"
        labels = [0, 1, 2, 3]
        self.rng.shuffle(labels)
        arms: list[tuple[list[int], bool, bool, Body]] = []
        count = self.rng.randint(1, 3)
        default = self.rng.randrange(count)
        for index in range(count):
            mine = sorted(labels.pop() for _ in range(self.rng.choice((1, 1, 2))) if labels)
            if not mine and index != default:
                continue
            rest = [self.see()] if self.rng.random() < 0.7 else self.body(depth - 1, within, calls)
            body = [*self.jump(within), *rest] if self.rng.random() < 0.85 else []
            arms.append((mine, index == default, self.rng.random() < 0.6, body))
        labels_of, is_default, _, body = arms[-1]
        arms[-1] = (labels_of, is_default, False, body)
        return ("switch", self.row(), arms)


# --- as a module --------------------------------------------------------------------------------------------------


def text_of(program: Letter) -> str:
    """The .rk form. A construct and a value has a number of its own."""
    return PRELUDE + "".join([_Writer(number).function(body) for number, body in enumerate(program.functions)])


@final
class _Writer:
    def __init__(self, number: int) -> None:
        self.number = number
        self.count = 0
        self.lines: list[str] = []
        self.variables: list[str] = []

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def function(self, body: Body) -> str:
        head = "func @f1(%slot: ptr<StorageBuffer, u32>, %lane: u32) -> void {"
        start: list[str] = []
        if self.number == 0:
            head = "func @main() -> void {"
            start = ["%lane = Load %lane_id : u32", "%slot = AccessChain %out, 0u, %lane : ptr<StorageBuffer, u32>"]
        self.body(body, "", [], "")
        return "\n".join([head, *self.variables, *start, *self.lines, "return", "}", ""])

    def body(self, body: Body, counter: str, around: list[str], loop: str) -> None:
        for statement in body:
            self.statement(statement, counter, around, loop)

    def value(self, row: int, counter: str) -> str:
        n = self.fresh()
        self.lines.append(f"%base{n} = IAdd %lane, {row * LANES}u : u32")
        at = f"%base{n}"
        if counter:
            self.lines += [
                f"%i{n} = Load {counter} : u32",
                f"%step{n} = IMul %i{n}, {LANES}u : u32",
                f"%at{n} = IAdd %base{n}, %step{n} : u32",
            ]
            at = f"%at{n}"
        self.lines += [
            f"%from{n} = AccessChain %in, 0u, {at} : ptr<StorageBuffer, u32>",
            f"%v{n} = Load %from{n} : u32",
        ]
        return f"%v{n}"

    def statement(self, statement: Statement, counter: str, around: list[str], loop: str) -> None:
        kind = statement[0]
        n = self.fresh()
        add = self.lines.append
        if kind == "see":
            self.lines += [
                f"%who{n} = GroupNonUniformBallot 3u, true : vec4<u32>",
                f"%low{n} = CompositeExtract %who{n}, 0 : u32",
                f"%old{n} = Load %slot : u32",
                f"%mixed{n} = IMul %old{n}, {MIXER}u : u32",
                f"%more{n} = IAdd %mixed{n}, %low{n} : u32",
                f"%new{n} = IAdd %more{n}, {16 * statement[1]}u : u32",
                f"Store %slot, %new{n}",
            ]
        elif kind == "if":
            value = self.value(statement[1], counter)
            add(f"%c{n} = IEqual {value}, 0u : bool")
            add(f"if %c{n} {{")
            self.body(statement[2], counter, around, loop)
            add("} else {")
            self.body(statement[3], counter, around, loop)
            add("}")
        elif kind == "loop":
            mine = f"%n{n}"
            self.variables.append(f"{mine} = Variable Function : ptr<Function, u32>")
            self.lines += [f"Store {mine}, 0u", f"loop @l{n} {{", f"%t{n} = Load {mine} : u32"]
            self.lines += [f"%done{n} = UGreaterThanEqual %t{n}, {statement[1]}u : bool"]
            self.lines += [f"if %done{n} nojoin {{ break @l{n} }}"]
            self.body(statement[2], mine, [*around, f"@l{n}"], f"@l{n}")
            self.lines += ["} continuing {", f"%u{n} = Load {mine} : u32", f"%w{n} = IAdd %u{n}, 1u : u32"]
            self.lines += [f"Store {mine}, %w{n}", "}"]
        elif kind == "switch":
            value = self.value(statement[1], counter)
            add(f"switch {value} as @s{n} {{")
            for labels, default, falls, body in statement[2]:
                names = [f"case {', '.join(map(str, labels))}"] if labels else []
                add(f"{', '.join([*names, *(['default'] if default else [])])}: {{")
                self.body(body, counter, [*around, f"@s{n}"], loop)
                if falls:
                    add("fallthrough")
                add("}")
            add("}")
        elif kind == "call":
            add(f"%none{n} = FunctionCall @f1, %slot, %lane : void")
        else:
            targets = {"break": around[-1] if around else "", "continue": loop, "return": ""}
            add(f"{kind} {targets[kind]}".rstrip())


# --- what it may do -----------------------------------------------------------------------------------------------


def results(program: Letter, most: int) -> set[tuple[int, ...]] | None:
    """Every result; None where there are more than `most` lists of choices."""
    found: set[tuple[int, ...]] = set()
    script: list[int] = []
    for _ in range(most):
        run = _Run(program, script)
        run.start()
        found.add(tuple(run.out))
        digits = run.taken
        while digits and digits[-1][0] + 1 == digits[-1][1]:
            digits.pop()
        if not digits:
            return found
        script = [number for number, _ in digits]
        script[-1] += 1
    return None


def partitions(things: list[Lanes]) -> Iterator[list[list[Lanes]]]:
    """All ways to divide a list."""
    if not things:
        yield []
        return
    for rest in partitions(things[1:]):
        yield [[things[0]], *rest]
        for index in range(len(rest)):
            yield [*rest[:index], [things[0], *rest[index]], *rest[index + 1 :]]


@final
class _Run:
    def __init__(self, program: Letter, script: list[int]) -> None:
        self.program = program
        self.script = script
        self.taken: list[tuple[int, int]] = []
        self.out = [0] * LANES

    def start(self) -> None:
        self.body(self.program.functions[0], list(range(LANES)), 0, [])

    def divide(self, tangles: list[Lanes]) -> list[Lanes]:
        """One of the ways to run these together."""
        if len(tangles) < 2:
            return tangles
        ways = list(partitions(tangles))
        number = self.script[len(self.taken)] if len(self.taken) < len(self.script) else 0
        self.taken.append((number, len(ways)))
        return sorted(sorted(lane for tangle in group for lane in tangle) for group in ways[number])

    def value(self, row: int, lane: int, turn: int) -> int:
        return self.program.inputs[(row + turn) * LANES + lane]

    def body(self, body: Body, lanes: Lanes, turn: int, around: list[dict[str, Lanes]]) -> Lanes:
        """The lanes that come to the end. `around` has, for each construct, who left it by which jump."""
        for statement in body:
            if lanes:
                lanes = self.statement(statement, lanes, turn, around)
        return lanes

    def statement(self, statement: Statement, lanes: Lanes, turn: int, around: list[dict[str, Lanes]]) -> Lanes:
        kind = statement[0]
        if kind == "see":
            ballot = sum(1 << lane for lane in lanes)
            for lane in lanes:
                self.out[lane] = (self.out[lane] * MIXER + ballot + 16 * statement[1]) & 0xFFFFFFFF
            return lanes
        if kind == "if":
            yes = [lane for lane in lanes if self.value(statement[1], lane, turn) == 0]
            no = [lane for lane in lanes if lane not in yes]
            return sorted(self.body(statement[2], yes, turn, around) + self.body(statement[3], no, turn, around))
        if kind == "loop":
            left: Lanes = []
            for mine in range(statement[1]):
                jumps: dict[str, Lanes] = {"break": [], "continue": []}
                lanes = sorted(self.body(statement[2], lanes, mine, [*around, jumps]) + jumps["continue"])
                left += jumps["break"]
            return sorted(lanes + left)
        if kind == "switch":
            return self.switch(statement, lanes, turn, around)
        if kind == "call":
            returned: dict[str, Lanes] = {"return": []}
            return sorted(self.body(self.program.functions[statement[1]], lanes, 0, [returned]) + returned["return"])
        for jumps in reversed(around):
            if kind in jumps:
                jumps[kind] += lanes
                break
        return []

    def switch(self, statement: Statement, lanes: Lanes, turn: int, around: list[dict[str, Lanes]]) -> Lanes:
        arms = statement[2]
        named = {label for labels, _, _, _ in arms for label in labels}
        jumps: dict[str, Lanes] = {"break": []}
        falling: list[Lanes] = []
        end: Lanes = []
        for labels, default, falls, body in arms:
            values: dict[int, Lanes] = {}
            for lane in lanes:
                value = self.value(statement[1], lane, turn)
                if value in labels or (default and value not in named):
                    values.setdefault(value, []).append(lane)
            at_end: list[Lanes] = []
            for tangle in self.divide([*falling, *values.values()]):
                reached = self.body(body, tangle, turn, [*around, jumps])
                if reached:
                    at_end.append(reached)
            falling = at_end if falls else []
            if not falls:
                end += [lane for tangle in at_end for lane in tangle]
        return sorted(end + jumps["break"])
