"""One dispatch on an opened device: memory, descriptors, pipeline, commands, wait, what the memory holds then.

    Job (module, entry point, bindings, push constants, specialization, groups)   ->   the bytes of each binding

Buffers, images and samplers by set and binding, an array of them as several elements of one binding.
"""

from ctypes import byref, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any, Final, final

from reknit.vulkan import images
from reknit.vulkan.images import DeviceImage
from reknit.vulkan.logical import WHOLE_SIZE, Logical, Memory
from reknit.vulkan.structs import (
    CommandBufferAllocateInfo,
    CommandBufferBeginInfo,
    CommandPoolCreateInfo,
    ComputePipelineCreateInfo,
    DescriptorBufferInfo,
    DescriptorPoolCreateInfo,
    DescriptorPoolSize,
    DescriptorSetAllocateInfo,
    FenceCreateInfo,
    MemoryBarrier,
    PipelineLayoutCreateInfo,
    PushConstantRange,
    RequiredSubgroupSize,
    SetLayoutBinding,
    SetLayoutCreateInfo,
    ShaderModuleCreateInfo,
    ShaderStageCreateInfo,
    SpecializationInfo,
    SpecializationMapEntry,
    SubmitInfo,
    WriteDescriptorSet,
    handles,
    make,
)

STORAGE: Final = 7  # VkDescriptorType
UNIFORM: Final = 6
STORAGE_USAGE: Final = 0x20  # VkBufferUsageFlagBits
UNIFORM_USAGE: Final = 0x10
COMPUTE_STAGE: Final = 0x20
COMPUTE_BIND_POINT: Final = 1
ONE_TIME: Final = 1
SHADER_WRITE: Final = 0x40
HOST_READ: Final = 0x2000
AFTER_COMPUTE: Final = 0x800
BEFORE_HOST: Final = 0x4000


@final
class Binding:
    """A buffer, image or sampler at (set, binding, element); `kind` is its VkDescriptorType, `image` what
    `images.to_json` says of an image, `sampler` the arguments of a Sampler."""

    __slots__ = ("set", "binding", "element", "kind", "image", "sampler", "data")

    def __init__(self, place: list[Any], data: bytes) -> None:
        set, binding, element, kind, image, sampler = place
        self.set: int = set
        self.binding: int = binding
        self.element: int = element
        self.kind: int = kind
        self.image: dict[str, Any] | None = image
        self.sampler: list[str] = sampler
        self.data = data

    def is_buffer(self) -> bool:
        return self.kind == STORAGE or self.kind == UNIFORM


@final
class Job:
    """`spec` are (SpecId, the constant's bytes); `required` and `flags` are those of `negotiate.subgroup_size`;
    `nanoseconds` bounds the wait."""

    __slots__ = ("code", "entry", "groups", "bindings", "push", "spec", "required", "flags", "nanoseconds")

    def __init__(
        self,
        code: bytes,
        entry: str,
        groups: list[int],
        bindings: list[Binding],
        push: bytes,
        spec: list[tuple[int, bytes]],
        required: int,
        flags: int,
        nanoseconds: int,
    ) -> None:
        self.code = code
        self.entry = entry
        self.groups = groups
        self.bindings = bindings
        self.push = push
        self.spec = spec
        self.required = required
        self.flags = flags
        self.nanoseconds = nanoseconds


def dispatch(device: Logical, job: Job) -> list[bytes]:
    """Run the job; the bytes of its bindings afterwards, in their order. Raises VulkanError."""
    usage = {STORAGE: STORAGE_USAGE, UNIFORM: UNIFORM_USAGE}
    resources: list[Memory | DeviceImage] = []
    for slot in job.bindings:
        if slot.is_buffer():
            resources.append(device.buffer(slot.data, usage[slot.kind]))
        else:
            resources.append(images.make_image(device, slot.kind, slot.image, slot.sampler, slot.data))
    device_images = [resource for resource in resources if isinstance(resource, DeviceImage)]
    count = 1 + max([binding.set for binding in job.bindings], default=-1)
    layouts = [set_layout(device, [bound for bound in job.bindings if bound.set == number]) for number in range(count)]
    layout = pipeline_layout(device, layouts, len(job.push))
    pipeline = make_pipeline(device, job, layout)
    sets = descriptor_sets(device, layouts, job.bindings, resources)
    vulkan = device.vulkan
    commands = begin_commands(device)
    if device_images:
        images.fill(device, commands, device_images)
    vulkan.tell("vkCmdBindPipeline", commands, c_uint32(COMPUTE_BIND_POINT), pipeline)
    if sets:
        bound = [c_uint32(COMPUTE_BIND_POINT), layout, c_uint32(0), c_uint32(count), handles(sets), c_uint32(0), None]
        vulkan.tell("vkCmdBindDescriptorSets", commands, *bound)
    if job.push:
        push = (c_uint8 * len(job.push)).from_buffer_copy(job.push)
        where = [c_uint32(COMPUTE_STAGE), c_uint32(0), c_uint32(len(job.push))]
        vulkan.tell("vkCmdPushConstants", commands, layout, *where, push)
    vulkan.tell("vkCmdDispatch", commands, *[c_uint32(number) for number in job.groups])
    barrier = make(MemoryBarrier, srcAccessMask=SHADER_WRITE, dstAccessMask=HOST_READ)
    stages = [c_uint32(AFTER_COMPUTE), c_uint32(BEFORE_HOST), c_uint32(0)]
    none = [c_uint32(0), None, c_uint32(0), None]
    vulkan.tell("vkCmdPipelineBarrier", commands, *stages, c_uint32(1), byref(barrier), *none)
    if device_images:
        images.read_back(device, commands, device_images)
    vulkan.call("vkEndCommandBuffer", commands)
    submit_and_wait(device, commands, job.nanoseconds)
    return [stored(resource) for resource in resources]


def stored(resource: Memory | DeviceImage) -> bytes:
    """What is there afterwards; nothing of a sampler."""
    memory = resource.memory if isinstance(resource, DeviceImage) else resource
    return memory.bytes() if memory is not None else b""


def set_layout(device: Logical, bindings: list[Binding]) -> int:
    """One set's layout; a set without bindings has an empty one."""
    counts: dict[int, tuple[int, int]] = {}
    for binding in bindings:
        _, elements = counts.get(binding.binding, (0, 0))
        counts[binding.binding] = (binding.kind, max(elements, binding.element + 1))
    array = (SetLayoutBinding * max(1, len(counts)))()
    for at, (number, (kind, elements)) in enumerate(counts.items()):
        array[at] = SetLayoutBinding(number, kind, elements, COMPUTE_STAGE, None)
    created = device.create(
        "vkCreateDescriptorSetLayout", make(SetLayoutCreateInfo, bindingCount=len(counts), pBindings=array)
    )
    return int(created.value)


def pipeline_layout(device: Logical, layouts: list[int], push_size: int) -> c_uint64:
    request = make(
        PipelineLayoutCreateInfo,
        setLayoutCount=len(layouts),
        pSetLayouts=handles(layouts),
        pushConstantRangeCount=1 if push_size else 0,
        pPushConstantRanges=PushConstantRange(COMPUTE_STAGE, 0, push_size),
    )
    return device.create("vkCreatePipelineLayout", request)


def make_pipeline(device: Logical, job: Job, layout: c_uint64) -> c_uint64:
    words = (c_uint32 * (len(job.code) // 4)).from_buffer_copy(job.code)
    module = device.create("vkCreateShaderModule", make(ShaderModuleCreateInfo, codeSize=len(job.code), pCode=words))
    entries = (SpecializationMapEntry * max(1, len(job.spec)))()
    data = b""
    for at, (number, value) in enumerate(job.spec):
        entries[at] = SpecializationMapEntry(number, len(data), len(value))
        data += value
    bytes_given = (c_uint8 * max(1, len(data))).from_buffer_copy(data or b"\0")
    special = make(
        SpecializationInfo,
        mapEntryCount=len(job.spec),
        pMapEntries=entries,
        dataSize=len(data),
        pData=bytes_given,
    )
    size = make(RequiredSubgroupSize, requiredSubgroupSize=job.required)
    stage = make(
        ShaderStageCreateInfo,
        pNext=size if job.required else None,
        flags=job.flags,
        stage=COMPUTE_STAGE,
        module=module.value,
        pName=job.entry.encode(),
        pSpecializationInfo=special if job.spec else None,
    )
    request = make(ComputePipelineCreateInfo, stage=stage, layout=layout.value, basePipelineIndex=-1)
    pipeline = c_uint64()
    device.vulkan.call(
        "vkCreateComputePipelines", device.device, c_uint64(0), c_uint32(1), byref(request), None, byref(pipeline)
    )
    return pipeline


def descriptor_sets(
    device: Logical, layouts: list[int], bindings: list[Binding], resources: list[Memory | DeviceImage]
) -> list[int]:
    """A descriptor set for each layout, with what is bound in it."""
    if not layouts:
        return []
    room = 1 + len(bindings)
    kinds = list(dict.fromkeys([STORAGE, *[binding.kind for binding in bindings]]))
    sizes = (DescriptorPoolSize * len(kinds))(*[DescriptorPoolSize(kind, room) for kind in kinds])
    pool = device.create(
        "vkCreateDescriptorPool",
        make(DescriptorPoolCreateInfo, maxSets=len(layouts), poolSizeCount=len(kinds), pPoolSizes=sizes),
    )
    sets = handles([0] * len(layouts))
    request = make(
        DescriptorSetAllocateInfo,
        descriptorPool=pool.value,
        descriptorSetCount=len(layouts),
        pSetLayouts=handles(layouts),
    )
    device.vulkan.call("vkAllocateDescriptorSets", device.device, byref(request), sets)
    for binding, resource in zip(bindings, resources, strict=True):
        named = descriptor(resource)
        write: Any = make(
            WriteDescriptorSet,
            dstSet=sets[binding.set],
            dstBinding=binding.binding,
            dstArrayElement=binding.element,
            descriptorCount=1,
            descriptorType=binding.kind,
            **named,
        )
        device.vulkan.tell("vkUpdateDescriptorSets", device.device, c_uint32(1), byref(write), c_uint32(0), None)
    return list(sets)


def descriptor(resource: Memory | DeviceImage) -> dict[str, Any]:
    """The members of VkWriteDescriptorSet that name it."""
    if isinstance(resource, DeviceImage):
        return resource.descriptor()
    return {"pBufferInfo": DescriptorBufferInfo(resource.buffer, 0, WHOLE_SIZE)}


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
