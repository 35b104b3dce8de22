"""A routine of a random program, statement by statement, into a function.

    v0 .. v3   variables            the word of the lane in `out`, that Observe folds into
    statement ──▶ instructions and constructs at the end of the block that is being written
"""

from typing import Final, final

from reknit.fuzzing.program import Program, Routine
from reknit.fuzzing.statements import (
    DEMOTE,
    DISCARD,
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
    Repeat,
    Select,
    Statement,
)
from reknit.fuzzing.statements import Region as Once
from reknit.fuzzing.tangled_words import TangledWords
from reknit.fuzzing.words import LANE, LEAVES, LOCAL, LOCALS, Word
from reknit.ir import enums, op
from reknit.ir.build import Builder, new_block
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module
from reknit.ir.tree import Case, Construct, If, Loop, Region, Scope, Switch
from reknit.ir.types import bool_type, int_type, pointer_type
from reknit.ir.value import Value
from reknit.passes.variables import local_variable

MIXER: Final = 2654435761  # odd, so that no earlier word is lost
CODES: Final = {"add": op.IAdd, "sub": op.ISub, "xor": op.BitwiseXor, "and": op.BitwiseAnd, "mul": op.IMul}
TESTS: Final = {"less": op.ULessThan, "equal": op.IEqual}
MEETING: Final = enums.MemorySemanticsAcquireRelease | enums.MemorySemanticsWorkgroupMemory


@final
class Frame:
    """What all routines share: the buffer of results, the lane's number, the invocation's number in its subgroup if
    something asks for it, shared memory likewise, and the functions by routine."""

    __slots__ = ("program", "module", "functions", "out", "lane_id", "here", "shared")

    def __init__(self, program: Program, module: Module, out: Instr, lane_id: Instr) -> None:
        self.program = program
        self.module = module
        self.functions: list[Function] = []
        self.out = out
        self.lane_id = lane_id
        self.here: Instr | None = None
        self.shared: Instr | None = None


@final
class Body:
    """Writes one routine. `open` maps a statement that is being written to its construct."""

    def __init__(self, frame: Frame, function: Function, routine: Routine, main: bool) -> None:
        self.frame = frame
        self.module = frame.module
        self.u32 = int_type(self.module, 32, False)
        self.bool = bool_type(self.module)
        self.function = function
        self.main = main
        self.open: dict[Statement, Construct] = {}
        self.b = Builder(self.module, function.entry())
        self.tangled_emitter = TangledWords(self.module, self.b, 4 if frame.program.lanes > 64 else 2)
        self.tangled_emitter.here = frame.here
        self.locals = [local_variable(function, self.module, self.u32, f"v{index}") for index in range(LOCALS)]
        self.lane = self.b.load(self.u32, frame.lane_id, "lane")
        word = pointer_type(self.module, enums.StorageClassStorageBuffer, self.u32)
        self.slot = self.b.emit(op.AccessChain, word, [frame.out, self.number(0), self.lane], "slot")
        for index, local in enumerate(self.locals):
            first: Value = self.number(index)
            if index < len(function.params):
                first = function.params[index]
            elif index < 2:
                first = self.b.emit(op.IAdd, self.u32, [self.lane, first])
            self.b.store(local, first)
        self.statements(routine.body, function.body)
        if self.b.block.jump is None:
            self.leave(None)

    def number(self, value: int) -> Instr:
        return int_constant(self.module, self.u32, value)

    # --- values -------------------------------------------------------------------------------------------------------

    def leaf(self, word: Word) -> Value:
        if word.kind == LANE:
            return self.lane
        if word.kind == LOCAL:
            return self.b.load(self.u32, self.locals[word.number])
        return self.number(word.number)

    def word(self, word: Word) -> Value:
        """The value of an expression, its operands first."""
        done: list[Value] = []
        todo: list[tuple[Word, bool]] = [(word, False)]
        while todo:
            here, ready = todo.pop()
            if here.kind in LEAVES:
                done.append(self.leaf(here))
            elif not ready:
                assert here.left is not None and here.right is not None
                todo += [(here, True), (here.right, False), (here.left, False)]
            else:
                right = done.pop()
                left = done.pop()
                done.append(self.operation(here.kind, left, right))
        return done[0]

    def operation(self, kind: str, left: Value, right: Value) -> Value:
        if kind in TESTS:
            return self.tangled_emitter.as_word(self.b.emit(TESTS[kind], self.bool, [left, right]))
        return self.b.emit(CODES[kind], self.u32, [left, right])

    def condition(self, word: Word) -> Value:
        if word.kind not in LEAVES or word.kind in (LANE, LOCAL):
            return self.tangled_emitter.as_bool(self.word(word))
        return bool_constant(self.module, word.number != 0)

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self, body: list[Statement], region: Region) -> None:
        """`body` at the builder's place, to the end of `region`. Depth is bounded by the generator's."""
        for statement in body:
            if self.b.block.jump is not None:  # dead code
                self.b.at(new_block(region, padding=False))
            if isinstance(statement, Assign):
                value = self.word(statement.value)
                if statement.tangled:
                    value = self.tangled_emitter.emit(statement.tangled, value)
                self.b.store(self.locals[statement.local], value)
            elif isinstance(statement, Observe):
                self.observe(statement)
            elif isinstance(statement, Call):
                arguments: list[Operand] = [self.frame.functions[statement.routine]]
                arguments += [self.word(argument) for argument in statement.arguments]
                self.b.store(self.locals[statement.local], self.b.emit(op.FunctionCall, self.u32, arguments))
            elif isinstance(statement, Pick):
                self.pick(statement)
            elif isinstance(statement, Exchange):
                self.exchange(statement)
            elif isinstance(statement, Meet):
                self.meet(enums.ScopeSubgroup, enums.MemorySemanticsNone)
            elif isinstance(statement, Kill):
                self.kill(statement.way)
            elif isinstance(statement, Jump):
                self.jump(statement)
            elif isinstance(statement, Compound):
                self.compound(statement)

    def observe(self, statement: Observe) -> None:
        seen = self.tangled_emitter.emit(statement.tangled, self.word(statement.value))
        old = self.b.load(self.u32, self.slot)
        mixed = self.b.emit(op.IMul, self.u32, [old, self.number(MIXER)])
        mixed = self.b.emit(op.IAdd, self.u32, [mixed, seen])
        self.b.store(self.slot, self.b.emit(op.IAdd, self.u32, [mixed, self.number(statement.place)]))

    def pick(self, statement: Pick) -> None:
        choice = self.b.open_if(self.condition(statement.condition))
        pairs: list[Operand] = []
        for region, word in ((choice.then, statement.left), (choice.orelse, statement.right)):
            self.b.at(region.entry())
            value = self.word(word)
            if statement.tangled:
                value = self.tangled_emitter.emit(statement.tangled, value)
            pairs += [value, self.b.block]
        self.b.at(choice.after())
        self.b.store(self.locals[statement.local], self.b.emit(op.Phi, self.u32, pairs))

    def exchange(self, statement: Exchange) -> None:
        """Each writes its own word and reads another's; barriers keep the two apart, also from the next exchange."""
        assert self.frame.shared is not None
        lanes = self.number(self.frame.program.lanes)
        word = pointer_type(self.module, enums.StorageClassWorkgroup, self.u32)
        mine = self.b.emit(op.AccessChain, word, [self.frame.shared, self.lane])
        self.b.store(mine, self.word(statement.value))
        self.meet(enums.ScopeWorkgroup, MEETING)
        other = self.b.emit(op.IAdd, self.u32, [self.lane, self.number(statement.distance)])
        other = self.b.emit(op.UMod, self.u32, [other, lanes])
        theirs = self.b.load(self.u32, self.b.emit(op.AccessChain, word, [self.frame.shared, other]))
        self.meet(enums.ScopeWorkgroup, MEETING)
        self.b.store(self.locals[statement.local], theirs)

    def meet(self, scope: int, semantics: int) -> None:
        memory = self.number(scope)
        self.b.effect(op.ControlBarrier, [self.number(scope), memory, self.number(semantics)])

    def kill(self, way: str) -> None:
        if way == DEMOTE:
            self.b.effect(op.DemoteToHelperInvocation, [])
        else:
            self.b.exit(op.Kill if way == DISCARD else op.TerminateInvocation, [])

    def jump(self, statement: Jump) -> None:
        if statement.target is None:
            self.leave(statement.value)
            return
        target = self.open.get(statement.target)
        if target is None:
            return  # what it left has been shrunk away
        if statement.again:
            assert isinstance(target, Loop)
            self.b.continue_(target)
        else:
            self.b.break_(target)

    def leave(self, value: Word | None) -> None:
        if self.main:
            self.b.return_()
        else:
            self.b.return_(self.b.load(self.u32, self.locals[0]) if value is None else self.word(value))

    def compound(self, statement: Compound) -> None:
        construct: Construct
        if isinstance(statement, Choice):
            construct = self.choice(statement)
        elif isinstance(statement, Repeat):
            construct = self.repeat(statement)
        elif isinstance(statement, Select):
            construct = self.select(statement)
        elif isinstance(statement, Fork):
            construct = self.fork(statement)
        else:
            assert isinstance(statement, Once)
            construct = self.b.open_scope()
            self.inside(statement, statement.body, construct, construct.body)
        self.b.at(construct.after())

    def inside(self, statement: Compound, body: list[Statement], construct: Construct, region: Region) -> None:
        self.open[statement] = construct
        self.b.at(region.entry())
        self.statements(body, region)
        del self.open[statement]

    def choice(self, statement: Choice) -> If:
        node = self.b.open_if(self.condition(statement.condition), merged=statement.merged)
        self.inside(statement, statement.then, node, node.then)
        self.inside(statement, statement.orelse, node, node.orelse)
        return node

    def repeat(self, statement: Repeat) -> Loop:
        counter, trips = self.count(statement)
        return self.loop(statement, counter, trips)

    def fork(self, statement: Fork) -> Scope:
        counter, trips = self.count(statement.loop)
        condition = self.condition(statement.condition)
        scope = self.b.open_scope()
        self.b.at(scope.body.entry())
        test = self.b.open_if(condition, merged=False)
        for region, body in ((test.then, statement.then), (test.orelse, statement.orelse)):
            self.b.at(region.entry())
            self.statements(body, region)
        self.b.at(test.after())
        self.loop(statement.loop, counter, trips)
        return scope

    def count(self, statement: Repeat) -> tuple[Instr, Instr]:
        """The variable that counts trips, and how many there are at most."""
        counter = local_variable(self.function, self.module, self.u32, "i")
        trips = self.b.emit(op.BitwiseAnd, self.u32, [self.word(statement.trips), self.number(3)])
        self.b.store(counter, self.number(0))
        return counter, trips

    def loop(self, statement: Repeat, counter: Instr, trips: Instr) -> Loop:
        loop = self.b.open_loop()
        self.b.at(loop.body.entry())
        count = self.b.load(self.u32, counter)
        if statement.form != UNTIL:
            over = self.b.emit(op.UGreaterThanEqual, self.bool, [count, trips])
            self.leave_if(over, loop, statement.form != WHILE)
        self.b.store(counter, self.b.emit(op.IAdd, self.u32, [count, self.number(1)]))
        self.open[statement] = loop
        self.statements(statement.body, loop.body)
        self.b.at(loop.continuing.entry())
        self.statements(statement.continuing, loop.continuing)
        del self.open[statement]
        if statement.form == UNTIL:
            count = self.b.load(self.u32, counter)
            self.leave_if(self.b.emit(op.UGreaterThanEqual, self.bool, [count, trips]), loop, False)
        return loop

    def leave_if(self, condition: Instr, loop: Loop, merged: bool) -> None:
        test = self.b.open_if(condition, merged=merged)
        self.b.at(test.then.entry())
        self.b.break_(loop)
        self.b.at(test.after())

    def select(self, statement: Select) -> Switch:
        small = self.b.emit(op.BitwiseAnd, self.u32, [self.word(statement.value), self.number(3)])
        selector = self.b.emit(op.IAdd, self.u32, [small, self.number(statement.offset)])
        mask = 0xFFFFFFFF
        if statement.width != 32 or statement.signed:
            type = int_type(self.module, statement.width, statement.signed)
            code = op.Bitcast if statement.width == 32 else op.SConvert if statement.signed else op.UConvert
            selector = self.b.emit(code, type, [selector])
            mask = (1 << statement.width) - 1
        switch = self.b.open_switch(selector)
        cases: list[tuple[Arm, Case]] = []
        for arm in statement.arms:
            literals = []
            for label in arm.labels:
                literal = (label + statement.offset) & 0xFFFFFFFF
                if statement.signed and literal >> 31:
                    literal -= 1 << 32
                literals.append(literal & mask)
            cases.append((arm, self.b.add_case(switch, literals, arm.default)))
        if switch.default is None:
            self.b.add_case(switch, [], True)
        for index, (arm, case) in enumerate(cases):
            self.inside(statement, arm.body, switch, case.region)
            if arm.falls and self.b.block.jump is None and index + 1 < len(switch.cases):
                self.b.fallthrough(switch.cases[index + 1])
        return switch
