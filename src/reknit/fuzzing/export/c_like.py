"""A random program in a language of the C family; how the language says things is given by a Dialect.

    Repeat (while)   for (; c1 < t1; again1()) { c1 += 1u; ... }
    Repeat (until)   do { ... } while (until1());
    Region           switch (0) { default: ... }          so that `continue` inside means the loop around
    Fork             if (c) { arm; loop } else { arm; loop }

Locals are variables of the file, so that a continuing part can be a function: no routine calls itself. A jump that the
language has no words for is refused; programs with the feature `plain` have none.
"""

from typing import Final

from reknit.fuzzing.program import Program, Routine
from reknit.fuzzing.statements import (
    UNTIL,
    WHILE,
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
from reknit.fuzzing.words import LANE, LEAVES, LOCAL, LOCALS, NUMBER, Word
from reknit.source.diagnostic import Diagnostic, InputError

MIXER: Final = 2654435761
SIGNS: Final = {"add": "+", "sub": "-", "xor": "^", "and": "&", "mul": "*", "less": "<", "equal": "=="}
TRUTHS: Final = ("less", "equal")


def refuse(what: str) -> InputError:
    return InputError([Diagnostic("RK0013", f"the program can't be exported: {what}")])


class Dialect:
    """How a language writes what each language writes differently."""

    private: str = ""  # before a variable that each invocation has for itself
    meet: str = ""
    synchronize: str = ""

    def head(self, program: Program, shared: bool) -> list[str]:
        """What stands before everything else: extensions, the buffer, helper functions."""
        raise AssertionError("each dialect has its own")

    def main(self, program: Program) -> list[str]:
        """From the entry point's name to what gives it its lane."""
        raise AssertionError("each dialect has its own")

    def tangled(self, kind: str, value: str) -> str:
        """An expression; `value` is one without effects. Raises InputError (RK0013) where the language has none."""
        raise AssertionError("each dialect has its own")


class Writer:
    """Writes one program. `around` are the statements that are open, `loops` their numbers."""

    def __init__(self, program: Program, dialect: Dialect) -> None:
        if program.fragment:
            raise refuse("it is a fragment shader")
        self.program = program
        self.dialect = dialect
        self.lines: list[str] = []
        self.functions: list[str] = []
        self.variables: list[str] = []
        self.around: list[Compound] = []
        self.loops: dict[Repeat, int] = {}
        self.numbered = 0
        self.routine = 0
        self.shared = False

    def text(self) -> str:
        routines: list[str] = []
        for number in range(len(self.program.routines) - 1, -1, -1):
            self.routine = number
            routines += self.routine_lines(self.program.routines[number], number)
        variables = [f"{self.dialect.private}uint {name};" for name in self.variables]
        return "\n".join([*self.dialect.head(self.program, self.shared), *variables, "", *routines]) + "\n"

    def routine_lines(self, routine: Routine, number: int) -> list[str]:
        """The functions of its continuing parts, then its own."""
        self.lines = []
        self.functions = []
        self.variables += [self.local(index) for index in range(LOCALS)]
        params = [f"p{index}" for index in range(routine.parameters)]
        if number == 0:
            opening = self.dialect.main(self.program)
        else:
            opening = [f"uint f{number}({', '.join('uint ' + name for name in params)})", "{"]
        first = [*params, *["lane", "(lane + 1u)", "2u", "3u"][len(params) :]]
        self.lines += [f"    {self.local(index)} = {value};" for index, value in enumerate(first)]
        self.body(routine.body, 1)
        if number:
            self.lines.append(f"    return {self.local(0)};")
        return [*self.functions, *opening, *self.lines, "}", ""]

    def local(self, index: int) -> str:
        return f"v{self.routine}_{index}"

    def add(self, text: str, depth: int) -> None:
        self.lines.append("    " * depth + text)

    # --- words --------------------------------------------------------------------------------------------------------

    def word(self, word: Word) -> str:
        """An expression; its depth is bounded by the generator's."""
        if word.kind in LEAVES:
            if word.kind == NUMBER:
                return f"{word.number}u"
            return "lane" if word.kind == LANE else self.local(word.number)
        assert word.kind != LOCAL and word.left is not None and word.right is not None
        text = f"({self.word(word.left)} {SIGNS[word.kind]} {self.word(word.right)})"
        return f"uint{text}" if word.kind in TRUTHS else text

    def value(self, word: Word, tangled: str) -> str:
        return self.dialect.tangled(tangled, self.word(word)) if tangled else self.word(word)

    # --- statements ---------------------------------------------------------------------------------------------------

    def body(self, statements: list[Statement], depth: int) -> None:
        """Nesting is bounded by the generator's."""
        for statement in statements:
            if isinstance(statement, Compound):
                self.compound(statement, depth)
            elif isinstance(statement, Jump):
                self.jump(statement, depth)
            else:
                self.simple(statement, depth)

    def simple(self, statement: Statement, depth: int) -> None:
        if isinstance(statement, Assign):
            self.add(f"{self.local(statement.local)} = {self.value(statement.value, statement.tangled)};", depth)
        elif isinstance(statement, Observe):
            seen = self.value(statement.value, statement.tangled)
            self.add(f"seen[lane] = seen[lane] * {MIXER}u + {seen} + {statement.place}u;", depth)
        elif isinstance(statement, Call):
            arguments = ", ".join(self.word(argument) for argument in statement.arguments)
            self.add(f"{self.local(statement.local)} = f{statement.routine}({arguments});", depth)
        elif isinstance(statement, Pick):
            local = self.local(statement.local)
            left, right = (self.value(word, statement.tangled) for word in (statement.left, statement.right))
            self.add(f"if ({self.word(statement.condition)} != 0u) {{ {local} = {left}; }}", depth)
            self.lines[-1] += f" else {{ {local} = {right}; }}"
        elif isinstance(statement, Exchange):
            self.shared = True
            other = f"(lane + {statement.distance}u) % {self.program.lanes}u"
            self.add(f"pool[lane] = {self.word(statement.value)};", depth)
            self.add(self.dialect.synchronize, depth)
            self.add(f"{self.local(statement.local)} = pool[{other}];", depth)
            self.add(self.dialect.synchronize, depth)
        elif isinstance(statement, Meet):
            self.add(self.dialect.meet, depth)
        else:
            assert isinstance(statement, Kill)
            raise refuse(f"it has a {statement.way}")

    def jump(self, statement: Jump, depth: int) -> None:
        target = statement.target
        if target is None:
            value = self.local(0) if statement.value is None else self.word(statement.value)
            self.add(f"return {value};" if self.routine else "return;", depth)
            return
        if target not in self.around:
            return  # what it left has been shrunk away
        if statement.again:
            loops = [open for open in self.around if isinstance(open, Repeat)]
            if loops[-1] is not target:
                raise refuse("a jump goes on with a loop that is not the innermost")
            self.add("continue;", depth)
            return
        left = [open for open in self.around if isinstance(open, (Repeat, Select, Region))]
        if not left or left[-1] is not target:
            raise refuse("a jump leaves more than the innermost loop, switch or scope")
        self.add("break;", depth)

    def compound(self, statement: Compound, depth: int) -> None:
        if isinstance(statement, Choice):
            self.around.append(statement)
            self.add(f"if ({self.word(statement.condition)} != 0u) {{", depth)
            self.body(statement.then, depth + 1)
            if statement.orelse:
                self.add("} else {", depth)
                self.body(statement.orelse, depth + 1)
            self.add("}", depth)
            self.around.pop()
        elif isinstance(statement, Repeat):
            self.trips(statement, depth)
            self.loop(statement, depth)
        elif isinstance(statement, Select):
            self.select(statement, depth)
        elif isinstance(statement, Region):
            self.around.append(statement)
            self.add("switch (0) {", depth)
            self.add("default:", depth)
            self.body(statement.body, depth + 1)
            self.add("break;", depth + 1)
            self.add("}", depth)
            self.around.pop()
        else:
            assert isinstance(statement, Fork)
            self.trips(statement.loop, depth)
            self.add(f"if ({self.word(statement.condition)} != 0u) {{", depth)
            self.body(statement.then, depth + 1)
            self.loop(statement.loop, depth + 1)
            self.add("} else {", depth)
            self.body(statement.orelse, depth + 1)
            self.loop(statement.loop, depth + 1)
            self.add("}", depth)

    def trips(self, statement: Repeat, depth: int) -> None:
        self.numbered += 1  # a loop inside a fork's is written twice, with other variables
        number = self.numbered
        self.loops[statement] = number
        self.variables += [f"c{number}", f"t{number}"]
        self.add(f"t{number} = {self.word(statement.trips)} & 3u;", depth)
        self.again(statement, number)

    def again(self, statement: Repeat, number: int) -> None:
        """The function of a loop's continuing part, and of the test behind it."""
        lines, around = self.lines, self.around
        self.lines, self.around = [], []
        self.body(statement.continuing, 1)
        if statement.form == UNTIL:
            self.lines = [f"bool until{number}()", "{", *self.lines, f"    return c{number} < t{number};", "}", ""]
        else:
            self.lines = [f"void again{number}()", "{", *self.lines, "}", ""]
        self.functions += self.lines
        self.lines, self.around = lines, around

    def loop(self, statement: Repeat, depth: int) -> None:
        number = self.loops[statement]
        self.around.append(statement)
        self.add(f"c{number} = 0u;", depth)
        if statement.form == UNTIL:
            self.add("do {", depth)
        elif statement.form == WHILE:
            self.add(f"for (; c{number} < t{number}; again{number}()) {{", depth)
        else:
            self.add(f"for (;; again{number}()) {{", depth)
            self.add(f"if (c{number} >= t{number}) {{ break; }}", depth + 1)
        self.add(f"c{number} += 1u;", depth + 1)
        self.body(statement.body, depth + 1)
        self.add(f"}} while (until{number}());" if statement.form == UNTIL else "}", depth)
        self.around.pop()

    def select(self, statement: Select, depth: int) -> None:
        """Wider and narrower selectors have the same labels, so all are 32 bits here."""
        self.around.append(statement)
        self.add(f"switch (({self.word(statement.value)} & 3u) + {statement.offset}u) {{", depth)
        for arm in statement.arms:
            for label in arm.labels:
                self.add(f"case {(label + statement.offset) & 0xFFFFFFFF}u:", depth)
            if arm.default:
                self.add("default:", depth)
            self.body(arm.body, depth + 1)
            if not arm.falls or arm is statement.arms[-1]:
                self.add("break;", depth + 1)
        if not any(arm.default for arm in statement.arms):
            self.add("default:", depth)
            self.add("break;", depth + 1)
        self.add("}", depth)
        self.around.pop()
