"""What a draw stores to: color and depth images, and how they come back.

    one sample a pixel    bytes ── vkCmdCopyBufferToImage ──▶ image ── the draw ──▶ vkCmdCopyImageToBuffer ──▶ bytes
    several               cleared ──▶ the draw ──▶ a compute shader, since such an image can't be copied ──▶ bytes

What comes back of several samples is four 32-bit words a sample: sample by sample, each a picture, top row first.
"""

from ctypes import byref, c_uint32, c_void_p
from typing import Any, Final, final

from reknit.spirv.asm import assemble
from reknit.vulkan.bindings import STORAGE, USAGE, Binding, Bound
from reknit.vulkan.draw_structs import AttachmentDescription
from reknit.vulkan.image_structs import ImageCreateInfo, ImageFormatProperties, ImageViewCreateInfo
from reknit.vulkan.images import (
    ANYTHING,
    COLOR,
    COPIES,
    GENERAL,
    SAMPLED,
    SAMPLED_USAGE,
    STORED,
    DeviceImage,
    Shape,
    fill,
    wait,
)
from reknit.vulkan.library import VulkanError
from reknit.vulkan.logical import Logical
from reknit.vulkan.negotiate import Lacking
from reknit.vulkan.physical import COMPUTE
from reknit.vulkan.stages import Shader
from reknit.vulkan.structs import make
from reknit.vulkan.submit import record_dispatch

DEPTH: Final = 2  # VkImageAspectFlagBits
D32: Final = 126  # VK_FORMAT_D32_SFLOAT
COLOR_USAGE: Final = 0x10
DEPTH_USAGE: Final = 0x20
FORMAT_NOT_SUPPORTED: Final = -11
TWO_DIMENSIONS: Final = 1  # VK_IMAGE_TYPE_2D, and the view's
LOAD: Final = 0
CLEAR: Final = 1
WORDS: Final = 16  # bytes of a sample that is read back

READER: Final = """
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %id %groups
               OpExecutionMode %main LocalSize 1 1 1
               OpDecorate %id BuiltIn GlobalInvocationId
               OpDecorate %groups BuiltIn NumWorkgroups
               OpDecorate %picture DescriptorSet 0
               OpDecorate %picture Binding 0
               OpDecorate %out DescriptorSet 0
               OpDecorate %out Binding 1
               OpDecorate %array ArrayStride 16
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
          %u = OpTypeInt 32 0
          %i = OpTypeInt 32 1
          %f = OpTypeFloat 32
         %u2 = OpTypeVector %u 2
         %u3 = OpTypeVector %u 3
     %texels = OpTypeVector %component 4
      %image = OpTypeImage %component 2D 0 0 1 1 Unknown
   %image_at = OpTypePointer UniformConstant %image
    %picture = OpVariable %image_at UniformConstant
      %array = OpTypeRuntimeArray %texels
      %block = OpTypeStruct %array
   %block_at = OpTypePointer StorageBuffer %block
   %texel_at = OpTypePointer StorageBuffer %texels
        %out = OpVariable %block_at StorageBuffer
      %id_at = OpTypePointer Input %u3
         %id = OpVariable %id_at Input
     %groups = OpVariable %id_at Input
       %zero = OpConstant %u 0
       %main = OpFunction %void None %fn
      %entry = OpLabel
        %pos = OpLoad %u3 %id
       %size = OpLoad %u3 %groups
          %x = OpCompositeExtract %u %pos 0
          %y = OpCompositeExtract %u %pos 1
     %sample = OpCompositeExtract %u %pos 2
      %width = OpCompositeExtract %u %size 0
     %height = OpCompositeExtract %u %size 1
         %at = OpCompositeConstruct %u2 %x %y
       %held = OpLoad %image %picture
      %texel = OpImageFetch %texels %held %at Sample %sample
      %above = OpIMul %u %sample %height
        %row = OpIAdd %u %above %y
       %left = OpIMul %u %row %width
      %index = OpIAdd %u %left %x
      %place = OpAccessChain %texel_at %out %zero %index
               OpStore %place %texel
               OpReturn
               OpFunctionEnd
"""
"""Stores each sample of a picture, an invocation each; %component is %f, %i or %u."""


@final
class Attachment:
    """`format` is Vulkan's number, `component` "f", "i" or "u"; `clear` are the four words that every sample starts
    with, where there are several."""

    __slots__ = ("image", "shape", "format", "component", "samples", "clear")

    def __init__(self, device: Logical, said: dict[str, Any], data: bytes, samples: int) -> None:
        """Raises VulkanError, Lacking."""
        self.shape = Shape(said["image"])
        self.format: int = said["format"]
        self.component: str = said["component"]
        self.clear: list[int] = said["clear"]
        self.samples = samples
        usage = SAMPLED_USAGE | COPIES | (DEPTH_USAGE if self.format == D32 else COLOR_USAGE)
        self.shape.aspect = DEPTH if self.format == D32 else COLOR
        check(device, self, usage)
        width, height, _ = self.shape.extent[0]
        held = data if samples == 1 else bytes(WORDS * width * height * samples)
        memory = device.buffer(held, COPIES if samples == 1 else USAGE[STORAGE])
        self.image = DeviceImage(self.shape, STORED if samples == 1 else SAMPLED, memory)
        request = make(
            ImageCreateInfo,
            imageType=TWO_DIMENSIONS,
            format=self.format,
            extent=(c_uint32 * 3)(width, height, 1),
            mipLevels=1,
            arrayLayers=1,
            samples=samples,
            usage=usage,
        )
        self.image.handle = device.image(request)
        view = make(
            ImageViewCreateInfo,
            image=self.image.handle,
            viewType=TWO_DIMENSIONS,
            format=self.format,
            subresourceRange=self.shape.range(),
        )
        self.image.view = int(device.create("vkCreateImageView", view).value)

    def description(self) -> AttachmentDescription:
        kept = self.samples == 1
        return AttachmentDescription(
            format=self.format,
            samples=self.samples,
            loadOp=LOAD if kept else CLEAR,
            stencilLoadOp=2,  # nothing: there is no stencil
            stencilStoreOp=1,
            initialLayout=GENERAL if kept else 0,
            finalLayout=GENERAL,
        )

    def bytes(self) -> bytes:
        assert self.image.memory is not None
        return self.image.memory.bytes()


def check(device: Logical, attachment: Attachment, usage: int) -> None:
    """That the device draws to images of this format, with so many samples. Raises Lacking."""
    properties = ImageFormatProperties()
    asked = [c_uint32(attachment.format), c_uint32(TWO_DIMENSIONS), c_uint32(0), c_uint32(usage), c_uint32(0)]
    name = attachment.shape.format
    try:
        command = "vkGetPhysicalDeviceImageFormatProperties"
        device.vulkan.call(command, device.physical.handle, *asked, byref(properties))
    except VulkanError as fault:
        if fault.result == FORMAT_NOT_SUPPORTED:
            raise Lacking([f"pictures of {name} to draw to"]) from None
        raise
    if not properties.sampleCounts & attachment.samples:
        raise Lacking([f"pictures of {name} with {attachment.samples} samples a pixel to draw to"])
    for at, axis in enumerate(("wide", "high")):
        most = properties.maxExtent[at]
        if attachment.shape.extent[0][at] > most:
            raise Lacking([f"pictures {attachment.shape.extent[0][at]} pixels {axis}: at most {most}"])


def begin(device: Logical, commands: c_void_p, attachments: list[Attachment]) -> None:
    """Before the draw: those with one sample are filled from the memory beside them."""
    fill(device, commands, [attachment.image for attachment in attachments if attachment.samples == 1])


def fetch(device: Logical, commands: c_void_p, attachment: Attachment) -> None:
    """After the draw: the samples of an image with several, into the memory beside it."""
    image = attachment.image
    assert image.memory is not None
    bindings = [Binding([0, 0, 0, SAMPLED, None, []], b""), Binding([0, 1, 0, STORAGE, None, []], b"")]
    bound = Bound(device, bindings, [image, image.memory], b"", COMPUTE)
    width, height, _ = attachment.shape.extent[0]
    wait(device, commands, ANYTHING)
    code = assemble(READER.replace("%component", f"%{attachment.component}"), version=(1, 3))
    record_dispatch(commands, bound, Shader(code, "main", []), [width, height, attachment.samples])
