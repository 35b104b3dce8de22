"""Random programs that store to some elements of shared memory and load others, between barriers.

    s : array of 64     t : struct of an array of 16, a number and a vector
    if %e < 8u { s[%e + 4u] = %x }        guards compare, signed or not, what the index is made of, or what it isn't
    %v = s[3]                             one element for all, mostly
    barrier

Indices are made of the invocation's number by arithmetic that wraps around, of what loops count, and of what a guard
has seen; where one may be beyond the end of the array, UMin brings it back. Stores are atomic ones too, in both arms of
branches, in loops with and without a barrier, in functions that get an index or a pointer, and of whole members.
"""

import random

import reknit
from reknit.ir.module import Module

COMPARED = ["ULessThan", "ULessThanEqual", "UGreaterThan", "UGreaterThanEqual", "IEqual", "INotEqual"]
COMPARED += ["SLessThan", "SLessThanEqual", "SGreaterThan", "SGreaterThanEqual"]
ARITHMETIC = ["IAdd", "IAdd", "ISub", "IMul", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "UMod", "UDiv", "SDiv", "SRem"]
SHIFTS = ["ShiftLeftLogical", "ShiftRightLogical", "ShiftRightArithmetic"]
EDGES = [0, 1, 3, 4, 7, 8, 12, 15, 16, 31, 32, 60, 63]
WRAPPED = [0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF8, 0xFFFFFFF0, 0x40000000]
HEAD = """OpCapability Shader
%std = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index
OpExecutionMode %main LocalSize {width} 1 1
OpDecorate %index BuiltIn LocalInvocationIndex
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%v2u = OpTypeVector %u32 2
%index_p = OpTypePointer Input %u32
%index = OpVariable %index_p Input
{constants}%a64 = OpTypeArray %u32 %c64
%a16 = OpTypeArray %u32 %c16
%record = OpTypeStruct %a16 %u32 %v2u
%s_p = OpTypePointer Workgroup %a64
%t_p = OpTypePointer Workgroup %record
%a_p = OpTypePointer Workgroup %a16
%u_p = OpTypePointer Workgroup %u32
%s = OpVariable %s_p Workgroup
%t = OpVariable %t_p Workgroup
%given_index = OpTypeFunction %void %u32
%given_pointer = OpTypeFunction %void %u_p
%zeros = OpConstantNull %a16
%main = OpFunction %void None %fn
%entry = OpLabel
%lane = OpLoad %u32 %index
{body}OpReturn
OpFunctionEnd
%put_at = OpFunction %void None %given_index
%at = OpFunctionParameter %u32
%put_at_entry = OpLabel
%masked = OpBitwiseAnd %u32 %at %c15
%put_at_p = OpAccessChain %u_p %s %masked
OpStore %put_at_p %at
OpReturn
OpFunctionEnd
%put_to = OpFunction %void None %given_pointer
%to = OpFunctionParameter %u_p
%put_to_entry = OpLabel
OpStore %to %c3
OpReturn
OpFunctionEnd
"""


class _Writer:
    """The text of one `main`, each statement appended to it. `words` are what an index may be made of here."""

    def __init__(self, seed: int) -> None:
        self.chosen = random.Random(seed)
        self.width = self.chosen.choice([4, 8, 16, 24, 32])
        self.body = ""
        self.constants: dict[int, None] = dict.fromkeys([0, 1, 2, 3, 15, 16, 63, 64, 264])
        self.words = ["%lane"]
        self.names = 0
        self.block = "%entry"

    def number(self, value: int) -> str:
        self.constants[value] = None
        return f"%c{value}"

    def edge(self) -> str:
        return self.number(self.chosen.choice(EDGES if self.chosen.random() < 0.85 else WRAPPED))

    def name(self) -> str:
        self.names += 1
        return f"%n{self.names}"

    def add(self, text: str) -> str:
        """An instruction with a result, whose name it gives."""
        name = self.name()
        self.body += f"{name} = {text}\n"
        return name

    def label(self, name: str) -> None:
        self.body += f"{name} = OpLabel\n"
        self.block = name

    def expression(self) -> str:
        value = self.chosen.choice(self.words)
        for _ in range(self.chosen.choice([0, 0, 1, 1, 2])):
            if self.chosen.random() < 0.2:
                value = self.add(f"Op{self.chosen.choice(SHIFTS)} %u32 {value} {self.number(self.chosen.randrange(6))}")
                continue
            operation = self.chosen.choice(ARITHMETIC)
            other = self.edge() if self.chosen.random() < 0.8 else self.chosen.choice(self.words)
            if operation in ("UMod", "UDiv", "SDiv", "SRem"):
                other = self.number(self.chosen.choice([1, 3, 4, 8, 16]))
            left, right = (value, other) if self.chosen.random() < 0.8 or "M" in operation else (other, value)
            if "Div" in operation or "Mod" in operation or "Rem" in operation:
                left, right = value, other
            value = self.add(f"Op{operation} %u32 {left} {right}")
        return value

    def within(self, value: str, last: int) -> str:
        return self.add(f"OpExtInst %u32 %std UMin {value} {self.number(last)}")

    def element(self, uniform: bool) -> str:
        """A pointer to a number in shared memory."""
        kind = self.chosen.random()
        if kind < 0.1:
            return self.add(f"OpAccessChain %u_p %t {self.number(1)}")
        if kind < 0.2:
            return self.add(f"OpAccessChain %u_p %t {self.number(2)} {self.number(self.chosen.randrange(2))}")
        last = 15 if kind < 0.4 else 63
        if uniform and self.chosen.random() < 0.9:
            index = self.number(min(self.chosen.choice(EDGES), last))
        else:
            index = self.within(self.expression(), last)
        if last == 15 and self.chosen.random() < 0.5:
            part = self.add(f"OpAccessChain %a_p %t {self.number(0)}")
            return self.add(f"OpAccessChain %u_p {part} {index}")
        return self.add(f"OpAccessChain %u_p {f'%t {self.number(0)}' if last == 15 else '%s'} {index}")

    def store(self) -> None:
        value = self.chosen.choice(["%lane", self.edge(), "%lane"])
        kind = self.chosen.random()
        if kind < 0.08:
            part = self.add(f"OpAccessChain %a_p %t {self.number(0)}")
            self.body += f"OpStore {part} %zeros\n"
        elif kind < 0.2:
            self.add(f"OpAtomicIAdd %u32 {self.element(False)} {self.number(2)} {self.number(0)} {value}")
        elif kind < 0.28:
            self.add(f"OpFunctionCall %void %put_at {self.expression()}")
        elif kind < 0.36:
            self.add(f"OpFunctionCall %void %put_to {self.element(False)}")
        else:
            pointer = self.element(False)
            self.body += f"OpStore {pointer} {value}\n"

    def guarded(self, depth: int) -> None:
        value = self.expression()
        both = [value, self.edge()]
        if self.chosen.random() < 0.3:
            both.reverse()
        test = self.add(f"Op{self.chosen.choice(COMPARED)} %bool {both[0]} {both[1]}")
        if self.chosen.random() < 0.3:
            other = self.add(f"Op{self.chosen.choice(COMPARED)} %bool {value} {self.edge()}")
            test = self.add(f"OpLogical{self.chosen.choice(['And', 'Or'])} %bool {test} {other}")
        if self.chosen.random() < 0.2:
            test = self.add(f"OpLogicalNot %bool {test}")
        then, other, end = self.name(), self.name(), self.name()
        has_else = self.chosen.random() < 0.4
        self.body += f"OpSelectionMerge {end} None\nOpBranchConditional {test} {then} {other if has_else else end}\n"
        words = list(self.words)
        for label in [then, other] if has_else else [then]:
            self.label(label)
            self.words = [*words, value, value]
            self.inside(depth)
            self.body += f"OpBranch {end}\n"
        self.label(end)
        self.words = words

    def inside(self, depth: int) -> None:
        for _ in range(self.chosen.choice([1, 1, 2])):
            kind = self.chosen.random()
            if depth > 0 and kind < 0.3:
                self.guarded(depth - 1)
            elif depth > 0 and kind < 0.4:
                self.counted(depth - 1, False)
            elif kind < 0.55:
                self.load()
            else:
                self.store()

    def counted(self, depth: int, with_barrier: bool) -> None:
        """A loop: of the same turns for all where it has a barrier."""
        start = self.number(self.chosen.randrange(3)) if with_barrier else self.expression()
        head, body, end, onward, before = self.name(), self.name(), self.name(), self.name(), self.block
        count, next, turn, turns = self.name(), self.name(), self.name(), self.name()
        step = self.number(self.chosen.choice([1, 4, 8, 16]) if not with_barrier else 1)
        bound = self.number(4) if with_barrier else self.edge()
        order = "ULessThan" if with_barrier else self.chosen.choice(COMPARED[:4] + COMPARED[6:])
        self.body += f"OpBranch {head}\n"
        self.label(head)
        self.body += f"{count} = OpPhi %u32 {start} {before} {next} {onward}\n"
        self.body += f"{turn} = OpPhi %u32 {self.number(0)} {before} {turns} {onward}\n"
        goes = self.add(f"Op{order} %bool {count} {bound}")
        few = self.add(f"OpULessThan %bool {turn} {self.number(4)}")
        goes = self.add(f"OpLogicalAnd %bool {goes} {few}")
        self.body += f"OpLoopMerge {end} {onward} None\nOpBranchConditional {goes} {body} {end}\n"
        words = list(self.words)
        self.label(body)
        self.words = [*words, count, count]
        if with_barrier:
            self.statements(2)
        else:
            self.inside(depth)
        self.body += f"OpBranch {onward}\n"
        self.label(onward)
        self.body += f"{next} = OpIAdd %u32 {count} {step}\n{turns} = OpIAdd %u32 {turn} {self.number(1)}\n"
        self.body += f"OpBranch {head}\n"
        self.label(end)
        self.words = words

    def load(self) -> None:
        value = self.add(f"OpLoad %u32 {self.element(True)}")
        if self.chosen.random() < 0.5:
            test = self.add(f"OpULessThan %bool {value} {self.edge()}")
            then, end = self.name(), self.name()
            self.body += f"OpSelectionMerge {end} None\nOpBranchConditional {test} {then} {end}\n"
            self.label(then)
            self.store()
            self.body += f"OpBranch {end}\n"
            self.label(end)

    def barrier(self) -> None:
        self.body += f"OpControlBarrier {self.number(2)} {self.number(2)} {self.number(264)}\n"

    def statements(self, count: int) -> None:
        for _ in range(count):
            kind = self.chosen.random()
            if kind < 0.3:
                self.barrier()
            elif kind < 0.6:
                self.load()
            elif kind < 0.7:
                self.store()
            else:
                self.guarded(1)


def program(seed: int) -> Module:
    writer = _Writer(seed)
    writer.statements(3)
    if writer.chosen.random() < 0.5:
        writer.counted(1, True)
    else:
        writer.counted(1, False)
    writer.statements(5)
    constants = "".join([f"%c{value} = OpConstant %u32 {value}\n" for value in writer.constants])
    text = HEAD.format(width=writer.width, constants=constants, body=writer.body)
    return reknit.load(text.encode(), format="spvasm")
