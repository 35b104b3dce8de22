"""The Vulkan runner against what the shader's own text says it computes."""

import oracles
import pytest
import vulkan_runner

pytestmark = pytest.mark.once

# The ballot of a whole subgroup has the low `subgroup size` bits set (SPIR-V, OpGroupNonUniformBallot). The odd lanes'
# ballot, taken inside their branch, is 0b...1010.
BALLOT = """
#version 450
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer In { uint data[]; };
layout(set = 1, binding = 2) buffer Out { uint all[16]; uint odd[16]; uint size; };
void main() {
    uint i = gl_LocalInvocationIndex;
    all[i] = subgroupBallot(true).x + data[i];
    odd[i] = 0;
    if ((gl_SubgroupInvocationID & 1) != 0) odd[i] = subgroupBallot(true).x;
    size = gl_SubgroupSize;
}
"""


def check(driver: str, lanes: int) -> vulkan_runner.Result:
    module = oracles.glslang(BALLOT)
    data: dict[str, object] = {"set": 0, "binding": 0, "words": [1000 * i for i in range(16)]}
    out: dict[str, object] = {"set": 1, "binding": 2, "words": [0] * 33}
    result = vulkan_runner.run(module, (1, 1, 1), [data, out], driver=driver, lanes=lanes)
    everyone = (1 << lanes) - 1
    odd = everyone & 0xAAAA
    assert result.subgroup_size == lanes
    assert result.buffers[0] == data["words"]
    assert result.buffers[1][:16] == [everyone + 1000 * i for i in range(16)]
    assert result.buffers[1][16:32] == [odd if i % 2 else 0 for i in range(16)]
    assert result.buffers[1][32] == lanes
    return result


@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_lavapipe_runs_subgroups_of_the_width_asked_for(lanes: int) -> None:
    result = check("lavapipe", lanes)
    assert "llvmpipe" in result.device
    assert result.maximal_reconvergence  # Mesa 25.0.7 and newer


def test_swiftshader_runs_subgroups_of_four() -> None:
    assert "SwiftShader" in check("swiftshader", 4).device


def test_a_driver_that_can_not_load_is_a_failure_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def elsewhere(driver: str, lanes: int) -> tuple[dict[str, str], str]:
        return {}, "libno-such-vulkan.so.1"

    monkeypatch.setattr(vulkan_runner, "_surroundings", elsewhere)
    with pytest.raises(vulkan_runner.RunFailed, match="libno-such-vulkan"):
        vulkan_runner.run(b"\x03\x02\x23\x07", (1, 1, 1), [])
