"""What a module needs, and what a device is asked to turn on for it.

The features of capabilities are those of the Vulkan registry (`spirvcapabilities` of vk.xml).
"""

import pytest

import reknit
from reknit.vulkan import needs as table
from reknit.vulkan.features import BASE, STRUCTS
from reknit.vulkan.needs import Need, needs_of
from reknit.vulkan.negotiate import REQUIRE_FULL, Lacking, negotiate, subgroup_size
from reknit.vulkan.physical import COMPUTE, FRAGMENT, Physical
from reknit.vulkan.structs import FloatControlsProperties

pytestmark = pytest.mark.once

MODULE = """
OpCapability Shader
OpCapability Int64
OpCapability GroupNonUniformBallot
OpCapability VariablePointers
OpCapability Kernel
OpExtension "SPV_KHR_maximal_reconvergence"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpEntryPoint GLCompute %other "other"
OpExecutionMode %main LocalSize 1 1 1
OpExecutionMode %main MaximallyReconvergesKHR
OpExecutionMode %main DenormPreserve 32
OpExecutionMode %other LocalSize 1 1 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%main = OpFunction %void None %fn
%a = OpLabel
OpReturn
OpFunctionEnd
%other = OpFunction %void None %fn
%b = OpLabel
OpReturn
OpFunctionEnd
"""


def device(features: list[str], extensions: list[str], version: int = 13) -> Physical:
    """A device as `physical` would have described it."""
    made = Physical.__new__(Physical)
    made.version = version
    made.api = f"{version // 10}.{version % 10}.0"
    made.family = 0
    made.features = features
    made.extensions = extensions
    made.operations = ["basic", "ballot"]
    made.stage = COMPUTE
    made.draws = False
    made.sizes = [32, 0, 0]
    made.most_subgroups = 0
    return made


def test_needs_of_a_module() -> None:
    module = reknit.load(MODULE.encode(), format="spvasm")
    found = {need.what: need for need in needs_of(module, module.entry_points[0])}
    assert found["capability Int64"].features == ["shaderInt64"]
    assert found["capability GroupNonUniformBallot"].operation == "ballot"
    assert found["execution mode MaximallyReconvergesKHR"].features == ["shaderMaximalReconvergence"]
    assert found["execution mode DenormPreserve 32"].features == ["shaderDenormPreserveFloat32"]
    assert found["capability Kernel"].to_json() == ["capability Kernel", [], "", ""]
    assert "capability Shader" not in found
    other = [need.what for need in needs_of(module, module.entry_points[1])]
    assert not any(what.startswith("execution mode") for what in other)


def test_every_feature_that_a_need_names_is_one_of_vulkan() -> None:
    known = {*BASE, *(name for struct in STRUCTS for name in struct.members)}
    named = {name for line in table.FEATURES.split("\n") for name in line.partition(": ")[2].split()}
    assert sorted(named - known) == []
    assert {feature for _, feature in table.MODES.values()} <= known
    assert set(table.MODULE_EXTENSIONS.values()) <= known
    properties = {str(field[0]) for field in FloatControlsProperties._fields_}
    for name in table.FLOAT_MODES.values():
        assert {f"shader{name}Float{width}" for width in (16, 32, 64)} <= properties


def asked(needs: list[Need]) -> list[list[object]]:
    return [need.to_json() for need in needs]


def test_only_what_is_needed_is_turned_on() -> None:
    offer = device(
        ["robustBufferAccess", "shaderInt64", "shaderFloat64", "shaderMaximalReconvergence", "maintenance4"],
        ["VK_KHR_shader_maximal_reconvergence", "VK_KHR_shader_clock"],
    )
    agreed = negotiate(offer, asked([Need("capability Int64", ["shaderInt64"])]))
    assert sorted(agreed.features) == ["maintenance4", "robustBufferAccess", "shaderInt64"]
    assert agreed.extensions == []
    agreed = negotiate(offer, asked([Need("mode", ["shaderMaximalReconvergence"]), Need("ballots", [], "ballot")]))
    assert agreed.extensions == ["VK_KHR_shader_maximal_reconvergence"]


def test_what_goes_with_a_feature_or_an_extension() -> None:
    offer = device(
        ["shaderQuadControl", "variablePointers", "variablePointersStorageBuffer"],
        ["VK_KHR_shader_quad_control", "VK_KHR_shader_maximal_reconvergence"],
    )
    agreed = negotiate(offer, asked([Need("q", ["shaderQuadControl"]), Need("v", ["variablePointers"])]))
    assert sorted(agreed.extensions) == ["VK_KHR_shader_maximal_reconvergence", "VK_KHR_shader_quad_control"]
    assert "variablePointersStorageBuffer" in agreed.features


def test_all_that_is_missing_is_reported_at_once() -> None:
    with pytest.raises(Lacking) as raised:
        negotiate(device([], []), asked([Need("a", ["x", "y"]), Need("b", [], "quad"), Need("c", [])]))
    assert raised.value.what == [
        "a: the feature x or y",
        'b: the subgroup operation "quad" in compute shaders',
        "c: nothing that reknit knows to ask a device for",
    ]
    drawing = device([], [])
    drawing.stage = FRAGMENT
    with pytest.raises(Lacking, match="no queue that draws"):
        negotiate(drawing, [])
    with pytest.raises(Lacking, match="1.1.0"):
        negotiate(device([], [], version=11), [])


@pytest.mark.parametrize(
    "sizes, wanted, local, expected",
    [
        ([32, 0, 0], 0, [32, 1, 1], (32, 0, 0)),
        ([32, 8, 32], 0, [64, 1, 1], (32, 32, REQUIRE_FULL)),
        ([32, 8, 32], 16, [64, 1, 1], (16, 16, REQUIRE_FULL)),
        ([32, 8, 32], 16, [8, 8, 1], (16, 16, 0)),  # full subgroups: x has to be a multiple of the size
        ([32, 8, 32], 0, [2048, 1, 1], (32, 0, 0)),  # 64 subgroups at most, or no size can be required
    ],
)
def test_subgroup_sizes(sizes: list[int], wanted: int, local: list[int], expected: tuple[int, int, int]) -> None:
    offer = device(["subgroupSizeControl", "computeFullSubgroups"], [])
    offer.sizes = sizes
    offer.most_subgroups = 32
    assert subgroup_size(offer, wanted, local) == expected


def test_sizes_that_can_not_be_had() -> None:
    offer = device([], [])
    with pytest.raises(Lacking, match="it has 32") as raised:
        subgroup_size(offer, 16, [16, 1, 1])
    assert raised.value.sizes
    offer.sizes = [32, 8, 32]
    offer.features = ["subgroupSizeControl"]
    offer.most_subgroups = 4
    with pytest.raises(Lacking, match="it has 8 to 32"):
        subgroup_size(offer, 64, [64, 1, 1])
    with pytest.raises(Lacking, match="4 subgroups of 8 for 64 invocations"):
        subgroup_size(offer, 8, [64, 1, 1])
