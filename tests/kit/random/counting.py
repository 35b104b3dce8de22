"""Random programs that count from numbers of their own, in loops in loops, and compare what they count with.

    x0 .. x3, v      variables to be promoted: each is stored in ifs, switches and loops that invocations leave one by
                     one, so that phis stand wherever they can, with steps from other loops than theirs
    numbers          LocalInvocationIndex or a dimension of LocalInvocationId, the workgroup, constants about powers of
                     two and where 32 bits and their sign wrap around

The workgroup's size is LocalSize, a constant WorkgroupSize or a specialization constant; it need not fill subgroups.
"""

import random

import reknit
from reknit.ir.module import Module

ORDERS: tuple[str, ...] = ("ULessThan", "ULessThanEqual", "UGreaterThan", "UGreaterThanEqual")
ORDERS += ("SLessThan", "SLessThanEqual", "SGreaterThan", "SGreaterThanEqual")
VARIABLES = 4
STATEMENTS = 16
HEAD = """OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index %id %group
{mode}OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %id BuiltIn LocalInvocationId
OpDecorate %group BuiltIn WorkgroupId
{size}%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%v3u = OpTypeVector %u32 3
%v3b = OpTypeVector %bool 3
%undefined = OpUndef %v3u
%u32_in = OpTypePointer Input %u32
%v3u_in = OpTypePointer Input %v3u
%u32_own = OpTypePointer Function %u32
%v3u_own = OpTypePointer Function %v3u
%index = OpVariable %u32_in Input
%id = OpVariable %v3u_in Input
%group = OpVariable %v3u_in Input
{constants}%main = OpFunction %void None %fn
%entry = OpLabel
"""


def program(seed: int) -> Module:
    """With its variables; they are to be promoted."""
    return reknit.load(_Program(random.Random(seed)).text().encode(), format="spvasm")


class _Program:
    def __init__(self, chosen: random.Random) -> None:
        self.chosen = chosen
        self.constants: dict[int, None] = {}
        self.lines: list[str] = []
        self.names = 0
        self.left = STATEMENTS
        self.loops: list[tuple[str, str]] = []  # the merge and the continue target of those around
        self.power = 1 << chosen.randrange(1, 6)
        self.sizes = [chosen.choice([1, 2, 4, 8, 12, 16, 24, 32]), chosen.choice([1, 1, 2, 3]), 1]

    def text(self) -> str:
        for at in range(VARIABLES):
            self.line(f"%x{at} = OpVariable %u32_own Function")
        self.line("%v = OpVariable %v3u_own Function")
        self.line("%lane = OpLoad %u32 %index")
        self.line("%place = OpLoad %v3u %id")
        self.line("%within = OpLoad %v3u %group")
        self.line("%across = OpCompositeExtract %u32 %place 0")
        self.line("%down = OpCompositeExtract %u32 %place 1")
        self.line("%which = OpCompositeExtract %u32 %within 0")
        self.line("OpStore %v %place")
        for at in range(VARIABLES):
            self.line(f"OpStore %x{at} {self.start()}")
        while self.left > 0:
            self.statement(0)
        self.line("OpReturn")
        self.line("OpFunctionEnd")
        body = "\n".join(self.lines) + "\n"
        x, y, z = self.sizes
        kind = self.chosen.randrange(4)
        size = ""
        constants = "".join([f"%c{value} = OpConstant %u32 {value}\n" for value in self.constants])
        if kind == 3:
            size = "OpDecorate %size BuiltIn WorkgroupSize\nOpDecorate %wide SpecId 3\n"
            constants += f"%wide = OpSpecConstant %u32 {x}\n%high = OpConstant %u32 {y}\n%deep = OpConstant %u32 {z}\n"
            constants += "%size = OpSpecConstantComposite %v3u %wide %high %deep\n"
        elif kind == 2:
            size = "OpDecorate %size BuiltIn WorkgroupSize\n"
            constants += f"%wide = OpConstant %u32 {x}\n%high = OpConstant %u32 {y}\n%deep = OpConstant %u32 {z}\n"
            constants += "%size = OpConstantComposite %v3u %wide %high %deep\n"
        mode = f"OpExecutionMode %main LocalSize {x if kind < 2 else 1} {y if kind < 2 else 1} {z}\n"
        return HEAD.format(mode=mode, size=size, constants=constants) + body

    # --- parts --------------------------------------------------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append(text)

    def new(self) -> str:
        self.names += 1
        return f"%n{self.names}"

    def made(self, text: str, type: str = "%u32") -> str:
        name = self.new()
        operation, _, operands = text.partition(" ")
        self.line(f"{name} = Op{operation} {type} {operands}")
        return name

    def number(self, value: int) -> str:
        self.constants[value % (1 << 32)] = None
        return f"%c{value % (1 << 32)}"

    def near(self) -> str:
        """About a multiple of the program's power of two, or where numbers wrap around."""
        base = self.chosen.choice([0, 0, 0, 0, 0, 0, 1 << 31])
        times = self.chosen.choice([0, 1, 1, 1, 2, 2, -1])
        return self.number(base + times * self.power + self.chosen.choice([0, 0, 0, 0, 1, -1]))

    def start(self) -> str:
        lane = self.chosen.choice(["%lane", "%lane", "%across", "%down", "%which"])
        kind = self.chosen.randrange(10)
        if kind in (0, 8):
            return self.made(f"BitwiseAnd {lane} {self.number(self.power - 1)}")
        if kind == 1:
            return self.made(f"UMod {lane} {self.number(self.power)}")
        if kind == 2:
            return self.made(f"IAdd {lane} {self.near()}")
        if kind == 3:
            return self.made(f"IMul {lane} {self.near()}")
        if kind == 4:
            low = self.made(f"BitwiseAnd {lane} {self.number(self.power - 1)}")
            return self.made(f"IAdd {low} {self.near()}")
        if kind == 5:
            return self.near()
        if kind == 6:
            times = self.made(f"IMul %which {self.number(self.power)}")
            return self.made(f"IAdd {times} {lane}")
        return lane

    def held(self) -> str:
        kind = self.chosen.randrange(8)
        if kind < 2:
            whole = self.made("Load %v", "%v3u")
            return self.made(f"CompositeExtract {whole} {self.chosen.randrange(3)}")
        if kind == 2:
            return self.start()
        return self.made(f"Load %x{self.chosen.randrange(VARIABLES)}")

    def bound(self) -> str:
        if self.chosen.random() < 0.25:
            return self.made(f"IMul %which {self.number(self.power)}")
        return self.near()

    def compared(self) -> str:
        if self.chosen.random() < 0.15:
            return self.compared_parts()
        both = [self.held(), self.bound()]
        if self.chosen.random() < 0.1:
            both[1] = self.held()
        if self.chosen.random() < 0.3:
            both.reverse()
        order = self.chosen.choice(ORDERS)
        if order[0] == "S" and self.chosen.random() < 0.5:
            both = [self.made(f"Bitcast {each}", "%i32") for each in both]
        return self.made(f"{order} {both[0]} {both[1]}", "%bool")

    def compared_parts(self) -> str:
        whole = self.made("Load %v", "%v3u")
        if self.chosen.random() < 0.7:
            parts = " ".join([str(self.chosen.randrange(3)) for _ in range(3)])
            whole = self.made(f"VectorShuffle {whole} {whole} {parts}", "%v3u")
        other = self.made(f"CompositeConstruct {self.near()} {self.near()} {self.near()}", "%v3u")
        return self.made("Any " + self.made(f"{self.chosen.choice(ORDERS)} {whole} {other}", "%v3b"), "%bool")

    # --- statements ---------------------------------------------------------------------------------------------------

    def statement(self, depth: int) -> None:
        self.left -= 1
        kind = self.chosen.randrange(14)
        if kind < 3:
            self.step()
        elif kind == 3:
            self.line(f"OpStore %x{self.chosen.randrange(VARIABLES)} {self.held()}")
        elif kind == 4:
            self.vector()
        elif kind < 8 and depth < 4:
            self.choice(depth)
        elif kind == 8 and depth < 4:
            self.switch(depth)
        elif kind < 11 and len(self.loops) < 2 and depth < 4:
            self.loop(depth)
        elif kind < 13 and self.loops:
            self.leave()
        else:
            self.step()

    def step(self) -> None:
        """Most often of one of the variables by a multiple of the power."""
        at = self.chosen.randrange(VARIABLES)
        old = self.made(f"Load %x{at}")
        by = self.bound()
        if self.chosen.random() < 0.2:
            by = self.made(f"IMul {self.held()} {self.number(self.power)}")
        new = self.made(f"IAdd {old} {by}" if self.chosen.random() < 0.7 else f"IAdd {by} {old}")
        self.line(f"OpStore %x{at if self.chosen.random() < 0.8 else self.chosen.randrange(VARIABLES)} {new}")

    def vector(self) -> None:
        old = self.made("Load %v", "%v3u")
        kind = self.chosen.randrange(7)
        if kind > 4:
            new = "%undefined"
            for part in range(self.chosen.randrange(1, 4)):
                new = self.made(f"CompositeInsert {self.bound()} {new} {part}", "%v3u")
        elif kind < 2:
            new = self.made(f"CompositeInsert {self.held()} {old} {self.chosen.randrange(3)}", "%v3u")
        elif kind == 2:
            other = self.made(f"CompositeConstruct {self.held()} {self.bound()} {self.held()}", "%v3u")
            new = self.made(f"IAdd {old} {other}", "%v3u")
        elif kind == 3:
            other = self.made(f"CompositeConstruct {self.bound()} {self.held()} {self.bound()}", "%v3u")
            parts = " ".join([str(self.chosen.randrange(6)) for _ in range(3)])
            new = self.made(f"VectorShuffle {old} {other} {parts}", "%v3u")
        else:
            new = self.made(f"CompositeConstruct {self.held()} {self.bound()} {self.held()}", "%v3u")
        self.line(f"OpStore %v {new}")

    def some(self, depth: int) -> bool:
        """Up to three statements. Whether control goes on behind them."""
        for _ in range(self.chosen.randrange(1, 4)):
            self.statement(depth)
        return True

    def choice(self, depth: int) -> None:
        condition = self.compared()
        then, other, end = self.new(), self.new(), self.new()
        has_other = self.chosen.random() < 0.4
        self.line(f"OpSelectionMerge {end} None")
        self.line(f"OpBranchConditional {condition} {then} {other if has_other else end}")
        self.line(f"{then} = OpLabel")
        self.some(depth + 1)
        self.line(f"OpBranch {self.way_out(end)}")
        if has_other:
            self.line(f"{other} = OpLabel")
            self.some(depth + 1)
            self.line(f"OpBranch {self.way_out(end)}")
        self.line(f"{end} = OpLabel")

    def way_out(self, end: str) -> str:
        """Most often the end, else that of a loop or its continue target."""
        if self.loops and self.chosen.random() < 0.2:
            return self.chosen.choice(self.loops[-1])
        return end

    def switch(self, depth: int) -> None:
        selector = self.made(f"BitwiseAnd {self.held()} {self.number(3)}")
        end = self.new()
        cases = [self.new() for _ in range(3)]
        self.line(f"OpSelectionMerge {end} None")
        self.line(f"OpSwitch {selector} {cases[2]} 0 {cases[0]} 1 {cases[1]}")
        for place, case in enumerate(cases):
            self.line(f"{case} = OpLabel")
            self.some(depth + 1)
            falls = place < 2 and self.chosen.random() < 0.3
            self.line(f"OpBranch {cases[place + 1] if falls else self.way_out(end)}")
        self.line(f"{end} = OpLabel")

    def leave(self) -> None:
        """A branch without a merge of its own."""
        condition = self.compared()
        on = self.new()
        ways = [self.chosen.choice(self.loops[-1]), on]
        if self.chosen.random() < 0.5:
            ways.reverse()
        self.line(f"OpBranchConditional {condition} {ways[0]} {ways[1]}")
        self.line(f"{on} = OpLabel")

    def loop(self, depth: int) -> None:
        """Of at most five iterations."""
        before, head, body, on, end = [self.new() for _ in range(5)]
        count, more, next, few = [self.new() for _ in range(4)]
        self.line(f"OpBranch {before}")
        self.line(f"{before} = OpLabel")
        self.line(f"OpBranch {head}")
        self.line(f"{head} = OpLabel")
        self.line(f"{count} = OpPhi %u32 {self.number(0)} {before} {next} {on}")
        self.line(f"OpLoopMerge {end} {on} None")
        self.line(f"OpBranch {body}")
        self.line(f"{body} = OpLabel")
        self.loops.append((end, on))
        if self.chosen.random() < 0.6:
            self.leave()
        self.some(depth + 1)
        self.loops.pop()
        self.line(f"OpBranch {on}")
        self.line(f"{on} = OpLabel")
        if self.chosen.random() < 0.7:
            self.step()
        self.line(f"{next} = OpIAdd %u32 {count} {self.number(1)}")
        self.line(f"{more} = OpULessThan %bool {next} {self.number(self.chosen.randrange(2, 6))}")
        if self.chosen.random() < 0.4:
            also = self.compared()
            self.line(f"{few} = OpLogicalAnd %bool {more} {also}")
            more = few
        self.line(f"OpBranchConditional {more} {head} {end}")
        self.line(f"{end} = OpLabel")
