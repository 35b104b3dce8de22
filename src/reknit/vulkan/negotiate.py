"""What a device is asked to turn on for a module, or what it lacks.

    needs of the module, offer of the device   ->   features and extensions to turn on   or   Lacking(what is missing)

Besides the needs, what no capability speaks of is turned on where it is offered: the freedoms of buffer layout, and
bounds checks, so that an access outside of a buffer stays harmless.
"""

from typing import Any, Final, final

from reknit.vulkan.physical import FRAGMENT, STAGES, Physical

UNSPOKEN: Final = (
    "robustBufferAccess", "scalarBlockLayout", "uniformBufferStandardLayout", "shaderSubgroupExtendedTypes",
    "subgroupBroadcastDynamicId", "shaderZeroInitializeWorkgroupMemory",
    "workgroupMemoryExplicitLayoutScalarBlockLayout", "subgroupSizeControl", "computeFullSubgroups", "maintenance4",
    "robustImageAccess",
)  # fmt: skip
"""Turned on where they are offered and the structure that holds them is in use."""

WITH: Final = {
    "variablePointers": "variablePointersStorageBuffer",
    "shaderSubgroupRotate": "shaderSubgroupRotateClustered",
}
"""Turned on beside another: the first by rule (VUID-VkPhysicalDeviceVulkan11Features-variablePointers-01431), the
second because no capability says whether a rotation is clustered."""

EXTENSIONS_WITH: Final = {
    "VK_KHR_shader_quad_control": "VK_KHR_shader_maximal_reconvergence",
    "VK_EXT_shader_atomic_float2": "VK_EXT_shader_atomic_float",
}
"""Extensions that need another to be turned on (VUID-vkCreateDevice-ppEnabledExtensionNames-01387)."""

REQUIRE_FULL: Final = 2  # VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT


class Lacking(Exception):
    """What the device does not have, as sentences for the user."""

    def __init__(self, what: list[str], sizes: bool = False) -> None:
        super().__init__("; ".join(what))
        self.what = what
        self.sizes = sizes


@final
class Agreed:
    """`features` and `extensions` to turn on."""

    __slots__ = ("features", "extensions")

    def __init__(self, features: list[str], extensions: list[str]) -> None:
        self.features = features
        self.extensions = extensions


def negotiate(device: Physical, needs: list[list[Any]]) -> Agreed:
    """`needs` are those of `needs.Need.to_json`. Raises Lacking."""
    missing: list[str] = []
    features: dict[str, None] = {}
    extensions: dict[str, None] = {}
    if device.version < 12:
        raise Lacking([f"it has Vulkan {device.api}; reknit runs on 1.2 and newer"])
    if device.family < 0:
        raise Lacking(["it has no queue that computes"])
    if device.stage == FRAGMENT and not device.draws:
        raise Lacking(["it has no queue that draws"])
    for what, any_of, operation, extension in needs:
        names = [name for name in any_of if name in device.features]
        if operation and operation in device.operations:
            continue
        if extension and extension in device.extensions:
            extensions[extension] = None
            continue
        if names:
            features.update(dict.fromkeys(names))
            continue
        missing.append(f"{what}: {_want(any_of, operation, extension, STAGES[device.stage])}")
    if missing:
        raise Lacking(missing)
    for struct in device.structs():
        if any(name in features for name in struct.members):
            if struct.extension:
                extensions[struct.extension] = None
        elif struct.extension and struct.extension != "VK_EXT_subgroup_size_control":
            continue
        if struct.extension == "VK_EXT_subgroup_size_control":
            extensions[struct.extension] = None
        features.update(dict.fromkeys(name for name in UNSPOKEN if name in struct.members and name in device.features))
    for name, other in WITH.items():
        if name in features and other in device.features:
            features[other] = None
    for name, other in EXTENSIONS_WITH.items():
        if name in extensions:
            extensions[other] = None
    if "robustBufferAccess" in device.features:
        features["robustBufferAccess"] = None
    if "VK_KHR_portability_subset" in device.extensions:
        extensions["VK_KHR_portability_subset"] = None  # a device that has it must be asked for it
    return Agreed(list(features), list(extensions))


def _want(any_of: list[str], operation: str, extension: str, stage: str) -> str:
    """What would have met a need."""
    if operation:
        return f'the subgroup operation "{operation}" in {stage} shaders'
    if extension:
        return f"the extension {extension}"
    return "the feature " + " or ".join(any_of) if any_of else "nothing that reknit knows to ask a device for"


def subgroup_size(device: Physical, asked: int, local: list[int]) -> tuple[int, int, int]:
    """(size the shader runs with, size to require or 0, flags of the stage) for an asked size, 0 for the device's own.

    Requiring a size makes sure of it where the driver may choose; full subgroups make the invocations of a workgroup
    fall into subgroups in order, and are required where the rules allow it (VUID-VkPipelineShaderStageCreateInfo-
    pNext-02757). Raises Lacking.
    """
    default, least, most = device.sizes
    size = asked or default
    lanes = local[0] * local[1] * local[2]
    can_require = least and least <= size <= most and size & (size - 1) == 0
    can_require = can_require and "subgroupSizeControl" in device.features
    if size != default and not can_require:
        offer = f"{least} to {most}" if least < most else str(default)
        raise Lacking([f"subgroups of {size}: it has {offer}"], sizes=True)
    if not can_require or lanes > size * device.most_subgroups:
        if size != default:
            raise Lacking([f"{device.most_subgroups} subgroups of {size} for {lanes} invocations"], sizes=True)
        return size, 0, 0
    full = local[0] % size == 0 and "computeFullSubgroups" in device.features
    return size, size, REQUIRE_FULL if full else 0


def check_limits(device: Physical, groups: list[int], local: list[int], push_size: int, sets: int) -> None:
    """What is larger than the device takes. Raises Lacking."""
    limits = device.limits
    missing: list[str] = []
    for at, axis in enumerate("xyz"):
        if local[at] > limits.maxComputeWorkGroupSize[at]:
            missing.append(f"a workgroup {local[at]} long in {axis}: at most {limits.maxComputeWorkGroupSize[at]}")
        if groups[at] > limits.maxComputeWorkGroupCount[at]:
            missing.append(f"{groups[at]} workgroups in {axis}: at most {limits.maxComputeWorkGroupCount[at]}")
    lanes = local[0] * local[1] * local[2]
    if lanes > limits.maxComputeWorkGroupInvocations:
        missing.append(f"{lanes} invocations in a workgroup: at most {limits.maxComputeWorkGroupInvocations}")
    if push_size > limits.maxPushConstantsSize:
        missing.append(f"{push_size} bytes of push constants: at most {limits.maxPushConstantsSize}")
    if sets > limits.maxBoundDescriptorSets:
        missing.append(f"{sets} descriptor sets: at most {limits.maxBoundDescriptorSets}")
    if missing:
        raise Lacking(missing)
