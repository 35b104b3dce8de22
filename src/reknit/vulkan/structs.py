"""The C structures of Vulkan that a compute dispatch takes, with their members' own names.

    make(BufferCreateInfo, size=64, usage=STORAGE)   ->   the structure with sType set and all else zero

A structure that another points to must outlive the call: `make` keeps it alive with the structure that it goes into.
Source: Vulkan 1.4, vulkan_core.h.
"""

import ctypes
import re
from ctypes import Structure, c_char, c_char_p, c_int32, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, ClassVar, Final, TypeVar

Handle = c_uint64  # of an object that belongs to a device; instances, devices and queues are c_void_p

POINTERS: Final = re.compile("p+[A-Z]")
"""The names of members that are pointers."""

Kind = TypeVar("Kind", bound=Structure)


class ApplicationInfo(Structure):
    s_type: ClassVar[int] = 0
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("pApplicationName", c_char_p), ("applicationVersion", c_uint32),
        ("pEngineName", c_char_p), ("engineVersion", c_uint32), ("apiVersion", c_uint32),
    ]  # fmt: skip


class InstanceCreateInfo(Structure):
    s_type: ClassVar[int] = 1
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("pApplicationInfo", c_void_p),
        ("enabledLayerCount", c_uint32), ("ppEnabledLayerNames", c_void_p),
        ("enabledExtensionCount", c_uint32), ("ppEnabledExtensionNames", c_void_p),
    ]  # fmt: skip


class ExtensionProperties(Structure):
    _fields_ = [("extensionName", c_char * 256), ("specVersion", c_uint32)]


class Limits(Structure):
    """VkPhysicalDeviceLimits, with the members that matter here and the bytes between them."""

    _fields_ = [
        ("imageLimits", c_uint8 * 24), ("maxUniformBufferRange", c_uint32), ("maxStorageBufferRange", c_uint32),
        ("maxPushConstantsSize", c_uint32), ("allocationLimits", c_uint8 * 8), ("pad0", c_uint32),
        ("sparseLimits", c_uint64 * 2), ("maxBoundDescriptorSets", c_uint32), ("stageLimits", c_uint8 * 148),
        ("maxComputeSharedMemorySize", c_uint32), ("maxComputeWorkGroupCount", c_uint32 * 3),
        ("maxComputeWorkGroupInvocations", c_uint32), ("maxComputeWorkGroupSize", c_uint32 * 3),
        ("rest", c_uint8 * 256),
    ]  # fmt: skip


class Properties(Structure):
    """VkPhysicalDeviceProperties."""

    _fields_ = [
        ("apiVersion", c_uint32), ("driverVersion", c_uint32), ("vendorID", c_uint32), ("deviceID", c_uint32),
        ("deviceType", c_uint32), ("deviceName", c_char * 256), ("pipelineCacheUUID", c_uint8 * 16),
        ("limits", Limits), ("sparseProperties", c_uint32 * 5),
    ]  # fmt: skip


class Properties2(Structure):
    s_type: ClassVar[int] = 1000059001
    _fields_ = [("sType", c_uint32), ("pNext", c_void_p), ("properties", Properties)]


class SubgroupProperties(Structure):
    s_type: ClassVar[int] = 1000094000
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("subgroupSize", c_uint32), ("supportedStages", c_uint32),
        ("supportedOperations", c_uint32), ("quadOperationsInAllStages", c_uint32),
    ]  # fmt: skip


class SubgroupSizeControlProperties(Structure):
    s_type: ClassVar[int] = 1000225000
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("minSubgroupSize", c_uint32), ("maxSubgroupSize", c_uint32),
        ("maxComputeWorkgroupSubgroups", c_uint32), ("requiredSubgroupSizeStages", c_uint32),
    ]  # fmt: skip


class DriverProperties(Structure):
    s_type: ClassVar[int] = 1000196000
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("driverID", c_uint32), ("driverName", c_char * 256),
        ("driverInfo", c_char * 256), ("conformanceVersion", c_uint8 * 4),
    ]  # fmt: skip


class FloatControlsProperties(Structure):
    s_type: ClassVar[int] = 1000197000
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("denormBehaviorIndependence", c_uint32),
        ("roundingModeIndependence", c_uint32), *[
            (f"shader{name}Float{width}", c_uint32)
            for name in (
                "SignedZeroInfNanPreserve", "DenormPreserve", "DenormFlushToZero", "RoundingModeRTE", "RoundingModeRTZ"
            )
            for width in (16, 32, 64)
        ],
    ]  # fmt: skip


class QueueFamilyProperties(Structure):
    _fields_ = [
        ("queueFlags", c_uint32), ("queueCount", c_uint32), ("timestampValidBits", c_uint32),
        ("minImageTransferGranularity", c_uint32 * 3),
    ]  # fmt: skip


class MemoryType(Structure):
    _fields_ = [("propertyFlags", c_uint32), ("heapIndex", c_uint32)]


class MemoryHeap(Structure):
    _fields_ = [("size", c_uint64), ("flags", c_uint32)]


class MemoryProperties(Structure):
    _fields_ = [
        ("memoryTypeCount", c_uint32), ("memoryTypes", MemoryType * 32),
        ("memoryHeapCount", c_uint32), ("memoryHeaps", MemoryHeap * 16),
    ]  # fmt: skip


class QueueCreateInfo(Structure):
    s_type: ClassVar[int] = 2
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("queueFamilyIndex", c_uint32),
        ("queueCount", c_uint32), ("pQueuePriorities", c_void_p),
    ]  # fmt: skip


class DeviceCreateInfo(Structure):
    s_type: ClassVar[int] = 3
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("queueCreateInfoCount", c_uint32),
        ("pQueueCreateInfos", c_void_p), ("enabledLayerCount", c_uint32), ("ppEnabledLayerNames", c_void_p),
        ("enabledExtensionCount", c_uint32), ("ppEnabledExtensionNames", c_void_p), ("pEnabledFeatures", c_void_p),
    ]  # fmt: skip


class BufferCreateInfo(Structure):
    s_type: ClassVar[int] = 12
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("size", c_uint64), ("usage", c_uint32),
        ("sharingMode", c_uint32), ("queueFamilyIndexCount", c_uint32), ("pQueueFamilyIndices", c_void_p),
    ]  # fmt: skip


class MemoryRequirements(Structure):
    _fields_ = [("size", c_uint64), ("alignment", c_uint64), ("memoryTypeBits", c_uint32)]


class MemoryAllocateInfo(Structure):
    s_type: ClassVar[int] = 5
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("allocationSize", c_uint64), ("memoryTypeIndex", c_uint32),
    ]  # fmt: skip


class ShaderModuleCreateInfo(Structure):
    s_type: ClassVar[int] = 16
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("codeSize", c_size_t), ("pCode", c_void_p),
    ]  # fmt: skip


class SpecializationMapEntry(Structure):
    _fields_ = [("constantID", c_uint32), ("offset", c_uint32), ("size", c_size_t)]


class SpecializationInfo(Structure):
    _fields_ = [("mapEntryCount", c_uint32), ("pMapEntries", c_void_p), ("dataSize", c_size_t), ("pData", c_void_p)]


class RequiredSubgroupSize(Structure):
    """VkPipelineShaderStageRequiredSubgroupSizeCreateInfo."""

    s_type: ClassVar[int] = 1000225001
    _fields_ = [("sType", c_uint32), ("pNext", c_void_p), ("requiredSubgroupSize", c_uint32)]


class ShaderStageCreateInfo(Structure):
    s_type: ClassVar[int] = 18
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("stage", c_uint32), ("module", Handle),
        ("pName", c_char_p), ("pSpecializationInfo", c_void_p),
    ]  # fmt: skip


class ComputePipelineCreateInfo(Structure):
    s_type: ClassVar[int] = 29
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("stage", ShaderStageCreateInfo),
        ("layout", Handle), ("basePipelineHandle", Handle), ("basePipelineIndex", c_int32),
    ]  # fmt: skip


class SetLayoutBinding(Structure):
    _fields_ = [
        ("binding", c_uint32), ("descriptorType", c_uint32), ("descriptorCount", c_uint32), ("stageFlags", c_uint32),
        ("pImmutableSamplers", c_void_p),
    ]  # fmt: skip


class SetLayoutCreateInfo(Structure):
    s_type: ClassVar[int] = 32
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("bindingCount", c_uint32),
        ("pBindings", c_void_p),
    ]  # fmt: skip


class PushConstantRange(Structure):
    _fields_ = [("stageFlags", c_uint32), ("offset", c_uint32), ("size", c_uint32)]


class PipelineLayoutCreateInfo(Structure):
    s_type: ClassVar[int] = 30
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("setLayoutCount", c_uint32),
        ("pSetLayouts", c_void_p), ("pushConstantRangeCount", c_uint32), ("pPushConstantRanges", c_void_p),
    ]  # fmt: skip


class DescriptorPoolSize(Structure):
    _fields_ = [("type", c_uint32), ("descriptorCount", c_uint32)]


class DescriptorPoolCreateInfo(Structure):
    s_type: ClassVar[int] = 33
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("maxSets", c_uint32),
        ("poolSizeCount", c_uint32), ("pPoolSizes", c_void_p),
    ]  # fmt: skip


class DescriptorSetAllocateInfo(Structure):
    s_type: ClassVar[int] = 34
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("descriptorPool", Handle), ("descriptorSetCount", c_uint32),
        ("pSetLayouts", c_void_p),
    ]  # fmt: skip


class DescriptorBufferInfo(Structure):
    _fields_ = [("buffer", Handle), ("offset", c_uint64), ("range", c_uint64)]


class WriteDescriptorSet(Structure):
    s_type: ClassVar[int] = 35
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("dstSet", Handle), ("dstBinding", c_uint32),
        ("dstArrayElement", c_uint32), ("descriptorCount", c_uint32), ("descriptorType", c_uint32),
        ("pImageInfo", c_void_p), ("pBufferInfo", c_void_p), ("pTexelBufferView", c_void_p),
    ]  # fmt: skip


class CommandPoolCreateInfo(Structure):
    s_type: ClassVar[int] = 39
    _fields_ = [("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("queueFamilyIndex", c_uint32)]


class CommandBufferAllocateInfo(Structure):
    s_type: ClassVar[int] = 40
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("commandPool", Handle), ("level", c_uint32),
        ("commandBufferCount", c_uint32),
    ]  # fmt: skip


class CommandBufferBeginInfo(Structure):
    s_type: ClassVar[int] = 42
    _fields_ = [("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("pInheritanceInfo", c_void_p)]


class MemoryBarrier(Structure):
    s_type: ClassVar[int] = 46
    _fields_ = [("sType", c_uint32), ("pNext", c_void_p), ("srcAccessMask", c_uint32), ("dstAccessMask", c_uint32)]


class FenceCreateInfo(Structure):
    s_type: ClassVar[int] = 8
    _fields_ = [("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32)]


class SubmitInfo(Structure):
    s_type: ClassVar[int] = 4
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("waitSemaphoreCount", c_uint32), ("pWaitSemaphores", c_void_p),
        ("pWaitDstStageMask", c_void_p), ("commandBufferCount", c_uint32), ("pCommandBuffers", c_void_p),
        ("signalSemaphoreCount", c_uint32), ("pSignalSemaphores", c_void_p),
    ]  # fmt: skip


def make(kind: type[Kind], **members: Any) -> Kind:
    """A structure with its sType and these members; a structure or array among them is pointed to and kept alive."""
    values: dict[str, Any] = {}
    kept: list[Any] = []
    for name, value in members.items():
        if isinstance(value, (Structure, ctypes.Array)) and POINTERS.match(name):
            kept.append(value)
            value = address(value)
        values[name] = value
    if hasattr(kind, "s_type"):
        values["sType"] = kind.s_type
    struct = kind(**values)
    keep: Any = struct
    keep.kept = kept
    return struct


def address(value: Any) -> c_void_p:
    """Where a structure or an array lies."""
    return ctypes.cast(ctypes.pointer(value), c_void_p)


def names(values: list[str]) -> Any:
    """A C array of strings, at least one long: Vulkan takes its length from another member."""
    return (c_char_p * max(1, len(values)))(*[value.encode() for value in values])


def handles(values: list[int]) -> Any:
    return (Handle * max(1, len(values)))(*values)


def feature_struct(type: int, count: int) -> Any:
    """A structure of `count` VkBool32 members as an array of words, behind sType and pNext."""

    class Features(Structure):
        _fields_ = [("sType", c_uint32), ("pNext", c_void_p), ("values", c_uint32 * count)]

    return Features(sType=type)
