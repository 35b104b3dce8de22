"""A program of the Vulkan CTS reconvergence generator, from its list of operations to a module.

    OP_IF_MASK m ... OP_ENDIF            if (testBit(m, gl_SubgroupInvocationID)) { ... }
    OP_BEGIN_FOR_VAR ... OP_END_FOR_VAR  for (int i = 0; i < gl_SubgroupInvocationID + 1; i++) { ... }
    OP_BALLOT                            loc[lane]++, b[outLoc++ * stride + lane] = subgroupBallot(true)
    OP_STORE v                           loc[lane]++, b[outLoc++ * stride + lane].x = v

What an operation means is read off the `glsl_body` that the generator printed for the same list. `inputA.a[i]` holds i.
"""

from typing import Any

from kit.programs.compute import Compute

from reknit.ir import enums, op
from reknit.ir.build import Builder, new_function
from reknit.ir.edit import prepend
from reknit.ir.function import Function
from reknit.ir.instr import Instr
from reknit.ir.tree import Construct, If, Loop, Switch
from reknit.ir.types import pointer_type, vector_type
from reknit.ir.value import Value

LANES = 7 * 13
INPUTS = 128


class Open:
    """A construct that is being filled: `kind` is the operation that opened it."""

    def __init__(self, kind: str, construct: Construct | None, loop: Value | None = None) -> None:
        self.kind = kind
        self.construct = construct
        self.loop = loop
        self.caller: tuple[Builder, Function] | None = None


class CtsProgram(Compute):
    """Builds the module of `ops`; `b` holds the ballots, `c` how many values each lane wrote."""

    def __init__(self, ops: list[list[Any]]) -> None:
        super().__init__(LANES, (7, 13, 1))
        self.subgroup_lane = self.builtin(enums.BuiltInSubgroupLocalInvocationId, self.u32)
        self.local_index = self.builtin(enums.BuiltInLocalInvocationIndex, self.u32)
        self.inputs = self.array_buffer("a", 1)
        self.results = self.array_buffer("b", 2, self.uvec4, 16)
        self.counts = self.array_buffer("c", 3)
        pointer = pointer_type(self.module, enums.StorageClassPrivate, self.u32)
        self.location = Instr(op.Variable, pointer, [enums.StorageClassPrivate, self.const(0)], "outLoc")
        self.module.globals.append(self.location)
        self.function = self.main
        self.stack: list[Open] = []
        self.loops: list[Value] = []  # loop counters: a variable, or a parameter's value
        self.functions = 0
        self.dead = 0
        for kind, value, mask, case in ops:
            self.add(kind, value, int(mask, 16), case)
        if self.b.block.jump is None:
            self.b.return_()

    # --- pieces -------------------------------------------------------------------------------------------------------

    def counter(self) -> Instr:
        pointer = pointer_type(self.module, enums.StorageClassFunction, self.u32)
        return prepend(self.function.entry(), Instr(op.Variable, pointer, [enums.StorageClassFunction], "loopIdx"))

    def count_of(self, loop: Value) -> Value:
        if isinstance(loop, Instr) and loop.op == op.Variable:
            return self.b.load(self.u32, loop)
        return loop

    def lane_id(self) -> Instr:
        return self.b.load(self.u32, self.subgroup_lane)

    def input(self, index: int) -> Instr:
        return self.b.load(self.u32, self.place(self.const(index), self.inputs))

    def next_place(self, type: Instr, component: bool) -> Instr:
        """Counts the value and gives the place for it."""
        lane = self.b.load(self.u32, self.local_index)
        count = self.place(lane, self.counts)
        self.b.store(count, self.op2(op.IAdd, self.b.load(self.u32, count), self.const(1)))
        location = self.b.load(self.u32, self.location)
        self.b.store(self.location, self.op2(op.IAdd, location, self.const(1)))
        index = self.op2(op.IAdd, self.op2(op.IMul, location, self.const(LANES)), lane)
        pointer = pointer_type(self.module, enums.StorageClassStorageBuffer, type)
        path: list[Any] = [self.results, self.const(0), index]
        return self.b.emit(op.AccessChain, pointer, path + ([self.const(0)] if component else []))

    def write_ballot(self) -> None:
        ballot = self.b.emit(op.GroupNonUniformBallot, self.uvec4, [self.const(enums.ScopeSubgroup), self.yes()])
        self.b.store(self.next_place(self.uvec4, False), ballot)

    def elect(self) -> Instr:
        return self.b.emit(op.GroupNonUniformElect, self.bool, [self.const(enums.ScopeSubgroup)])

    def test_bit(self, mask: int) -> Instr:
        words = [self.const(mask >> (32 * at) & 0xFFFFFFFF) for at in range(4)]
        vector = self.module.intern(op.ConstantComposite, vector_type(self.module, self.u32, 4), list(words))
        lane = self.lane_id()
        word = self.b.emit(
            op.VectorExtractDynamic, self.u32, [vector, self.op2(op.ShiftRightLogical, lane, self.const(5))]
        )
        bit = self.op2(op.ShiftRightLogical, word, self.op2(op.BitwiseAnd, lane, self.const(31)))
        return self.test(op.INotEqual, self.op2(op.BitwiseAnd, bit, self.const(1)), self.const(0))

    def condition(self, kind: str, value: int, mask: int, index: int) -> Instr:
        if kind == "OP_ELECT":
            return self.elect()
        if kind == "OP_IF_MASK":
            if mask == (1 << 128) - 1:  # if (inputA.a[i] == i): true for all, and the compiler doesn't know
                return self.test(op.IEqual, self.input(index % 4), self.const(index % 4))
            return self.test_bit(mask)
        if kind == "OP_IF_LOOPCOUNT":
            return self.test(op.IEqual, self.lane_id(), self.count_of(self.loops[-1]))
        assert kind == "OP_IF_LOCAL_INVOCATION_INDEX"
        return self.test(op.UGreaterThanEqual, self.b.load(self.u32, self.local_index), self.input(value & 0xFFFF))

    # --- operations ---------------------------------------------------------------------------------------------------

    def add(self, kind: str, value: int, mask: int, case: int) -> None:
        opens = kind in OPENING or kind.endswith("_BEGIN") or kind.startswith("OP_BEGIN")
        closes = kind in ("OP_ENDIF", "OP_CASE_END", "OP_SWITCH_END", "OP_CALL_END") or kind.startswith("OP_END_")
        turns = kind.startswith("OP_ELSE")
        if self.dead:  # after a break, continue or return: skipped to the end of the construct it stands in
            if opens:
                self.dead += 1
                return
            if self.dead > 1:
                if closes:
                    self.dead -= 1
                return
            if not (closes or turns):
                return
            self.dead = 0
        if opens:
            self.open(kind, value, mask, case)
        elif closes:
            self.close(kind, value)
        elif turns:
            construct = self.stack[-1].construct
            assert isinstance(construct, If)
            self.b.at(construct.orelse.entry())
        else:
            self.plain(kind, value)

    def open(self, kind: str, value: int, mask: int, case: int) -> None:
        if kind in OPENING:
            construct = self.b.open_if(self.condition(kind, value, mask, len(self.stack)))
            self.stack.append(Open(kind, construct))
            self.b.at(construct.then.entry())
        elif kind.startswith("OP_BEGIN"):
            self.open_loop(kind, value)
        elif kind.startswith("OP_SWITCH"):
            if kind == "OP_SWITCH_UNIF_BEGIN":
                selector: Value = self.input(value)
            elif kind == "OP_SWITCH_VAR_BEGIN":
                selector = self.op2(op.BitwiseAnd, self.lane_id(), self.const(3))
            else:
                selector = self.count_of(self.loops[value & 0xFFFF])
            self.stack.append(Open(kind, self.b.open_switch(selector)))
        elif kind.startswith("OP_CASE"):
            switch = self.stack[-1].construct
            assert isinstance(switch, Switch)
            if case == 0xFFFFFFFF:
                made = self.b.add_case(switch, [], True)
            else:
                loop_count = kind == "OP_CASE_LOOP_COUNT_BEGIN"
                made = self.b.add_case(switch, [case if loop_count else case.bit_length() - 1])
            self.stack.append(Open(kind, None))
            self.b.at(made.region.entry())
        else:
            assert kind == "OP_CALL_BEGIN"
            self.open_call()

    def open_loop(self, kind: str, value: int) -> None:
        counter = self.counter()
        self.b.store(counter, self.const(0))
        loop = self.b.open_loop()
        self.stack.append(Open(kind, loop, counter))
        self.loops.append(counter)
        self.b.at(loop.body.entry())
        if kind == "OP_BEGIN_FOR_UNIF":
            self.leave_unless(self.test(op.ULessThan, self.count_of(counter), self.input(value & 0xFFFF)), loop)
        elif kind == "OP_BEGIN_FOR_VAR":
            limit = self.op2(op.IAdd, self.lane_id(), self.const(1))
            self.leave_unless(self.test(op.ULessThan, self.count_of(counter), limit), loop)
        elif kind == "OP_BEGIN_DO_WHILE_UNIF":
            self.stack[-1].kind = f"{kind} {value & 0xFFFF}"
            self.add_to(counter, self.const(1))

    def leave_unless(self, condition: Instr, loop: Loop) -> None:
        """The loop's own condition: a branch to its end, with no selection around it."""
        test = self.b.open_if(condition, merged=False)
        self.b.at(test.orelse.entry())
        self.b.break_(loop)
        self.b.at(test.after())

    def open_call(self) -> None:
        params = [("loopIdx", self.u32)] if self.loops else []
        made = new_function(self.module, f"func{self.functions}", None, params)
        self.functions += 1
        arguments: list[Any] = [made]
        if self.loops:
            arguments.append(self.count_of(self.loops[-1]))
        self.b.emit(op.FunctionCall, made.result, arguments)
        opened = Open("OP_CALL_BEGIN", None)
        opened.caller = (self.b, self.function)
        self.stack.append(opened)
        self.function = made
        self.b = Builder(self.module, made.entry())
        if self.loops:
            self.loops.append(made.params[0])

    def close(self, kind: str, value: int) -> None:
        opened = self.stack.pop()
        construct = opened.construct
        if kind == "OP_CALL_END":
            if self.b.block.jump is None:
                self.b.return_()
            assert opened.caller is not None
            if self.loops:
                self.loops.pop()
            self.b, self.function = opened.caller
        elif kind == "OP_CASE_END":
            pass  # the end of a case goes on after the switch
        elif isinstance(construct, Loop):
            self.close_loop(opened, construct)
        else:
            assert construct is not None
            if isinstance(construct, Switch) and construct.default is None:
                self.b.add_case(construct, [], True)
            self.b.at(construct.after())

    def close_loop(self, opened: Open, loop: Loop) -> None:
        counter = opened.loop
        assert isinstance(counter, Instr)
        kind = opened.kind
        if kind == "OP_BEGIN_DO_WHILE_INF" and self.b.block.jump is None:
            self.add_to(counter, self.const(1))  # in the body: a continue skips it
        self.b.at(loop.continuing.entry())
        if kind.startswith("OP_BEGIN_FOR"):
            self.add_to(counter, self.const(1))
            if kind == "OP_BEGIN_FOR_INF":
                self.write_ballot()
        elif kind.startswith("OP_BEGIN_DO_WHILE_UNIF"):
            limit = self.input(int(kind.split()[1]))
            self.leave_unless(self.test(op.ULessThan, self.count_of(counter), limit), loop)
        self.loops.pop()
        self.b.at(loop.after())

    def plain(self, kind: str, value: int) -> None:
        if kind == "OP_BALLOT":
            self.write_ballot()
        elif kind == "OP_STORE":
            self.b.store(self.next_place(self.u32, True), self.const(value & 0xFFFFFFFF))
        elif kind == "OP_RETURN":
            self.b.return_()
            self.dead = 1
        elif kind == "OP_BREAK":
            for opened in reversed(self.stack):
                if isinstance(opened.construct, (Loop, Switch)):
                    self.b.break_(opened.construct)
                    break
            self.dead = 1
        elif kind == "OP_CONTINUE":
            for opened in reversed(self.stack):
                if isinstance(opened.construct, Loop):
                    self.b.continue_(opened.construct)
                    break
            self.dead = 1
        else:
            assert kind == "OP_NOISE"
            self.noise(value & 0xFFFF)

    def noise(self, value: int) -> None:
        if value == 0:  # while (!subgroupElect()) {}
            loop = self.b.open_loop()
            self.b.at(loop.body.entry())
            self.leave_unless(self.b.emit(op.LogicalNot, self.bool, [self.elect()]), loop)
            self.b.at(loop.after())
            return
        test = self.b.open_if(self.test(op.IEqual, self.input(0), self.const(12345)))
        self.b.at(test.then.entry())
        forever = self.b.open_loop()
        self.b.at(forever.body.entry())
        self.write_ballot()
        self.b.at(test.after())


OPENING = ("OP_IF_MASK", "OP_IF_LOOPCOUNT", "OP_IF_LOCAL_INVOCATION_INDEX", "OP_ELECT")
