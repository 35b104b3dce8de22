"""Fragment shaders whose results drivers may differ on, over triangles that cover quads in part.

    program = observable_fragment(7)
    program.text                  GLSL: each probe writes an output of its own, four words a sample
    program.drawing               one or two triangles in a few pixels

What is computed from the pixel's place alone is exact; inputs vary over the triangle, or are flat.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kit import oracles
from kit.random.observable import ARITHMETIC, IMPRECISE, NONE, REDUCED

from reknit.proof.devices import Comparer
from reknit.sim.drawing import Drawing, Primitive
from reknit.sim.images import Image, Sampler
from reknit.sim.left import numbers_of
from reknit.sim.result import Result
from reknit.spirv.read import read_module

MAPPING: Final = frozenset({"subgroup-mapping"})
VARYING: Final = ARITHMETIC | {"interpolation"}
SAMPLED: Final = VARYING | IMPRECISE | {"level-of-detail", "filtering"}
DRAWING: Final = (("lavapipe", 4), ("lavapipe", 8), ("swiftshader", 4))
LIMIT: Final = 512

_HEAD: Final = """#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_EXT_demote_to_helper_invocation : require
#extension GL_EXT_terminate_invocation : require
"""
_INPUTS: Final = """layout(location = 0) in vec2 uv;
layout(location = 1) noperspective in float straight;
layout(location = 2) flat in uvec2 kind;
layout(location = 3) centroid in float middle;
layout(set = 0, binding = 0) uniform sampler2D tex;
layout(set = 0, binding = 1) buffer Shared { uint s[8]; };
"""


@dataclass(slots=True)
class Drawn:
    """A program of `kit.observed`. `rows` are those of the output at each location."""

    seed: int
    text: str
    drawing: Drawing
    names: list[str]
    outputs: list[frozenset[str]]
    left_out: list[str]

    def comparer(self) -> Comparer:
        module = read_module(oracles.glslang(self.text, "frag"))
        return Comparer(module, drawing=self.drawing, buffers=inputs(), limit=LIMIT)

    def drivers(self) -> Sequence[tuple[str, int]]:
        return [each for each in DRAWING if each[0] not in self.left_out]

    def words(self, result: Result) -> dict[tuple[object, ...], int]:
        return {key: number.bits for key, number in numbers_of(result).items()}

    def undefined(self, result: Result) -> set[tuple[object, ...]]:
        framebuffer = result.framebuffer
        assert framebuffer is not None
        return {
            (f"location {attachment.location}", (*spot, component))
            for attachment in framebuffer.attachments
            for spot, component in getattr(attachment, "undefined", {})
        }

    def rows(self, key: tuple[object, ...]) -> frozenset[str]:
        return self.outputs[int(str(key[0]).removeprefix("location "))]


def inputs() -> dict[str, object]:
    levels = [float((7 * x + 10 * y) % 13) for y in range(8) for x in range(8)]
    levels += [float(50 + x + 4 * y) for y in range(4) for x in range(4)] + [90.0, 91.0, 92.0, 93.0]
    return {"tex": Image([8, 8], "r32f", levels, 3, Sampler()), "Shared": [0] * 8}


def drawing_of(given: random.Random) -> Drawing:
    """A triangle or two, small, with corners on 1/16 of a pixel."""
    size = given.choice((2, 2, 4, 4))
    primitives: list[Primitive] = []
    while len(primitives) < given.choice((1, 1, 2)):
        corners = [[given.randrange(0, size * 16 + 1) / 16, given.randrange(0, size * 16 + 1) / 16] for _ in range(3)]
        (ax, ay), (bx, by), (cx, cy) = corners
        if abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) < 1.5:
            continue
        if given.random() < 0.3:
            corners = [[*corner, 0.5, given.choice((0.5, 1.0, 2.0))] for corner in corners]
        values: dict[str, Sequence[Any]] = {
            "0": [[given.randrange(-8, 9) / 2, given.randrange(-8, 9) / 2] for _ in range(3)],
            "1": [float(given.randrange(-8, 9)) for _ in range(3)],
            "2": [[given.randrange(8), given.randrange(8)]] * 3,
            "3": [float(given.randrange(-8, 9)) for _ in range(3)],
        }
        primitives.append(Primitive(corners, values))
    return Drawing([size, size], primitives, samples=given.choice((1, 1, 1, 4)))


def observable_fragment(seed: int, only: str = "") -> Drawn:
    given = random.Random(f"observable fragment/{seed}")
    names = [only] if only else given.sample(list(FAMILIES), given.choice((1, 1, 2)))
    drawing = drawing_of(given)
    mode = given.choice(("", "maximal")) if all(name in OF_QUADS for name in names) else ""
    writer = _Writer(given)
    parts = [_HEAD]
    if mode:
        parts.append("#extension GL_EXT_maximal_reconvergence : require\n")
    parts.append(_INPUTS)
    body: list[str] = []
    outputs: list[frozenset[str]] = []
    left_out: list[str] = []
    for location, name in enumerate(names):
        make, rows = FAMILIES[name]
        writer.lines = []
        make(writer)
        parts.append(f"layout(location = {location}) out uvec4 color{location};\n")
        lines = ["uvec4 c = uvec4(0u);", *writer.lines, f"color{location} = c;"]
        body.append("\n".join(lines))
        outputs.append(rows)
        if "interpolateAt" in body[-1]:
            left_out.append("swiftshader")  # it shades each sample of a module that declares InterpolationFunction
    attribute = "[[maximally_reconverges]] " if mode else ""
    parts.append(f"void main() {attribute}{{\n")
    parts.append("uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y);\n")
    parts.append("uint v = (x * 3u + y * 5u + kind.x) & 7u;\n")
    parts.extend([f"{{\n{each}\n}}\n" for each in body])
    parts.append("}\n")
    return Drawn(seed, "".join(parts), drawing, names, outputs, left_out)


class _Writer:
    def __init__(self, given: random.Random) -> None:
        self.random = given
        self.lines: list[str] = []

    def say(self, *lines: str) -> None:
        self.lines.extend(lines)

    def pick(self, *of: str) -> str:
        return self.random.choice(of)

    def some(self, count: int, of: Sequence[str]) -> None:
        for at, text in enumerate(self.random.sample(list(of), count)):
            self.say(f"c[{at}] = {text};")

    def condition(self) -> str:
        return self.pick("(x & 1u) == 0u", "(y & 1u) == 1u", "v > 3u", "v == 2u", "x == 1u", "(v & 1u) == 0u", "x > y",
                         "kind.x > 3u", "!gl_HelperInvocation")  # fmt: skip

    def operation(self) -> str:
        return self.pick(
            "subgroupAdd(1u)", "subgroupAdd(v)", "subgroupBallotBitCount(subgroupBallot(true))", "subgroupMax(v)",
            "uint(subgroupAny(v == 2u))", "uint(subgroupAll(v != 2u))", "subgroupMin(v)", "uint(subgroupAllEqual(v))",
            "subgroupAdd(gl_HelperInvocation ? 100u : 1u)", "uint(subgroupAny(gl_HelperInvocation))",
            "subgroupOr(1u << v)",
            f"subgroupBallotBitCount(subgroupBallot({self.condition()}))",
        )  # fmt: skip

    def groups(self) -> None:
        for at in range(2):
            self.say(f"c[{at}] = {self.operation()};")
        if self.random.random() < 0.6:
            self.say(f"if ({self.condition()}) {{ c[2] = {self.operation()}; }} else {{ c[3] = {self.operation()}; }}")

    def lanes(self) -> None:
        self.some(3, ("subgroupBallot(true).x", "gl_SubgroupInvocationID", "gl_SubgroupSize",
            "subgroupExclusiveAdd(1u)",
                      "subgroupInclusiveAdd(v)", "uint(subgroupElect())", "subgroupBroadcastFirst(v)",
                      "subgroupBallotFindLSB(subgroupBallot(v > 3u)) & 0u"))  # fmt: skip

    def shuffles(self) -> None:
        self.some(2, ("subgroupShuffle(v, 0u)", "subgroupShuffleXor(v, 1u)", "subgroupShuffleXor(v, 2u)",
            "subgroupBroadcast(v, 3u)",
                      "subgroupShuffle(v, gl_SubgroupInvocationID + 1u)", "subgroupShuffleXor(v, 4u)"))  # fmt: skip

    def quads(self) -> None:
        ways = ("subgroupQuadBroadcast(v, 0u)", "subgroupQuadSwapHorizontal(v)",
            "subgroupQuadSwapVertical(x * 10u + y)",
                "subgroupQuadSwapDiagonal(v)", "subgroupQuadBroadcast(y, 3u)",
                "subgroupQuadSwapHorizontal(uint(gl_HelperInvocation))")  # fmt: skip
        self.some(2, ways)
        if self.random.random() < 0.5:
            self.say(f"if ({self.condition()}) c[2] = {self.pick(*ways)};")

    def ends(self) -> None:
        """Invocations that end or become helpers, then who takes part."""
        how = self.pick("discard;", "demote;", "terminateInvocation;", "demote;")
        self.say(f"if ({self.pick('v == 2u', '(v & 1u) == 0u', 'x == 1u', 'v > 4u')}) {how}")
        self.say(f"c[0] = {self.operation()};")
        if "demote" in how:
            self.say(f"c[1] = subgroupQuadSwapHorizontal({self.pick('v', 'uint(helperInvocationEXT())')});")
            self.say(f"c[2] = {self.pick('subgroupAdd(helperInvocationEXT() ? 10u : 1u)', self.operation())};")

    def ends_quads(self) -> None:
        how = self.pick("discard;", "demote;", "terminateInvocation;", "demote;")
        self.say(f"if ({self.pick('v == 2u', '(v & 1u) == 0u', 'x == 1u', 'v > 4u')}) {how}")
        self.some(2, ("floatBitsToUint(abs(dFdxFine(float(v))))", "subgroupQuadSwapVertical(v)",
            "subgroupQuadBroadcast(v, 1u)",
                      "floatBitsToUint(abs(dFdy(float(v * v))))"))  # fmt: skip

    def exact_derivatives(self) -> None:
        """Of whole numbers, so that coarse and fine ones are all that differs."""
        kind = self.pick("dFdx", "dFdy", "fwidth", "dFdxCoarse", "dFdyCoarse", "dFdxFine", "dFdyFine", "fwidthCoarse")
        value = self.pick("float(v * v)", "float(x * y)", "float((x + 2u * y) * (x + 1u))", "float(v)")
        self.say(f"c[0] = uint(int({kind}({value})));",
            f"c[1] = uint(int({self.pick('dFdx', 'dFdy', 'fwidth')}({value})));")

    def derivatives(self) -> None:
        value = self.pick("uv.x * uv.y", "uv.x * uv.x", "straight * straight", "middle", "sin(uv.x)",
            "gl_FragCoord.x * uv.y")
        self.say(f"c[0] = floatBitsToUint({self.pick('dFdx', 'dFdy', 'fwidth')}({value}));")
        self.say(f"c[1] = floatBitsToUint({self.pick('dFdxCoarse', 'dFdyFine', 'fwidthCoarse')}({value}));")

    def uneven_derivatives(self) -> None:
        """Where not the whole quad is."""
        self.say(f"if ({self.condition()}) c[0] = floatBitsToUint({self.pick('dFdx', 'dFdy')}(float(v)));", "c[1] = v;")

    def levels(self) -> None:
        place = f"uv * {self.pick('0.125', '0.5', '1.0', '0.03')}"
        self.say(f"c[0] = floatBitsToUint(texture(tex, {place}).x);", f"vec2 q = textureQueryLod(tex, {place});")
        self.say("c[1] = floatBitsToUint(q.x);", "c[2] = floatBitsToUint(q.y);")

    def texels(self) -> None:
        place = self.pick("uv * 0.1", "vec2(x, y) * 0.11")
        level = self.pick("0.0", "0.4", "1.0", "float(v) * 0.3")
        self.say(f"c[0] = floatBitsToUint(textureLod(tex, {place}, {level}).x);")
        self.say("c[1] = floatBitsToUint(texelFetch(tex, ivec2(x, y) & 7, 0).x);")

    def interpolated(self) -> None:
        self.some(3, [f"floatBitsToUint({text})" for text in (
            "uv.x", "straight", "middle", "uv.x * 0.3 + uv.y", "gl_FragCoord.w", "gl_FragCoord.z", "gl_FragCoord.x",
        )])  # fmt: skip

    def interpolated_at(self) -> None:
        self.some(3, [f"floatBitsToUint({text})" for text in (
            "interpolateAtCentroid(uv.x)", "interpolateAtOffset(uv.y, vec2(0.25, -0.25))",
            "interpolateAtSample(straight, 0)",
            "interpolateAtOffset(straight, vec2(0.1, 0.3))", "interpolateAtCentroid(middle)",
        )])  # fmt: skip

    def samples(self) -> None:
        self.some(3, ("uint(gl_SampleMaskIn[0])", "uint(gl_FrontFacing)", "x", "y", "v", "kind.x", "kind.y"))

    def shades_samples(self) -> None:
        self.say("c[0] = uint(gl_SampleID);", "c[1] = uint(gl_SampleMaskIn[0]);", "c[2] = subgroupAdd(1u);",
                 "c[3] = floatBitsToUint(gl_SamplePosition.x);")  # fmt: skip

    def reduces(self) -> None:
        self.some(2, [f"floatBitsToUint({text})" for text in (
            "subgroupAdd(float(v) * 0.1)", "subgroupMul(float(v) + 1.1)", "subgroupAdd(uv.x)", "subgroupMax(uv.y)",
        )])  # fmt: skip

    def atomics(self) -> None:
        self.say(f"c[0] = {self.pick('atomicAdd(s[0], 1u)', 'atomicAdd(s[0], v)', 'atomicOr(s[1], 1u << v)')};")
        if self.random.random() < 0.5:
            self.say("c[1] = subgroupAdd(c[0] & 1u);")

    def loops(self) -> None:
        """Invocations in loops of other lengths, helpers too."""
        self.say("uint n = 0u;", f"for (uint k = 0u; k < ({self.pick('v & 3u', 'x & 3u', 'y + 1u')}); k++) {{")
        self.say(f"c[0] = c[0] * 5u + {self.operation()};")
        if self.random.random() < 0.4:
            self.say(f"if ({self.condition()}) {self.pick('break;', 'continue;', 'demote;')}")
            self.say("c[1] += 1u;")
        self.say("}")


Make = Callable[[_Writer], None]

UNDEFINED: Final = frozenset({"undefined-value"})
FAMILIES: Final[dict[str, tuple[Make, frozenset[str]]]] = {
    "groups": (_Writer.groups, MAPPING),
    "lanes": (_Writer.lanes, MAPPING),
    "shuffles": (_Writer.shuffles, MAPPING | UNDEFINED),
    "quads": (_Writer.quads, UNDEFINED),
    "ends": (_Writer.ends, MAPPING | UNDEFINED),
    "ends_quads": (_Writer.ends_quads, UNDEFINED),
    "exact_derivatives": (_Writer.exact_derivatives, NONE),
    "derivatives": (_Writer.derivatives, VARYING | IMPRECISE),
    "uneven_derivatives": (_Writer.uneven_derivatives, UNDEFINED),
    "levels": (_Writer.levels, SAMPLED),
    "texels": (_Writer.texels, SAMPLED),
    "interpolated": (_Writer.interpolated, VARYING),
    "interpolated_at": (_Writer.interpolated_at, VARYING | UNDEFINED),
    "samples": (_Writer.samples, NONE),
    "shades_samples": (_Writer.shades_samples, MAPPING | {"interpolation"}),
    "reduces": (_Writer.reduces, REDUCED | VARYING | MAPPING | IMPRECISE),
    "atomics": (_Writer.atomics, MAPPING | UNDEFINED | {"execution-order", "weak-memory", "invocation-count"}),
    "loops": (_Writer.loops, MAPPING),
}
"""What each writes, and the rows that may let its words differ. Whether helper invocations are there and take part, and
coarse derivatives, are gone through."""
OF_QUADS: Final = ("quads", "ends_quads", "exact_derivatives", "uneven_derivatives")
"""Those without other group operations: lavapipe leaves helper invocations out of them, which MaximallyReconvergesKHR
does not let it (docs/devices.md, "Helper invocations and maximal reconvergence")."""
