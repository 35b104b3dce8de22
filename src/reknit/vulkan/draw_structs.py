"""The C structures of Vulkan that a draw takes: a render pass, a framebuffer, a graphics pipeline. See `structs`.

Source: Vulkan 1.4, vulkan_core.h.
"""

from ctypes import Structure, c_float, c_int32, c_uint32, c_void_p
from typing import ClassVar

from reknit.vulkan.structs import Handle


class AttachmentDescription(Structure):
    _fields_ = [
        ("flags", c_uint32), ("format", c_uint32), ("samples", c_uint32), ("loadOp", c_uint32), ("storeOp", c_uint32),
        ("stencilLoadOp", c_uint32), ("stencilStoreOp", c_uint32), ("initialLayout", c_uint32),
        ("finalLayout", c_uint32),
    ]  # fmt: skip


class AttachmentReference(Structure):
    _fields_ = [("attachment", c_uint32), ("layout", c_uint32)]


class SubpassDescription(Structure):
    _fields_ = [
        ("flags", c_uint32), ("pipelineBindPoint", c_uint32), ("inputAttachmentCount", c_uint32),
        ("pInputAttachments", c_void_p), ("colorAttachmentCount", c_uint32), ("pColorAttachments", c_void_p),
        ("pResolveAttachments", c_void_p), ("pDepthStencilAttachment", c_void_p),
        ("preserveAttachmentCount", c_uint32), ("pPreserveAttachments", c_void_p),
    ]  # fmt: skip


class RenderPassCreateInfo(Structure):
    s_type: ClassVar[int] = 38
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("attachmentCount", c_uint32),
        ("pAttachments", c_void_p), ("subpassCount", c_uint32), ("pSubpasses", c_void_p),
        ("dependencyCount", c_uint32), ("pDependencies", c_void_p),
    ]  # fmt: skip


class FramebufferCreateInfo(Structure):
    s_type: ClassVar[int] = 37
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("renderPass", Handle),
        ("attachmentCount", c_uint32), ("pAttachments", c_void_p), ("width", c_uint32), ("height", c_uint32),
        ("layers", c_uint32),
    ]  # fmt: skip


class RenderPassBeginInfo(Structure):
    s_type: ClassVar[int] = 43
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("renderPass", Handle), ("framebuffer", Handle),
        ("renderArea", c_uint32 * 4), ("clearValueCount", c_uint32), ("pClearValues", c_void_p),
    ]  # fmt: skip


class VertexBinding(Structure):
    """VkVertexInputBindingDescription."""

    _fields_ = [("binding", c_uint32), ("stride", c_uint32), ("inputRate", c_uint32)]


class VertexAttribute(Structure):
    """VkVertexInputAttributeDescription."""

    _fields_ = [("location", c_uint32), ("binding", c_uint32), ("format", c_uint32), ("offset", c_uint32)]


class VertexInputState(Structure):
    s_type: ClassVar[int] = 19
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("vertexBindingDescriptionCount", c_uint32),
        ("pVertexBindingDescriptions", c_void_p), ("vertexAttributeDescriptionCount", c_uint32),
        ("pVertexAttributeDescriptions", c_void_p),
    ]  # fmt: skip


class InputAssemblyState(Structure):
    s_type: ClassVar[int] = 20
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("topology", c_uint32),
        ("primitiveRestartEnable", c_uint32),
    ]  # fmt: skip


class Viewport(Structure):
    _fields_ = [
        ("x", c_float), ("y", c_float), ("width", c_float), ("height", c_float), ("minDepth", c_float),
        ("maxDepth", c_float),
    ]  # fmt: skip


class ViewportState(Structure):
    s_type: ClassVar[int] = 22
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("viewportCount", c_uint32),
        ("pViewports", c_void_p), ("scissorCount", c_uint32), ("pScissors", c_void_p),
    ]  # fmt: skip


class RasterizationState(Structure):
    s_type: ClassVar[int] = 23
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("depthClampEnable", c_uint32),
        ("rasterizerDiscardEnable", c_uint32), ("polygonMode", c_uint32), ("cullMode", c_uint32),
        ("frontFace", c_uint32), ("depthBiasEnable", c_uint32), ("depthBiasConstantFactor", c_float),
        ("depthBiasClamp", c_float), ("depthBiasSlopeFactor", c_float), ("lineWidth", c_float),
    ]  # fmt: skip


class MultisampleState(Structure):
    s_type: ClassVar[int] = 24
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("rasterizationSamples", c_uint32),
        ("sampleShadingEnable", c_uint32), ("minSampleShading", c_float), ("pSampleMask", c_void_p),
        ("alphaToCoverageEnable", c_uint32), ("alphaToOneEnable", c_uint32),
    ]  # fmt: skip


class StencilOpState(Structure):
    _fields_ = [("members", c_uint32 * 7)]


class DepthStencilState(Structure):
    s_type: ClassVar[int] = 25
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("depthTestEnable", c_uint32),
        ("depthWriteEnable", c_uint32), ("depthCompareOp", c_uint32), ("depthBoundsTestEnable", c_uint32),
        ("stencilTestEnable", c_uint32), ("front", StencilOpState), ("back", StencilOpState),
        ("minDepthBounds", c_float), ("maxDepthBounds", c_float),
    ]  # fmt: skip


class ColorBlendAttachment(Structure):
    """VkPipelineColorBlendAttachmentState."""

    _fields_ = [("blending", c_uint32 * 7), ("colorWriteMask", c_uint32)]


class ColorBlendState(Structure):
    s_type: ClassVar[int] = 26
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("logicOpEnable", c_uint32),
        ("logicOp", c_uint32), ("attachmentCount", c_uint32), ("pAttachments", c_void_p),
        ("blendConstants", c_float * 4),
    ]  # fmt: skip


class GraphicsPipelineCreateInfo(Structure):
    s_type: ClassVar[int] = 28
    _fields_ = [
        ("sType", c_uint32), ("pNext", c_void_p), ("flags", c_uint32), ("stageCount", c_uint32),
        ("pStages", c_void_p), ("pVertexInputState", c_void_p), ("pInputAssemblyState", c_void_p),
        ("pTessellationState", c_void_p), ("pViewportState", c_void_p), ("pRasterizationState", c_void_p),
        ("pMultisampleState", c_void_p), ("pDepthStencilState", c_void_p), ("pColorBlendState", c_void_p),
        ("pDynamicState", c_void_p), ("layout", Handle), ("renderPass", Handle), ("subpass", c_uint32),
        ("basePipelineHandle", Handle), ("basePipelineIndex", c_int32),
    ]  # fmt: skip
