"""Fragment and vertex shaders in proofs, and fragment shaders against drivers: what they leave in outputs counts.

Expected facts are by hand: which pixels a condition discards, that a derivative in an arm of half a quad is undefined.
"""

import struct

import pytest
from kit import ROOT
from kit.fragments import shader, variable
from kit.oracles import drivers
from kit.oracles.drivers import on_every_drawing_driver

import reknit
from reknit import Drawing, Vertices
from reknit.ir.module import Module
from reknit.proof.devices import BOUNDED, IMPRECISE, REFUTED, SAME, UNDEFINED, UNKNOWN, Comparer
from reknit.proof.prove import prove
from reknit.proof.question import Question
from reknit.proof.scenes import SHAPES, scene_document
from reknit.proof.verdict import Verdict
from reknit.sim.drawing import Primitive, whole_picture
from reknit.sim.run import run
from reknit.sim.scene import drawing_of
from reknit.view.devices import show_comparison
from reknit.view.proof import show_verdict

pytestmark = pytest.mark.once

COORD = variable("coord", "Input", "%v4f", "BuiltIn FragCoord")
STORE = "%c = OpCompositeConstruct %v4f {} %f0 %f0 %f1\nOpStore %color %c\n"
X = "%p = OpLoad %v4f %coord\n%x = OpCompositeExtract %f32 %p 0\n"
U = "%p = OpLoad %v2f %uv\n%x = OpCompositeExtract %f32 %p 0\n"
FULL = Drawing([4, 2], [whole_picture(4, 2, {"0": [[0, 0], [8, 0], [0, 4]]})])


def discarding(limit: str) -> str:
    """Discards the pixels whose uv.x is more than a limit."""
    return (
        f"{U}%far = OpFOrdGreaterThan %bool %x {limit}\nOpSelectionMerge %on None\n"
        f"OpBranchConditional %far %gone %on\n%gone = OpLabel\nOpKill\n%on = OpLabel\n{STORE.format('%x')}"
    )


def slope(early: bool) -> str:
    """The derivative of x * x, stored in the odd columns alone; taken by all of the quad, or by its odd half."""
    derivative = "%d = OpDPdx %f32 %square\n"
    return (
        f"{X}%square = OpFMul %f32 %x %x\n{derivative * early}%column = OpConvertFToU %u32 %x\n"
        "%low = OpBitwiseAnd %u32 %column %u1\n%odd = OpIEqual %bool %low %u1\n" + STORE.format("%f0")
        + "OpSelectionMerge %on None\nOpBranchConditional %odd %arm %on\n%arm = OpLabel\n"
        f"{derivative * (not early)}%e = OpCompositeConstruct %v4f %d %f0 %f0 %f1\nOpStore %color %e\nOpBranch %on\n"
        "%on = OpLabel\n"
    )


def judged(before: Module, after: Module, scene: Drawing | Vertices | None = None, **options: object) -> Verdict:
    return prove(before, after, Question(subgroup_sizes=[4, 8], by_terms=False, scene=scene, **options))  # type: ignore[arg-type]


def test_a_shader_refines_itself_over_all_drawings() -> None:
    module = shader(discarding("%f1"))
    verdict = judged(module, shader(discarding("%f1").replace("%far", "%beyond")), sample=8)
    assert verdict.coverage.trivial
    other = shader(discarding("%f1").replace("FOrdGreaterThan %bool %x %f1", "FOrdLessThan %bool %f1 %x"))
    verdict = judged(module, other, sample=8)
    assert verdict.verdict == "sampled" and list(verdict.coverage.scenes) == [shapes.name for shapes in SHAPES]
    assert "drawn a whole picture, a corner" in verdict.coverage.domain()


def test_a_pixel_that_is_not_discarded_refutes() -> None:
    """uv.x is the x of a pixel's center: 0.5, 1.5 ...: that at 1.5 is discarded by the one only."""
    before, after = shader(discarding("%f1")), shader(discarding("%f2"))
    verdict = judged(before, after, FULL)
    example = verdict.counterexample
    assert verdict.verdict == "refuted" and example is not None
    first = [unlike for unlike in example.outputs if unlike.label.endswith("0")]
    assert {(unlike.label, unlike.before, unlike.after) for unlike in first} == {
        ("location 0 at (1, 0): component 0", "", "1.5"), ("location 0 at (1, 1): component 0", "", "1.5"),
    }  # fmt: skip
    text = show_verdict(before, verdict)
    assert "location 0 at (1, 0): component 0" in text and "nothing" in text and '"size": [4, 2]' in text
    assert judged(before, after).verdict == "refuted"  # over the sample, too


def test_what_no_pixel_of_the_drawing_shows_is_not_refuted() -> None:
    """It is no proof: Vulkan leaves open how precisely uv is interpolated, and both were run with one way."""
    small = Drawing([1, 1], [whole_picture(1, 1, {"0": [[0, 0], [2, 0], [0, 2]]})])
    verdict = judged(shader(discarding("%f1")), shader(discarding("%f2")), small)
    assert verdict.verdict == "sampled" and list(verdict.coverage.untried)
    assert "drawn 1 primitive on 1x1 pixels" in verdict.coverage.domain()


def test_a_derivative_moved_into_half_of_a_quad_is_refuted() -> None:
    """All of the quad gives 2 * 1 (the difference of 0.25 and 2.25); in the arm the even column is missing."""
    verdict = judged(shader(slope(True), COORD), shader(slope(False), COORD), FULL)
    assert verdict.verdict == "refuted"
    assert judged(shader(slope(False), COORD), shader(slope(True), COORD), FULL)  # the other way round it is allowed


def test_an_output_that_nothing_is_stored_to_may_be_anything() -> None:
    store = STORE.format("%f1")
    unwritten = f"{U}%far = OpFOrdGreaterThan %bool %x %f1\nOpSelectionMerge %on None\n"
    unwritten += f"OpBranchConditional %far %arm %on\n%arm = OpLabel\n{store}OpBranch %on\n%on = OpLabel\n"
    always = shader(store)
    assert judged(shader(unwritten), always, FULL).verdict == "sampled"
    assert judged(always, shader(unwritten), FULL).verdict == "refuted"


def test_one_subgroup_size_stands_for_all_where_nothing_asks() -> None:
    """A ballot counts the lanes of a subgroup, so that it is run at each size; discarding asks nothing of others."""
    ballot = "%vote = OpGroupNonUniformBallot %v4u %u3 %true\n"
    for ahead, wider in (("", 1), (ballot, 2)):
        before = shader(ahead + discarding("%f1"))
        other = discarding("%f1").replace("FOrdGreaterThan %bool %x %f1", "FOrdLessThan %bool %f1 %x")
        after = shader(ahead + other)
        verdict = judged(before, after, FULL)
        alone = prove(before, after, Question(subgroup_sizes=[4], by_terms=False, scene=FULL))
        assert verdict.coverage.runs == wider * alone.coverage.runs, ahead
        assert verdict.coverage.undefined == 0 and verdict.verdict == alone.verdict


def test_an_invocation_that_executes_kill_may_go_on_as_a_helper() -> None:
    """SPIR-V, OpKill: "Ceases all further processing in any invocation that executes it"; Vulkan, Shader Termination:
    "Implementations may: also terminate a shader invocation when code:OpKill is executed in any function; otherwise it
    becomes a helper invocation", in the note "Depending on the implementation, code:OpKill will be functionally
    equivalent to either code:OpTerminateInvocation or code:OpDemoteToHelperInvocation". So a sum with a demoted
    invocation refutes nothing; another sum does."""
    summed = "%s = OpGroupNonUniformIAdd %u32 %u3 Reduce NUMBER\n%f = OpConvertUToF %f32 %s\n" + STORE.format("%f")
    killed = discarding("%fh").replace(STORE.format("%x"), summed)
    mode, more = ["MaximallyReconvergesKHR"], ["SPV_KHR_maximal_reconvergence", "SPV_EXT_demote_to_helper_invocation"]
    texts = [killed, killed.replace("OpKill", "OpDemoteToHelperInvocation\nOpBranch %on")]
    before, demoted, other = [
        shader(text.replace("NUMBER", number), modes=mode, capabilities=["DemoteToHelperInvocation"], extensions=more)
        for text, number in ((texts[0], "%u1"), (texts[1], "%u1"), (texts[1], "%u2"))
    ]
    verdict = judged(before, demoted)
    assert verdict.verdict == "sampled" and any("goes on as a helper" in line for line in verdict.coverage.lines())
    assert judged(before, other).verdict == "refuted"
    assert judged(demoted, shader(
        texts[0].replace("NUMBER", "%u2"), modes=mode, capabilities=["DemoteToHelperInvocation"], extensions=more
    )).verdict == "refuted"  # fmt: skip


def test_depth_counts() -> None:
    depth = variable("depth", "Output", "%f32", "BuiltIn FragDepth")
    modes = ["DepthReplacing"]
    bodies = [STORE.format("%f1") + f"OpStore %depth {value}\n" for value in ("%f0", "%fh")]
    before, after = [shader(body, depth, modes=modes) for body in bodies]
    verdict = judged(before, after)
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    assert verdict.counterexample.outputs[0].label == "depth at (0, 0)"


def test_vertices_are_compared_by_what_they_leave() -> None:
    moved = variable("position", "Output", "%v4f", "BuiltIn Position")
    bodies = [
        f"{U}%y = OpCompositeExtract %f32 %p 1\n{STORE.format('%x')}%at = OpCompositeConstruct %v4f {corner} %f0 %f1\n"
        "OpStore %position %at\n" for corner in ("%x %y", "%y %x")
    ]
    before, after = [shader(body, moved, stage="Vertex") for body in bodies]
    verdict = judged(before, after)
    assert verdict.verdict == "refuted" and verdict.counterexample is not None
    assert verdict.counterexample.outputs[0].label == "position of invocation 0: component 0"
    same = Vertices(1, attributes={"0": [[3, 3]]})
    assert judged(before, after, same).verdict == "sampled"  # copies of floats leave open what a NaN becomes
    document = judged(before, after).to_json()["counterexample"]
    assert isinstance(document, dict) and document["scene"]["count"] == 6


def test_a_scene_is_read_back_as_it_was() -> None:
    module = shader(discarding("%f1"))
    example = judged(module, shader(discarding("%fh"))).counterexample
    assert example is not None and example.scene is not None
    again = drawing_of(scene_document(example.scene))
    assert scene_document(again) == scene_document(example.scene)
    assert judged(module, shader(discarding("%fh")), again).verdict == "refuted"


# --- against drivers --------------------------------------------------------------------------------------------------


@on_every_drawing_driver
def test_drivers_draw_the_same(driver: str, lanes: int) -> None:
    comparison = Comparer(shader(slope(True), COORD), drawing=FULL).compare(drivers.target(driver, lanes))
    assert comparison.verdict == SAME, show_comparison(comparison)
    undefined = Comparer(shader(slope(False), COORD), drawing=FULL).compare(drivers.target(driver, lanes))
    assert undefined.verdict in (SAME, UNDEFINED)


def test_a_pixel_that_differs_is_left_to_what_is_the_devices_own() -> None:
    """With one sample "the interpolation position must be at the center of the fragment area", which FragCoord.x is."""
    module = shader(X + STORE.format("%x"), COORD)
    result = run(module, subgroup_size=4, drawing=FULL)
    result.on = "made up"
    assert result.framebuffer is not None
    result.framebuffer.attachments[0].pixels[0, 0, 3, 0][1] = 7
    comparison = Comparer(module, drawing=FULL).judge(result)
    assert comparison.verdict == REFUTED and comparison.count_of() == 1
    assert "location 0 at (3, 0): component 1" in show_comparison(comparison)
    counting = "%vote = OpGroupNonUniformBallot %v4u %u3 %true\n%n = OpCompositeExtract %u32 %vote 0\n"
    counting += "%f = OpConvertUToF %f32 %n\n"
    module = shader(counting + STORE.format("%f"), modes=[])
    result = run(module, subgroup_size=4, drawing=FULL)
    result.on = "made up"
    assert result.framebuffer is not None
    result.framebuffer.attachments[0].pixels[0, 0, 3, 0][0] = 7
    comparison = Comparer(module, drawing=FULL).judge(result)
    assert comparison.verdict == UNKNOWN and "which quads share a subgroup" in comparison.coverage


@pytest.mark.parametrize(
    "value, verdict",
    [
        (0.2500001, BOUNDED),  # how precisely it is interpolated is in no sentence but that of 1 part in 10^5
        (0.9, BOUNDED),  # between the values of the corners
        (1.5, REFUTED),  # "a convex combination of the values of the datum at the polygon's vertices must be used"
        (-0.25, REFUTED),
    ],
)
def test_a_pixel_of_a_varying_input_is_between_the_corners(value: float, verdict: str) -> None:
    """%v is 0 at two corners and 1 at the other."""
    varying = variable("v", "Input", "%f32", "Location 0")
    module = shader("%x = OpLoad %f32 %v\n" + STORE.format("%x"), varying)
    corners = [[0, 0, 0, 1], [8, 0, 0, 1], [0, 8, 0, 1]]
    drawing = Drawing([2, 2], [Primitive(corners, {"v": [0.0, 1.0, 0.0]})])
    result = run(module, subgroup_size=4, drawing=drawing)
    result.on = "made up"
    assert result.framebuffer is not None
    result.framebuffer.attachments[0].pixels[0, 0, 1, 0][0] = struct.unpack("<I", struct.pack("<f", value))[0]
    assert Comparer(module, drawing=drawing).judge(result).verdict == verdict


def test_compare_of_the_api_asks_for_a_drawing() -> None:
    with pytest.raises(reknit.InputError, match="needs a drawing"):
        reknit.compare(shader(slope(True), COORD))


# --- vertex and fragment shader, against drivers ----------------------------------------------------------------------


def pair(body: str) -> Module:
    """A vertex shader whose triangle covers the picture, and a fragment shader that stores its %uv, which goes from -1
    to 3 along both axes of a triangle of 2 x 2 pictures. `body` is the vertex shader's own."""
    text = PAIR.replace("BODY", body)
    return reknit.load(text.encode(), format="rk")


PAIR = (ROOT / "examples" / "triangle.rk").read_text().replace("func @corners() -> void {", """
Decorate %Block Block
MemberDecorate %Block 0 Offset 0
Decorate %count DescriptorSet 0
Decorate %count Binding 0
%Block = TypeStruct u32
%count = Variable StorageBuffer : ptr<StorageBuffer, %Block>
names %count
func @corners() -> void {
BODY""").replace('"corners" %index', '"corners" %count, %index')  # fmt: skip
STORES = "%word = AccessChain %count, 0u : ptr<StorageBuffer, u32>\nStore %word, 7u\n"
COUNTS = "%word = AccessChain %count, 0u : ptr<StorageBuffer, u32>\n%o = AtomicIAdd %word, Device, 0u, 1u : u32\n"
FRAME = Drawing([4, 2])


@pytest.mark.parametrize("body", ["", STORES])
def test_drivers_draw_vertices_the_same(body: str) -> None:
    """Corners -1, 3: x is 2 (x + 0.5) / 4 - 1 at a pixel's center, in steps of 1/2; 7 is stored by each vertex."""
    comparer = Comparer(pair(body), drawing=FRAME, vertices=Vertices(3))
    comparison = comparer.compare(drivers.target())
    assert comparison.verdict == SAME, show_comparison(comparison)
    assert comparison.result is not None and comparison.result.framebuffer is not None
    (color,) = comparison.result.framebuffer.attachments
    assert [color.at(x, 1) for x in range(4)] == [[-0.75, 0.5], [-0.25, 0.5], [0.25, 0.5], [0.75, 0.5]]
    if body:
        assert comparison.result.buffers["count"].words == [7]


def test_how_often_a_vertex_is_shaded_is_the_devices_own() -> None:
    """Vulkan 1.4, "Vertex Shader Execution": "a vertex shader may be invoked multiple times" for a vertex."""
    comparer = Comparer(pair(COUNTS), drawing=FRAME, vertices=Vertices(3))
    comparer.begin()
    result = run(comparer.module, subgroup_size=4, drawing=comparer.drawing, buffers={"count": [4]})
    result.on = "made up"
    comparison = comparer.judge(result)
    assert comparison.verdict in (UNKNOWN, IMPRECISE) and comparison.differences[0].expected == 3
