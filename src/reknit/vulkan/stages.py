"""A shader as a stage of a pipeline: its module, its entry point, its constants, the subgroup size it asks for."""

from ctypes import c_uint8, c_uint32
from typing import Any, final

from reknit.vulkan.logical import Logical
from reknit.vulkan.structs import (
    RequiredSubgroupSize,
    ShaderModuleCreateInfo,
    ShaderStageCreateInfo,
    SpecializationInfo,
    SpecializationMapEntry,
    make,
)

Constants = list[tuple[int, bytes]]
"""(SpecId, the constant's bytes)"""


@final
class Shader:
    """`required` and `flags` are those of `negotiate.subgroup_size`."""

    __slots__ = ("code", "entry", "spec", "required", "flags")

    def __init__(self, code: bytes, entry: str, spec: Constants, required: int = 0, flags: int = 0) -> None:
        self.code = code
        self.entry = entry
        self.spec = spec
        self.required = required
        self.flags = flags


def shader_stage(device: Logical, shader: Shader, stage: int) -> Any:
    """VkPipelineShaderStageCreateInfo. It has to outlive the making of the pipeline. Raises VulkanError."""
    words = (c_uint32 * (len(shader.code) // 4)).from_buffer_copy(shader.code)
    request = make(ShaderModuleCreateInfo, codeSize=len(shader.code), pCode=words)
    module = device.create("vkCreateShaderModule", request)
    entries = (SpecializationMapEntry * max(1, len(shader.spec)))()
    data = b""
    for at, (number, value) in enumerate(shader.spec):
        entries[at] = SpecializationMapEntry(number, len(data), len(value))
        data += value
    bytes_given = (c_uint8 * max(1, len(data))).from_buffer_copy(data or b"\0")
    special = make(
        SpecializationInfo,
        mapEntryCount=len(shader.spec),
        pMapEntries=entries,
        dataSize=len(data),
        pData=bytes_given,
    )
    size = make(RequiredSubgroupSize, requiredSubgroupSize=shader.required)
    return make(
        ShaderStageCreateInfo,
        pNext=size if shader.required else None,
        flags=shader.flags,
        stage=stage,
        module=module.value,
        pName=shader.entry.encode(),
        pSpecializationInfo=special if shader.spec else None,
    )
