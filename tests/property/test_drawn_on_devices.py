"""Random triangles, drawn by the simulator and by drivers: the same samples are covered, inputs are near each other.

Corners lie where drivers keep them, on 1/256 of a pixel or 1/16 (subPixelPrecisionBits), so that coverage is exact on
both sides: Vulkan 1.4, "Basic Polygon Rasterization", has a sample on a shared edge in one of its two triangles, and
both sides give it to left and top edges. How exact interpolation is Vulkan leaves open; the bound is for 32-bit floats.
"""

import random
from typing import Any

import pytest
from kit import oracles
from kit.oracles import drivers
from kit.oracles.drivers import on_every_drawing_driver

from reknit.ir.module import Module
from reknit.sim.drawing import Drawing, Primitive
from reknit.sim.framebuffer import Framebuffer
from reknit.sim.run import run
from reknit.spirv.read import read_module
from reknit.vulkan.draw import draw_on

pytestmark = pytest.mark.once

SIZE = 16
SEEDS = 24
NEAR = 2**-12
FINEST = {"lavapipe": 1, "swiftshader": 16}
"""In 1/256 of a pixel."""

SHADER = """
#version 450
layout(location = 0) in vec2 across;
layout(location = 1) noperspective in float straight;
layout(location = 2) flat in uvec2 kind;
layout(location = 0) out vec4 color;
layout(location = 1) out uvec4 number;
void main() {
    color = vec4(across, straight, gl_FragCoord.w);
    number = uvec4(kind, gl_FrontFacing, gl_SampleMaskIn[0]);
}
"""


def drawing_of(seed: int, finest: int) -> Drawing:
    """Three triangles, large and small, of either side, one over the other, some with corners outside."""
    given = random.Random(seed)
    primitives: list[Primitive] = []
    for _ in range(3):
        reach = given.choice([2, SIZE, 3 * SIZE])
        x, y = given.randrange(SIZE), given.randrange(SIZE)
        step = given.choice([finest, 64, 128, 256])  # of 1/256: at any place, or at centers and corners of pixels
        corners = [
            [
                x + given.randrange(-reach * 256, reach * 256, step) / 256,
                y + given.randrange(-reach * 256, reach * 256, step) / 256,
            ]
            for _ in range(3)
        ]
        perspective = given.random() < 0.5
        corners = [[*corner, 0.5, given.choice([0.5, 1.0, 2.0]) if perspective else 1.0] for corner in corners]
        inputs: dict[str, Any] = {
            "0": [[given.randrange(-8, 9), given.randrange(-8, 9)] for _ in range(3)],
            "1": [given.randrange(-8, 9) for _ in range(3)],
            "2": [[given.getrandbits(32), given.getrandbits(32)] for _ in range(3)],
        }
        primitives.append(Primitive(corners, inputs))
    samples = given.choice([1, 4])
    return Drawing([SIZE, SIZE], primitives, samples=samples, front=given.choice(["clockwise", "counter-clockwise"]))


def shader() -> Module:
    return read_module(oracles.glslang(SHADER, "frag"))


def check(seed: int, driver: str, lanes: int) -> None:
    drawing = drawing_of(seed, FINEST[driver])
    module = shader()
    ours = run(module, subgroup_size=8, drawing=drawing).framebuffer
    theirs = draw_on(drivers.target(driver, lanes), module, drawing).framebuffer
    assert isinstance(ours, Framebuffer) and isinstance(theirs, Framebuffer)
    for mine, other in zip(ours.attachments, theirs.attachments, strict=True):
        assert sorted(mine.pixels) == sorted(other.pixels), f"seed {seed}: other samples are covered"
        for layer, y, x, sample in mine.pixels:
            left, right = mine.at(x, y, sample, layer), other.at(x, y, sample, layer)
            if mine.location == 1:
                assert left == right, f"seed {seed}, ({x}, {y}), sample {sample}"
            else:
                assert left == pytest.approx(right, rel=NEAR, abs=16 * NEAR), f"seed {seed}, ({x}, {y}), {sample}"


def test_a_random_drawing() -> None:
    check(0, "lavapipe", 8)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(SEEDS))
@on_every_drawing_driver
def test_random_drawings(driver: str, lanes: int, seed: int) -> None:
    check(seed, driver, lanes)
