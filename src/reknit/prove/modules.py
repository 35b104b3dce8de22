"""A random program made into a module: a compute shader with one buffer.

    out[lane] = out[lane] * K + what this place saw + its number        for every Observe that the lane comes by

so that two modules that agree on `out` ran every place with the same lanes, in the same order for each lane, with the
same values in their locals.
"""

from typing import Final, final

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_block, new_function
from reknit.ir.constants import bool_constant, int_constant
from reknit.ir.function import Function
from reknit.ir.instr import Instr, Operand
from reknit.ir.module import Module, annotation
from reknit.ir.tree import Case, Construct, If, Loop, Region, Switch
from reknit.ir.types import bool_type, int_type, pointer_type, vector_type
from reknit.ir.value import Value
from reknit.passes.variables import local_variable
from reknit.prove.program import (
    LANE,
    LEAVES,
    LOCAL,
    LOCALS,
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
    Repeat,
    Routine,
    Select,
    Statement,
    Word,
)
from reknit.prove.program import Region as Once

MIXER: Final = 2654435761  # odd, so that no earlier word is lost
CODES: Final = {"add": op.IAdd, "sub": op.ISub, "xor": op.BitwiseXor, "and": op.BitwiseAnd, "mul": op.IMul}
TESTS: Final = {"less": op.ULessThan, "equal": op.IEqual}


def module_of(program: Program) -> Module:
    """The module of `program`, in the tree form; it says that its tangles reconverge maximally."""
    return _Maker(program).module


@final
class _Maker:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.module = Module()
        self.u32 = int_type(self.module, 32, False)
        self.bool = bool_type(self.module)
        self.functions: list[Function] = []
        self.out: Instr = self.u32
        self.lane_id: Instr = self.u32
        self.preamble()
        for number, routine in enumerate(program.routines):
            if number == 0:
                self.functions.append(new_function(self.module, "main"))
            else:
                params = [(f"p{index}", self.u32) for index in range(routine.parameters)]
                self.functions.append(new_function(self.module, f"f{number}", self.u32, params))
        self.entry()
        for number, routine in enumerate(program.routines):
            _Body(self, self.functions[number], routine, number == 0)

    def preamble(self) -> None:
        m = self.module
        capabilities = [
            enums.CapabilityShader,
            enums.CapabilityGroupNonUniform,
            enums.CapabilityGroupNonUniformVote,
            enums.CapabilityGroupNonUniformArithmetic,
            enums.CapabilityGroupNonUniformBallot,
        ]
        widths = {select.width for select in _selects(self.program)}
        if 16 in widths:
            capabilities.append(enums.CapabilityInt16)
        if 64 in widths:
            capabilities.append(enums.CapabilityInt64)
        m.capabilities += [annotation(op.Capability, [code]) for code in capabilities]
        m.extensions.append(annotation(op.Extension, ["SPV_KHR_maximal_reconvergence"]))
        m.memory_model.append(annotation(op.MemoryModel, [enums.AddressingModelLogical, enums.MemoryModelGLSL450]))
        array = m.intern(op.TypeRuntimeArray, None, [self.u32])
        struct = m.intern(op.TypeStruct, None, [array])
        storage = enums.StorageClassStorageBuffer
        self.out = Instr(op.Variable, pointer_type(m, storage, struct), [storage], "out")
        self.lane_id = Instr(
            op.Variable, pointer_type(m, enums.StorageClassInput, self.u32), [enums.StorageClassInput], "lane_id"
        )
        m.globals += [self.out, self.lane_id]
        m.decorations += [
            annotation(op.Decorate, [array, enums.DecorationArrayStride, 4]),
            annotation(op.MemberDecorate, [struct, 0, enums.DecorationOffset, 0]),
            annotation(op.Decorate, [struct, enums.DecorationBlock]),
            annotation(op.Decorate, [self.out, enums.DecorationDescriptorSet, 0]),
            annotation(op.Decorate, [self.out, enums.DecorationBinding, 0]),
            annotation(op.Decorate, [self.lane_id, enums.DecorationBuiltIn, enums.BuiltInLocalInvocationIndex]),
        ]

    def entry(self) -> None:
        m = self.module
        main = self.functions[0]
        m.entry_points.append(
            annotation(op.EntryPoint, [enums.ExecutionModelGLCompute, main, "main", self.out, self.lane_id])
        )
        m.execution_modes += [
            annotation(op.ExecutionMode, [main, enums.ExecutionModeLocalSize, self.program.lanes, 1, 1]),
            annotation(op.ExecutionMode, [main, enums.ExecutionModeMaximallyReconvergesKHR]),
        ]


@final
class _Body:
    """Writes one routine. `open` maps a statement that is being written to its construct."""

    def __init__(self, maker: _Maker, function: Function, routine: Routine, main: bool) -> None:
        self.maker = maker
        self.module = maker.module
        self.u32 = maker.u32
        self.bool = maker.bool
        self.function = function
        self.main = main
        self.open: dict[Statement, Construct] = {}
        self.b = Builder(self.module, function.entry())
        self.locals = [local_variable(function, self.module, self.u32, f"v{index}") for index in range(LOCALS)]
        self.lane = self.b.load(self.u32, maker.lane_id, "lane")
        word = pointer_type(self.module, enums.StorageClassStorageBuffer, self.u32)
        self.slot = self.b.emit(op.AccessChain, word, [maker.out, self.number(0), self.lane], "slot")
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
            return self.as_word(self.b.emit(TESTS[kind], self.bool, [left, right]))
        return self.b.emit(CODES[kind], self.u32, [left, right])

    def as_word(self, truth: Value) -> Instr:
        return self.b.emit(op.Select, self.u32, [truth, self.number(1), self.number(0)])

    def as_bool(self, word: Value) -> Instr:
        return self.b.emit(op.INotEqual, self.bool, [word, self.number(0)])

    def condition(self, word: Word) -> Value:
        if word.kind not in LEAVES or word.kind in (LANE, LOCAL):
            return self.as_bool(self.word(word))
        return bool_constant(self.module, word.number != 0)

    def tangled(self, kind: str, value: Value) -> Value:
        """A word that tells who was here, or what they had."""
        scope: list[Operand] = [self.number(enums.ScopeSubgroup)]
        if kind in ("ballot", "count"):
            truth: Value = bool_constant(self.module, True) if kind == "ballot" else self.as_bool(value)
            vector = vector_type(self.module, self.u32, 4)
            ballot = self.b.emit(op.GroupNonUniformBallot, vector, [*scope, truth])
            if kind == "count":
                reduce: list[Operand] = [*scope, enums.GroupOperationReduce, ballot]
                return self.b.emit(op.GroupNonUniformBallotBitCount, self.u32, reduce)
            low = self.b.emit(op.CompositeExtract, self.u32, [ballot, 0])
            high = self.b.emit(op.CompositeExtract, self.u32, [ballot, 1])
            return self.b.emit(op.IAdd, self.u32, [low, self.b.emit(op.IMul, self.u32, [high, self.number(31)])])
        if kind == "sum":
            return self.b.emit(op.GroupNonUniformIAdd, self.u32, [*scope, enums.GroupOperationReduce, value])
        if kind == "scan":
            return self.b.emit(op.GroupNonUniformIAdd, self.u32, [*scope, enums.GroupOperationInclusiveScan, value])
        if kind == "first":
            return self.b.emit(op.GroupNonUniformBroadcastFirst, self.u32, [*scope, value])
        if kind == "elect":
            return self.as_word(self.b.emit(op.GroupNonUniformElect, self.bool, scope))
        code = op.GroupNonUniformAny if kind == "any" else op.GroupNonUniformAll
        return self.as_word(self.b.emit(code, self.bool, [*scope, self.as_bool(value)]))

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self, body: list[Statement], region: Region) -> None:
        """`body` at the builder's place, to the end of `region`. Depth is bounded by the generator's."""
        for statement in body:
            if self.b.block.jump is not None:  # dead code
                self.b.at(new_block(region, padding=False))
            if isinstance(statement, Assign):
                value = self.word(statement.value)
                if statement.tangled:
                    value = self.tangled(statement.tangled, value)
                self.b.store(self.locals[statement.local], value)
            elif isinstance(statement, Observe):
                self.observe(statement)
            elif isinstance(statement, Call):
                arguments: list[Operand] = [self.maker.functions[statement.routine]]
                arguments += [self.word(argument) for argument in statement.arguments]
                self.b.store(self.locals[statement.local], self.b.emit(op.FunctionCall, self.u32, arguments))
            elif isinstance(statement, Jump):
                self.jump(statement)
            elif isinstance(statement, Compound):
                self.compound(statement)

    def observe(self, statement: Observe) -> None:
        seen = self.tangled(statement.tangled, self.word(statement.value))
        old = self.b.load(self.u32, self.slot)
        mixed = self.b.emit(op.IMul, self.u32, [old, self.number(MIXER)])
        mixed = self.b.emit(op.IAdd, self.u32, [mixed, seen])
        self.b.store(self.slot, self.b.emit(op.IAdd, self.u32, [mixed, self.number(statement.place)]))

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
        made: Construct
        if isinstance(statement, Choice):
            made = self.choice(statement)
        elif isinstance(statement, Repeat):
            made = self.repeat(statement)
        elif isinstance(statement, Select):
            made = self.select(statement)
        else:
            assert isinstance(statement, Once)
            made = self.b.open_scope()
            self.inside(statement, statement.body, made, made.body)
        self.b.at(made.after())

    def inside(self, statement: Compound, body: list[Statement], construct: Construct, region: Region) -> None:
        self.open[statement] = construct
        self.b.at(region.entry())
        self.statements(body, region)
        del self.open[statement]

    def choice(self, statement: Choice) -> If:
        made = self.b.open_if(self.condition(statement.condition), merged=statement.merged)
        self.inside(statement, statement.then, made, made.then)
        self.inside(statement, statement.orelse, made, made.orelse)
        return made

    def repeat(self, statement: Repeat) -> Loop:
        counter = local_variable(self.function, self.module, self.u32, "i")
        trips = self.b.emit(op.BitwiseAnd, self.u32, [self.word(statement.trips), self.number(3)])
        self.b.store(counter, self.number(0))
        made = self.b.open_loop()
        self.b.at(made.body.entry())
        count = self.b.load(self.u32, counter)
        if statement.form != UNTIL:
            over = self.b.emit(op.UGreaterThanEqual, self.bool, [count, trips])
            self.leave_if(over, made, statement.form != WHILE)
        self.b.store(counter, self.b.emit(op.IAdd, self.u32, [count, self.number(1)]))
        self.open[statement] = made
        self.statements(statement.body, made.body)
        self.b.at(made.continuing.entry())
        self.statements(statement.continuing, made.continuing)
        del self.open[statement]
        if statement.form == UNTIL:
            count = self.b.load(self.u32, counter)
            self.leave_if(self.b.emit(op.UGreaterThanEqual, self.bool, [count, trips]), made, False)
        return made

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
        made = self.b.open_switch(selector)
        cases: list[tuple[Arm, Case]] = []
        for arm in statement.arms:
            literals = []
            for label in arm.labels:
                literal = (label + statement.offset) & 0xFFFFFFFF
                if statement.signed and literal >> 31:
                    literal -= 1 << 32
                literals.append(literal & mask)
            cases.append((arm, self.b.add_case(made, literals, arm.default)))
        if made.default is None:
            self.b.add_case(made, [], True)
        for index, (arm, case) in enumerate(cases):
            self.inside(statement, arm.body, made, case.region)
            if arm.falls and self.b.block.jump is None and index + 1 < len(made.cases):
                self.b.fallthrough(made.cases[index + 1])
        return made


def _selects(program: Program) -> list[Select]:
    from reknit.prove.program import all_bodies

    return [statement for body in all_bodies(program) for statement in body if isinstance(statement, Select)]
