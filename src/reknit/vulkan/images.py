"""Images and samplers on a device: made, filled from a buffer beside each before the shader, copied back after it.

    bytes ── vkCmdCopyBufferToImage ──▶ image, its view bound ── the shader ──▶ vkCmdCopyImageToBuffer ──▶ bytes

A buffer of texels is a buffer with a view. The texels of a level lie as those of `sim.texture.Texture` do, so that a
level is one copy.
"""

from ctypes import byref, c_uint32, c_uint64, c_void_p
from typing import Any, Final, final

from reknit.ir import enums
from reknit.sim.comparisons import COMPARES
from reknit.sim.images import Sampler
from reknit.sim.texels import BY_NAME
from reknit.sim.texture import AXES, Texture
from reknit.vulkan.image_structs import (
    BufferImageCopy,
    BufferViewCreateInfo,
    DescriptorImageInfo,
    FormatProperties,
    ImageCreateInfo,
    ImageMemoryBarrier,
    ImageViewCreateInfo,
    SamplerCreateInfo,
    SubresourceRange,
)
from reknit.vulkan.logical import Logical, Memory
from reknit.vulkan.negotiate import Lacking
from reknit.vulkan.structs import MemoryBarrier, handles, make

SAMPLER: Final = 0  # VkDescriptorType
COMBINED: Final = 1
SAMPLED: Final = 2
STORED: Final = 3
UNIFORM_TEXELS: Final = 4
STORAGE_TEXELS: Final = 5

NEEDS: Final = {COMBINED: 1, SAMPLED: 1, STORED: 2, UNIFORM_TEXELS: 8, STORAGE_TEXELS: 16}  # VkFormatFeatureFlagBits
ATOMICS: Final = {STORED: 4, STORAGE_TEXELS: 32}
TEXEL_USAGE: Final = {UNIFORM_TEXELS: 4, STORAGE_TEXELS: 8}  # VkBufferUsageFlagBits
COPIES: Final = 1 | 2  # as the source and as the target, of buffers and of images
SAMPLED_USAGE: Final = 4
STORAGE_USAGE: Final = 8
CUBES: Final = 0x10
COLOR: Final = 1
GENERAL: Final = 1  # VkImageLayout
ANYTHING: Final = 0x10000  # VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, and with the host below
HOST_STAGE: Final = 0x4000
READS_AND_WRITES: Final = 0x8000 | 0x10000  # VK_ACCESS_MEMORY_READ_BIT, _WRITE_BIT
IGNORED: Final = (1 << 32) - 1
VIEWS: Final = {
    (enums.Dim1D, False): 0, (enums.Dim2D, False): 1, (enums.Dim3D, False): 2, (enums.DimCube, False): 3,
    (enums.Dim1D, True): 4, (enums.Dim2D, True): 5, (enums.DimCube, True): 6, (enums.DimRect, False): 1,
}  # fmt: skip
ADDRESS_MODES: Final = {"repeat": 0, "mirror": 1, "clamp": 2, "border": 3}


@final
class Shape:
    """What `to_json` says of an image, as the process that drives the device has it."""

    __slots__ = ("dimension", "arrayed", "format", "extent", "layers", "levels", "starts", "size", "atomic", "aspect")

    def __init__(self, said: dict[str, Any]) -> None:
        self.dimension: int = said["dimension"]
        self.arrayed: bool = said["arrayed"]
        self.format: str = said["format"]
        self.extent: list[list[int]] = said["extent"]
        self.layers: int = said["layers"]
        self.levels = len(self.extent)
        self.starts: list[int] = said["starts"]
        self.size: int = said["size"]
        self.atomic: bool = said["atomic"]
        self.aspect = COLOR

    def range(self) -> SubresourceRange:
        return SubresourceRange(self.aspect, 0, self.levels, 0, self.layers)


def to_json(texture: Texture, atomic: bool) -> dict[str, Any]:
    """`extent` by level; `starts` and `size` in bytes."""
    size = texture.format.size()
    return {
        "dimension": texture.dimension,
        "arrayed": texture.arrayed,
        "format": texture.format.name,
        "extent": [list(texture.extent(level)) for level in range(texture.levels)],
        "layers": texture.layers,
        "starts": [start * size for start in texture.starts],
        "size": texture.texels() * size,
        "atomic": atomic,
    }


@final
class DeviceImage:
    """An image with the memory beside it, a sampler, or both. What one doesn't have is 0: a buffer of texels has only
    `texels`, its view."""

    __slots__ = ("shape", "kind", "memory", "handle", "view", "texels", "sampler")

    def __init__(self, shape: Shape | None, kind: int, memory: Memory | None) -> None:
        self.shape = shape
        self.kind = kind
        self.memory = memory
        self.handle = 0
        self.view = 0
        self.texels = 0
        self.sampler = 0

    def descriptor(self) -> dict[str, Any]:
        """The members of VkWriteDescriptorSet that name it."""
        if self.texels:
            return {"pTexelBufferView": handles([self.texels])}
        return {"pImageInfo": DescriptorImageInfo(self.sampler, self.view, GENERAL)}


def make_image(device: Logical, kind: int, said: dict[str, Any] | None, sampler: list[Any], data: bytes) -> DeviceImage:
    """Raises VulkanError, or Lacking for a format that the device doesn't have for this."""
    if said is None:
        image = DeviceImage(None, kind, None)
    else:
        shape = Shape(said)
        check_format(device, kind, shape)
        usage = TEXEL_USAGE.get(kind, COPIES)
        image = DeviceImage(shape, kind, device.buffer(data, usage))
        if kind in TEXEL_USAGE:
            make_texels(device, image, shape)
        else:
            make_view(device, image, shape)
    if sampler:
        image.sampler = make_sampler(device, Sampler(*sampler))
    return image


def check_format(device: Logical, kind: int, shape: Shape) -> None:
    properties = FormatProperties()
    number = c_uint32(BY_NAME[shape.format].vulkan)
    device.vulkan.tell("vkGetPhysicalDeviceFormatProperties", device.physical.handle, number, byref(properties))
    offered = properties.bufferFeatures if kind in TEXEL_USAGE else properties.optimalTilingFeatures
    needed = NEEDS[kind] | (ATOMICS.get(kind, 0) if shape.atomic else 0)
    if offered & needed != needed:
        raise Lacking([f"images of {shape.format} for what the shader does with one"])


def make_texels(device: Logical, image: DeviceImage, shape: Shape) -> None:
    assert image.memory is not None
    number = BY_NAME[shape.format].vulkan
    request = make(BufferViewCreateInfo, buffer=image.memory.buffer, format=number, range=shape.size)
    image.texels = int(device.create("vkCreateBufferView", request).value)


def make_view(device: Logical, image: DeviceImage, shape: Shape) -> None:
    number = BY_NAME[shape.format].vulkan
    request = make(
        ImageCreateInfo,
        flags=CUBES if shape.dimension == enums.DimCube else 0,
        imageType=AXES[shape.dimension] - 1,
        format=number,
        extent=(c_uint32 * 3)(*shape.extent[0]),
        mipLevels=shape.levels,
        arrayLayers=shape.layers,
        samples=1,
        usage=COPIES | (STORAGE_USAGE if image.kind == STORED else SAMPLED_USAGE),
    )
    image.handle = device.image(request)
    view = make(
        ImageViewCreateInfo,
        image=image.handle,
        viewType=VIEWS[shape.dimension, shape.arrayed],
        format=number,
        subresourceRange=shape.range(),
    )
    image.view = int(device.create("vkCreateImageView", view).value)


def make_sampler(device: Logical, sampler: Sampler) -> int:
    filter = 1 if sampler.filter == "linear" else 0
    address = ADDRESS_MODES[sampler.address]
    request = make(
        SamplerCreateInfo,
        magFilter=filter,
        minFilter=filter,
        mipmapMode=1 if sampler.levels == "linear" else 0,
        addressModeU=address,
        addressModeV=address,
        addressModeW=address,
        mipLodBias=sampler.bias,
        compareEnable=1 if sampler.compare else 0,
        compareOp=COMPARES.index(sampler.compare) if sampler.compare else 0,
        minLod=sampler.least,
        maxLod=sampler.most,
    )
    return int(device.create("vkCreateSampler", request).value)


# --- commands ---------------------------------------------------------------------------------------------------------


def fill(device: Logical, commands: c_void_p, images: list[DeviceImage]) -> None:
    """Before the shader: every image from the buffer beside it."""
    for image in images:
        if image.handle and image.shape is not None and image.memory is not None:
            start = make(
                ImageMemoryBarrier,
                dstAccessMask=READS_AND_WRITES,
                newLayout=GENERAL,
                srcQueueFamilyIndex=IGNORED,
                dstQueueFamilyIndex=IGNORED,
                image=image.handle,
                subresourceRange=image.shape.range(),
            )
            stages = [c_uint32(ANYTHING), c_uint32(ANYTHING), c_uint32(0), c_uint32(0), None, c_uint32(0), None]
            device.vulkan.tell("vkCmdPipelineBarrier", commands, *stages, c_uint32(1), byref(start))
            count, regions = copies(image.shape)
            whole = [c_uint64(image.memory.buffer), c_uint64(image.handle), c_uint32(GENERAL)]
            device.vulkan.tell("vkCmdCopyBufferToImage", commands, *whole, c_uint32(count), regions)
    wait(device, commands, ANYTHING)


def read_back(device: Logical, commands: c_void_p, images: list[DeviceImage]) -> None:
    """After the shader: what it stored, to where the host sees it."""
    wait(device, commands, ANYTHING)
    for image in images:
        if image.kind == STORED and image.shape is not None and image.memory is not None:
            count, regions = copies(image.shape)
            whole = [c_uint64(image.handle), c_uint32(GENERAL), c_uint64(image.memory.buffer)]
            device.vulkan.tell("vkCmdCopyImageToBuffer", commands, *whole, c_uint32(count), regions)
    wait(device, commands, HOST_STAGE)


def wait(device: Logical, commands: c_void_p, stage: int) -> None:
    """All before is done and seen by what `stage` does after."""
    barrier = make(MemoryBarrier, srcAccessMask=READS_AND_WRITES, dstAccessMask=READS_AND_WRITES)
    stages = [c_uint32(ANYTHING), c_uint32(stage), c_uint32(0)]
    none = [c_uint32(0), None, c_uint32(0), None]
    device.vulkan.tell("vkCmdPipelineBarrier", commands, *stages, c_uint32(1), byref(barrier), *none)


def copies(shape: Shape) -> tuple[int, Any]:
    """One for each level."""
    regions = (BufferImageCopy * shape.levels)()
    for level in range(shape.levels):
        extent = (c_uint32 * 3)(*shape.extent[level])
        regions[level] = BufferImageCopy(
            bufferOffset=shape.starts[level],
            aspectMask=shape.aspect,
            mipLevel=level,
            layerCount=shape.layers,
            imageExtent=extent,
        )
    return shape.levels, regions
