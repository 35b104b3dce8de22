"""The C structures of Vulkan that images, their views and samplers take. See `structs`.

Source: Vulkan 1.4, vulkan_core.h.
"""

from ctypes import Structure, c_float, c_int32, c_uint32, c_uint64, c_void_p
from typing import ClassVar

from reknit.vulkan.structs import Handle


class FormatProperties(Structure):
    _fields_ = [
        ("linearTilingFeatures", c_uint32), ("optimalTilingFeatures", c_uint32), ("bufferFeatures", c_uint32),
    ]  # fmt: skip


class ImageFormatProperties(Structure):
    _fields_ = [
        ("maxExtent", c_uint32 * 3), ("maxMipLevels", c_uint32), ("maxArrayLayers", c_uint32),
        ("sampleCounts", c_uint32), ("maxResourceSize", c_uint64),
    ]  # fmt: skip


class ImageCreateInfo(Structure):
    s_type: ClassVar[int] = 14
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("imageType", c_uint32), ("format", c_uint32),
        ("extent", c_uint32 * 3), ("mipLevels", c_uint32), ("arrayLayers", c_uint32), ("samples", c_uint32),
        ("tiling", c_uint32), ("usage", c_uint32), ("sharingMode", c_uint32), ("queueFamilyIndexCount", c_uint32),
        ("pQueueFamilyIndices", c_void_p), ("initialLayout", c_uint32),
    ]  # fmt: skip


class SubresourceRange(Structure):
    _fields_ = [
        ("aspectMask", c_uint32), ("baseMipLevel", c_uint32), ("levelCount", c_uint32), ("baseArrayLayer", c_uint32),
        ("layerCount", c_uint32),
    ]  # fmt: skip


class ImageViewCreateInfo(Structure):
    s_type: ClassVar[int] = 15
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("image", Handle), ("viewType", c_uint32),
        ("format", c_uint32), ("components", c_uint32 * 4), ("subresourceRange", SubresourceRange),
    ]  # fmt: skip


class BufferViewCreateInfo(Structure):
    s_type: ClassVar[int] = 13
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("buffer", Handle), ("format", c_uint32),
        ("offset", c_uint64), ("range", c_uint64),
    ]  # fmt: skip


class SamplerCreateInfo(Structure):
    s_type: ClassVar[int] = 31
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("magFilter", c_uint32),
        ("minFilter", c_uint32), ("mipmapMode", c_uint32), ("addressModeU", c_uint32), ("addressModeV", c_uint32),
        ("addressModeW", c_uint32), ("mipLodBias", c_float), ("anisotropyEnable", c_uint32),
        ("maxAnisotropy", c_float), ("compareEnable", c_uint32), ("compareOp", c_uint32), ("minLod", c_float),
        ("maxLod", c_float), ("borderColor", c_uint32), ("unnormalizedCoordinates", c_uint32),
    ]  # fmt: skip


class ImageMemoryBarrier(Structure):
    s_type: ClassVar[int] = 45
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("srcAccessMask", c_uint32), ("dstAccessMask", c_uint32),
        ("oldLayout", c_uint32), ("newLayout", c_uint32), ("srcQueueFamilyIndex", c_uint32),
        ("dstQueueFamilyIndex", c_uint32), ("image", Handle), ("subresourceRange", SubresourceRange),
    ]  # fmt: skip


class BufferImageCopy(Structure):
    _fields_ = [
        ("bufferOffset", c_uint64), ("bufferRowLength", c_uint32), ("bufferImageHeight", c_uint32),
        ("aspectMask", c_uint32), ("mipLevel", c_uint32), ("baseArrayLayer", c_uint32), ("layerCount", c_uint32),
        ("imageOffset", c_int32 * 3), ("imageExtent", c_uint32 * 3),
    ]  # fmt: skip


class DescriptorImageInfo(Structure):
    _fields_ = [("sampler", Handle), ("imageView", Handle), ("imageLayout", c_uint32)]
