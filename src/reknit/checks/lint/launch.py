"""What a project declares of how its shaders are launched, which no module says.

    full-subgroups = true          every subgroup of a compute, task or mesh shader is launched with all its invocations
    subgroup-sizes = [32, 64]      SubgroupSize is one of these; by default any power of two up to 128

The first is what VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT asks for. With it a workgroup of 64 is one
subgroup where that has 64 invocations; without it, it may be several, none of them full.
Source: Vulkan, "VkPipelineShaderStageCreateFlagBits", and "SubgroupSize": a power of two; at most 128 invocations.
"""

from typing import Final, final

SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128)


@final
class Launch:
    """`sizes` are in rising order."""

    __slots__ = ("full_subgroups", "sizes")

    def __init__(self, full_subgroups: bool = False, sizes: tuple[int, ...] = SIZES) -> None:
        self.full_subgroups = full_subgroups
        self.sizes = sizes

    def declared(self, full_subgroups: bool, sizes: list[int] | None) -> "Launch":
        """With what a command line declares besides; its sizes go first."""
        return Launch(full_subgroups or self.full_subgroups, tuple(sorted(sizes)) if sizes else self.sizes)
