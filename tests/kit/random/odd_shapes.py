"""Random programs of the shapes that compilers seldom emit and that a rewrite meets all the same.

    switch c { default: a; if d { break } b }       a switch of one trip, left early
    func f() { if c { return 1 } ... }              returns in the middle of called functions
    loop { ... } continuing { %x = f() ... }        calls and ifs in continuing parts
    if c { return } else { break }; (nobody)        merge blocks that nothing reaches
    func g() { ... }   main   other                 functions that nobody calls; two entry points that share functions

What a lane comes by it folds into its word of `out`, with the ballot of who is there unless the program is `silent`.
"""

import random
from typing import Final

from kit.random.constructs import counted_loop, fill_cases
from kit.random.trees import shell

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_function
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation
from reknit.ir.tree import Construct, If, Loop, Scope, Switch
from reknit.ir.types import bool_type, int_type, pointer_type, vector_type
from reknit.ir.value import Value
from reknit.passes.variables import local_variable

LANES: Final = 16
DEPTH: Final = 4
ENTRIES: Final = ("main", "other")


def program(seed: int, silent: bool = False, statements: int = 30) -> Module:
    """The program of a seed. Its entry points are among ENTRIES."""
    return _Module(seed, silent, statements).module


class _Module:
    """`functions` are those that may be called, later ones from earlier ones."""

    def __init__(self, seed: int, silent: bool, statements: int) -> None:
        self.random = random.Random(seed)
        self.silent = silent
        self.statements = statements
        self.module, main, b, lane, slot = shell(LANES)
        self.out, self.lane_id = [made for made in self.module.globals if made.op == op.Variable]
        self.functions: list[Function] = []
        u32 = int_type(self.module, 32, False)
        for index in range(self.random.randrange(1, 4)):
            self.functions.append(new_function(self.module, f"f{index}", u32, [("p", u32)]))
        entries = [main]
        if self.random.random() < 0.5:
            entries.append(self.entry("other"))
        sites = 0
        for number, function in enumerate([*entries, *self.functions]):
            first = max(0, number - len(entries) + 1)
            # The last function is called by nobody in every third program.
            last = len(self.functions) - (1 if seed % 3 == 0 and len(self.functions) > 1 else 0)
            body = _Body(self, function, self.functions[first:last], sites)
            if function is main:
                body.begin(b, lane, slot)
            sites = body.write(statements if number == 0 else statements // 3)

    def entry(self, name: str) -> Function:
        function = new_function(self.module, name)
        model = enums.ExecutionModelGLCompute
        self.module.entry_points.append(annotation(op.EntryPoint, [model, function, name, self.out, self.lane_id]))
        size: list[Operand] = [function, enums.ExecutionModeLocalSize, LANES, 1, 1]
        self.module.execution_modes.append(annotation(op.ExecutionMode, size))
        return function


class _Body:
    """Writes one function. `around` are the constructs that it may leave at a place, outermost first."""

    def __init__(self, whole: _Module, function: Function, callees: list[Function], sites: int) -> None:
        self.random = whole.random
        self.module = whole.module
        self.whole = whole
        self.function = function
        self.callees = callees
        self.sites = sites
        self.u32 = int_type(self.module, 32, False)
        self.bool = bool_type(self.module)
        self.b = Builder(self.module, function.body.entry())
        self.lane: Value | None = None
        self.slot: Value | None = None
        self.closed = False  # in a continuing part, which nothing but its end leaves
        self.loops = 0
        self.left = 0

    def begin(self, b: Builder, lane: Value, slot: Value) -> None:
        self.b, self.lane, self.slot = b, lane, slot

    def write(self, statements: int) -> int:
        self.left = statements
        if self.lane is None or self.slot is None:
            self.lane = self.b.load(self.u32, self.whole.lane_id, "lane")
            word = pointer_type(self.module, enums.StorageClassStorageBuffer, self.u32)
            self.slot = self.b.emit(op.AccessChain, word, [self.whole.out, self.number(0), self.lane], "slot")
        first = self.function.params[0] if self.function.params else self.lane
        self.variables = [local_variable(self.function, self.module, self.u32, f"v{index}") for index in range(3)]
        for index, variable in enumerate(self.variables):
            self.b.store(variable, self.b.emit(op.IAdd, self.u32, [first, self.number(index)]))
        self.see()
        self.region([], 0)
        self.leave()
        return self.sites

    def number(self, value: int) -> Instr:
        return int_constant(self.module, self.u32, value)

    def value(self) -> Value:
        kind = self.random.randrange(5)
        if kind == 0:
            return self.number(self.random.randrange(4))
        if kind == 1:
            assert self.lane is not None
            return self.lane
        return self.b.load(self.u32, self.random.choice(self.variables))

    def condition(self) -> Value:
        if self.random.random() < 0.2:
            return bool_constant(self.module, self.random.random() < 0.5)
        bits = self.b.emit(op.BitwiseAnd, self.u32, [self.value(), self.number(self.random.choice((1, 2, 3, 4)))])
        return self.b.emit(op.INotEqual, self.bool, [bits, self.number(0)])

    def see(self) -> None:
        self.sites += 1
        assert self.slot is not None
        seen = self.value()
        if not self.whole.silent and self.random.random() < 0.7:
            vector = vector_type(self.module, self.u32, 4)
            scope = self.number(enums.ScopeSubgroup)
            ballot = self.b.emit(op.GroupNonUniformBallot, vector, [scope, bool_constant(self.module, True)])
            seen = self.b.emit(op.CompositeExtract, self.u32, [ballot, 0])
        mixed = self.b.emit(op.IMul, self.u32, [self.b.load(self.u32, self.slot), self.number(2654435761)])
        mixed = self.b.emit(op.IAdd, self.u32, [mixed, seen])
        self.b.store(self.slot, self.b.emit(op.IAdd, self.u32, [mixed, self.number(self.sites)]))

    # --- statements ---------------------------------------------------------------------------------------------------

    def region(self, around: list[Construct], depth: int) -> None:
        """A few statements; nothing behind a jump."""
        for _ in range(self.random.randrange(1, 5)):
            if self.left <= 0 or self.b.block.jump is not None:
                return
            self.left -= 1
            self.statement(around, depth)

    def statement(self, around: list[Construct], depth: int) -> None:
        kind = self.random.randrange(14 if depth < DEPTH else 5)
        if kind < 2:
            self.see()
        elif kind == 2:
            sum = self.b.emit(op.IAdd, self.u32, [self.value(), self.value()])
            self.b.store(self.random.choice(self.variables), sum)
        elif kind == 3:
            self.call()
        elif kind == 4:
            self.phi()
        elif kind < 7:
            self.choice(around, depth)
        elif kind == 7:
            self.both_leave(around, depth)
        elif kind < 10:
            self.one_trip(around, depth)
        elif kind < 12:
            self.switch(around, depth)
        elif self.loops < 2:
            self.loop(around, depth)

    def call(self) -> None:
        if not self.callees or self.loops > 1:
            self.see()
            return
        found = self.b.emit(op.FunctionCall, self.u32, [self.random.choice(self.callees), self.value()])
        self.b.store(self.random.choice(self.variables), found)

    def phi(self) -> None:
        choice = self.b.open_if(self.condition())
        pairs: list[Value] = []
        for arm in choice.regions():
            self.b.at(arm.entry())
            pairs += [self.value(), self.b.block]
        self.b.at(choice.after())
        self.b.store(self.random.choice(self.variables), self.b.emit(op.Phi, self.u32, list(pairs)))

    def leave(self) -> None:
        """Return, if nothing else ends the block."""
        if self.b.block.jump is None:
            self.b.return_(self.value() if self.function.params else None)

    def jump(self, around: list[Construct]) -> None:
        """A way out that SPIR-V has: of the innermost loop, of a switch or scope inside it, of the function."""
        near = reachable(around)
        way = self.random.random()
        if self.closed:
            near = []
        if near and (way < 0.75 or self.closed):
            target = self.random.choice(near)
            if isinstance(target, Loop) and self.random.random() < 0.5:
                self.b.continue_(target)
            else:
                self.b.break_(target)
        elif not self.closed:
            self.leave()

    def choice(self, around: list[Construct], depth: int) -> None:
        choice = self.b.open_if(self.condition())
        self.b.at(choice.then.entry())
        self.region([*around, choice], depth + 1)
        if self.b.block.jump is None and self.random.random() < 0.3:
            self.jump([*around, choice])
        if self.random.random() < 0.5:
            self.b.at(choice.orelse.entry())
            self.region([*around, choice], depth + 1)
        self.b.at(choice.after())

    def both_leave(self, around: list[Construct], depth: int) -> None:
        """An if behind which nobody comes, or a switch; what is there is dead, or OpUnreachable."""
        if self.closed or depth == 0 and self.random.random() < 0.7:
            self.choice(around, depth)
            return
        made: If | Switch
        if self.random.random() < 0.7:
            made = self.b.open_if(self.condition())
        else:
            made = self.b.open_switch(self.b.emit(op.BitwiseAnd, self.u32, [self.value(), self.number(1)]))
            self.b.add_case(made, [0])
            self.b.add_case(made, [1], True)
        for region in made.regions():
            self.b.at(region.entry())
            if self.random.random() < 0.4:
                self.see()
            self.jump(around if isinstance(made, If) else [loop for loop in around if isinstance(loop, Loop)])
        self.b.at(made.after())
        if all(region.end().jump is not None for region in made.regions()) and self.random.random() < 0.5:
            self.b.exit(op.Unreachable, [])

    def one_trip(self, around: list[Construct], depth: int) -> None:
        """Something to break out of: a scope, or a switch whose one case is its default."""
        made: Scope | Switch
        if self.random.random() < 0.5:
            made = self.b.open_scope()
            body = made.body
        else:
            constant = self.random.random() < 0.7
            made = self.b.open_switch(self.number(0) if constant else self.value())
            body = self.b.add_case(made, [], True).region
        self.b.at(body.entry())
        for _ in range(self.random.randrange(1, 4)):
            if self.b.block.jump is None:
                self.region([*around, made], depth + 1)
            if self.b.block.jump is None and self.random.random() < 0.7:
                self.early(made)
        if self.b.block.jump is None and self.random.random() < 0.3:
            self.b.break_(made)
        self.b.at(made.after())

    def early(self, target: Scope | Switch | Loop) -> None:
        """if c { break target }, merged or not."""
        test = self.b.open_if(self.condition(), merged=self.random.random() < 0.6)
        self.b.at(test.then.entry())
        if test.merged and self.random.random() < 0.4:
            self.see()
        self.b.break_(target)
        self.b.at(test.after())

    def switch(self, around: list[Construct], depth: int) -> None:
        made = self.b.open_switch(self.b.emit(op.BitwiseAnd, self.u32, [self.value(), self.number(3)]))
        labels = [0, 1, 2, 3]
        self.random.shuffle(labels)
        count = self.random.randrange(1, 4)
        for index in range(count):
            spare = len(labels) - (count - 1 - index)  # each case has a label
            self.b.add_case(made, [labels.pop() for _ in range(min(spare, self.random.choice((1, 1, 2))))], index == 0)
        fill_cases(made, self.b, self.random, 0.4, lambda case: self.region([*around, made], depth + 1))

    def loop(self, around: list[Construct], depth: int) -> None:
        loop = counted_loop(self.module, self.function, self.b, self.random.randrange(4))
        self.loops += 1
        self.region([*around, loop], depth + 1)
        self.b.at(loop.continuing.entry())
        closed = self.closed
        self.closed = True
        if self.random.random() < 0.5:
            self.call()
        if self.random.random() < 0.4:
            self.region([], depth + 1)
        self.closed = closed
        self.loops -= 1
        self.b.at(loop.after())


def reachable(around: list[Construct]) -> list[Loop | Switch | Scope]:
    """What SPIR-V can leave from here: the innermost loop, and the innermost switch or scope if it is inside that."""
    found: list[Loop | Switch | Scope] = []
    for target in reversed(around):
        if isinstance(target, Loop):
            found.append(target)
            break
        if isinstance(target, (Switch, Scope)) and not found:
            found.append(target)
    return found
