"""One draw on an opened device: pictures, vertices, pipeline, commands, wait, what pictures and memory hold then.

    Draw (vertex and fragment shader, bindings, attributes, pictures)   ->   the bytes of each binding, of each picture

Triangles or points, by a viewport around the origin, with nothing culled, blended or biased; flat inputs are those of
a triangle's first vertex. Where there is a depth picture, it is tested against and written.
"""

from ctypes import byref, c_int32, c_uint32, c_uint64
from typing import Any, Final, final

from reknit.vulkan import images
from reknit.vulkan.attachments import Attachment, begin, fetch
from reknit.vulkan.bindings import Binding, Bound, make_resource
from reknit.vulkan.draw_structs import (
    AttachmentDescription,
    AttachmentReference,
    ColorBlendAttachment,
    ColorBlendState,
    DepthStencilState,
    FramebufferCreateInfo,
    GraphicsPipelineCreateInfo,
    InputAssemblyState,
    MultisampleState,
    RasterizationState,
    RenderPassBeginInfo,
    RenderPassCreateInfo,
    SubpassDescription,
    VertexAttribute,
    VertexBinding,
    VertexInputState,
    Viewport,
    ViewportState,
)
from reknit.vulkan.images import GENERAL
from reknit.vulkan.logical import Logical
from reknit.vulkan.physical import FRAGMENT, VERTEX
from reknit.vulkan.stages import Shader, shader_stage
from reknit.vulkan.structs import ShaderStageCreateInfo, handles, make
from reknit.vulkan.submit import begin_commands, make_pipeline, submit_and_wait

GRAPHICS_BIND_POINT: Final = 0
POINTS: Final = 0  # VkPrimitiveTopology
TRIANGLES: Final = 3
UNUSED: Final = (1 << 32) - 1
ALL_COMPONENTS: Final = 15
INDEX_BUFFER: Final = 0x40
VERTEX_BUFFER: Final = 0x80
WORDS: Final = 1  # VK_INDEX_TYPE_UINT32
STRIDE: Final = 16  # of an attribute: four words a vertex
COMPARISONS: Final = (
    "never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always",
)  # fmt: skip
"""VkCompareOp."""


@final
class Draw:
    """`said` is the request's: "extent", "viewport", "samples", "mask", whether the front is "clockwise" and whether
    "points" are drawn; "count", "first", "instances", "first_instance" and "base" of the vertices, and whether they are
    "indexed"; "colors", a picture or None for each location; "depth", a picture or None, with "compare"; "attributes",
    (location, format) each, with the bytes in `attributes`; `pictures` are the bytes of those there are, colors
    first."""

    __slots__ = ("vertex", "fragment", "bindings", "push", "said", "attributes", "indices", "pictures", "nanoseconds")

    def __init__(
        self,
        vertex: Shader,
        fragment: Shader,
        bindings: list[Binding],
        push: bytes,
        said: dict[str, Any],
        blobs: list[bytes],
        nanoseconds: int,
    ) -> None:
        self.vertex = vertex
        self.fragment = fragment
        self.bindings = bindings
        self.push = push
        self.said = said
        count = len(said["attributes"])
        self.attributes = blobs[:count]
        self.indices = blobs[count] if said["indexed"] else b""
        self.pictures = blobs[count + said["indexed"] :]
        self.nanoseconds = nanoseconds


def draw(device: Logical, job: Draw) -> list[bytes]:
    """Draw; the bytes of the bindings afterwards, then those of the pictures. Raises VulkanError, Lacking."""
    said = job.said
    pictures = [color for color in said["colors"] if color is not None]
    if said["depth"] is not None:
        pictures.append(said["depth"])
    attachments: list[Attachment] = []
    for picture, data in zip(pictures, job.pictures, strict=True):
        attachments.append(Attachment(device, picture, data, said["samples"]))
    resources = [make_resource(device, binding) for binding in job.bindings]
    bound = Bound(device, job.bindings, resources, job.push, VERTEX | FRAGMENT)
    render_pass = make_pass(device, said, attachments)
    stages = [shader_stage(device, job.vertex, VERTEX), shader_stage(device, job.fragment, FRAGMENT)]
    pipeline = graphics_pipeline(device, said, stages, bound.layout, render_pass)
    vulkan = device.vulkan
    commands = begin_commands(device)
    if bound.images:
        images.fill(device, commands, bound.images)
    begin(device, commands, attachments)
    start = render_start(device, said, attachments, render_pass)
    vulkan.tell("vkCmdBeginRenderPass", commands, byref(start), c_uint32(0))
    vulkan.tell("vkCmdBindPipeline", commands, c_uint32(GRAPHICS_BIND_POINT), pipeline)
    bound.bind(commands, GRAPHICS_BIND_POINT)
    if job.attributes:
        buffers = handles([device.buffer(data, VERTEX_BUFFER).buffer for data in job.attributes])
        offsets = (c_uint64 * len(job.attributes))()
        vulkan.tell("vkCmdBindVertexBuffers", commands, c_uint32(0), c_uint32(len(job.attributes)), buffers, offsets)
    counts = [c_uint32(said["count"]), c_uint32(said["instances"]), c_uint32(said["first"])]
    if said["indexed"]:
        indices = c_uint64(device.buffer(job.indices, INDEX_BUFFER).buffer)
        vulkan.tell("vkCmdBindIndexBuffer", commands, indices, c_uint64(0), c_uint32(WORDS))
        base = c_int32(said["base"])
        vulkan.tell("vkCmdDrawIndexed", commands, *counts, base, c_uint32(said["first_instance"]))
    else:
        vulkan.tell("vkCmdDraw", commands, *counts, c_uint32(said["first_instance"]))
    vulkan.tell("vkCmdEndRenderPass", commands)
    for attachment in attachments:
        if attachment.samples > 1:
            fetch(device, commands, attachment)
    copied = [attachment.image for attachment in attachments if attachment.samples == 1]
    images.read_back(device, commands, [*bound.images, *copied])
    vulkan.call("vkEndCommandBuffer", commands)
    submit_and_wait(device, commands, job.nanoseconds)
    return [*bound.stored(), *[attachment.bytes() for attachment in attachments]]


def make_pass(device: Logical, said: dict[str, Any], attachments: list[Attachment]) -> int:
    """A render pass of one part. An output location without a picture has no attachment."""
    described = (AttachmentDescription * max(1, len(attachments)))()
    for at, attachment in enumerate(attachments):
        described[at] = attachment.description()
    colors = (AttachmentReference * max(1, len(said["colors"])))()
    number = 0
    for at, color in enumerate(said["colors"]):
        colors[at] = AttachmentReference(number if color is not None else UNUSED, GENERAL)
        number += color is not None
    part = make(
        SubpassDescription,
        colorAttachmentCount=len(said["colors"]),
        pColorAttachments=colors,
        pDepthStencilAttachment=AttachmentReference(number, GENERAL) if said["depth"] is not None else None,
    )
    request = make(
        RenderPassCreateInfo,
        attachmentCount=len(attachments),
        pAttachments=described,
        subpassCount=1,
        pSubpasses=part,
    )
    return int(device.create("vkCreateRenderPass", request).value)


def render_start(
    device: Logical, said: dict[str, Any], attachments: list[Attachment], render_pass: int
) -> RenderPassBeginInfo:
    width, height = said["extent"]
    request = make(
        FramebufferCreateInfo,
        renderPass=render_pass,
        attachmentCount=len(attachments),
        pAttachments=handles([attachment.image.view for attachment in attachments]),
        width=width,
        height=height,
        layers=1,
    )
    words = [word for attachment in attachments for word in attachment.clear]
    clears = (c_uint32 * max(4, len(words)))(*words)
    return make(
        RenderPassBeginInfo,
        renderPass=render_pass,
        framebuffer=device.create("vkCreateFramebuffer", request).value,
        renderArea=(c_uint32 * 4)(0, 0, width, height),
        clearValueCount=len(attachments),
        pClearValues=clears,
    )


def graphics_pipeline(
    device: Logical, said: dict[str, Any], stages: list[Any], layout: c_uint64, render_pass: int
) -> c_uint64:
    width, height = said["extent"]
    x, y, wide, high = said["viewport"]
    blends = (ColorBlendAttachment * max(1, len(said["colors"])))()
    for blend in blends:
        blend.colorWriteMask = ALL_COMPONENTS
    depth = said["depth"]
    request = make(
        GraphicsPipelineCreateInfo,
        stageCount=len(stages),
        pStages=(ShaderStageCreateInfo * len(stages))(*stages),
        pVertexInputState=vertex_input(said["attributes"]),
        pInputAssemblyState=make(InputAssemblyState, topology=POINTS if said["points"] else TRIANGLES),
        pViewportState=make(
            ViewportState,
            viewportCount=1,
            pViewports=Viewport(x, y, wide, high, 0.0, 1.0),
            scissorCount=1,
            pScissors=(c_uint32 * 4)(0, 0, width, height),
        ),
        pRasterizationState=make(RasterizationState, frontFace=said["clockwise"], lineWidth=1.0),
        pMultisampleState=make(
            MultisampleState,
            rasterizationSamples=said["samples"],
            pSampleMask=(c_uint32 * 1)(said["mask"]),
        ),
        pDepthStencilState=make(
            DepthStencilState,
            depthTestEnable=depth is not None,
            depthWriteEnable=depth is not None,
            depthCompareOp=COMPARISONS.index(depth["compare"]) if depth is not None else 0,
        ),
        pColorBlendState=make(ColorBlendState, attachmentCount=len(said["colors"]), pAttachments=blends),
        layout=layout.value,
        renderPass=render_pass,
        basePipelineIndex=-1,
    )
    return make_pipeline(device, "vkCreateGraphicsPipelines", request)


def vertex_input(attributes: list[list[int]]) -> VertexInputState:
    """A buffer for each attribute."""
    count = len(attributes)
    bindings = (VertexBinding * max(1, count))()
    described = (VertexAttribute * max(1, count))()
    for at, (location, format) in enumerate(attributes):
        bindings[at] = VertexBinding(at, STRIDE, 0)
        described[at] = VertexAttribute(location, at, format, 0)
    return make(
        VertexInputState,
        vertexBindingDescriptionCount=count,
        pVertexBindingDescriptions=bindings,
        vertexAttributeDescriptionCount=count,
        pVertexAttributeDescriptions=described,
    )
