"""Random routines that read what other lanes have, called with arguments of which some are the same for all.

    func @f2(%p0: u32, %p1: ptr<Function, u32>, ...)   loads, arithmetic, shuffles, votes, returns and stores in ifs,
                                                       calls of earlier routines
    main                                               calls of them, by arguments of each kind, some in ifs
"""

import random
from collections.abc import Callable

from reknit.ir.module import Module
from reknit.ir.text.parser import parse

HEAD = """Capability Shader
Capability GroupNonUniformVote
Capability GroupNonUniformBallot
Capability GroupNonUniformArithmetic
Capability GroupNonUniformShuffle
MemoryModel Logical GLSL450
EntryPoint GLCompute @main "main" %lane_id, %group_id
ExecutionMode @main LocalSize 32 1 1
Decorate %lane_id BuiltIn LocalInvocationIndex
Decorate %group_id BuiltIn WorkgroupId
%lane_id = Variable Input : ptr<Input, u32>
%group_id = Variable Input : ptr<Input, vec3<u32>>
%kept = Variable Private : ptr<Private, u32>
"""
POINTER = "ptr<Function, u32>"
ROUTINES = 4
STATEMENTS = 7
CALLS = 9


def program(seed: int) -> Module:
    return parse(_Program(random.Random(seed)).text(), f"readers {seed}")


class _Program:
    def __init__(self, chosen: random.Random) -> None:
        self.chosen = chosen
        self.lines: list[str] = []
        self.words: list[str] = []
        self.pointers: list[str] = []
        self.names = 0
        self.routines: list[list[str]] = []  # the types of the parameters of each

    def text(self) -> str:
        for _ in range(ROUTINES):
            self.routine()
        self.words = ["%lane", "%small", "%group", "0u", "2u"]
        self.pointers = ["%v0", "%v1"]
        self.lines.append("func @main() -> void {")
        self.lines += [f"  {pointer} = Variable Function : {POINTER}" for pointer in self.pointers]
        self.lines.append("  %lane = Load %lane_id : u32\n  %small = BitwiseAnd %lane, 3u : u32")
        self.lines.append("  %where = Load %group_id : vec3<u32>\n  %group = CompositeExtract %where, 0 : u32")
        self.lines.append(f"  Store %kept, {self.word()}")
        self.lines += [f"  Store {pointer}, {self.word()}" for pointer in self.pointers]
        for _ in range(CALLS):
            if self.chosen.random() < 0.5:
                self.lines.append(f"  Store {self.chosen.choice([*self.pointers, '%kept'])}, {self.word()}")
            self.statement(self.call)
        self.lines.append("  return\n}")
        return HEAD + "\n".join(self.lines) + "\n"

    def routine(self) -> None:
        number = len(self.routines)
        types = [self.chosen.choice(["u32", "u32", POINTER]) for _ in range(self.chosen.randrange(2, 5))]
        names = [f"%p{number}_{index}" for index in range(len(types))]
        listed = ", ".join(f"{name}: {type}" for name, type in zip(names, types, strict=True))
        self.lines.append(f"func @f{number}({listed}) -> u32 {{")
        self.words = ["1u", *(name for name, type in zip(names, types, strict=True) if type == "u32")]
        self.pointers = [name for name, type in zip(names, types, strict=True) if type != "u32"]
        for pointer in self.pointers:
            self.made(f"Load {pointer}")
        for _ in range(STATEMENTS):
            self.statement(self.read if self.chosen.random() < 0.5 else self.step)
        self.lines.append(f"  return {self.words[-1]}\n}}")
        self.routines.append(types)

    def word(self) -> str:
        return self.chosen.choice(self.words)

    def made(self, what: str, type: str = "u32") -> str:
        name = f"%x{self.names}"
        self.names += 1
        self.lines.append(f"  {name} = {what} : {type}")
        if type == "u32":
            self.words.append(name)
        return name

    def statement(self, make: Callable[[], None]) -> None:
        """As it is, or in an if, which may return."""
        if self.chosen.random() < 0.75:
            make()
            return
        before = list(self.words)
        condition = self.made(f"ULessThan {self.word()}, {self.chosen.choice(['2u', '9u', self.word()])}", "bool")
        self.lines.append(f"  if {condition} {{")
        make()
        if self.pointers and self.chosen.random() < 0.6:
            self.lines.append(f"  Store {self.chosen.choice(self.pointers)}, {self.words[-1]}")
        if make != self.call and self.chosen.random() < 0.4:
            self.lines.append(f"  return {self.words[-1]}")
        self.lines.append("  }")
        self.words = before

    def step(self) -> None:
        kind = self.chosen.randrange(6)
        if kind == 0 and self.pointers:
            self.lines.append(f"  Store {self.chosen.choice(self.pointers)}, {self.word()}")
        elif kind == 1 and self.pointers:
            self.made(f"Load {self.chosen.choice(self.pointers)}")
        elif kind == 2:
            self.made("Load %kept")
        elif kind == 3:
            self.lines.append(f"  Store %kept, {self.word()}")
        elif kind == 4 and self.routines:
            self.call()
        else:
            operation = self.chosen.choice(["IAdd", "BitwiseXor", "BitwiseAnd"])
            self.made(f"{operation} {self.word()}, {self.word()}")

    def read(self) -> None:
        kind = self.chosen.randrange(5)
        if kind <= 1:
            self.made(f"GroupNonUniformShuffle 3u, {self.word()}, {self.present_lane()}")
        elif kind == 2:
            self.made(f"GroupNonUniformBroadcastFirst 3u, {self.word()}")
        elif kind == 3:
            self.made(f"GroupNonUniformIAdd 3u Reduce, {self.word()}")
        else:
            test = self.made(f"ULessThan {self.word()}, {self.word()}", "bool")
            every = self.made(f"GroupNonUniformAll 3u, {test}", "bool")
            self.made(f"Select {every}, {self.word()}, {self.word()}")

    def present_lane(self) -> str:
        """The first of those in the tangle, or the last: what one that isn't there gives is undefined."""
        ballot = self.made("GroupNonUniformBallot 3u, true", "vec4<u32>")
        first = self.made(f"GroupNonUniformBallotFindLSB 3u, {ballot}")
        last = self.made(f"GroupNonUniformBallotFindMSB 3u, {ballot}")
        del self.words[-2:]
        test = self.made(f"ULessThan {self.word()}, {self.word()}", "bool")
        lane = self.made(f"Select {test}, {first}, {last}")
        del self.words[-1:]
        return lane

    def call(self) -> None:
        number = self.chosen.randrange(len(self.routines))
        arguments: list[str] = []
        free = list(self.pointers)
        self.chosen.shuffle(free)
        for type in self.routines[number]:
            if type == "u32":
                arguments.append(self.word())
            elif free:
                arguments.append(free.pop())
            else:
                return
        self.made(f"FunctionCall @f{number}, {', '.join(arguments)}")
