"""Fragment shaders with group operations, whose results may depend on whether helper invocations take part.

    program = helped(7)
    program.text      .rk
    differs(program)  two runs, with all helper invocations active and with all inactive, leave something else

Values are of the pixel, of the primitive, of the draw, of memory, or of who is a helper invocation; conditions too.
What an operation gives goes straight to the output, or decides a branch, a loop, whether the invocation is demoted, or
what another operation is given. Nothing else than who takes part differs between the two runs.

    python -m kit.random.natural_helpers 2000      lint on as many programs in which it shows, and where it is silent
"""

import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from reknit.checks.lint.lint import lint_module
from reknit.ir.module import Module
from reknit.ir.text.parser import parse
from reknit.sim.drawing import Drawing, Primitive, Quad
from reknit.sim.policy import Policy
from reknit.sim.run import run

SIDE: Final = 8
MODES: Final = ("", "", "", "maximal", "maximal full", "full")

_HEAD: Final = """Capability Shader
Capability GroupNonUniform
Capability GroupNonUniformVote
Capability GroupNonUniformArithmetic
Capability GroupNonUniformBallot
Capability GroupNonUniformShuffle
Capability GroupNonUniformShuffleRelative
Capability GroupNonUniformClustered
Capability GroupNonUniformQuad
Capability GroupNonUniformRotateKHR
Capability SubgroupBallotKHR
Capability SubgroupVoteKHR
Capability DemoteToHelperInvocation
CAPABILITIESExtension "SPV_KHR_shader_ballot"
Extension "SPV_KHR_subgroup_vote"
Extension "SPV_KHR_subgroup_rotate"
EXTENSIONSMemoryModel Logical GLSL450
EntryPoint Fragment @main "main" %coord, %kind, %uv, %helper, %color, %out, %push, %held
ExecutionMode @main OriginUpperLeft
MODESnames %kind, %uv, %color, %out, %push
Decorate %coord BuiltIn FragCoord
Decorate %helper BuiltIn HelperInvocation
Decorate %kind Location 0
Decorate %kind Flat
Decorate %uv Location 1
Decorate %color Location 0
Decorate %words ArrayStride 4
Decorate %Block Block
MemberDecorate %Block 0 Offset 0
Decorate %Push Block
MemberDecorate %Push 0 Offset 0
Decorate %out DescriptorSet 0
Decorate %out Binding 0
%coord = Variable Input : ptr<Input, vec4<f32>>
%helper = Variable Input : ptr<Input, bool>
%kind = Variable Input : ptr<Input, u32>
%uv = Variable Input : ptr<Input, vec2<f32>>
%color = Variable Output : ptr<Output, u32>
%words = TypeRuntimeArray u32
%Block = TypeStruct %words
%out = Variable StorageBuffer : ptr<StorageBuffer, %Block>
%Push = TypeStruct u32
%push = Variable PushConstant : ptr<PushConstant, %Push>
%held = Variable Private : ptr<Private, u32>
"""
_START: Final = """  %frag = Load %coord : vec4<f32>
  %fx = CompositeExtract %frag 0 : f32
  %fy = CompositeExtract %frag 1 : f32
  %x = ConvertFToU %fx : u32
  %y = ConvertFToU %fy : u32
  %row = IMul %y, 8u : u32
  %spot = IAdd %row, %x : u32
  Store %held, %spot
  Store %sum, 1u
  Store %mine, %x
"""
FOLDS: Final = ("IAdd", "IMul", "UMin", "UMax", "SMin", "SMax", "BitwiseAnd", "BitwiseOr", "BitwiseXor")
LOGICAL: Final = ("LogicalAnd", "LogicalOr", "LogicalXor")
FLOATS: Final = ("FAdd", "FMin", "FMax")


@dataclass(slots=True)
class Helped:
    seed: int
    text: str
    drawing: Drawing
    pushed: int
    lanes: int


def helped(seed: int) -> Helped:
    given = random.Random(f"natural helpers {seed}")
    text = _Writer(given).text()
    return Helped(seed, text, _drawing(given), given.randrange(4), given.choice((4, 8, 16)))


def _drawing(given: random.Random) -> Drawing:
    """Quads that some pixels are covered of, or small triangles."""
    if given.random() < 0.5:
        quads = [_quad(at, given.randrange(1, 15)) for at in given.sample(range(16), given.choice((1, 1, 2, 3)))]
        return Drawing([SIDE, SIDE], quads=quads)
    primitives: list[Primitive] = []
    for kind in range(given.choice((1, 2))):
        x, y = given.randrange(6), given.randrange(6)
        wide, high = given.choice((1.0, 2.0, 3.0)), given.choice((1.0, 3.0))
        corners = [[float(x), float(y)], [x + wide, float(y)], [float(x), y + high]]
        primitives.append(Primitive(corners, {"kind": [kind + given.randrange(3)] * 3, "uv": corners}))
    return Drawing([SIDE, SIDE], primitives)


def _quad(number: int, covered: int) -> Quad:
    x, y = 2 * (number % 4), 2 * (number // 4)
    places = [[x + 1.5 * (lane & 1), y + 2.5 * (lane >> 1)] for lane in range(4)]
    inputs: dict[str, Sequence[Any]] = {"kind": [number & 3] * 4, "uv": places}
    return Quad([x, y], [covered >> lane & 1 for lane in range(4)], inputs)


class _Writer:
    def __init__(self, given: random.Random) -> None:
        self.random = given
        self.lines: list[str] = []
        self.names = 0
        self.left = 0
        self.callees = 0
        self.counters = 0

    def text(self) -> str:
        mode = self.random.choice(MODES)
        quads = self.random.random() < 0.3
        extensions = capabilities = modes = ""
        if "maximal" in mode:
            extensions += 'Extension "SPV_KHR_maximal_reconvergence"\n'
            modes += "ExecutionMode @main MaximallyReconvergesKHR\n"
        if "full" in mode:
            extensions += 'Extension "SPV_KHR_quad_control"\n'
            capabilities += "Capability QuadControlKHR\n"
            modes += "ExecutionMode @main RequireFullQuadsKHR\n"
        head = _HEAD.replace("CAPABILITIES", capabilities).replace("EXTENSIONS", extensions).replace("MODES", modes)
        for number in range(self.random.choice((0, 0, 1))):
            self.function(f"f{number}", False)
            self.callees = number + 1
        self.function("main", quads)
        return head + "\n".join(self.lines) + "\n"

    # --- text ---------------------------------------------------------------------------------------------------------

    def say(self, line: str) -> None:
        self.lines.append(line)

    def give(self, what: str, type: str) -> str:
        self.names += 1
        name = f"%t{self.names}"
        self.say(f"{name} = {what} : {type}")
        return name

    def function(self, name: str, quads: bool) -> None:
        is_main = name == "main"
        self.say(f"func @{name}({'' if is_main else '%a: u32'}) -> {'void' if is_main else 'u32'} {{")
        at = len(self.lines)
        self.counters = 0
        if is_main:
            self.lines.extend(_START.rstrip().split("\n"))
        else:
            self.say("Store %sum, 1u")
            self.say("Store %mine, %a")
        if quads:
            slope = self.give(f"DPdx {self.give(f'ConvertUToF {self.value()}', 'f32')}", "f32")
            self.give(f"FOrdGreaterThan {slope}, 0.0f", "bool")
        self.left = self.random.randrange(1, 5)
        while self.left > 0:
            self.statement(0)
        total = self.give("Load %sum", "u32")
        if is_main:
            self.say(f"Store %color, {total}")
            if self.random.random() < 0.3:
                word = self.give("AccessChain %out, 0u, %spot", "ptr<StorageBuffer, u32>")
                self.say(f"Store {word}, {total}")
        self.say("return" if is_main else f"return {total}")
        self.say("}")
        variables = ["sum", "mine", *[f"c{number}" for number in range(self.counters)]]
        self.lines[at:at] = [f"%{each} = Variable Function : ptr<Function, u32>" for each in variables]

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self, depth: int = 0) -> str:
        kind = self.random.randrange(12)
        if kind < 2:
            return f"{self.random.choice((0, 1, 1, 2, 3, 0xFFFFFFFF))}u"
        if kind == 2:
            return self.give("Load %kind", "u32")
        if kind == 3:
            return self.give(f"Load {self.give('AccessChain %push, 0u', 'ptr<PushConstant, u32>')}", "u32")
        if kind == 4:
            at = self.random.choice(("0u", "1u", "7u"))
            return self.give(f"Load {self.give(f'AccessChain %out, 0u, {at}', 'ptr<StorageBuffer, u32>')}", "u32")
        if kind == 5:
            return self.give("Load %mine", "u32")
        if kind == 6:
            return self.give("Load %held", "u32")
        if kind < 9 and depth < 2:
            one, other = self.value(depth + 1), self.value(depth + 1)
            return self.give(f"Select {self.helps()}, {one}, {other}", "u32")
        if kind == 9 and depth < 2:
            one, other = self.value(depth + 1), self.value(depth + 1)
            combine = self.random.choice(("IAdd", "IMul", "BitwiseAnd", "BitwiseXor"))
            return self.give(f"{combine} {one}, {other}", "u32")
        if kind == 10 and self.callees and depth < 2:
            return self.give(f"FunctionCall @f0 {self.value(depth + 1)}", "u32")
        held = self.give("Load %uv", "vec2<f32>")
        part = self.give(f"CompositeExtract {held} {self.random.randrange(2)}", "f32")
        return self.give(f"ConvertFToU {part}", "u32")

    def helps(self) -> str:
        """A condition on who is a helper invocation, mostly."""
        kind = self.random.randrange(6)
        asked = self.give(self.random.choice(("Load %helper", "IsHelperInvocationEXT")), "bool")
        if kind < 2:
            return asked
        if kind < 4:
            return self.give(f"LogicalNot {asked}", "bool")
        joins = self.random.choice(("LogicalAnd", "LogicalOr", "LogicalEqual", "LogicalNotEqual"))
        return self.give(f"{joins} {asked}, {self.plain()}", "bool")

    def plain(self) -> str:
        compare = self.random.choice(("ULessThan", "IEqual", "INotEqual", "UGreaterThan"))
        return self.give(f"{compare} {self.value(1)}, {self.random.randrange(4)}u", "bool")

    def condition(self) -> str:
        kind = self.random.randrange(10)
        if kind < 2:
            return self.helps()
        if kind < 4 and self.left > 0:
            return self.give(f"INotEqual {self.operation()}, {self.random.randrange(5)}u", "bool")
        return self.plain()

    # --- operations ---------------------------------------------------------------------------------------------------

    def operation(self) -> str:
        """A group operation; its result as a word."""
        self.left -= 1
        kind = self.random.randrange(16)
        if kind < 5:
            way = self.random.choice(("Reduce", "Reduce", "Reduce", "InclusiveScan", "ExclusiveScan",
                "ClusteredReduce"))
            cluster = f", {self.random.choice((2, 4))}u" if way == "ClusteredReduce" else ""
            fold = self.random.choice(FOLDS)
            return self.give(f"GroupNonUniform{fold} Subgroup {way} {self.value()}{cluster}", "u32")
        if kind == 5:
            asked = self.random.choice((self.helps, self.plain))()
            return self.word(self.give(f"GroupNonUniform{self.random.choice(LOGICAL)} Subgroup Reduce {asked}", "bool"))
        if kind == 6:
            real = self.give(f"ConvertUToF {self.give(f'BitwiseAnd {self.value()}, 15u', 'u32')}", "f32")
            folded = self.give(f"GroupNonUniform{self.random.choice(FLOATS)} Subgroup Reduce {real}", "f32")
            return self.give(f"ConvertFToU {folded}", "u32")
        if kind < 9:
            asked = self.random.choice((self.helps, self.plain))()
            vote = self.random.choice(("GroupNonUniformAny Subgroup ", "GroupNonUniformAll Subgroup ",
                "SubgroupAnyKHR ",
                                       "SubgroupAllKHR ", "SubgroupAllEqualKHR "))  # fmt: skip
            return self.word(self.give(f"{vote}{asked}", "bool"))
        if kind == 9:
            return self.word(self.give(f"GroupNonUniformAllEqual Subgroup {self.value()}", "bool"))
        if kind < 12:
            asked = self.random.choice((self.helps, self.plain, lambda: "true"))()
            ballot = self.random.choice(("GroupNonUniformBallot Subgroup ", "SubgroupBallotKHR "))
            bits = self.give(f"{ballot}{asked}", "vec4<u32>")
            if self.random.random() < 0.4:
                return self.give(f"GroupNonUniformBallotBitCount Subgroup Reduce {bits}", "u32")
            return self.give(f"CompositeExtract {bits} 0", "u32")
        if kind == 12:
            return self.word(self.give("GroupNonUniformElect Subgroup", "bool"))
        if kind == 13:
            return self.give(f"GroupNonUniformBroadcastFirst Subgroup {self.value()}", "u32")
        if kind == 14:
            return self.give(f"GroupNonUniformBroadcast Subgroup {self.value()}, {self.random.randrange(4)}u", "u32")
        way = self.random.choice(("ShuffleXor", "ShuffleUp", "ShuffleDown", "Shuffle", "RotateKHR"))
        return self.give(f"GroupNonUniform{way} Subgroup {self.value()}, {self.random.choice((1, 2))}u", "u32")

    def word(self, asked: str) -> str:
        return self.give(f"Select {asked}, 1u, 0u", "u32")

    # --- statements ---------------------------------------------------------------------------------------------------

    def add(self, word: str) -> None:
        old = self.give("Load %sum", "u32")
        total = self.give(f"IAdd {self.give(f'IMul {old}, 7u', 'u32')}, {word}", "u32")
        self.say(f"Store %sum, {total}")

    def statement(self, depth: int) -> None:
        kind = self.random.randrange(13)
        if kind < 5 or depth > 2:
            self.add(self.operation())
        elif kind == 5:
            self.say(f"Store %mine, {self.operation()}")
        elif kind == 6:
            self.add(self.value())
        elif kind == 7:
            self.say(f"if {self.condition()} {{")
            self.say(self.random.choice(("DemoteToHelperInvocation", "DemoteToHelperInvocation", "kill", "terminate")))
            self.say("}")
            self.left -= 1
        elif kind < 10:
            self.say(f"if {self.condition()} {{")
            self.statement(depth + 1)
            if self.random.random() < 0.5:
                self.say("} else {")
                self.statement(depth + 1)
            self.say("}")
        elif kind == 10:
            self.switch(depth)
        else:
            self.loop(depth)

    def switch(self, depth: int) -> None:
        self.names += 1
        selector = self.give(f"BitwiseAnd {self.value()}, 3u", "u32")
        self.say(f"switch {selector} as @s{self.names} {{")
        for label in ("case 0", "case 1, 2", "default"):
            self.say(f"{label}: {{")
            self.statement(depth + 1)
            if label == "case 0" and self.random.random() < 0.3:
                self.say("fallthrough")
            self.say("}")
        self.say("}")

    def loop(self, depth: int) -> None:
        counter = f"%c{self.counters}"
        label = f"@l{self.counters}"
        self.counters += 1
        self.say(f"Store {counter}, 0u")
        few = self.give(f"BitwiseAnd {self.value()}, 3u", "u32")
        self.say(f"loop {label} {{")
        turn = self.give(f"Load {counter}", "u32")
        over = self.give(f"UGreaterThanEqual {turn}, {few}", "bool")
        self.say(f"if {over} nojoin {{ break {label} }}")
        self.statement(depth + 1)
        self.say("} continuing {")
        now = self.give(f"Load {counter}", "u32")
        self.say(f"Store {counter}, {self.give(f'IAdd {now}, 1u', 'u32')}")
        self.say("}")


# --- judging ----------------------------------------------------------------------------------------------------------


def left(module: Module, program: Helped, helpers: str) -> object:
    """What a run leaves, with all helper invocations active or inactive."""
    result = run(
        module,
        subgroup_size=program.lanes,
        drawing=program.drawing,
        buffers={"out": [(5 * at) & 7 for at in range(SIDE * SIDE)]},
        push_constants=[program.pushed],
        policy=Policy(helpers=helpers),
        max_steps=20_000,
    )
    assert result.framebuffer is not None
    return result.finished, tuple(result.buffers["out"].words), result.framebuffer.contents()


def differs(program: Helped) -> bool:
    module = parse(program.text)
    return left(module, program, "active") != left(module, program, "inactive")


def silent(program: Helped) -> bool:
    """Whether lint says nothing of it."""
    return not lint_module(parse(program.text))


def judged(count: int, first: int = 0) -> tuple[int, list[int], Counter[str]]:
    """(how many seeds were tried, those in which it shows and lint is silent, findings by code), until it shows in
    `count` programs."""
    seed = first
    shown = 0
    missed: list[int] = []
    codes: Counter[str] = Counter()
    while shown < count:
        program = helped(seed)
        if differs(program):
            shown += 1
            found = {diagnostic.code for diagnostic in lint_module(parse(program.text))}
            codes.update(found)
            if not found:
                missed.append(seed)
        seed += 1
    return seed - first, missed, codes


def main(arguments: list[str]) -> None:
    count = int(arguments[0])
    tried, missed, codes = judged(count)
    print(f"{tried} programs, {count} in which helper invocations show; {dict(codes)}; silent: {missed}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main(sys.argv[1:])
