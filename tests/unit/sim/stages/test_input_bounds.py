"""What inputs of fragment shaders may be: any value between those of the corners, and what rounding adds to them.

"A convex combination of the values of the datum at the polygon's vertices must be used to obtain the value assigned to
each fragment" (Vulkan 1.4, "Basic Polygon Rasterization"); a margin of 2^-10 of the greatest for its rounding.
"""

import pytest
from kit.fragments import shader, variable

from reknit import Drawing, Primitive, Quad
from reknit.sim.ops.ieee import FORMAT32
from reknit.sim.policy import Policy
from reknit.sim.run import prepare
from reknit.sim.shadow.sources import Source

COORD = variable("frag", "Input", "%v4f", "BuiltIn FragCoord")
FLAT = variable("kind", "Input", "%v2f", "Location 1", "Flat")
BODY = """%fc = OpLoad %v4f %frag
%fx = OpCompositeExtract %f32 %fc 0
%fy = OpCompositeExtract %f32 %fc 1
%ix = OpConvertFToU %u32 %fx
%iy = OpConvertFToU %u32 %fy
%row = OpIMul %u32 %iy %u4
%at = OpIAdd %u32 %row %ix
%slot = OpAccessChain %word_p %out %u0 %at
{value}
%bits = OpBitcast %u32 %part
OpStore %slot %bits
OpStore %color %zero"""
ZERO = "%zero = OpConstantComposite %v4f %f0 %f0 %f0 %f0\n"
TRIANGLE: list[list[float]] = [[0, 0], [8, 0, 0.5], [0, 8]]
UV = {"0": [[0, 4], [8, 4], [-2, 4]], "1": [[5, 6]] * 3}
LOADED = "%v = OpLoad {type} {of}\n%part = OpCompositeExtract %f32 %v {at}"


def sources(value: str, drawing: Drawing) -> tuple[list[Source | None], list[float]]:
    module = shader(BODY.format(value=value), COORD, FLAT, types=ZERO)
    program = prepare(module, subgroup_size=4, drawing=drawing)
    program.bound_floats()
    result = program.run(Policy(choices=[]), buffers={"out": [0] * 16})
    buffer = result.buffers["out"]
    return [buffer.sets.get(4 * at) for at in range(16)], [FORMAT32.decode(word) for word in buffer.words]


def drawn(samples: int = 1) -> Drawing:
    return Drawing([4, 4], [Primitive(TRIANGLE, UV)], samples=samples)


def test_an_input_is_between_those_of_the_corners() -> None:
    """u is 0, 8 and -2 at the corners: from -2 - 8/1024 to 8 + 8/1024; at (x, y) it is x - y / 4."""
    bounds, exact = sources(LOADED.format(type="%v2f", of="%uv", at=0), drawn())
    for at, (source, number) in enumerate(zip(bounds, exact, strict=True)):
        x, y = at % 4 + 0.5, at // 4 + 0.5
        assert number == x - y / 4
        assert source is not None and source.bound is not None
        assert source.bound.least == pytest.approx(-2 - 8 / 1024) and source.bound.most == pytest.approx(8 + 8 / 1024)
        assert source.bound.holds(FORMAT32.encode(number))


def test_one_that_is_the_same_at_all_corners_may_be_rounded() -> None:
    bounds, exact = sources(LOADED.format(type="%v2f", of="%uv", at=1), drawn())
    assert exact == [4.0] * 16
    for source in bounds:
        assert source is not None and source.bound is not None
        assert source.bound.least == pytest.approx(4 - 4 / 1024) and source.bound.most == pytest.approx(4 + 4 / 1024)


def test_flat_inputs_and_centers_are_as_they_are() -> None:
    """A flat input is that of the provoking vertex; with one sample "the interpolation position must be at the center
    of the fragment area"."""
    bounds, exact = sources(LOADED.format(type="%v2f", of="%kind", at=1), drawn())
    assert bounds == [None] * 16 and exact == [6.0] * 16
    bounds, exact = sources(LOADED.format(type="%v4f", of="%frag", at=0), drawn())
    assert bounds == [None] * 16 and exact == [0.5, 1.5, 2.5, 3.5] * 4


@pytest.mark.parametrize("at", [2, 3])
def test_depths_may_be_anything(at: int) -> None:
    bounds, _ = sources(LOADED.format(type="%v4f", of="%frag", at=at), drawn())
    assert all(source is not None and source.bound is None for source in bounds)


def test_with_several_samples_nothing_bounds_an_input() -> None:
    """The center may lie outside of the triangle where a sample is inside."""
    bounds, _ = sources(LOADED.format(type="%v2f", of="%uv", at=0), drawn(samples=4))
    assert all(source is not None and source.bound is None for source in bounds)


def test_what_is_given_to_each_invocation_is_that() -> None:
    inputs = {"0": [[1, 2], [3, 4], [5, 6], [7, 8]], "1": [[0, 0]] * 4}
    drawing = Drawing([4, 4], quads=[Quad(at=(0, 0), inputs=inputs)])
    bounds, exact = sources(LOADED.format(type="%v2f", of="%uv", at=1), drawing)
    assert bounds == [None] * 16
    assert [exact[at] for at in (0, 1, 4, 5)] == [2.0, 4.0, 6.0, 8.0]


def test_a_corner_that_is_infinite_bounds_nothing() -> None:
    drawing = Drawing([4, 4], [Primitive(TRIANGLE, {"0": [[0, 1e300], [8, 4], [0, 4]], "1": [[0, 0]] * 3})])
    bounds, _ = sources(LOADED.format(type="%v2f", of="%uv", at=1), drawing)
    assert all(source is not None and source.bound is None for source in bounds)
