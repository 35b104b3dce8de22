"""Images on a real driver hold what they hold on the simulator, bit by bit."""

from typing import Any

import pytest
from kit import oracles
from kit.oracles import drivers

import reknit
from reknit.sim.images import Image, Sampler
from reknit.sim.run import run
from reknit.sim.texels import BY_NAME
from reknit.source.diagnostic import InputError
from reknit.vulkan.run import run_on

pytestmark = pytest.mark.once

HEAD = """
#version 450
#extension GL_EXT_samplerless_texture_functions : require
layout(local_size_x = 4, local_size_y = 4) in;
layout(set = 0, binding = 0) buffer Out { vec4 values[]; };
uint lane = gl_LocalInvocationIndex;
ivec2 at = ivec2(gl_GlobalInvocationID.xy);
"""


def same(source: str, given: dict[str, Any], ulp: int = 0) -> None:
    """The words of all buffers and images after the run; those of Out may differ by `ulp`, as floats' last bits."""
    module = reknit.load(oracles.glslang(HEAD + source))
    simulated = run(module, buffers=given)
    assert [str(one) for one in simulated.diagnostics] == []
    driven = run_on(drivers.target(), module, buffers=given)
    for name, buffer in simulated.buffers.items():
        pairs = zip(driven.buffers[name].words, buffer.words, strict=True)
        assert max(abs(mine - other) for mine, other in pairs) <= (ulp if name == "Out" else 0), name
    assert any(any(buffer.words) for buffer in simulated.buffers.values())


FLOATS = (
    "rgba32f", "rgba16f", "r32f", "rgba8", "rgba8_snorm", "rg32f", "rg16f", "r11f_g11f_b10f", "r16f", "rgba16",
    "rgb10_a2", "rg16", "rg8", "r16", "r8", "rgba16_snorm", "rg16_snorm", "rg8_snorm", "r16_snorm", "r8_snorm",
)  # fmt: skip
INTEGERS = (
    "rgba32i", "rgba16i", "rgba8i", "r32i", "rg32i", "rg16i", "rg8i", "r16i", "r8i", "rgba32ui", "rgba16ui", "rgba8ui",
    "r32ui", "rgb10_a2ui", "rg32ui", "rg16ui", "rg8ui", "r16ui", "r8ui",
)  # fmt: skip


def formats_shader(formats: tuple[str, ...], letter: str, read: str, value: str) -> str:
    """Each format has an image that is read, whose texels go to the buffer, and one that is written."""
    declared: list[str] = []
    done: list[str] = []
    for at, format in enumerate(formats):
        declared.append(f"layout(set = 0, binding = {2 * at + 1}, {format}) uniform {letter}image2D {format}_in;")
        declared.append(f"layout(set = 0, binding = {2 * at + 2}, {format}) uniform {letter}image2D {format}_out;")
        done.append(f"values[lane + {16 * at}] = {read}(imageLoad({format}_in, at));")
        done.append(f"imageStore({format}_out, at, {value});")
    return "\n".join([*declared, "void main() {", *done, "}"])


def test_float_formats_are_read_and_written() -> None:
    """Values that every format rounds in the same direction wherever it may: multiples of 1/8, no ties. What is read
    of 8-bit unorm may be off by the last bit: lavapipe multiplies by 1/255."""
    given: dict[str, Any] = {"Out": [0] * (64 * len(FLOATS))}
    for format in FLOATS:
        numbers = [(k % 19 - 6) / 8 for k in range(16 * len(BY_NAME[format].widths))]
        given[f"{format}_in"] = Image([4, 4], format, numbers)
    same(formats_shader(FLOATS, "", "", "vec4(at, lane, 7) / 8.0 - 0.25"), given, 1)


@pytest.mark.parametrize("letter", ["i", "u"])
def test_integer_formats_are_read_and_written(letter: str) -> None:
    formats = tuple(format for format in INTEGERS if format.endswith("ui") == (letter == "u"))
    given: dict[str, Any] = {"Out": [0] * (64 * len(formats))}
    for format in formats:
        given[f"{format}_in"] = Image([4, 4], format, bytes(k * 37 % 256 for k in range(16 * BY_NAME[format].size())))
    read = "uintBitsToFloat" if letter == "u" else "intBitsToFloat"
    value = "uvec4(lane, 1, 2, 3)" if letter == "u" else "ivec4(lane, 1, -2, -3)"
    same(formats_shader(formats, letter, read, value), given)


def test_levels_layers_and_sizes() -> None:
    same(
        """
        layout(set = 0, binding = 1) uniform texture2DArray layers;
        layout(set = 0, binding = 2) uniform utexture3D volume;
        layout(set = 0, binding = 3, r32f) uniform writeonly image2DArray target;
        void main() {
            vec4 level = texelFetch(layers, ivec3(at / 2, lane % 3), 1);
            values[lane] = level + vec4(textureSize(layers, 1), textureQueryLevels(layers));
            values[lane + 16] = vec4(texelFetch(volume, ivec3(at, lane % 2), 0)) + vec4(textureSize(volume, 0), 0);
            imageStore(target, ivec3(at, lane % 2), vec4(imageSize(target), 0) + lane);
        }
        """,
        {
            "Out": [0] * 128,
            "layers": Image([4, 4, 3], "rgba8", bytes(range(240)), levels=2),
            "volume": Image([4, 4, 2], "r16ui", list(range(32))),
            "target": Image([4, 4, 2]),
        },
        1,
    )


def test_atomics_and_buffers_of_texels() -> None:
    same(
        """
        layout(set = 0, binding = 1, r32ui) uniform uimage2D counts;
        layout(set = 0, binding = 2) uniform itextureBuffer numbers;
        layout(set = 0, binding = 3, rgba16f) uniform imageBuffer halves;
        void main() {
            imageAtomicAdd(counts, ivec2(at.x, 0), lane);
            imageAtomicMax(counts, ivec2(at.y, 1), lane * 3);
            values[lane] = vec4(texelFetch(numbers, int(lane))) + imageLoad(halves, int(lane)) + textureSize(numbers);
            imageStore(halves, int(lane), vec4(lane) / 4.0);
        }
        """,
        {
            "counts": Image([4, 2], texels=[1]),
            "numbers": Image([16], "rg8i", [k - 16 for k in range(32)]),
            "halves": Image([16], texels=[0.5, 1, 2, 3]),
        },
    )


@pytest.mark.parametrize("address", ["clamp", "repeat", "mirror", "border"])
@pytest.mark.parametrize("filter", ["nearest", "linear"])
def test_sampling(filter: str, address: str) -> None:
    """At odd multiples of 1/16 of 4 texels, where linear weights are multiples of 1/4 (and no coordinate is between two
    texels for nearest), of 32-bit floats."""
    same(
        """
        layout(set = 0, binding = 1) uniform texture2D image;
        layout(set = 0, binding = 2) uniform sampler how;
        layout(set = 0, binding = 3) uniform sampler2D both;
        void main() {
            vec2 uv = (vec2(at) * 8.0 - 9.0) / 16.0;
            values[lane] = textureLod(sampler2D(image, how), uv, 0.0);
            values[lane + 16] = textureLod(sampler2D(image, how), uv, 1.0);
            values[lane + 32] = textureLodOffset(both, uv, 0.0, ivec2(1, -2));
        }
        """,
        {
            "Out": [0] * 192,
            "image": Image([4, 4], "rgba32f", [float(k * k % 64) for k in range(84)], levels=3),
            "how": Sampler(filter, address),
            "both": Image([4, 4], "rg32f", [float(k) for k in range(32)], sampler=Sampler(filter, address)),
        },
    )


def test_a_cube() -> None:
    same(
        """
        layout(set = 0, binding = 1) uniform samplerCube cube;
        void main() {
            vec3 ways[4] = vec3[](vec3(1, 0.3, -0.4), vec3(0.2, 1, 0.7), vec3(-0.3, 0.6, 1), vec3(0.1, 0.2, 0.9));
            vec3 way = ways[lane % 4] * (lane < 8 ? 1.0 : -1.0);
            values[lane] = textureLod(cube, way, 0.0) + vec4(textureSize(cube, 0), 0, 0);
        }
        """,
        {"cube": Image([2, 2], "r32f", list(range(24)))},
    )


def test_arrays_of_images_and_samplers() -> None:
    same(
        """
        layout(set = 0, binding = 1) uniform texture2D images[3];
        layout(set = 0, binding = 4) uniform sampler how[2];
        void main() {
            values[lane] = texelFetch(images[1], at, 0);
            values[lane + 16] = textureLod(sampler2D(images[2], how[1]), vec2(0.5), 0.0);
        }
        """,
        {
            "Out": [0] * 128,
            "images[1]": Image([4, 4], "r32f", list(range(16))),
            "0.1[2]": Image([2, 2], "r32f", [1, 2, 3, 4]),
            "how[1]": Sampler("linear"),
        },
    )


def test_outside_of_an_image() -> None:
    """The simulator tells it; both read zeros (or alpha 1, which the specification leaves open) and drop the write."""
    source = """
        layout(set = 0, binding = 1, rgba8ui) uniform uimage2D image;
        void main() {
            values[lane] = vec4(imageLoad(image, at + 4).xyz, 0);
            imageStore(image, at - 5, uvec4(9));
        }
        """
    module = reknit.load(oracles.glslang(HEAD + source))
    given = {"image": Image([4, 4], texels=[1, 2, 3, 4])}
    simulated = run(module, buffers=given)
    driven = run_on(drivers.target(), module, buffers=given)
    assert [one.code for one in simulated.diagnostics] == ["RK1014", "RK1014"]
    for name in ("Out", "image"):
        assert driven.buffers[name].words == simulated.buffers[name].words


def test_what_no_image_can_be_is_reported() -> None:
    source = """
        layout(set = 0, binding = 1) uniform texture2DMS image;
        void main() { values[lane] = texelFetch(image, at, 0); }
        """
    with pytest.raises(InputError, match="it is a multisampled image, which no copy fills") as raised:
        run_on(drivers.target(), reknit.load(oracles.glslang(HEAD + source)))
    assert [one.code for one in raised.value.diagnostics] == ["RK1108"]
