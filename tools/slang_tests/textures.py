"""The textures and samplers that a test asks for, as the simulator is given them.

Texture2D(size=4, content=one, arrayLength=2)    ->   Image([4, 4, 2], "rgba8", [1, 1, 1, 1], levels=3)
Sampler(filteringMode=point)                     ->   Sampler("nearest", "repeat")

A texture has all its levels where the test doesn't say how many. One that a shader reads integers of and whose format
holds none gets the format that the simulator takes for the shader's type.
"""

import re

from reknit.sim.images import Image, Sampler, default_format, kind_of
from reknit.sim.texels import BY_NAME, TexelFormat
from reknit.sim.texture import AXES, Texture
from slang_tests.arguments import Malformed
from slang_tests.values import Memory, Opaque

_FORMAT = re.compile(r"([RGBA]+|D)(\d+)(Unorm|Snorm|Float|Uint|Sint)")
_SAMPLES = {"one": 1, "two": 2, "four": 4, "eight": 8, "sixteen": 16}
_KINDS = {"Unorm": "", "Snorm": "_snorm", "Float": "f", "Uint": "ui", "Sint": "i"}


def sampler_of(opaque: Opaque) -> Sampler:
    """The address mode is that of slang's own device layer; it filters linearly if nothing is said, and compares as
    slang's test tool sets it up, by less or never (render-test, shader-renderer-util.cpp; slang-rhi.h, SamplerDesc)."""
    filter = "nearest" if opaque.options.get("filteringMode") == "point" else "linear"
    return Sampler(filter, "repeat", filter, "less" if "depthCompare" in opaque.options else "never")


def image_of(opaque: Opaque, texture: Texture) -> Image:
    """For an image that the program declares as `texture`. Raises Malformed."""
    samples = _SAMPLES.get(opaque.options.get("sampleCount", "one"), 0)
    if not samples or (samples > 1 and not texture.samples):
        raise Malformed(f"TEST_INPUT texture with sampleCount = {opaque.options['sampleCount']}")
    edge = int(opaque.options.get("size", "4"))
    size = [edge] * AXES[texture.dimension]
    if texture.arrayed:
        size.append(int(opaque.options.get("arrayLength", "1")))
    format = format_of(opaque.options.get("format", "RGBA8Unorm"), texture)
    levels = int(opaque.options.get("mipMaps", "0")) or edge.bit_length()
    levels = 1 if texture.stored or texture.samples else min(levels, edge.bit_length())
    content = opaque.options.get("content", "one")
    made = Image(size, format.name, None, levels, sampler_of(opaque), samples if texture.samples else 0)
    if content == "one":
        made.texels = [1] * len(format.widths)
    elif content != "zero":
        raise Malformed(f"TEST_INPUT texture content {content}")
    return made


def texels_of(memory: Memory, texture: Texture) -> Image:
    """A buffer of texels. Its words are packed as a structured buffer's are."""
    format = format_of(memory.format or "", texture)
    data = b"".join(word.to_bytes(4, "little") for word in memory.packed())
    return Image([max(len(data) // format.size(), 1)], format.name, data[: len(data) // format.size() * format.size()])


def format_of(name: str, texture: Texture) -> TexelFormat:
    """That of the shader where it names one; else that of the test where it holds what the shader reads."""
    if texture.fixed:
        return texture.format
    fallback = default_format(texture.component)
    match = _FORMAT.fullmatch(name)
    if match is None:
        if name:
            raise Malformed(f"TEST_INPUT texture format {name}")
        return fallback
    letters = "r" if match[1] == "D" else match[1].lower()
    found = BY_NAME.get(f"{letters}{match[2]}{_KINDS[match[3]]}")
    if found is None:
        raise Malformed(f"TEST_INPUT texture format {name}")
    same = kind_of(found) == kind_of(fallback) and found.component_width() == fallback.component_width()
    return found if same else fallback
