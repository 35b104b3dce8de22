"""One dispatch on an opened device: memory, descriptors, pipeline, commands, wait, what the memory holds then.

Job (shader, bindings, push constants, groups)   ->   the bytes of each binding
"""

from ctypes import byref, c_uint32, c_uint64, c_void_p
from typing import Final, final

from reknit.vulkan import images
from reknit.vulkan.bindings import Binding, Bound, make_resource
from reknit.vulkan.draw_structs import GraphicsPipelineCreateInfo
from reknit.vulkan.logical import Logical
from reknit.vulkan.physical import COMPUTE
from reknit.vulkan.stages import Shader, shader_stage
from reknit.vulkan.structs import (
    CommandBufferAllocateInfo,
    CommandBufferBeginInfo,
    CommandPoolCreateInfo,
    ComputePipelineCreateInfo,
    FenceCreateInfo,
    SubmitInfo,
    make,
)

COMPUTE_BIND_POINT: Final = 1
ONE_TIME: Final = 1


@final
class Job:
    """`nanoseconds` bounds the wait."""

    __slots__ = ("shader", "groups", "bindings", "push", "nanoseconds")

    def __init__(
        self, shader: Shader, groups: list[int], bindings: list[Binding], push: bytes, nanoseconds: int
    ) -> None:
        self.shader = shader
        self.groups = groups
        self.bindings = bindings
        self.push = push
        self.nanoseconds = nanoseconds


def dispatch(device: Logical, job: Job) -> list[bytes]:
    """Run the job; the bytes of its bindings afterwards, in their order. Raises VulkanError."""
    resources = [make_resource(device, binding) for binding in job.bindings]
    bound = Bound(device, job.bindings, resources, job.push, COMPUTE)
    commands = begin_commands(device)
    if bound.images:
        images.fill(device, commands, bound.images)
    record_dispatch(commands, bound, job.shader, job.groups)
    images.read_back(device, commands, bound.images)
    device.vulkan.call("vkEndCommandBuffer", commands)
    submit_and_wait(device, commands, job.nanoseconds)
    return bound.stored()


def record_dispatch(commands: c_void_p, bound: Bound, shader: Shader, groups: list[int]) -> None:
    device = bound.device
    stage = shader_stage(device, shader, COMPUTE)
    request = make(ComputePipelineCreateInfo, stage=stage, layout=bound.layout.value, basePipelineIndex=-1)
    pipeline = make_pipeline(device, "vkCreateComputePipelines", request)
    device.vulkan.tell("vkCmdBindPipeline", commands, c_uint32(COMPUTE_BIND_POINT), pipeline)
    bound.bind(commands, COMPUTE_BIND_POINT)
    device.vulkan.tell("vkCmdDispatch", commands, *[c_uint32(number) for number in groups])


def make_pipeline(
    device: Logical, command: str, request: ComputePipelineCreateInfo | GraphicsPipelineCreateInfo
) -> c_uint64:
    pipeline = c_uint64()
    device.vulkan.call(command, device.device, c_uint64(0), c_uint32(1), byref(request), None, byref(pipeline))
    return pipeline


def begin_commands(device: Logical) -> c_void_p:
    pool = device.create("vkCreateCommandPool", make(CommandPoolCreateInfo, queueFamilyIndex=device.physical.family))
    request = make(CommandBufferAllocateInfo, commandPool=pool.value, commandBufferCount=1)
    commands = c_void_p()
    device.vulkan.call("vkAllocateCommandBuffers", device.device, byref(request), byref(commands))
    device.vulkan.call("vkBeginCommandBuffer", commands, byref(make(CommandBufferBeginInfo, flags=ONE_TIME)))
    return commands


def submit_and_wait(device: Logical, commands: c_void_p, nanoseconds: int) -> None:
    """Until the shader has ended. Raises VulkanError, with VK_TIMEOUT where it has not by then."""
    fence = device.create("vkCreateFence", make(FenceCreateInfo))
    submit = make(SubmitInfo, commandBufferCount=1, pCommandBuffers=(c_void_p * 1)(commands))
    vulkan = device.vulkan
    vulkan.call("vkQueueSubmit", device.queue, c_uint32(1), byref(submit), fence)
    waited = [device.device, c_uint32(1), byref(fence), c_uint32(1), c_uint64(nanoseconds)]
    vulkan.call("vkWaitForFences", *waited)
