"""Random fragment shaders for what is reported of quads: derivatives, implicit levels of detail, quad operations and
ballots, in ifs, loops, switches and functions that discard, demote, terminate and return.

    program = quad_program(7)
    program.text("base")                   the shader, whose entry point declares what the rule says
    program.text("base", without=["s3"])   the same, with a constant in place of the operation %s3

Each operation is a *site* with a name of its own; what it gives is mixed into the pixel's word of %out (which helper
invocations can't store) and into the output %color. Conditions are of the pixel, of the primitive (%kind), of the draw
(a push constant), of what a site gave, and of who is a helper invocation. Nothing else is shared between invocations,
so that all that may differ between two runs is which invocations ran a site together.
"""

import random
from collections.abc import Collection, Sequence
from typing import Any, Final, final

from reknit.sim.drawing import Drawing, Primitive, Quad
from reknit.sim.images import Image, Sampler

SIDE: Final = 8
"""Pixels a side of the pictures that are drawn."""
WORDS: Final = SIDE * SIDE

_HEAD: Final = """Capability Shader
Capability GroupNonUniform
Capability GroupNonUniformVote
Capability GroupNonUniformArithmetic
Capability GroupNonUniformBallot
Capability GroupNonUniformQuad
Capability DerivativeControl
Capability ImageQuery
Capability DemoteToHelperInvocation
EXTENSIONMemoryModel Logical GLSL450
EntryPoint Fragment @main "main" %coord, %kind, %uv, %helper, %color, %out, %tex, %push, %h, %pixel
ExecutionMode @main OriginUpperLeft
MODEnames %kind, %uv, %color, %out, %tex, %push
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
Decorate %tex DescriptorSet 0
Decorate %tex Binding 1
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
%image = TypeImage f32 2D 0 0 0 1 Unknown
%sampled = TypeSampledImage %image
%tex = Variable UniformConstant : ptr<UniformConstant, %sampled>
%h = Variable Private : ptr<Private, u32>
%pixel = Variable Private : ptr<Private, u32>
func @record(%seen: u32, %number: u32) -> void {
  %old = Load %h : u32
  %scaled = IMul %old, 31u : u32
  %sum = IAdd %scaled, %seen : u32
  %new = IAdd %sum, %number : u32
  Store %h, %new
  %at = Load %pixel : u32
  %word = AccessChain %out, 0u, %at : ptr<StorageBuffer, u32>
  Store %word, %new
  Store %color, %new
  return
}
"""
_START: Final = """  %frag = Load %coord : vec4<f32>
  %fx = CompositeExtract %frag 0 : f32
  %fy = CompositeExtract %frag 1 : f32
  %x = ConvertFToU %fx : u32
  %y = ConvertFToU %fy : u32
  %row = IMul %y, 8u : u32
  %spot = IAdd %row, %x : u32
  Store %pixel, %spot
  Store %h, 1u
  Store %color, 1u
  Store %v0, %x
  Store %v1, %y
  Store %v2, %spot
"""
_MODES: Final = {
    "base": ("", ""),
    "sucf": ("SPV_KHR_subgroup_uniform_control_flow", "SubgroupUniformControlFlowKHR"),
    "maximal": ("SPV_KHR_maximal_reconvergence", "MaximallyReconvergesKHR"),
}
DERIVATIVES: Final = (
    "DPdx", "DPdy", "Fwidth", "DPdxFine", "DPdyFine", "FwidthFine", "DPdxCoarse", "DPdyCoarse", "FwidthCoarse",
)  # fmt: skip
QUAD: Final = "quad"
SUBGROUP: Final = "subgroup"
DERIVATIVE: Final = "derivative"
_ENDS: Final = ("kill", "terminate", "DemoteToHelperInvocation")


@final
class Site:
    """`line` gives `%name`, of `type`; `constant` is what stands for it where it is left out."""

    __slots__ = ("name", "family", "line", "type", "constant")

    def __init__(self, name: str, family: str, line: str, type: str, constant: str) -> None:
        self.name = name
        self.family = family
        self.line = line
        self.type = type
        self.constant = constant

    def text(self, without: Collection[str]) -> str:
        what = f"CopyObject {self.constant}" if self.name in without else self.line
        return f"%{self.name} = {what} : {self.type}\n"


@final
class QuadProgram:
    """`parts` are the functions' lines and sites, in order. `pushed` is the push constant."""

    __slots__ = ("parts", "pushed")

    def __init__(self, parts: list[str | Site], pushed: int) -> None:
        self.parts = parts
        self.pushed = pushed

    def sites(self) -> dict[str, Site]:
        return {part.name: part for part in self.parts if isinstance(part, Site)}

    def text(self, rule: str, without: Collection[str] = ()) -> str:
        """As .rk. `rule` is what the entry point declares: "base" nothing, "sucf" or "maximal" a mode."""
        extension, mode = _MODES[rule]
        head = _HEAD.replace("EXTENSION", f'Extension "{extension}"\n' if extension else "")
        head = head.replace("MODE", f"ExecutionMode @main {mode}\n" if mode else "")
        body = [part if isinstance(part, str) else part.text(without) for part in self.parts]
        return head + "".join(body)


def quad_program(
    seed: int, families: Sequence[str] = (DERIVATIVE, QUAD, SUBGROUP), ending: bool = True, levels: bool = True
) -> QuadProgram:
    """The program of a seed. `families` are those of its sites, `ending` is whether something may end or demote its
    invocations, `levels` whether jumps leave several loops and switches at once, which SPIR-V can't write."""
    return _Writer(seed, families, ending, levels).program()


@final
class _Writer:
    def __init__(self, seed: int, families: Sequence[str], ending: bool, levels: bool) -> None:
        self.random = random.Random(f"quads {seed}")
        self.families = families
        self.ending = ending
        self.levels = levels
        self.parts: list[str | Site] = []
        self.names = 0
        self.sites = 0
        self.counters = 0
        self.left = 0
        self.callees = 0
        self.turns: list[str] = []
        """The counters of the loops around."""

    def program(self) -> QuadProgram:
        for number in range(self.random.randrange(3)):
            self.function(f"f{number}")
            self.callees = number + 1
        self.function("main")
        return QuadProgram(self.parts, self.random.randrange(4))

    def say(self, text: str) -> None:
        self.parts.append(text + "\n")

    def fresh(self) -> str:
        self.names += 1
        return f"%t{self.names}"

    def give(self, what: str, type: str) -> str:
        """The name of a new value."""
        name = self.fresh()
        self.say(f"{name} = {what} : {type}")
        return name

    def function(self, name: str) -> None:
        is_main = name == "main"
        self.say(f"func @{name}({'' if is_main else '%a: u32'}) -> {'void' if is_main else 'u32'} {{")
        at = len(self.parts)
        if is_main:
            self.say(_START)
        else:
            self.say("Store %v0, %a")
            self.say("Store %v1, 1u")
            self.say("%where = Load %pixel : u32\nStore %v2, %where")
        self.counters = 0
        self.turns = []
        self.left = self.random.randrange(6, 14) if is_main else self.random.randrange(3, 7)
        ended = self.statements(0, [], is_main)
        if not ended:
            if is_main:
                self.site()
            self.leave(is_main)
        self.say("}")
        variables = [f"v{number}" for number in range(3)] + [f"c{number}" for number in range(self.counters)]
        self.parts[at:at] = [f"%{each} = Variable Function 0u : ptr<Function, u32>\n" for each in variables]

    def leave(self, is_main: bool) -> None:
        self.say("return" if is_main else f"return {self.value()}")

    # --- values -------------------------------------------------------------------------------------------------------

    def value(self) -> str:
        kind = self.random.randrange(10)
        if kind == 0:
            return f"{self.random.randrange(4)}u"
        if kind == 1:
            return self.give("Load %kind", "u32")
        if kind == 2:
            pointer = self.give("AccessChain %push, 0u", "ptr<PushConstant, u32>")
            return self.give(f"Load {pointer}", "u32")
        if kind == 3 and self.turns:
            return self.give(f"Load {self.random.choice(self.turns)}", "u32")
        return self.give(f"Load %v{self.random.randrange(3)}", "u32")

    def real(self) -> str:
        """A small whole number, or an input."""
        if self.random.random() < 0.3:
            both = self.give("Load %uv", "vec2<f32>")
            return self.give(f"CompositeExtract {both} {self.random.randrange(2)}", "f32")
        low = self.give(f"BitwiseAnd {self.value()}, 15u", "u32")
        return self.give(f"ConvertUToF {low}", "f32")

    def condition(self) -> str:
        kind = self.random.random()
        if kind < 0.06:
            return self.give("Load %helper", "bool")
        if kind < 0.12 and self.ending:
            return self.give("IsHelperInvocationEXT", "bool")
        if kind < 0.4:
            site = self.site()
            if site.type == "bool":
                return f"%{site.name}"
            if site.type == "f32":
                return self.give(f"FOrdGreaterThan %{site.name}, 0.5f", "bool")
            word = self.as_word(site)
        else:
            word = self.value()
        if self.random.random() < 0.3:
            return self.give(f"ULessThan {word}, {self.random.choice((1, 2, 3, 5, 20))}u", "bool")
        bits = self.give(f"BitwiseAnd {word}, {self.random.choice((1, 1, 2, 3, 4, 8))}u", "u32")
        return self.give(f"INotEqual {bits}, 0u", "bool")

    # --- sites --------------------------------------------------------------------------------------------------------

    def site(self) -> Site:
        """An operation, recorded."""
        family = self.random.choice(list(self.families))
        name = f"s{self.sites}"
        self.sites += 1
        site = {DERIVATIVE: self.derivative, QUAD: self.quad, SUBGROUP: self.subgroup}[family](name)
        self.parts.append(site)
        seen = self.as_word(site)
        self.give(f"FunctionCall @record {seen}, {self.sites}u", "void")
        return site

    def derivative(self, name: str) -> Site:
        if self.random.random() < 0.3:
            coordinate = self.give(f"CompositeConstruct {self.real()}, {self.real()}", "vec2<f32>")
            small = self.give(f"VectorTimesScalar {coordinate}, 0.125f", "vec2<f32>")
            held = self.give("Load %tex", "%sampled")
            if self.random.random() < 0.3:
                return Site(name, DERIVATIVE, f"ImageQueryLod {held}, {small}", "vec2<f32>", "null<vec2<f32>>")
            return Site(name, DERIVATIVE, f"ImageSampleImplicitLod {held}, {small}", "vec4<f32>", "null<vec4<f32>>")
        return Site(name, DERIVATIVE, f"{self.random.choice(DERIVATIVES)} {self.real()}", "f32", "0.0f")

    def quad(self, name: str) -> Site:
        operation = self.random.choice(("Broadcast", "Swap"))
        number = self.random.randrange(4 if operation == "Broadcast" else 3)
        return Site(name, QUAD, f"GroupNonUniformQuad{operation} Subgroup, {self.value()}, {number}u", "u32", "0u")

    def subgroup(self, name: str) -> Site:
        kind = self.random.randrange(6)
        if kind < 2:
            predicate = self.condition() if self.random.random() < 0.2 else "true"
            return Site(name, SUBGROUP, f"GroupNonUniformBallot Subgroup, {predicate}", "vec4<u32>", "null<vec4<u32>>")
        if kind == 2:
            return Site(name, SUBGROUP, "GroupNonUniformElect Subgroup", "bool", "false")
        if kind == 3:
            return Site(name, SUBGROUP, f"GroupNonUniformIAdd Subgroup, Reduce, {self.value()}", "u32", "0u")
        vote = self.random.choice(("Any", "All"))
        word = self.give(f"IEqual {self.value()}, {self.random.randrange(4)}u", "bool")
        return Site(name, SUBGROUP, f"GroupNonUniform{vote} Subgroup, {word}", "bool", "false")

    def as_word(self, site: Site) -> str:
        name = f"%{site.name}"
        if site.type == "bool":
            return self.give(f"Select {name}, 1u, 0u", "u32")
        if site.type == "f32":
            return self.bits(name)
        if site.type == "vec4<u32>":
            return self.give(f"CompositeExtract {name} 0", "u32")
        if site.type.startswith("vec"):
            return self.bits(self.give(f"CompositeExtract {name} 0", "f32"))
        return name

    def bits(self, number: str) -> str:
        """Of a float, without the sign of a zero, which is the implementation's own."""
        bits = self.give(f"Bitcast {number}", "u32")
        magnitude = self.give(f"BitwiseAnd {bits}, 0x7fffffffu", "u32")
        return self.give(f"Select {self.give(f'IEqual {magnitude}, 0u', 'bool')}, 0u, {bits}", "u32")

    # --- statements ---------------------------------------------------------------------------------------------------

    def statements(self, depth: int, around: list[tuple[str, bool]], is_main: bool) -> bool:
        """Whether they end in a jump. `around` are the open constructs, (label, whether it is a loop)."""
        for _ in range(self.random.randrange(1, 4) if depth else 12):
            if self.left <= 0:
                return False
            self.left -= 1
            kind = self.random.randrange(20)
            if kind < 5:
                self.site()
            elif kind < 8:
                total = self.give(f"IAdd {self.value()}, {self.value()}", "u32")
                self.say(f"Store %v{self.random.randrange(3)}, {total}")
            elif kind < 12 and depth < 4:
                self.choice(depth, around, is_main)
            elif kind < 14 and depth < 3:
                self.loop(depth, around, is_main)
            elif kind < 16 and depth < 3:
                self.switch(depth, around, is_main)
            elif kind == 16 and self.callees:
                callee = f"@f{self.random.randrange(self.callees)}"
                given = self.give(f"FunctionCall {callee} {self.value()}", "u32")
                self.say(f"Store %v{self.random.randrange(3)}, {given}")
            elif kind < 19 and depth and self.jump(around, is_main):
                return True
        return False

    def jump(self, around: list[tuple[str, bool]], is_main: bool) -> bool:
        kind = self.random.random()
        if kind < 0.45 and self.ending:
            end = self.random.choice(_ENDS)
            self.say(end)
            return end != _ENDS[-1]
        if kind < 0.6:
            self.leave(is_main)
            return True
        if not around:
            return False
        label, is_loop = self.random.choice(around if self.levels else around[-1:])
        self.say(f"{'continue' if is_loop and self.random.random() < 0.5 else 'break'} {label}")
        return True

    def choice(self, depth: int, around: list[tuple[str, bool]], is_main: bool) -> None:
        self.say(f"if {self.condition()} {{")
        self.statements(depth + 1, around, is_main)
        if self.random.random() < 0.4:
            self.say("} else {")
            self.statements(depth + 1, around, is_main)
        self.say("}")

    def loop(self, depth: int, around: list[tuple[str, bool]], is_main: bool) -> None:
        counter = f"%c{self.counters}"
        label = f"@l{self.counters}"
        self.counters += 1
        self.say(f"Store {counter}, 0u")
        bound = self.value() if self.random.random() < 0.6 else "2u"
        few = self.give(f"BitwiseAnd {bound}, 3u", "u32")
        self.say(f"loop {label} {{")
        turn = self.give(f"Load {counter}", "u32")
        over = self.give(f"UGreaterThanEqual {turn}, {few}", "bool")
        self.say(f"if {over} nojoin {{ break {label} }}")
        self.turns.append(counter)
        self.statements(depth + 1, [*around, (label, True)], is_main)
        self.say("} continuing {")
        if self.random.random() < 0.3:
            self.site()
        now = self.give(f"Load {counter}", "u32")
        self.say(f"Store {counter}, {self.give(f'IAdd {now}, 1u', 'u32')}")
        self.say("}")
        self.turns.pop()

    def switch(self, depth: int, around: list[tuple[str, bool]], is_main: bool) -> None:
        self.names += 1
        label = f"@s{self.names}"
        selector = self.give(f"BitwiseAnd {self.value()}, 3u", "u32")
        self.say(f"switch {selector} as {label} {{")
        labels = [["0"], ["1"], ["2", "3"]] if self.random.random() < 0.5 else [["0", "2"], ["1"]]
        if self.random.random() < 0.3:
            labels = [["0"], ["1"], ["2"]]
        for number, each in enumerate(labels):
            default = ", default" if number == len(labels) - 1 and self.random.random() < 0.5 else ""
            self.say(f"case {', '.join(each)}{default}: {{")
            ended = self.statements(depth + 1, [*around, (label, False)], is_main)
            if not ended and number < len(labels) - 1 and self.random.random() < 0.3:
                self.say("fallthrough")
            self.say("}")
            last = default
        if not last:
            self.say("default: {")
            self.statements(depth + 1, [*around, (label, False)], is_main)
            self.say("}")
        self.say("}")


# --- what they are drawn over -----------------------------------------------------------------------------------------


def _primitive(kind: int, *corners: tuple[int, int]) -> Primitive:
    places = [list(corner) for corner in corners]
    return Primitive([[float(x), float(y)] for x, y in corners], {"kind": [kind] * 3, "uv": places})


def _quad(covered: int) -> Quad:
    x, y = 2 * (covered % 4), 2 * (covered // 4)
    places = [[x + 1.5 * (lane & 1), y + 2.5 * (lane >> 1)] for lane in range(4)]
    inputs: dict[str, Sequence[Any]] = {"kind": [covered & 3] * 4, "uv": places}
    return Quad([x, y], [covered >> lane & 1 for lane in range(4)], inputs)


DRAWINGS: Final = {
    "corner": Drawing([SIDE, SIDE], [_primitive(1, (0, 0), (3, 0), (0, 3))]),
    "edges": Drawing([SIDE, SIDE], [_primitive(2, (1, 0), (6, 2), (2, 5))]),
    "whole": Drawing([SIDE, SIDE], [_primitive(3, (0, 0), (8, 0), (0, 8))]),
    "two": Drawing([SIDE, SIDE], [_primitive(1, (0, 0), (3, 0), (0, 3)), _primitive(2, (8, 3), (4, 7), (8, 7))]),
    "covers": Drawing([SIDE, SIDE], quads=[_quad(number) for number in range(1, 16)]),
}
"""By name; "covers" has a quad for each way in which some of its pixels are covered. No pixel is in two primitives, so
that no word is stored from two places."""


def buffers() -> dict[str, object]:
    """What the shaders read and write: new ones for each run."""
    levels = [float(x + 10 * y) for y in range(4) for x in range(4)] + [50.0, 51, 60, 61]
    return {"out": [0] * WORDS, "tex": Image([4, 4], "r32f", levels, 2, Sampler())}
