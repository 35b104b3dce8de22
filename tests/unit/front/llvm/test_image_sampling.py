"""Samplers that a kernel describes, at random coordinates, beside the formulas of OpenCL C 3.0 (8.2 and 8.3).

    every address mode and filter, with coordinates that count texels and with those from 0 to 1

The simulator is given the sampler that the reader's name for it says; the formulas are of the mode itself.
"""

import math
import random
import struct

import pytest

import reknit
from reknit.sim.images import Image, Sampler

pytestmark = pytest.mark.once

READ_2D = 'target("spirv.Image", void, 1, 0, 0, 0, 0, 0, 0)'
SAMPLER = 'target("spirv.Sampler")'
WIDTH, HEIGHT, COUNT = 5, 3, 48
NORMALIZED, LINEAR = 1, 0x20
NONE, EDGE, BORDER, REPEAT, MIRROR = 0, 2, 4, 6, 8
NAMES = {NONE: "clamp", EDGE: "clamp", BORDER: "border", REPEAT: "repeat", MIRROR: "mirror"}
MODES = [mode | filter for filter in (0x10, LINEAR) for mode in (EDGE, BORDER)]
MODES += [mode | filter | NORMALIZED for filter in (0x10, LINEAR) for mode in (EDGE, BORDER, REPEAT, MIRROR)]


def places(mode: int, s: float, size: int) -> list[tuple[int, float]]:
    """The texels along an axis with their weights, -1 for the border (8.2)."""
    address = mode & 0xE
    if address == REPEAT:
        s -= math.floor(s)
    if address == MIRROR:
        s = abs(s - 2.0 * round(0.5 * s))  # rint: halves to even, as round
    u = s * size if mode & NORMALIZED else s
    if not mode & LINEAR:
        return [(bounded(address, math.floor(u), size), 1.0)]
    first = math.floor(u - 0.5)
    part = u - 0.5 - first
    return [(bounded(address, first, size), 1.0 - part), (bounded(address, first + 1, size), part)]


def bounded(address: int, at: int, size: int) -> int:
    if address == BORDER:
        return at if 0 <= at < size else -1
    return at % size if address == REPEAT else min(max(at, 0), size - 1)


@pytest.mark.parametrize("mode", MODES, ids=[f"{mode:#x}" for mode in MODES])
def test_sampler(mode: int) -> None:
    source = random.Random(mode)
    texels = [float(source.randrange(1, 100)) for _ in range(WIDTH * HEIGHT)]
    reach = [1.0, 1.0] if mode & NORMALIZED else [float(WIDTH), float(HEIGHT)]
    # Multiples of 1 / 32 from an axis' length before the image to one after it; none is at an edge of a texel.
    given = [
        (round(source.uniform(-1.0, 2.0) * reach[axis] * 32) + 0.375) / 32 for _ in range(COUNT) for axis in range(2)
    ]
    text = f"""
declare i64 @_Z13get_global_idj(i32)
declare {SAMPLER} @__translate_sampler_initializer(i32)
declare <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f({READ_2D}, {SAMPLER}, <2 x float>)
define spir_kernel void @main({READ_2D} %im, ptr addrspace(1) %in, ptr addrspace(1) %out) !reqd_work_group_size !0 {{
  %g = call i64 @_Z13get_global_idj(i32 0)
  %p = getelementptr <2 x float>, ptr addrspace(1) %in, i64 %g
  %at = load <2 x float>, ptr addrspace(1) %p
  %s = call {SAMPLER} @__translate_sampler_initializer(i32 {mode})
  %v = call <4 x float> @_Z11read_imagef14ocl_image2d_ro11ocl_samplerDv2_f({READ_2D} %im, {SAMPLER} %s, <2 x float> %at)
  %x = extractelement <4 x float> %v, i32 0
  %o = getelementptr float, ptr addrspace(1) %out, i64 %g
  store float %x, ptr addrspace(1) %o
  ret void
}}
!0 = !{{i32 {COUNT}, i32 1, i32 1}}
"""
    module = reknit.load(text.encode(), format="ll")
    filter, address = "linear" if mode & LINEAR else "nearest", NAMES[mode & 0xE]
    name = f"sampler.{filter}.{address}" + ("" if mode & NORMALIZED else ".texels")
    words = list(struct.unpack(f"<{2 * COUNT}I", struct.pack(f"<{2 * COUNT}f", *given)))
    buffers: dict[str, Image | Sampler | list[int]] = {
        "im": Image([WIDTH, HEIGHT], "r32f", texels), "in": words, "out": [0] * COUNT, name: Sampler(filter, address),
    }  # fmt: skip
    done = reknit.run(module, subgroup_size=16, buffers=buffers)
    assert [str(fault) for fault in done.diagnostics] == []
    made = struct.unpack(f"<{COUNT}f", struct.pack(f"<{COUNT}I", *done.buffers["out"].words))
    for at, value in enumerate(made):
        expected = sum(
            down * right * (texels[y * WIDTH + x] if x >= 0 and y >= 0 else 0.0)
            for y, down in places(mode, given[2 * at + 1], HEIGHT)
            for x, right in places(mode, given[2 * at], WIDTH)
        )
        assert abs(value - expected) <= (1e-3 if mode & LINEAR else 0.0), given[2 * at : 2 * at + 2]
