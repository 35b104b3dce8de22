"""A shader's buffers, constants and subgroups on real drivers, against what its text says it computes."""

import struct

import pytest
from kit import ROOT, oracles
from kit.oracles import drivers
from kit.oracles.drivers import on_every_driver

import reknit
from reknit.ir.module import Module
from reknit.source.diagnostic import InputError
from reknit.spirv.read import read_module
from reknit.vulkan.run import devices, run_on

pytestmark = pytest.mark.once

# The ballot of a whole subgroup has the low `subgroup size` bits set (SPIR-V, OpGroupNonUniformBallot). The odd lanes'
# ballot, taken inside their branch, is 0b...1010.
BALLOT = """
#version 450
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer In { uint data[]; };
layout(set = 1, binding = 2) buffer Out { uint all[16]; uint odd[16]; uint size; } result;
void main() {
    uint i = gl_LocalInvocationIndex;
    result.all[i] = subgroupBallot(true).x + data[i];
    result.odd[i] = 0;
    if ((gl_SubgroupInvocationID & 1) != 0) result.odd[i] = subgroupBallot(true).x;
    result.size = gl_SubgroupSize;
}
"""

# Everything that a shader can be given besides storage buffers.
GIVEN = """
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const int added = 5;
layout(constant_id = 2) const float scale = 1.0;
layout(constant_id = 3) const bool negate = false;
layout(set = 0, binding = 3) uniform Block { vec4 v; uint last; };
layout(push_constant) uniform Push { uint first; layout(offset = 8) uint second; };
layout(set = 2, binding = 0) buffer Out { float values[]; };
layout(set = 0, binding = 1) buffer Pair { uint data[2]; } pair[2];
void main() {
    uint i = gl_GlobalInvocationID.x;
    float x = scale * float(i) + v.y + float(added);
    values[i] = negate ? -x : x;
    pair[1].data[0] = first;
    pair[1].data[1] = pair[0].data[1] + second + last;
}
"""

TWO_ENTRIES = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %one "one" %out
OpEntryPoint GLCompute %two "two" %out
OpExecutionMode %one LocalSize 1 1 1
OpExecutionMode %two LocalSize 1 1 1
OpName %out "out"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%u32 = OpTypeInt 32 0
%block = OpTypeStruct %u32
%pb = OpTypePointer StorageBuffer %block
%pu = OpTypePointer StorageBuffer %u32
%out = OpVariable %pb StorageBuffer
%fn = OpTypeFunction %void
%zero = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%one = OpFunction %void None %fn
%a = OpLabel
%p = OpAccessChain %pu %out %zero
OpStore %p %c1
OpReturn
OpFunctionEnd
%two = OpFunction %void None %fn
%b = OpLabel
%q = OpAccessChain %pu %out %zero
OpStore %q %c2
OpReturn
OpFunctionEnd
"""


def compiled(source: str) -> Module:
    return read_module(oracles.glslang(source))


def only_code(raised: pytest.ExceptionInfo[InputError]) -> str:
    codes = {diagnostic.code for diagnostic in raised.value.diagnostics}
    assert len(codes) == 1
    return codes.pop()


@on_every_driver
def test_ballots_have_the_device_s_subgroup_size(driver: str, lanes: int) -> None:
    data = [1000 * i for i in range(16)]
    result = run_on(drivers.target(driver, lanes), compiled(BALLOT), buffers={"data": data})
    everyone = (1 << lanes) - 1
    odd = everyone & 0xAAAA
    words = result.buffers["result"].words
    assert result.subgroup_size == lanes
    assert result.buffers["In"].words == data
    assert words[:16] == [everyone + 1000 * i for i in range(16)]
    assert words[16:32] == [odd if i % 2 else 0 for i in range(16)]
    assert words[32] == lanes
    assert {"lavapipe": "llvmpipe", "swiftshader": "SwiftShader"}[driver] in result.on


@pytest.mark.parametrize("name", ["stairs.rk", "shapes.slang"])
def test_what_no_driver_takes_is_given_structure_first(name: str) -> None:
    """A graph without merge instructions, and calls through an interface; both run on the simulator, too."""
    module = reknit.load(ROOT / "examples" / name)
    expected = {"stairs.rk": [15, 15, 15, 15], "shapes.slang": [413, 434, 434, 434]}[name]
    (buffer,) = run_on(drivers.target("lavapipe", 4), module, subgroup_size=4).buffers.values()
    assert buffer.words == expected == [*reknit.run(module, subgroup_size=4).buffers.values()][0].words


@pytest.mark.parametrize("driver, lanes", [("lavapipe", 8), ("swiftshader", 4)])
def test_uniforms_push_constants_arrays_and_specialization(driver: str, lanes: int) -> None:
    result = run_on(
        drivers.target(driver, lanes),
        compiled(GIVEN),
        groups=(2, 1, 1),
        buffers={"Block": float_words(0.0, 0.25, 0.0, 0.0) + [7], "pair[0]": [1, 2], "values": [0] * 6},
        push_constants=[30, 0, 400],
        spec={0: 3, 1: -2, "scale": 0.5, 3: 1},
    )
    assert list(result.buffers["Out"].array()) == [-(0.5 * i + 0.25 - 2) for i in range(6)]
    assert result.buffers["pair[0]"].words == [1, 2]
    assert result.buffers["pair[1]"].words == [30, 2 + 400 + 7]


def float_words(*values: float) -> list[int]:
    return [int.from_bytes(struct.pack("<f", value), "little") for value in values]


def test_the_entry_point_that_is_named_runs() -> None:
    module = reknit.load(TWO_ENTRIES.encode(), format="spvasm")
    target = drivers.target()
    assert run_on(target, module, "one").buffers["out"].words == [1]
    assert run_on(target, module, "two").buffers["out"].words == [2]
    with pytest.raises(InputError) as raised:
        run_on(target, module)
    assert only_code(raised) == "RK1002"


def test_lavapipe_runs_the_subgroup_size_that_is_asked_for() -> None:
    target = drivers.target("lavapipe", 4)
    del target.environment["LP_NATIVE_VECTOR_WIDTH"]
    for lanes in drivers.LAVAPIPE_LANES:
        assert run_on(target, compiled(BALLOT), subgroup_size=lanes).buffers["result"].words[32] == lanes


@on_every_driver
def test_a_size_that_the_device_does_not_have(driver: str, lanes: int) -> None:
    with pytest.raises(InputError, match=f"it has {lanes}") as raised:
        run_on(drivers.target(driver, lanes), compiled(BALLOT), subgroup_size=64)
    assert only_code(raised) == "RK1107"


def test_what_the_device_lacks_is_named() -> None:
    source = BALLOT.replace("uint i =", "double d = double(data[0]); data[1] = uint(d * d); uint i =")
    with pytest.raises(InputError, match="SwiftShader.*capability Float64: the feature shaderFloat64") as raised:
        run_on(drivers.target("swiftshader", 4), compiled(source))
    assert only_code(raised) == "RK1103"


def test_maximal_reconvergence_is_asked_of_the_device() -> None:
    """Mesa 25.0.7 offers it, SwiftShader does not."""
    module = reknit.load(
        TWO_ENTRIES.replace("OpMemoryModel", 'OpExtension "SPV_KHR_maximal_reconvergence"\nOpMemoryModel')
        .replace("OpName %out", "OpExecutionMode %one MaximallyReconvergesKHR\nOpName %out")
        .encode(),
        format="spvasm",
    )
    assert run_on(drivers.target("lavapipe", 8), module, "one").buffers["out"].words == [1]
    swiftshader = drivers.target("swiftshader", 4)
    assert run_on(swiftshader, module, "two").buffers["out"].words == [2]
    with pytest.raises(InputError, match="shaderMaximalReconvergence") as raised:
        run_on(swiftshader, module, "one")
    assert only_code(raised) == "RK1103"


def test_a_workgroup_that_is_too_large_for_the_device() -> None:
    source = TWO_ENTRIES.replace("%one LocalSize 1 1 1", "%one LocalSize 1 1 4096")
    with pytest.raises(InputError, match="4096 long in z") as raised:
        run_on(drivers.target(), reknit.load(source.encode(), format="spvasm"), "one")
    assert only_code(raised) == "RK1103"


def test_a_device_is_chosen_by_name_or_number() -> None:
    target = drivers.target()
    module = reknit.load(TWO_ENTRIES.encode(), format="spvasm")
    for name in ("LLVMPIPE", "0", ""):
        target.name = name
        assert run_on(target, module, "two").buffers["out"].words == [2]
    for name in ("1", "voodoo"):
        target.name = name
        with pytest.raises(InputError, match=name) as raised:
            run_on(target, module, "two")
        assert only_code(raised) == "RK1102"
        assert "0: llvmpipe" in raised.value.diagnostics[0].help


@on_every_driver
def test_devices_tell_what_they_offer(driver: str, lanes: int) -> None:
    [device] = devices(drivers.target(driver, lanes))
    assert device["subgroup_size"] == lanes
    assert device["kind"] == "CPU"
    assert "ballot" in device["subgroup_operations"]
    assert ("shaderMaximalReconvergence" in device["features"]) == (driver == "lavapipe")
    assert device["usable"]


def test_the_api_runs_on_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    library, environment = drivers.settings("lavapipe")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    module = reknit.load(TWO_ENTRIES.encode(), format="spvasm")
    result = reknit.run(module, "two", on="vulkan:llvm", libvulkan=library)
    assert result.buffers["out"].words == [2]
    assert "llvmpipe" in result.on
    assert reknit.run(module, "two").on == "sim"
    with pytest.raises(InputError) as raised:
        reknit.run(module, "two", on="abacus")
    assert only_code(raised) == "RK1102"
