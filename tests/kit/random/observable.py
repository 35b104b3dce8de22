"""Compute shaders whose results drivers may differ on, each with what lets them: rows of the ledger of freedoms.

    program = observable(7)
    program.text                  GLSL
    program.probes[0].rows        rows by name that may let the words of the probe differ; none: they are enumerated

A program has one or two probes. Each invocation stores `WORDS` words of each probe, so that the words say which probe a
difference is of. The rows are from the specification of what the probe does, not from what reknit says of it.
"""

import random
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from reknit.sim.images import Image, Sampler

WORDS: Final = 4
"""Of a probe, by an invocation."""

SPECIALS: Final = frozenset({"special-floats", "special-copies", "special-floats-elsewhere", "nan-bits"})
UNUSUAL: Final = SPECIALS | {"denormals", "denormals-elsewhere"}
ROUNDED: Final = UNUSUAL | {"rounding"}
ARITHMETIC: Final = ROUNDED | {"rearrangement"}
IMPRECISE: Final = ARITHMETIC | {"precision", "undefined-value"}
UNDEFINED: Final = frozenset({"undefined-value"})
EXTREMES: Final = UNUSUAL | {"extreme-of-nan", "undefined-value"}
REDUCED: Final = ROUNDED | {"reduction-order"}
RACES: Final = frozenset({"execution-order", "weak-memory"})

SIZES: Final = ((4, 1), (5, 1), (6, 1), (7, 1), (8, 1), (8, 1), (12, 1), (16, 1), (3, 2), (4, 3))
MODES: Final = ("", "", "", "maximal")

_HEAD: Final = """#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_clustered : require
"""
_MODES: Final = {"": "", "maximal": "#extension GL_EXT_maximal_reconvergence : require\n"}
_ATTRIBUTES: Final = {"": "", "maximal": "[[maximally_reconverges]] "}

PLAIN: Final = (0.1, 0.3, 0.7, 1.1, -0.9, 2.3, 3.3333333, -7.77, 1e-3, 123.456, -0.0123, 5.5, 1.0, -2.0, 0.5, 1e6)
SPECIAL: Final = (float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0, -1.0, 3e38, 1.5)
TINY: Final = (1e-39, -1e-40, 1.4e-45, 1.2e-38, -1.2e-38, 1e-20, -3e-20, 0.0, 2.0, 0.25)
HALVES: Final = (0.5, 1.5, 2.5, 3.5, -0.5, -1.5, -2.5, 4.5)
FAR: Final = (3e9, -1.0, -3e9, 1e20, -1e20, float("nan"), float("inf"), 4294967296.0, 2147483648.0, -0.5, 7.9)


@dataclass(slots=True)
class Probe:
    name: str
    rows: frozenset[str]
    body: str
    memory: bool = False
    """Whether what group operations give is summed up in memory."""

    def faults(self) -> dict[str, str]:
        """Drivers that are known to get it wrong, with the name of the fault in docs/devices.md."""
        faults: dict[str, str] = {}
        if ("for (" in self.body or "do {" in self.body) and not self.memory:
            faults["swiftshader"] = "values that a loop leaves"
        if "textureSize(tex, int(l" in self.body:
            faults["lavapipe"] = "sizes of several levels"
        return faults


@dataclass(slots=True)
class Observable:
    """`words` and `floats` are what the input buffers hold, an element an invocation; `count` is how many there are."""

    seed: int
    mode: str
    size: tuple[int, int]
    groups: int
    probes: list[Probe]
    text: str
    words: list[int]
    floats: list[int]
    count: int = field(default=0)

    def buffers(self) -> dict[str, object]:
        stored = [0xDEAD0000] * (self.count * WORDS * len(self.probes))
        given: dict[str, object] = {"Out": stored, "In": list(self.words), "Reals": list(self.floats)}
        given["Shared"] = [0] * 8
        if any(probe.name == "texels" for probe in self.probes):
            levels = [float((7 * x + 10 * y) % 13) for y in range(8) for x in range(8)]
            levels += [float(50 + x + 4 * y) for y in range(4) for x in range(4)]
            return {**given, "tex": Image([8, 8], "r32f", levels, 2, Sampler())}
        return given

    def probe_of(self, word: int) -> Probe:
        return self.probes[word // (self.count * WORDS)]


def float_word(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def observable(seed: int, only: str = "") -> Observable:
    given = random.Random(f"observable/{seed}")
    names = [only] if only else given.sample([*FAMILIES, *LIKELY], given.choice((1, 1, 2)))
    mode = given.choice(MODES)
    size = given.choice(SIZES)
    groups = given.choice((1, 1, 1, 2))
    writer = _Writer(given)
    probes = [writer.probe(name) for name in names]
    count = size[0] * size[1] * groups
    reals = [PLAIN, SPECIAL, TINY, HALVES, FAR]
    pools = {"extremes": 1, "denormals": 2, "rounds": 3, "converts": 4, "reduces_extremes": 1, "odd_floats": 1}
    pool = reals[max([pools.get(name, 0) for name in names])]
    floats = [float_word(given.choice(pool)) for _ in range(count + 4)]
    few = [given.randrange(8) for _ in range(count + 4)]
    wide = [given.choice((0, 1, 2, 31, 32, 33, 40, 0xFFFFFFFF, 0x80000000, given.getrandbits(32))) for _ in few]
    words = wide if any(name in WIDE for name in names) else few
    program = Observable(seed, mode, size, groups, probes, "", words, floats, count)
    program.text = _text(program, given)
    return program


def _text(program: Observable, given: random.Random) -> str:
    parts = [_HEAD, _MODES[program.mode]]
    parts.append(f"layout(local_size_x = {program.size[0]}, local_size_y = {program.size[1]}) in;\n")
    parts.append("layout(set = 0, binding = 0) buffer Out { uint o[]; };\n")
    parts.append("layout(set = 0, binding = 1) readonly buffer In { uint i[]; };\n")
    parts.append("layout(set = 0, binding = 2) readonly buffer Reals { float f[]; };\n")
    parts.append("layout(set = 0, binding = 3) buffer Shared { uint s[]; };\n")
    if any(probe.name == "texels" for probe in program.probes):
        parts.append("layout(set = 0, binding = 4) uniform sampler2D tex;\n")
    parts.append("shared uint w[64];\nshared float wf[64];\n")
    calls: list[str] = []
    for number, probe in enumerate(program.probes):
        base = number * WORDS
        body = probe.body.replace("PUT(", f"PUT{number}(")
        held = f"o[{base}u * {program.count}u + g]" if probe.memory else "a"
        begin = f"{held} = 0u;" if probe.memory else "uint a = 0u;"
        body = body.replace("BEGIN", begin).replace("STEP(", f"{held} = {held} * 7u + (").replace("SUM", held)
        parts.append(f"#define PUT{number}(k, x) o[({base}u + k) * {program.count}u + g] = (x)\n")
        last = number == len(program.probes) - 1
        if last and given.random() < 0.5:
            calls.append("{\n" + body + "}\n")
        else:
            parts.append(f"void probe{number}(uint l, uint g, uint v, float r) {{\n{body}}}\n")
            calls.append(f"probe{number}(l, g, v, r);\n")
    lanes = program.size[0] * program.size[1]
    parts.append(f"void main() {_ATTRIBUTES[program.mode]}{{\nuint l = gl_LocalInvocationIndex;\n")
    parts.append(f"uint g = gl_WorkGroupID.x * {lanes}u + l;\nuint v = i[g];\nfloat r = f[g];\n")
    parts.extend(calls)
    parts.append("}\n")
    return "".join(parts)


class _Writer:
    def __init__(self, given: random.Random) -> None:
        self.random = given
        self.names = 0
        self.left = 0
        self.lines: list[str] = []

    def probe(self, name: str) -> Probe:
        self.lines = []
        make, rows = FAMILIES[name]
        make(self)
        return Probe(name, rows, "".join(f"  {line}\n" for line in self.lines), self.random.random() < 0.6)

    def say(self, *lines: str) -> None:
        self.lines.extend(lines)

    def pick(self, *of: str) -> str:
        return self.random.choice(of)

    def number(self, most: int) -> int:
        return self.random.randrange(most)

    # --- who runs together --------------------------------------------------------------------------------------------

    def condition(self) -> str:
        return self.pick(
            "(v & 1u) == 0u", "(v & 2u) != 0u", "v > 3u", "l < 3u", "(l & 1u) == 1u", "(l & 2u) == 0u", "l == 1u",
            "SUM > 9u", "(SUM & 1u) == 0u", "v == 5u", "l != 2u",
        )  # fmt: skip

    def plain_condition(self) -> str:
        return self.pick("(v & 1u) == 0u", "(v & 2u) != 0u", "v > 3u", "l < 3u", "(l & 2u) == 0u", "l == 1u")

    def operation(self) -> str:
        self.left -= 1
        return self.pick(
            "subgroupBallot(true).x", "subgroupBallot(true).x", "subgroupAdd(v)", "subgroupAdd(1u)", "subgroupMax(v)",
            "uint(subgroupElect())", "uint(subgroupAny(v > 4u))", "uint(subgroupAll(v < 5u))",
            "subgroupBroadcastFirst(v)", "subgroupExclusiveAdd(1u)", "subgroupInclusiveAdd(v)", "subgroupOr(1u << l)",
            f"subgroupBallotBitCount(subgroupBallot({self.condition()}))", "uint(subgroupAllEqual(v))",
        )  # fmt: skip

    def operate(self) -> None:
        if self.left > 0:
            self.say(f"STEP({self.operation()});")

    def flow(self, depth: int, loop: bool, leaves: bool) -> None:
        """Some statements with group operations."""
        for _ in range(self.random.randrange(1, 3)):
            if self.left <= 0:
                return
            kind = self.number(12)
            if kind < 4 or depth >= 3:
                self.operate()
            elif kind < 7:
                self.say(f"if ({self.condition()}) {{")
                self.flow(depth + 1, loop, leaves)
                if loop and self.random.random() < 0.4:
                    self.operate()
                    self.say(self.pick("break;", "continue;", "break;"))
                elif leaves and self.random.random() < 0.2:
                    self.operate()
                    self.say("PUT(0u, SUM); PUT(1u, 1u); return;")
                elif self.random.random() < 0.4:
                    self.say("} else {")
                    self.flow(depth + 1, loop, leaves)
                self.say("}")
            elif kind < 9 and depth < 2:
                turn = self.name("k")
                bound = self.pick("(v & 3u)", "2u", "(l & 1u) + 1u", "(v & 1u) + 1u")
                self.say(f"for (uint {turn} = 0u; {turn} < {bound}; {turn}++) {{")
                self.flow(depth + 1, True, leaves)
                self.say("}")
            elif depth < 2:
                self.say(f"switch ({self.pick('v & 3u', 'l & 3u', 'v', 'l % 3u')}) {{")
                for label in ("case 0u:", self.pick("case 1u:", "case 1u: case 4u:"), "case 2u:", "default:"):
                    self.say(label)
                    self.operate()
                    if label == "default:" or self.random.random() < 0.6:
                        self.say("break;")
                self.say("}")

    def name(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def diverges(self) -> None:
        self.left = 4
        self.say("BEGIN")
        while self.left > 1:
            self.flow(0, False, True)
        self.operate()
        self.say("PUT(0u, SUM);")

    def switches(self) -> None:
        self.left = 4
        self.say("BEGIN", f"switch ({self.pick('v & 3u', 'l & 3u', 'v')}) {{")
        for label in ("case 0u: case 5u:", "case 1u:", "case 2u: case 3u:", "default:"):
            self.say(label)
            self.operate()
            if self.random.random() < 0.3:
                self.say(f"if ({self.condition()}) break;")
            if self.random.random() < 0.35 or label == "default:":
                self.say("break;")
        self.say("}", "PUT(0u, SUM);", "PUT(1u, subgroupBallot(true).x);")

    def breaks(self) -> None:
        """A block that breaks: whether who leaves waits for the others there, or behind the loop."""
        self.left = 6
        self.say("BEGIN", f"for (uint k = 0u; {self.pick('k < 3u', 'true')}; k++) {{")
        self.say(f"if ({self.pick('k >= (v & 3u)', 'k == (l & 1u)', 'k >= 2u || v == k')}) {{")
        self.operate()
        self.say("break;", "}")
        if self.random.random() < 0.6:
            self.operate()
        if self.random.random() < 0.4:
            self.say(f"if ({self.condition()}) {{")
            self.operate()
            self.say(self.pick("continue;", "break;"), "}")
            self.operate()
        self.say("if (k > 3u) break;", "}", "PUT(0u, SUM);", "PUT(1u, subgroupAdd(1u));")

    def leaves(self) -> None:
        """An early return, then barriers of the subgroup and operations."""
        self.left = 3
        self.say("BEGIN", f"if ({self.condition()}) {{")
        self.operate()
        self.say("PUT(0u, SUM);", "return;", "}")
        if self.random.random() < 0.6:
            self.say(self.pick("subgroupBarrier();", "subgroupMemoryBarrier();"))
        self.operate()
        self.say("PUT(0u, SUM);", "PUT(1u, subgroupBallot(true).x);")

    def loops_apart(self) -> None:
        """Loops that invocations leave after other numbers of turns."""
        self.left = 3
        self.say("BEGIN uint k = 0u;", "do {")
        self.operate()
        self.say("k++;",
            f"}} while (k <= (v & 3u) && {self.pick('subgroupAny(true)', 'SUM != 3u', 'subgroupAdd(1u) > 1u')});")
        self.say("PUT(0u, SUM);", "PUT(2u, subgroupBallot(true).x);")

    # --- subgroups ----------------------------------------------------------------------------------------------------

    def packs(self) -> None:
        """Subgroups that are not full, their numbers and masks."""
        some = [
            "gl_SubgroupSize", "gl_NumSubgroups", "gl_SubgroupID", "gl_SubgroupInvocationID", "gl_SubgroupLtMask.x",
            "gl_SubgroupGeMask.x", "subgroupAdd(1u)", "subgroupBallot(true).x", "subgroupMin(l)", "subgroupMax(l)",
            "subgroupAdd(l)", "uint(subgroupAllEqual(gl_SubgroupID))", "subgroupBroadcastFirst(l)",
        ]  # fmt: skip
        for word, text in enumerate(self.random.sample(some, 4)):
            self.say(f"PUT({word}u, {text});")

    def shuffles(self) -> None:
        ways = [
            f"subgroupShuffle(v, {self.pick('l + 1u', 'v', 'l ^ 1u', 'v * 3u', '3u - l')})",
            f"subgroupShuffleXor(v, {self.pick('1u', '2u', '4u', 'v', '8u')})",
            f"subgroupShuffleUp(v, {self.pick('1u', '2u', 'v')})",
            f"subgroupShuffleDown(v, {self.pick('1u', '3u', 'v')})",
        ]
        self.say("uint a = 0u, b = 0u;", f"a = {self.random.choice(ways)};")
        self.say(f"if ({self.plain_condition()}) b = {self.random.choice(ways)};", "PUT(0u, a);", "PUT(1u, b);")
        self.say("PUT(2u, (a ^ b) & 0u);", "PUT(3u, v + 1u);")

    def broadcasts(self) -> None:
        way = self.pick(
            f"subgroupBroadcast(v, {self.number(9)}u)", "subgroupBroadcast(v, i[0])", "subgroupBroadcast(v, i[1])",
            "subgroupQuadBroadcast(v, 1u)", "subgroupQuadBroadcast(v, 3u)", "subgroupQuadSwapHorizontal(v)",
            "subgroupQuadSwapDiagonal(v)",
        )  # fmt: skip
        self.say("uint a = 77u;", f"if ({self.plain_condition()}) a = {way};", "PUT(0u, a);", "PUT(1u, v);")

    def ballots_read(self) -> None:
        """Ballots as numbers: bits and lanes that are not there."""
        self.say(
            "uvec4 b = subgroupBallot((v & 1u) == 0u);",
            f"uvec4 c = {self.pick('b', 'uvec4(v)', 'uvec4(0u)', 'uvec4(0u, 0u, v, 7u)', 'subgroupBallot(false)')};",
        )
        ways = [
            "uint(subgroupBallotBitExtract(c, v))", "uint(subgroupInverseBallot(c))", "subgroupBallotBitCount(c)",
            "subgroupBallotFindLSB(c)", "subgroupBallotFindMSB(c)", "subgroupBallotInclusiveBitCount(c)",
            "subgroupBallotExclusiveBitCount(c)", "uint(subgroupBallotBitExtract(c, l + 3u))", "b.y + b.z + b.w",
        ]  # fmt: skip
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, {way});")

    def not_uniform(self) -> None:
        """A broadcast from an invocation that not all agree on."""
        self.say(f"PUT(0u, subgroupBroadcast(v, {self.pick('l & 1u', 'v & 3u', 'l')}));", "PUT(1u, l);")

    # --- floats -------------------------------------------------------------------------------------------------------

    def reduces(self) -> None:
        ways = ["subgroupAdd(r)", "subgroupMul(r)", "subgroupInclusiveAdd(r)", "subgroupExclusiveAdd(r)",
                "subgroupAdd(r * 1.1)", "subgroupInclusiveMul(r)", "subgroupAdd(float(v))"]  # fmt: skip
        for word, way in enumerate(self.random.sample(ways, 2)):
            self.say(f"PUT({word}u, floatBitsToUint({way}));")
        if self.random.random() < 0.4:
            self.say(f"float q = 0.0; if ((v & 1u) == 0u) q = {self.pick(*ways)};", "PUT(2u, floatBitsToUint(q));")

    def reduces_extremes(self) -> None:
        ways = ["subgroupMin(r)", "subgroupMax(r)", "subgroupInclusiveMin(r)", "subgroupExclusiveMax(r)"]
        for word, way in enumerate(self.random.sample(ways, 2)):
            self.say(f"PUT({word}u, floatBitsToUint({way}));")
        self.say("PUT(2u, uint(subgroupAllEqual(r)));")

    def real(self, depth: int = 0) -> str:
        if depth > 2 or self.random.random() < 0.3:
            return self.pick("r", "x", "y", "0.1", "3.0", "float(v)", "1.0 / 3.0")
        return f"({self.real(depth + 1)} {self.pick('+', '-', '*', '*', '+')} {self.real(depth + 1)})"

    def chains(self) -> None:
        kind = self.pick("float", "precise float", "float")
        self.say("float x = f[g + 1u], y = f[g + 2u];")
        for word in range(2):
            self.say(f"{kind} q{word} = {self.real()};", f"PUT({word}u, floatBitsToUint(q{word}));")
        sums = self.pick("(x + y) - x", "x * y + r", "x * x - y * y", "x / y * y", "x * 0.1 * 10.0",
            "(r - x) + (x - y)")
        self.say(f"{kind} t = {sums};", "PUT(2u, floatBitsToUint(t));", "PUT(3u, uint(t > r));")

    def computes(self) -> None:
        ways = [
            "sin(r)", "cos(r)", "tan(r)", "exp(r * 0.1)", "log(abs(r))", "exp2(r * 0.1)", "log2(abs(r))",
            "sqrt(abs(r))",
            "inversesqrt(abs(r))", "pow(abs(r), 1.7)", "1.0 / r", "r / 3.0", "atan(r)", "asin(r * 0.01)", "sqrt(r)",
            "atan(r, x)", "length(vec2(r, x))", "normalize(vec3(r, x, y)).y", "dot(vec3(r, x, y), vec3(y, r, x))",
            "mix(r, x, 0.3)", "fma(r, x, y)", "mod(r, 0.7)", "smoothstep(0.0, 3.0, r)", "sinh(r * 0.01)", "acosh(r)",
            "distance(vec2(r, x), vec2(y, 1.0))", "reflect(vec2(r, x), vec2(0.6, 0.8)).x", "log(r)", "pow(r, 2.0)",
            "degrees(r)", "cross(vec3(r, x, y), vec3(1.1, 2.2, 3.3)).z", "determinant(mat2(r, x, y, 1.1))",
            "(mat2(r, x, y, 1.1) * vec2(0.3, 0.7)).x", "r - floor(r / 0.7) * 0.7", "tanh(r)", "asin(r)",
        ]  # fmt: skip
        self.say("float x = f[g + 1u], y = f[g + 2u];")
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, floatBitsToUint({way}));")

    def extremes(self) -> None:
        ways = ["min(r, x)", "max(r, x)", "clamp(r, -1.0, 1.0)", "clamp(r, x, y)", "max(r, 0.0)", "min(x, -0.0)",
                "min(max(r, 0.0), 1.0)", "max(0.0, -r)", "min(r, r)"]  # fmt: skip
        self.say("float x = f[g + 1u], y = f[g + 2u];")
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, floatBitsToUint({way}));")
        self.say(f"PUT(3u, uint({self.pick('max(r, x) > 0.0', 'min(x, r) == x', 'r == r', 'r < x', '!(r >= x)')}));")

    def odd_floats(self) -> None:
        """NaNs, infinities and zeros of either sign in operations that are exact."""
        ways = ["r + 0.0", "-r", "r * 0.0", "r - r", "abs(-r)", "sign(r)", "fract(r)", "floor(r)", "step(r, x)",
            "r * 1.0",
                "0.0 - r", "trunc(-abs(r) * 0.1)", "x + r", "r * -1.0", "mix(r, x, v > 3u)"]  # fmt: skip
        self.say("float x = f[g + 1u];")
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, floatBitsToUint({way}));")
        self.say(f"PUT(3u, uint({self.pick('isnan(r)', 'isinf(r)', 'r != r', 'r == x', 'r <= x')}));")

    def denormals(self) -> None:
        ways = ["r * 0.5", "r + x", "r", "r * x", "r * 2.0", "-r", "abs(r)", "r - x", "max(r, x)", "r + 0.0", "r * 1.0",
                "uintBitsToFloat(v) * 1.0", "ldexp(r, -3)", "sign(r)", "1.2e-38 * (r + 0.25)"]  # fmt: skip
        self.say("float x = f[g + 1u];")
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, floatBitsToUint({way}));")
        self.say(f"PUT(3u, uint({self.pick('r > 0.0', 'r == 0.0', 'r < x', 'r != 0.0')}));")

    def rounds(self) -> None:
        for word, way in enumerate(self.random.sample(["round(r)", "roundEven(r)", "floor(r + 0.5)", "trunc(r)"], 3)):
            self.say(f"PUT({word}u, floatBitsToUint({way}));")
        self.say("PUT(3u, uint(int(round(r))));")

    def packs_floats(self) -> None:
        ways = ["packHalf2x16(vec2(r, r * 0.37))", "packSnorm4x8(vec4(r))", "packUnorm2x16(vec2(r, 0.3))",
                "floatBitsToUint(unpackHalf2x16(v).x)", "floatBitsToUint(unpackSnorm4x8(v).y)",
                "floatBitsToUint(float(v) * 1.0)", "floatBitsToUint(float(int(v)))",
                "packUnorm4x8(vec4(r * 0.5))"]  # fmt: skip
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, {way});")

    # --- undefined ----------------------------------------------------------------------------------------------------

    def converts(self) -> None:
        ways = ["uint(r)", "uint(int(r))", "uint(int(r * 1e10))", "uint(r * -1.0)", "uint(abs(r))"]
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, {way});")

    def shifts(self) -> None:
        ways = ["1u << v", "v << (v & 63u)", "0x80000000u >> v", "uint(int(v) >> v)", "(1u << v) & 0u",
            "5u << (l * 9u)"]
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, {way});")

    def divides(self) -> None:
        ways = ["7u / v", "7u % v", "uint(7 / int(v))", "uint(int(v) % 3)", "uint(-7 % int(v & 7u))", "v / (l & 1u)",
                "uint(int(v) / -1)", "uint(int(0x80000000) / int(v | 0xfffffffeu))", "(v % (l & 1u)) * 0u"]  # fmt: skip
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, {way});")

    def fields(self) -> None:
        ways = ["bitfieldExtract(v, int(l), 30)", "uint(bitfieldExtract(int(v), 3, int(v & 63u)))",
                "bitfieldInsert(0xffffu, v, int(v & 63u), 4)", "bitfieldExtract(v, int(v), 3)",
                "bitfieldExtract(v, 5, 0)",
                "bitfieldInsert(v, 5u, 2, -1)", "bitfieldExtract(v, 0, 33)"]  # fmt: skip
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, {way});")

    def unwritten(self) -> None:
        kind = self.number(4)
        if kind == 0:
            self.say(f"uint u; if ({self.plain_condition()}) u = v; PUT(0u, u); PUT(1u, u & 0u);")
        elif kind == 1:
            self.say("if ((l & 1u) == 0u) w[l] = v;", "barrier();" if self.number(2) else "", "PUT(0u, w[l]);")
        elif kind == 2:
            self.say("uint t[4]; t[1] = v; t[2] = l;", "PUT(0u, t[l & 3u]);", "PUT(1u, t[1]);")
        else:
            self.say("vec4 u; u.y = r;", "PUT(0u, floatBitsToUint(u.x));", "PUT(1u, floatBitsToUint(u.y));")
        self.say("PUT(3u, v);")

    def components(self) -> None:
        self.say("uvec4 t = uvec4(v, l, 3u, 4u);", f"PUT(0u, t[{self.pick('v', 'l', 'v & 3u', 'l + 2u')}]);",
            "PUT(1u, t.y);")

    def outside(self) -> None:
        """Reads and writes behind the end of a buffer; devices check them where they can."""
        at = self.pick("g + 100000u", "g * 1000u", "0xffffffffu - l", "v + 5000u")
        self.say(f"PUT(0u, s[{at}]);")
        if self.number(2):
            self.say(f"s[{at}] = 5u;")
        self.say("PUT(1u, v);")

    def frexps(self) -> None:
        self.say("int e = 0;", f"float m = frexp({self.pick('r', 'r * 0.0', 'r * 1e30', '1.0 / (r - r)')}, e);")
        self.say("PUT(0u, floatBitsToUint(m));", "PUT(1u, uint(e));")
        self.say(f"PUT(2u, floatBitsToUint(ldexp(r, {self.pick('int(v)', '130', '-140', '200', '-200')})));")

    # --- memory -------------------------------------------------------------------------------------------------------

    def atomics(self) -> None:
        ways = ["atomicAdd(s[0], v)", "atomicMax(s[1], v)", "atomicExchange(s[2], l + 1u)",
            "atomicCompSwap(s[3], 0u, l)",
                "atomicOr(s[4], 1u << l)", "atomicMin(s[5], v)", "atomicXor(s[6], v)"]  # fmt: skip
        for word, way in enumerate(self.random.sample(ways, 2)):
            self.say(f"PUT({word}u, {way});")
        if self.number(2):
            self.say("w[0] = 0u; barrier();", "PUT(2u, atomicAdd(w[0], l));")

    def races(self) -> None:
        kind = self.number(3)
        if kind == 0:
            self.say("w[l] = v;", "PUT(0u, w[l ^ 1u]);")
        elif kind == 1:
            self.say("s[7] = l + 1u;", "PUT(0u, s[7]);")
        else:
            self.say("w[l & 1u] = l;", "barrier();", "PUT(0u, w[0]); PUT(1u, w[1]);")

    # --- images -------------------------------------------------------------------------------------------------------

    def texels(self) -> None:
        """Texels inside and outside of an image, and filtered ones."""
        ways = ["texelFetch(tex, ivec2(v & 15u, l & 3u), 0).x", "texelFetch(tex, ivec2(l & 7u, 1), int(l & 3u)).x",
                "textureLod(tex, vec2(r, 0.3), 0.0).x", "textureLod(tex, vec2(l, v & 7u) * 0.11, 0.5).x",
                "textureLod(tex, vec2(0.5, r), float(l) * 0.4).x", "textureGather(tex, vec2(r, 0.4)).y",
                "float(textureSize(tex, int(l & 3u)).x)", "float(textureQueryLevels(tex))"]  # fmt: skip
        for word, way in enumerate(self.random.sample(ways, 3)):
            self.say(f"PUT({word}u, floatBitsToUint({way}));")

    # --- where floats decide ------------------------------------------------------------------------------------------

    def decides(self) -> None:
        """What a float is decides who runs together."""
        self.say("uint a = 0u; float t = r; uint k = 0u;")
        step = self.pick("t * 0.7 + 0.1", "t / 3.0", "t - 0.3", "sin(t)", "t * t - 0.01")
        self.say(f"while (k < 4u && {self.pick('t > 0.05', 'abs(t) < 9.0', 't + 0.1 != t - 0.1')}) {{", f"t = {step};")
        self.say("k++;", "PUT(2u, subgroupAdd(1u));", "}", "PUT(0u, floatBitsToUint(t));", "PUT(1u, k);")

    def doubles(self) -> None:
        ways = ["d * 0.1LF", "d / 3.0LF", "sqrt(abs(d))", "d + 0.1LF", "double(r) * double(r)", "floor(d * 1.5LF)"]
        self.say("double d = double(r) + 0.3LF;", f"uvec2 p = unpackDouble2x32({self.random.choice(ways)});")
        self.say("PUT(0u, p.x);", "PUT(1u, p.y);", "PUT(2u, floatBitsToUint(float(d)));", "PUT(3u, uint(d > 1.0LF));")

    def clusters(self) -> None:
        ways = ["subgroupClusteredAdd(v, 2u)", "subgroupClusteredMax(v, 4u)", "subgroupClusteredOr(1u << l, 2u)",
                "floatBitsToUint(subgroupClusteredAdd(r, 4u))", "subgroupClusteredXor(v, 4u)"]  # fmt: skip
        for word, way in enumerate(self.random.sample(ways, 2)):
            self.say(f"PUT({word}u, {way});")
        self.say(f"uint q = 0u; if ({self.plain_condition()}) q = {self.pick(*ways[:3])};", "PUT(2u, q);")

    # --- nothing open -------------------------------------------------------------------------------------------------

    def determined(self) -> None:
        """Operations with one result, which must be equal everywhere."""
        ways = ["bitCount(v)", "findMSB(v)", "findLSB(v)", "bitfieldReverse(v)", "v * v + l", "uint(findMSB(int(v)))",
                "v ^ (v >> 3u)", "uint(sign(int(v)))", "uint(abs(int(v)))", "uint(max(int(v), 3))",
                "min(v, l)"]  # fmt: skip
        chosen = [way if way.startswith(("bit", "v", "uint", "min")) else f"uint({way})" for way in ways]
        for word, way in enumerate(self.random.sample(chosen, 3)):
            self.say(f"PUT({word}u, {way});")
        self.say("uint h, q; umulExtended(v, v, h, q);", "PUT(3u, h ^ uaddCarry(v, v, q));")


Make = Callable[[_Writer], None]

NONE: Final[frozenset[str]] = frozenset()
FAMILIES: Final[dict[str, tuple[Make, frozenset[str]]]] = {
    "diverges": (_Writer.diverges, NONE),
    "switches": (_Writer.switches, NONE),
    "breaks": (_Writer.breaks, NONE),
    "leaves": (_Writer.leaves, NONE),
    "loops_apart": (_Writer.loops_apart, NONE),
    "packs": (_Writer.packs, NONE),
    "shuffles": (_Writer.shuffles, UNDEFINED),
    "broadcasts": (_Writer.broadcasts, UNDEFINED),
    "ballots_read": (_Writer.ballots_read, UNDEFINED),
    "not_uniform": (_Writer.not_uniform, UNDEFINED | {"not-uniform"}),
    "reduces": (_Writer.reduces, REDUCED),
    "reduces_extremes": (_Writer.reduces_extremes, EXTREMES),
    "chains": (_Writer.chains, IMPRECISE),
    "computes": (_Writer.computes, IMPRECISE),
    "extremes": (_Writer.extremes, EXTREMES),
    "odd_floats": (_Writer.odd_floats, ROUNDED | {"undefined-value"}),
    "denormals": (_Writer.denormals, ROUNDED | {"extreme-of-nan", "rearrangement"}),
    "rounds": (_Writer.rounds, SPECIALS | {"round-half", "rounding"}),
    "packs_floats": (_Writer.packs_floats, IMPRECISE),
    "converts": (_Writer.converts, UNDEFINED),
    "shifts": (_Writer.shifts, UNDEFINED),
    "divides": (_Writer.divides, UNDEFINED | {"negative-remainder"}),
    "fields": (_Writer.fields, UNDEFINED),
    "unwritten": (_Writer.unwritten, UNDEFINED | RACES),
    "components": (_Writer.components, UNDEFINED | {"outside"}),
    "outside": (_Writer.outside, frozenset({"outside"})),
    "frexps": (_Writer.frexps, IMPRECISE),
    "atomics": (_Writer.atomics, RACES),
    "races": (_Writer.races, RACES),
    "texels": (_Writer.texels, frozenset({"filtering", "outside", "undefined-value"}) | IMPRECISE),
    "decides": (_Writer.decides, IMPRECISE),
    "doubles": (_Writer.doubles, IMPRECISE | {"double-precision"}),
    "clusters": (_Writer.clusters, REDUCED),
    "determined": (_Writer.determined, NONE),
}
"""What each writes, and the rows that may let its words differ. Group operations in divergent control flow have none:
all ways to group invocations are gone through."""

LIKELY: Final = tuple(name for name in FAMILIES if FAMILIES[name][1] and "weak-memory" not in FAMILIES[name][1])
"""Those that drivers do differ on, drawn twice as often."""
WIDE: Final = ("shifts", "divides", "fields", "components", "ballots_read", "determined", "denormals", "packs_floats")
